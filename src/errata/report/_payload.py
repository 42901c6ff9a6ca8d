"""The data that the script of the page works on, packed small."""

import json
from typing import Any

from .._sentences import wording
from . import _map
from ._charts import drawn, thinned
from ._classes import are_many, colours, listed_classes
from ._packing import Codes, listed_rows, packed_examples, with_pictures, with_texts
from ._words import AT_RANK

CLASS_WORDS = {
    "label": "Label",
    "suggested": "Suggestion",
    "own": "labelled ",
    "near": "nearest labelled ",
    "nearest": "their labels and distances",
}


def payload(summary: dict[str, Any]) -> dict[str, Any]:
    """Names once, then numbers that refer to them.

    ``names`` holds the classes in their order, then labels that are not a class.
    """
    names, check = Codes(summary["classes"]), drawn(summary)
    return {
        **listed_payload(summary, names, CLASS_WORDS),
        "curve": _rounded(thinned(check)) if check else None,
        "map": _map.packed(summary["map"]) if summary["map"] else None,
        "colours": colours(summary),
        "are_many": are_many(summary),
        "classes": [_packed_class(line, names) for line in listed_classes(summary)],
        "names": list(names),
    }


def listed_payload(summary: dict[str, Any], names: Codes, words: dict[str, str]) -> dict[str, Any]:
    """What the list of rows is made from, with nothing else to draw; ``names`` grows by its own."""
    examples = with_texts(with_pictures(listed_rows(summary)))
    return {
        "title": summary["title"],
        "row": wording(summary).row,
        "ids": _names_of_rows(examples),
        "at_rank": AT_RANK,
        "has_skill": summary["has_skill"],
        "words": words,
        "curve": None,
        "map": None,
        "colours": [],
        "are_many": False,
        "classes": [],
        **packed_examples(examples, names),
        "names": list(names),
    }


def _names_of_rows(examples: list[dict[str, Any]]) -> dict[str, str]:
    """What rows are called that are mentioned and have a name of their own, by their numbers."""
    mentioned = [row for each in examples for row in (each, *each["similar"], *each["compared"])]
    return {str(row["row"]): row["name"] for row in mentioned if "name" in row}


def to_json(data: Any) -> str:
    r"""JSON that can stand inside a ``script`` element: nothing in it can end the element.

    >>> to_json({"label": "</script>"})
    '{"label":"\\u003c/script\\u003e"}'
    """
    # NaN is not JSON, and the script of the page would stop at it.
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _packed_class(line: dict[str, Any], names: Codes) -> list[Any]:
    """One label of the table as a list; the script on classes reads the same order."""
    numbers = [round(line[name], 4) for name in ("rows", "expected_wrong", "rate", "flagged")]
    return [names.of(line["class"]), *numbers]


def _rounded(lists: dict[str, list]) -> dict[str, list]:
    return {name: [round(value, 4) for value in values] for name, values in lists.items()}
