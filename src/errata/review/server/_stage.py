"""The page around a card: what it shows, what it offers to decide, numbers, and the ways on."""

import re
import time
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..._format import percent, plural, probability, round_cell
from ..._sentences import describe_unusual
from ...audit_folder.decisions import Event, as_text
from .._summary import describe_pair
from ..inference import certificate_sentence, certify, gold_sentence
from ..inference._certificate import find_answers
from ..inference._progress import find_drawn_rows
from ._keys import DIGITS, format_class, format_field, format_name
from ._review import Review
from ._standing import SECOND, SKIPPED, STATES, RowFilter
from ._web import NoPicture, find_picture, make_link, render_template

QUEUE_NAMES = {
    "suspects": "Suspects",
    "calibration": "Calibration",
    "spot": "Spot check",
    "disputed": "Disputed",
    "all": "All cards",
}
SECOND_READING = {SECOND: "Second reading"}

FEWEST_ANSWERS = 10  # gold rows from which it is told how often the reviewer was right
LONG = 160  # characters from which a value is a text to read, not a cell to compare
UNFOLDED = 12  # columns in view at once

_WORD = re.compile(r"\w{3,}")
MARKED_UP_TO = 20_000  # characters; who reads on does not need marks


def build_page(review: Review, chosen: RowFilter, *, view: str = "other") -> dict[str, Any]:
    """The frame that every page shows around its own part."""
    folder = review.folder
    return {
        "title": folder.title,
        "reviewer": review.reviewer,
        "tested": review.renew("tested", lambda: _describe_tests(review)),
        "blind": review.blind,
        "keys": review.keys,
        "chosen": chosen,
        "view": view,
        "queues": _count_queues(review),
        "words": folder.kind.review,
        "kind": folder.kind,
        "class_names": [(format_field(text), name) for text, name in folder.recorded.choices],
    }


def _count_queues(review: Review) -> list[dict[str, Any]]:
    names = SECOND_READING if review.is_second else QUEUE_NAMES
    waiting = {queue: len(review.standing.waiting(RowFilter(queue))) for queue in names}
    rare = {"calibration", "disputed"}  # shown while there is something in them
    return [
        {
            "queue": queue,
            "name": name,
            "waiting": waiting[queue],
            "is_hidden": queue in rare and not waiting[queue],
        }
        for queue, name in names.items()
    ]


def render_stage(review: Review, chosen: RowFilter, place: int | None, **said: Any) -> str:
    """The part of the page that changes with every decision."""
    return render_template("stage.html", **build_stage(review, chosen, place, **said))


def render_page(review: Review, chosen: RowFilter, place: int | None, **said: Any) -> str:
    """The page with a card."""
    view = build_stage(review, chosen, place, **said)
    reviewers = sorted({name for _, name in review.log.last})
    return render_template("page.html", **view, states=STATES, reviewers=reviewers)


def build_stage(
    review: Review, chosen: RowFilter, place: int | None, *, said: str = "", failed: bool = False
) -> dict[str, Any]:
    """All that the templates of a card show."""
    review.decisions.current()  # what others have written is taken in
    card = None if place is None else build_card(review, place, chosen)
    path = "/" if card is None else f"/card/{card['row']}"
    page = build_page(review, chosen, view="card")
    return {
        **page,
        "address": make_link(path, chosen),
        "card": card,
        "picture_problem": card and _explain_picture(card, review.images),
        "nothing": None if card else _explain_nothing(review, chosen),
        "waiting": len(review.standing.waiting(chosen)),
        "decided": int((review.standing.states > SKIPPED).sum()),
        "drawn": sum(e["waiting"] for e in page["queues"] if e["queue"] == "calibration"),
        "progress": _get_numbers(review),
        "said": said,
        "failed": failed,
        "keys_made": {name: uuid4().hex for name in ("undo", "redo", "bulk")},
    }


def _explain_picture(card: dict[str, Any], root: Path | None) -> str:
    """Why the picture of a row cannot be shown; empty where it can, or there is none."""
    if card["image"] or not card["picture"]:
        return ""
    try:
        find_picture(card["picture"], root)
    except NoPicture as problem:
        return str(problem)
    return ""


