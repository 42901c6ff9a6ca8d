"""The self-check: inject errors into a copy of the labels, audit that copy, and look for them.

It says how well the audit works on this very table, beside what a list would find that knows the
labels only and no column. Nothing is left out of the count, and nothing is corrected by it:
injected errors are not the errors that people make.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import fisher_exact, rankdata

from ._settings import FEWEST_INJECTED
from .classes import Posterior

# Self-check. `python benchmarks/honesty.py claims null selfcheck`, `detection.py`
INJECTED = 0.1  # errors: a fraction of the rows
INJECTED_BY_MODEL = 0.5  # fraction of them that follow the noise model; others are uniform
CHECKED_TWICE = 500  # rows below which errors are injected twice
LIST_LENGTH = 1.1  # of the list, times the number of errors, injected and expected
LEAST_LIFT = 2.0  # standard errors
CURVE_POINTS = 200  # ranks at which precision and recall are kept
FEWEST_OF_A_VALUE = 5  # injected errors of a class or site, for a word on how many were found


class SelfCheck(NamedTuple):
    """The fate of the injected errors.

    ``precision`` and ``recall`` at each ``rank`` are those of the injected errors alone; the same
    by a list that knows the labels only have ``label_`` in front. Without ``lift`` all are empty,
    and there is no average precision.

    Of an audit of classes, ``planted_rows`` to ``planted_found`` have an entry for each injected
    error of all ``repeats``; of rows that were changed together, as copies are, for one of them.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> check = errata.audit(X, y, estimators=[GaussianNB()], random_state=0).self_check
    >>> check.injected, check.lift, check.found > 0.8 * check.injected
    (20, True, True)
    >>> missed = check.planted_rows[~check.planted_found]
    >>> len(missed) < 0.2 * len(check.planted_rows)
    True
    >>> check
    <SelfCheck: ... of 20 planted errors are among the ... most suspicious rows; ...>
    """

    injected: int
    top: int  # so many of the most suspicious rows...
    found: int  # ... hold so many of the injected errors
    by_label: int  # and so many would be in a list that knows the labels only
    lift: bool  # whether, among rows of one label, injected errors are the more suspicious
    average_precision: float | None  # of finding the injected errors and those expected besides
    suggested_right: float  # fraction of the injected errors whose class was suggested
    repeats: int
    rank: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    label_precision: np.ndarray
    label_recall: np.ndarray
    planted_rows: np.ndarray = np.empty(0, dtype=int)  # which rows got a wrong label
    planted_labels: np.ndarray = np.empty(0, dtype=int)  # that label, a code among the classes
    planted_classes: np.ndarray = np.empty(0, dtype=int)  # what they are labelled in truth
    planted_found: np.ndarray = np.empty(0, dtype=bool)  # whether they are among the ``top`` rows

    def __repr__(self) -> str:
        return (
            f"<SelfCheck: {self.found:,} of {self.injected:,} planted errors are among the "
            f"{self.top:,} most suspicious rows; {self.by_label:,} by labels alone>"
        )

    def _sentence(self) -> str:
        """A sentence for the report."""
        sentence = (
            f"Of {self.injected:,} errors we planted, {self.found:,} are among the {self.top:,} "
            f"most suspicious rows; knowing the labels alone, {self.by_label:,} would be."
        )
        if self.lift:
            return sentence
        return f"{sentence} Among rows of one label, planted errors do not stand out."


def run_self_check(
    codes: np.ndarray,
    first: Posterior,
    audit_again: Callable[[np.ndarray, int], Posterior],
    random: np.random.Generator,
    copies: np.ndarray | None = None,
    known: np.ndarray | None = None,
) -> SelfCheck | None:
    """Inject errors into classes and look for them; None where there are too few rows for any.

    Of copies of a row with one label (``copies`` numbers their groups) all are changed or none: a
    single one would give itself away. So are rows that follow each other in time. Labels that are
    ``known`` are left as they are.
    """
    count = count_to_inject(len(codes) if known is None else int(np.sum(~known)))
    units = np.arange(len(codes)) if copies is None else units_of(copies, codes)

    def run_once() -> tuple[np.ndarray, ...] | None:
        injected = rows_to_change(codes, units, count, random, known)
        if injected.sum() < 2:
            return None
        labels = np.where(injected, wrong_labels(codes, units, first.transition, random), codes)
        again = audit_again(labels, int(random.integers(2**31 - 1)))
        return injected, labels, again.suspicion, again.other

    runs = inject_errors(run_once, len(codes))
    if runs is None:
        return None
    injected, labels, suspicion, suggested = runs
    are_right = suggested == codes
    right = np.mean([np.mean(row[own]) for row, own in zip(are_right, injected, strict=True)])
    counts = sum_up(injected, labels, suspicion, first.p_wrong, units)
    # One row of each unit, as what becomes of copies is no independent evidence.
    of_units = np.unique(units, return_index=True)[1]
    rows = [of_units[own[of_units]] for own in injected]
    listed = np.argsort(-suspicion, axis=1, kind="stable")[:, : counts["top"]]
    return SelfCheck(
        **counts,
        suggested_right=float(right),
        planted_rows=np.concatenate(rows),
        planted_labels=np.concatenate([new[own] for new, own in zip(labels, rows, strict=True)]),
        planted_classes=codes[np.concatenate(rows)],
        planted_found=np.concatenate(list(map(np.isin, rows, listed))),
    )


def count_found_by(codes: np.ndarray, found: np.ndarray, n_values: int) -> dict[str, np.ndarray]:
    """How many injected errors of each value there are and were found, and the chance of so few.

    The chance is Fisher's, of one side, if errors of this value are found as often as elsewhere; 1
    where there are too few errors.
    """
    planted = np.bincount(codes, minlength=n_values)
    hits = np.bincount(codes[found], minlength=n_values)
    missed = planted - hits
    chance = np.ones(n_values)
    for value in np.flatnonzero(planted >= FEWEST_OF_A_VALUE):
        inside = [hits[value], missed[value]]
        elsewhere = [hits.sum() - hits[value], missed.sum() - missed[value]]
        chance[value] = fisher_exact([inside, elsewhere], alternative="less").pvalue
    return {"planted": planted, "found": hits, "overlooked": chance}


def correct_by_holm(chance: np.ndarray, planted: np.ndarray) -> np.ndarray:
    """Holm's correction of chances for looking at every value with enough injected errors."""
    corrected = np.ones(len(chance))
    tested = np.flatnonzero(planted >= FEWEST_OF_A_VALUE)
    order = tested[np.argsort(chance[tested], kind="stable")]
    times = np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(chance[order] * times), 1.0)
    return corrected


