"""Judged rows of a stored table that are few enough to be held in memory, put together."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ._all_rows import AllRows, unread_note
from ._asked import Asked
from ._assembly import assemble, show_map, show_rows, shown_rows
from ._copies import duplicates_by_bits
from ._for_review import ForReview
from ._inputs import Display, Inputs
from ._judge_parts import BITS, GROUPS, JudgedSums, Judging, beside, stacked_rows
from ._judged import Judged, part_path, read_judged
from ._labels import labels_from
from ._learning import Learnt
from ._result import Audit
from ._stored_table import StoredTable
from ._unlabelled import Filled
from ._views import Viewer
from .classes import (
    Grouped,
    Posterior,
    RowsPosterior,
    gathered_posterior,
    grouped_hypotheses,
    set_aside,
)

if TYPE_CHECKING:
    from ._passes import Known


def gather_rows(
    table: StoredTable,
    asked: Asked,
    known: "Known",
    judging: Judging,
    told: JudgedSums,
    *,
    seconds: float,
) -> Audit:
    """The audit as if the table had been in memory."""
    learnt = known.learnt
    found = _all_rows(table, learnt, judging, told)
    ids = table.ids(np.arange(table.n_rows))
    label = table.columns.label
    display = Display(ids, None, asked.title, label, asked.random_state, None)
    result = assemble(
        *(found, learnt.pool, known.check), precision=asked.precision, display=display
    )
    look = viewer_of(table, learnt, judging).view
    shown = shown_rows(result)
    view = look(shown)
    show_map(result, view, shown, table.seed)
    show_rows(result, view, shown, display, seed=table.seed, n_jobs=asked.n_jobs)
    result.for_review = ForReview(
        *(look, partial(_grouped, table, judging, found), found.inputs.doubtful, display),
        seconds=seconds,
        seed=table.seed,
        n_jobs=asked.n_jobs,
    )
    return result


def viewer_of(table: StoredTable, learnt: Learnt, judging: Judging) -> Viewer:
    """Shows rows of the table among those that were learnt from."""
    fetch = partial(table.look, learnt.inputs.table, judging.classes)
    return Viewer(learnt, judging.judge, fetch)


def whole_posterior(learnt: Learnt, rows: RowsPosterior, told: JudgedSums) -> Posterior:
    """The posterior of all rows that could be audited."""
    codes, known = learnt.data.codes, learnt.inputs.audited_known
    return gathered_posterior(
        *(rows._replace(joint=told.joint, right=told.right), learnt.posterior.noise),
        learnt.posterior.skill,
        n_rows=told.audited,
        rate=told.wrong / told.audited,
        certain=0.0 if known is None else set_aside(codes, known),
    )


def _all_rows(table: StoredTable, learnt: Learnt, judging: Judging, told: JudgedSums) -> AllRows:
    parts = [read_judged(part_path(judging.folder, part.start)) for part in table.parts]
    judged = stacked_rows(parts)
    codes, audited = judged.code.astype(np.intp), np.flatnonzero(judged.audited)
    other = np.searchsorted(judging.judge.present, judged.other)
    rows = RowsPosterior(
        p_wrong=judged.p_wrong[audited],
        suspicion=judged.suspicion[audited],
        other=other[audited].astype(np.int16),
        p_other=judged.p_other[audited],
        p_elsewhere=judged.p_elsewhere[audited],
        joint=told.joint,
        right=told.right,
    )
    blank = np.flatnonzero(codes < 0)
    return AllRows(
        inputs=_inputs(learnt.inputs, judged, codes, audited, told),
        posterior=whole_posterior(learnt, rows, told),
        logs=np.empty((0, 0)),
        filled=Filled(blank, other[blank], judged.p_other[blank]),
        duplicates=_duplicates(table, judging, codes),
    )


def _inputs(
    drawn: Inputs, judged: Judged, codes: np.ndarray, audited: np.ndarray, told: JudgedSums
) -> Inputs:
    with_blanks = bool((codes < 0).any())
    return drawn._replace(
        table=None,
        labels=labels_from(codes, drawn.classes, with_blanks=with_blanks),
        codes=codes,
        known=judged.known,
        X=None,
        audited=audited,
        groups=None,
        notes=[*drawn.notes, *unread_note(told.unread)],
        drawn=None,
    )


def _duplicates(table: StoredTable, judging: Judging, codes: np.ndarray) -> list[np.ndarray]:
    if judging.judge.plan is None:
        return []
    starts = [part.start for part in table.parts]
    bits = np.concatenate([np.load(beside(judging.folder, BITS, start)) for start in starts])
    labelled = np.flatnonzero(codes >= 0)
    return duplicates_by_bits(bits[labelled], codes[labelled], labelled)


def _grouped(table: StoredTable, judging: Judging, found: AllRows) -> Grouped:
    """Hypotheses in groups, and what they say of every row."""
    posterior = judging.posterior
    assert posterior is not None
    none = posterior._replace(p_wrong=posterior.p_wrong[:0])
    logs = judging.judge.logs[:, :0]
    grouped = grouped_hypotheses(none, logs, np.empty(0, dtype=np.intp))
    p = np.empty((table.n_rows, len(grouped.kinds)), dtype=np.float32)
    for part in table.parts:
        p[part.start : part.stop] = np.load(beside(judging.folder, GROUPS, part.start))
    np.nan_to_num(p, copy=False, nan=found.posterior.rate)
    return grouped._replace(p=p)