def _get_numbers(review: Review) -> dict[str, Any]:
    """The numbers in view; none to the blind, nor where the columns do not tell labels apart."""
    has_skill = review.folder.numbers.get("has_skill", True)
    if not has_skill or review.blind:
        return {}
    numbers = review.renew("numbers", review.tally.describe)
    return numbers | {"proven": describe_proof(review)}


def _describe_tests(review: Review) -> str:
    """How often the reviewer was right on gold rows, beside the name; empty before ten of them."""
    own = [answer for answer in review.answers() if answer.reviewer == review.reviewer]
    if not own or own[0].rows < FEWEST_ANSWERS:
        return ""
    return gold_sentence(own[0]).removeprefix(f"{review.reviewer} was ")


def describe_proof(review: Review) -> str:
    """The certificate in a sentence; empty before the first verdict on a row drawn by lot."""
    return review.renew("proven", lambda: _describe_proof(review))


def _describe_proof(review: Review) -> str:
    folder = review.folder
    drawn = find_drawn_rows(folder.numbers["piles"], review.standing.verdict_of, folder.fingerprint)
    if not any(drawn.values()):
        return ""
    verdicts = review.tally.wrong_by_row()
    answers = find_answers(review.answers(), drawn, review.standing.verdict_of)
    if review.proof[0] != (drawn, verdicts, answers):
        found = certify(drawn, verdicts=verdicts, answers=answers, **folder.all_rows)
        sentence = certificate_sentence(found, folder.kind.review.nouns)
        review.proof = ((drawn, verdicts, answers), sentence)
    return review.proof[1]


def _explain_nothing(review: Review, chosen: RowFilter) -> dict[str, Any]:
    """A sentence where no row waits, and where to go from there."""
    rows = len(review.standing.rows_in(chosen))
    where = "filter" if chosen.is_narrow else "queue"
    if rows:
        title = "Nothing left to decide here"
        sentence = f"{plural(rows, 'row')} of this {where}, all decided."
    elif chosen.is_narrow:
        title = "Nothing here"
        sentence = "No row fits the filter."
    else:
        title = "Nothing here"
        sentence = _explain_empty(chosen.queue)
    if review.is_second:
        pairs = review.decisions.agreement()
        own = [pair for pair in pairs if review.reviewer in (pair["first"], pair["second"])]
        sentence = " ".join([sentence, *map(describe_pair, own)])
    return {"title": title, "sentence": sentence, "ways": _find_ways(review, chosen)}


def _find_ways(review: Review, chosen: RowFilter) -> list[tuple[str, str]]:
    standing = review.standing
    ways = {
        "Go on with the suspects": ("/?queue=suspects", RowFilter("suspects")),
        "Calibrate with rows drawn by lot": ("/?queue=calibration", RowFilter("calibration")),
        "Spot-check more rows drawn by lot": ("/?queue=spot", RowFilter("spot")),
    }
    found = [
        (text, address)
        for text, (address, other) in ways.items()
        if other.queue != chosen.queue and len(standing.waiting(other)) and not review.is_second
    ]
    if chosen.is_narrow:
        found.append(("Clear the filter", f"/?queue={chosen.queue}"))
    found.append(("Look at the list", make_link("/rows", chosen)))
    found.append(("Export what was decided, or audit again", "/more"))
    return found


def _explain_empty(queue: str) -> str:
    return {
        "suspects": "This audit has flagged no row. A spot check tells whether it missed any.",
        "disputed": "Reviewers agree on every row that several of them decided.",
        SECOND: "Nobody else has decided a row that has a card here.",
    }.get(queue, "This queue has no rows.")


def build_card(review: Review, place: int, chosen: RowFilter) -> dict[str, Any]:
    """Everything about one row."""
    card = review.folder.card(place)
    blind = review.blind
    p_wrong = review.tally.p_wrong(place)
    return {
        **{name: card[name] for name in ("row", "id", "image", "picture")},
        "label": format_name(card["label"]),
        "suggested": describe_suggestion(card),
        "is_doubted": p_wrong >= 0.5,
        "chance": "" if blind else percent(p_wrong),
        "reasons": [] if blind else _order_reasons(review, card),
        **build_answers(review, place, card, p_wrong),
        "kind": _get_layout(card),
        **_split_values(card),
        "is_item": "votes" in card,  # of several annotators, called by its name
        "votes": [] if blind else [_format_side(side) for side in card.get("votes", [])],
        "similar": _format_similar(card),
        "compared": card["similar"][0]["values"].keys() if card["similar"] else [],
        "own": {} if not card["similar"] else _get_own_values(card),
        "history": [
            _format_event(review, event, stands) for event, stands in review.history(place)
        ],
        "state": review.state(place),
        "key": uuid4().hex,
        "shown": f"{time.time():.3f}",
        **_find_around(review, place, chosen),
    }


