"""A peer that plays exo, so that tests have a judge that shares no code with the SDK.

It is written from the description of exo's protocol and from recorded messages. It imports nothing of the project, and
it ends with exit code 86 at the first byte that exo's own parser would refuse, and with 87 when something that passed
the parser breaks it afterwards, as exo does.
"""
