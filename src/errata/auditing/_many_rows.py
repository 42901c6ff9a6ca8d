"""Rows of a stored table that are too many to be held: flagged, written and added up by parts."""

from collections.abc import Iterator
from operator import add
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .._engine import Engine
from ._all_rows import unread_note, whole_posterior
from ._asked import Asked
from ._assembly import models_told, noise_told
from ._examples import n_examples
from ._finishing import Finished, Finishing, finish_part
from ._flag_line import draw_line, no_line
from ._gathered_rows import showing_of
from ._judge_parts import BITS, JudgedSums, Judging, beside
from ._judged import part_path, read_codes
from ._notes import notes_about_noise
from ._repeated import repeated_rows
from ._result import Audit
from ._showing import show
from ._stored_rows import StoredRows
from ._stored_table import StoredTable
from .classes import Posterior, RowsPosterior

if TYPE_CHECKING:
    from ._passes import Known


def finish_rows(
    table: StoredTable,
    asked: Asked,
    known: "Known",
    judging: Judging,
    told: JudgedSums,
    engine: Engine,
) -> Audit:
    """The audit whose rows stay on disk."""
    learnt = known.learnt
    posterior = whole_posterior(learnt, _sums(told), n_rows=told.audited, rate=told.rate)
    line = draw_line(told.ranking, asked.precision) if posterior.skill.enough else no_line()
    rows = judging.folder.with_name("rows")
    rows.mkdir(exist_ok=True)
    finishing = Finishing(judging.folder, rows, judging.classes, line, posterior.rate)
    finished = engine.reduce(finish_part, add, table.parts, finishing, stage="flagging")
    stored = StoredRows(rows, finished.parts, judging.classes, finished.totals)
    showing = showing_of(table, asked, learnt, judging)
    inputs, columns = learnt.inputs, cast(dict[str, Any], stored.attributes())
    result = Audit(
        **columns,
        **noise_told(inputs, posterior),
        classes=judging.classes,
        models=models_told(learnt.pool),
        self_check=known.check,
        expected_precision=line.expected_precision,
        expected_recall=line.expected_recall,
        rule=line.rule,
        notes=[
            *_notes(posterior, finished),
            *inputs.notes,
            *unread_note(told.unread),
        ],
        duplicates=_duplicates(table, judging),
        about=showing.display.about(inputs.table, inputs.n_features),
    )
    shown = finished.worst.row[: n_examples(finished.totals.n_flagged, table.n_rows)]
    show(result, shown, showing)
    _name_examples(result, table, shown)
    return result


def _sums(told: JudgedSums) -> RowsPosterior:
    """No rows, and sums over all of them."""
    nothing = RowsPosterior(*(np.empty(0) for _ in RowsPosterior._fields))
    return nothing._replace(joint=told.joint, right=told.right)


def _notes(posterior: Posterior, finished: Finished) -> list[str]:
    totals = finished.totals
    return notes_about_noise(posterior, totals.n_flagged, totals.near_borders)


def _duplicates(table: StoredTable, judging: Judging) -> list[np.ndarray]:
    if judging.judge.plan is None:
        return []

    def pieces() -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        for part in table.parts:
            bits = np.load(beside(judging.folder, BITS, part.start))
            yield part.start, bits, read_codes(part_path(judging.folder, part.start))

    return repeated_rows(pieces, table.n_rows)


def _name_examples(result: Audit, table: StoredTable, shown: np.ndarray) -> None:
    """Give examples the ids of their rows, where a column holds some."""
    order = np.argsort(shown)
    ids = table.ids(shown[order])
    if ids is None:
        return
    names: dict[int, Any] = dict(zip(shown[order].tolist(), ids.tolist(), strict=True))
    for example in result.examples:
        example["id"] = str(names[example["row"]])
