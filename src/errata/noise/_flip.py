"""Inject wrong labels: completely at random, by class, or row by row."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._margins import without_own
from .._validation import (
    as_column,
    check_count,
    check_fraction,
    check_labels,
    check_row_probabilities,
    check_transition,
    check_weight_matrix,
)
from .._warn import warn_user
from ..exceptions import NoiseWarning


def flip_labels(
    y: Any,
    rate: float | None = None,
    *,
    n_flips: int | None = None,
    transition: Any = None,
    flip_proba: Any = None,
    target: Any = None,
    classes: Any = None,
    exact: bool = True,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Change some labels into wrong ones, and say which.

    Pass exactly one of ``rate`` or ``n_flips`` (noise completely at random, NCAR), ``transition``
    (noise that depends on the class, NAR) or ``flip_proba`` (noise that depends on the row, NNAR).
    Put it into training labels only: a test on wrong labels measures nothing. With one seed, the
    rows flipped at a lower rate are among those flipped at a higher rate, so that a sweep over
    rates compares like with like. Costs O(n K).

    Parameters
    ----------
    y : array-like of shape (n,)
        The classes, taken to be right.
    rate : float in [0, 1], optional
        Fraction of the labels to change, to a wrong label drawn uniformly at random.
    n_flips : int, optional
        Number of labels to change, instead of ``rate``.
    transition : array-like of shape (K, K) or NoiseModel, optional
        ``T[c, l] = P(label = l | class = c)``.
    flip_proba : array-like of shape (n,), optional
        Probability that each row's label changes. Always drawn row by row. See
        :func:`boundary_flip_proba`, :func:`region_flip_proba`, :func:`density_flip_proba` and
        :func:`gaussian_flip_proba` for useful ones.
    target : array-like of shape (n, K), optional
        With ``flip_proba``: weights of the wrong labels, row by row (the row's own class is
        ignored), for instance class probabilities. Uniform when not given. A row whose wrong
        labels all have weight zero keeps its label.
    classes : array-like of shape (K,), optional
        All the classes, when ``y`` may lack some; those of ``y``, sorted, when not given.
    exact : bool, default=True
        Change exactly the fraction asked for (to the nearest row; with ``transition`` the nearest
        whole numbers for each class). False draws every row by itself, so that only the expected
        fraction is as asked for.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    noisy : array of shape (n,)
        The labels, some of them wrong. ``y`` itself is left alone.
    flipped : array of bool of shape (n,)
        Where they are wrong; ``noisy[i] != y[i]`` exactly there.

    Examples
    --------
    >>> from errata.noise import NoiseModel, flip_labels
    >>> y = ["ham"] * 6 + ["spam"] * 4
    >>> noisy, flipped = flip_labels(y, 0.2, random_state=0)
    >>> int(flipped.sum())
    2
    >>> model = NoiseModel([[2 / 3, 1 / 3], [0, 1]])          # spam is never taken for ham
    >>> noisy, flipped = flip_labels(y, transition=model, random_state=0)
    >>> noisy[flipped]
    array(['spam', 'spam'], dtype='<U4')
    """
    _check_one_kind(rate=rate, n_flips=n_flips, transition=transition, flip_proba=flip_proba)
    _check_options(target=target, flip_proba=flip_proba, n_flips=n_flips, exact=exact)
    labels = as_column(y)
    classes, codes = _encode(labels, _classes_of(transition) if classes is None else classes)
    n, k = len(codes), len(classes)
    random = check_random_state(random_state)
    # Two numbers per row whatever the kind of noise: u decides whether a label changes, v into
    # which. At one seed a higher rate then flips the rows of a lower rate, and to the same labels.
    u, v = random.random_sample(n), random.random_sample(n)
    if transition is not None:
        T = _informative(transition, k)
        new = _exact_by_class(codes, T, u) if exact else _drawn_by_class(codes, T, u, v)
    elif flip_proba is not None:
        leave = u < check_row_probabilities("flip_proba", flip_proba, n)
        new = np.where(leave, _destination(codes, k, v, target), codes)
    else:
        leave = _leaving(u, _check_rate(_as_rate(rate, n_flips, n), k), exact)
        new = np.where(leave, _destination(codes, k, v), codes)
    flipped = new != codes
    # A class that y lacks may have a longer name than the dtype of y holds.
    noisy = labels.astype(np.result_type(labels, classes), copy=True)
    noisy[flipped] = classes[new[flipped]]
    return noisy, flipped


def _leaving(u: np.ndarray, rate: float, exact: bool) -> np.ndarray:
    """Which rows flip: those with ``u`` below ``rate``, or exactly that fraction of smallest u."""
    if not exact:
        return u < rate
    count = int(np.floor(rate * len(u) + 0.5))  # round() would take 2.5 to 2
    leave = np.zeros(len(u), dtype=bool)
    leave[np.argsort(u, kind="stable")[:count]] = True
    return leave


