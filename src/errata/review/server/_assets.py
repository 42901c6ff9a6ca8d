"""Style and script of the page, under names that change with their content."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files

from ...report._assets import themed_style

KINDS = {"review.css": "text/css; charset=utf-8", "review.js": "text/javascript; charset=utf-8"}


@cache
def asset(name: str) -> bytes:
    """A file of the page; the style stands on that of the report."""
    text = files(__package__).joinpath("static", name).read_text(encoding="utf-8")
    return (themed_style(["tokens", "base"], text) if name.endswith(".css") else text).encode()


@cache
def asset_address(name: str) -> str:
    """Where a file is; it never changes there, so that browsers may keep it."""
    return f"/static/{blake2b(asset(name), digest_size=8).hexdigest()}/{name}"
