"""Where data sets come from: scikit-learn, our own generators, a folder, OpenML."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets as sklearn_datasets
from sklearn.utils import Bunch

from .._validation import is_missing
from ..tables import read_table
from ..tables._cells import numbers
from ..tables._columns import Column, columns_of
from ._synthetic import make_ringnorm, make_squares, make_threenorm, make_twonorm, make_xor

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


def folder_of(folder: str | os.PathLike | None) -> Path | None:
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


def generated(name: str, random_state: Any) -> Bunch:
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
    target = _target(last.array(), last.name, path)
    features = [_number_or_text(column) for column in columns]
    kind = float if all(column.dtype.kind == "f" for column in features) else object
    data = np.column_stack([column.astype(kind) for column in features])
    return Bunch(data=data, target=target, feature_names=[column.name for column in columns])


def from_openml(number: int) -> Bunch:
    """A data set from OpenML, over the network."""
    # The other parser of scikit-learn needs pandas, which is an extra here.
    bunch = sklearn_datasets.fetch_openml(data_id=number, as_frame=False, parser="liac-arff")
    return Bunch(data=bunch.data, target=bunch.target, feature_names=list(bunch.feature_names))


def _number_or_text(column: Column) -> np.ndarray:
    as_numbers = numbers(column.values)
    if as_numbers is not None:
        return as_numbers
    text = column.array().copy()
    text[text == ""] = None
    return text


def _target(column: np.ndarray, kind: str, path: Path) -> np.ndarray:
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
