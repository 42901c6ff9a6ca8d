"""Every competitor fitted to the training rows of a fold, and scored on its test rows."""

import time
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from .._compat import take_rows
from .._random import clone_keeping_seeds
from .._validation import as_column
from ..bench._run import format_object
from ._competitors import Competitor

Values = dict[str, float]
# Rows and labels that a filter leaves and the seconds it took, so that a filter that several
# competitors share runs once.
Filtered = dict[str, tuple[Any, np.ndarray, float]]


class ComparedRows(NamedTuple):
    """The table that competitors learn from, one entry per row in every field."""

    features: np.ndarray  # of errata, for its own competitors
    table: Any  # as the user gave it, for competitors of the user
    labels: np.ndarray  # what is learnt from: noise that was asked for included
    codes: np.ndarray  # of the labels
    classes: np.ndarray
    posterior: np.ndarray | None  # (n, K), what the class may be; None where nobody can tell
    known: np.ndarray | None  # mask of the rows whose label is certain
    truth: np.ndarray | None  # codes before noise was injected

    @property
    def metrics(self) -> tuple[str, ...]:
        """What is measured, in the order of the columns of a results file."""
        asked = {
            "accuracy": self.posterior is not None,
            "agreement": True,
            "known_accuracy": self.known is not None,
            "clean_accuracy": self.truth is not None,
            "seconds": True,
        }
        return tuple(name for name, wanted in asked.items() if wanted)


def score_fold(
    rows: ComparedRows,
    train: np.ndarray,
    test: np.ndarray,
    competitors: Mapping[str, Competitor],
    seed: int,
) -> dict[str, Values]:
    """Fit each competitor to ``train``, and score what it predicts for ``test``."""
    scaler = StandardScaler().fit(rows.features[train])
    scaled = scaler.transform(rows.features[train])
    scaled_test = scaler.transform(rows.features[test])
    filtered: Filtered = {}
    found = {}
    for name, competitor in competitors.items():
        try:
            X = scaled if competitor.on_features else take_rows(rows.table, train)
            X_test = scaled_test if competitor.on_features else take_rows(rows.table, test)
            predicted, seconds = _predict(X, rows.labels[train], X_test, competitor, filtered, seed)
        except Exception as error:
            raise ValueError(f"{name} cannot learn from this table: {error}") from error
        values = score_predictions(rows, test, np.searchsorted(rows.classes, predicted))
        found[name] = values | {"seconds": seconds}
    return found


def score_predictions(rows: ComparedRows, test: np.ndarray, predicted: np.ndarray) -> Values:
    """How good predicted codes are: on the class as far as it can be told, and on the labels.

    ``accuracy`` is the expected fraction of right predictions: the mean posterior probability of
    the predicted class. Only test rows count whose label is certain for ``known_accuracy``, NaN
    where the fold has none.
    """
    right = predicted == rows.codes[test]
    found = {"agreement": float(right.mean())}
    if rows.posterior is not None:
        found["accuracy"] = float(rows.posterior[test, predicted].mean())
    if rows.known is not None:
        known = rows.known[test]
        found["known_accuracy"] = float(right[known].mean()) if known.any() else float("nan")
    if rows.truth is not None:
        found["clean_accuracy"] = float(np.mean(predicted == rows.truth[test]))
    return found


def _predict(
    X: Any, labels: np.ndarray, X_test: Any, competitor: Competitor, filtered: Filtered, seed: int
) -> tuple[np.ndarray, float]:
    """Predicted labels, and the processor seconds of filter, fit and prediction."""
    # What a classifier has to say about its data would come once for every fold.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone_keeping_seeds(competitor.classifier, seed)
        seconds = 0.0
        if competitor.on_features and competitor.filter is not None:
            name = format_object(competitor.filter)
            if name not in filtered:
                begin = time.process_time()
                left = clone_keeping_seeds(competitor.filter, seed).fit_resample(X, labels)
                filtered[name] = (*left, time.process_time() - begin)
            X, labels, seconds = filtered[name]
        begin = time.process_time()
        predicted = as_column(model.fit(X, labels).predict(X_test))
        return predicted, seconds + time.process_time() - begin
