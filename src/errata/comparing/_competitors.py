"""Who takes part in a comparison."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from .._compat import take_rows
from .._format import join_names
from ..auditing import AuditedClassifier, audit
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
