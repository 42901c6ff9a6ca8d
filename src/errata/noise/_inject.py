"""Inject wrong labels, wrong numbers, and boundaries of segments put too early or too late.

Labels are wrong completely at random, by class, or by where a row lies: functions that end with
``flip_proba`` return the probability that each row's label is wrong, for
``flip_labels(y, flip_proba=...)``, with the mean that was asked for.
"""

from typing import Any

import numpy as np
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array, check_consistent_length, check_random_state

from .._crossfit import make_folds, predict_out_of_fold
from .._detector import drop_own_class
from .._neighbors import NeighborIndex
from .._random import clone_keeping_seeds
from .._validation import (
    as_column,
    check_choice,
    check_count,
    check_fraction,
    check_labels,
    check_lengths,
    check_transition,
)
from .._warn import warn_user
from ..exceptions import NoiseWarning

TARGET_NOISE = ("swap", "gross", "shift", "unit")
GROSS = (3.0, 10.0)  # standard deviations that a gross error is off by, at least and at most
SHIFT = 1.5
INCH = 2.54
REGION = 1 / 3  # of the table, in which units are confused


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
    if classes is None:
        classes = getattr(transition, "classes", None)  # a NoiseModel names them, a matrix none
    classes, codes = _encode(labels, classes)
    n = len(codes)
    k = len(classes)
    random = check_random_state(random_state)
    # Two numbers per row whatever the kind of noise: u decides whether a label changes, v into
    # which. At one seed a higher rate then flips the rows of a lower rate, and to the same labels.
    u = random.random_sample(n)
    v = random.random_sample(n)
    if transition is not None:
        T = _check_informative(transition, k)
        new = _flip_exactly_by_class(codes, T, u) if exact else _flip_by_class(codes, T, u, v)
    elif flip_proba is not None:
        leave = u < _check_flip_proba(flip_proba, n)
        new = np.where(leave, _draw_destination(codes, k, v, target), codes)
    else:
        leave = _select_leaving(u, _check_rate(_convert_to_rate(rate, n_flips, n), k), exact)
        new = np.where(leave, _draw_destination(codes, k, v), codes)
    flipped = new != codes
    # A class that y lacks may have a longer name than the dtype of y holds.
    noisy = labels.astype(np.result_type(labels, classes), copy=True)
    noisy[flipped] = classes[new[flipped]]
    return noisy, flipped


def _select_leaving(u: np.ndarray, rate: float, exact: bool) -> np.ndarray:
    """Which rows flip: those with ``u`` below ``rate``, or exactly that fraction of smallest u."""
    if not exact:
        return u < rate
    count = int(np.floor(rate * len(u) + 0.5))  # round() would take 2.5 to 2
    leave = np.zeros(len(u), dtype=bool)
    leave[np.argsort(u, kind="stable")[:count]] = True
    return leave


def _draw_destination(codes: np.ndarray, k: int, v: np.ndarray, target: Any = None) -> np.ndarray:
    """Another class for each row, all alike or by the weights of ``target``.

    A row stays in its class where no other has any weight.
    """
    if k == 1:
        return codes
    if target is None:
        # One of k - 1 places; those from the row's own class on stand for the class after.
        other = np.floor(v * (k - 1)).astype(codes.dtype)
        return other + (other >= codes)
    away = drop_own_class(_check_target(target, (len(codes), k)), codes)
    cumulative = np.cumsum(away, axis=1)
    total = cumulative[:, -1]
    # The first class strictly above: one without weight, as the row's own, is never chosen, not
    # even where v is 0.
    chosen = (cumulative <= (v * total)[:, None]).sum(axis=1)
    return np.where(total > 0, chosen, codes)


