"""Predictions for each row by classifiers that were not fitted on it."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv

from ._validation import check_count
from .exceptions import SuspicionWarning

Fold = tuple[np.ndarray, np.ndarray]


def split(X: Any, codes: np.ndarray, cv: Any, seed: int) -> list[Fold]:
    """Training and test rows of each fold.

    For a number of folds, rows are dealt out by what they hold, not by where they stand, so that
    reordering a table changes nothing. No fold may lack a class, so a rare class means fewer folds.
    """
    if not isinstance(cv, Integral):
        folds = check_cv(cv, codes, classifier=True).split(X, codes)
        return _each_row_once(list(folds), len(codes))
    sizes = np.bincount(codes)
    if sizes.max() == 1:
        raise ValueError(
            "every label occurs once, so that none can be learned from other rows; at least one "
            "class needs two rows."
        )
    order = np.lexsort(X.T)
    n_splits = min(check_count("cv", cv, low=2), max(2, sizes.min()))
    folds = StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return [(order[a], order[b]) for a, b in folds.split(order, codes[order])]


def _each_row_once(folds: list[Fold], n: int) -> list[Fold]:
    tested = np.bincount(np.concatenate([test for _, test in folds]), minlength=n)
    if (tested != 1).any():
        row = np.flatnonzero(tested != 1)[0]
        raise ValueError(
            f"cv must test each row once, but tests row {row} {tested[row]} times; "
            "pass a number of folds or a splitter such as StratifiedKFold."
        )
    return folds


def unseen(codes: np.ndarray, folds: list[Fold]) -> np.ndarray:
    """Rows whose label their training fold lacks, with a warning if there are any."""
    missing = np.zeros(len(codes), dtype=bool)
    for train, test in folds:
        missing[test] = ~np.isin(codes[test], codes[train])
    if missing.any():
        warnings.warn(
            f"{missing.sum()} rows have a label too rare to be learned without them; they cannot "
            "be judged and get suspicion 0. Merge rare classes, or leave them out.",
            SuspicionWarning,
            stacklevel=4,
        )
    return missing


def predict(
    estimators: list[Any], X: Any, codes: np.ndarray, folds: list[Fold], n_jobs: int | None
) -> np.ndarray:
    """Class probabilities, (n_estimators, n, n_classes), each row's by models fitted without it."""
    proba = np.zeros((len(estimators), len(codes), codes.max() + 1))
    jobs = [(i, train, test) for i in range(len(estimators)) for train, test in folds]
    results = Parallel(n_jobs=n_jobs)(
        delayed(_predict_fold)(estimators[i], X[train], codes[train], X[test])
        for i, train, test in jobs
    )
    for (i, _, test), (classes, fold_proba) in zip(jobs, results, strict=True):
        proba[i, test[:, None], classes] = fold_proba
    return proba


def _predict_fold(
    estimator: Any, X: Any, codes: np.ndarray, X_test: Any
) -> tuple[np.ndarray, np.ndarray]:
    """The classes known to a clone fitted on X, and their probabilities for the test rows."""
    classes = np.unique(codes)
    # Where there is nothing to learn, some classifiers refuse and others answer NaN.
    if len(classes) == 1 or not np.ptp(X, axis=0).any():
        shares = np.bincount(codes)[classes] / len(codes)
        return classes, np.tile(shares, (X_test.shape[0], 1))
    model = clone(estimator).fit(X, codes)
    if hasattr(model, "predict_proba"):
        return model.classes_, model.predict_proba(X_test)
    return classes, (model.predict(X_test)[:, None] == classes).astype(float)
