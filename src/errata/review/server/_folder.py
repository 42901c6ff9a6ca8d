"""The folder of an audit as the page reads it: numbers, cards, and what the table says.

Nothing here needs scikit-learn or pandas, so that the page of a million rows is there at once.

pyarrow's own ways (``to_numpy``, ``take``, ``unique``) import pandas and all of its functions: that
takes longer than everything else that the page does before it is there.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import isfinite
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np

from ..._files import places_of, readable
from ..._kinds import kind_of
from ...audit_folder import (
    CARDS,
    COMPONENTS,
    GOLD_CARDS,
    MISSING,
    ROWS,
    CardFile,
    convert_numbers,
    encode_values,
    list_columns,
    read_column,
    read_components,
    read_numbers,
)
from ...audit_folder.decisions import as_text, from_text
from ._keys import format_name


class AuditFolder:
    """An audit on disk.

    Parameters
    ----------
    path : path
        The folder that ``errata audit`` or ``Audit.save`` has written.
    gold : bool, default=False
        Whether rows whose label is certain are among the cards, after all others.
    """

    def __init__(self, path: Path, *, gold: bool = False) -> None:
        self.path = path
        self.numbers = read_numbers(path)
        self.about: dict[str, Any] = self.numbers["about"]
        if self.numbers.get("piles") is None:
            raise ValueError(_explain_no_cards(path, self.numbers.get("parts") is not None))
        with readable(path / CARDS):
            self.cards = CardFile(path / CARDS)
        self.gold: list[dict[str, Any]] = _read_gold(path) if gold else []
        rows = np.r_[self.cards.rows, np.array([card["row"] for card in self.gold], dtype=np.int64)]
        self.kind = kind_of(self.numbers)
        self.recorded = resolve_name(self.kind.review.recorded)(path / ROWS, self.numbers, rows)
        # Of the rows that have a card, in the order of the cards; a column at a time, as only some
        # rows of each are kept.
        self.rows = rows
        self.keys = read_texts(read_column(path / ROWS, "key"), rows)
        self.p_wrong = convert_numbers(read_column(path / ROWS, self.kind.review.p_wrong))[rows]
        self.flagged = convert_numbers(read_column(path / ROWS, "flagged"))[rows]
        self.certain = self._show_gold()
        self._places = {row: place for place, row in enumerate(rows.tolist())}

    @property
    def fingerprint(self) -> str:
        """The name of this audit in decisions."""
        return self.numbers["fingerprint"]

    @property
    def title(self) -> str:
        """The name of the table, as on the report."""
        return self.about["title"]

    @cached_property
    def places_by_key(self) -> dict[str, int]:
        """Where the card is of each row that has one, by its key."""
        return {key: place for place, key in enumerate(self.keys)}

    @cached_property
    def examples(self) -> dict[int, dict[str, Any]]:
        """The most suspicious rows as the report tells them, by their number."""
        return {example["row"]: example for example in self.numbers["examples"]}

    @cached_property
    def all_rows(self) -> dict[str, Any]:
        """The verdict of the audit on all rows, also those without a card, for the certificate."""
        path = self.path / ROWS
        names = ("suspicion", "p_wrong", "flagged", "known")
        kept = [name for name in names if name in list_columns(path)]
        columns = {name: convert_numbers(read_column(path, name)) for name in kept}
        return columns | {"unlabelled": self.recorded.blank_rows}

    def _show_gold(self) -> dict[str, str]:
        """Have gold rows look like their cards; return their own labels, as text by key."""
        certain = {}
        for place, card in enumerate(self.gold, start=len(self.cards)):
            certain[self.keys[place]] = self.recorded.label_text(place)
            self.recorded.show(place, card)
            self.p_wrong[place] = card["p_wrong"]
            self.flagged[place] = card["flagged"]
        return certain

    def is_gold(self, place: int) -> bool:
        """Whether a row tests the reviewer."""
        return place >= len(self.cards)

    def card(self, place: int) -> dict[str, Any]:
        """The card of a row."""
        if self.is_gold(place):
            return self.gold[place - len(self.cards)]
        return self.cards.card(place)

    def card_texts(self) -> Iterator[str]:
        """All cards in their order, as JSON."""
        yield from self.cards.texts()
        yield from map(json.dumps, self.gold)

    def place(self, row: int) -> int | None:
        """Where the card of a row is; None where it has none."""
        return self._places.get(row)

    def places(self, rows: list[int]) -> np.ndarray:
        """Where cards are, those of rows without one left out."""
        found = (self._places.get(row) for row in rows)
        return np.array([place for place in found if place is not None], dtype=np.int64)

    def label_text(self, place: int) -> str:
        """The label of a row, as decisions keep it."""
        return self.recorded.label_text(place)

    def suggested_text(self, place: int) -> str:
        """The suggestion on a card: never the label itself, even where nothing is wrong."""
        return as_text(self.card(place)["suggested"])

    @cached_property
    def components(self) -> np.ndarray:
        """``p_wrong`` under each component of the noise, for the rows that have a card."""
        found = read_components(self.path / COMPONENTS, self.cards.rows)
        gold = [card["components"] for card in self.gold]
        return np.concatenate([found, np.array(gold, found.dtype)]) if gold else found


def find_table(folder: AuditFolder, given: Path | None = None) -> Path | None:
    """The audited table, where it was or beside the audit when both have moved; None if gone."""
    named = given or folder.about.get("table")
    places = places_of(Path(named), folder.path) if named else ()
    return next((path for path in places if path.is_file() or _has_pictures(path)), None)


def read_texts(column: Any, rows: np.ndarray) -> np.ndarray:
    """The texts of some rows of a column of Arrow."""
    starts = np.cumsum([0, *(len(chunk) for chunk in column.chunks)])
    found = np.empty(len(rows), dtype=object)
    for chunk, start in zip(column.chunks, starts, strict=False):
        places = np.flatnonzero((rows >= start) & (rows < start + len(chunk)))
        found[places] = _decode_texts(chunk, rows[places] - start)
    return found


def _decode_texts(chunk: Any, rows: np.ndarray) -> list[str]:
    _, ends, content = chunk.buffers()
    wide = np.int64 if str(chunk.type) == "large_string" else np.int32
    offsets = np.frombuffer(ends, wide)[chunk.offset :]
    letters = memoryview(content)
    spans = zip(offsets[rows].tolist(), offsets[rows + 1].tolist(), strict=True)
    return [str(letters[start:end], "utf-8") for start, end in spans]


def _has_pictures(path: Path) -> bool:
    if not path.is_dir():
        return False
    # With it comes scikit-learn, which takes longer than all else before the first card.
    from ...tables._pictures import is_picture_folder

    return is_picture_folder(path)


def _read_gold(path: Path) -> list[dict[str, Any]]:
    """The cards of gold rows; raise where there are none."""
    if not (path / GOLD_CARDS).exists():
        raise ValueError(
            f"{path} has no rows whose label is certain, to test a reviewer with; name the column "
            "that says which labels are: errata audit --known."
        )
    file = CardFile(path / GOLD_CARDS)
    try:
        return [file.card(place) for place in range(len(file))]
    finally:
        file.close()


def _explain_no_cards(path: Path, is_large: bool) -> str:
    """Why there is nothing to review, and what to do about it."""
    if is_large:
        why = "it is of more rows than cards are made for"
        what = "copy the rows you want to review to a table of their own, audit that and review it"
    else:
        why = "it was saved without its table"
        what = "audit the table again and save that"
    return f"{path} has no cards to review, as {why}; {what}."


class RecordedClasses:
    """Labels as places among the classes.

    Parameters
    ----------
    path : path
        The table of all rows.
    numbers : dict
        The audit's; its classes, where some may be no row's label.
    rows : array of int
        Those that have a card.
    """

    def __init__(self, path: Path, numbers: dict[str, Any], rows: np.ndarray) -> None:
        given, labels = encode_values(read_column(path, "labels"))
        looks_like, suggested = encode_values(read_column(path, "suggested"))
        self.classes = numbers.get("classes") or given
        self.texts = [as_text(value) for value in self.classes]
        self.blank_rows = labels == MISSING  # of the whole table
        self._label = _encode_classes(self.classes, given)[labels[rows]]
        self._suggested = _encode_classes(self.classes, looks_like)[suggested[rows]]

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The classes as text, and as they are shown."""
        return list(zip(self.texts, map(format_name, self.classes), strict=True))

    def label_text(self, place: int) -> str:
        """The label of a row, as decisions keep it."""
        code = self._label[place]
        return as_text(None) if code == MISSING else self.texts[code]

    def show(self, place: int, card: dict[str, Any]) -> None:
        """Show a row with the label of its card."""
        shown = {"label": card["label"], "suggested": card["suggested"]}
        codes = {name: self.codes[as_text(value)] for name, value in shown.items()}
        self._label[place] = codes["label"]
        self._suggested[place] = codes["suggested" if card["flagged"] else "label"]

    def is_blank(self, place: int) -> bool:
        """Whether a row has no label."""
        return bool(self._label[place] == MISSING)

    def read(self, given: Sequence[str]) -> str:
        """The class that a person gives by its text or its name, as decisions keep it."""
        code = self._code("".join(given[:1]))
        if code is None:
            raise ValueError(f"there is no class {''.join(given[:1])[:200]!r} in this table.")
        return self.texts[code]

    def labelled(self, given: str) -> np.ndarray:
        """Which rows have a label."""
        return self._label == self._or_nowhere(given)

    def suggested(self, given: str) -> np.ndarray:
        """Which rows look like a class."""
        return self._suggested == self._or_nowhere(given)

    def is_decided_as(self, text: str, given: str) -> bool:
        """Whether a verdict is the class of a filter."""
        code = self._code(given)
        return code is not None and text == self.texts[code]

    @cached_property
    def codes(self) -> dict[str, int]:
        """The place of each class by its text."""
        return {text: code for code, text in enumerate(self.texts)}

    @cached_property
    def _codes_by_name(self) -> dict[str, int]:
        return {format_name(value): code for code, value in enumerate(self.classes)}

    def _code(self, given: str) -> int | None:
        """The place of a class by its text, or by the name that a person types."""
        by_name = self._codes_by_name
        return self.codes.get(given, by_name.get(given, by_name.get(given.strip())))

    def _or_nowhere(self, given: str) -> int:
        """The place of a class; one that no row has where there is no such class."""
        code = self._code(given)
        return len(self.classes) if code is None else code


