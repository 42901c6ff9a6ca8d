"""A certificate: what verdicts on rows drawn with known probabilities prove about a table.

How they are drawn says errata.audit_folder.draw_piles. Both piles together are one order of draws,
and rows count along it up to the first that nobody has looked at. Bounds hold whenever a review
stops (_anytime), or for a number of verdicts that was fixed before the first of them, which
proves a little more.

For the latter, of the N_s rows of stratum s, K_s are wrong; n_s were drawn without replacement, and
x_s of them are wrong, which is hypergeometric. The statistic is the stratified estimate of the
fraction,

    T = sum_s (N_s / N) x_s / n_s,

and a number K of wrong labels in all is ruled out from below when T was as large as it is, or
larger, with a probability of less than 2.5 % for every split of K into strata; likewise from above.
What verdicts on other rows make certain bounds the K_s. Nothing is approximated, so the interval
holds the truth at least as often as it says. It is the narrower the more the strata differ: there
the predictions are at work.

*Gold rows* tell how often a reviewer is right. Such a row's label was certain before; half of them
are shown with another label. Let a reviewer call a right label wrong with probability a (a false
alarm) and a wrong one right with probability b (a miss). Verdicts on rows drawn by lot bound the
fraction V of labels that the reviewer would call wrong, of which the fraction W is:
V = W (1 - b) + (1 - W) a. Hence, if V >= low and a <= a', and if V <= high and b <= b',

    (low - a') / (1 - a') <= W <= high / (1 - b').

Bounds of a and b hold at all times of a review, as those of V do; alpha is shared by all.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..._format import count, percent, plural
from ...audit_folder.decisions import Event, RowVerdict, differ
from ._anytime import ALPHA, Draws, ListBound, log_choose, rate_at_most
from ._progress import format_bounds

SPLITS = 60  # of a number of wrong labels into strata that are tried, and so many around the worst
SLIPS = 0.2  # of alpha for false alarms, and as much for misses
HALF_WIDTH = 0.03  # of the interval that the number of further verdicts is told for
TELLING = 20  # verdicts from which it is told
DISAGREE = 0.05  # of what foretold the verdicts: the audit did not, if it is less
COUNTS = ("right", "shown_right", "shown_wrong", "alarms", "misses")  # of answers to gold rows


def at_least_wrong(draws: Draws, confidence: float = 0.975) -> int:
    """The smallest number of wrong labels that is not ruled out."""
    low = sum(least for least, _ in draws.limits)
    high = sum(most for _, most in draws.limits)
    while low < high:
        middle = (low + high) // 2
        if _find_chance(draws, middle) > 1 - confidence:
            high = middle
        else:
            low = middle + 1
    return low


def at_most_wrong(draws: Draws, confidence: float = 0.975) -> int:
    """The largest number of wrong labels that is not ruled out."""
    return sum(draws.rows) - at_least_wrong(draws.exchange(), confidence)


def _find_chance(draws: Draws, total: int) -> float:
    """The largest probability, over all splits of ``total``, of a statistic as large as it is."""
    (least, most), (other_least, other_most) = draws.limits
    low = max(least, total - other_most)
    high = min(most, total - other_least)
    tried = np.unique(np.linspace(low, high, SPLITS).round().astype(int))
    chances = _compute_chances(draws, tried, total)
    if high - low < SPLITS:
        return float(chances.max())
    step = -(-(high - low) // (SPLITS - 1))
    worst = int(tried[chances.argmax()])
    near = np.unique(np.linspace(worst - step, worst + step, SPLITS).round().astype(int))
    near = near[(near >= low) & (near <= high)]
    return float(max(chances.max(), _compute_chances(draws, near, total).max()))


def _compute_chances(draws: Draws, split: np.ndarray, total: int) -> np.ndarray:
    """Probability of the statistic or a larger one, if so many of the first stratum are wrong."""
    rows, other_rows = draws.rows
    drawn, other_drawn = map(int, draws.drawn)
    wrong, other_wrong = draws.wrong
    seen = _compute_hypergeometric(rows, drawn, split)
    beyond = _compute_hypergeometric(other_rows, other_drawn, total - split)
    beyond = np.cumsum(beyond[:, ::-1], axis=1)[:, ::-1]
    beyond = np.column_stack([beyond, np.zeros(len(split))])
    # What is missing of the statistic, but for a factor, after the draws of the first stratum.
    worth = rows / max(drawn, 1)
    other_worth = other_rows / max(other_drawn, 1)
    missing = (wrong - np.arange(drawn + 1)) * worth + other_wrong * other_worth
    needed = np.ceil(missing / max(other_worth, 1.0) - 1e-9).clip(0, other_drawn + 1).astype(int)
    return np.sum(seen * beyond[:, needed], axis=1)


def _compute_hypergeometric(rows: int, drawn: int, wrong: np.ndarray) -> np.ndarray:
    """Probabilities of 0, 1, ... wrong labels among those drawn, a line for each number in all."""
    found = np.arange(drawn + 1)
    wrong = wrong[:, None]
    others = rows - wrong
    possible = (found <= wrong) & (drawn - found <= others)
    logs = (
        log_choose(wrong, np.minimum(found, wrong))
        + log_choose(others, np.clip(drawn - found, 0, others))
        - log_choose(rows, drawn)
    )
    return np.where(possible, np.exp(logs), 0.0)


@dataclass(frozen=True)
class GoldAnswers:
    """Answers of one reviewer, or several, on gold rows; rows that they left open do not count.

    Examples
    --------
    >>> answers = GoldAnswers("ann", right=19, shown_right=10, shown_wrong=10, alarms=1, misses=0)
    >>> [round(bound, 2) for bound in answers.interval]
    [0.68, 1.0]
    >>> [round(bound, 2) for bound in allow_for_slips(0.2, 0.3, [answers])]
    [0.0, 0.52]
    """

    reviewer: str
    right: int = 0  # the class that was certain
    shown_right: int = 0  # rows shown with their own label
    shown_wrong: int = 0  # rows shown with another
    alarms: int = 0  # right labels that were called wrong
    misses: int = 0  # wrong labels that were kept

    @property
    def rows(self) -> int:
        """Gold rows that were decided."""
        return self.shown_right + self.shown_wrong

    @property
    def interval(self) -> tuple[float, float]:
        """Of the fraction of right answers, with 95 % confidence, valid whenever one stops."""
        slips = self.rows - self.right
        low = 1 - rate_at_most(slips, self.rows, ALPHA / 2)
        return low, rate_at_most(self.right, self.rows, ALPHA / 2)

    def slips_at_most(self, alpha: float) -> tuple[float, float]:
        """Rates of false alarms and of misses that are not exceeded, each with 1 - alpha."""
        return (
            rate_at_most(self.alarms, self.shown_right, alpha),
            rate_at_most(self.misses, self.shown_wrong, alpha),
        )


def read_answers(
    gold: Mapping[tuple[str, str], Event], certain: Mapping[str, str]
) -> list[GoldAnswers]:
    """The answers of each reviewer about gold rows, by their names.

    Parameters
    ----------
    gold : mapping
        The last answer by row key and reviewer, see :meth:`Decisions.tests`.
    certain : mapping
        The label that is certain, as JSON text, by row key.
    """
    counts: dict[str, dict[str, int]] = {}
    for (key, reviewer), event in gold.items():
        if key not in certain or event.class_text is None:
            continue
        is_shown_right = not differ(event.label, certain[key])
        is_kept = not differ(event.class_text, event.label)
        own = counts.setdefault(reviewer, dict.fromkeys(COUNTS, 0))
        own["right"] += not differ(event.class_text, certain[key])
        own["shown_right"] += is_shown_right
        own["shown_wrong"] += not is_shown_right
        own["alarms"] += is_shown_right and not is_kept
        own["misses"] += is_kept and not is_shown_right
    return [GoldAnswers(name, **counts[name]) for name in sorted(counts)]


def allow_for_slips(low: float, high: float, answers: Iterable[GoldAnswers]) -> tuple[float, float]:
    """Bounds of the fraction of wrong labels, from those of what reviewers would call wrong.

    The worst of the reviewers counts. With ``low`` and ``high`` that hold with 1 - 0.6 alpha, these
    hold with 1 - alpha, if reviewers slip on gold rows as often as on others.
    """
    answers = list(answers)
    each = [answer.slips_at_most(SLIPS * ALPHA / len(answers)) for answer in answers]
    alarms = max(alarm for alarm, _ in each)
    misses = max(miss for _, miss in each)
    least = (low - alarms) / (1 - alarms) if alarms < 1 else 0.0
    most = high / (1 - misses) if misses < 1 else 1.0
    return max(least, 0.0), min(most, 1.0)


class Certificate(NamedTuple):
    """Bounds that hold with 95 % confidence, whatever the models did.

    *Guaranteed*: the fraction of wrong labels lies between ``low`` and ``high`` at all times of at
    least 95 of 100 reviews, and so, by itself, does the precision of the list of ``listed`` rows
    reach ``precision``. Neither rests on the noise model: where the audit is worthless the interval
    is wider, not wrong. *Assumed*: the verdicts are right, and the piles were drawn as
    :func:`draw_piles` draws them. A row that nobody could tell counts as wrong for the upper and
    as right for the lower bound; with such rows each bound holds by itself with 95 %.

    With answers to gold rows, ``low_with_slips`` and ``high_with_slips`` hold although verdicts may
    be wrong, if reviewers slip on rows drawn by lot as often as on gold rows.
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
    gold: int = 0  # rows that tested the reviewers
    low_with_slips: float | None = None  # None where a reviewer was not tested
    high_with_slips: float | None = None


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
    answers: Sequence[GoldAnswers] = (),
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
    answers : sequence of GoldAnswers, optional
        What everybody who decided on the piles said of gold rows.

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
    (0.056, 0.033, 0.174)
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
    low, high = _bound_wrong(if_right, if_wrong, ALPHA, fixed)
    slips: tuple[float, float] | tuple[None, None] = (None, None)
    if answers and unknown.any():
        called = _bound_wrong(if_right, if_wrong, (1 - 2 * SLIPS) * ALPHA, fixed)
        rows = int(unknown.sum())
        found = allow_for_slips(called[0] / rows, called[1] / rows, answers)
        slips = (found[0] * rows / n, found[1] * rows / n)
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
        gold=sum(answer.rows for answer in answers),
        low_with_slips=slips[0],
        high_with_slips=slips[1],
    )


