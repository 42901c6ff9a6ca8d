"""A certificate: what verdicts on rows drawn with known probabilities prove about a table.

How they are drawn says ``errata.audit_folder._piles``. Both piles together are one order of draws,
and rows count along it up to the first that nobody has looked at. Bounds hold whenever a review
stops (``_anytime``), or for a number of verdicts that was fixed before the first of them
(``_intervals``), which proves a little more.
"""

from typing import Any, NamedTuple

import numpy as np

from ._anytime import Draws, ListBound
from ._intervals import at_least_wrong, at_most_wrong

HALF_WIDTH = 0.03  # of the interval that the number of further verdicts is told for
TELLING = 20  # verdicts from which it is told
DISAGREE = 0.05  # of what foretold the verdicts: the audit did not, if it is less


class Certificate(NamedTuple):
    """What holds with 95 % confidence, whatever the models did.

    *Guaranteed*: the fraction of wrong labels lies between ``low`` and ``high`` at all times of at
    least 95 of 100 reviews, and so, by itself, does the precision of the list of ``listed`` rows
    reach ``precision``. Neither rests on the noise model: where the audit is worthless the interval
    is wider, not wrong. *Assumed*: the verdicts are right, and the piles were drawn as
    :func:`draw_piles` draws them. A row that nobody could tell counts as wrong for the upper and
    as right for the lower bound; with such rows each bound holds by itself with 95 %.
    """

    rate: float  # estimated fraction of wrong labels
    low: float
    high: float
    verdicts: int  # on rows drawn, along their order
    precision: float  # that was asked for
    listed: int  # so many of the most suspicious rows are wrong that often at least; 0 for none
    list_verdicts: int  # on suspects drawn
    list_low: float  # fraction of all suspects that is wrong, at least
    fixed: int | None = None  # verdicts that were fixed in advance; None: valid whenever one stops
    more: int | None = None  # verdicts until low and high are 3 % from their middle, about
    agrees: bool = True  # whether the audit foretold the verdicts at all


def certify(
    piles: dict[str, Any],
    suspicion: np.ndarray,
    flagged: np.ndarray,
    verdicts: dict[int, bool | None],
    *,
    p_wrong: np.ndarray | None = None,
    known: np.ndarray | None = None,
    unlabelled: np.ndarray | None = None,
    precision: float = 0.5,
    fixed: int | None = None,
) -> Certificate:
    """Bound the noise rate and the precision of the list by verdicts alone.

    Parameters
    ----------
    piles : dict
        What :func:`draw_piles` gave.
    suspicion, flagged : arrays of shape (n,)
        What the audit said.
    verdicts : dict
        By row: whether its label is wrong; None where somebody looked and could not say.
    p_wrong : array of shape (n,), optional
        What the audit said before any verdict, never updated by them; ``suspicion`` by default. The
        better it is, the narrower the interval; it holds whatever it is.
    known : array of bool of shape (n,), optional
        Rows whose label was certain before, which are in no pile.
    unlabelled : array of bool of shape (n,), optional
        Rows without a label, which are in no pile either: the noise rate is that of labels.
    precision : float, default=0.5
        Of the list that is looked for: the longest one that reaches it for certain.
    fixed : int, optional
        A number of verdicts that was fixed before the first of them. Bounds are of the first so
        many rows drawn then, and nothing is proven before. By default they hold whenever one stops.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.review.inference import draw_piles
    >>> random = np.random.default_rng(0)
    >>> p = np.where(np.arange(2000) < 100, 0.9, 0.01)
    >>> wrong, flagged = random.random(2000) < p, p > 0.5
    >>> piles = draw_piles(flagged, random)
    >>> looked_at = [row for row, _, _ in piles["calibration"]] + piles["spot"][:60]
    >>> found = certify(piles, p, flagged, {row: bool(wrong[row]) for row in looked_at})
    >>> round(float(wrong.mean()), 3), round(found.low, 3), round(found.high, 3)
    (0.056, 0.033, 0.171)
    """
    labelled = np.ones(len(flagged), dtype=bool) if unlabelled is None else ~unlabelled
    unknown = labelled if known is None else labelled & ~known
    members = (flagged & unknown, ~flagged & unknown)
    order = [row for row, *_ in piles["calibration"]] + list(piles["spot"])
    drawn = order[: next((i for i, row in enumerate(order) if row not in verdicts), len(order))]
    looked_at = len(drawn)
    if fixed is not None:
        drawn = drawn[:fixed] if looked_at >= fixed else []
    expected = suspicion if p_wrong is None else p_wrong
    n = max(int(labelled.sum()), 1)
    if_right = _count_draws(drawn, members, verdicts, expected, unsure_is_wrong=False)
    if_wrong = _count_draws(drawn, members, verdicts, expected, unsure_is_wrong=True)
    if fixed is None:
        low, high = if_right.bounds()
        if if_wrong != if_right:
            _, high = if_wrong.bounds()
    else:
        low = at_least_wrong(if_right)
        high = at_most_wrong(if_wrong)
    suspects = [row for row in drawn if members[0][row]]
    bound = _bound_list(suspects, members[0], suspicion, verdicts)
    return Certificate(
        rate=float(np.clip(_estimate(if_right), low, high)) / n,
        low=low / n,
        high=high / n,
        verdicts=looked_at,
        precision=precision,
        listed=bound.longest(precision) if suspects else 0,
        list_verdicts=len(suspects),
        list_low=float(bound.wrong[-1] / len(bound.wrong)) if suspects else 0.0,
        fixed=fixed,
        more=if_right.more_verdicts(HALF_WIDTH) if fixed is None and looked_at >= TELLING else None,
        agrees=if_right.audit_share() >= DISAGREE,
    )


