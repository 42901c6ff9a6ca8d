"""Pages to look at: a card, the list, history, agreement, proof.

Nothing here changes anything. Pictures named in the table are decoded and encoded anew: nothing but
pixels reaches the page.
"""

import io
from functools import lru_cache
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ...audit_folder import upright
from ...audit_folder.decisions import Event
from ..inference import gold_sentence
from ._keys import format_class, format_name
from ._review import Review
from ._stage import build_page, describe_proof, name_picture_of_similar, render_page, render_stage
from ._standing import RowFilter
from ._web import (
    NoPicture,
    find_picture,
    find_place,
    get_review,
    is_partial,
    make_link,
    read_filter,
    read_number,
    render_template,
)

PAGE = 100  # rows of the list, events of the history
MOST_PIXELS = 50_000_000
LONGEST_SIDE = 2048  # of what is sent; more does not fit a screen
RASTER = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")


async def show_first(request: Any) -> Any:
    """The first row that waits in the filter."""
    chosen = read_filter(request, request.query_params)
    return _send_page(request, chosen, get_review(request).standing.next_place(chosen))


async def show_card(request: Any) -> Any:
    """One row."""
    chosen = read_filter(request, request.query_params)
    return _send_page(request, chosen, find_place(request, request.path_params["row"]))


async def show_next(request: Any) -> Any:
    """The way to the next row that waits."""
    chosen = read_filter(request, request.query_params)
    review = get_review(request)
    after = request.query_params.get("after")
    place = None if after is None else find_place(request, after)
    row = review.number(review.standing.next_place(chosen, place))
    return RedirectResponse(make_link("/" if row is None else f"/card/{row}", chosen), 303)


async def send_similar(request: Any) -> Any:
    """The rows most like one, as JSON."""
    place = find_place(request, request.path_params["row"])
    return JSONResponse(get_review(request).folder.card(place)["similar"])


async def send_image(request: Any) -> Any:
    """The picture of a row, or of one like it; its name is in the table, never in the address."""
    review = get_review(request)
    card = review.folder.card(find_place(request, request.path_params["row"]))
    near = request.path_params.get("near")
    name = card["picture"] if near is None else name_picture_of_similar(card, near)
    try:
        if not name:
            raise NoPicture("this row names no picture.")
        path = find_picture(name, review.images)
        content, kind = await run_in_threadpool(read_picture, path)
    except NoPicture as problem:
        raise HTTPException(problem.status, str(problem)) from problem
    return Response(content, media_type=kind, headers={"Cache-Control": "private, max-age=3600"})


@lru_cache(maxsize=8)
def read_picture(path: Path) -> tuple[bytes, str]:
    """The picture that browsers get, and its kind."""
    from PIL import Image as image

    try:
        with image.open(path, formats=RASTER) as opened:
            _check_size(path, opened)
            return _encode(opened)
    except (OSError, ValueError, SyntaxError, image.DecompressionBombError) as error:
        raise NoPicture(f"{path.name} is not a picture that can be shown.", 415) from error


def _check_size(path: Path, opened: Any) -> None:
    width, height = opened.size
    if width * height > MOST_PIXELS:
        size = f"{width:,} times {height:,} pixels"
        raise NoPicture(f"{path.name} has {size}, more than {MOST_PIXELS:,}.", 415)


def _encode(opened: Any) -> tuple[bytes, str]:
    """JPEG for photographs; PNG for drawings, what is transparent, and what is small."""
    exact = opened.mode in ("1", "P", "LA", "PA", "RGBA") or max(opened.size) <= 512
    opened.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # a JPEG is decoded no larger than needed
    opened = upright(opened).convert("RGBA" if exact else "RGB")
    # Whole factors first: much faster, and no eye sees it at this size.
    opened.thumbnail((LONGEST_SIDE, LONGEST_SIDE), reducing_gap=2.0)
    out = io.BytesIO()
    opened.save(out, "PNG" if exact else "JPEG", **({} if exact else {"quality": 88}))
    return out.getvalue(), "image/png" if exact else "image/jpeg"


