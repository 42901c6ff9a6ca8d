"""The templates of the page, its style and its script."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from ...report._render import make_environment, read_style
from ._keys import format_field, format_key, format_name
from ._standing import RowFilter

KINDS = {"review.css": "text/css; charset=utf-8", "review.js": "text/javascript; charset=utf-8"}


@cache
def _make_environment() -> Any:
    made = make_environment(__package__)
    made.filters.update(shown_key=format_key, shown_name=format_name, field_text=format_field)
    made.globals.update(asset=get_asset_address, link=make_link)
    return made


def render_template(template: str, **view: Any) -> str:
    """A template filled in; halves of characters are written out, as nothing can send them."""
    page = _make_environment().get_template(template).render(**view)
    return page.encode("utf-8", errors="backslashreplace").decode("utf-8")


def make_link(path: str, chosen: RowFilter, **more: Any) -> str:
    """An address of the page within a filter.

    >>> make_link("/rows", RowFilter("spot", text="a b"), page=2)
    '/rows?queue=spot&text=a+b&page=2'
    """
    return f"{path}?{urlencode(chosen.pairs | more)}"


@cache
def read_asset(name: str) -> bytes:
    """A file of the page; the style stands on that of the report."""
    text = files(__package__).joinpath("static", name).read_text(encoding="utf-8")
    return (read_style(["tokens", "base"], text) if name.endswith(".css") else text).encode()


@cache
def get_asset_address(name: str) -> str:
    """Where a file is; it never changes there, so that browsers may keep it."""
    return f"/static/{blake2b(read_asset(name), digest_size=8).hexdigest()}/{name}"
