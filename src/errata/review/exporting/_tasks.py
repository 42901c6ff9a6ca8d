"""Tasks for Label Studio: what stands as an annotation, the suggestion as a prediction."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..._files import atomic_path
from ..._format import four_digits
from ..decisions import RowVerdict, as_text, from_text
from ._audited import Audited, rows_to_export
from ._controls import SHOWN, Control, control_of

OURS = "errata"  # the id of a result that nobody has touched


def export_label_studio(
    audited: Audited, verdicts: Mapping[str, RowVerdict], source: Path, target: Path
) -> int:
    """Write tasks for the rows that are flagged or decided, and ``.xml`` beside, their config.

    A task holds the cells, what errata says in ``errata_`` fields, the class decided (or else the
    label) as an annotation, and the suggestion as a prediction. Returns how many tasks there are.
    """
    table, keys = rows_to_export(source, audited, "tasks")
    tasks = list(_tasks(audited, verdicts, table, keys))
    with atomic_path(target) as whole, atomic_path(target.with_suffix(".xml")) as config:
        whole.write_text(json.dumps(tasks, default=str), encoding="utf-8")
        config.write_text(labelling_config(control_of(audited)), encoding="utf-8")
    return len(tasks)


def labelling_config(control: Control) -> str:
    """The view that Label Studio shows: the row as text, and what to choose or to type."""
    return f'<View>\n  <Text name="{SHOWN}" value="${SHOWN}"/>\n  {control.tag}\n</View>\n'


def _tasks(
    audited: Audited, verdicts: Mapping[str, RowVerdict], table: Any, keys: list[str]
) -> Iterator[dict[str, Any]]:
    rows, control = {key: row for row, key in enumerate(audited.keys)}, control_of(audited)
    for place, key in enumerate(keys):
        row, verdict = rows.get(key), verdicts.get(key)
        if row is not None and (audited.flagged[row] or verdict is not None):
            cells = table.slice(place, 1).to_pylist()[0]
            # JSON has no NaN.
            cells = {k: v if v == v else None for k, v in cells.items()}
            yield _task(audited, control, row, verdict, cells)


def _task(
    audited: Audited,
    control: Control,
    row: int,
    verdict: RowVerdict | None,
    cells: dict[str, Any],
) -> dict[str, Any]:
    label, suggested = audited.labels[row], audited.suggested[row]
    decided = verdict.class_text if verdict is not None else None
    stands = label if decided is None else from_text(decided)
    prediction = {
        "model_version": f"errata {audited.fingerprint[:8]}",
        "score": four_digits(_score(audited, row)),
        "result": _result(control, suggested),
    }
    return {
        "data": cells
        | {
            SHOWN: "\n".join(f"{k}: {v}" for k, v in cells.items() if k not in audited.columns),
            "errata_row": row,
            "errata_key": audited.keys[row],
            "errata_label": as_text(label),
            "errata_suggested": as_text(suggested),
            "errata_p_wrong": four_digits(audited.p_wrong[row]),
        },
        "annotations": [] if stands is None else [{"result": _result(control, stands)}],
        "predictions": [prediction],
    }


def _score(audited: Audited, row: int) -> float:
    """How probable the suggestion is, or that something is wrong where there are no classes."""
    return (audited.p_wrong if audited.p_suggested is None else audited.p_suggested)[row]


def _result(control: Control, label: Any) -> list[dict[str, Any]]:
    names = {"from_name": control.name, "to_name": SHOWN, "type": control.type}
    return [{"id": OURS, **names, "value": {control.type: control.value(label)}}]
