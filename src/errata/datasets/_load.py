"""Load a data set by its name: what there is, how large, and where it can come from."""

import csv
import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn import datasets as sklearn_datasets
from sklearn.utils import Bunch

from .._validation import is_missing
from ..exceptions import DatasetNotFoundError
from ..tables import read_table
from ..tables._columns import Column, columns_of, numbers
from ._synthetic import make_ringnorm, make_squares, make_threenorm, make_twonorm, make_xor

_SUFFIXES = (".csv", ".csv.gz")  # of two files of one name, the last of these is taken

BUNDLED: dict[str, Callable[[], Bunch]] = {
    "iris": sklearn_datasets.load_iris,
    "wine": sklearn_datasets.load_wine,
    "wdbc": sklearn_datasets.load_breast_cancer,
}

GENERATED: dict[str, Callable[[Any], tuple[np.ndarray, np.ndarray]]] = {
    "twonorm": lambda seed: make_twonorm(random_state=seed),
    "threenorm": lambda seed: make_threenorm(random_state=seed),
    "ringnorm": lambda seed: make_ringnorm(random_state=seed),
    "xor": lambda seed: make_xor(random_state=seed),
    # Without the wrong labels of the picture: experiments inject their own.
    "squares": lambda seed: make_squares(noise=0.0, random_state=seed)[:2],
    # Walmsley does not state the noise of his moons; scikit-learn's default, none, comes nearest
    # to his accuracies.
    "make_moons": lambda seed: sklearn_datasets.make_moons(1000, random_state=seed),
}


def load_dataset(
    name: str,
    *,
    folder: str | os.PathLike | None = None,
    download: bool = False,
    as_frame: bool = False,
    return_X_y: bool = False,
    random_state: Any = 0,
) -> Any:
    """Load one of the papers' data sets, or any CSV file of your data folder.

    Looks in scikit-learn, among the generators of this module, in the folder, and, only if you
    allow it, on OpenML. A file with the name of a bundled or generated set is ignored: give it
    another name.

    Parameters
    ----------
    name : str
        See :func:`list_datasets`; for a file, its name without ``.csv`` or ``.csv.gz``.
    folder : path, optional
        Folder of CSV files whose last column is called ``label`` (or ``target``); the environment
        variable ERRATA_DATA when not given. An empty cell is a missing value.
    download : bool, default=False
        Whether the network may be used. Nothing is ever fetched without this.
    as_frame : bool, default=False
        Give ``data`` as a pandas DataFrame; without it, features of which some are text come as an
        array of objects.
    return_X_y : bool, default=False
        Give only features and labels.
    random_state : int, RandomState instance or None, default=0
        Seed of the generated sets.

    Returns
    -------
    Bunch with ``data``, ``target``, ``feature_names``, ``name`` and ``source``, or (X, y)

    Raises
    ------
    DatasetNotFoundError
        When there is no such data set here; the message says where it can be had.

    Examples
    --------
    >>> from errata.datasets import load_dataset
    >>> wine = load_dataset("wine")
    >>> wine.data.shape, wine.source
    ((178, 13), 'scikit-learn')
    >>> X, y = load_dataset("threenorm", return_X_y=True)
    >>> X.shape
    (300, 20)
    """
    bunch = _find(name, folder, download, random_state)
    bunch.name = name
    if as_frame:
        import pandas

        # Next to text, numbers come as objects, and a column of its own may have a type again.
        frame = pandas.DataFrame(bunch.data, columns=bunch.feature_names)
        bunch.data = frame.infer_objects()
    return (bunch.data, bunch.target) if return_X_y else bunch