def _get_layout(card: dict[str, Any]) -> str:
    if card["image"] or card["picture"]:
        return "picture"
    return (
        "text" if any(len(value or "") >= LONG for value in card["values"].values()) else "record"
    )


def _split_values(card: dict[str, Any]) -> dict[str, Any]:
    """The cells: texts to read, columns to compare with those that speak first, and the rest."""
    values = {name: "" if value is None else str(value) for name, value in card["values"].items()}
    texts = {name: value for name, value in values.items() if len(value) >= LONG}
    speaking = [name for name in card["speaking"] if name in values]
    order = [name for name in dict.fromkeys([*speaking, *values]) if name not in texts]
    cells = [{"name": n, "value": round_cell(values[n]), "speaks": n in speaking} for n in order]
    shown = 0 if card["image"] else UNFOLDED  # pixels are a picture, not cells
    near = card["similar"] or []
    return {
        "texts": [
            {"name": n, "pieces": mark_words(text, [row["values"].get(n) or "" for row in near])}
            for n, text in texts.items()
        ],
        "cells": cells[:shown],
        "folded": cells[shown:],
    }


def _format_similar(card: dict[str, Any]) -> list[dict[str, Any]] | None:
    if card["similar"] is None:
        return None
    has_pictures = card["picture"] and name_picture_of_similar(card, 0)
    return [
        row
        | {
            "label": format_name(row["label"]),
            "distance": f"{row['distance']:.3g}",
            "values": {name: round_cell(value or "") for name, value in row["values"].items()},
            "picture": f"/image/{card['row']}/{place}" if has_pictures else None,
        }
        for place, row in enumerate(card["similar"])
    ]


def name_picture_of_similar(card: dict[str, Any], place: int) -> str | None:
    """The picture of one of the rows most like a row: what they have in the same column."""
    rows = card["similar"] or []
    columns = [name for name, value in card["values"].items() if value == card["picture"]]
    if not columns or not 0 <= place < len(rows):
        return None
    return rows[place]["values"].get(columns[0])


def _format_side(side: dict[str, Any]) -> dict[str, Any]:
    """The votes for one class: how many, and the first of those who cast them."""
    voters = [{"name": name, "right": percent(accuracy)} for name, accuracy in side["by"]]
    return side | {"by": voters, "more": side["count"] - len(voters)}


def _get_own_values(card: dict[str, Any]) -> dict[str, str]:
    """The row's own values of the columns in which rows like it are compared."""
    return {
        name: round_cell(str(card["values"].get(name) or ""))
        for name in card["similar"][0]["values"]
    }


def _format_event(review: Review, event: Event, stands: bool) -> dict[str, Any]:
    is_hidden = review.blind and event.class_text
    return {
        "at": event.at[:16].replace("T", " "),
        "reviewer": event.reviewer,
        "said": "decided" if is_hidden else review.said(event.kind),
        "class": format_class(event.class_text),
        "note": event.note or "",
        "stands": stands,
    }


def _find_around(review: Review, place: int, chosen: RowFilter) -> dict[str, Any]:
    """Where the row stands in its queue, and what is beside it."""
    before, after = review.standing.beside(chosen, place)
    return {
        "before": review.number(before),
        "after": review.number(after),
        "queue_of": review.standing.queue_of(chosen),
    }


def _order_reasons(review: Review, card: dict[str, Any]) -> list[str]:
    """The reasons against the label: unusual values, the nearest rows, and the models."""
    reasons = card["reasons"]
    if not card["classes"] or "votes" in card:  # a number, several labels, an item
        return reasons
    unusual = describe_unusual(review.folder.examples.get(card["row"], {}))
    label = format_name(card["label"])
    return [
        *([f"Unusual for {label}: {unusual}."] if unusual else []),
        *reasons[1:],
        *reasons[:1],
    ]


