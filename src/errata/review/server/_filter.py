"""Which rows to look at: a queue and conditions, which are in the address of the page."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from urllib.parse import urlencode

from ..._format import listed

QUEUES = ("suspects", "calibration", "spot", "disputed", "all")
STATES = ("unseen", "seen", "skipped", "decided", "ambiguous", "unusable", "disputed")


@dataclass(frozen=True)
class RowFilter:
    """A queue and conditions; what is empty does not matter."""

    queue: str
    label: str = ""  # classes as decisions keep them: JSON
    suggested: str = ""
    decided: str = ""  # `class` in the address, which is a word of Python's
    state: str = ""
    reviewer: str = ""
    witness: str = ""
    low: str = ""
    high: str = ""
    text: str = ""

    @property
    def is_narrow(self) -> bool:
        """Whether there is any condition."""
        return self != RowFilter(self.queue)

    @property
    def query(self) -> str:
        """The filter as the end of an address."""
        return urlencode(self.pairs)

    @property
    def pairs(self) -> dict[str, str]:
        """What is not empty, by its name in the address."""
        given = {_NAMES.get(name, name): getattr(self, name) for name in _FIELDS}
        return {name: value for name, value in given.items() if value}

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and largest probability of a wrong label."""
        return float(self.low or 0), float(self.high or 1)


_NAMES = {"decided": "class"}
_FIELDS = [each.name for each in fields(RowFilter)]


def read_filter(given: Mapping[str, str], start: str) -> RowFilter:
    """The filter of an address or a form; raise where it cannot be.

    >>> read_filter({"queue": "spot", "low": "0.2", "row": "7"}, "suspects").query
    'queue=spot&low=0.2'
    >>> read_filter({"low": "much"}, "suspects")
    Traceback (most recent call last):
    ValueError: low is 'much'; give a probability between 0 and 1.
    """
    values = {name: given.get(_NAMES.get(name, name), "") for name in _FIELDS}
    values["queue"] = values["queue"] or start
    _check_choice("queue", values["queue"], QUEUES)
    if values["state"]:
        _check_choice("state", values["state"], STATES)
    for name in ("low", "high"):
        _check_probability(name, values[name])
    return RowFilter(**values)


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(f"there is no {name} {value!r}; there are {listed(choices)}.")


def _check_probability(name: str, value: str) -> None:
    try:
        fits = 0 <= float(value or 0) <= 1
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"{name} is {value!r}; give a probability between 0 and 1.")
