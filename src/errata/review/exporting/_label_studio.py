"""Tasks for Label Studio, and the annotations that come back from it as decisions."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

from ..._files import atomic_path, readable
from ..._format import four_digits
from ...audit_folder.decisions import Decisions, Event, RowVerdict, as_text, from_text
from ._table import Audited, format_choice, read_export_rows

OURS = "errata"  # the id of a result that nobody has touched

QUEUE = "label studio"
_KEPT = "kept"
_UNTOUCHED = "untouched"
_UNKNOWN = "unknown"
_FOREIGN = "foreign"

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
        config.write_text(write_config(choose_control(audited)), encoding="utf-8")
    return len(tasks)


class Control(NamedTuple):
    """A tag of the labelling config, and how its results hold a label."""

    name: str
    tag: str  # as it is written
    type: str  # of results
    value: Callable[[Any], Any]  # that a result has for a label
    label: Callable[[Any], str | None]  # and back, as text; None for what is none of ours


def write_config(control: Control) -> str:
    """The view that Label Studio shows: the row as text, and what to choose or to type."""
    return f'<View>\n  <Text name="{SHOWN}" value="${SHOWN}"/>\n  {control.tag}\n</View>\n'


def _make_tasks(
    audited: Audited, verdicts: Mapping[str, RowVerdict], table: Any, keys: list[str]
) -> Iterator[dict[str, Any]]:
    rows = {key: row for row, key in enumerate(audited.keys)}
    control = choose_control(audited)
    for place, key in enumerate(keys):
        row = rows.get(key)
        verdict = verdicts.get(key)
        if row is not None and (audited.flagged[row] or verdict is not None):
            cells = table.slice(place, 1).to_pylist()[0]
            # JSON has no NaN.
            cells = {k: v if v == v else None for k, v in cells.items()}
            yield _make_task(audited, control, row, verdict, cells)


def _make_task(
    audited: Audited,
    control: Control,
    row: int,
    verdict: RowVerdict | None,
    cells: dict[str, Any],
) -> dict[str, Any]:
    label = audited.labels[row]
    suggested = audited.suggested[row]
    decided = verdict.class_text if verdict is not None else None
    stands = label if decided is None else from_text(decided)
    prediction = {
        "model_version": f"errata {audited.fingerprint[:8]}",
        "score": four_digits(_get_score(audited, row)),
        "result": _make_result(control, suggested),
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
        "annotations": [] if stands is None else [{"result": _make_result(control, stands)}],
        "predictions": [prediction],
    }


def _get_score(audited: Audited, row: int) -> float:
    """How probable the suggestion is, or that something is wrong where there are no classes."""
    return (audited.p_wrong if audited.p_suggested is None else audited.p_suggested)[row]


def _make_result(control: Control, label: Any) -> list[dict[str, Any]]:
    names = {"from_name": control.name, "to_name": SHOWN, "type": control.type}
    return [{"id": OURS, **names, "value": {control.type: control.value(label)}}]


class Imported(NamedTuple):
    """What became of the annotations in a file.

    Attributes
    ----------
    added : int
        Decisions that are new here.
    known : int
        Decisions that were here already.
    untouched : int
        Annotations that are as errata exported them: nobody decided anything.
    unknown : int
        Annotations of rows that the audit does not have.
    foreign : int
        Annotations that another labelling config made, or of a class that is not in the audit.
    """

    added: int
    known: int
    untouched: int
    unknown: int
    foreign: int


def import_label_studio(decisions: Decisions, audited: Audited, path: Path) -> Imported:
    """Take in the JSON that Label Studio exports; importing it twice is importing it once."""
    rows = {key: row for row, key in enumerate(audited.keys)}
    control = choose_control(audited)
    became: Counter[str] = Counter()
    events = []
    for task, annotation in _read_annotations(path):
        row = rows.get(task.get("data", {}).get("errata_key"))
        event = _read_event(audited, control, row, annotation)
        became[event if isinstance(event, str) else _KEPT] += 1
        if isinstance(event, Event):
            events.append(event)
    before = sum(1 for _ in decisions.events())
    decisions.record_all(events)
    added = sum(1 for _ in decisions.events()) - before
    passed_over = (became[why] for why in (_UNTOUCHED, _UNKNOWN, _FOREIGN))
    return Imported(added, became[_KEPT] - added, *passed_over)


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


def _read_event(
    audited: Audited, control: Control, row: int | None, annotation: dict[str, Any]
) -> Event | str:
    """The decision that an annotation is, or why it is none."""
    if row is None:
        return _UNKNOWN
    chosen = _read_choice(annotation, control)
    cancelled = bool(annotation.get("was_cancelled"))
    if _is_untouched(annotation):
        return _UNTOUCHED
    if chosen is None and not cancelled:
        return _FOREIGN
    return _make_decision(audited, row, annotation, None if cancelled else chosen)


def _is_untouched(annotation: dict[str, Any]) -> bool:
    """Whether it is the annotation that errata wrote: Label Studio keeps the id of a result."""
    results = annotation.get("result") or []
    stamps = annotation.get("lead_time"), annotation.get("was_cancelled")
    return bool(results) and results[0].get("id") == OURS and not any(stamps)


def _read_choice(annotation: dict[str, Any], control: Control) -> str | None:
    """The text of what was chosen, where the audit knows it."""
    results = annotation.get("result") or []
    ours = [each for each in results if each.get("from_name") == control.name]
    values = [each.get("value", {}).get(control.type) for each in ours]
    return control.label(values[0]) if len(values) == 1 and values[0] is not None else None


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


def choose_control(audited: Audited) -> Control:
    """The control for what an audit is of."""
    name = audited.kind.review.column
    if audited.kind.review.is_number:
        tag = f'<Number name="{name}" toName="{SHOWN}"/>'
        return Control(name, tag, "number", lambda label: label, _read_number)
    classes = audited.classes
    several = audited.names is not None
    listed = "".join(f"\n    <Choice value={quoteattr(name)}/>" for name in classes)
    how = "multiple" if several else "single"
    tag = (
        f'<Choices name="{name}" toName="{SHOWN}" choice="{how}" showInline="true">{listed}\n'
        "  </Choices>"
    )
    if several:
        return Control(
            name,
            tag,
            "choices",
            lambda labels: list(map(format_choice, labels)),
            lambda names: _read_several(names, classes),
        )
    return Control(
        name,
        tag,
        "choices",
        lambda label: [format_choice(label)],
        lambda names: classes.get(names[0]) if len(names) == 1 else None,
    )


def _read_number(value: Any) -> str | None:
    return as_text(value) if type(value) in (int, float) else None


def _read_several(names: list[str], classes: dict[str, str]) -> str | None:
    texts = [classes.get(name) for name in names]
    return None if None in texts else as_text([from_text(str(text)) for text in texts])
