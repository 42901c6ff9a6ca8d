"""Who takes part in a comparison: fitted to the training rows of a fold, scored on the others."""

import time
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from .._compat import take_rows
from .._format import join_names
from .._random import clone_keeping_seeds
from .._validation import as_column
from ..auditing import AuditedClassifier, audit
from ..bench._run import format_object
from ..ensemble import (
    DiscreteAdaBoostClassifier,
    HardnessBaggingClassifier,
    NoiseReducingBoostClassifier,
    RobustBoostClassifier,
)
from ..filters import CrossValFilter, CutEdgeFilter, MarginPeeler
from ..tolerant import NoiseModelClassifier, ReinforcedLogisticRegression, RobustLogisticRegression


class Competitor(NamedTuple):
    """A classifier, and perhaps a filter that it learns behind.

    Attributes
    ----------
    classifier : estimator
        The classifier.
    filter : estimator with ``fit_resample``, optional
        Applied to the training rows first; competitors that share a filter share its work.
    on_features : bool
        Whether to learn from errata's features (numbers, scaled by the training rows) or from the
        table as it was given.
    """

    classifier: Any
    filter: Any = None
    on_features: bool = True


def default_competitors(n_classes: int = 2) -> dict[str, Competitor]:
    """Plain classifiers, the same behind filters, and learners that tolerate noise.

    Examples
    --------
    >>> from errata.comparing import default_competitors
    >>> list(default_competitors())[:4]
    ['logistic regression', 'random forest', 'gradient boosting', 'SVM']
    """
    plain = _make_plain()
    audited = {f"{name} after audit": Competitor(model, AuditFilter()) for name, model in plain}
    return {
        **{name: Competitor(model) for name, model in plain},
        **audited,
        "logistic regression after CrossValFilter": Competitor(plain[0][1], CrossValFilter()),
        "SVM after CutEdgeFilter": Competitor(SVC(), CutEdgeFilter()),
        "peeled AdaBoost": Competitor(DiscreteAdaBoostClassifier(), MarginPeeler()),
        **{name: Competitor(model) for name, model in _make_tolerant(n_classes)},
    }


def choose_competitors(competitors: Any, n_classes: int) -> dict[str, Competitor]:
    """The competitors that the user asked for, by their names.

    ``competitors`` is None for all defaults, a list of names of defaults, or a mapping of names to
    classifiers (None for the default of that name), or to a :class:`Competitor`.
    """
    defaults = default_competitors(n_classes)
    if competitors is None:
        return defaults
    if isinstance(competitors, str) or not isinstance(competitors, Iterable):
        raise ValueError(
            f"competitors={competitors!r} must be a list of names, or a mapping of names to "
            "classifiers."
        )
    if not isinstance(competitors, Mapping):
        competitors = dict.fromkeys(competitors)
    chosen = {str(name): _choose_one(name, given, defaults) for name, given in competitors.items()}
    if len(chosen) < 2:
        raise ValueError(
            f"{join_names(chosen) or 'nothing'} alone cannot be compared; name two competitors or "
            "more."
        )
    return chosen


def _choose_one(name: Any, given: Any, defaults: Mapping[str, Competitor]) -> Competitor:
    if isinstance(given, Competitor):
        return given
    if given is None and name in defaults:
        return defaults[name]
    if given is None:
        raise ValueError(
            f"there is no competitor {name!r}; choose from {join_names(defaults)}, or pass a "
            "classifier of that name."
        )
    if not (hasattr(given, "fit") and hasattr(given, "predict")):
        raise TypeError(f"{name} has no fit and predict; pass a classifier, not {given!r}.")
    return Competitor(given, on_features=False)


def _make_plain() -> list[tuple[str, Any]]:
    return [
        ("logistic regression", LogisticRegression(max_iter=1_000)),
        ("random forest", RandomForestClassifier(200)),
        ("gradient boosting", HistGradientBoostingClassifier()),
        ("SVM", SVC()),
    ]


def _make_tolerant(n_classes: int) -> list[tuple[str, Any]]:
    found = [
        ("AuditedClassifier", AuditedClassifier()),
        ("hardness bagging", HardnessBaggingClassifier()),
        ("robust logistic regression", RobustLogisticRegression()),
        ("noise-model EM", NoiseModelClassifier()),
        ("reinforced logistic regression", ReinforcedLogisticRegression(C=1.0)),
    ]
    if n_classes > 2:  # both learn one class against the rest: one poorly, the other for minutes
        return found
    return [
        *found,
        ("RobustBoost", RobustBoostClassifier()),
        ("NR boosting", NoiseReducingBoostClassifier()),
    ]


class AuditFilter(BaseEstimator):
    """Leave out the rows of the training set that an audit of it drops."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit_resample(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Audit, and return the rows that are left and their labels."""
        found = audit(X, y, self_check=False, random_state=self.random_state)
        self.sample_indices_ = np.flatnonzero(found.clean("drop").kept)
        return take_rows(X, self.sample_indices_), y[self.sample_indices_]


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
