r"""Components that verdicts reweigh, and piles of rows drawn for verdicts.

*Components* are the noise hypotheses of an audit in a form that a page can reweigh at any verdict.
A component is a group of noise hypotheses together with a shift ``a`` of the log-odds of every row,

    p_a = p e^a / (1 - p + p e^a),   a ~ N(0, s²) a priori,

that of rows which are not flagged as far from that of the suspects as N(0, s²) says: an audit that
was right about what it flagged may have missed a kind of error elsewhere, and the other way round.
Three hypotheses are none that the audit believes in: that it is *blunt*, its log-odds half as far
apart as it says; wrong labels anywhere, whatever the columns say; and an audit that is right about
its suspects but has *missed* a kind of error, so that others are wrong anywhere. What the audit
expects tells nothing of how many the last two would be.
Components are such that ``p_wrong`` of a row, the noise rate and what is left to find are all
linear in their weights. A verdict on a row multiplies the weight of each by the probability that it
gave to what was found. Hypotheses tell *where* wrong labels are (a label that is right at a border
between classes speaks against boundary noise, and so against all such rows), shifts how far all of
them were over- or underestimated.

*Piles* are rows for a review to take one by one, drawn with known probabilities. Suspects are
shuffled, and so are the other rows. The calibration pile takes from the tops of both, a quarter of
suspects or their fraction of the table if that is more, evenly spread; the spot pile goes on with
both where it ends, as many of each as the table has. So however many rows are taken from the tops
of the piles, they are a uniform sample without replacement of the suspects, and another of the rows
that are not flagged, and bounds of both together get narrower as long as one goes on.
"""

from collections.abc import Sequence
from math import erfc
from typing import Any, NamedTuple

import numpy as np

# Measured by `benchmarks/review.py decisions`, and with more kinds of errors on the same tables.
SHIFTS = np.linspace(-4, 4, 13)  # of the log-odds
SHIFT_SPREAD = 1.5  # of their prior, and of suspects from others
NEGLIGIBLE = 1e-4  # of the largest weight: such components are left out of quantiles
TEMPER = 0.7  # rows share their models: a verdict counts as so much of one
AT_ONCE = 2**14  # rows that sums are made of at a time: what stays in the processor's cache
BLUNTNESS = 0.2  # probability that what people get wrong is less plain than models say
LEAST_BELIEVED = 0.2  # shared alike by all hypotheses: verdicts cannot revive what weighs nothing
OFF = 0.003  # probability of a verdict that no hypothesis foresees
MOST_ANYWHERE = 0.1  # of the wrong labels that the audit expects may be anywhere, before verdicts
LEAST_ANYWHERE = 0.001  # of all rows: who expects no wrong label may still have missed some
COVERAGE = 0.9  # of intervals of what is only expected, as in the audit
_HALVINGS = 32  # of the range that a quantile lies in

CALIBRATION = 40  # rows at most
SPOT = 300
SUSPECTED = 1 / 4  # of the calibration pile at least: `python benchmarks/review.py certificate`
SUSPECTS = "flagged"
OTHERS = "others"

ALL = "all"  # all hypotheses together
BLUNT = "blunt"  # the same with half their log-odds
UNRELATED = "anywhere"  # wrong labels have nothing to do with the columns
MISSED = "missed"  # suspects are wrong as by all hypotheses, others anywhere


class RowSums(NamedTuple):
    """Of some rows: how many there are, and what each component expects of them."""

    rows: int
    wrong: np.ndarray  # (kinds, shifts), expected number of wrong labels
    variance: np.ndarray  # (kinds, shifts), of that number

    def plus(self, other: "RowSums", sign: int = 1) -> "RowSums":
        """These rows and those; with a sign of -1, these without those."""
        return RowSums(
            self.rows + sign * other.rows,
            self.wrong + sign * other.wrong,
            self.variance + sign * other.variance,
        )


