"""Wrong numbers, and boundaries of segments that an annotator put too early or too late."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._validation import check_choice, check_fraction, check_labels, check_lengths

TARGET_NOISE = ("swap", "gross", "shift", "unit")
GROSS = (3.0, 10.0)  # standard deviations that a gross error is off by, at least and at most
SHIFT = 1.5
INCH = 2.54
REGION = 1 / 3  # of the table, in which units are confused


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
    rows = _draw_rows(there, round(rate * len(there)), by if kind == "unit" else None, kind, random)
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
