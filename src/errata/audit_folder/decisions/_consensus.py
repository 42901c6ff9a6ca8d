"""What several reviewers say of one row together, and how often they say the same."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ._event import CLASS_KINDS, VERDICTS, Event

if TYPE_CHECKING:
    from ._store import Decisions


DISPUTED = "disputed"
SKIPPED = "skipped"
SEEN = "seen"
_MAJORITY = 2  # reviewers that a majority needs
_AGAINST = 1  # at most, of those who say otherwise

Opinion = tuple[str, str | None]

_TOLD = ("decided", "ambiguous", "unusable", "disputed")


class RowVerdict(NamedTuple):
    """What was decided about a row.

    Attributes
    ----------
    state : str
        "decided", "ambiguous", "unusable", "disputed", "skipped", or "seen": a row that has a note
        alone, or about which everything was taken back.
    class_text : str or None
        The class of a decided row, as JSON text.
    reviewers : tuple of str
        Whose verdicts stand, sorted.
    at : str
        When the last of them was given.
    note : str or None
        What was remarked; with names where several did.
    p_wrong : float
        What the audit said of the label when the row was first decided.
    label : str
        The label that was shown then, as JSON text.
    queue : str
        Why the row was shown then.
    row : int
        The number of the row then.
    audit : str
        The fingerprint of the audit that it was shown for.
    """

    state: str
    class_text: str | None
    reviewers: tuple[str, ...]
    at: str
    note: str | None
    p_wrong: float
    label: str
    queue: str
    row: int
    audit: str


def opinion(event: Event) -> tuple[str, str | None]:
    """State and class that one verdict stands for; whether the class was suggested is no matter."""
    if event.kind in CLASS_KINDS:
        return "decided", event.class_text
    return (SKIPPED if event.kind == "skip" else event.kind), None


def last_verdicts(standing: Iterable[Event]) -> dict[str, Event]:
    """The last verdict of each reviewer, of events in their order."""
    return {event.reviewer: event for event in standing if event.kind in VERDICTS}


def row_verdict(
    history: list[Event], standing: list[Event], last: Mapping[str, Event]
) -> RowVerdict:
    """What the events about one row amount to; both lists are in the order of the events."""
    state, class_text = agreed([opinion(event) for event in last.values()])
    counted = list(last.values()) or history[-1:]
    if len(counted) > 1:
        counted.sort(key=_order)
    first = counted[0]
    return RowVerdict(
        state,
        class_text,
        tuple(sorted(last)),
        counted[-1].at,
        _notes(standing),
        first.p_wrong,
        first.label,
        first.queue,
        first.row,
        first.audit,
    )


def agreed(opinions: list[tuple[str, str | None]]) -> tuple[str, str | None]:
    """The opinion of all, or of a majority of two or more with no more than one against.

    Examples
    --------
    >>> dog, cat = ("decided", '"dog"'), ("decided", '"cat"')
    >>> agreed([dog])[0], agreed([dog, cat])[0], agreed([dog, cat, dog])
    ('decided', 'disputed', ('decided', '"dog"'))
    >>> agreed([dog, dog, cat, cat])[0], agreed([("skipped", None), dog])[0], agreed([])[0]
    ('disputed', 'decided', 'seen')
    """
    if not opinions:
        return SEEN, None
    if opinions.count(opinions[0]) == len(opinions):
        return opinions[0]
    counts = Counter(told for told in opinions if told[0] != SKIPPED)
    favourite, votes = counts.most_common(1)[0]
    against = counts.total() - votes
    if against and (votes < _MAJORITY or against > _AGAINST):
        return DISPUTED, None
    return favourite


def _notes(standing: Iterable[Event]) -> str | None:
    last = {event.reviewer: event.note for event in standing if event.note is not None}
    if not last:
        return None
    notes = {reviewer: note for reviewer, note in last.items() if note}
    if len(notes) < 2:
        return next(iter(notes.values()), None)
    return "\n".join(f"{reviewer}: {notes[reviewer]}" for reviewer in sorted(notes))


def _order(event: Event) -> tuple[str, str]:
    return event.order


class Pair(NamedTuple):
    """Two reviewers, the rows both decided, how many alike, and Cohen's kappa.

    ``kappa`` is None where both always said one and the same thing, or decided no row both.
    """

    first: str
    second: str
    rows: int
    alike: int
    kappa: float | None


class Agreement(NamedTuple):
    """Agreement of every two reviewers, and the rows on which they do not agree."""

    pairs: list[Pair]
    disputed: list[str]


def agreement(
    last: Mapping[tuple[str, str], Event], verdicts: Mapping[str, RowVerdict]
) -> Agreement:
    """Agreement from the last verdict of each reviewer on each row; who skips says nothing."""
    said: dict[str, dict[str, Opinion]] = defaultdict(dict)
    for (row_key, reviewer), event in last.items():
        told = opinion(event)
        if told[0] != SKIPPED:
            said[reviewer][row_key] = told
    pairs = [_pair(a, b, said[a], said[b]) for a, b in combinations(sorted(said), 2)]
    disputed = sorted(key for key, verdict in verdicts.items() if verdict.state == DISPUTED)
    return Agreement(pairs, disputed)


def _pair(first: str, second: str, a: dict[str, Opinion], b: dict[str, Opinion]) -> Pair:
    both = [(a[key], b[key]) for key in a.keys() & b.keys()]
    alike = sum(x == y for x, y in both)
    return Pair(first, second, len(both), alike, _kappa(both, alike))


def _kappa(both: list[tuple[Opinion, Opinion]], alike: int) -> float | None:
    """(observed - chance) / (1 - chance) agreement (Cohen, 1960)."""
    n = len(both)
    ours = Counter(a for a, _ in both)
    theirs = Counter(b for _, b in both)
    by_chance = sum(ours[told] * theirs[told] for told in ours)  # times n squared
    if by_chance == n * n:
        return None
    return (n * alike - by_chance) / (n * n - by_chance)


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