async def send_progress(request: Any) -> Any:
    """Counts, precision, what is left, pace; as JSON."""
    review = get_review(request)
    numbers = review.renew("progress", review.tally.progress)
    return JSONResponse({"states": review.standing.counts(), **numbers})


async def show_list(request: Any) -> Any:
    """The rows of a filter, a hundred at a time."""
    chosen = read_filter(request, request.query_params)
    review = get_review(request)
    review.decisions.current()  # what others have written is taken in
    places = review.standing.rows_in(chosen)
    page = read_number(request.query_params, "page", 1)
    shown = places[PAGE * (page - 1) : PAGE * page]
    view = build_page(review, chosen)
    rows = [_make_line(review, int(place)) for place in shown]
    pages = -(-len(places) // PAGE)
    return HTMLResponse(
        render_template("list.html", **view, rows=rows, total=len(places), page=page, pages=pages)
    )


async def show_history(request: Any) -> Any:
    """The events, the last first, each with a way back."""
    review = get_review(request)
    events = [event for event in review.decisions.events() if review.may_see(event)]
    page = read_number(request.query_params, "page", 1)
    newest = events[::-1][PAGE * (page - 1) : PAGE * page]
    view = build_page(review, RowFilter(review.queue))
    lines = [_make_event_line(review, event) for event in newest]
    pages = -(-len(events) // PAGE)
    return HTMLResponse(
        render_template(
            "history.html", **view, lines=lines, total=len(events), page=page, pages=pages
        )
    )


async def show_agreement(request: Any) -> Any:
    """How far reviewers agree, and the rows on which they do not."""
    review = get_review(request)
    view = build_page(review, RowFilter(review.queue))
    counts = review.standing.counts()
    proof = "" if review.blind else describe_proof(review)
    return HTMLResponse(
        render_template(
            "agreement.html",
            **view,
            pairs=review.decisions.agreement(),
            counts=counts,
            proven=proof,
            tests=review.renew("tests", lambda: list(map(gold_sentence, review.answers()))),
            elsewhere=review.standing.elsewhere(),
        )
    )


def _send_page(request: Any, chosen: RowFilter, place: int | None) -> Any:
    show = render_stage if is_partial(request) else render_page
    return HTMLResponse(show(get_review(request), chosen, place))


def _make_line(review: Review, place: int) -> dict[str, Any]:
    card = review.folder.card(place)
    standing = review.standing
    verdict = standing.own(place) if review.is_second else standing.said_of(place)
    values = [value for value in card["values"].values() if value]
    return {
        **{name: card[name] for name in ("row", "id", "p_wrong", "image")},
        "label": format_name(card["label"]),
        "suggested": format_name(card["suggested"]),
        "state": review.state(place),
        "class": format_class(verdict.class_text) if verdict else "",
        "note": (verdict.note or "") if verdict else "",
        "begins": "" if card["image"] else " · ".join(str(value)[:60] for value in values[:4]),
    }


def _make_event_line(review: Review, event: Event) -> dict[str, Any]:
    is_said = event.kind not in ("undo", "redo")
    stands = is_said and review.log.stands(event)
    is_hidden = review.blind and event.class_text
    said = "decided" if is_hidden else review.said(event.kind)
    return {
        "id": event.id,
        "at": event.at[:19].replace("T", " "),
        "reviewer": event.reviewer,
        "row": event.row,
        "has_card": review.folder.place(event.row) is not None,
        "said": said,
        "class": format_class(event.class_text),
        "note": event.note or "",
        "batch": event.batch is not None,
        "undone": is_said and not stands,
        "can_undo": stands and event.reviewer == review.reviewer,
    }


ROUTES = [
    Route("/", show_first),
    Route("/card/{row}", show_card),
    Route("/next", show_next),
    Route("/similar/{row}", send_similar),
    Route("/image/{row}", send_image),
    Route("/image/{row}/{near:int}", send_image),
    Route("/progress", send_progress),
    Route("/rows", show_list),
    Route("/history", show_history),
    Route("/agreement", show_agreement),
]