class Components(NamedTuple):
    """Groups of noise hypotheses, shifts of their log-odds, weights, and sums over the table."""

    kinds: tuple[str, ...]
    shifts: np.ndarray
    weights: np.ndarray  # (kinds, shifts of suspects, shifts of others), they sum to one
    flagged: RowSums
    others: RowSums  # rows that are not flagged

    @property
    def of_flagged(self) -> np.ndarray:
        """Weights of what is said of suspects, and of their shifts, shape (kinds, shifts)."""
        return self._share(self.weights.sum(axis=2), _said_of(self.kinds)[0])

    @property
    def of_others(self) -> np.ndarray:
        """The same of rows that are not flagged."""
        return self._share(self.weights.sum(axis=1), _said_of(self.kinds)[1])

    def _share(self, weights: np.ndarray, said: np.ndarray) -> np.ndarray:
        """Add the weights of kinds that say the same of some rows."""
        shared = np.zeros((len(self.flagged.wrong), len(self.shifts)))
        np.add.at(shared, said, weights)
        return shared

    def p_wrong(self, p: np.ndarray, flagged: np.ndarray | bool) -> np.ndarray:
        """The probability that labels are wrong, from that under each hypothesis (m, kinds)."""
        found = self._expect(p, flagged, 1)
        return np.minimum(found, 1.0)  # weights sum to one up to rounding

    def spread(self, p: np.ndarray, flagged: np.ndarray | bool) -> np.ndarray:
        """How far components differ about that probability, as a standard deviation."""
        variance = self._expect(p, flagged, 2) - self._expect(p, flagged, 1) ** 2
        return np.sqrt(variance.clip(0))

    def _expect(self, p: np.ndarray, flagged: np.ndarray | bool, power: int) -> np.ndarray:
        """The mean over components of a power of the probability that labels are wrong."""
        is_flagged = np.broadcast_to(flagged, len(p))
        found = np.empty(len(p))
        for rows, weights in ((is_flagged, self.of_flagged), (~is_flagged, self.of_others)):
            if rows.any():
                some = p if rows.all() else p[rows]
                odds = enumerate(np.exp(self.shifts))
                found[rows] = sum(shifted(some, e) ** power @ weights[:, s] for s, e in odds)
        return found

    def as_dict(self) -> dict[str, Any]:
        """Everything as JSON can keep it."""
        return {
            "kinds": list(self.kinds),
            "shifts": self.shifts.tolist(),
            "weights": self.weights.tolist(),
            "flagged": [np.asarray(part).tolist() for part in self.flagged],
            "others": [np.asarray(part).tolist() for part in self.others],
        }

    @classmethod
    def from_dict(cls, kept: dict[str, Any]) -> "Components":
        """Read :meth:`as_dict` again."""
        flagged, others = (
            RowSums(int(rows), np.array(wrong), np.array(variance))
            for rows, wrong, variance in (kept["flagged"], kept["others"])
        )
        shifts = np.array(kept["shifts"])
        weights = np.array(kept["weights"])
        return cls(tuple(kept["kinds"]), shifts, weights, flagged, others)