def _bound_wrong(
    if_right: Draws, if_wrong: Draws, alpha: float, fixed: int | None
) -> tuple[int, int]:
    """Bounds of the number of wrong labels; what nobody could tell is right, or wrong."""
    if fixed is not None:
        confidence = 1 - alpha / 2
        return at_least_wrong(if_right, confidence), at_most_wrong(if_wrong, confidence)
    low, high = if_right.bounds(alpha)
    if if_wrong != if_right:
        _, high = if_wrong.bounds(alpha)
    return low, high


def _count_draws(
    drawn: list[int],
    members: tuple[np.ndarray, np.ndarray],
    verdicts: dict[int, bool | None],
    expected: np.ndarray,
    *,
    unsure_is_wrong: bool,
) -> Draws:
    """The draws among suspects and among others."""
    counts: list[tuple[int, int, int, float, int, int]] = []
    for member in members:
        rows = int(member.sum())
        judged = [verdicts[row] for row in drawn if member[row]]
        wrong = sum(unsure_is_wrong if verdict is None else verdict for verdict in judged)
        decided = [verdict for row, verdict in verdicts.items() if member[row]]
        right = decided.count(False)
        foretold = float(expected[member].mean()) if rows else 0.5
        # What nobody could tell is whatever the bound takes it for.
        least = decided.count(True) + (decided.count(None) if unsure_is_wrong else 0)
        most = rows - right - (0 if unsure_is_wrong else decided.count(None))
        counts.append((rows, len(judged), wrong, foretold, least, most))
    return Draws(*(tuple(column) for column in zip(*counts, strict=True)))


