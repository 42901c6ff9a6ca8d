"""What a person looks at: a card, the list, history, agreement, proof.

Nothing here changes anything.
"""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from ...audit_folder.decisions import Event
from ._keys import name_of_text, shown_name
from ._pictures import NoPicture, picture, picture_path
from ._requests import filter_of, number_of, place_of, review_of, wants_part
from ._review import Review
from ._stage import page_view, stage, tell_proven, whole_page
from ._standing import RowFilter
from ._templates import page_link, rendered

PAGE = 100  # rows of the list, events of the history


async def home(request: Any) -> Any:
    """The first row that waits in the filter."""
    chosen = filter_of(request, request.query_params)
    return _page(request, chosen, review_of(request).standing.next_place(chosen))


async def card(request: Any) -> Any:
    """One row."""
    chosen = filter_of(request, request.query_params)
    return _page(request, chosen, place_of(request, request.path_params["row"]))


async def next_card(request: Any) -> Any:
    """The way to the next row that waits."""
    chosen = filter_of(request, request.query_params)
    review = review_of(request)
    after = request.query_params.get("after")
    place = None if after is None else place_of(request, after)
    row = review.number(review.standing.next_place(chosen, place))
    return RedirectResponse(page_link("/" if row is None else f"/card/{row}", chosen), 303)


async def similar(request: Any) -> Any:
    """The rows most like one, as JSON."""
    place = place_of(request, request.path_params["row"])
    return JSONResponse(review_of(request).folder.cards.card(place)["similar"])


async def image(request: Any) -> Any:
    """The picture of a row, whose name is in the table and never in the address."""
    review = review_of(request)
    place = place_of(request, request.path_params["row"])
    name = review.folder.cards.card(place)["picture"]
    try:
        if not name:
            raise NoPicture("this row names no picture.")
        path = picture_path(name, review.options.images)
        content, kind = await run_in_threadpool(picture, path)
    except NoPicture as problem:
        raise HTTPException(problem.status, str(problem)) from problem
    return Response(content, media_type=kind, headers={"Cache-Control": "private, max-age=3600"})


async def progress_numbers(request: Any) -> Any:
    """Counts, precision, what is left, pace; as JSON."""
    review = review_of(request)
    numbers = review.tally.progress()
    parts = {n: p._asdict() if hasattr(p, "_asdict") else p for n, p in numbers._asdict().items()}
    return JSONResponse({"states": review.standing.counts(), **parts})


async def listing(request: Any) -> Any:
    """The rows of a filter, a hundred at a time."""
    chosen = filter_of(request, request.query_params)
    review = review_of(request)
    review.decisions.current()  # what others have written is taken in
    places = review.standing.rows_in(chosen)
    page = number_of(request.query_params, "page", 1)
    shown = places[PAGE * (page - 1) : PAGE * page]
    view = page_view(review, chosen)
    rows = [_line(review, int(place)) for place in shown]
    pages = -(-len(places) // PAGE)
    return HTMLResponse(
        rendered("list.html", **view, rows=rows, total=len(places), page=page, pages=pages)
    )


async def history(request: Any) -> Any:
    """What was said, the last first, each with a way back."""
    review = review_of(request)
    events = [*review.decisions.events()]
    page = number_of(request.query_params, "page", 1)
    newest = events[::-1][PAGE * (page - 1) : PAGE * page]
    view = page_view(review, RowFilter(review.options.queue))
    lines = [_event_line(review, event) for event in newest]
    pages = -(-len(events) // PAGE)
    return HTMLResponse(
        rendered("history.html", **view, lines=lines, total=len(events), page=page, pages=pages)
    )


async def agreement_page(request: Any) -> Any:
    """How far reviewers agree, and the rows on which they do not."""
    review = review_of(request)
    found = review.decisions.agreement()
    view = page_view(review, RowFilter(review.options.queue))
    counts = review.standing.counts()
    proof = "" if review.options.blind else tell_proven(review)
    return HTMLResponse(
        rendered(
            "agreement.html",
            **view,
            pairs=found.pairs,
            counts=counts,
            proven=proof,
            elsewhere=review.standing.elsewhere(),
        )
    )


def _page(request: Any, chosen: RowFilter, place: int | None) -> Any:
    show = stage if wants_part(request) else whole_page
    return HTMLResponse(show(review_of(request), chosen, place))


def _line(review: Review, place: int) -> dict[str, Any]:
    card = review.folder.cards.card(place)
    verdict = review.log.verdicts.get(card["key"])
    values = [value for value in card["values"].values() if value]
    return {
        **{name: card[name] for name in ("row", "id", "p_wrong", "image")},
        "label": shown_name(card["label"]),
        "suggested": shown_name(card["suggested"]),
        "state": review.state(place),
        "class": name_of_text(verdict.class_text) if verdict else "",
        "note": (verdict.note or "") if verdict else "",
        "begins": "" if card["image"] else " · ".join(str(value)[:60] for value in values[:4]),
    }


def _event_line(review: Review, event: Event) -> dict[str, Any]:
    is_said = event.kind not in ("undo", "redo")
    stands = is_said and review.log.stands(event)
    is_hidden = review.options.blind and event.class_text
    said = "decided" if is_hidden else review.said(event.kind)
    return {
        "id": event.id,
        "at": event.at[:19].replace("T", " "),
        "reviewer": event.reviewer,
        "row": event.row,
        "has_card": review.folder.place(event.row) is not None,
        "said": said,
        "class": name_of_text(event.class_text),
        "note": event.note or "",
        "batch": event.batch is not None,
        "undone": is_said and not stands,
        "can_undo": stands and event.reviewer == review.reviewer,
    }
