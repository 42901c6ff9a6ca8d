"""Actions of a person: decide, take back, note, decide many rows at once."""

import errno
from math import isfinite, nan
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route

from ..._format import join_names, plural
from ...exceptions import ConflictingEvent
from ._keys import format_class
from ._review import NAMED, WITHOUT_CLASS, Review
from ._stage import render_page, render_stage
from ._standing import RowFilter
from ._web import (
    find_place,
    get_review,
    is_partial,
    make_link,
    read_form,
    read_number,
    read_sent_filter,
)

BULK = (*NAMED, *WITHOUT_CLASS)
LONGEST_NOTE = 4000


async def decide(request: Any) -> Any:
    """Keep a decision and show the next row."""
    form = await read_form(request)
    review = get_review(request)
    chosen = read_sent_filter(request, form)
    place = find_place(request, form.get("row", ""))
    try:
        answer = _read_answer(review, form)
    except HTTPException as error:
        if is_partial(request):
            raise
        page = render_page(review, chosen, place, said=f"Not saved: {error.detail}", failed=True)
        return HTMLResponse(page, error.status_code)
    decided_elsewhere = _record(lambda: review.decide(place, chosen, **answer))
    row = review.number(place)
    said = f"Row {row}: {_describe_decision(review, place)}."
    if decided_elsewhere:
        said += " It had been decided elsewhere since you opened it; both are in the history."
    return _respond(request, chosen, review.standing.next_place(chosen, place), said)


async def record_note(request: Any) -> Any:
    """Keep a note alone, and stay with the row."""
    form = await read_form(request)
    review = get_review(request)
    chosen = read_sent_filter(request, form)
    place = find_place(request, form.get("row", ""))
    text = _read_note(form)
    if not text:
        raise HTTPException(422, "the note is empty.")
    key = form.get("key", "")
    _record(lambda: review.decide(place, chosen, "note", note=text, key=key))
    return _respond(request, chosen, place, f"Row {review.number(place)}: note saved.")


async def undo(request: Any) -> Any:
    """Take back the last thing this reviewer did, or the one that is named."""
    return await _take_back(request, "undo")


async def redo(request: Any) -> Any:
    """Take back the last undo."""
    return await _take_back(request, "redo")


async def decide_many(request: Any) -> Any:
    """Decide all rows of a filter that wait, if they are as many as the person was told."""
    form = await read_form(request)
    review = get_review(request)
    chosen = read_sent_filter(request, form)
    kind = form.get("kind", "")
    if kind not in BULK:
        raise HTTPException(422, f"there is no verdict {kind!r} for many rows; {join_names(BULK)}.")
    places = review.standing.waiting(chosen)
    if len(places) != read_number(form, "count", 0):
        raise HTTPException(
            409, f"{plural(len(places), 'row')} wait now, not {form.get('count')}; look again."
        )
    _record(lambda: review.decide_all(places, chosen, kind, key=form.get("key", "")))
    said = f"{plural(len(places), 'row')} decided at once; one undo takes all of it back."
    return _respond(request, chosen, review.standing.next_place(chosen), said)


async def _take_back(request: Any, step: str) -> Any:
    form = await read_form(request)
    review = get_review(request)
    chosen = read_sent_filter(request, form)
    of = read_number(form, "of", 0) or None
    event = _record(lambda: review.take_back(step, form.get("key", ""), of))
    if event is None:
        return _respond(request, chosen, review.standing.next_place(chosen), f"Nothing to {step}.")
    said = f"{'Undone' if step == 'undo' else 'Redone'}: row {event.row}."
    return _respond(request, chosen, review.folder.place(event.row), said)


def _respond(request: Any, chosen: RowFilter, place: int | None, said: str) -> Any:
    """The next card to the script; to a plain form the way to it."""
    review = get_review(request)
    if is_partial(request):
        return HTMLResponse(render_stage(review, chosen, place, said=said))
    row = review.number(place)
    return RedirectResponse(make_link("/" if row is None else f"/card/{row}", chosen), 303)


def _read_answer(review: Review, form: Any) -> dict[str, Any]:
    """The answer in a form, as ``decide`` takes it; a class may be given by its name."""
    kind = form.get("kind", "")
    given = form.getlist("class")
    if not kind and any(given):
        kind = "other"
    if kind not in (*NAMED, *WITHOUT_CLASS, "other"):
        raise HTTPException(422, f"there is no verdict {kind!r}.")
    try:
        text = review.folder.recorded.read(given) if kind == "other" else None
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    note = _read_note(form)
    try:
        shown = float(form.get("shown", ""))
    except ValueError:
        shown = nan
    return {
        "kind": kind,
        "class_text": text,
        "note": note,
        "key": form.get("key", ""),
        "shown": shown if isfinite(shown) else None,
    }


def _read_note(form: Any) -> str:
    text = form.get("note", "").replace("\r\n", "\n").strip()
    if len(text) > LONGEST_NOTE:
        raise HTTPException(422, f"a note may have {LONGEST_NOTE:,} characters, not {len(text):,}.")
    return text


def _record(keep: Any) -> Any:
    """Have a decision kept; where it cannot be, say so and change nothing."""
    try:
        return keep()
    except ConflictingEvent as error:
        raise HTTPException(409, str(error)) from error
    except OSError as error:
        status = 507 if error.errno == errno.ENOSPC else 500
        raise HTTPException(status, error.strerror or str(error)) from error


def _describe_decision(review: Review, place: int) -> str:
    last = review.history(place)[-1][0]
    if review.blind:
        return "decided"
    named = f" ({format_class(last.class_text)})" if last.class_text else ""
    return f"{review.said(last.kind)}{named}"


ROUTES = [
    Route("/decide", decide, methods=["POST"]),
    Route("/note", record_note, methods=["POST"]),
    Route("/undo", undo, methods=["POST"]),
    Route("/redo", redo, methods=["POST"]),
    Route("/bulk", decide_many, methods=["POST"]),
]
