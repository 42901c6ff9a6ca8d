"""Version, Python, licence and tests for the head of the README, as docs/figures/badges.svg."""

import re
import tomllib
from pathlib import Path

import errata

HERE = Path(__file__).parent
HEIGHT, LETTER = 22, 7


def draw_badge(left, name, value):
    """One badge, and where the next may begin."""
    first = LETTER * len(name) + 14
    second = LETTER * len(value) + 14
    text = (
        f'<rect x="{left}" width="{first}" height="{HEIGHT}" fill="#555"/>'
        f'<rect x="{left + first}" width="{second}" height="{HEIGHT}" fill="#b5651d"/>'
        f'<text x="{left + 7}" y="15">{name}</text>'
        f'<text x="{left + first + 7}" y="15">{value}</text>'
    )
    return text, left + first + second + 8


def count_tests():
    """How many functions test errata, in round numbers."""
    paths = HERE.parents[1].glob("tests/**/test_*.py")
    texts = (path.read_text(encoding="utf-8") for path in paths)
    return sum(len(re.findall(r"^ *def test_", text, re.MULTILINE)) for text in texts) // 500 * 500


def main():
    """Write the picture."""
    path = HERE.parents[1] / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    values = {
        "version": errata.__version__,
        "Python": project["requires-python"].replace(">=", "") + "+",
        "licence": project["license"],
        "tests": f"{count_tests():,}+",
    }
    left, badges = 0, []
    for name, value in values.items():
        badge, left = draw_badge(left, name, value)
        badges.append(badge)
    HERE.joinpath("badges.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left}" height="{HEIGHT}">'
        "<style>text { font: 12px Verdana, sans-serif; fill: #fff }</style>"
        f"{''.join(badges)}</svg>\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
