"""Traffic with the browser: fields of forms and addresses that come, pages that go back."""

from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.exceptions import HTTPException

from ...report._render import make_environment, read_style
from ._keys import format_field, format_name
from ._review import Review
from ._standing import RowFilter

PARTLY = "errata-part"  # the header by which the script asks for the stage alone
SIGNS = {"ArrowLeft": "←", "ArrowRight": "→", "Space": "space"}  # of keys, as they are shown
ASSETS = {"review.css": "text/css; charset=utf-8", "review.js": "text/javascript; charset=utf-8"}


def get_review(request: Any) -> Review:
    """The review that the server is about."""
    return request.app.state.review


def is_partial(request: Any) -> bool:
    """Whether the script asks, which replaces a part of the page."""
    return PARTLY in request.headers


async def read_form(request: Any) -> Any:
    """The fields of the form that was sent, all of which are text."""
    form = await request.form()
    for name, value in form.multi_items():
        if not isinstance(value, str):
            await form.close()
            raise HTTPException(400, f"the field {name[:40]!r} holds a file; send text instead.")
    return form


def read_sent_filter(request: Any, form: Mapping[str, str]) -> RowFilter:
    """The filter that a form was sent from, which it holds as the end of an address."""
    return read_filter(request, dict(parse_qsl(form.get("filter", ""))))


def read_filter(request: Any, given: Mapping[str, str]) -> RowFilter:
    """The filter of an address."""
    try:
        return RowFilter.from_query(given, get_review(request).queue)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error


def find_place(request: Any, given: Any) -> int:
    """Where the card of a row is."""
    text = str(given)
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else -1
    place = get_review(request).folder.place(number)
    if place is None:
        raise HTTPException(404, f"row {text[:40]!r} has no card in this audit.")
    return place


def read_number(given: Mapping[str, str], name: str, otherwise: int) -> int:
    """A whole number from 0 on in an address or a form."""
    text = given.get(name, "")
    if not text:
        return otherwise
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise HTTPException(422, f"{name} is {text[:40]!r}; give a whole number.")
    return int(text)


def format_key(name: str) -> str:
    """A key as it is written on a button.

    >>> format_key("ArrowLeft"), format_key("Shift+u"), format_key("a")
    ('←', 'Shift+U', 'A')
    """
    head, plus, last = name.rpartition("+")
    last = SIGNS.get(last, last.upper() if len(last) == 1 else last)
    return f"{head}{plus}{last}"


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


class NoPicture(LookupError):
    """The picture of a row cannot be shown; the message says why, ``status`` how it is answered."""

    def __init__(self, sentence: str, status: int = 404) -> None:
        super().__init__(sentence)
        self.status = status


def find_picture(name: str, root: Path | None) -> Path:
    """The file of a picture, which lies under ``root`` whatever the table says."""
    if root is None:
        raise NoPicture(f"The table names a picture, {name}; say where it is with --images.")
    try:
        path = (root / name).resolve()
        is_there = path.is_file()
    except (OSError, ValueError):  # a name no file can have
        is_there = False
    if not is_there:
        raise NoPicture(f"There is no file {name} in {root}.")
    if not path.is_relative_to(root.resolve()):
        raise NoPicture(f"{name} is not in {root}, so it is not shown.")
    return path