def build_answers(
    review: Review, place: int, card: dict[str, Any], p_wrong: float
) -> dict[str, Any]:
    """The choices on a card whose label is wrong with ``p_wrong``, for the templates."""
    form = review.folder.kind.review.form
    answers: dict[str, Any] = {
        "form": form,
        "classes": [],
        "labels": [],
        "interval": None,
        "hint": "",
    }
    if form == "labels":
        return answers | {"labels": _build_labels(review, card)}
    if form == "number":
        interval = None if review.blind else (card["low"], card["high"])
        hint = "" if review.blind else card["hint"]
        return answers | {"interval": interval, "hint": hint}
    return answers | {"classes": _build_classes(review, place, card, p_wrong)}


def describe_suggestion(card: dict[str, Any]) -> str:
    """The suggestion; of several labels, what would change."""
    if "cells" not in card:
        return format_name(card["suggested"])
    label = card["label"]
    suggested = card["suggested"]
    added = [f"+ {format_name(name)}" for name in suggested if name not in label]
    taken = [f"\N{MINUS SIGN} {format_name(name)}" for name in label if name not in suggested]
    return ", ".join([*added, *taken])


def _build_labels(review: Review, card: dict[str, Any]) -> list[dict[str, Any]]:
    """Labels to set or take away, the doubted first; blindly by name, and none is set."""
    blind = review.blind
    cells = card["cells"]
    cells = sorted(cells, key=lambda cell: format_name(cell[0])) if blind else cells
    digits = [*DIGITS, *[""] * len(cells)]
    return [
        {
            "name": format_name(name),
            "text": format_field(as_text(name)),
            "digit": digit,
            "is_set": is_set and not blind,
            "is_doubted": is_doubted and not blind,
            "width": round(100 * p, 1),
            "chance": "" if blind else probability(p),
        }
        for (name, is_set, p, is_doubted), digit in zip(cells, digits, strict=False)
    ]


def _build_classes(
    review: Review, place: int, card: dict[str, Any], p_wrong: float
) -> list[dict[str, Any]]:
    """The classes to choose from by digit, the most probable first; blindly, in any order."""
    chances = {as_text(value): p for value, p in card["classes"]}
    label = review.folder.label_text(place)
    if card["p_wrong"] > 0 and label in chances:  # by what was decided of other rows
        chances = {text: p * p_wrong / card["p_wrong"] for text, p in chances.items()}
        chances[label] = 1 - p_wrong
        chances = dict(sorted(chances.items(), key=lambda each: -each[1]))
    codes = {text for text, _ in review.folder.recorded.choices}
    pair = {label: 0.0, review.folder.suggested_text(place): 0.0}
    texts = [text for text in [*chances, *pair] if text in codes]
    texts = _shuffle(texts, pair, card["key"]) if review.blind else texts
    return [
        {
            "name": format_class(text),
            "text": format_field(text),
            "digit": digit,
            "width": round(100 * chances.get(text, 0.0), 1),
            "chance": "" if review.blind else probability(chances.get(text, 0.0)),
        }
        for text, digit in zip(dict.fromkeys(texts), DIGITS, strict=False)
    ]


def _shuffle(texts: list[str], pair: dict[str, float], key: str) -> list[str]:
    """Label and suggestion first, in an order that tells nothing, then the rest by name."""

    def drawn(text: str) -> bytes:
        return blake2b(f"{key} {text}".encode(), digest_size=8).digest()

    rest = sorted(text for text in set(texts) if text not in pair)
    return [*sorted((text for text in pair if text in texts), key=drawn), *rest]


def mark_words(text: str, others: Iterable[str]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is a word that no other text has.

    >>> mark_words("a red fox ran", ["the fox ran"])
    [('a ', False), ('red', True), (' fox ran', False)]
    """
    known = {word for other in others for word in _WORD.findall(other.casefold())}
    if not known:
        return [(text, False)]
    pieces = []
    end = 0
    for found in _WORD.finditer(text, 0, MARKED_UP_TO):
        if found[0].casefold() not in known:
            pieces += [(text[end : found.start()], False), (found[0], True)]
            end = found.end()
    return [piece for piece in [*pieces, (text[end:], False)] if piece[0]]
