"""A certificate: what verdicts on rows drawn with known probabilities prove about a table.

How they are drawn says ``errata.audit_folder._piles``.
"""

from typing import Any, NamedTuple

import numpy as np

from ...audit_folder import OTHERS, SUSPECTS
from ._intervals import Stratum, at_least, at_least_wrong, at_most_wrong


class Certificate(NamedTuple):
    """What holds with 95 % confidence, whatever the models did.

    *Guaranteed*: the fraction of wrong labels lies between ``low`` and ``high`` in at least 95 of
    100 reviews, and so, by itself, does the precision of the list of ``listed`` rows reach
    ``precision``. Neither rests on the noise model: the audit only says which rows are drawn from
    together, and where it is worthless the interval is wider, not wrong. *Assumed*: the verdicts
    are right, the piles were drawn as :func:`draw_piles` draws them, rows were taken from the top
    of a pile, and how many were taken was not decided by what they showed. Rows of a pile without
    a verdict count as wrong for the upper and as right for the lower bound.
    """

    rate: float  # estimated fraction of wrong labels
    low: float
    high: float
    verdicts: int  # on rows of the piles
    precision: float  # that was asked for
    listed: int  # so many of the most suspicious rows are wrong that often at least; 0 for none
    list_verdicts: int  # on suspects of the calibration pile
    list_low: float  # fraction of all suspects that is wrong, at least


def certify(
    piles: dict[str, Any],
    suspicion: np.ndarray,
    flagged: np.ndarray,
    verdicts: dict[int, bool | None],
    *,
    known: np.ndarray | None = None,
    unlabelled: np.ndarray | None = None,
    precision: float = 0.5,
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
    known : array of bool of shape (n,), optional
        Rows whose label was certain before, which are in no pile.
    unlabelled : array of bool of shape (n,), optional
        Rows without a label, which are in no pile either: the noise rate is that of labels.
    precision : float, default=0.5
        Of the list that is looked for: the longest one that reaches it for certain.

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
    >>> bool(found.low <= wrong.mean() <= found.high), found.listed
    (True, 100)
    """
    suspects = _rows_drawn(piles, verdicts, SUSPECTS)
    others = _rows_drawn(piles, verdicts, OTHERS)
    labelled = np.ones(len(flagged), dtype=bool) if unlabelled is None else ~unlabelled
    unknown = labelled if known is None else labelled & ~known
    drawn = (suspects, flagged & unknown), (others, ~flagged & unknown)
    low = at_least_wrong([_stratum(rows, part, verdicts, False) for rows, part in drawn])
    high = at_most_wrong([_stratum(rows, part, verdicts, True) for rows, part in drawn])
    found = [bool(verdicts[row]) for row in suspects]
    n = max(int(labelled.sum()), 1)
    rate = sum(_estimate(_stratum(rows, part, verdicts, False)) for rows, part in drawn) / n
    return Certificate(
        rate=float(np.clip(rate, low / n, high / n)),
        low=low / n,
        high=high / n,
        verdicts=len(suspects) + len(others),
        precision=precision,
        listed=_longest_list(suspicion, flagged, np.array(suspects, dtype=int), found, precision),
        list_verdicts=len(suspects),
        list_low=at_least(sum(found), len(found)) if found else 0.0,
    )


def _rows_drawn(piles: dict[str, Any], verdicts: dict[int, bool | None], name: str) -> list[int]:
    """Rows from the tops of the piles that were looked at, of one stratum."""
    calibration = [row for row, _, where in piles["calibration"] if where == name]
    spot = piles["spot"] if name == OTHERS else []
    return [row for pile in (calibration, spot) for row in _from_the_top(pile, verdicts)]


def _from_the_top(pile: list[int], verdicts: dict[int, bool | None]) -> list[int]:
    """Rows of a pile before the first that nobody has looked at."""
    unseen = (place for place, row in enumerate(pile) if row not in verdicts)
    return pile[: next(unseen, len(pile))]


def _stratum(
    drawn: list[int], member: np.ndarray, verdicts: dict[int, bool | None], otherwise: bool
) -> Stratum:
    """What is known of the rows of a stratum; ``otherwise`` is for those that nobody could tell.

    Where every row was decided no draw is needed.
    """
    rows = int(member.sum())
    decided = [wrong for row, wrong in verdicts.items() if member[row] and wrong is not None]
    found = [otherwise if verdicts[row] is None else bool(verdicts[row]) for row in drawn]
    least = sum(decided)
    most = rows - len(decided) + sum(decided)
    found = [] if least == most else found
    return Stratum(rows, len(found), sum(found), least, most)


def _estimate(stratum: Stratum) -> float:
    """Number of wrong labels by the rows drawn, within what is certain."""
    if not stratum.drawn:
        return (stratum.least + stratum.most) / 2
    return stratum.rows * stratum.wrong / stratum.drawn


def _longest_list(
    suspicion: np.ndarray,
    flagged: np.ndarray,
    drawn: np.ndarray,
    found: list[bool],
    precision: float,
) -> int:
    """Length of the longest list of suspects of which so large a fraction is wrong for certain.

    Suspects are drawn uniformly, so those of any list are a uniform sample of it. Lists are tested
    from the shortest that could pass to the longest, and the first that fails ends it: so all
    of the tests together err as seldom as one.
    """
    order = np.flatnonzero(flagged)[np.argsort(-suspicion[flagged], kind="stable")]
    ranks = np.argsort(np.argsort(-suspicion[flagged], kind="stable"))
    rank = dict(zip(np.flatnonzero(flagged).tolist(), ranks.tolist(), strict=True))
    places = np.array([rank[row] for row in drawn.tolist()], dtype=int)
    by_place = np.argsort(places)
    wrong = np.cumsum(np.array(found, dtype=int)[by_place])
    longest = 0
    for n in range(1, len(places) + 1):
        if at_least(n, n) < precision:
            continue  # too few rows to tell, whatever they are
        if at_least(int(wrong[n - 1]), n) < precision:
            break
        longest = int(places[by_place[n]]) if n < len(places) else len(order)
    return longest
