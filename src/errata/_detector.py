"""The contract of a detector, and how far other classes are ahead of the label.

Whatever learns something about the training labels says it in the same three fitted attributes,
one entry per row given to ``fit``, in the order of the rows:

- ``suspicion_``: higher = more likely mislabelled;
- ``flagged_``: the yes or no drawn from it by one of the rules of :func:`flag`, which the
  parameters ``threshold`` and ``contamination`` choose, at most one of them being set;
- ``suggested_``: the class errata would have given; the label itself where nothing is flagged,
  unless suggestions must fit together, as those along a sequence. Detectors of wrong responses or
  rows, for which there are no classes, have none.

Whoever acts on flags by leaving rows out asks :func:`spare_classes` first, and says in
``sample_indices_`` which rows are left. ``tests/test_common.py`` holds every public detector to
this page.
"""

from typing import Any

import numpy as np

from ._validation import check_fraction

_ANY = {"low": -np.inf, "high": np.inf}


def flag(
    suspicion: np.ndarray,
    *,
    threshold: float | None = None,
    contamination: float | str | None = None,
    native: float | np.ndarray = 0.5,
    probability: bool = False,
) -> np.ndarray:
    """Draw the line between the rows to look at and the rest.

    Parameters
    ----------
    suspicion : array of shape (n,)
        One number per row, higher = more likely mislabelled.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it.
    contamination : float or "estimate", optional
        Flag exactly this fraction of the rows, the most suspicious first (to the nearest row, ties
        to the smaller index). "estimate" takes it from the suspicions themselves, whose sum is the
        expected number of wrong labels: only where they are probabilities.
    native : float or array of bool of shape (n,), default=0.5
        The detector's own threshold, used when neither of the two is given; or the rows that it
        flags by a rule that is not a threshold.
    probability : bool, default=False
        Whether the suspicions are probabilities, as ``contamination="estimate"`` needs them.

    Returns
    -------
    array of bool of shape (n,)
    """
    check_one_rule(threshold, contamination)
    if threshold is not None:
        return suspicion > check_fraction("threshold", threshold, **_ANY)
    if contamination is None:
        return native if isinstance(native, np.ndarray) else suspicion > native
    if contamination != "estimate":
        n_flagged = count_flags(contamination, len(suspicion))
    elif probability:
        n_flagged = _round_half_up(suspicion.sum())
    else:
        raise ValueError(
            'contamination="estimate" needs suspicions that are probabilities, and these are '
            "scores; pass a number between 0 and 1, or a threshold."
        )
    flagged = np.zeros(len(suspicion), dtype=bool)
    most_suspicious_first = np.argsort(-suspicion, kind="stable")
    flagged[most_suspicious_first[:n_flagged]] = True
    return flagged


def check_one_rule(threshold: Any, contamination: Any) -> None:
    """Raise when both rules are given."""
    if threshold is not None and contamination is not None:
        raise ValueError(
            f"threshold={threshold!r} and contamination={contamination!r} are two rules; "
            "pass at most one of them."
        )


def count_flags(contamination: Any, n: int) -> int:
    """How many of ``n`` rows this fraction of them is."""
    return _round_half_up(check_fraction("contamination", contamination) * n)


def _round_half_up(number: float) -> int:
    return int(np.floor(number + 0.5))  # round() would take 0.5 to 0 and 1.5 to 2


def spare_classes(
    flagged: np.ndarray,
    suspicion: np.ndarray,
    codes: np.ndarray,
    *,
    min_per_class: int = 2,
    min_fraction: float = 0.0,
    max_removed: int | None = None,
) -> np.ndarray:
    """The flagged rows that may be left out, so that every class can still be learnt.

    Parameters
    ----------
    flagged, suspicion, codes : arrays of shape (n,)
        The rows to leave out, how suspicious each row is, and the codes of their labels.
    min_per_class : int, default=2
        So many rows of a class stay, its least suspicious (of equals, those of smaller index). A
        class that has fewer is not touched.
    min_fraction : float, default=0
        So large a fraction of each class stays, too.
    max_removed : int, optional
        No more rows than this are left out in all, the most suspicious (of equals, those of smaller
        index).

    Returns
    -------
    array of bool of shape (n,)
    """
    removed = flagged.copy()
    sizes = np.bincount(codes)
    gone = np.bincount(codes[removed], minlength=codes.max() + 1)
    needed = count_kept(sizes, min_per_class=min_per_class, min_fraction=min_fraction)
    for code in np.flatnonzero(sizes - gone < needed):
        members = np.flatnonzero(removed & (codes == code))
        back = needed[code] - sizes[code] + gone[code]
        removed[members[np.argsort(suspicion[members], kind="stable")][:back]] = False
    if max_removed is not None:
        left = np.flatnonzero(removed)
        removed[left[np.argsort(-suspicion[left], kind="stable")][max_removed:]] = False
    return removed


