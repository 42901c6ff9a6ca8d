"""Decisions laid beside the rows of a table."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ._store import Decisions

_TOLD = ("decided", "ambiguous", "unusable", "disputed")


class Resolved(NamedTuple):
    """The rows of a table that people have said something about, one entry each.

    Attributes
    ----------
    rows : array of int
        Places in the array of keys, rising.
    kinds : array of str
        "decided", "ambiguous", "unusable" or "disputed".
    classes : array of object
        JSON text of the class of decided rows; None elsewhere.
    labels : array of object
        JSON text of the label that was shown when the row was decided.
    """

    rows: np.ndarray
    kinds: np.ndarray
    classes: np.ndarray
    labels: np.ndarray


def resolve(decisions: "Decisions", keys: np.ndarray) -> Resolved:
    """What was decided about the rows with these keys; skipped rows are as if nobody had looked.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from errata.review import Decisions, Event, resolve
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     decisions = Decisions(f"{folder}/pets.decisions")
    ...     _ = decisions.record(Event(
    ...         reviewer="ann", row_key="row.1", row=1, kind="suggestion", class_text='"dog"',
    ...         label='"cat"', suggested='"dog"', p_wrong=0.9, audit="5f0c"))
    ...     found = resolve(decisions, np.array(["row.0", "row.1"]))
    ...     decisions.close()
    >>> found.rows, found.kinds, found.classes
    (array([1]), array(['decided'], dtype='<U9'), array(['"dog"'], dtype=object))
    """
    verdicts = decisions.verdicts()
    found = [(row, verdicts[key]) for row, key in enumerate(keys.tolist()) if key in verdicts]
    told = [(row, verdict) for row, verdict in found if verdict.state in _TOLD]
    return Resolved(
        np.array([row for row, _ in told], dtype=np.intp),
        np.array([verdict.state for _, verdict in told], dtype="<U9"),
        np.array([verdict.class_text for _, verdict in told], dtype=object),
        np.array([verdict.label for _, verdict in told], dtype=object),
    )
