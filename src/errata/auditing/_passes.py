"""Passes over a stored table: its drawn rows are taken out and learnt from, all rows are judged."""

import time
from functools import partial
from typing import NamedTuple

import numpy as np

from .._engine import Engine, Ledger
from .._progress import Progress
from ..tables._columns import column_array
from ._asked import Asked
from ._drawing import rows_to_learn_from
from ._gathered_rows import gather_rows
from ._inputs import check_pred_proba, inputs_of
from ._judge_parts import JudgedSums, Judging, judge_part
from ._judging import Judge
from ._known import known_mask
from ._labels import classes_of_counts
from ._learning import Brought, Learnt, check_by_injecting, learn, notes_on_check
from ._many_rows import finish_rows
from ._result import Audit
from ._scan import Scan, Scanned, scan_part
from ._self_check import SelfCheck
from ._settings import EXACT_ROWS
from ._stored_table import StoredTable


class Known(NamedTuple):
    """What is known after the first pass."""

    learnt: Learnt
    judge: Judge
    check: SelfCheck | None


def audit_in_passes(
    table: StoredTable, asked: Asked, engine: Engine, ledger: Ledger, progress: Progress
) -> Audit:
    """Scan, learn and judge; what is finished is kept in the ledger."""
    started = time.perf_counter()
    drawn = rows_to_learn_from(table.n_rows, table.seed)
    scan = Scan(table.columns.label, table.columns.read, drawn)
    scanned = engine.reduce(scan_part, Scanned.merge, table.parts, scan, stage="scanning")
    known = ledger.kept("learnt", partial(_learn, table, asked, scanned, drawn, progress))
    learnt = known.learnt
    few = table.n_rows <= EXACT_ROWS
    folder = ledger.folder / "judged"
    folder.mkdir(exist_ok=True)
    classes, posterior = learnt.inputs.classes, learnt.posterior if few else None
    judging = Judging(known.judge, table.columns, classes, folder, posterior)
    told = engine.reduce(judge_part, JudgedSums.merge, table.parts, judging, stage="judging")
    if few:
        return gather_rows(table, asked, known, judging, told, started=started)
    return finish_rows(table, asked, known, judging, told, engine)


def _learn(
    table: StoredTable, asked: Asked, scanned: Scanned, drawn: np.ndarray, progress: Progress
) -> Known:
    columns, rows = table.columns, scanned.table()
    name = f"column {columns.label!r}"
    classes = classes_of_counts(scanned.labels, scanned.blank, name)
    given = columns.labelled(rows, classes)
    given = given._replace(known=known_mask(given.known, given.codes >= 0))
    groups = None if columns.groups is None else column_array(rows, columns.groups)
    inputs = inputs_of(
        given,
        groups=groups,
        trust=asked.trust,
        seed=table.seed,
        n_jobs=asked.n_jobs,
        drawn=drawn,
        n_rows=table.n_rows,
    )
    if asked.estimator is None:  # which alone looks at features that are not scaled
        inputs = inputs.without_features()
    proba = columns.proba_of(rows)
    if proba is not None:
        proba = check_pred_proba(proba, classes, len(drawn))
    learnt = learn(
        *(inputs, Brought(asked.estimator, proba, asked.estimators)),
        fills=scanned.blank > 0,
        seed=table.seed,
        n_jobs=asked.n_jobs,
        progress=progress,
    )
    if not asked.self_check:
        return Known(_small(learnt), Judge.of(learnt), None)
    progress("planting errors and looking for them")
    check = check_by_injecting(learnt)
    inputs.notes.extend(notes_on_check(learnt))
    return Known(_small(learnt), Judge.of(learnt), check)


def _small(learnt: Learnt) -> Learnt:
    """What was learnt, without what only models need, for the ledger."""
    return learnt._replace(inputs=learnt.inputs.without_features(), models=[])
