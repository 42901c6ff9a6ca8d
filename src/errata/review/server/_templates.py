"""The templates of the page, its style and its script."""

from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from ...report._render import environment, themed_style
from ._keys import field_text, shown_key, shown_name
from ._standing import RowFilter

KINDS = {"review.css": "text/css; charset=utf-8", "review.js": "text/javascript; charset=utf-8"}


@cache
def _environment() -> Any:
    made = environment(__package__)
    made.filters.update(shown_key=shown_key, shown_name=shown_name, field_text=field_text)
    made.globals.update(asset=asset_address, link=page_link)
    return made


def rendered(template: str, **view: Any) -> str:
    """A template filled in; halves of characters are written out, as nothing can send them."""
    page = _environment().get_template(template).render(**view)
    return page.encode("utf-8", errors="backslashreplace").decode("utf-8")


def page_link(path: str, chosen: RowFilter, **more: Any) -> str:
    """An address of the page within a filter.

    >>> page_link("/rows", RowFilter("spot", text="a b"), page=2)
    '/rows?queue=spot&text=a+b&page=2'
    """
    return f"{path}?{urlencode(chosen.pairs | more)}"


@cache
def asset(name: str) -> bytes:
    """A file of the page; the style stands on that of the report."""
    text = files(__package__).joinpath("static", name).read_text(encoding="utf-8")
    return (themed_style(["tokens", "base"], text) if name.endswith(".css") else text).encode()


@cache
def asset_address(name: str) -> str:
    """Where a file is; it never changes there, so that browsers may keep it."""
    return f"/static/{blake2b(asset(name), digest_size=8).hexdigest()}/{name}"
