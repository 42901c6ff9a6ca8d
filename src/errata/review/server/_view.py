"""A card as the templates show it: a plain dict in which every text is ready to be printed."""

import time
from typing import Any
from uuid import uuid4

from ..._format import percent
from ..decisions import Event
from ._answers import answers, suggested_in_words
from ._filter import RowFilter
from ._marks import marked
from ._names import name_of_text, shown_name
from ._review import Review

LONG = 160  # characters from which a value is a text to read, not a cell to compare
UNFOLDED = 12  # columns in view at once


def card_view(review: Review, place: int, chosen: RowFilter) -> dict[str, Any]:
    """Everything about one row."""
    card = review.folder.cards.card(place)
    blind = review.options.blind
    return {
        **{name: card[name] for name in ("row", "id", "image", "picture")},
        "label": shown_name(card["label"]),
        "suggested": suggested_in_words(card),
        "is_doubted": card["p_wrong"] >= 0.5,
        "chance": "" if blind else percent(card["p_wrong"]),
        "reasons": [] if blind else card["reasons"],
        **answers(review, place, card),
        "kind": _kind(card),
        **_values(card),
        "is_item": "votes" in card,  # of several annotators, called by its name
        "votes": [] if blind else [_side(side) for side in card.get("votes", [])],
        "similar": _similar(card),
        "compared": card["similar"][0]["values"].keys() if card["similar"] else [],
        "own": {} if not card["similar"] else _own(card),
        "history": [_told(review, event, stands) for event, stands in review.history(place)],
        "state": review.state(place),
        "key": uuid4().hex,
        "shown": f"{time.time():.3f}",
        **_around(review, place, chosen),
    }


def _kind(card: dict[str, Any]) -> str:
    if card["image"] or card["picture"]:
        return "picture"
    return (
        "text" if any(len(value or "") >= LONG for value in card["values"].values()) else "record"
    )


def _values(card: dict[str, Any]) -> dict[str, Any]:
    """The cells: texts to read, columns to compare with those that speak first, and the rest."""
    values = {name: "" if value is None else str(value) for name, value in card["values"].items()}
    texts = {name: value for name, value in values.items() if len(value) >= LONG}
    speaking = [name for name in card["speaking"] if name in values]
    order = [name for name in dict.fromkeys([*speaking, *values]) if name not in texts]
    cells = [{"name": n, "value": values[n], "speaks": n in speaking} for n in order]
    shown = 0 if card["image"] else UNFOLDED  # pixels are a picture, not cells
    return {
        "texts": [{"name": n, "pieces": _marked(card, n, text)} for n, text in texts.items()],
        "cells": cells[:shown],
        "folded": cells[shown:],
    }


def _marked(card: dict[str, Any], name: str, text: str) -> list[tuple[str, bool]]:
    near = [row["values"].get(name) or "" for row in card["similar"] or []]
    return marked(text, near)


def _similar(card: dict[str, Any]) -> list[dict[str, Any]] | None:
    if card["similar"] is None:
        return None
    return [
        row | {"label": shown_name(row["label"]), "distance": f"{row['distance']:.3g}"}
        for row in card["similar"]
    ]


def _side(side: dict[str, Any]) -> dict[str, Any]:
    """The votes for one class: how many, and the first of those who cast them."""
    voters = [{"name": name, "right": percent(accuracy)} for name, accuracy in side["by"]]
    return side | {"by": voters, "more": side["count"] - len(voters)}


def _own(card: dict[str, Any]) -> dict[str, str]:
    """The row's own values of the columns in which rows like it are compared."""
    return {name: card["values"].get(name) or "" for name in card["similar"][0]["values"]}


def _told(review: Review, event: Event, stands: bool) -> dict[str, Any]:
    is_hidden = review.options.blind and event.class_text
    return {
        "at": event.at[:16].replace("T", " "),
        "reviewer": event.reviewer,
        "said": "decided" if is_hidden else review.words.said(event.kind),
        "class": name_of_text(event.class_text),
        "note": event.note or "",
        "stands": stands,
    }


def _around(review: Review, place: int, chosen: RowFilter) -> dict[str, Any]:
    """Where the row stands in its queue, and what is beside it."""
    before, after = review.standing.beside(chosen, place)
    return {
        "waiting": len(review.standing.waiting(chosen)),
        "before": review.number(before),
        "after": review.number(after),
        "queue_of": review.standing.queue_of(chosen, place),
    }
