"""Load a data set by its name, from wherever it can be had."""

import os
from collections.abc import Iterable
from typing import Any

from sklearn.utils import Bunch

from .._optional import require
from ..exceptions import DatasetNotFoundError
from ._catalogue import DatasetCard, card_of, file_in, list_datasets
from ._sources import (
    BUNDLED,
    GENERATED,
    folder_of,
    from_file,
    from_openml,
    from_scikit_learn,
    generated,
)


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
        pandas = require("pandas", extra="tables")
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
    missing = [name for name in dict.fromkeys(names) if not set(_sources(cards, name)) - {"openml"}]
    if len(missing) == 1 and missing[0] in cards:
        raise DatasetNotFoundError(_how_to_get(missing[0], card_of(missing[0]), folder))
    if missing:
        number = "a data set is" if len(missing) == 1 else f"{len(missing)} data sets are"
        raise DatasetNotFoundError(
            f"{number} missing ({', '.join(missing)}): put each as NAME.csv "
            "(features, then a last column label or target) into a folder and pass it as "
            "folder=... (on the command line --data) or in ERRATA_DATA."
        )


def _sources(cards: dict[str, DatasetCard], name: str) -> tuple[str, ...]:
    return cards[name].sources if name in cards else ()


def _find(name: str, folder: Any, download: bool, random_state: Any) -> Bunch:
    place = folder_of(folder)  # first: a folder that does not exist is an error for any set
    # Whatever lies in the folder, the papers' bundled and generated sets stay the same rows.
    if name in BUNDLED:
        return Bunch(source="scikit-learn", **from_scikit_learn(name))
    if name in GENERATED:
        return Bunch(source="generated", **generated(name, random_state))
    path = file_in(place, name)
    if path is not None:
        return Bunch(source=str(path), **from_file(path))
    card = card_of(name)
    if card is None or not download or card.openml is None:
        raise DatasetNotFoundError(_how_to_get(name, card, folder))
    bunch = from_openml(card.openml)
    _check_size(bunch, card)
    return Bunch(source=f"openml:{card.openml}", **bunch)


def _how_to_get(name: str, card: DatasetCard | None, folder: Any) -> str:
    place = folder_of(folder)
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
    """What OpenML holds under a number may change; the papers' set has a known size."""
    if bunch.data.shape != (card.rows, card.features):
        raise ValueError(
            f"number {card.openml} of OpenML has {bunch.data.shape[0]} rows and "
            f"{bunch.data.shape[1]} features, but {card.name} has {card.rows} and {card.features}: "
            "it is another version. Put the right one into a data folder."
        )