class RecordedNumbers:
    """Numbers as they are; any other may be decided.

    Parameters
    ----------
    path : path
        The table of all rows.
    numbers : dict
        The audit's.
    rows : array of int
        Those that have a card.
    """

    choices: tuple[tuple[str, str], ...] = ()  # numbers are typed, and not looked for one by one

    def __init__(self, path: Path, numbers: dict[str, Any], rows: np.ndarray) -> None:
        targets = convert_numbers(read_column(path, "targets"))
        self.blank_rows = np.isnan(targets)  # of the whole table
        self._targets = targets[rows]

    def label_text(self, place: int) -> str:
        """The number of a row, as decisions keep it."""
        return as_text(self._targets[place])

    def is_blank(self, place: int) -> bool:
        """Whether a row has no number."""
        return bool(np.isnan(self._targets[place]))

    def read(self, given: Sequence[str]) -> str:
        """The number that a person types, as decisions keep it."""
        typed = "".join(given[:1]).strip()
        try:
            value = float(typed)
        except ValueError:
            value = float("nan")
        if not isfinite(value) or "_" in typed:  # which Python passes over
            raise ValueError(f"{typed[:40]!r} is no number; type one with digits, such as 12.5.")
        return as_text(value)

    def labelled(self, given: str) -> np.ndarray:
        """Which rows have a number that was typed."""
        return np.array([_is_same(text, given) for text in map(as_text, self._targets)], dtype=bool)

    def suggested(self, given: str) -> np.ndarray:
        """No rows: what is suggested is not kept beside them."""
        return np.zeros(len(self._targets), dtype=bool)

    def is_decided_as(self, text: str, given: str) -> bool:
        """Whether a verdict is the number of a filter."""
        return _is_same(text, given)


