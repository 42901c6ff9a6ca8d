"""The data that the script of the page works on, packed small."""

import json
from typing import Any

from . import _map
from ._charts import drawn, thinned
from ._classes import are_many, colours, listed_classes
from ._words import AT_RANK

# Pictures are most of a page's weight: the first examples get theirs, up to this many characters.
PICTURE_BUDGET = 1_200_000


def payload(summary: dict[str, Any]) -> dict[str, Any]:
    """Names once, then numbers that refer to them.

    ``names`` holds the classes in their order, then labels that are not a class; ``columns`` holds
    each list of column names that some example shows.
    """
    names: dict[str, int] = {}
    for name in summary["classes"]:
        names.setdefault(str(name), len(names))
    columns: dict[tuple[str, ...], int] = {}
    listed = with_pictures(listed_rows(summary))
    examples = [_packed(example, names, columns) for example in listed]
    check = drawn(summary)
    return {
        "title": summary["title"],
        "at_rank": AT_RANK,
        "has_skill": summary["has_skill"],
        "curve": _rounded(thinned(check)) if check else None,
        "map": _map.packed(summary["map"]) if summary["map"] else None,
        "colours": colours(summary),
        "are_many": are_many(summary),
        "classes": [_packed_class(line, names) for line in listed_classes(summary)],
        "examples": examples,
        "columns": [list(keys) for keys in columns],
        "names": list(names),
    }


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


def listed_rows(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows to look at, the most suspicious first; none where their order means nothing."""
    return summary["examples"] if summary["has_skill"] else []


def with_pictures(examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The examples with the pictures the page can afford; only data URIs, never an address."""
    left, kept = PICTURE_BUDGET, []
    for example in examples:
        image = example["image"]
        # Counted even if it no longer fits, so that pictures stop at one place in the list, which
        # the page can name.
        left -= len(image or "")
        fits = image is not None and image.startswith("data:image/") and left >= 0
        kept.append(example if fits else {**example, "image": None})
    return kept


def _packed(
    example: dict[str, Any], names: dict[str, int], columns: dict[tuple[str, ...], int]
) -> list[Any]:
    """One example as a list; ``unpack`` in the script reads the same order."""

    def code(name: Any) -> int:
        return names.setdefault(str(name), len(names))

    keys = tuple(example["values"])
    return [
        example["row"],
        example["id"],
        code(example["label"]),
        code(example["suggested"]),
        round(example["p_wrong"], 4),
        int(example["flagged"]),
        example["reasons"],
        [[near["row"], code(near["label"])] for near in example["similar"]],
        columns.setdefault(keys, len(columns)),
        list(example["values"].values()),
        example["image"],
    ]


def _packed_class(line: dict[str, Any], names: dict[str, int]) -> list[Any]:
    """One label of the table as a list; the script on classes reads the same order."""
    numbers = [round(line[name], 4) for name in ("rows", "expected_wrong", "rate", "flagged")]
    return [names.setdefault(str(line["class"]), len(names)), *numbers]


def _rounded(lists: dict[str, list]) -> dict[str, list]:
    return {name: [round(value, 4) for value in values] for name, values in lists.items()}
