"""What Maven's reports in a folder say of tests, in the words of pytest, which scripts/test counts."""

import pathlib
import sys
from xml.etree import ElementTree

# Maven leaves its colours behind, without an end of the line.
print()
suites = [ElementTree.parse(path).getroot() for path in sorted(pathlib.Path(sys.argv[1]).glob("TEST-*.xml"))]
for suite in suites:
    for case in suite.iter("testcase"):
        for skipped in case.iter("skipped"):
            print(f"SKIPPED [1] {case.get('classname')}: {case.get('name')}: {skipped.get('message') or 'no reason'}")

# Last, where people look first.
for suite in suites:
    for case in suite.iter("testcase"):
        for fault in (*case.iter("failure"), *case.iter("error")):
            print(f"FAILED {case.get('classname')}: {case.get('name')}", *(line[:600] for line in (fault.text or "").splitlines()[:12]), sep="\n    ")


def total(*names: str) -> int:
    return sum(int(suite.get(name, "0")) for suite in suites for name in names)


failed, skipped = total("failures", "errors"), total("skipped")
seconds = sum(float(suite.get("time", "0").replace(",", "")) for suite in suites)
print(f"{failed} failed, {total('tests') - failed - skipped} passed, {skipped} skipped in {seconds:.1f}s")
