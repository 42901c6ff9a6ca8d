"""The sub-packages of errata and which uses which, as docs/figures/packages.svg."""

from pathlib import Path

# name: what it does, column, row
BOXES = {
    "tables": ("files to columns to numbers", 0, 1),
    "noise": ("models of noise, planted errors", 0, 3),
    "datasets": ("tables to try things on", 0, 4),
    "hardness": ("rows unlike their neighbours", 1, 0),
    "filters": ("rows to leave out", 1, 1),
    "ensemble": ("bagging and boosting", 1, 2),
    "elm": ("exact out-of-sample answers", 1, 3),
    "projections": ("supervised projections", 1, 4),
    "tolerant": ("learners with a noise model", 1, 5),
    "sequence": ("labelled time series", 1, 6),
    "feature_selection": ("columns that tell of the class", 1, 7),
    "auditing": ("audit: which labels are wrong", 2, 1),
    "metrics": ("how good a ranking is", 2, 6),
    "stats": ("is a difference real?", 2, 7),
    "report": ("look: one page, offline", 3, 0),
    "review": ("decide: one key a row", 3, 1),
    "cli": ("errata audit, review, clean", 3, 2),
    "compat": ("the interface of cleanlab", 3, 3),
    "testing": ("checks of labels in your tests", 3, 5),
    "comparing": ("which learner suits a table", 3, 4),
    "bench": ("published results again", 3, 6),
}
ARROWS = (
    ("tables", "methods"), ("methods", "auditing"), ("noise", "methods"), ("auditing", "report"),
    ("auditing", "review"), ("auditing", "cli"), ("auditing", "compat"), ("auditing", "testing"),
    ("auditing", "comparing"),
    ("datasets", "bench"), ("stats", "bench"), ("metrics", "bench"), ("methods", "comparing"),
)  # fmt: skip
WIDTH, HEIGHT, STEP = 205, 44, 56
LEFT = (14, 262, 530, 778)
METHODS = [name for name, (_, column, _) in BOXES.items() if column == 1]
STYLE = """<style>
text { font: 15px system-ui, sans-serif; fill: #1c2733 } .small { font-size: 12px; fill: #566472 }
rect { fill: #fff; stroke: #8a99a8; rx: 7 } .group { fill: #f2f5f8; stroke: none }
.main { fill: #fff3dc; stroke: #c8811a } path { fill: none; stroke: #566472; stroke-width: 1.5 }
</style>"""


def place(name):
    """Left, top, width and height of a box, or of the frame around the methods."""
    if name == "methods":
        return LEFT[1] - 10, 10, WIDTH + 20, len(METHODS) * STEP + 26
    _, column, row = BOXES[name]
    return LEFT[column], 30 + row * STEP, WIDTH, HEIGHT


def draw_box(name):
    """A box with its name and what it does."""
    left, top, width, height = place(name)
    kind = ' class="main"' if name == "auditing" else ""
    return (
        f'<rect{kind} x="{left}" y="{top}" width="{width}" height="{height}"/>'
        f'<text x="{left + 10}" y="{top + 19}">{name}</text>'
        f'<text class="small" x="{left + 10}" y="{top + 36}">{BOXES[name][0]}</text>'
    )


def draw_arrow(start, end):
    """From the right side of one box to the left side of the other."""
    left, top, width, height = place(start)
    to_left, to_top, _, to_height = place(end)
    right = left + width
    y = top + height / 2
    to_y = to_top + to_height / 2
    middle = (right + to_left) / 2
    if start == "methods":
        y = to_y
    if end == "methods":
        to_y = y
    line = f"M{right},{y} C{middle},{y} {middle},{to_y} {to_left - 3},{to_y}"
    if start == "datasets":  # below the methods
        bottom = place("methods")[1] + place("methods")[3] + 12
        line = f"M{left + 60},{top + height} V{bottom} H{to_left + 60} V{to_top + to_height + 3}"
    return f'<path marker-end="url(#tip)" d="{line}"/>'


def draw():
    """The picture, as text."""
    frame = place("methods")
    height = frame[1] + frame[3] + 26
    left, top, width, tall = frame
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 {height}" role="img" '
            'aria-label="The sub-packages of errata, and what flows from which to which">',
            STYLE,
            '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0,0 L8,4 L0,8 z" style="fill:#566472;stroke:none"/></marker>',
            f'<rect x="0" y="0" width="1000" height="{height}" style="stroke:none"/>',
            f'<rect class="group" x="{left}" y="{top}" width="{width}" height="{tall}"/>',
            *(draw_arrow(*arrow) for arrow in ARROWS),
            *map(draw_box, BOXES),
            "</svg>",
        ]
    )


def main():
    """Write the picture."""
    path = Path(__file__).with_name("packages.svg")
    path.write_text(draw() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
