"""Tasks for Label Studio, and the annotations that come back from it as decisions."""

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from ..._files import atomic_path, readable
from ..._format import four_digits
from ...audit_folder.decisions import Decisions, Event, RowVerdict, as_text, from_text
from ._table import Audited, format_choice, read_export_rows

OURS = "errata"  # the id of a result that nobody has touched
QUEUE = "label studio"
SHOWN = "errata_text"  # name in the labelling config


def export_label_studio(
    audited: Audited, verdicts: Mapping[str, RowVerdict], source: Path, target: Path
) -> int:
    """Write tasks for the rows that are flagged or decided, and ``.xml`` beside, their config.

    A task holds the cells, what errata says in ``errata_`` fields, the class decided (or else the
    label) as an annotation, and the suggestion as a prediction. Returns how many tasks there are.
    """
    table, keys = read_export_rows(source, audited, "tasks")
    tasks = list(_make_tasks(audited, verdicts, table, keys))
    with atomic_path(target) as whole, atomic_path(target.with_suffix(".xml")) as config:
        whole.write_text(json.dumps(tasks, default=str), encoding="utf-8")
        config.write_text(write_config(audited), encoding="utf-8")
    return len(tasks)


def write_config(audited: Audited) -> str:
    """The view that Label Studio shows: the row as text, and what to choose or to type."""
    name = audited.kind.review.column
    if audited.kind.review.is_number:
        control = f'<Number name="{name}" toName="{SHOWN}"/>'
    else:
        how = "single" if audited.names is None else "multiple"
        choices = "".join(f"\n    <Choice value={quoteattr(each)}/>" for each in audited.classes)
        control = (
            f'<Choices name="{name}" toName="{SHOWN}" choice="{how}" showInline="true">{choices}\n'
            "  </Choices>"
        )
    return f'<View>\n  <Text name="{SHOWN}" value="${SHOWN}"/>\n  {control}\n</View>\n'


def _make_tasks(
    audited: Audited, verdicts: Mapping[str, RowVerdict], table: Any, keys: list[str]
) -> Iterator[dict[str, Any]]:
    rows = {key: row for row, key in enumerate(audited.keys)}
    for place, key in enumerate(keys):
        row = rows.get(key)
        verdict = verdicts.get(key)
        if row is not None and (audited.flagged[row] or verdict is not None):
            cells = table.slice(place, 1).to_pylist()[0]
            # JSON has no NaN.
            cells = {k: v if v == v else None for k, v in cells.items()}
            yield _make_task(audited, row, verdict, cells)


def _make_task(
    audited: Audited, row: int, verdict: RowVerdict | None, cells: dict[str, Any]
) -> dict[str, Any]:
    label = audited.labels[row]
    suggested = audited.suggested[row]
    decided = verdict.class_text if verdict is not None else None
    stands = label if decided is None else from_text(decided)
    # How probable the suggestion is, or that something is wrong where there are no classes.
    score = (audited.p_wrong if audited.p_suggested is None else audited.p_suggested)[row]
    prediction = {
        "model_version": f"errata {audited.fingerprint[:8]}",
        "score": four_digits(score),
        "result": _make_result(audited, suggested),
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
        "annotations": [] if stands is None else [{"result": _make_result(audited, stands)}],
        "predictions": [prediction],
    }


def _make_result(audited: Audited, label: Any) -> list[dict[str, Any]]:
    """A label as Label Studio holds it."""
    value: Any = label
    if not audited.kind.review.is_number:
        value = [format_choice(each) for each in ([label] if audited.names is None else label)]
    kind = _get_type(audited)
    names = {"from_name": audited.kind.review.column, "to_name": SHOWN, "type": kind}
    return [{"id": OURS, **names, "value": {kind: value}}]


def _read_choice(
    audited: Audited, annotation: dict[str, Any], classes: dict[str, str]
) -> str | None:
    """The label that was chosen or typed, as text; None where the audit does not know it."""
    results = annotation.get("result") or []
    ours = [each for each in results if each.get("from_name") == audited.kind.review.column]
    values = [each.get("value", {}).get(_get_type(audited)) for each in ours]
    if len(values) != 1 or values[0] is None:
        return None
    if audited.kind.review.is_number:
        return as_text(values[0]) if type(values[0]) in (int, float) else None
    texts = [classes.get(name) for name in values[0]]
    if None in texts:
        return None
    if audited.names is None:
        return texts[0] if len(texts) == 1 else None
    return as_text([from_text(str(text)) for text in texts])


def _get_type(audited: Audited) -> str:
    """The name that Label Studio has for values of this kind."""
    return "number" if audited.kind.review.is_number else "choices"


def import_label_studio(decisions: Decisions, audited: Audited, path: Path) -> dict[str, int]:
    """Take in the JSON that Label Studio exports; importing it twice is importing it once.

    Returns how many annotations there were of each sort: ``added`` are decisions that are new here,
    ``known`` were here already, ``untouched`` are as errata exported them, ``unknown`` of rows that
    the audit does not have, and ``foreign`` of another labelling config, or of a class that is not
    in the audit.
    """
    rows = {key: row for row, key in enumerate(audited.keys)}
    classes = audited.classes
    became = dict.fromkeys(("added", "known", "untouched", "unknown", "foreign"), 0)
    events = []
    for task, annotation in _read_annotations(path):
        row = rows.get(task.get("data", {}).get("errata_key"))
        if row is None:
            became["unknown"] += 1
        elif _is_untouched(annotation):
            became["untouched"] += 1
        elif annotation.get("was_cancelled"):
            events.append(_make_decision(audited, row, annotation, None))
        elif (chosen := _read_choice(audited, annotation, classes)) is None:
            became["foreign"] += 1
        else:
            events.append(_make_decision(audited, row, annotation, chosen))
    before = len(decisions.current().log)
    decisions.record_all(events)
    became["added"] = len(decisions.current().log) - before
    became["known"] = len(events) - became["added"]
    return became


def _read_annotations(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every annotation with its task; the tasks of a file that is none of Label Studio's: none."""
    with readable(path):
        try:
            tasks = json.loads(path.read_text(encoding="utf-8"))
            found = [(task, each) for task in tasks for each in task["annotations"]]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(
                f"{path} is not a list of tasks with annotations, as Label Studio exports it under "
                "JSON."
            ) from error
    yield from found


def _is_untouched(annotation: dict[str, Any]) -> bool:
    """Whether it is the annotation that errata wrote: Label Studio keeps the id of a result."""
    results = annotation.get("result") or []
    stamps = annotation.get("lead_time"), annotation.get("was_cancelled")
    return bool(results) and results[0].get("id") == OURS and not any(stamps)


def _make_decision(
    audited: Audited, row: int, annotation: dict[str, Any], class_text: str | None
) -> Event:
    reviewer = _get_reviewer(annotation)
    at = annotation.get("updated_at") or ""
    said = json.dumps([audited.keys[row], reviewer, at, class_text])
    return audited.decide(
        row,
        class_text,
        reviewer=reviewer,
        queue=QUEUE,
        seconds=annotation.get("lead_time"),
        key=f"label-studio-{blake2b(said.encode(), digest_size=12).hexdigest()}",
        at=at or annotation.get("created_at") or "",
    )


def _get_reviewer(annotation: dict[str, Any]) -> str:
    """Who completed it: Label Studio gives a number, or a person with an address."""
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return f"annotator {by}" if isinstance(by, int) else str(by or "annotator")
