"""Draws the plan of tests/placement/desk.json as one token sees it: docs/images/placement.svg.

    EXO_PLACE=target/release/examples/place python -m placement.picture
"""

import json
from html import escape
from pathlib import Path

from . import ours
from .formulas import Json, head_time, hop_time, layer_time

HERE = Path(__file__).parent
OUTPUT = HERE.parent.parent / "docs" / "images" / "placement.svg"
LEFT, WIDTH, ROW = 120, 620, 74
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2733}.small{font-size:11px;fill:#5b6675}.name{font-weight:600}"
    ".rim{font-size:11px;fill:none;stroke:#fbfcfe;stroke-width:5}"
    ".work{fill:#4c78c9}.head{fill:#8a5cc2}.hop{stroke:#d9822b;stroke-width:2;fill:none}.idle{fill:#e4e8ee}"
)


def steps(problem: Json, stages: list[Json]) -> list[tuple[str, float, float, float]]:
    """(device, layers, head, hop) of each stage in seconds."""
    devices = {d["id"]: d for d in problem["devices"]}
    rows = []
    for index, stage in enumerate(stages):
        device = devices[stage["device"]]
        layers = problem["model"]["layers"][stage["start_layer"] : stage["end_layer"]]
        work = sum(layer_time(layer, device) for layer in layers)
        head = head_time(problem, device) if index == len(stages) - 1 else 0.0
        following = stages[(index + 1) % len(stages)]["device"]
        rows.append((stage["device"], work, head, hop_time(problem, stage["device"], following)))
    return rows


def draw(problem: Json, answer: Json) -> str:
    scale = WIDTH / answer["cost_s"]
    stages = {s["device"]: s for s in answer["stages"]}
    order = list(stages) + [d["id"] for d in answer["devices"] if d["id"] not in stages]
    why = {d["id"]: d["why"] for d in answer["devices"]}
    line = {name: 60 + ROW * at for at, name in enumerate(order)}
    height = 60 + ROW * len(order) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {height}" width="800" role="img" '
        'aria-label="One token on its way through a plan">',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" rx="8" fill="#fbfcfe"/>',
        f'<text x="20" y="28">{escape(answer["summary"])}</text>',
    ]
    for name in order:
        y = line[name]
        parts.append(f'<rect class="idle" x="{LEFT}" y="{y}" width="{WIDTH}" height="24" rx="3"/>')
        parts.append(f'<text class="name" x="20" y="{y + 17}">{escape(name)}</text>')
    at, rows = 0.0, steps(problem, answer["stages"])
    for index, (name, work, head, hop) in enumerate(rows):
        y, stage = line[name], stages[name]
        x = LEFT + at * scale
        parts.append(f'<rect class="work" x="{x:.1f}" y="{y}" width="{work * scale:.1f}" height="24" rx="3"/>')
        label = f"{stage['start_layer']}..{stage['end_layer']}"
        parts.append(f'<text x="{x + 6:.1f}" y="{y + 17}" style="fill:#fff">{label}</text>')
        if head:
            parts.append(
                f'<rect class="head" x="{x + work * scale:.1f}" y="{y}" width="{head * scale:.1f}" height="24" rx="3"/>'
            )
        at += work + head
        begin, at = LEFT + at * scale, at + hop
        end = LEFT + at * scale
        target = line[rows[(index + 1) % len(rows)][0]]
        parts.append(f'<path class="hop" d="M{begin:.1f} {y + 12} L{end:.1f} {target + 12}"/>')
    # After the hops that pass behind them, each on a rim that is a text of its own: not every viewer can draw one behind
    # the letters of the same text.
    for name in order:
        for kind in ("rim", "small"):
            parts.append(f'<text class="{kind}" x="{LEFT}" y="{line[name] + 40}">{escape(why[name])}</text>')
    y = height - 14
    parts.append(f'<text class="small" x="{LEFT}" y="{y}">0</text>')
    parts.append(
        f'<text class="small" x="{LEFT + WIDTH}" y="{y}" text-anchor="end">{answer["cost_s"] * 1e3:.0f} ms: '
        "blue are layers, violet the head, orange hops; the last one returns to the first device</text>"
    )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    desk = json.loads((HERE / "desk.json").read_text())
    OUTPUT.write_text(draw(desk, ours.place(desk)))
    print(f"wrote {OUTPUT}")
