"""Judged rows of a stored table that are few enough to be held in memory, put together."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ._all_rows import AllRows, found_by_bits, whole_inputs, whole_posterior
from ._asked import Asked
from ._assembly import assemble
from ._inputs import Display, Labelled
from ._judge_parts import BITS, GROUPS, JudgedSums, Judging, beside, stacked_rows
from ._judged import part_path, read_judged
from ._labels import codes_among, labels_from
from ._learning import Learnt
from ._result import Audit
from ._showing import Showing
from ._stored_table import StoredTable
from ._unlabelled import Filled
from ._views import Viewer
from .classes import Grouped, RowsPosterior, grouped_hypotheses

if TYPE_CHECKING:
    from ._passes import Known


def gather_rows(
    table: StoredTable,
    asked: Asked,
    known: "Known",
    judging: Judging,
    told: JudgedSums,
    *,
    started: float,
) -> Audit:
    """The audit as if the table had been in memory."""
    learnt = known.learnt
    found = _all_rows(table, learnt, judging, told)
    ids = table.ids(np.arange(table.n_rows))
    return assemble(
        *(found, learnt.pool, known.check),
        precision=asked.precision,
        showing=showing_of(table, asked, learnt, judging, ids),
        grouped=partial(_grouped, table, judging, found),
        started=started,
    )


def showing_of(
    table: StoredTable,
    asked: Asked,
    learnt: Learnt,
    judging: Judging,
    ids: np.ndarray | None = None,
) -> Showing:
    """Rows of the table are shown among those that were learnt from."""
    fetch = partial(table.look, learnt.inputs.table, judging.classes)
    viewer = Viewer(learnt, judging.judge, fetch)
    display = Display(ids, None, asked.title, table.columns.label, asked.random_state, None)
    return Showing(viewer.view, display, table.seed, asked.n_jobs)


def _all_rows(table: StoredTable, learnt: Learnt, judging: Judging, told: JudgedSums) -> AllRows:
    judged = stacked_rows(
        [read_judged(part_path(judging.folder, part.start)) for part in table.parts]
    )
    codes, audited = judged.code.astype(np.intp), np.flatnonzero(judged.audited)
    at = slice(None) if len(audited) == len(codes) else audited  # all rows are not copied
    other = codes_among(judged.other, judging.judge.present)
    rows = RowsPosterior(
        p_wrong=judged.p_wrong[at],
        suspicion=judged.suspicion[at],
        other=other[at].astype(np.int16, copy=False),
        p_other=judged.p_other[at],
        p_elsewhere=judged.p_elsewhere[at],
        joint=told.joint,
        right=told.right,
    )
    blank, classes = np.flatnonzero(codes < 0), judging.classes
    labels = labels_from(codes, classes, with_blanks=bool(len(blank)))
    given = Labelled(None, labels, classes, codes, judged.known)
    return AllRows(
        inputs=whole_inputs(learnt.inputs, given, audited, told.unread),
        posterior=whole_posterior(learnt, rows, n_rows=told.audited, rate=told.rate),
        logs=np.empty((0, 0)),
        filled=Filled(blank, other[blank], judged.p_other[blank]),
        duplicates=found_by_bits(_bits(table, judging), codes),
    )


def _bits(table: StoredTable, judging: Judging) -> Iterator[np.ndarray]:
    """What rows with equal features have in common, part by part; nothing without features."""
    if judging.judge.plan is not None:
        for part in table.parts:
            yield np.load(beside(judging.folder, BITS, part.start))


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