def check_available(names: Iterable[str], folder: str | os.PathLike | None = None) -> None:
    """Raise, once for all of them, when some data sets cannot be had without the network.

    Examples
    --------
    >>> from errata.datasets._load import check_available
    >>> check_available(["iris", "twonorm"])
    """
    cards = {card.name: card for card in list_datasets(folder)}
    # Not OpenML: experiments never download.
    missing = [
        name for name in dict.fromkeys(names) if not set(_list_sources(cards, name)) - {"openml"}
    ]
    if len(missing) == 1 and missing[0] in cards:
        raise DatasetNotFoundError(_explain_how_to_get(missing[0], get_card(missing[0]), folder))
    if missing:
        number = "a data set is" if len(missing) == 1 else f"{len(missing)} data sets are"
        raise DatasetNotFoundError(
            f"{number} missing ({', '.join(missing)}): put each as NAME.csv "
            "(features, then a last column label or target) into a folder and pass it as "
            "folder=... (on the command line --data) or in ERRATA_DATA."
        )


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


def _list_sources(cards: dict[str, DatasetCard], name: str) -> tuple[str, ...]:
    return cards[name].sources if name in cards else ()


def _find(name: str, folder: Any, download: bool, random_state: Any) -> Bunch:
    place = find_folder(folder)  # first: a folder that does not exist is an error for any set
    # Whatever lies in the folder, the papers' bundled and generated sets stay the same rows.
    if name in BUNDLED:
        return Bunch(source="scikit-learn", **from_scikit_learn(name))
    if name in GENERATED:
        return Bunch(source="generated", **generate_dataset(name, random_state))
    path = find_file(place, name)
    if path is not None:
        return Bunch(source=str(path), **from_file(path))
    card = get_card(name)
    if card is None or not download or card.openml is None:
        raise DatasetNotFoundError(_explain_how_to_get(name, card, folder))
    bunch = from_openml(card.openml)
    _check_size(bunch, card)
    return Bunch(source=f"openml:{card.openml}", **bunch)


def _explain_how_to_get(name: str, card: DatasetCard | None, folder: Any) -> str:
    place = find_folder(folder)
    if card is None:
        known = ", ".join(card.name for card in list_datasets(folder))
        return f"there is no data set {name!r}; known are {known}."
    where = f"not in {place}" if place else "not here, and no data folder is set"
    advice = (
        f"{name} is {where}: put {name}.csv (features, then a last column "
        f"{'target' if card.task == 'regression' else 'label'}) into a folder and pass it as "
        "folder=... (on the command line --data) or in ERRATA_DATA"
    )
    if card.openml is not None:
        advice += f"; or allow the download of number {card.openml} from OpenML with download=True"
    return advice + "."


def _check_size(bunch: Bunch, card: DatasetCard) -> None:
    """Raise for another size than the papers' set has: OpenML may change what a number means."""
    if bunch.data.shape != (card.rows, card.features):
        raise ValueError(
            f"number {card.openml} of OpenML has {bunch.data.shape[0]} rows and "
            f"{bunch.data.shape[1]} features, but {card.name} has {card.rows} and {card.features}: "
            "it is another version. Put the right one into a data folder."
        )


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
    present = _list_files(find_folder(folder))
    cards = [card._replace(sources=_list_card_sources(card, present)) for card in _read_cards()]
    known = {card.name for card in cards}
    extra = [_make_unknown_card(name) for name in present if name not in known]
    return sorted([*cards, *extra], key=lambda card: (card.task, card.name))


def get_card(name: str) -> DatasetCard | None:
    """The card of a data set of the papers."""
    return next((card for card in _read_cards() if card.name == name), None)


def find_file(folder: Path | None, name: str) -> Path | None:
    """The file of a data set in a folder, when it is there."""
    return _list_files(folder).get(name)


@lru_cache(maxsize=1)
def _read_cards() -> tuple[DatasetCard, ...]:
    with (files("errata.datasets") / "catalogue.csv").open(encoding="utf-8") as stream:
        return tuple(_parse_card(row) for row in csv.DictReader(stream))


def _parse_card(row: dict[str, str]) -> DatasetCard:
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