def _estimate(draws: Draws) -> float:
    """Number of wrong labels by the rows drawn; where none were, the middle of what is possible."""
    counts = zip(draws.rows, draws.drawn, draws.wrong, draws.limits, strict=True)
    return sum(rows * x / n if n else (low + high) / 2 for rows, n, x, (low, high) in counts)


def _bound_list(
    drawn: list[int], suspects: np.ndarray, suspicion: np.ndarray, verdicts: dict[int, bool | None]
) -> ListBound:
    """The bounds that rows drawn from the list, and all others decided, prove of its lengths."""
    rows = np.flatnonzero(suspects)
    in_order = rows[np.argsort(-suspicion[rows], kind="stable")]
    rank = {row: place for place, row in enumerate(in_order.tolist())}
    found = [rank[row] for row, wrong in verdicts.items() if wrong and row in rank]
    ranks = [rank[row] for row in drawn]
    return ListBound(len(rows), ranks, [bool(verdicts[row]) for row in drawn], found)


def find_answers(
    answers: list[GoldAnswers],
    drawn: dict[str, list[Any]],
    verdict_of: Callable[[int], RowVerdict | None],
) -> list[GoldAnswers]:
    """Answers of all who decided on rows drawn by lot; nobody's where one was not tested."""
    rows = [entry[0] for entry in drawn["calibration"]] + drawn["spot"]
    verdicts = [verdict for verdict in map(verdict_of, rows) if verdict is not None]
    names = {name for verdict in verdicts for name in verdict.reviewers}
    found = [answer for answer in answers if answer.reviewer in names]
    return found if len(found) == len(names) else []