class RecordedSets:
    """Which labels are set.

    Parameters
    ----------
    path : path
        The table of all rows.
    numbers : dict
        The audit's, with the names of the labels.
    rows : array of int
        Those that have a card.
    """

    def __init__(self, path: Path, numbers: dict[str, Any], rows: np.ndarray) -> None:
        names = numbers["names"]
        self.names = names
        self._is_set = _read_cells(path, "label {}", len(names), rows)
        self._doubted = _read_cells(path, "flagged {}", len(names), rows)
        self.blank_rows: np.ndarray | None = None  # a row without labels has none of them

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The labels as text, and as they are shown."""
        return [(as_text(name), format_name(name)) for name in self.names]

    def label_text(self, place: int) -> str:
        """The labels of a row, as decisions keep them."""
        return as_text([self.names[each] for each in np.flatnonzero(self._is_set[place])])

    def is_blank(self, place: int) -> bool:
        """Whether nobody has said which labels a row has: never."""
        return False

    def read(self, given: Sequence[str]) -> str:
        """The labels that a person sets by their text or their names, as decisions keep them."""
        places = [self._place(text) for text in given if text.strip()]
        return as_text([self.names[place] for place in dict.fromkeys(places)])

    def labelled(self, given: str) -> np.ndarray:
        """Which rows have a label."""
        return self._with(self._is_set, given)

    def suggested(self, given: str) -> np.ndarray:
        """Which rows should have a label."""
        return self._with(self._is_set != self._doubted, given)

    def is_decided_as(self, text: str, given: str) -> bool:
        """Whether a verdict has the label of a filter."""
        place = self._places.get(given.strip())
        return place is not None and self.names[place] in from_text(text)

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each label by its name and its text."""
        named = {format_name(name): place for place, name in enumerate(self.names)}
        return named | {as_text(name): place for place, name in enumerate(self.names)}

    def _place(self, given: str) -> int:
        place = self._places.get(given.strip())
        if place is None:
            raise ValueError(f"there is no label {given[:200]!r} in this table.")
        return place

    def _with(self, cells: np.ndarray, given: str) -> np.ndarray:
        place = self._places.get(given.strip())
        return np.zeros(len(cells), dtype=bool) if place is None else cells[:, place]


def _encode_classes(classes: list[Any], values: list[Any]) -> np.ndarray:
    """The place of each value among the classes, and at the end what is missing."""
    place = {name: code for code, name in enumerate(classes)}
    return np.array([*(place.get(value, MISSING) for value in values), MISSING])


def _is_same(text: str, given: str) -> bool:
    return text == given.strip()


def _read_cells(path: Path, name: str, n_labels: int, rows: np.ndarray) -> np.ndarray:
    """A column for each label, of some rows."""
    columns = [convert_numbers(read_column(path, name.format(place))) for place in range(n_labels)]
    return np.stack([column[rows].astype(bool) for column in columns], axis=1)
