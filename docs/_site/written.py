"""Files that a build makes; what is there already stays, so that Sphinx reads only what is new."""

from pathlib import Path


def write_if_new(path: Path, text: str) -> None:
    """Write ``text``, unless that is what ``path`` holds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
