"""Agreement: how often two reviewers say the same, beyond what chance would give."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

from ._consensus import DISPUTED, SKIPPED, RowVerdict, opinion
from ._event import Event

Opinion = tuple[str, str | None]


class Pair(NamedTuple):
    """Two reviewers, the rows both decided, how many alike, and Cohen's kappa.

    ``kappa`` is None where both always said one and the same thing, or decided no row both.
    """

    first: str
    second: str
    rows: int
    alike: int
    kappa: float | None


class Agreement(NamedTuple):
    """Agreement of every two reviewers, and the rows on which they do not agree."""

    pairs: list[Pair]
    disputed: list[str]


def agreement(
    last: Mapping[tuple[str, str], Event], verdicts: Mapping[str, RowVerdict]
) -> Agreement:
    """Agreement from the last verdict of each reviewer on each row; who skips says nothing."""
    said: dict[str, dict[str, Opinion]] = defaultdict(dict)
    for (row_key, reviewer), event in last.items():
        told = opinion(event)
        if told[0] != SKIPPED:
            said[reviewer][row_key] = told
    pairs = [_pair(a, b, said[a], said[b]) for a, b in combinations(sorted(said), 2)]
    disputed = sorted(key for key, verdict in verdicts.items() if verdict.state == DISPUTED)
    return Agreement(pairs, disputed)


def _pair(first: str, second: str, a: dict[str, Opinion], b: dict[str, Opinion]) -> Pair:
    both = [(a[key], b[key]) for key in a.keys() & b.keys()]
    alike = sum(x == y for x, y in both)
    return Pair(first, second, len(both), alike, _kappa(both, alike))


def _kappa(both: list[tuple[Opinion, Opinion]], alike: int) -> float | None:
    """(observed - chance) / (1 - chance) agreement (Cohen, 1960)."""
    n = len(both)
    ours, theirs = Counter(a for a, _ in both), Counter(b for _, b in both)
    by_chance = sum(ours[told] * theirs[told] for told in ours)  # times n squared
    if by_chance == n * n:
        return None
    return (n * alike - by_chance) / (n * n - by_chance)