def _flip_by_class(codes: np.ndarray, T: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Row by row, with the probabilities of its class; class by class to keep memory at O(n)."""
    new = codes.copy()
    for c in np.unique(codes):
        away = np.where(np.arange(len(T)) == c, 0, T[c])
        cumulative = np.cumsum(away)
        leaves = np.flatnonzero((codes == c) & (u < cumulative[-1]))
        new[leaves] = np.searchsorted(cumulative, v[leaves] * cumulative[-1], side="right")
    return new


def _flip_exactly_by_class(codes: np.ndarray, T: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Give each class whole numbers of destinations; the members with the smallest ``u`` leave."""
    new = codes.copy()
    for c in np.unique(codes):
        members = np.flatnonzero(codes == c)
        members = members[np.argsort(u[members], kind="stable")]
        counts = _round_by_largest_remainder(len(members) * T[c])
        counts[c] = 0
        new[members[: counts.sum()]] = np.repeat(np.arange(len(T)), counts)
    return new


def _round_by_largest_remainder(expected: np.ndarray) -> np.ndarray:
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


def _check_informative(transition: Any, k: int) -> np.ndarray:
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


def _convert_to_rate(rate: Any, n_flips: Any, n: int) -> float:
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


def boundary_flip_proba(proba: Any, rate: float, *, sharpness: float = 1.0) -> np.ndarray:
    """Flip probabilities that rise towards the boundary between classes.

    Rows whose two most probable classes are close get confused; usually with each other, so pass
    the same probabilities as ``target`` of :func:`flip_labels`.

    Parameters
    ----------
    proba : array-like of shape (n, K)
        Class probabilities of a model of the clean labels, best out of sample: those of your own
        classifier, or :func:`reference_proba`.
    rate : float
        Expected fraction of wrong labels.
    sharpness : float, default=1
        Above one the errors crowd closer to the boundary, below one they spread.

    Returns
    -------
    array of shape (n,)
        ``min(1, s (1 - p1 + p2)^sharpness)``, p1 and p2 being the two largest probabilities of the
        row and s such that the mean is ``rate``.

    Examples
    --------
    >>> boundary_flip_proba([[0.5, 0.5], [0.75, 0.25], [1.0, 0.0]], rate=0.2)
    array([0.4, 0.2, 0. ])
    """
    check_fraction("sharpness", sharpness, high=np.inf)
    proba = check_array(proba, ensure_min_features=2)
    second, first = np.partition(proba, -2, axis=1)[:, -2:].T
    # Rounded probabilities may differ by more than 1, and a power of a negative number is nan.
    return _scale_to(rate, (1 - (first - second)).clip(0, 1) ** sharpness)


def reference_proba(
    X: Any,
    y: Any,
    estimator: Any = None,
    *,
    cv: int = 5,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> np.ndarray:
    """Out-of-fold class probabilities: those of every row from a model that did not see it.

    Parameters
    ----------
    X, y : arrays of shape (n, d) and (n,)
        Features and clean labels.
    estimator : classifier with ``predict_proba``, optional
        A logistic regression on standardised features when not given.
    cv : int, default=5
        Number of folds; lowered to the size of the smallest class where that is less.
    n_jobs : int, optional
        How many folds are fitted at the same time; -1 for one per core.
    random_state : int, RandomState instance or None
        Shuffles the folds, and seeds the estimator where it has no seed of its own.

    Returns
    -------
    array of shape (n, K), columns in the order of the sorted classes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from errata.noise import boundary_flip_proba, flip_labels, reference_proba
    >>> X, y = load_iris(return_X_y=True)
    >>> proba = reference_proba(X, y, random_state=0)
    >>> p = boundary_flip_proba(proba, rate=0.1)
    >>> noisy, flipped = flip_labels(y, flip_proba=p, target=proba, random_state=0)
    >>> [round(float(p[y == c].mean()), 2) for c in (0, 1, 2)]     # setosa lies apart
    [0.03, 0.15, 0.12]
    """
    _, codes = check_labels(y, min_classes=2)
    rarest = int(np.bincount(codes).min())
    if rarest < 2:
        raise ValueError("a class with one row cannot be predicted out of sample; leave it out.")
    if estimator is None:
        estimator = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = make_folds(cv, codes, every_class=True, random_state=random_state)
    member = clone_keeping_seeds(estimator, random_state)
    return predict_out_of_fold([member], X, codes, folds, n_jobs=n_jobs)[0]


def region_flip_proba(
    X: Any, rate: float, *, fraction: float = 0.25, center: Any = None, random_state: Any = None
) -> np.ndarray:
    """Flip probabilities that are constant in one region and zero elsewhere.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Features; distances are Euclidean, so scale them first.
    rate : float
        Expected fraction of wrong labels, over all rows. At most ``fraction``.
    fraction : float, default=0.25
        The region is the ball that holds this fraction of the rows.
    center : array-like of shape (d,), optional
        Centre of the ball; a row drawn at random when not given.
    random_state : int, RandomState instance or None
        Seed of that draw.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [3.0]]
    >>> region_flip_proba(X, rate=0.3, fraction=0.5, center=[0.0])
    array([0.6, 0.6, 0. , 0. ])
    """
    X = check_array(X)
    if center is None:
        center = X[check_random_state(random_state).randint(len(X))]
    center = np.asarray(center, dtype=float)
    if center.shape != (X.shape[1],):
        raise ValueError(f"center must have {X.shape[1]} coordinates; its shape is {center.shape}.")
    size = max(1, int(np.floor(check_fraction("fraction", fraction) * len(X) + 0.5)))
    # The nearest rows by number, not by radius: ties at the edge would let in more of them.
    inside = np.zeros(len(X))
    inside[np.argsort(((X - center) ** 2).sum(axis=1), kind="stable")[:size]] = 1
    return _scale_to(rate, inside)


def density_flip_proba(X: Any, rate: float, *, n_neighbors: int = 5) -> np.ndarray:
    """Flip probabilities that grow where rows are few: outlying rows get mislabelled.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Features; distances are Euclidean, so scale them first.
    rate : float
        Expected fraction of wrong labels.
    n_neighbors : int, default=5
        The probability is proportional to the distance to this neighbour.

    Examples
    --------
    >>> density_flip_proba([[0.0], [1.0], [2.0], [7.0]], rate=0.2, n_neighbors=1)
    array([0.1, 0.1, 0.1, 0.5])
    """
    X = check_array(X, ensure_min_samples=2)
    k = check_count("n_neighbors", n_neighbors, high=len(X) - 1)
    distances, _ = NeighborIndex(X).others(k)
    reach = distances[:, -1]
    # Where all rows are the same none of them is outlying, and all are equally likely to flip.
    return _scale_to(rate, reach / reach.max() if reach.max() > 0 else np.ones(len(X)))


def gaussian_flip_proba(
    X: Any, y: Any, rate: Any, *, kind: str = "exponential", cutoff: float = 1.0
) -> np.ndarray:
    """Misallocation along the discriminant axis of two classes (Chhikara and McKeon 1984).

    A row is mislabelled the more easily the further it lies from the mean of its class towards the
    other class; ``u`` measures that in standard deviations along Fisher's discriminant.

    Parameters
    ----------
    X, y : arrays of shape (n, d) and (n,)
        Features, and labels of two classes.
    rate : float or pair of floats
        Expected fraction of wrong labels in each class if the classes are Gaussian; below 1/2.
    kind : {"exponential", "truncated"}, default="exponential"
        ``1 - exp(-kappa u² / 2)`` for u > 0, or a constant for u > ``cutoff``.
    cutoff : float, default=1
        Where truncated noise begins.

    Notes
    -----
    ``kappa = (1 - 2 rate)^-2 - 1``: the mean of the flip probability over a standard normal u is
    then ``rate``. Equation 7 of Frénay and Verleysen's survey prints the constant without the -1,
    which gives a mean of 0.146 at rate 0.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    >>> gaussian_flip_proba(X, [0, 0, 1, 1], 0.2).round(2)
    array([0.  , 0.36, 0.36, 0.  ])
    """
    check_choice("kind", kind, ("exponential", "truncated"))
    X = check_array(X)
    classes, codes = check_labels(y)
    check_consistent_length(X, codes)
    if len(classes) != 2:
        raise ValueError(f"gaussian_flip_proba is for two classes; y holds {len(classes)}.")
    rates = np.array(
        [check_fraction("rate", r, high=0.5) for r in np.broadcast_to(rate, 2).tolist()]
    )
    u = _project_towards_other_class(X, codes)
    per_row = rates[codes]
    if kind == "truncated":
        check_fraction("cutoff", cutoff, low=-8, high=8)
        return np.where(u > cutoff, _compute_truncated_level(per_row, cutoff), 0.0)
    # Half of a Gaussian class lies beyond its mean: flipping all of it takes an infinite kappa.
    if rates.max() == 0.5:
        raise ValueError("exponential noise needs a rate below 0.5.")
    kappa = (1 - 2 * per_row) ** -2 - 1
    return np.where(u > 0, -np.expm1(-0.5 * kappa * u**2), 0.0)


def _project_towards_other_class(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Distance from the own class mean towards the other, in deviations along Fisher's axis."""
    means = np.array([X[codes == c].mean(axis=0) for c in (0, 1)])
    centred = X - means[codes]
    within = np.atleast_2d(centred.T @ centred) / max(len(X) - 2, 1)  # two means were estimated
    # Least squares and not an inverse: features that depend on each other make `within` singular.
    axis = np.linalg.lstsq(within, means[1] - means[0], rcond=None)[0]
    width = np.sqrt(axis @ within @ axis)
    if not width > 0:
        raise ValueError("the two classes have the same mean or no spread: there is no axis.")
    return np.where(codes == 0, 1, -1) * (centred @ axis) / width


def _compute_truncated_level(rates: np.ndarray, cutoff: float) -> np.ndarray:
    level = rates / norm.sf(cutoff)
    if level.max() > 1:
        warn_user(
            f"only {norm.sf(cutoff):.3g} of a class lies beyond cutoff={cutoff:g}, less than the "
            f"rate {rates.max():.3g}: all of it is flipped.",
            NoiseWarning,
        )
    return np.minimum(level, 1)


def _scale_to(rate: float, shape: np.ndarray) -> np.ndarray:
    """``min(1, s * shape)`` with the factor s that makes the mean equal to ``rate``."""
    rate = check_fraction("rate", rate)
    reachable = np.count_nonzero(shape) / len(shape)
    if rate > reachable + 1e-12:
        raise ValueError(
            f"rate={rate:g} is out of reach: at most {reachable:.6g} of the rows can be flipped."
        )
    # With the m largest entries at one, the others must make up the rest in proportion.
    # The right m is the first for which none of the others would exceed one.
    descending = np.sort(shape)[::-1]
    rest = np.cumsum(descending[::-1])[::-1]
    needed = rate * len(shape) - np.arange(len(shape))
    factors = np.divide(needed, rest, out=np.zeros(len(shape)), where=rest > 0)
    m = int(np.argmax(factors * descending <= 1 + 1e-12))
    return np.minimum(1, max(factors[m], 0) * shape)


def _check_flip_proba(flip_proba: Any, n: int) -> np.ndarray:
    """Return one probability for each of ``n`` rows."""
    p = np.asarray(flip_proba, dtype=float)
    if p.shape != (n,):
        raise ValueError(
            f"flip_proba must hold one probability per row, {n}; its shape is {p.shape}."
        )
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(f"flip_proba[{row}] = {p[row]} is not a probability.")
    return p


def _check_target(target: Any, shape: tuple[int, int]) -> np.ndarray:
    """Return a matrix of this shape that holds finite weights of at least 0."""
    weights = np.asarray(target, dtype=float)
    if weights.shape != shape:
        raise ValueError(f"target must have shape {shape}, not {weights.shape}.")
    if not np.all(np.isfinite(weights)) or weights.min() < 0:
        raise ValueError("target holds a weight that is negative or not finite.")
    return weights


def disturb_targets(
    y: Any,
    rate: float,
    *,
    kind: str = "swap",
    by: Any = None,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Put wrong numbers into the targets of a regression, and tell which.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets; missing ones stay so.
    rate : float
        Fraction of the targets that are changed, to the nearest row.
    kind : {"swap", "gross", "shift", "unit"}, default="swap"
        The value of another row; 3 to 10 standard deviations up or down, ten times too much or too
        little, or the sign lost, each as often; 1.5 standard deviations up or down; times 2.54, in
        a third of the table.
    by : array-like of shape (n,), optional
        For "unit": the third with the largest of these numbers. Any third by default.
    random_state : int, RandomState or None
        Fix it to get the same noise again.

    Returns
    -------
    noisy : array of float of shape (n,)
    changed : array of bool of shape (n,)
        Where ``noisy`` differs from ``y``: a value swapped for an equal one is no error.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.noise import disturb_targets
    >>> noisy, changed = disturb_targets(np.arange(100.0), 0.1, random_state=0)
    >>> int(changed.sum())
    10
    """
    check_choice("kind", kind, TARGET_NOISE)
    check_fraction("rate", rate)
    targets = np.array(y, dtype=float)
    random = check_random_state(random_state)
    there = np.flatnonzero(~np.isnan(targets))
    rows = _draw_rows(there, round(rate * len(there)), by, kind, random)
    noisy = targets.copy()
    spread = float(np.std(targets[there])) if len(there) else 0.0
    noisy[rows] = _make_wrong(kind, targets, rows, there, spread, random)
    changed = np.zeros(len(targets), dtype=bool)
    changed[rows] = noisy[rows] != targets[rows]
    return noisy, changed


def _draw_rows(there: np.ndarray, number: int, by: Any, kind: str, random: Any) -> np.ndarray:
    """Rows that get a wrong number; those of units from one part of the table."""
    if kind == "unit":
        size = max(number, round(REGION * len(there)))
        order = random.permutation(len(there)) if by is None else np.argsort(-np.asarray(by)[there])
        there = there[order[:size]]
    return random.choice(there, number, replace=False)


def _make_wrong(
    kind: str, targets: np.ndarray, rows: np.ndarray, there: np.ndarray, spread: float, random: Any
) -> np.ndarray:
    values = targets[rows]
    side = random.choice([-1.0, 1.0], len(rows))
    if kind == "swap":
        return targets[random.choice(there, len(rows))]
    if kind == "shift":
        return values + SHIFT * spread * side
    if kind == "unit":
        return INCH * values
    off = values + side * random.uniform(*GROSS, len(rows)) * spread
    ways = np.stack([off, 10 * values, values / 10, -values])
    return ways[random.randint(len(ways), size=len(rows)), np.arange(len(rows))]


def shift_boundaries(
    y: Any,
    width: float,
    *,
    states: Any = None,
    lengths: Any = None,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Move the onset and the end of labelled segments, as a hurried annotator would.

    Each onset and end of a segment of duration D moves by a whole number of samples drawn
    uniformly from ±``width`` D; a boundary between two such segments moves by both. No segment
    disappears, their order stays, and the ends of a sequence do not move.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of consecutive samples.
    width : float in [0, 1]
        Largest move, as a fraction of the segment's duration.
    states : sequence of labels, optional
        Which segments have uncertain boundaries, all when not given. Frénay's study of
        electrocardiograms takes the P and T waves.
    lengths : sequence of int, optional
        Lengths of the sequences that ``y`` holds one after the other; one sequence by default.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    noisy : array of shape (n,)
        The labels with moved boundaries.
    moved : array of bool of shape (n,)
        Samples whose label is now wrong.

    Examples
    --------
    >>> y = list("BBBBBPPPPPPPPBBBBB")
    >>> noisy, moved = shift_boundaries(y, 0.5, states=["P"], random_state=3)
    >>> "".join(noisy)
    'BBBBBBBPPPPPPPPPBB'
    >>> int(moved.sum())
    5
    """
    width = check_fraction("width", width)
    labels = np.asarray(y)
    classes, codes = check_labels(labels)
    uncertain = np.isin(classes, classes if states is None else np.asarray(states))
    if not uncertain.any():
        raise ValueError(f"none of the states {list(states)} occurs in y ({classes.tolist()}).")
    random = check_random_state(random_state)
    parts = np.split(codes, np.cumsum(check_lengths(lengths, len(codes)))[:-1])
    moved_codes = np.concatenate([_shift_one(part, width, uncertain, random) for part in parts])
    return classes[moved_codes].astype(labels.dtype), moved_codes != codes


def _shift_one(
    codes: np.ndarray, width: float, uncertain: np.ndarray, random: np.random.RandomState
) -> np.ndarray:
    starts = np.flatnonzero(np.r_[True, codes[1:] != codes[:-1]])
    states = codes[starts]
    durations = np.diff(np.r_[starts, len(codes)])
    reach = width * durations * uncertain[states]
    # Drawn for segments that may not move too (their reach is zero): with one seed the others move
    # alike whichever `states` are given.
    moves = random.uniform(-reach, reach, size=(2, len(reach)))
    onset_moves, end_moves = np.rint(moves).astype(int)
    # A boundary is the onset of one segment and the end of the one before.
    wanted = starts[1:] + onset_moves[1:] + end_moves[:-1]
    return np.repeat(states, np.diff(np.r_[0, _keep_apart(wanted, len(codes)), len(codes)]))


def _keep_apart(boundaries: np.ndarray, n: int) -> np.ndarray:
    """Push boundaries right, then left, until every segment keeps a sample."""
    place = np.arange(1, len(boundaries) + 1)
    rightwards = np.maximum.accumulate(np.maximum(boundaries, place) - place) + place
    return np.minimum(rightwards, n - place[::-1])
