"""The page around a card: numbers, what was just said, and the ways on."""

from typing import Any
from uuid import uuid4

from ..._format import plural
from ..decisions import Event
from ._filter import STATES, RowFilter
from ._names import field_text, name_of_text
from ._pictures import picture_problem
from ._review import Review
from ._standing import SKIPPED
from ._templates import page_link, rendered
from ._view import card_view
from ._words import PageWords

QUEUE_NAMES = {
    "suspects": "Suspects",
    "calibration": "Calibration",
    "spot": "Spot check",
    "disputed": "Disputed",
    "all": "All cards",
}


def page_view(review: Review, chosen: RowFilter, *, view: str = "other") -> dict[str, Any]:
    """What every page shows around its own part."""
    folder = review.folder
    return {
        "title": folder.title,
        "reviewer": review.reviewer,
        "blind": review.options.blind,
        "keys": review.options.keys,
        "chosen": chosen,
        "view": view,
        "queues": _queues(review),
        "words": review.words,
        "kind": folder.kind,
        "class_names": [(field_text(text), name) for text, name in folder.recorded.choices],
    }


def _queues(review: Review) -> list[tuple[str, str, int]]:
    waiting = {queue: len(review.standing.waiting(RowFilter(queue))) for queue in QUEUE_NAMES}
    rare = {"calibration", "disputed"}  # shown while there is something in them
    return [
        (queue, name, waiting[queue])
        for queue, name in QUEUE_NAMES.items()
        if waiting[queue] or queue not in rare
    ]


def stage(review: Review, chosen: RowFilter, place: int | None, **said: Any) -> str:
    """The part of the page that changes with every decision."""
    return rendered("stage.html", **stage_view(review, chosen, place, **said))


def whole_page(review: Review, chosen: RowFilter, place: int | None, **said: Any) -> str:
    """The page with a card."""
    view = stage_view(review, chosen, place, **said)
    reviewers = sorted({name for _, name in review.decisions.by_reviewer()})
    return rendered("page.html", **view, states=STATES, reviewers=reviewers)


def stage_view(
    review: Review, chosen: RowFilter, place: int | None, *, said: str = "", failed: bool = False
) -> dict[str, Any]:
    """What the templates of a card show."""
    card = None if place is None else card_view(review, place, chosen)
    path = "/" if card is None else f"/card/{card['row']}"
    return {
        **page_view(review, chosen, view="card"),
        "address": page_link(path, chosen),
        "card": card,
        "picture_problem": card and picture_problem(card, review.options.images),
        "nothing": None if card else _nothing(review, chosen),
        "waiting": len(review.standing.waiting(chosen)),
        "decided": int((review.standing.states > SKIPPED).sum()),
        "told": _told(review),
        "said": said,
        "failed": failed,
        "keys_made": {name: uuid4().hex for name in ("undo", "redo", "bulk")},
    }


def _told(review: Review) -> dict[str, Any]:
    """The numbers in view; none to the blind, nor where the columns do not tell labels apart."""
    has_skill = review.folder.numbers.get("has_skill", True)
    return review.tally.told_in_sentences() if has_skill and not review.options.blind else {}


def event_in_words(event: Event, words: PageWords) -> str:
    """What somebody did, within a sentence."""
    named = f" ({name_of_text(event.class_text)})" if event.class_text else ""
    return f"row {event.row}: {words.said(event.kind)}{named}"


def _nothing(review: Review, chosen: RowFilter) -> dict[str, Any]:
    """What to say where no row waits, and where to go from there."""
    rows = len(review.standing.rows_in(chosen))
    where = "filter" if chosen.is_narrow else "queue"
    if rows:
        title, sentence = (
            "Nothing waits here",
            f"{plural(rows, 'row')} of this {where}, all decided.",
        )
    elif chosen.is_narrow:
        title, sentence = "Nothing here", "No row fits the filter."
    else:
        title, sentence = "Nothing here", _why_empty(chosen.queue)
    return {"title": title, "sentence": sentence, "ways": _ways(review, chosen)}


def _ways(review: Review, chosen: RowFilter) -> list[tuple[str, str]]:
    standing = review.standing
    ways = {
        "Go on with the suspects": ("/?queue=suspects", RowFilter("suspects")),
        "Spot-check rows that were not flagged": ("/?queue=spot", RowFilter("spot")),
    }
    found = [
        (text, address)
        for text, (address, other) in ways.items()
        if other.queue != chosen.queue and len(standing.waiting(other))
    ]
    if chosen.is_narrow:
        found.append(("Clear the filter", f"/?queue={chosen.queue}"))
    found.append(("Look at the list", page_link("/rows", chosen)))
    found.append(("Export what was decided, or audit again", "/more"))
    return found


def _why_empty(queue: str) -> str:
    return {
        "suspects": "This audit has flagged no row. A spot check tells whether it missed any.",
        "disputed": "Reviewers agree on every row that several of them decided.",
    }.get(queue, "This queue has no rows.")
