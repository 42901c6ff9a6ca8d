"""Slips that would explain a wrong number: a digit too many, a lost sign, another unit."""

from collections import Counter
from collections.abc import Callable

import numpy as np

# The simpler ones first: of two that explain a number, the first is named.
SLIPS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sign": lambda wrong: -wrong,
    "x10": lambda wrong: wrong / 10,
    "/10": lambda wrong: wrong * 10,
    "x100": lambda wrong: wrong / 100,
    "/100": lambda wrong: wrong * 100,
    "x1000": lambda wrong: wrong / 1000,
    "/1000": lambda wrong: wrong * 1000,
    "x2.54": lambda wrong: wrong / 2.54,
    "/2.54": lambda wrong: wrong * 2.54,
}

LONG_LEAP = 5  # widths of the interval

WORDS = {
    "sign": "a lost or added minus sign",
    "x10": "a factor of ten",
    "/10": "a factor of ten",
    "x100": "a factor of a hundred",
    "/100": "a factor of a hundred",
    "x1000": "a factor of a thousand",
    "/1000": "a factor of a thousand",
    "x2.54": "inches and centimetres confused",
    "/2.54": "inches and centimetres confused",
}


def hints_for(targets: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The slip that explains each wrong number; empty where none does.

    A slip explains a number when undoing it leads into the interval of right ones. It must lead
    twice as far as the interval is wide, a change of units three times: in a wide one, any slip
    would end by chance.

    Examples
    --------
    >>> hints_for(np.array([213.0, -20.5, 35.0]), low=np.full(3, 18.0), high=np.full(3, 24.0))
    array(['x10', 'sign', ''], dtype=object)
    """
    hints = np.full(len(targets), "", dtype=object)
    width = high - low
    for name, undo in reversed(SLIPS.items()):
        undone = undo(targets)
        leap = _leap(targets, undone, low, high)
        # One right number in ten is outside of the interval: after a long leap, it may be near.
        slack = np.where(leap > LONG_LEAP, width / 4, 0.0)
        explains = (low - slack <= undone) & (undone <= high + slack)
        hints[explains & (leap > (3 if name.endswith("2.54") else 2))] = name
    return hints


def _leap(targets: np.ndarray, undone: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How far undoing a slip leads, in widths of the interval.

    Of positive numbers both are ratios: a factor of a hundred is a long way down, too.
    """
    ratios = (low > 0) & (targets > 0) & (undone > 0)

    def apart(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        logs = np.log(np.where(ratios, one, 1.0)) - np.log(np.where(ratios, other, 1.0))
        return np.abs(np.where(ratios, logs, one - other))

    with np.errstate(over="ignore"):  # a single value is expected: any way there is long
        return apart(undone, targets) / np.maximum(apart(high, low), np.finfo(float).tiny)


def without_slips(targets: np.ndarray, hints: np.ndarray) -> np.ndarray:
    """Numbers with the slips that :func:`hints_for` has named undone, others as they are.

    Examples
    --------
    >>> without_slips(np.array([213.0, 20.0]), np.array(["x10", ""], dtype=object))
    array([21.3, 20. ])
    """
    undone = np.array(targets, dtype=float)
    for name, undo in SLIPS.items():
        here = hints == name
        undone[here] = undo(undone[here])
    return undone


def hints_in_words(hints: np.ndarray) -> list[str]:
    """How many numbers look like which slip, the most frequent first.

    Examples
    --------
    >>> hints_in_words(np.array(["x10", "", "/10", "sign"], dtype=object))
    ['2 look like a factor of ten', '1 looks like a lost or added minus sign']
    """
    found = Counter(WORDS[hint] for hint in hints.tolist() if hint)
    return [
        f"{number:,} {'looks' if number == 1 else 'look'} like {words}"
        for words, number in found.most_common()
    ]
