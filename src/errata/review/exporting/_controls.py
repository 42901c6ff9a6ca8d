"""What Label Studio asks for: one class, a number, or all labels that are set."""

from collections.abc import Callable
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

from .._kinds import KINDS
from ..decisions import as_text, from_text
from ._audited import Audited, choice

SHOWN = "errata_text"  # name in the labelling config


class Control(NamedTuple):
    """A tag of the labelling config, and how its results hold a label."""

    name: str
    tag: str  # as it is written
    type: str  # of results
    value: Callable[[Any], Any]  # that a result has for a label
    label: Callable[[Any], str | None]  # and back, as text; None for what is none of ours


def control_of(audited: Audited) -> Control:
    """The control for what an audit is of."""
    name = audited.kind.decided
    if audited.kind is KINDS["numbers"]:
        tag = f'<Number name="{name}" toName="{SHOWN}"/>'
        return Control(name, tag, "number", lambda label: label, _number)
    classes, several = audited.classes, audited.names is not None
    listed = "".join(f"\n    <Choice value={quoteattr(name)}/>" for name in classes)
    how = "multiple" if several else "single"
    tag = (
        f'<Choices name="{name}" toName="{SHOWN}" choice="{how}" showInline="true">{listed}\n'
        "  </Choices>"
    )
    if several:
        return Control(
            *(name, tag, "choices", lambda labels: list(map(choice, labels))),
            lambda names: _several(names, classes),
        )
    return Control(
        *(name, tag, "choices", lambda label: [choice(label)]),
        lambda names: classes.get(names[0]) if len(names) == 1 else None,
    )


def _number(value: Any) -> str | None:
    return as_text(value) if type(value) in (int, float) else None


def _several(names: list[str], classes: dict[str, str]) -> str | None:
    texts = [classes.get(name) for name in names]
    return None if None in texts else as_text([from_text(str(text)) for text in texts])
