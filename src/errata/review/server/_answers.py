"""What a card offers to decide: classes by digit, a number and its interval, or labels to set."""

from hashlib import blake2b
from typing import Any

from ..._format import probability
from ..decisions import as_text
from ._keys import DIGITS
from ._names import field_text, name_of_text, shown_name
from ._review import Review


def answers(review: Review, place: int, card: dict[str, Any]) -> dict[str, Any]:
    """What the templates show of the choices on a card."""
    told: dict[str, Any] = {
        "form": "classes",
        "classes": [],
        "labels": [],
        "interval": None,
        "hint": "",
    }
    if "cells" in card:
        return told | {"form": "labels", "labels": _labels(review, card)}
    if "hint" in card:
        interval = None if review.options.blind else (card["low"], card["high"])
        hint = "" if review.options.blind else card["hint"]
        return told | {"form": "number", "interval": interval, "hint": hint}
    return told | {"form": "classes", "classes": _classes(review, place, card)}


def suggested_in_words(card: dict[str, Any]) -> str:
    """The suggestion; of several labels, what would change."""
    if "cells" not in card:
        return shown_name(card["suggested"])
    label, suggested = card["label"], card["suggested"]
    added = [f"+ {shown_name(name)}" for name in suggested if name not in label]
    taken = [f"\N{MINUS SIGN} {shown_name(name)}" for name in label if name not in suggested]
    return ", ".join([*added, *taken])


def _labels(review: Review, card: dict[str, Any]) -> list[dict[str, Any]]:
    """Labels to set or take away, the doubted first; blindly by name, and none is set."""
    blind, cells = review.options.blind, card["cells"]
    cells = sorted(cells, key=lambda cell: shown_name(cell[0])) if blind else cells
    digits = [*DIGITS, *[""] * len(cells)]
    return [
        {
            "name": shown_name(name),
            "text": field_text(as_text(name)),
            "digit": digit,
            "is_set": is_set and not blind,
            "is_doubted": is_doubted and not blind,
            "width": round(100 * p, 1),
            "chance": "" if blind else probability(p),
        }
        for (name, is_set, p, is_doubted), digit in zip(cells, digits, strict=False)
    ]


def _classes(review: Review, place: int, card: dict[str, Any]) -> list[dict[str, Any]]:
    """The classes to choose from by digit, the most probable first; blindly, in any order."""
    chances = {as_text(value): p for value, p in card["classes"]}
    codes = {text for text, _ in review.folder.recorded.choices}
    pair = {review.folder.label_text(place): 0.0, review.folder.suggested_text(place): 0.0}
    texts = [text for text in [*chances, *pair] if text in codes]
    texts = _shuffled(texts, pair, card["key"]) if review.options.blind else texts
    return [
        {
            "name": name_of_text(text),
            "text": field_text(text),
            "digit": digit,
            "width": round(100 * chances.get(text, 0.0), 1),
            "chance": "" if review.options.blind else probability(chances.get(text, 0.0)),
        }
        for text, digit in zip(dict.fromkeys(texts), DIGITS, strict=False)
    ]


def _shuffled(texts: list[str], pair: dict[str, float], key: str) -> list[str]:
    """Label and suggestion first, in an order that tells nothing, then the rest by name."""

    def drawn(text: str) -> bytes:
        return blake2b(f"{key} {text}".encode(), digest_size=8).digest()

    rest = sorted(text for text in set(texts) if text not in pair)
    return [*sorted((text for text in pair if text in texts), key=drawn), *rest]
