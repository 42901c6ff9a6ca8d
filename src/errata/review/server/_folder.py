"""The folder of an audit as the page reads it: numbers, and the rows that have a card.

Nothing here needs scikit-learn or pandas, so that the page of a million rows is there at once.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import places_of, readable
from ...tables._picture_folder import is_picture_folder
from .._kinds import reviewed_kind
from ..decisions import as_text
from ._cards import CardFile
from ._columns import column_numbers, read_column, stored_columns, texts_at
from .recorded import read_recorded

VERSION = 11  # of the audit's format; `auditing` writes it
NUMBERS, ROWS, CARDS, COMPONENTS = (
    "audit.json",
    "rows.parquet",
    "cards.parquet",
    "components.parquet",
)


@dataclass(frozen=True)
class CardRows:
    """The rows that have a card, in the order of the cards."""

    number: np.ndarray
    key: np.ndarray
    p_wrong: np.ndarray
    flagged: np.ndarray

    def __len__(self) -> int:
        return len(self.number)


class AuditFolder:
    """An audit on disk.

    Parameters
    ----------
    path : path
        The folder that ``errata audit`` or ``Audit.save`` has written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.numbers = _numbers(path)
        self.about: dict[str, Any] = self.numbers["about"]
        if self.numbers.get("piles") is None:
            raise ValueError(_no_cards(path, self.numbers.get("parts") is not None))
        with readable(path / CARDS):
            self.cards = CardFile(path / CARDS)
        self.kind = reviewed_kind(self.numbers)
        self.recorded = read_recorded(path / ROWS, self.numbers, self.cards.rows)
        self.rows = _rows(path / ROWS, self.cards.rows, self.kind.p_wrong)
        self._places = {row: place for place, row in enumerate(self.rows.number.tolist())}

    @property
    def fingerprint(self) -> str:
        """What names this audit in decisions."""
        return self.numbers["fingerprint"]

    @property
    def title(self) -> str:
        """The name of the table, as on the report."""
        return self.about["title"]

    @cached_property
    def places_by_key(self) -> dict[str, int]:
        """Where the card is of each row that has one, by its key."""
        return {key: place for place, key in enumerate(self.rows.key)}

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
        return as_text(self.cards.card(place)["suggested"])

    @cached_property
    def components(self) -> np.ndarray:
        """``p_wrong`` under each component of the noise, for the rows that have a card."""
        path = self.path / COMPONENTS
        names, rows = stored_columns(path), self.rows.number
        return np.stack([column_numbers(read_column(path, name))[rows] for name in names], axis=1)


def audited_table(folder: AuditFolder, given: Path | None = None) -> Path | None:
    """The audited table, where it was or beside the audit when both have moved; None if gone."""
    named = given or folder.about.get("table")
    places = places_of(Path(named), folder.path) if named else ()
    return next((path for path in places if path.is_file() or is_picture_folder(path)), None)


def _numbers(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        is_what = "is a file" if path.exists() else "does not exist"
        raise FileNotFoundError(f"{path} {is_what}; give the folder that errata audit has written.")
    try:
        found = json.loads((path / NUMBERS).read_text(encoding="utf-8"))
        version = int(found["version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not an audit that errata has written: {error}") from error
    if version != VERSION:
        age, hint = ("a newer", "update errata, or ") if version > VERSION else ("an older", "")
        raise ValueError(
            f"{path} was written by {age} errata, in version {version} of the format, and this one "
            f"reads version {VERSION}; {hint}run the audit again."
        )
    return found


def _no_cards(path: Path, is_large: bool) -> str:
    """Why there is nothing to review, and what to do about it."""
    if is_large:
        why = "it is of more rows than cards are made for"
        what = "copy the rows you want to review to a table of their own, audit that and review it"
    else:
        why, what = "it was saved without its table", "audit the table again and save that"
    return f"{path} has no cards to review, as {why}; {what}."


def _rows(path: Path, numbers: np.ndarray, p_wrong: str) -> CardRows:
    """The rows with a card; a column at a time, as only some rows of each are kept."""
    return CardRows(
        number=numbers,
        key=texts_at(read_column(path, "key"), numbers),
        p_wrong=column_numbers(read_column(path, p_wrong))[numbers],
        flagged=column_numbers(read_column(path, "flagged"))[numbers],
    )
