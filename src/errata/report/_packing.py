"""The list of examples, packed small: names and repeated texts once, then numbers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .._format import shorten
from .._sentences import wording
from ._charts import AT_RANK

# Pictures are most of a page's weight: the first examples get theirs, up to this many characters.
PICTURE_BUDGET = 1_200_000

# Texts come next: the first examples keep theirs, up to this many characters; later ones are cut.
TEXT_BUDGET = 600_000
CUT_TEXT = 200


class Codes(dict[str, int]):
    """Each name once, with its number."""

    def __init__(self, names: Iterable[Any] = ()) -> None:
        super().__init__()
        for name in names:
            self.of(name)

    def of(self, name: Any) -> int:
        """The number of a name, a new one for a new name."""
        return self.setdefault(str(name), len(self))


def get_listed_rows(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows to look at, the most suspicious first; none where their order means nothing."""
    return summary["examples"] if summary["has_skill"] else []


def pack_list(summary: dict[str, Any], names: Codes | None = None) -> dict[str, Any]:
    """The list of rows, with nothing else to draw; ``names`` grows by its own."""
    names = Codes() if names is None else names
    kind = wording(summary)
    examples = limit_texts(limit_pictures(get_listed_rows(summary)))
    return {
        "title": summary["title"],
        "row": kind.row,
        "ids": _collect_names(examples),
        "at_rank": AT_RANK,
        "has_skill": summary["has_skill"],
        "words": kind.report.columns,
        "curve": None,
        "map": None,
        "colours": [],
        "are_many": False,
        "classes": [],
        **pack_examples(examples, names),
        "names": list(names),
    }


def _collect_names(examples: list[dict[str, Any]]) -> dict[str, str]:
    """The names of rows that are mentioned and have one of their own, by their numbers."""
    mentioned = [row for each in examples for row in (each, *each["similar"], *each["compared"])]
    return {str(row["row"]): row["name"] for row in mentioned if "name" in row}


def pack_examples(examples: list[dict[str, Any]], names: Codes) -> dict[str, list]:
    """The examples as lists, and what their numbers stand for.

    Labels refer to ``names``, which grows by those that are not a class; columns to ``columns``,
    and whatever else occurs more than once to ``texts``.
    """
    columns = Codes()
    texts = Codes(_find_repeated(examples))
    packed = [_pack_example(example, names, columns, texts) for example in examples]
    return {"examples": packed, "columns": list(columns), "texts": list(texts)}


def limit_pictures(examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The examples with the pictures the page can afford; only data URIs, never an address."""
    left = PICTURE_BUDGET
    kept = []
    for example in examples:
        # Counted even if they no longer fit, so that pictures stop at one place in the list, which
        # the page can name.
        left -= sum(len(row["image"] or "") for row in _get_rows(example))
        kept.append(_map_rows(example, _keep_picture if left >= 0 else _drop_picture))
    return kept


def limit_texts(examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The examples with texts in full as long as the page can afford them, then cut."""
    left = TEXT_BUDGET
    kept = []
    for example in examples:
        left -= sum(len(cell) for row in _get_rows(example) for cell in row["values"].values())
        kept.append(example if left >= 0 else _map_rows(example, _cut_texts))
    return kept


def _get_rows(example: dict[str, Any]) -> list[dict[str, Any]]:
    """The example itself, and the rows beside it."""
    return [example, *example["compared"]]


def _map_rows(example: dict[str, Any], change: Callable[[dict], dict]) -> dict[str, Any]:
    return {**change(example), "compared": [change(row) for row in example["compared"]]}


def _keep_picture(row: dict[str, Any]) -> dict[str, Any]:
    return row if (row["image"] or "").startswith("data:image/") else _drop_picture(row)


def _drop_picture(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "image": None}


def _cut_texts(row: dict[str, Any]) -> dict[str, Any]:
    cut = {name: shorten(cell, CUT_TEXT) for name, cell in row["values"].items()}
    return {**row, "values": cut}


def _find_repeated(examples: list[dict[str, Any]]) -> list[str]:
    """Sentences, cells and pictures that occur more than once, if a number is shorter."""
    found = Counter(text for example in examples for text in _iterate_texts(example))
    return [text for text, times in found.items() if times > 1 and len(text) > 3]


def _iterate_texts(example: dict[str, Any]) -> Iterator[str]:
    yield from example["reasons"]
    for row in _get_rows(example):
        yield from row["values"].values()
        if row["image"] is not None:
            yield row["image"]


def _pack_example(example: dict[str, Any], names: Codes, columns: Codes, texts: Codes) -> list[Any]:
    """One example as a list; ``unpack`` in the script reads the same order.

    A text that occurs more than once is the number that ``texts`` has for it.
    """

    def short(found: Iterable[Any]) -> list[Any]:
        return [texts.get(text, text) for text in found]

    place = {name: i for i, name in enumerate(example["values"])}
    return [
        example["row"],
        example["id"],
        names.of(example["label"]),
        names.of(example["suggested"]),
        round(example["p_wrong"], 4),
        int(example["flagged"]),
        short(example["reasons"]),
        [[near["row"], names.of(near["label"]), near["distance"]] for near in example["similar"]],
        [columns.of(name) for name in example["values"]],
        example["speaking"],
        short([*example["values"].values(), example["image"]]),
        [
            [
                near["row"],
                names.of(near["label"]),
                [place[name] for name in near["differs"]],
                short([*near["values"].values(), near["image"]]),
            ]
            for near in example["compared"]
        ],
        *_pack_votes(example, names),
    ]


def _pack_votes(example: dict[str, Any], names: Codes) -> list[Any]:
    """Who voted what, where several annotators did: label, how many votes, and the first voters."""
    if "votes" not in example:
        return []
    return [[[names.of(side["label"]), side["count"], side["by"]] for side in example["votes"]]]
