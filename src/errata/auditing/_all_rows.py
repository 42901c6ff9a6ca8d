"""All rows of a table in memory: those that were learnt from, and the others, judged by it."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from .._blocks import blocks
from .._compat import take_rows
from .._format import listed
from ..tables._features import rows_without_values
from ._copies import conflicting_duplicates, duplicates_by_bits
from ._inputs import Inputs, Labelled
from ._judging import Judge, TableRows
from ._labels import are_among
from ._learning import Learnt
from ._settings import JUDGED_ROWS
from ._unlabelled import Filled
from .classes import Posterior, RowsPosterior, gathered_posterior, merged_rows, set_aside


class AllRows(NamedTuple):
    """What is known of every row."""

    inputs: Inputs  # of all rows, without features
    posterior: Posterior  # of the audited ones
    logs: np.ndarray  # (K, audited), of the pooled probabilities
    filled: Filled
    duplicates: list[np.ndarray]  # rows with equal features whose labels differ


def rows_learnt_from(learnt: Learnt, rows: TableRows) -> AllRows:
    """The rows of a table that was learnt from as a whole."""
    inputs = learnt.inputs
    blank = inputs.unlabelled
    filled = Filled(blank, blank, np.empty(0))
    if learnt.filler is not None:
        X = None
        if inputs.features is not None and inputs.scale is not None:
            X = inputs.scale.apply(take_rows(inputs.features.X, blank))
        proba = None if rows.pred_proba is None else rows.pred_proba[np.ix_(blank, inputs.present)]
        filled = Filled(blank, *learnt.filler.fill(X, proba))
    kept = inputs.without_features()
    return AllRows(kept, learnt.posterior, learnt.pool.logs, filled, _duplicates(inputs))


def judged_rows(learnt: Learnt, judge: Judge, given: Labelled, rows: TableRows) -> AllRows:
    """All rows of a table that some were drawn from to learn from."""
    audited = np.flatnonzero(are_among(given.codes, judge.present))
    logs = np.empty((len(judge.present), len(audited)), dtype=judge.logs.dtype)
    beside = []

    def judged(block: slice) -> RowsPosterior:
        part = judge.judge(rows.for_rows(block))
        logs[:, slice(*np.searchsorted(audited, [block.start, block.stop]))] = part.logs
        beside.append((part.filled, part.p_filled, part.bits, part.unread))
        return part.rows

    found = merged_rows(map(judged, blocks(len(rows.places), JUDGED_ROWS)), len(audited))
    filled, p_filled, bits, unread = zip(*beside, strict=True)
    return AllRows(
        inputs=whole_inputs(learnt.inputs, given, audited, sum(unread, Counter[str]())),
        posterior=whole_posterior(learnt, found),
        logs=logs,
        filled=Filled(
            np.flatnonzero(given.codes < 0), np.concatenate(filled), np.concatenate(p_filled)
        ),
        duplicates=found_by_bits(bits, given.codes),
    )


def whole_posterior(
    learnt: Learnt, rows: RowsPosterior, *, n_rows: int | None = None, rate: float | None = None
) -> Posterior:
    """The posterior of all rows that could be audited, see :func:`gathered_posterior`."""
    codes, known = learnt.data.codes, learnt.inputs.audited_known
    return gathered_posterior(
        *(rows, learnt.posterior.noise, learnt.posterior.skill),
        n_rows=n_rows,
        rate=rate,
        certain=0.0 if known is None else set_aside(codes, known),
    )


def whole_inputs(
    drawn: Inputs, given: Labelled, audited: np.ndarray, unread: Counter[str]
) -> Inputs:
    """The inputs of all rows of a table that some were drawn from."""
    return drawn.without_features()._replace(
        table=given.table,
        labels=given.labels,
        codes=given.codes,
        known=given.known,
        X=None,
        audited=audited,
        groups=None,
        folds=None,
        notes=[*drawn.notes, *unread_note(unread)],
        drawn=None,
    )


def unread_note(unread: Counter[str]) -> list[str]:
    """A sentence about cells of another kind than those that were learnt from, if there are any."""
    if not unread:
        return []
    told = (f"{n:,} of {name!r}" for name, n in sorted(unread.items()))
    return [
        f"Cells of another kind than those learnt from count as missing: {listed(told, most=8)}."
    ]


def _duplicates(inputs: Inputs) -> list[np.ndarray]:
    if inputs.features is None:
        return []
    # Rows of which nothing is known, such as pictures that cannot be read, are not the same thing.
    compared = np.flatnonzero((inputs.codes >= 0) & ~rows_without_values(inputs.features))
    if len(compared) == len(inputs.codes):
        return conflicting_duplicates(inputs.features.X, inputs.codes)
    X = take_rows(inputs.features.X, compared)
    return [compared[rows] for rows in conflicting_duplicates(X, inputs.codes[compared])]


def found_by_bits(parts: Iterable[np.ndarray | None], codes: np.ndarray) -> list[np.ndarray]:
    """Rows with equal features whose labels differ, by the bits of all parts of the table."""
    bits = [part for part in parts if part is not None]
    if not bits:
        return []
    labelled = np.flatnonzero(codes >= 0)
    return duplicates_by_bits(np.concatenate(bits)[labelled], codes[labelled], labelled)
