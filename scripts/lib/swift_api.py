"""Prints what apps see of a Swift module, from its symbol graph: one line a declaration, sorted.

Fails on a declaration without a doc comment.
"""

import json
import sys

# What the compiler adds by itself, one version more than another.
IMPLIED = {"Swift.Copyable", "Swift.Escapable", "Swift.BitwiseCopyable", "Swift.SendableMetatype"}


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        graph = json.load(file)
    conforms = {
        (edge["source"], edge.get("targetFallback") or edge["target"])
        for edge in graph["relationships"]
        if edge["kind"] == "conformsTo"
    }
    names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}
    lines, bare = set(), []
    for symbol in graph["symbols"]:
        name = names[symbol["identifier"]["precise"]]
        declaration = "".join(part["spelling"] for part in symbol["declarationFragments"])
        lines.add(f"{name}: {' '.join(declaration.split())}")
        # What has no place in a file was written by the compiler.
        if "docComment" not in symbol and "location" in symbol:
            bare.append(name)
    for source, target in conforms:
        if source in names and target not in IMPLIED:
            lines.add(f"{names[source]}: conforms to {names.get(target, target)}")
    print(*sorted(lines), sep="\n")
    if bare:
        print("no doc comment:", *sorted(bare), sep="\n  ", file=sys.stderr)
    return 1 if bare else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
