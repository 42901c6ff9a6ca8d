"""Annotations that come back from Label Studio, as decisions."""

import json
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from ..._files import readable
from ..decisions import Decisions, Event, as_text
from ._audited import Audited
from ._controls import Control, control_of
from ._tasks import OURS

QUEUE = "label studio"
_KEPT, _UNTOUCHED, _UNKNOWN, _FOREIGN = "kept", "untouched", "unknown", "foreign"


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
    control = control_of(audited)
    became: Counter[str] = Counter()
    events = []
    for task, annotation in _annotations(path):
        event = _event(audited, control, rows.get(_key(task)), annotation)
        became[event if isinstance(event, str) else _KEPT] += 1
        if isinstance(event, Event):
            events.append(event)
    before = sum(1 for _ in decisions.events())
    decisions.record_all(events)
    added = sum(1 for _ in decisions.events()) - before
    passed_over = (became[why] for why in (_UNTOUCHED, _UNKNOWN, _FOREIGN))
    return Imported(added, became[_KEPT] - added, *passed_over)


def _annotations(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every annotation with its task; the tasks of a file that is none of Label Studio's: none."""
    with readable(path):
        try:
            tasks = json.loads(path.read_text(encoding="utf-8"))
            found = [(task, each) for task in tasks for each in task["annotations"]]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{path} is not a list of tasks with annotations, as Label Studio exports it under "
                "JSON."
            ) from error
    yield from found


def _key(task: dict[str, Any]) -> Any:
    return task.get("data", {}).get("errata_key")


def _event(
    audited: Audited, control: Control, row: int | None, annotation: dict[str, Any]
) -> Event | str:
    """The decision that an annotation is, or why it is none."""
    if row is None:
        return _UNKNOWN
    chosen = _chosen(annotation, control)
    cancelled = bool(annotation.get("was_cancelled"))
    if _is_untouched(annotation):
        return _UNTOUCHED
    if chosen is None and not cancelled:
        return _FOREIGN
    return _decision(audited, row, annotation, None if cancelled else chosen)


def _is_untouched(annotation: dict[str, Any]) -> bool:
    """Whether it is the annotation that errata wrote: Label Studio keeps the id of a result."""
    results = annotation.get("result") or []
    stamps = annotation.get("lead_time"), annotation.get("was_cancelled")
    return bool(results) and results[0].get("id") == OURS and not any(stamps)


def _chosen(annotation: dict[str, Any], control: Control) -> str | None:
    """The text of what was chosen, where the audit knows it."""
    results = annotation.get("result") or []
    ours = [each for each in results if each.get("from_name") == control.name]
    values = [each.get("value", {}).get(control.type) for each in ours]
    return control.label(values[0]) if len(values) == 1 and values[0] is not None else None


def _decision(
    audited: Audited, row: int, annotation: dict[str, Any], class_text: str | None
) -> Event:
    label, suggested = as_text(audited.labels[row]), as_text(audited.suggested[row])
    kinds = {None: "skip", suggested: "suggestion", label: "label"}
    reviewer, at = _reviewer(annotation), annotation.get("updated_at") or ""
    said = json.dumps([audited.keys[row], reviewer, at, class_text])
    return Event(
        reviewer=reviewer,
        row_key=audited.keys[row],
        row=row,
        kind=kinds.get(class_text, "other"),
        class_text=class_text,
        label=label,
        suggested=suggested,
        p_wrong=float(audited.p_wrong[row]),
        audit=audited.fingerprint,
        queue=QUEUE,
        seconds=annotation.get("lead_time"),
        key=f"label-studio-{blake2b(said.encode(), digest_size=12).hexdigest()}",
        at=at or annotation.get("created_at") or "",
    )


def _reviewer(annotation: dict[str, Any]) -> str:
    """Who completed it: Label Studio gives a number, or a person with an address."""
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return f"annotator {by}" if isinstance(by, int) else str(by or "annotator")
