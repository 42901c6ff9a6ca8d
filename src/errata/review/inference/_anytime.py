r"""Bounds that hold whenever a review stops, also when it stops because of what it found.

Of the N_s rows of stratum s (suspects, others), K_s are wrong. Each stratum is shuffled once. After
n_s draws with x_s wrong, a given sequence of verdicts has, if k_s are wrong, the probability

.. math:: L(k) = \prod_s \binom{N_s - n_s}{k_s - x_s} / \binom{N_s}{k_s}

For any other probability Q of sequences of verdicts that was fixed before the first of them,
M(k) = Q / L(k) is a nonnegative martingale with mean 1 if k is the truth, whichever stratum each
draw comes from, as long as that choice looks only at verdicts already counted. By Ville's
inequality M(K) ever reaches 1 / alpha with a probability of at most alpha. A number of wrong labels
is left if some split of it into strata has M(k) < 1 / alpha.

Q is the narrower the better it foretells the verdicts: most of it is what the audit says, some of
it says that the audit is worthless. Whatever the audit is worth, the bounds hold.

References
----------
.. [1] I. Waudby-Smith, A. Ramdas, "Confidence sequences for sampling without replacement",
   NeurIPS 2020.
.. [2] S. Shekhar et al., "Risk-limiting financial audits via weighted sampling without
   replacement", UAI 2023.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil, exp, floor, inf, log, sqrt
from typing import Any

import numpy as np

ALPHA = 0.05
TOWARDS = 0.3  # of Q, that looks at the number of wrong labels which is tested
AUDIT_ROWS = (4.0, 32.0, 128.0)  # that what the audit says may be worth
SHIFTS = (-4.0, -2.0, -1.0, 1.0, 2.0)  # of its log-odds, worth SHIFTED_ROWS
SHIFTED_ROWS = 16.0
ASIDE = (-1.6, -0.8, -0.4, -0.2, 0.2, 0.4, 0.8, 1.6)  # log-odds beside the number that is tested
LEAST_SHARE = 0.15  # of the draws that come from the suspects
SPLITS = 41  # of a number of wrong labels into strata that are tried, and so many around the best
NEAR_ENOUGH = 2e-5  # of the rows: bounds of large tables are rounded outward by so much
GOLDEN = (sqrt(5) - 1) / 2
SHORTEST_LIST = 5


@dataclass(frozen=True)
class Draws:
    """Draws from the strata, suspects first, and what the audit said of them before.

    Examples
    --------
    >>> draws = Draws(rows=(50, 450), drawn=(6, 34), wrong=(5, 0), expected=(0.8, 0.02))
    >>> draws.bounds()
    (13, 101)
    """

    rows: tuple[int, ...]
    drawn: tuple[float, ...]
    wrong: tuple[float, ...]  # of those drawn
    expected: tuple[float, ...]  # mean p_wrong of the stratum, as the audit said before any verdict
    least: tuple[int, ...] | None = None  # wrong labels for certain, by verdicts on any row
    most: tuple[int, ...] | None = None  # that there can be at most

    @cached_property
    def limits(self) -> list[tuple[int, int]]:
        """The smallest and the largest number of wrong labels of each stratum."""
        least = self.least or (0,) * len(self.rows)
        most = self.most or self.rows
        return [
            (max(ceil(x), low), min(floor(rows - n + x), high))
            for rows, n, x, low, high in zip(
                self.rows, self.drawn, self.wrong, least, most, strict=True
            )
        ]

    def exchange(self) -> "Draws":
        """The draws with right and wrong exchanged."""
        return Draws(
            self.rows,
            self.drawn,
            tuple(n - x for n, x in zip(self.drawn, self.wrong, strict=True)),
            tuple(1 - m for m in self.expected),
            tuple(rows - high for rows, (_, high) in zip(self.rows, self.limits, strict=True)),
            tuple(rows - low for rows, (low, _) in zip(self.rows, self.limits, strict=True)),
        )

    def foretell(self) -> list[tuple[float, float, list[float]]]:
        """Ways to foretell the verdicts: log weight, log probability, rates now expected.

        The audit as it is or shifted; an audit that is worthless, one rate for all rows; anything;
        hardly anything wrong.
        """
        from scipy.special import expit, logit

        m = np.clip(self.expected, 0.005, 0.995)
        n = np.array(self.drawn, dtype=float)
        x = np.array(self.wrong, dtype=float)
        ways = [(0.30 / len(AUDIT_ROWS), c * m, c * (1 - m)) for c in AUDIT_ROWS]
        for shift in SHIFTS:
            moved = expit(logit(m) + shift)
            ways.append((0.15 / len(SHIFTS), SHIFTED_ROWS * moved, SHIFTED_ROWS * (1 - moved)))
        ways.append((0.25, np.full(len(m), 0.5), np.full(len(m), 0.5)))
        ways.append((0.10, np.full(len(m), 0.25), np.full(len(m), 25.0)))
        foretold = [
            (w, _log_beta_binomial(a, b, n, x), _compute_medians(a + x, b + n - x))
            for w, a, b in ways
        ]
        a = np.array([0.5])
        b = np.array([2.0])
        shared = _compute_medians(a + x.sum(), b + n.sum() - x.sum()) * len(m)
        foretold.append((0.20, _log_beta_binomial(a, b, n.sum(), x.sum()), shared))
        return [(log(weight), chance, rates) for weight, chance, rates in foretold]

    def audit_share(self) -> float:
        """How much of what foretold the verdicts is the audit, as it is or shifted."""
        foretold = [weight + chance for weight, chance, _ in self.foretell()]
        audit = foretold[: len(AUDIT_ROWS) + len(SHIFTS)]
        return exp(_log_sum(audit) - _log_sum(foretold))

    def log_foretold(self) -> float:
        """Logarithm of the probability of the verdicts by all that foretells them."""
        return _log_sum([weight + chance for weight, chance, _ in self.foretell()])

    def outer_bound(self, log_limit: float) -> float:
        """A number of wrong labels that is not exceeded, at a cost that rows do not change.

        For any slope s > 0, sum k <= (sum max_k (s k + log L(k)) - limit) / s: each slope gives a
        valid bound, so an inexact search is only wider.
        """

        def bound(log_slope: float) -> float:
            slope = exp(log_slope)
            strata = zip(self.rows, self.drawn, self.wrong, self.limits, strict=True)
            tops = [_find_top(slope, rows, n, x, limits) for rows, n, x, limits in strata]
            return (sum(tops) - log_limit) / slope

        return floor(_minimise(bound, -16.0, 7.0) + 1e-9)

    def log_martingale(self, split: np.ndarray, log_foretold: float) -> np.ndarray:
        """Logarithm of M for splits of shape (m, 2) into strata."""
        from scipy.special import expit, logit, xlogy

        likelihood = sum(
            _log_likelihood(split[:, s], self.rows[s], self.drawn[s], self.wrong[s])
            for s in range(2)
        )
        odds = logit(np.clip(split / np.array(self.rows), 1e-9, 1 - 1e-9))
        ways = []
        for aside in ASIDE:
            p = expit(odds + aside * self.leverage)
            x = np.array(self.wrong)
            right = np.array(self.drawn) - x
            ways.append((xlogy(x, p) + xlogy(right, 1 - p)).sum(axis=1))
        towards = np.logaddexp.reduce(ways, axis=0) - log(len(ASIDE))
        mixed = np.logaddexp(log(1 - TOWARDS) + log_foretold, log(TOWARDS) + towards)
        return mixed - likelihood

    @cached_property
    def leverage(self) -> np.ndarray:
        """How much a stratum counts in the table, beside its planned share of the draws."""
        rows = np.array(self.rows, dtype=float)
        return rows / rows.sum() / plan_shares(self.rows, np.clip(self.expected, 0.02, 0.98))

    def bounds(self, alpha: float = ALPHA) -> tuple[int, int]:
        """The smallest and the largest number of wrong labels in all that are left.

        The truth lies between them at all times of a review with a probability of 1 - alpha.
        """
        least = sum(low for low, _ in self.limits)
        most = sum(high for _, high in self.limits)
        foretold = self.log_foretold()
        towards = TOWARDS if len(self.rows) == 2 and min(self.rows) > 0 else 0.0
        limit = log(alpha * (1 - towards)) + foretold
        high = min(most, self.outer_bound(limit))
        low = max(least, sum(self.rows) - self.exchange().outer_bound(limit))
        if not towards or low >= high:
            return int(low), int(high)

        def is_left(total: int) -> bool:
            return self._best_split(total, foretold) < -log(alpha)

        estimate = sum(
            rows * (x / n if n else m)
            for rows, n, x, m in zip(self.rows, self.drawn, self.wrong, self.expected, strict=True)
        )
        start = int(np.clip(round(estimate), low, high))
        if not is_left(start):
            return int(low), int(high)
        return _search_bound(start, int(low), is_left, self.rows), _search_bound(
            start, int(high), is_left, self.rows
        )

    def _best_split(self, total: int, log_foretold: float) -> float:
        """The smallest logarithm of M of a number of wrong labels, over its splits."""
        (least, most), (other_least, other_most) = self.limits
        low = max(least, total - other_most)
        high = min(most, total - other_least)
        if low > high:
            return inf
        tried = np.unique(np.linspace(low, high, SPLITS).round().astype(int))
        found = self.log_martingale(np.column_stack([tried, total - tried]), log_foretold)
        best = int(found.argmin())
        near_low = tried[max(best - 1, 0)]
        near_high = tried[min(best + 1, len(tried) - 1)]
        near = np.unique(np.linspace(near_low, near_high, SPLITS).round().astype(int))
        closer = self.log_martingale(np.column_stack([near, total - near]), log_foretold)
        return float(min(found.min(), closer.min()))

    def more_verdicts(self, half_width: float) -> int | None:
        """About how many more verdicts until the interval is so narrow, if the rest is alike.

        None where it would take more than twenty times as many, or 8,000.
        """
        # It depends on rows that were drawn alone, and most verdicts are on others.
        return _foresee(replace(self, least=None, most=None), half_width)


@lru_cache(maxsize=8)
def _foresee(draws: Draws, half_width: float) -> int | None:
    foretold = draws.foretell()
    total = _log_sum([weight + chance for weight, chance, _ in foretold])
    shares = [exp(weight + chance - total) for weight, chance, _ in foretold]
    rates = np.array([rates for *_, rates in foretold]).T @ shares
    planned = plan_shares(draws.rows, rates)
    now = max(sum(draws.drawn), 1)

    def half_width_after(verdicts: float) -> float:
        more = np.minimum((verdicts - now) * planned, np.subtract(draws.rows, draws.drawn))
        wrong = np.add(draws.wrong, more * rates)
        later = Draws(draws.rows, tuple(np.add(draws.drawn, more)), tuple(wrong), draws.expected)
        limit = log(ALPHA) + later.log_foretold()
        width = later.outer_bound(limit) + later.exchange().outer_bound(limit)
        return (width / sum(draws.rows) - 1) / 2

    low = log(now)
    high = log(max(20 * now, 8_000))
    if half_width_after(exp(low)) <= half_width:
        return 0
    if half_width_after(exp(high)) > half_width:
        return None
    for _ in range(7):
        middle = (low + high) / 2
        if half_width_after(exp(middle)) <= half_width:
            high = middle
        else:
            low = middle
    return max(round(exp((low + high) / 2)) - int(now), 1)


def plan_shares(rows: Sequence[int], rates: Sequence[float] | np.ndarray) -> np.ndarray:
    """Shares of the draws that suspects and others should have, for a narrow interval."""
    u = np.asarray(rates, dtype=float)
    worth = np.array(rows, dtype=float) * np.sqrt(u * (1 - u))
    shares = worth / worth.sum() if worth.sum() > 0 else np.full(len(u), 1 / len(u))
    if len(shares) == 2 and shares[0] < LEAST_SHARE:
        shares = np.array([LEAST_SHARE, 1 - LEAST_SHARE])
    return shares


def _log_beta_binomial(a: np.ndarray, b: np.ndarray, n: np.ndarray, x: np.ndarray) -> float:
    from scipy.special import betaln

    return float(np.sum(betaln(a + x, b + n - x) - betaln(a, b)))


def _compute_medians(a: np.ndarray, b: np.ndarray) -> list[float]:
    from scipy.special import betaincinv

    return [float(median) for median in betaincinv(a, b, 0.5)]


def _log_sum(logs: Sequence[float]) -> float:
    return float(np.logaddexp.reduce(logs))


def _log_likelihood(k: np.ndarray, rows: int, n: float, x: float) -> np.ndarray:
    """Logarithm of L of a stratum."""
    return log_choose(rows - n, k - x) - log_choose(rows, k)


def log_choose(n: Any, k: Any) -> np.ndarray:
    """Logarithm of a binomial coefficient, also of numbers that are not whole."""
    from scipy.special import gammaln  # a quarter of a second, and not for the first card

    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)


def _find_top(slope: float, rows: int, n: float, x: float, limits: tuple[int, int]) -> float:
    """The largest of slope k + log L(k) over whole numbers within limits.

    It is concave: the factor from k - 1 to k passes 1 at a root of a quadratic.
    """
    r = exp(-slope)
    b = (rows - n + x - 1) - r * (rows + x - 1)
    c = (rows - n + x) + r * (x - 1) * rows
    a = r - 1
    root = (-b - sqrt(max(b * b - 4 * a * c, 0.0))) / (2 * a) if a else -c / b
    near = np.unique(np.clip(ceil(root) + np.array([-1, 0, 1]), *limits))
    return float((slope * near + _log_likelihood(near, rows, n, x)).max())


def _minimise(
    function: Callable[[float], float], low: float, high: float, steps: int = 24
) -> float:
    """The smallest value that a golden-section search meets."""
    left = high - GOLDEN * (high - low)
    right = low + GOLDEN * (high - low)
    at_left = function(left)
    at_right = function(right)
    best = min(at_left, at_right)
    for _ in range(steps):
        if at_left <= at_right:
            high = right
            right = left
            at_right = at_left
            left = high - GOLDEN * (high - low)
            at_left = function(left)
        else:
            low = left
            left = right
            at_left = at_right
            right = low + GOLDEN * (high - low)
            at_right = function(right)
        best = min(best, at_left, at_right)
    return best


def _search_bound(
    inside: int, outside: int, is_left: Callable[[int], bool], rows: Sequence[int]
) -> int:
    """The last number from ``inside`` towards ``outside`` that is left, rounded outward."""
    if is_left(outside):
        return outside
    near = max(NEAR_ENOUGH * sum(rows), 1)
    while abs(outside - inside) > near:
        middle = (inside + outside) // 2
        if is_left(middle):
            inside = middle
        else:
            outside = middle
    return inside if near == 1 else outside


def _choose_lengths(flagged: int) -> tuple[list[int], list[float]]:
    """Lengths of the list of suspects that are tested, and the share of alpha of each."""
    lengths = [flagged] if flagged else []
    while lengths and round(lengths[-1] / 2) >= SHORTEST_LIST:
        lengths.append(round(lengths[-1] / 2))
    shares = 0.5 ** np.arange(1, len(lengths) + 1)
    return lengths, (shares / shares.sum()).tolist()


def least_wrong(rows: int, drawn: int, wrong: int, alpha: float = ALPHA) -> int:
    """Wrong labels of a list that there are at least, at any time, by draws from it.

    Examples
    --------
    >>> least_wrong(100, 20, 14)
    42
    """
    from scipy.special import betainc, betaln

    if not wrong:
        return 0
    prior = float(betaln(0.5 + wrong, 0.5 + drawn - wrong) - betaln(0.5, 0.5))

    def is_left(k: int) -> bool:
        t = k / rows
        above = betainc(0.5 + drawn - wrong, 0.5 + wrong, 1 - t)
        if above <= 0:  # so few draws are wrong that no larger fraction would be believed
            return True
        cut = log(above) - log(betainc(0.5, 0.5, 1 - t)) if t < 1 else 0.0
        likelihood = float(_log_likelihood(np.array([k]), rows, drawn, wrong)[0])
        return prior + cut - likelihood < -log(alpha)

    # Beyond the estimate M would rise again where most rows of the list were drawn.
    low = wrong
    high = floor(wrong * rows / drawn)
    while low < high:
        middle = (low + high) // 2
        if is_left(middle):
            high = middle
        else:
            low = middle + 1
    return low


def rate_at_most(found: int, n: int, alpha: float = ALPHA) -> float:
    """The largest rate of something that happened ``found`` times of ``n``, at any time.

    The trials are independent of each other. As in :func:`least_wrong`, smaller rates are believed
    as by Beta(1/2, 1/2).

    Examples
    --------
    >>> round(rate_at_most(0, 20), 3), round(rate_at_most(0, 100), 3), rate_at_most(0, 0)
    (0.172, 0.037, 1.0)
    """
    from scipy.special import betainc, betaln, xlog1py, xlogy

    if found >= n:
        return 1.0
    prior = float(betaln(0.5 + found, 0.5 + n - found) - betaln(0.5, 0.5))
    low = found / n
    high = 1.0
    for _ in range(30):
        rate = (low + high) / 2
        below = log(betainc(0.5 + found, 0.5 + n - found, rate)) - log(betainc(0.5, 0.5, rate))
        likelihood = float(xlogy(found, rate) + xlog1py(n - found, -rate))
        if prior + below - likelihood < -log(alpha):
            low = rate
        else:
            high = rate
    return high


class ListBound:
    """Wrong labels that the list of suspects holds at least, at every length at once.

    Draws out of the whole list that fall among its first rows are a uniform sample of these, so
    each length has a martingale of its own. Lengths that are halved again and again share alpha.

    Parameters
    ----------
    rows : int
        Length of the list.
    ranks : sequence of int
        Where the rows drawn stand in the list, from 0.
    wrong : sequence of bool
        Whether they are wrong.
    found : array of int, optional
        Ranks of rows that are known to be wrong, whether they were drawn or not.

    Examples
    --------
    >>> ranks = [2, 6, 11, 17, 24, 30, 32, 39, 46, 51, 57, 60, 65, 69, 74, 80, 83, 89, 94, 98]
    >>> right = {32, 60, 74, 80, 89, 98}
    >>> bound = ListBound(100, ranks, [rank not in right for rank in ranks])
    >>> [bound.at_least(length) for length in (100, 80, 60, 50, 30)]
    [39, 21, 21, 21, 10]
    >>> bound.longest(0.4), bound.longest(0.3)
    (52, 100)
    """

    def __init__(
        self,
        rows: int,
        ranks: Sequence[int],
        wrong: Sequence[bool],
        found: Sequence[int] = (),
    ) -> None:
        is_found = np.zeros(rows, dtype=bool)
        is_found[list(found)] = True
        self.wrong = np.cumsum(is_found)  # of the first 1, 2, ... rows, at least
        k = np.arange(1, rows + 1)
        for length, share in zip(*_choose_lengths(rows), strict=True):
            drawn = [w for rank, w in zip(ranks, wrong, strict=True) if rank < length]
            least = least_wrong(length, len(drawn), sum(drawn), ALPHA * share)
            self.wrong = np.maximum(self.wrong, least - np.maximum(length - k, 0))

    def at_least(self, length: int) -> int:
        """Wrong labels among the first rows of the list."""
        return int(self.wrong[length - 1])

    def longest(self, precision: float) -> int:
        """The longest list of which so large a fraction is wrong; 0 for none."""
        k = np.arange(1, len(self.wrong) + 1)
        reached = np.flatnonzero(self.wrong >= precision * k - 1e-9)
        return int(reached[-1]) + 1 if len(reached) else 0
