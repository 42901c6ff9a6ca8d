"""Tasks for Label Studio: what stands as an annotation, the suggestion as a prediction."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from ..._files import atomic_path
from ..._format import four_digits
from ..decisions import RowVerdict, as_text, from_text
from ._audited import Audited, check_free, choice, keys_in

CONTROL, SHOWN = "errata_class", "errata_text"  # names in the labelling config
OURS = "errata"  # the id of a result that nobody has touched


def export_label_studio(
    audited: Audited, verdicts: Mapping[str, RowVerdict], source: Path, target: Path
) -> int:
    """Write tasks for the rows that are flagged or decided, and ``.xml`` beside, their config.

    A task holds the cells, what errata says in ``errata_`` fields, the class decided (or else the
    label) as an annotation, and the suggestion as a prediction. Returns how many tasks there are.
    """
    from ...tables import read_table  # here, as it brings scikit-learn

    table = read_table(source)
    check_free(table.column_names, source, "tasks")
    keys = keys_in(source, table, audited)
    tasks = list(_tasks(audited, verdicts, table, keys))
    with atomic_path(target) as whole, atomic_path(target.with_suffix(".xml")) as config:
        whole.write_text(json.dumps(tasks, default=str), encoding="utf-8")
        config.write_text(labelling_config(list(audited.classes)), encoding="utf-8")
    return len(tasks)


def labelling_config(choices: list[str]) -> str:
    """The view that Label Studio asks for: the row as text, and one class to choose."""
    listed = "".join(f"\n    <Choice value={quoteattr(name)}/>" for name in choices)
    return (
        f'<View>\n  <Text name="{SHOWN}" value="${SHOWN}"/>\n'
        f'  <Choices name="{CONTROL}" toName="{SHOWN}" choice="single" showInline="true">{listed}\n'
        "  </Choices>\n</View>\n"
    )


def _tasks(
    audited: Audited, verdicts: Mapping[str, RowVerdict], table: Any, keys: list[str]
) -> Iterator[dict[str, Any]]:
    rows = {key: row for row, key in enumerate(audited.keys)}
    for place, key in enumerate(keys):
        row, verdict = rows.get(key), verdicts.get(key)
        if row is not None and (audited.flagged[row] or verdict is not None):
            cells = table.slice(place, 1).to_pylist()[0]
            # JSON has no NaN.
            yield _task(audited, row, verdict, {k: v if v == v else None for k, v in cells.items()})


def _task(
    audited: Audited, row: int, verdict: RowVerdict | None, cells: dict[str, Any]
) -> dict[str, Any]:
    label, suggested = audited.labels[row], audited.suggested[row]
    decided = verdict.class_text if verdict is not None else None
    stands = label if decided is None else from_text(decided)
    prediction = {
        "model_version": f"errata {audited.fingerprint[:8]}",
        "score": four_digits(audited.p_suggested[row]),
        "result": _result(suggested),
    }
    return {
        "data": cells
        | {
            SHOWN: "\n".join(f"{k}: {v}" for k, v in cells.items() if k != audited.label),
            "errata_row": row,
            "errata_key": audited.keys[row],
            "errata_label": as_text(label),
            "errata_suggested": as_text(suggested),
            "errata_p_wrong": four_digits(audited.p_wrong[row]),
        },
        "annotations": [] if stands is None else [{"result": _result(stands)}],
        "predictions": [prediction],
    }


def _result(label: Any) -> list[dict[str, Any]]:
    value = {"choices": [choice(label)]}
    names = {"from_name": CONTROL, "to_name": SHOWN, "type": "choices"}
    return [{"id": OURS, **names, "value": value}]
