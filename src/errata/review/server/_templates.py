"""The templates of the page, with what all of them may use."""

from functools import cache
from typing import Any
from urllib.parse import urlencode

from ...report._render import environment
from ._assets import asset_address
from ._filter import RowFilter
from ._keys import shown_key
from ._names import field_text, shown_name


@cache
def _environment() -> Any:
    made = environment(__package__, extra="review")
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