def count_to_inject(n: int) -> int:
    """How many errors to inject into ``n`` labels."""
    return min(max(FEWEST_INJECTED, round(INJECTED * n)), n // 2)


def inject_errors(
    run_once: Callable[[], tuple[np.ndarray, ...] | None], n_rows: int
) -> tuple[np.ndarray, ...] | None:
    """Inject errors once, twice into a small table; None where too few labels can be changed.

    A run gives which labels were changed, all labels then, how suspicious each is, and what is
    suggested for it. Of all runs together each has the shape (runs, n).
    """
    runs = []
    for _ in range(2 if n_rows < CHECKED_TWICE else 1):
        run = run_once()
        if run is None:
            return None
        runs.append(run)
    return tuple(map(np.stack, zip(*runs, strict=True)))


def units_of(copies: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The number of each row's unit: copies of one row with one label."""
    return np.unique(copies * (codes.max() + 1) + codes, return_inverse=True)[1]


def rows_to_change(
    codes: np.ndarray,
    units: np.ndarray,
    count: int,
    random: np.random.Generator,
    known: np.ndarray | None = None,
) -> np.ndarray:
    """Which rows to change: units drawn at random, ``count`` rows and half of a class at most.

    A unit with a label that is known is not changed.
    """
    sizes = np.bincount(units)
    first = np.unique(units, return_index=True)[1]
    certain = np.bincount(units, weights=known) if known is not None else np.zeros(len(sizes))
    spare = np.bincount(codes) // 2
    left = count
    chosen = []
    for unit in random.permutation(len(sizes)):
        size = sizes[unit]
        label = codes[first[unit]]
        if size <= spare[label] and size <= left and not certain[unit]:
            chosen.append(unit)
            spare[label] -= size
            left -= size
    return np.isin(units, chosen)


def wrong_labels(
    codes: np.ndarray, units: np.ndarray, transition: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """A wrong label for each row, one for a unit, by the noise model or uniformly at random."""
    n_classes = len(transition)
    wrong = transition.copy()
    np.fill_diagonal(wrong, 0)
    total = wrong.sum(axis=1, keepdims=True)
    uniform = (1 - np.eye(n_classes)) / (n_classes - 1)
    wrong = np.divide(wrong, total, out=uniform.copy(), where=total > 0)
    reach = np.cumsum(INJECTED_BY_MODEL * wrong + (1 - INJECTED_BY_MODEL) * uniform, axis=1)
    drawn = (random.random((len(codes), 1))[units] > reach[codes]).sum(axis=1)
    last = n_classes - 1 - (codes == n_classes - 1)  # rounding may leave the last sum below one
    return np.minimum(drawn, last)


def by_label_alone(injected: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of a list that takes labels with most injected errors first, and what it holds."""
    sizes = np.bincount(labels)
    hits = np.bincount(labels, weights=injected)
    order = np.argsort(-hits / np.maximum(sizes, 1), kind="stable")
    return np.r_[0, np.cumsum(sizes[order])], np.r_[0.0, np.cumsum(hits[order])]


def measure_lift(injected: np.ndarray, labels: np.ndarray, suspicion: np.ndarray) -> float:
    """Are injected errors more suspicious than other rows of their label? In standard errors.

    The rank-sum test within labels of a run, weighted as van Elteren does; arrays have the shape
    (runs, n). Counting hits in a list instead would miss lift where labels differ in noise.
    """
    above = variance = 0.0
    for was_changed, of_run, scores in zip(injected, labels, suspicion, strict=True):
        for label in np.unique(of_run[was_changed]):
            rows = of_run == label
            changed = was_changed[rows]
            n = int(rows.sum())
            n_changed = int(changed.sum())
            pairs = n_changed * (n - n_changed)
            ranks = rankdata(scores[rows])[changed].sum()
            above += (ranks - n_changed * (n_changed + 1) / 2 - pairs / 2) / (n + 1)
            variance += pairs / (12 * (n + 1))
    return above / np.sqrt(variance) if variance > 0 else 0.0


def estimate_average_precision(
    injected: np.ndarray, suspicion: np.ndarray, before: np.ndarray
) -> float:
    """Average precision of finding what is wrong: the injected rows, and others as far as expected.

    Were rows that are wrong already counted as right, the better the audit is the worse it would
    look: it ranks them beside the injected ones.
    """
    order = np.argsort(-suspicion, kind="stable")
    wrong = np.where(injected, 1.0, before)[order]
    precision = np.cumsum(wrong) / np.arange(1, len(wrong) + 1)
    return float(precision @ wrong / wrong.sum())


def average_units(units: np.ndarray, suspicion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first row of each unit, and the mean suspicion of its rows in each run.

    What was changed together is one event, not many.
    """
    first = np.unique(units, return_index=True)[1]
    sums = [np.bincount(units, weights=scores) for scores in suspicion]
    return first, np.array(sums) / np.bincount(units)


def count_found(
    injected: np.ndarray, suspicion: np.ndarray, before: np.ndarray, lift: float
) -> dict[str, Any]:
    """Counts for the self-check of every kind; ``before`` is p_wrong without injected errors.

    ``lift`` says how far injected errors are the more suspicious, in standard errors.
    """
    n_injected = round(float(injected.sum(axis=1).mean()))
    top = min(len(before), int(np.ceil(LIST_LENGTH * (n_injected + before.sum()))))
    runs = zip(injected, suspicion, strict=True)
    precision = [estimate_average_precision(own, scores, before) for own, scores in runs]
    return {
        "injected": n_injected,
        "top": top,
        "found": round(float(count_hits(injected, suspicion)[top - 1])),
        "lift": bool(lift >= LEAST_LIFT),
        "average_precision": float(np.mean(precision)) if lift >= LEAST_LIFT else None,
        "repeats": len(injected),
    }


def count_hits(injected: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """How many injected errors are among those with the largest scores, for every length."""
    order = np.argsort(-scores, axis=1, kind="stable")
    return np.cumsum(np.take_along_axis(injected, order, axis=1), axis=1).mean(axis=0)


def sum_up(
    injected: np.ndarray,
    labels: np.ndarray,
    suspicion: np.ndarray,
    before: np.ndarray,
    units: np.ndarray,
) -> dict[str, Any]:
    """Sum up the fate of errors injected into classes, by the length of the list, too."""
    first, of_units = average_units(units, suspicion)
    lift = measure_lift(injected[:, first], labels[:, first], of_units)
    counts = count_found(injected, suspicion, before, lift)
    n = len(before)
    top = counts["top"]
    rank = np.unique(np.r_[np.geomspace(1, n, CURVE_POINTS).round(), top]).astype(int)
    rank = rank if counts["lift"] else rank[:0]
    hits = count_hits(injected, suspicion)[rank - 1]
    lists = map(by_label_alone, injected, labels)
    by_label = np.mean([np.interp(np.r_[rank, top], *held) for held in lists], axis=0)
    return counts | {
        "by_label": round(float(by_label[-1])),
        "rank": rank,
        "precision": hits / np.maximum(rank, 1),
        "recall": hits / counts["injected"],
        "label_precision": by_label[:-1] / np.maximum(rank, 1),
        "label_recall": by_label[:-1] / counts["injected"],
    }
