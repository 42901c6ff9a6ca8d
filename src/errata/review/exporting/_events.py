"""Events one by one, as they are in the file."""

from pathlib import Path

from ..decisions import Decisions, Event


def export_events(decisions: Decisions, target: Path) -> int:
    """Write a table with one row per event; return how many there are."""
    from ...tables import write_table  # here, as it brings scikit-learn

    events = [event.as_dict() for event in decisions.events()]
    names = ["id", *(name for name in _names() if name != "id")]
    columns = {name: [event[name] for event in events] for name in names}
    write_table(target, columns, guard_formulas=True)
    return len(events)


def _names() -> list[str]:
    return ["class" if name == "class_text" else name for name in Event._fields]
