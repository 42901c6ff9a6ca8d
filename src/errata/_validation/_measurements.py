"""Labels that are numbers: names of classes, or a measurement that nobody meant to be one."""

from typing import Any

import numpy as np

from .._format import count, listed

MANY_NUMBERS = 30  # different numbers from which they may be a measurement
MANY_FRACTIONS = 10  # the same for numbers with fractions; grades and ratings are as many
FEW_ROWS = 10  # of each number on average, below which many of them are taken for one


def check_no_measurement(classes: Any, n: int, name: str) -> None:
    """Raise when the distinct labels of ``n`` rows look like a measurement, not like classes."""
    numbers = numbers_of(classes)
    if numbers is None or not is_measurement(numbers, n):
        return
    some = listed((f"{number:g}" for number in numbers), most=3).partition(" and ")[0]
    raise ValueError(
        f"{name} holds {count(len(numbers))} different numbers in {count(n)} rows ({some}, ...), "
        "which looks like a continuous measurement and not like classes: use errata.audit_targets, "
        "or --target on the command line. If they are the names of classes, put a letter in front "
        "of them."
    )


def measurement_note(classes: Any) -> list[str]:
    """A sentence about labels that are many numbers, which may be classes all the same."""
    numbers = numbers_of(classes)
    if numbers is None:
        return []
    if len(numbers) <= (MANY_FRACTIONS if np.any(numbers % 1) else MANY_NUMBERS):
        return []
    return [
        f"The labels are {count(len(numbers))} different numbers and were taken for classes. If "
        "they measure something, near numbers are no errors of labelling: name another column, or "
        "sort the numbers into classes such as low and high."
    ]


def is_measurement(numbers: np.ndarray, n: int) -> bool:
    """Whether so many numbers, each of so few rows, are hardly classes.

    Numbers with fractions are not, when there are many. Whole numbers that count from 0 or 1
    without a gap are what encoders of labels make, and pass.

    >>> is_measurement(np.linspace(36, 41, 51), 5000), is_measurement(np.arange(200), 1000)
    (True, False)
    >>> is_measurement(np.arange(18, 90), 500), is_measurement(np.arange(18, 90), 5000)
    (True, False)
    """
    if len(numbers) <= MANY_NUMBERS:
        return False
    if np.any(numbers % 1):
        return True
    encoded = numbers.min() in (0, 1) and np.ptp(numbers) == len(numbers) - 1
    return n < FEW_ROWS * len(numbers) and not encoded


def numbers_of(classes: Any) -> np.ndarray | None:
    """The distinct labels as sorted numbers; None where one of them is a word or a code.

    >>> numbers_of(["2.5", "1"]), numbers_of(["01", "02"]), numbers_of(["cat", "1"])
    (array([1. , 2.5]), None, None)
    """
    names = np.asarray(classes)
    if names.dtype.kind == "b" or any(_is_code(name) for name in names.tolist()):
        return None
    try:
        numbers = np.unique(names.astype(float))
    except (TypeError, ValueError):
        return None
    return numbers if np.all(np.isfinite(numbers)) else None


def _is_code(name: Any) -> bool:
    """Text such as 01234, in which the first nought belongs to a name."""
    return isinstance(name, str) and name[:1] == "0" and name[1:2].isdigit()