def _list_card_sources(card: DatasetCard, present: dict[str, Path]) -> tuple[str, ...]:
    # In the order in which load_dataset looks.
    found = {
        "scikit-learn": card.name in BUNDLED,
        "generated": card.name in GENERATED,
        "folder": card.name in present,
        "openml": card.openml is not None,
    }
    return tuple(source for source, there in found.items() if there)


def _make_unknown_card(name: str) -> DatasetCard:
    # The convention of the catalogue, whose own regression sets have this prefix.
    task = "regression" if name.startswith("reg_") else "classification"
    return DatasetCard(name, task, None, None, None, (), ("folder",))


def _list_files(folder: Path | None) -> dict[str, Path]:
    if folder is None:
        return {}
    return {
        path.name.removesuffix(suffix): path
        for suffix in _SUFFIXES
        for path in sorted(folder.glob(f"*{suffix}"))
    }


def find_folder(folder: str | os.PathLike | None) -> Path | None:
    """The data folder: the one given, or ERRATA_DATA, or none."""
    chosen = folder or os.environ.get("ERRATA_DATA")
    if not chosen:
        return None
    path = Path(chosen)
    if not path.is_dir():
        origin = "folder" if folder else "ERRATA_DATA"
        raise FileNotFoundError(f"{origin}={str(path)!r} is not a folder.")
    return path


def from_scikit_learn(name: str) -> Bunch:
    """A bundled data set, with its class names as labels."""
    bunch = BUNDLED[name]()
    return Bunch(
        data=bunch.data,
        target=np.asarray(bunch.target_names)[bunch.target],
        feature_names=list(map(str, bunch.feature_names)),
    )


def generate_dataset(name: str, random_state: Any) -> Bunch:
    """A synthetic data set as large as the papers'."""
    X, y = GENERATED[name](random_state)
    return Bunch(data=X, target=y, feature_names=[f"x{j}" for j in range(X.shape[1])])


def from_file(path: Path) -> Bunch:
    """A data set from a CSV file whose last column is the label or the target.

    ``data`` holds floats when every feature is a number; otherwise objects, None where text is
    missing.
    """
    *columns, last = columns_of(read_table(path))
    if last.name not in ("label", "target"):
        raise ValueError(
            f"the last column of {path} must be called label or target; it is called {last.name!r}."
        )
    if not columns:
        raise ValueError(
            f"{path} has no column besides {last.name!r}; there is nothing to learn from."
        )
    target = _parse_target(last.array(), last.name, path)
    features = [_parse_column(column) for column in columns]
    kind = float if all(column.dtype.kind == "f" for column in features) else object
    data = np.column_stack([column.astype(kind) for column in features])
    return Bunch(data=data, target=target, feature_names=[column.name for column in columns])


def from_openml(number: int) -> Bunch:
    """A data set from OpenML, over the network."""
    bunch = sklearn_datasets.fetch_openml(data_id=number, as_frame=False, parser="liac-arff")
    return Bunch(data=bunch.data, target=bunch.target, feature_names=list(bunch.feature_names))


def _parse_column(column: Column) -> np.ndarray:
    as_numbers = numbers(column.values)
    if as_numbers is not None:
        return as_numbers
    text = column.array().copy()
    text[text == ""] = None
    return text


def _parse_target(column: np.ndarray, kind: str, path: Path) -> np.ndarray:
    missing = [row for row, cell in enumerate(column.tolist()) if is_missing(cell, text=True)]
    if missing:
        raise ValueError(
            f"{len(missing)} rows of {path} have no {kind} (the first is row {missing[0]}, counted "
            "from 0); drop these rows or fill them in."
        )
    values = numbers(column)
    if kind == "target":
        if values is None:
            raise ValueError(f"the target column of {path} holds something that is not a number.")
        return values
    # Whole numbers become integers, unless that would make one class of two (1 and 01).
    with np.errstate(invalid="ignore"):  # a label may be called inf
        whole = None if values is None else values.astype(int)
    if whole is not None and np.array_equal(whole.astype(str), column):
        return whole
    return column
