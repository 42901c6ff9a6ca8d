"""What data sets there are, how large, and where each can come from."""

import csv
import os
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from ._sources import BUNDLED, GENERATED, folder_of

_SUFFIXES = (".csv", ".csv.gz")  # of two files of one name, the last of these is taken


class DatasetCard(NamedTuple):
    """One data set: what it is, and where it can come from, best first.

    Sizes are None for files of a data folder that no paper used; ``openml`` is the number of the
    set there, where one is known.
    """

    name: str
    task: str
    rows: int | None
    features: int | None
    classes: int | None
    papers: tuple[str, ...]
    sources: tuple[str, ...]
    openml: int | None = None


def list_datasets(folder: str | os.PathLike | None = None) -> list[DatasetCard]:
    """Every data set of the papers, and whatever else the data folder holds.

    Parameters
    ----------
    folder : path, optional
        Folder of CSV files (also gzip), the last column called ``label`` or ``target``; the
        environment variable ERRATA_DATA when not given.

    Returns
    -------
    list of DatasetCard, sorted by task and name
        ``sources`` names where each can be had *now*: "scikit-learn" (bundled), "generated",
        "folder", and "openml" where ``load_dataset(..., download=True)`` can try.

    Examples
    --------
    >>> from errata.datasets import list_datasets
    >>> cards = {card.name: card for card in list_datasets()}
    >>> cards["iris"].rows, cards["iris"].classes, cards["iris"].sources[0]
    (150, 3, 'scikit-learn')
    """
    present = _files_in(folder_of(folder))
    cards = [card._replace(sources=_sources(card, present)) for card in _papers_cards()]
    known = {card.name for card in cards}
    extra = [_unknown_card(name) for name in present if name not in known]
    return sorted([*cards, *extra], key=lambda card: (card.task, card.name))


def card_of(name: str) -> DatasetCard | None:
    """The card of a data set of the papers."""
    return next((card for card in _papers_cards() if card.name == name), None)


def file_in(folder: Path | None, name: str) -> Path | None:
    """The file of a data set in a folder, when it is there."""
    return _files_in(folder).get(name)


@lru_cache(maxsize=1)
def _papers_cards() -> tuple[DatasetCard, ...]:
    with (files("errata.datasets") / "catalogue.csv").open(encoding="utf-8") as stream:
        return tuple(_card(row) for row in csv.DictReader(stream))


def _card(row: dict[str, str]) -> DatasetCard:
    def number(key: str) -> int | None:
        return int(row[key]) if row[key] else None

    return DatasetCard(
        name=row["name"],
        task=row["task"],
        rows=number("rows"),
        features=number("features"),
        classes=number("classes"),
        papers=tuple(row["papers"].split()),
        sources=(),
        openml=number("openml"),
    )


def _sources(card: DatasetCard, present: dict[str, Path]) -> tuple[str, ...]:
    # In the order in which load_dataset looks.
    found = {
        "scikit-learn": card.name in BUNDLED,
        "generated": card.name in GENERATED,
        "folder": card.name in present,
        "openml": card.openml is not None,
    }
    return tuple(source for source, there in found.items() if there)


def _unknown_card(name: str) -> DatasetCard:
    # The convention of the catalogue, whose own regression sets have this prefix.
    task = "regression" if name.startswith("reg_") else "classification"
    return DatasetCard(name, task, None, None, None, (), ("folder",))


def _files_in(folder: Path | None) -> dict[str, Path]:
    if folder is None:
        return {}
    return {
        path.name.removesuffix(suffix): path
        for suffix in _SUFFIXES
        for path in sorted(folder.glob(f"*{suffix}"))
    }