def _said_of(kinds: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Which hypothesis tells what each kind says of suspects, and which of the others."""
    of_flagged, of_others = np.tile(np.arange(len(kinds)), (2, 1))
    if kinds[-1] == MISSED:
        of_flagged[-1] = kinds.index(ALL)
        of_others[-1] = kinds.index(UNRELATED)
    return of_flagged, of_others


def gather_components(
    kinds: Sequence[str], weights: np.ndarray, p: np.ndarray, flagged: np.ndarray, total: float
) -> Components:
    """Cross hypotheses with shifts, and sum over all rows what each expects.

    Parameters
    ----------
    kinds : sequence of str
        What each group of hypotheses is called.
    weights : array of shape (kinds,)
        What the audit believes of them. A fifth goes to the audit that is blunt, and a fifth of all
        is shared alike, so that verdicts can revive what the audit ruled out.
    p : array of shape (n, kinds)
        The probability that each label is wrong under each.
    flagged : array of bool of shape (n,)
        The suspects.
    total : float
        Wrong labels that the audit expects. The prior of the shifts leans to one side as far as it
        takes to expect as many, so that the components change nothing before the first verdict, but
        for a thousandth of the rows that may be wrong anywhere.
    """
    kinds = (*kinds, MISSED) if {ALL, UNRELATED} <= set(kinds) else tuple(kinds)
    suspects = _sum_rows(p, flagged, SHIFTS)
    others = _sum_rows(p, ~flagged, SHIFTS)
    apart = np.eye(len(SHIFTS))  # shifts of others, given that of the suspects
    if flagged.any():
        apart = np.exp(-(((SHIFTS[:, None] - SHIFTS) / SHIFT_SPREAD) ** 2) / 2)
        apart /= apart.sum(axis=1, keepdims=True)
    of_flagged, of_others = _said_of(kinds)
    expected = suspects.wrong[of_flagged] + others.wrong[of_others] @ apart.T
    believed = np.zeros(len(kinds))
    believed[: len(weights)] = weights / weights.sum()
    if BLUNT in kinds:
        believed *= 1 - BLUNTNESS
        believed[kinds.index(BLUNT)] = BLUNTNESS
    shared = (1 - LEAST_BELIEVED) * believed + LEAST_BELIEVED / len(kinds)
    prior = _weigh_kinds(shared, expected, np.isin(kinds, (UNRELATED, MISSED)), total, len(p))
    return Components(kinds, SHIFTS, prior[:, :, None] * apart, suspects, others)


def _weigh_kinds(
    shared: np.ndarray, expected: np.ndarray, anywhere: np.ndarray, total: float, rows: int
) -> np.ndarray:
    """Weights of kinds and shifts of suspects, under which ``total`` is expected, or nearly.

    Wrong labels that are anywhere are foreseen by no audit: their shifts do not lean, and they are
    believed in as far as they leave the most of ``total`` to others.
    """
    even = _softmax(-((SHIFTS / SHIFT_SPREAD) ** 2) / 2)
    left = total
    if anywhere.any():
        free = shared[anywhere] @ expected[anywhere] @ even
        share = min(1.0, max(MOST_ANYWHERE * total, LEAST_ANYWHERE * rows) / max(free, 1e-12))
        rest = (1 - share * shared[anywhere].sum()) / shared[~anywhere].sum()
        shared = shared * np.where(anywhere, share, rest)
        left = total - share * free
    leaning = _fit_weights(shared[~anywhere] @ expected[~anywhere], left)
    return shared[:, None] * np.where(anywhere[:, None], even, leaning)


def _sum_rows(p: np.ndarray, chosen: np.ndarray, shifts: np.ndarray) -> RowSums:
    """Sums over chosen rows; these are copied some at a time, as there may be millions."""
    wrong, variance = np.zeros((2, p.shape[1], len(shifts)))
    for start in range(0, len(p), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        part = np.ascontiguousarray(p[rows][chosen[rows]].T)  # long rows are summed up faster
        for s, e in enumerate(np.exp(shifts)):
            moved = shifted(part, e)
            wrong[:, s] += moved.sum(axis=1, dtype=float)
            moved *= 1 - moved
            variance[:, s] += moved.sum(axis=1, dtype=float)
    return RowSums(int(chosen.sum()), wrong, variance)


def _fit_weights(expected: np.ndarray, total: float) -> np.ndarray:
    """Weights of the shifts under which ``expected`` is ``total`` on the mean, or nearly."""
    low = -10.0
    high = 10.0
    for _ in range(60):
        lean = (low + high) / 2
        shares = _softmax(lean * SHIFTS - (SHIFTS / SHIFT_SPREAD) ** 2 / 2)
        low, high = (lean, high) if shares @ expected < total else (low, lean)
    return shares


def _softmax(logs: np.ndarray) -> np.ndarray:
    parts = np.exp(logs - logs.max())
    return parts / parts.sum()


def shifted(p: np.ndarray, odds: float | np.ndarray) -> np.ndarray:
    """Probabilities whose odds are multiplied; none and certainty stay what they are."""
    return p * odds / (1 - p + p * odds)


class Evidence(NamedTuple):
    """Evidence of verdicts on some rows; sums, so that one is added or taken back in a step.

    ``expected`` sums the ``p_wrong`` that the audit gave to the flagged ones among the rows. Rows
    that people looked at and could not tell are ``unsure``; they teach nothing.
    """

    log_likelihood: np.ndarray  # (2, kinds, shifts), of suspects and of others
    flagged: RowSums
    others: RowSums
    found_flagged: int
    found_others: int
    expected: float
    unsure_flagged: RowSums
    unsure_others: RowSums

    @classmethod
    def empty(cls, components: Components) -> "Evidence":
        """No verdict yet."""
        none = np.zeros(0, dtype=bool)
        p = np.empty((0, len(components.flagged.wrong)))
        return evidence_of(components, p, none, none, np.zeros(0))

    def plus(self, other: "Evidence", sign: int = 1) -> "Evidence":
        """These verdicts and those; with a sign of -1, these without those."""
        return Evidence(
            self.log_likelihood + sign * other.log_likelihood,
            self.flagged.plus(other.flagged, sign),
            self.others.plus(other.others, sign),
            self.found_flagged + sign * other.found_flagged,
            self.found_others + sign * other.found_others,
            self.expected + sign * other.expected,
            self.unsure_flagged.plus(other.unsure_flagged, sign),
            self.unsure_others.plus(other.unsure_others, sign),
        )


def evidence_of(
    components: Components,
    p: np.ndarray,
    wrong: np.ndarray,
    flagged: np.ndarray,
    p_wrong: np.ndarray,
    unsure: np.ndarray | None = None,
) -> Evidence:
    """The evidence of verdicts on rows about the components.

    Parameters
    ----------
    components : Components
        Of the audit; their weights do not matter here.
    p : array of shape (m, kinds)
        The probability that each label is wrong under each group of hypotheses.
    wrong : array of bool of shape (m,)
        Whether the label was found to be wrong.
    flagged : array of bool of shape (m,)
        Whether the row is a suspect.
    p_wrong : array of shape (m,)
        What the audit said.
    unsure : array of bool of shape (m,), optional
        Rows that people looked at and could not tell.
    """
    p, wrong, flagged = (np.asarray(given) for given in (p, wrong, flagged))
    left_open = np.zeros(len(p), dtype=bool) if unsure is None else unsure
    unsure_flagged = _sum_rows(p, flagged & left_open, components.shifts)
    unsure_others = _sum_rows(p, ~flagged & left_open, components.shifts)
    p, wrong, flagged = p[~left_open], wrong[~left_open], flagged[~left_open]
    likelihood = np.empty((2, p.shape[1], len(components.shifts)))
    for s, e in enumerate(np.exp(components.shifts)):
        moved = shifted(p, e)
        seen = np.where(wrong[:, None], moved, 1 - moved)
        each = TEMPER * np.log(OFF + (1 - 2 * OFF) * seen)
        likelihood[0, :, s] = each[flagged].sum(axis=0)
        likelihood[1, :, s] = each[~flagged].sum(axis=0)
    return Evidence(
        log_likelihood=likelihood,
        flagged=_sum_rows(p, flagged, components.shifts),
        others=_sum_rows(p, ~flagged, components.shifts),
        found_flagged=int(np.sum(wrong & flagged)),
        found_others=int(np.sum(wrong & ~flagged)),
        expected=float(np.asarray(p_wrong)[~left_open][flagged].sum()),
        unsure_flagged=unsure_flagged,
        unsure_others=unsure_others,
    )


def update(components: Components, evidence: Evidence) -> Components:
    """The components after the verdicts: every weight times what it made of them.

    Examples
    --------
    Half of the labels near a border are wrong, or none; three that are right speak for none.

    >>> import numpy as np
    >>> p = np.tile([0.0, 0.5], (10, 1))
    >>> flagged = np.arange(10) < 4
    >>> before = gather_components(["none", "boundary"], np.array([0.5, 0.5]), p, flagged, 2.5)
    >>> verdicts = evidence_of(before, p[:3], np.zeros(3, bool), flagged[:3], np.full(3, 0.25))
    >>> after = update(before, verdicts)
    >>> [round(float(c.weights[0].sum()), 2) for c in (before, after)]
    [0.5, 0.76]
    """
    with np.errstate(divide="ignore"):
        logs = np.log(components.weights)
    of_flagged, of_others = _said_of(components.kinds)
    logs += evidence.log_likelihood[0, of_flagged][:, :, None]
    logs += evidence.log_likelihood[1, of_others][:, None, :]
    return components._replace(weights=_softmax(logs))


def expected_left(
    components: Components, *, flagged: RowSums | None = None, others: RowSums | None = None
) -> tuple[float, float, float]:
    """Wrong labels expected among rows that are left, suspects or others or both.

    The number, and its interval, which is that of the mixture of components: what is not known of
    the noise, and chance.
    """
    given = [rows for rows in (flagged, others) if rows is not None]
    wrong = [rows.wrong.clip(0, rows.rows) for rows in given]
    variance = [rows.variance for rows in given]
    n = sum(rows.rows for rows in given)
    if len(given) == 2:
        weights = components.weights
        of_flagged, of_others = _said_of(components.kinds)
        means = wrong[0][of_flagged, :, None] + wrong[1][of_others, None, :]
        spread = variance[0][of_flagged, :, None] + variance[1][of_others, None, :]
    else:
        weights = components.of_flagged if others is None else components.of_others
        means = wrong[0]
        spread = variance[0]
    kept = weights > (NEGLIGIBLE * weights.max() if len(given) == 2 else -1.0)
    low, high = find_quantiles(
        weights[kept] / weights[kept].sum(), means[kept], spread[kept], max(n, 0), COVERAGE
    )
    expected = float(np.sum(weights * means))
    return expected, min(low, expected), max(high, expected)


def find_quantiles(
    weights: np.ndarray, means: np.ndarray, variances: np.ndarray, most: float, coverage: float
) -> tuple[float, float]:
    """Quantiles of a count between 0 and ``most`` that is nearly normal under each hypothesis."""
    spread = np.sqrt(2 * np.maximum(variances, 1e-12))
    parts = list(zip(weights.tolist(), means.tolist(), spread.tolist(), strict=True))
    tail = (1 - coverage) / 2
    return _find_quantile(parts, tail, most), _find_quantile(parts, 1 - tail, most)


def _find_quantile(parts: list[tuple[float, float, float]], level: float, most: float) -> float:
    """Where the distribution function of the mixture reaches a level, by halving."""
    low = 0.0
    high = float(most)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = sum(weight * erfc((mean - middle) / spread) for weight, mean, spread in parts) / 2
        low, high = (middle, high) if below < level else (low, middle)
    return high


def draw_piles(
    flagged: np.ndarray, random: np.random.Generator, known: np.ndarray | None = None
) -> dict[str, Any]:
    """Draw both piles.

    Parameters
    ----------
    flagged : array of bool of shape (n,)
        The suspects.
    random : Generator
        Draws.
    known : array of bool of shape (n,), optional
        Rows whose label is certain, which are left out.

    Returns
    -------
    dict
        ``calibration``: for each draw the row, its probability given the earlier draws from the
        same stratum, and the name of the stratum; ``spot``: rows of both strata; ``sizes``: how
        many rows each stratum has.
    """
    unknown = np.ones(len(flagged), dtype=bool) if known is None else ~known
    strata = {
        SUSPECTS: random.permutation(np.flatnonzero(flagged & unknown)).tolist(),
        OTHERS: random.permutation(np.flatnonzero(~flagged & unknown)).tolist(),
    }
    left = {
        name: [
            [row, 1 / (len(rows) - turn), name]
            for turn, row in enumerate(rows[: CALIBRATION + SPOT])
        ]
        for name, rows in strata.items()
    }
    share = len(strata[SUSPECTS]) / max(unknown.sum(), 1)
    calibration = _take_turns(left, max(SUSPECTED, share), CALIBRATION)
    spot = _take_turns(left, share, SPOT)
    return {
        "calibration": calibration,
        "spot": [row for row, *_ in spot],
        "sizes": {name: len(rows) for name, rows in strata.items()},
    }


def _take_turns(left: dict[str, list[Any]], share: float, most: int) -> list[Any]:
    """Take rows from the tops of both strata, suspects and others evenly spread, off what is left.

    ``share`` of them are suspects, until one of the strata ends.
    """
    turns = [
        ((turn + 0.5) / part, drawn)
        for name, part in ((SUSPECTS, share), (OTHERS, 1 - share))
        for turn, drawn in enumerate(left[name][:most])
        if part > 0
    ]
    turns.sort(key=lambda each: each[0])
    taken = [drawn for _, drawn in turns[:most]]
    for name, rows in left.items():
        del rows[: sum(where == name for *_, where in taken)]
    return taken