def _count_draws(
    drawn: list[int],
    members: tuple[np.ndarray, np.ndarray],
    verdicts: dict[int, bool | None],
    expected: np.ndarray,
    *,
    unsure_is_wrong: bool,
) -> Draws:
    """What is known of suspects and others."""
    counts: list[tuple[int, int, int, float, int, int]] = []
    for member in members:
        rows = int(member.sum())
        told = [verdicts[row] for row in drawn if member[row]]
        wrong = sum(unsure_is_wrong if verdict is None else verdict for verdict in told)
        decided = [verdict for row, verdict in verdicts.items() if member[row]]
        right = decided.count(False)
        foretold = float(expected[member].mean()) if rows else 0.5
        # What nobody could tell is whatever the bound takes it for.
        least = decided.count(True) + (decided.count(None) if unsure_is_wrong else 0)
        most = rows - right - (0 if unsure_is_wrong else decided.count(None))
        counts.append((rows, len(told), wrong, foretold, least, most))
    return Draws(*(tuple(column) for column in zip(*counts, strict=True)))


def _estimate(draws: Draws) -> float:
    """Number of wrong labels by the rows drawn; where none were, the middle of what is possible."""
    counts = zip(draws.rows, draws.drawn, draws.wrong, draws.limits, strict=True)
    return sum(rows * x / n if n else (low + high) / 2 for rows, n, x, (low, high) in counts)


def _bound_list(
    drawn: list[int], suspects: np.ndarray, suspicion: np.ndarray, verdicts: dict[int, bool | None]
) -> ListBound:
    """What rows drawn from the list of suspects, and all others decided, prove of its lengths."""
    rows = np.flatnonzero(suspects)
    in_order = rows[np.argsort(-suspicion[rows], kind="stable")]
    rank = {row: place for place, row in enumerate(in_order.tolist())}
    found = [rank[row] for row, wrong in verdicts.items() if wrong and row in rank]
    ranks = [rank[row] for row in drawn]
    return ListBound(len(rows), ranks, [bool(verdicts[row]) for row in drawn], found)
