"""The messages of exo's five topics, as strict as exo's own parser.

One file a subject; `topics.parse` is the door. What is accepted here was compared with recorded verdicts of a real exo
(`tests/vectors/exo/strictness*.jsonl`), quirks included: an untagged body passes where it fits, a list does not pass
for a tuple inside a tagged model, an empty id is replaced by a fresh one.
"""
