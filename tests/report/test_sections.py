import re
from pathlib import Path

from errata import report
from errata._kinds import CLASSES, KINDS, SEQUENCES
from errata.report import render
from report.fake_summary import digits_summary, no_skill

FRAME = {"header", "top"}  # of every page, in its head


def test_every_template_is_a_section_of_the_page():
    folder = Path(report.__file__).parent / "templates" / "sections"
    assert {path.stem for path in folder.glob("*.html")} - FRAME == {
        section.name for kind in (*KINDS.values(), SEQUENCES) for section in kind.report.sections
    }


def test_every_kind_has_its_header():
    folder = Path(report.__file__).parent / "templates" / "kinds"
    assert {path.name for path in folder.iterdir()} == set(KINDS)
    assert all((folder / kind / "facts.html").exists() for kind in KINDS)
    assert all((folder / kind / "unknown.html").exists() for kind in KINDS)


def test_what_has_nothing_to_show_is_left_out():
    view = {"has_skill": False, "map": None, "notes": [], "duplicates": [], "stretches": None}
    view["by"] = None
    view["review"] = {"command": None, "so_far": None}
    assert [section.anchor for section in CLASSES.report.sections if section.is_shown(view)] == [
        "self-check",
        "method",
    ]


def first_screen(summary):
    head = render(summary).split("<header")[1].split("</header>")[0]
    return " ".join(re.sub("<[^>]*>", " ", head).split())


def test_the_first_screen_tells_how_sure_where_to_look_and_how_to_clean():
    digits = digits_summary(pictures=False)
    first = first_screen(digits)
    for words in (
        "About 202 of 1,797 labels are probably wrong",
        "Flags that are right 93% of the flagged rows are wrong, we expect",
        f"Trust {digits['self_check']['sentence']}",
        "Look The 200 most suspicious rows, 191 of them flagged. Look at the rows",
        "Clean errata clean train.audit -o train.clean.csv drops the 191 rows",
    ):
        assert words in first
    closed = first_screen(no_skill(digits))
    assert "These labels cannot be judged" in closed
    assert "Clean" not in closed