def count_kept(sizes: np.ndarray, *, min_per_class: int, min_fraction: float) -> np.ndarray:
    """How many rows of classes of these sizes stay, whatever is flagged.

    >>> count_kept(np.array([1, 3, 100]), min_per_class=2, min_fraction=0.5)
    array([ 1,  2, 50])
    """
    # A fraction of a size may come out above a whole number by its last digit: 0.07 * 100 > 7.
    fraction = np.ceil(min_fraction * sizes - 1e-9).astype(sizes.dtype)
    return np.maximum(np.minimum(min_per_class, sizes), fraction)


class DetectorMixin:
    """Gives a detector the one way to conclude its ``fit``.

    The estimator has the parameters ``threshold`` and ``contamination``, and ``classes_`` is set
    where there are labels.
    """

    threshold: float | None
    contamination: float | str | None
    classes_: np.ndarray

    def _conclude(
        self,
        suspicion: np.ndarray,
        codes: np.ndarray | None = None,
        suggested: Any = None,
        **rule: Any,
    ) -> None:
        """Set the three fitted attributes from suspicions and the codes of labels and suggestions.

        ``rule`` passes ``native`` and ``probability`` on to :func:`flag`. Without codes, rows are
        judged and not labels: nothing is suggested.
        """
        self.suspicion_ = suspicion
        self.flagged_ = flag(
            suspicion, threshold=self.threshold, contamination=self.contamination, **rule
        )
        if codes is not None:
            self.suggested_ = self.classes_[np.where(self.flagged_, suggested, codes)]


def drop_own_class(values: np.ndarray, codes: np.ndarray, fill: float = 0) -> np.ndarray:
    """The values (n, K) with zero, or ``fill``, for the class on the label.

    >>> drop_own_class(np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([0, 1]))
    array([[0. , 0.3, 0.2],
           [0.1, 0. , 0.7]])
    """
    others = values.copy()
    others[np.arange(len(codes)), codes] = fill
    return others


def measure_doubt(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """One minus the probability of the label, without the rounding of numbers next to 1.

    >>> measure_doubt(np.array([[1.0, 1e-30], [0.2, 0.8]]), np.array([0, 1]))
    array([1.e-30, 2.e-01])
    """
    return np.clip(drop_own_class(proba, codes).sum(axis=1), 0, 1)


def find_favourite_other(votes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The class with most votes besides the label; the label where nobody votes otherwise.

    >>> find_favourite_other(np.array([[5.0, 1.0, 2.0], [0.0, 4.0, 0.0]]), np.array([0, 1]))
    array([2, 1])
    """
    others = drop_own_class(votes, codes)
    return np.where(others.any(axis=1), others.argmax(axis=1), codes)


def split_own_and_best_other(
    values: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The value (n, K) of the class on the label, and the largest of any other class.

    >>> split_own_and_best_other(np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([0, 1]))
    (array([0.5, 0.2]), array([0.3, 0.7]))
    """
    own = values[np.arange(len(codes)), codes]
    return own, drop_own_class(values, codes, -np.inf).max(axis=1)


def find_best_other(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The class other than the label with the largest value (n, K).

    >>> find_best_other(np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]]), np.array([0, 1]))
    array([1, 2])
    """
    return drop_own_class(values, codes, -np.inf).argmax(axis=1)


def compute_margin(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """``(other - own + 1) / 2`` in [0, 1]: above a half where another class is likelier.

    >>> compute_margin(np.array([[0.7, 0.2, 0.1], [0.4, 0.35, 0.25]]), np.array([0, 1]))
    array([0.25 , 0.525])
    """
    own, other = split_own_and_best_other(proba, codes)
    return (other - own + 1) / 2
