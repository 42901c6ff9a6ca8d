"""Requests in the terms of a review: what is not there or cannot be is answered in a sentence."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from ._filter import RowFilter, read_filter
from ._review import Review
from ._web import HTTPException

PARTLY = "errata-part"  # the header by which the script asks for the stage alone


def review_of(request: Any) -> Review:
    """The review that the server is about."""
    return request.app.state.review


def wants_part(request: Any) -> bool:
    """Whether the script asks, which replaces a part of the page."""
    return PARTLY in request.headers


def sent_filter(request: Any, form: Mapping[str, str]) -> RowFilter:
    """The filter that a form was sent from, which it holds as the end of an address."""
    return filter_of(request, dict(parse_qsl(form.get("filter", ""))))


def filter_of(request: Any, given: Mapping[str, str]) -> RowFilter:
    """The filter of an address."""
    try:
        return read_filter(given, review_of(request).options.queue)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error


def place_of(request: Any, given: Any) -> int:
    """Where the card of a row is."""
    text = str(given)
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else -1
    place = review_of(request).folder.place(number)
    if place is None:
        raise HTTPException(404, f"row {text[:40]!r} has no card in this audit.")
    return place


def number_of(given: Mapping[str, str], name: str, otherwise: int) -> int:
    """A whole number from 0 on in an address or a form."""
    text = given.get(name, "")
    if not text:
        return otherwise
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise HTTPException(422, f"{name} is {text[:40]!r}; give a whole number.")
    return int(text)
