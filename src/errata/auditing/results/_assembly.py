"""The result put together for all rows, those that could not be audited included."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..._blocks import blocks
from ..._compat import take_rows
from ..._format import listed
from ...tables.features._features import find_empty_rows
from .._learning import Filled, Judge, Learnt, TableRows, notes_about_noise
from .._self_check import SelfCheck
from .._settings import JUDGED_ROWS
from ..classes import Posterior, RowsPosterior, gathered_posterior, merged_rows, set_aside
from ..inputs._duplicates import conflicting_duplicates, duplicates_by_bits
from ..inputs._inputs import Display, Inputs, Labelled, for_all_rows
from ..inputs._labels import are_among
from ..models._pooling import Pool
from ..stored._rows import Rows
from ._audit import Audit
from ._flags import Flags, near_borders
from ._rates_by import NoiseRate


class AllRows(NamedTuple):
    """What is known of every row."""

    inputs: Inputs  # of all rows, without features
    posterior: Posterior  # of the audited ones
    logs: np.ndarray  # (K, audited), of the pooled probabilities
    filled: Filled
    duplicates: list[np.ndarray]  # rows with equal features whose labels differ


def class_result(
    found: AllRows, pool: Pool, check: SelfCheck | None, flags: Flags, display: Display
) -> Audit:
    """The audit, but for what is told of single rows."""
    inputs = found.inputs
    posterior = found.posterior
    columns = _columns(inputs, posterior, flags, found.filled)
    near = near_borders(posterior.p_elsewhere[flags.flagged])
    notes = notes_about_noise(posterior, int(flags.flagged.sum()), near)
    return Audit(
        labels=inputs.labels,
        **columns,
        **noise_told(inputs, posterior),
        classes=inputs.classes,
        models=models_told(pool),
        self_check=check,
        expected_precision=flags.expected_precision,
        expected_recall=flags.expected_recall,
        rule=flags.rule,
        notes=[*notes, *inputs.notes],
        duplicates=found.duplicates,
        about=display.about(inputs.table, inputs.n_features),
        index=display.index,
        ids=display.given_ids(len(inputs.labels)),
        known=inputs.known,
    )


def _columns(inputs: Inputs, posterior: Posterior, flags: Flags, filled: Filled) -> dict[str, Any]:
    """One entry for every row of the table, those that could not be audited included."""
    audited = np.zeros(len(inputs.codes), dtype=bool)
    audited[inputs.audited] = True
    other = for_all_rows(inputs, inputs.present[posterior.other], 0)
    p_other = for_all_rows(inputs, posterior.p_other.astype(float), 0.0)
    other[filled.rows] = inputs.present[filled.codes]
    p_other[filled.rows] = filled.p
    rows = Rows(
        code=inputs.codes,
        other=other,
        p_wrong=for_all_rows(inputs, posterior.p_wrong, 0.0),
        p_other=p_other,
        suspicion=for_all_rows(inputs, posterior.suspicion, 0.0),
        p_elsewhere=for_all_rows(inputs, posterior.p_elsewhere, 0.0),
        audited=audited,
        known=inputs.known,
    ).flag(for_all_rows(inputs, flags.flagged, False), posterior.rate)
    is_other = np.flatnonzero(rows.suggested != rows.code)
    suggested = inputs.labels.copy()
    suggested[is_other] = inputs.classes[np.asarray(rows.suggested)[is_other]]
    return {
        "suspicion": rows.suspicion,
        "p_wrong": rows.p_wrong,
        "suggested": suggested,
        "p_suggested": rows.p_suggested,
        "flagged": rows.flagged,
    }


def noise_told(inputs: Inputs, posterior: Posterior) -> dict[str, Any]:
    """What is known of the noise, for all classes: one that was not audited keeps its label."""
    present = inputs.present
    n_classes = len(inputs.classes)
    prior = np.zeros(n_classes)
    transition = np.eye(n_classes)
    prior[present] = posterior.prior
    transition[np.ix_(present, present)] = posterior.transition
    return {
        "noise_rate": NoiseRate(posterior.rate, posterior.low, posterior.high),
        "hypotheses": posterior.noise.by_kind(posterior.rates),
        "has_skill": posterior.skill.enough,
        "transition": transition,
        "prior": prior,
    }


def models_told(pool: Pool) -> list[dict[str, Any]]:
    """What is told of each model; weights as fractions of their sum, which the pool leaves free."""
    total = sum(m.weight for m in pool.models) or 1.0
    return [
        {"name": m.name, "weight": round(m.weight / total, 4), "agreement": round(m.agreement, 4)}
        for m in pool.models
    ]


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
    codes = learnt.data.codes
    known = learnt.inputs.audited_known
    return gathered_posterior(
        rows,
        learnt.posterior.noise,
        learnt.posterior.skill,
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
    compared = np.flatnonzero((inputs.codes >= 0) & ~find_empty_rows(inputs.features))
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
