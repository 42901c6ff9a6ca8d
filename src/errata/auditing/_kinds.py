"""The kinds of audits there are, and which of them a folder holds."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ._base import BaseAudit


class ResultKind(NamedTuple):
    """A kind of audit: what it is of, in words, and the class of its results."""

    words: str
    module: str  # in this room
    result: str


KINDS = {
    "classes": ResultKind("classes", "._result", "Audit"),
    "votes": ResultKind("votes", ".annotators._result", "VoteAudit"),
    "numbers": ResultKind("numeric targets", ".numbers", "TargetAudit"),
    "multilabel": ResultKind("several labels a row", ".multilabel", "MultilabelAudit"),
}


def load_audit(path: str | os.PathLike) -> "BaseAudit":
    """Read an audit of whatever kind from the folder it was saved to.

    Parameters
    ----------
    path : path-like
        The folder that ``errata audit`` or ``save`` has written.

    Returns
    -------
    Audit, TargetAudit, ...
        What ``load`` of its class gives.

    Examples
    --------
    >>> load_audit("nowhere.audit")
    Traceback (most recent call last):
    FileNotFoundError: nowhere.audit does not exist; give the folder that errata audit has written.
    """
    from ._storage import stored_kind  # here, as storage asks for the kinds

    kind = KINDS[stored_kind(path)]
    found: Any = getattr(import_module(kind.module, __package__), kind.result)
    return found.load(path)
