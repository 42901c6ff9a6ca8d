"""The kinds of audits that ``errata audit`` can make: by the columns it is told, it knows which."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .._format import listed
from . import _audit_classes, _audit_multilabel, _audit_targets, _audit_votes
from ._columns import named_label
from ._options import Options

# Options that mean the same for every kind.
FOR_ALL = ("drop", "group", "name", "by", "precision", "no_self_check", "seed", "jobs")


class AuditKind(NamedTuple):
    """A kind of audit on the command line."""

    words: str  # what it is an audit of
    named_by: tuple[str, ...]  # options that name its columns, each of them needed
    takes: tuple[str, ...]  # options that go with it besides these and those for every kind
    run: Callable[[Path, Options, Callable[[Any], None]], tuple[Any, Any]]  # audit, ids of rows
    in_parts: bool = False  # whether its table may be larger than memory

    def label(self, asked: dict[str, Any], file: Path) -> str:
        """The column of labels; empty for a kind that has none."""
        return named_label(asked["label"], file, or_target=True) if "label" in self.named_by else ""

    @property
    def own(self) -> tuple[str, ...]:
        """The options by which it is known."""
        return tuple(name for name in self.named_by if name != "label")


CLASSES = AuditKind(
    words="classes",
    named_by=("label",),
    takes=(
        *("trust", "sequence", "wavelets", "fs", "band", "known", "decisions", "pixels", "model"),
        *("embeddings", "pred_proba"),
    ),
    run=_audit_classes.run,
    in_parts=True,
)
VOTES = AuditKind(
    words="votes",
    named_by=("item", "worker", "label"),
    takes=("features", "model"),
    run=_audit_votes.run,
)
NUMBERS = AuditKind(
    words="numeric targets",
    named_by=("target",),
    takes=("embeddings", "decisions"),
    run=_audit_targets.run,
)
MULTILABEL = AuditKind(
    words="several labels a row",
    named_by=("labels",),
    takes=("trust", "model", "embeddings", "pred_proba"),
    run=_audit_multilabel.run,
)
OTHERS: tuple[AuditKind, ...] = (NUMBERS, VOTES, MULTILABEL)


def kind_asked_for(asked: dict[str, Any]) -> AuditKind:
    """The kind whose columns are named; raise for options that would have no effect on it."""
    given = [name for name, value in asked.items() if value not in (None, (), False)]
    kinds = [kind for kind in OTHERS if any(name in kind.own for name in given)]
    if len(kinds) > 1:
        both = listed([option(next(n for n in k.own if n in given)) for k in kinds])
        raise ValueError(f"{both} ask for different kinds of audits; give one of them.")
    kind = kinds[0] if kinds else CLASSES
    _check_together(kind, given)
    return kind


def _check_together(kind: AuditKind, given: list[str]) -> None:
    """Raise where an option is lacking, or has no effect, which would mislead."""
    by = next((option(name) for name in kind.own if name in given), "--label")
    for name in kind.named_by:
        if name not in given and kind.own:
            raise ValueError(f"{by} needs {option(name)} beside it: an audit of {kind.words}.")
    for name in given:
        if name not in (*kind.named_by, *kind.takes, *FOR_ALL):
            raise ValueError(f"{option(name)} does not go with {by}; {_instead(kind, name)}.")


def _instead(kind: AuditKind, name: str) -> str:
    """What to do about an option that has no effect on a kind."""
    other = next((each for each in OTHERS if name in each.takes and each is not kind), None)
    if other is None:
        return "leave one of them out"
    return f"it is for an audit of {other.words}, which {' and '.join(map(option, other.own))} name"


def option(name: str) -> str:
    """An option as it is typed.

    >>> option("no_self_check"), option("name")
    ('--no-self-check', '--id')
    """
    return "--id" if name == "name" else f"--{name.replace('_', '-')}"
