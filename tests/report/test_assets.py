from pathlib import Path

from errata.report import _render

TEMPLATES = Path(_render.__file__).parent / "templates"


def test_every_part_is_on_the_page():
    styles = {*_render.STYLES, *_render.COMPARISON_STYLES, "dark"}
    assert {path.stem for path in TEMPLATES.glob("style/*.css")} == styles
    assert {path.stem for path in TEMPLATES.glob("script/*.js")} == set(_render.SCRIPTS)


def test_dark_changes_every_colour_and_invents_none():
    def names(sheet):
        text = (TEMPLATES / "style" / sheet).read_text(encoding="utf-8")
        words = text.replace(";", "\n").splitlines()
        return {word.split(":")[0].strip() for word in words if word.strip().startswith("--")}

    assert names("tokens.css") - names("dark.css") == {"--sans", "--serif", "--radius"}
    assert names("dark.css") <= names("tokens.css")


def test_nothing_of_ours_ends_its_own_element():
    assert "</" not in _render.read_script()
    assert "</" not in _render.read_page_style()


def test_the_hash_is_the_one_browsers_compute():
    # The script and its hash are the example of the Content Security Policy standard (level 2).
    script = "alert('Hello, world.');"
    assert _render.hash_script(script) == "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
