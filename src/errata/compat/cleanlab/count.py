"""How many labels are wrong, and which way."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from ...auditing import Audit
from . import _inputs

__all__ = [
    "get_confident_thresholds",
    "compute_confident_joint",
    "calibrate_confident_joint",
    "estimate_joint",
    "estimate_latent",
    "estimate_py_and_noise_matrices_from_probabilities",
    "estimate_noise_matrices",
    "num_label_issues",
]

LOWEST_THRESHOLD = 2e-6
ROUNDING = 1e-6  # a probability this little below a threshold still reaches it


def get_confident_thresholds(labels: Any, pred_probs: Any, multi_label: bool = False) -> np.ndarray:
    """Mean probability of each class over the rows that have it as their label.

    Equation 2 of Northcutt et al. (2021).

    Parameters
    ----------
    labels : array-like of shape (n,), or list of lists
        Integers from 0 to K - 1; with ``multi_label`` a list of them for each row.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    multi_label : bool, default=False
        Whether a row may have several labels.

    Returns
    -------
    array of shape (K,)

    Examples
    --------
    >>> from errata.compat.cleanlab.count import get_confident_thresholds
    >>> get_confident_thresholds([0, 0, 1], [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    array([0.7, 0.8])
    """
    if multi_label:
        member = _inputs.one_hot(labels, np.shape(pred_probs)[1])
        return _means_of_own(member, np.asarray(pred_probs, dtype=float))
    y, proba = _inputs.check_labels(labels, pred_probs)
    return _means_of_own(y[:, None] == np.arange(proba.shape[1]), proba)


def _means_of_own(member: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """Mean of each column over its members; one where there are none, which no row exceeds."""
    sizes = member.sum(axis=0)
    sums = (proba * member).sum(axis=0)
    means = np.divide(sums, sizes, out=np.ones(len(sizes)), where=sizes > 0)
    return np.maximum(means, LOWEST_THRESHOLD)


def compute_confident_joint(
    labels: Any,
    pred_probs: Any,
    *,
    thresholds: Any = None,
    calibrate: bool = True,
    multi_label: bool = False,
    return_indices_of_off_diagonals: bool = False,
) -> Any:
    """Count the rows of each label that are confidently of each class.

    A row counts for the class whose threshold its probability reaches, and for the most probable
    one of several (Northcutt et al. 2021, equation 1). A class keeps at least one row.

    Parameters
    ----------
    labels : array-like of shape (n,), or list of lists
        Integers from 0 to K - 1; with ``multi_label`` a list of them for each row.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    thresholds : array-like of shape (K,), optional
        From which probability a row is confidently of a class; by default
        :func:`~errata.compat.cleanlab.count.get_confident_thresholds`.
    calibrate : bool, default=True
        Scale the counts of each label to the number of rows that have it, in whole numbers by
        largest remainders. Among equal remainders the last class is rounded up; cleanlab leaves
        that to its sort.
    multi_label : bool, default=False
        Whether a row may have several labels.
    return_indices_of_off_diagonals : bool, default=False
        Return which rows were counted beside the diagonal, too.

    Returns
    -------
    array of shape (K, K), or (K, 2, 2) with ``multi_label``
        Rows are labels, columns classes; with ``multi_label`` a table of "no" and "yes" each.

    Examples
    --------
    >>> from errata.compat.cleanlab.count import compute_confident_joint
    >>> pred_probs = [[0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.1, 0.9]]
    >>> compute_confident_joint([0, 0, 1, 1], pred_probs)
    array([[1, 1],
           [0, 2]])
    """
    if multi_label:
        if thresholds is not None:
            raise ValueError("thresholds are for rows with one label; leave them out.")
        member = _inputs.one_hot(labels, np.shape(pred_probs)[1])
        pairs = [
            compute_confident_joint(
                column,
                _inputs.stack_complement(p),
                calibrate=calibrate,
                return_indices_of_off_diagonals=True,
            )
            for column, p in zip(member.T, np.asarray(pred_probs).T, strict=True)
        ]
        joint = np.array([pair[0] for pair in pairs])
        return (joint, [pair[1] for pair in pairs]) if return_indices_of_off_diagonals else joint
    y, proba = _inputs.check_labels(labels, pred_probs)
    k = proba.shape[1]
    if thresholds is None:
        thresholds = get_confident_thresholds(y, proba)
    reaches = proba >= np.reshape(thresholds, k) - ROUNDING
    confident = np.flatnonzero(reaches.any(axis=1))
    likeliest = np.where(reaches, proba, -1).argmax(axis=1)[confident]
    joint = np.zeros((k, k), dtype=int)
    np.add.at(joint, (y[confident], likeliest), 1)
    np.fill_diagonal(joint, np.maximum(joint.diagonal(), 1))
    if calibrate:
        joint = calibrate_confident_joint(joint, y)
    if return_indices_of_off_diagonals:
        return joint, confident[likeliest != y[confident]]
    return joint


def calibrate_confident_joint(
    confident_joint: Any, labels: Any, *, multi_label: bool = False
) -> np.ndarray:
    """Scale the counts of each label to the number of rows that have it.

    Equation 3 of Northcutt et al. (2021), in whole numbers by largest remainders.

    Parameters
    ----------
    confident_joint : array-like of shape (K, K), or (K, 2, 2) with ``multi_label``
        See :func:`compute_confident_joint`.
    labels : array-like of shape (n,), or list of lists
        Integers from 0 to K - 1; with ``multi_label`` a list of them for each row.
    multi_label : bool, default=False
        Whether a row may have several labels.

    Returns
    -------
    array of int, as ``confident_joint``

    Examples
    --------
    >>> from errata.compat.cleanlab.count import calibrate_confident_joint
    >>> calibrate_confident_joint([[3, 1], [0, 2]], [0] * 8 + [1] * 4)
    array([[6, 2],
           [0, 4]])
    """
    joint = np.asarray(confident_joint, dtype=float)
    if multi_label:
        member = _inputs.one_hot(labels, len(joint))
        pairs = zip(joint, member.T, strict=True)
        return np.array([calibrate_confident_joint(part, column) for part, column in pairs])
    sizes = np.bincount(np.asarray(labels, dtype=int), minlength=len(joint))
    totals = joint.sum(axis=1)
    shares = np.divide(joint, totals[:, None], out=np.eye(len(joint)), where=totals[:, None] > 0)
    return _round_rows(shares * sizes[:, None])


def _round_rows(counts: np.ndarray) -> np.ndarray:
    """Whole numbers with the same sum in each row, by largest remainders."""
    whole = np.floor(counts + ROUNDING).astype(int)
    remainders = np.round(counts - whole, 6)
    missing = np.round(counts.sum(axis=1)).astype(int) - whole.sum(axis=1)
    for row, rest, short in zip(whole, remainders, missing, strict=True):
        row[np.argsort(rest, kind="stable")[len(rest) - short :]] += 1
    return whole


def estimate_joint(
    labels: Any,
    pred_probs: Any,
    *,
    confident_joint: Any = None,
    multi_label: bool = False,
    method: str = "posterior",
) -> np.ndarray:
    """Joint distribution of label and class.

    Parameters
    ----------
    labels : array-like of shape (n,), or list of lists
        Integers from 0 to K - 1; with ``multi_label`` a list of them for each row.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    confident_joint : array-like of shape (K, K), optional
        For ``"confident_learning"``; see :func:`compute_confident_joint`.
    multi_label : bool, default=False
        Whether a row may have several labels; always by confident learning.
    method : {"posterior", "confident_learning"}, default="posterior"
        Whether errata's noise model answers, or the calibrated confident joint.

    Returns
    -------
    array of shape (K, K), or (K, 2, 2) with ``multi_label``
        Rows are labels and sum to their frequencies, columns are classes.

    Examples
    --------
    >>> from errata.compat.cleanlab.count import estimate_joint
    >>> pred_probs = [[0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.1, 0.9]]
    >>> estimate_joint([0, 0, 1, 1], pred_probs, method="confident_learning")
    array([[0.25, 0.25],
           [0.  , 0.5 ]])
    """
    _inputs.check_method(method)
    if method == "confident_learning" or multi_label:
        if confident_joint is None:
            counts = compute_confident_joint(labels, pred_probs, multi_label=multi_label)
        else:
            counts = calibrate_confident_joint(confident_joint, labels, multi_label=multi_label)
        return counts / counts.sum(axis=(-2, -1), keepdims=True)
    _inputs.warn_unused(confident_joint=confident_joint)
    y, proba = _inputs.check_labels(labels, pred_probs)
    counts = count_joint(_inputs.audit_labels(y, proba), y, proba.shape[1])
    return counts / len(y)


def count_joint(result: Audit, y: np.ndarray, k: int) -> np.ndarray:
    """Expected counts of label (rows) and class (columns) by the noise model of an audit."""
    joint = np.zeros((k, k))
    joint[np.ix_(result.classes, result.classes)] = (result.prior[:, None] * result.transition).T
    totals = joint.sum(axis=1)
    scale = np.divide(np.bincount(y, minlength=k), totals, out=np.zeros(k), where=totals > 0)
    return joint * scale[:, None]


def estimate_latent(
    confident_joint: Any,
    labels: Any,
    *,
    py_method: str = "cnt",
    converge_latent_estimates: bool = False,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Frequencies of classes, and the noise matrices both ways, from the confident joint.

    Parameters
    ----------
    confident_joint : array-like of shape (K, K)
        Rows are labels, columns classes; see :func:`compute_confident_joint`.
    labels : array-like of shape (n,)
        Integers from 0 to K - 1.
    py_method : {"cnt", "eqn", "marginal", "marginal_ps"}, default="cnt"
        The frequencies of classes: by the diagonals of both matrices, by solving the equations
        of the noise matrix, by the sums of the columns, or by the inverse noise matrix. From a
        calibrated joint the first, third and fourth agree.
    converge_latent_estimates : bool, default=False
        Accepted; all three come from one joint, here always the calibrated one if True.

    Returns
    -------
    tuple of py, noise_matrix, inverse_noise_matrix
        ``noise_matrix[label, class]`` is P(label | class), ``inverse_noise_matrix[class, label]``
        is P(class | label); columns sum to one. errata's own ``transition`` is
        ``noise_matrix.T``.

    Examples
    --------
    >>> from errata.compat.cleanlab.count import estimate_latent
    >>> py, noise, inverse = estimate_latent([[3, 1], [0, 4]], [0] * 4 + [1] * 4)
    >>> py, noise[:, 1]
    (array([0.375, 0.625]), array([0.2, 0.8]))
    """
    joint = np.asarray(confident_joint, dtype=float)
    if converge_latent_estimates:
        joint = calibrate_confident_joint(joint, labels).astype(float)
    frequencies = np.bincount(np.asarray(labels, dtype=int), minlength=len(joint)) / len(labels)
    noise_matrix = _columns_to_one(joint)
    inverse = _columns_to_one(joint.T)
    if py_method == "cnt":
        diagonal = np.maximum(noise_matrix.diagonal(), LOWEST_THRESHOLD)
        py = inverse.diagonal() / diagonal * frequencies
    elif py_method == "eqn":
        py = np.linalg.solve(noise_matrix, frequencies)
    elif py_method == "marginal":
        py = joint.sum(axis=0)
    elif py_method == "marginal_ps":
        py = inverse @ frequencies
    else:
        raise ValueError(
            f"py_method={py_method!r} must be 'cnt', 'eqn', 'marginal' or 'marginal_ps'."
        )
    py = np.clip(py / py.sum(), ROUNDING, 1)
    return py / py.sum(), noise_matrix, inverse


def _columns_to_one(matrix: np.ndarray) -> np.ndarray:
    """Columns that sum to one; one that is empty stays on its diagonal."""
    totals = matrix.sum(axis=0)
    return np.divide(matrix, totals, out=np.eye(len(matrix)), where=totals > 0)


def estimate_py_and_noise_matrices_from_probabilities(
    labels: Any,
    pred_probs: Any,
    *,
    thresholds: Any = None,
    converge_latent_estimates: bool = True,
    py_method: str = "cnt",
    calibrate: bool = True,
    method: str = "posterior",
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Frequencies of classes, the noise matrices both ways, and the joint counts.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Integers from 0 to K - 1.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    thresholds, calibrate
        For ``"confident_learning"``; see :func:`compute_confident_joint`.
    converge_latent_estimates, py_method
        See :func:`estimate_latent`.
    method : {"posterior", "confident_learning"}, default="posterior"
        Whether the joint is that of errata's noise model, times the number of rows, or the
        confident joint.

    Returns
    -------
    tuple of py, noise_matrix, inverse_noise_matrix, confident_joint

    Examples
    --------
    >>> from errata.compat.cleanlab.count import (
    ...     estimate_py_and_noise_matrices_from_probabilities,
    ... )
    >>> pred_probs = [[0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.1, 0.9]]
    >>> py, noise, _, _ = estimate_py_and_noise_matrices_from_probabilities(
    ...     [0, 0, 1, 1], pred_probs, method="confident_learning"
    ... )
    >>> py
    array([0.25, 0.75])
    """
    _inputs.check_method(method)
    if method == "confident_learning":
        joint = compute_confident_joint(
            labels, pred_probs, thresholds=thresholds, calibrate=calibrate
        )
    else:
        _inputs.warn_unused(thresholds=thresholds)
        y, proba = _inputs.check_labels(labels, pred_probs)
        joint = count_joint(_inputs.audit_labels(y, proba), y, proba.shape[1])
        converge_latent_estimates = False  # it is consistent, and rounding would only blur it
    latent = estimate_latent(
        joint, labels, py_method=py_method, converge_latent_estimates=converge_latent_estimates
    )
    return (*latent, joint)


def estimate_noise_matrices(
    X: Any,
    labels: Any,
    clf: Any = None,
    *,
    cv_n_folds: int = 5,
    thresholds: Any = None,
    converge_latent_estimates: bool = True,
    seed: int | None = None,
    clf_kwargs: dict | None = None,
    validation_func: Any = None,
    method: str = "posterior",
) -> tuple[np.ndarray, np.ndarray]:
    """Noise matrices both ways, by a classifier that is cross-fitted.

    Parameters
    ----------
    X : array-like of shape (n, ...)
        What the classifier learns from.
    labels : array-like of shape (n,)
        Integers from 0 to K - 1.
    clf : classifier with ``predict_proba``, optional
        By default scikit-learn's logistic regression.
    cv_n_folds : int, default=5
        Number of folds.
    thresholds, converge_latent_estimates, method
        See :func:`estimate_py_and_noise_matrices_from_probabilities`.
    seed : int, optional
        Fix it to get the same folds again.
    clf_kwargs : dict, optional
        Passed to the classifier's ``fit``.
    validation_func : callable, optional
        Called with the rows and labels of the fold left out; returns further arguments of ``fit``.

    Returns
    -------
    tuple of noise_matrix, inverse_noise_matrix
        See :func:`estimate_latent`.

    Examples
    --------
    >>> from errata.compat.cleanlab.count import estimate_noise_matrices
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> noise, inverse = estimate_noise_matrices(X, y, GaussianNB(), seed=0)
    >>> bool(noise.diagonal().min() > 0.8)
    True
    """
    pred_probs = cross_fit(
        LogisticRegression() if clf is None else clf,
        X,
        np.asarray(labels),
        cv_n_folds=cv_n_folds,
        seed=seed,
        clf_kwargs=clf_kwargs,
        validation_func=validation_func,
    )
    _, noise_matrix, inverse, _ = estimate_py_and_noise_matrices_from_probabilities(
        labels,
        pred_probs,
        thresholds=thresholds,
        converge_latent_estimates=converge_latent_estimates,
        method=method,
    )
    return noise_matrix, inverse


def cross_fit(
    clf: Any,
    X: Any,
    y: np.ndarray,
    *,
    cv_n_folds: int,
    seed: int | None,
    clf_kwargs: dict | None = None,
    validation_func: Any = None,
) -> np.ndarray:
    """Out-of-fold probabilities; a class that a fold does not know gets none there."""
    X = X if hasattr(X, "iloc") or hasattr(X, "shape") else np.asarray(X)
    k = int(y.max()) + 1
    proba = np.zeros((len(y), k))
    folds = StratifiedKFold(cv_n_folds, shuffle=True, random_state=seed)
    for train, test in folds.split(np.zeros(len(y)), y):
        extra = validation_func(take_rows(X, test), y[test]) if validation_func else {}
        model = clone(clf).fit(take_rows(X, train), y[train], **(clf_kwargs or {}), **extra)
        proba[np.ix_(test, np.unique(y[train]))] = model.predict_proba(take_rows(X, test))
    return proba


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Rows of an array, a sparse matrix or a dataframe."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def num_label_issues(
    labels: Any,
    pred_probs: Any,
    *,
    confident_joint: Any = None,
    estimation_method: str | None = None,
    multi_label: bool = False,
    method: str = "posterior",
) -> int:
    """Estimate how many labels are wrong.

    Parameters
    ----------
    labels : array-like of shape (n,), or list of lists
        Integers from 0 to K - 1; with ``multi_label`` a list of them for each row.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    confident_joint : array-like of shape (K, K), optional
        For ``"confident_learning"``; see :func:`compute_confident_joint`.
    estimation_method : {"off_diagonal", "off_diagonal_calibrated", "off_diagonal_custom"}, optional
        For ``"confident_learning"``, where ``"off_diagonal"`` is the default: how many rows
        ``find_label_issues(filter_by="confident_learning")`` flags, or the sum beside the diagonal
        of the joint, or of the given ``confident_joint``, once it is calibrated.
    multi_label : bool, default=False
        Whether a row may have several labels.
    method : {"posterior", "confident_learning"}, default="posterior"
        The expected number by errata's posterior, or that of confident learning.

    Returns
    -------
    int

    Examples
    --------
    >>> from errata.compat.cleanlab.count import num_label_issues
    >>> pred_probs = [[0.9, 0.1], [0.1, 0.9], [0.2, 0.8], [0.1, 0.9]]
    >>> num_label_issues([0, 0, 1, 1], pred_probs, method="confident_learning")
    1
    """
    _inputs.check_method(method)
    if multi_label:
        from .multilabel_classification.filter import find_label_issues as find_rows

        rule = None if method == "posterior" else "confident_learning"
        return int(find_rows(labels, pred_probs, filter_by=rule, method=method).sum())
    y, proba = _inputs.check_labels(labels, pred_probs)
    if method == "posterior":
        _inputs.warn_unused(confident_joint=confident_joint, estimation_method=estimation_method)
        return round(_inputs.audit_labels(y, proba).noise_rate.estimate * len(y))
    rule = "off_diagonal" if estimation_method is None else estimation_method
    if rule == "off_diagonal":
        return int(confident_issues(y, proba).sum())
    if rule == "off_diagonal_calibrated":
        joint = compute_confident_joint(y, proba)
    elif rule == "off_diagonal_custom":
        if confident_joint is None:
            raise ValueError("estimation_method='off_diagonal_custom' needs confident_joint.")
        joint = calibrate_confident_joint(confident_joint, y)
    else:
        raise ValueError(
            f"estimation_method={estimation_method!r} must be 'off_diagonal', "
            "'off_diagonal_calibrated' or 'off_diagonal_custom'."
        )
    return int(joint.sum() - joint.trace())


def confident_issues(y: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """Rows that are confidently of another class than their label."""
    _, rows = compute_confident_joint(y, proba, return_indices_of_off_diagonals=True)
    flagged = np.zeros(len(y), dtype=bool)
    flagged[rows] = True
    return flagged & is_contradicted(y, proba)


def is_contradicted(y: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """Rows in which some class is more probable than the label."""
    return proba[np.arange(len(y)), y] < proba.max(axis=1)
