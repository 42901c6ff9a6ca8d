"""What the user brings along: a model, or probabilities, checked at the door."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._compat import take_rows
from ._groups import renumbered
from ._prepare import Prepared
from ._witnesses import Case, Given, Model, Witness, certain_or_uniform


def given_witnesses(given: Prepared, estimator: Any, pred_proba: Any) -> list[Witness]:
    """The user's model and probabilities as witnesses."""
    brought: list[Witness] = []
    if estimator is not None:
        brought.append(_model(given, estimator))
    if pred_proba is not None:
        brought.append(Given(_probabilities(given, pred_proba)))
    return brought


def _model(given: Prepared, estimator: Any) -> Model:
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"estimator={type(estimator).__name__} has no predict_proba; pass a classifier that "
            "gives probabilities."
        )
    if given.learnt is None:
        raise ValueError("an estimator needs a table to learn from, but X is None.")
    table = given.learnt
    if isinstance(table, Mapping):  # columns of a text file: only errata's own features are numbers
        table = given.features.X if given.features is not None else table
    return Model(estimator, take_rows(table, given.judged), given.classes[given.present])


def _probabilities(given: Prepared, pred_proba: Any) -> np.ndarray:
    proba = np.asarray(_in_order(pred_proba, given.classes), dtype=float)
    n, k = len(given.codes), len(given.classes)
    if proba.shape != (n, k):
        raise ValueError(
            f"pred_proba must have the shape ({n}, {k}), a row for each row and a column for each "
            f"of the sorted labels, but its shape is {proba.shape}."
        )
    if not (proba.min() >= 0 and proba.max() < np.inf):  # not a number fails, too
        raise ValueError("pred_proba holds numbers that are not probabilities.")
    if np.abs(proba @ np.ones(k) - 1).max() > 0.01:
        raise ValueError("the rows of pred_proba do not sum to one.")
    if len(given.judged) == n:
        return proba
    return certain_or_uniform(proba[np.ix_(given.judged, given.present)])


def _in_order(pred_proba: Any, classes: np.ndarray) -> Any:
    """Probabilities with columns in the order of the labels; named columns are matched by name."""
    if not hasattr(pred_proba, "columns"):
        return pred_proba
    place = {str(name): i for i, name in enumerate(pred_proba.columns)}
    wanted = [str(label) for label in classes]
    if set(place) != set(wanted) or len(place) != len(pred_proba.columns):
        raise ValueError(
            f"the columns of pred_proba ({_listed(place)}) must be named as the labels are "
            f"({_listed(wanted)}); rename them, or pass an array with columns in that order."
        )
    return np.asarray(pred_proba)[:, [place[label] for label in wanted]]


def _listed(names: Iterable[str]) -> str:
    names = list(names)
    return ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")


def part_of(
    case: Case, witnesses: Sequence[Witness], rows: np.ndarray
) -> tuple[Case, list[Witness]]:
    """Case and witnesses for some of the rows."""
    groups = renumbered(case.groups, rows)
    part = replace(case, X=case.X[rows], codes=case.codes[rows], groups=groups)
    return part, [w.for_rows(rows) if hasattr(w, "for_rows") else w for w in witnesses]