def _destination(codes: np.ndarray, k: int, v: np.ndarray, target: Any = None) -> np.ndarray:
    """Another class for each row, all alike or by the weights of ``target``.

    A row stays in its class where no other has any weight.
    """
    if k == 1:
        return codes
    if target is None:
        # One of k - 1 places; those from the row's own class on stand for the class after.
        other = np.floor(v * (k - 1)).astype(codes.dtype)
        return other + (other >= codes)
    away = without_own(check_weight_matrix("target", target, (len(codes), k)), codes)
    cumulative = np.cumsum(away, axis=1)
    total = cumulative[:, -1]
    # The first class strictly above: one without weight, as the row's own, is never chosen, not
    # even where v is 0.
    chosen = (cumulative <= (v * total)[:, None]).sum(axis=1)
    return np.where(total > 0, chosen, codes)


def _drawn_by_class(codes: np.ndarray, T: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Row by row, with the probabilities of its class; class by class to keep memory at O(n)."""
    new = codes.copy()
    for c in np.unique(codes):
        away = np.where(np.arange(len(T)) == c, 0, T[c])
        cumulative = np.cumsum(away)
        leaves = np.flatnonzero((codes == c) & (u < cumulative[-1]))
        new[leaves] = np.searchsorted(cumulative, v[leaves] * cumulative[-1], side="right")
    return new


def _exact_by_class(codes: np.ndarray, T: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Give each class whole numbers of destinations; the members with the smallest ``u`` leave."""
    new = codes.copy()
    for c in np.unique(codes):
        members = np.flatnonzero(codes == c)
        members = members[np.argsort(u[members], kind="stable")]
        counts = _largest_remainder(len(members) * T[c])
        counts[c] = 0
        new[members[: counts.sum()]] = np.repeat(np.arange(len(T)), counts)
    return new


def _largest_remainder(expected: np.ndarray) -> np.ndarray:
    """Whole numbers near ``expected`` with the same sum; the largest remainders are rounded up."""
    counts = np.floor(expected).astype(int)
    short = round(expected.sum()) - counts.sum()
    counts[np.argsort(counts - expected, kind="stable")[:short]] += 1
    return counts


def _check_one_kind(**kinds: Any) -> None:
    given = [name for name, value in kinds.items() if value is not None]
    if len(given) != 1:
        raise ValueError(
            f"pass exactly one of rate, n_flips, transition and flip_proba; "
            f"got {' and '.join(given) or 'none'}."
        )


def _check_options(*, target: Any, flip_proba: Any, n_flips: Any, exact: bool) -> None:
    if target is not None and flip_proba is None:
        raise ValueError(
            "target belongs to flip_proba; the other kinds of noise choose themselves."
        )
    if n_flips is not None and not exact:
        raise ValueError("n_flips is an exact number; pass rate for a fraction drawn row by row.")


def _classes_of(transition: Any) -> Any:
    """The classes that a NoiseModel names; a plain matrix names none."""
    return getattr(transition, "classes", None)


def _encode(labels: np.ndarray, classes: Any) -> tuple[np.ndarray, np.ndarray]:
    found, codes = check_labels(labels)
    if classes is None:
        return found, codes
    classes = np.asarray(classes)
    position = {label: i for i, label in enumerate(classes.tolist())}
    if len(position) < len(classes):
        raise ValueError("classes names a class twice.")
    unknown = [label for label in found.tolist() if label not in position]
    if unknown:
        raise ValueError(
            f"y holds the label {unknown[0]!r}, which is not among the classes {classes.tolist()}."
        )
    return classes, np.array([position[label] for label in found.tolist()])[codes]


def _informative(transition: Any, k: int) -> np.ndarray:
    T = check_transition(getattr(transition, "transition", transition))
    if len(T) != k:
        raise ValueError(
            f"the transition matrix is for {len(T)} classes, but there are {k}; "
            "name them all in the order of its rows with classes=[...]."
        )
    others = T - np.diag(np.diag(T))
    if np.any(np.diag(T) <= others.max(axis=1)):
        _warn_uninformative("for some class a wrong label is as likely as the right one")
    return T


def _as_rate(rate: Any, n_flips: Any, n: int) -> float:
    if n_flips is None:
        return check_fraction("rate", rate)
    return check_count("n_flips", n_flips, low=0, high=n) / n


def _check_rate(rate: float, k: int) -> float:
    if rate > 0 and k < 2:
        raise ValueError(
            "y holds one class only, so there is no wrong label to give; "
            "name the others with classes=[...]."
        )
    # At (K - 1) / K every class carries every label equally often.
    if rate > 0 and rate >= (k - 1) / k:
        _warn_uninformative(f"rate={rate:g} with {k} classes")
    return rate


def _warn_uninformative(why: str) -> None:
    warn_user(f"{why}: the labels no longer point to the class.", NoiseWarning)
