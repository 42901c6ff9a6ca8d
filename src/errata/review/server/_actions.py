"""What a person does: decide, take back, note, decide many rows at once."""

import errno
from math import isfinite
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse

from ..._format import listed, plural
from ...audit_folder.decisions import Event
from ...exceptions import ConflictingEvent
from ._requests import number_of, place_of, read_form, review_of, sent_filter, wants_part
from ._review import NAMED, WITHOUT_CLASS, Answer, Review
from ._stage import event_in_words, stage, whole_page
from ._standing import RowFilter
from ._templates import page_link

BULK = (*NAMED, *WITHOUT_CLASS)
LONGEST_NOTE = 4000


async def decide(request: Any) -> Any:
    """Keep a decision and show the next row."""
    form = await read_form(request)
    review = review_of(request)
    chosen = sent_filter(request, form)
    place = place_of(request, form.get("row", ""))
    try:
        answer = _answer(review, form)
    except HTTPException as error:
        if wants_part(request):
            raise
        page = whole_page(review, chosen, place, said=f"Not saved: {error.detail}", failed=True)
        return HTMLResponse(page, error.status_code)
    told_late = _kept(lambda: review.decide(place, answer, chosen))
    row = review.number(place)
    said = f"Row {row}: {_in_words(review, place)}."
    if told_late:
        said += " It had been decided elsewhere since you opened it; both are in the history."
    return _shown(request, chosen, review.standing.next_place(chosen, place), said)


async def note(request: Any) -> Any:
    """Keep a note alone, and stay with the row."""
    form = await read_form(request)
    review = review_of(request)
    chosen = sent_filter(request, form)
    place = place_of(request, form.get("row", ""))
    text = _note(form)
    if not text:
        raise HTTPException(422, "the note is empty.")
    _kept(lambda: review.decide(place, Answer("note", note=text, key=form.get("key", "")), chosen))
    return _shown(request, chosen, place, f"Row {review.number(place)}: note saved.")


async def undo(request: Any) -> Any:
    """Take back the last thing this reviewer did, or the one that is named."""
    return await _take_back(request, "undo")


async def redo(request: Any) -> Any:
    """Take back the last undo."""
    return await _take_back(request, "redo")


async def bulk(request: Any) -> Any:
    """Decide all rows of a filter that wait, if they are as many as the person was told."""
    form = await read_form(request)
    review = review_of(request)
    chosen = sent_filter(request, form)
    kind = form.get("kind", "")
    if kind not in BULK:
        raise HTTPException(422, f"there is no verdict {kind!r} for many rows; {listed(BULK)}.")
    places = review.standing.waiting(chosen)
    if len(places) != number_of(form, "count", 0):
        raise HTTPException(
            409, f"{plural(len(places), 'row')} wait now, not {form.get('count')}; look again."
        )
    _kept(lambda: review.decide_all(places, Answer(kind, key=form.get("key", "")), chosen))
    said = f"{plural(len(places), 'row')} decided at once; one undo takes all of it back."
    return _shown(request, chosen, review.standing.next_place(chosen), said)


async def _take_back(request: Any, step: str) -> Any:
    form = await read_form(request)
    review = review_of(request)
    chosen = sent_filter(request, form)
    of = number_of(form, "of", 0) or None
    event = _kept(lambda: review.take_back(step, form.get("key", ""), of))
    if event is None:
        return _shown(request, chosen, review.standing.next_place(chosen), f"Nothing to {step}.")
    return _shown(request, chosen, review.folder.place(event.row), _taken_back(step, event))


def _taken_back(step: str, event: Event) -> str:
    return f"{'Undone' if step == 'undo' else 'Redone'}: row {event.row}."


def _shown(request: Any, chosen: RowFilter, place: int | None, said: str) -> Any:
    """The next card to the script; to a plain form the way to it."""
    review = review_of(request)
    if wants_part(request):
        return HTMLResponse(stage(review, chosen, place, said=said))
    row = review.number(place)
    return RedirectResponse(page_link("/" if row is None else f"/card/{row}", chosen), 303)


def _answer(review: Review, form: Any) -> Answer:
    """What a form says; a class may be given by its name."""
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
    return Answer(kind, text, _note(form), form.get("key", ""), _shown_at(form))


def _note(form: Any) -> str:
    text = form.get("note", "").replace("\r\n", "\n").strip()
    if len(text) > LONGEST_NOTE:
        raise HTTPException(422, f"a note may have {LONGEST_NOTE:,} characters, not {len(text):,}.")
    return text


def _shown_at(form: Any) -> float | None:
    try:
        shown = float(form.get("shown", ""))
    except ValueError:
        return None
    return shown if isfinite(shown) else None


def _kept(keep: Any) -> Any:
    """Have a decision kept; where it cannot be, say so and change nothing."""
    try:
        return keep()
    except ConflictingEvent as error:
        raise HTTPException(409, str(error)) from error
    except OSError as error:
        status = 507 if error.errno == errno.ENOSPC else 500
        raise HTTPException(status, error.strerror or str(error)) from error


def _in_words(review: Review, place: int) -> str:
    last = review.history(place)[-1][0]
    if review.options.blind:
        return "decided"
    return event_in_words(last, review).partition(": ")[2]