def certificate_sentence(certificate: Certificate, judged: str = "labels") -> str:
    """The proof by the verdicts, whatever the models did; "" before the first.

    ``judged`` is what is right or wrong.

    >>> from errata.review.inference import Certificate
    >>> certificate_sentence(Certificate(0.09, 0.05, 0.16, 40, 0.5, 120, 10, 0.6, more=124))
    '5.0 to 16% of all labels are wrong (95% confidence, valid whenever you stop; 40 rows drawn by
    lot); of the 120 most suspicious rows at least 50% are; about 120 more verdicts until ±3%'
    """
    if not certificate.verdicts:
        return ""
    drawn = f"{plural(certificate.verdicts, 'row')} drawn by lot"
    if certificate.fixed is None:
        holds = "valid whenever you stop"
    elif certificate.verdicts < certificate.fixed:
        return f"{drawn}: nothing is proven before {count(certificate.fixed)}, as was fixed"
    else:
        holds = f"for the {count(certificate.fixed)} verdicts that were fixed in advance"
    parts = [
        f"{format_bounds(certificate.low, certificate.high)} of all {judged} are wrong "
        f"(95% confidence, {holds}; {drawn})"
    ]
    if certificate.listed:
        parts.append(
            f"of the {count(certificate.listed)} most suspicious rows at least "
            f"{percent(certificate.precision)} are"
        )
    if certificate.low_with_slips is not None and certificate.high_with_slips is not None:
        reach = format_bounds(certificate.low_with_slips, certificate.high_with_slips)
        slips = f"allowing for slips as in {plural(certificate.gold, 'gold row')}"
        parts.append(f"{slips}, {reach} of all {judged} are")
    if certificate.more:
        parts.append(f"about {count(_round_roughly(certificate.more))} more verdicts until ±3%")
    if not certificate.agrees:
        parts.append("the audit and the verdicts disagree, so it is wider than it could be")
    return "; ".join(parts)


def gold_sentence(answers: GoldAnswers) -> str:
    """How often a reviewer was right where the label was certain.

    >>> gold_sentence(GoldAnswers("ann", 19, 10, 10, alarms=1))
    'ann was right on 19 of 20 gold rows (67 to 100%)'
    """
    low, high = answers.interval
    return (
        f"{answers.reviewer} was right on {count(answers.right)} of "
        f"{plural(answers.rows, 'gold row')} ({format_bounds(low, high)})"
    )


def _round_roughly(number: int) -> int:
    """A number of which the second digit means little: 124 is about 120."""
    step = 10 ** max(len(str(number)) - 2, 0)
    return round(number / step) * step
