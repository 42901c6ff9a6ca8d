"""Changes from one audit to the next: rows found again, flags that differ, in sentences.

A row is called by its id, item or index; it holds what its cells other than the label say.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._format import (
    as_code,
    as_prose,
    count,
    four_digits,
    markdown_table,
    percent,
    plural,
    probability,
)
from ..._kinds import KINDS, Kind, spell_options
from ...tables._digest import plain_spelling
from ..inputs._inputs import names_by
from ._base import load_audit
from ._rates_by import NoiseRate

if TYPE_CHECKING:
    from ._base import BaseAudit

SPEED = "--jobs="  # an option that changes no number

BY_PLACE = (
    "Rows are matched by their place, as nothing else is known of them in both audits: if rows "
    "were sorted, added or taken out before the last one, this is no comparison. Audit both tables "
    "with ids."
)

ADDED = "new row"
GONE = "row gone"
RELABELLED = "label changed"
CONFIRMED = "label known"
SAME = "same label"
ROW_KEYS = ("row", "id", "label", "suggested", "p_wrong", "known")
RowText = dict[str, Any]  # what an audit says of a row

SHOWN = 10  # rows of each table
MATCHED = {
    "id": "by their ids",
    "item": "by their names",
    "index": "by the index",
    "contents": "by all cells but the {}",
    "place": "by their place",
}
FLAGGED = {
    ADDED: "not there before",
    RELABELLED: "with another label than before",
    SAME: "with the label they had",
}
RESOLVED = {
    RELABELLED: "with another label now",
    GONE: "not there any more",
    CONFIRMED: "with a label that is known to be right now",
    SAME: "with the label they had, which no longer looks wrong enough",
}


class DiffSide(NamedTuple):
    """One of the two audits: its title, and what it found."""

    title: str
    rows: int
    noise_rate: NoiseRate
    has_skill: bool
    flagged: int

    def to_dict(self) -> dict[str, Any]:
        """All of it as a plain dict that is valid JSON."""
        rate = {key: round(float(value), 5) for key, value in self.noise_rate._asdict().items()}
        return self._asdict() | {"noise_rate": rate}


@dataclass(frozen=True, eq=False)
class AuditDiff:
    """The changes from one audit to the next, made by :func:`errata.diff`.

    Attributes
    ----------
    kind : str
        "classes", "numbers", "votes" or "multilabel", as of both audits.
    matched_by : {"id", "item", "index", "contents", "place"}
        How rows of one audit were found in the other.
    old, new : DiffSide
        Of each audit ``title``, ``rows``, ``noise_rate``, ``has_skill`` and the number ``flagged``.
    matched, added, gone : int
        Rows in both audits, in the new one only, and in the old one only.
    still_flagged : int
        Rows that are flagged in both.
    newly_flagged, resolved : list of dict
        Rows flagged in the new audit and not in the old one, and the other way round, the most
        suspicious first: ``row`` and ``old_row``, counted from 0 and None where there is none;
        ``id``; ``label``, ``old_label`` and ``suggested``, as text; ``p_wrong`` and
        ``old_p_wrong``; and ``why``. A row is newly flagged because it is a "new row", has its
        "label changed", or looks wrong now with the "same label". It is resolved as the "row gone",
        the "label changed", or with the "same label", which is a "label known" where somebody has
        confirmed it.
    notes : list of str
        What the user should know: how far the audits can be compared.
    """

    kind: str
    matched_by: str
    old: DiffSide
    new: DiffSide
    matched: int
    added: int
    gone: int
    still_flagged: int
    newly_flagged: list[dict[str, Any]]
    resolved: list[dict[str, Any]]
    notes: list[str]

    def __repr__(self) -> str:
        flagged = f"{len(self.newly_flagged):,} rows newly flagged, {len(self.resolved):,} resolved"
        return f"<AuditDiff: {flagged}, {self.still_flagged:,} still flagged>"

    @property
    def intervals_overlap(self) -> bool | None:
        """Whether chance may explain that the noise rates differ; None where nobody can say."""
        if not (self.old.has_skill and self.new.has_skill):
            return None
        old = self.old.noise_rate
        new = self.new.noise_rate
        return bool(old.low <= new.high and new.low <= old.high)

    def summary(self) -> str:
        """All there is to tell, one sentence a line."""
        return "\n".join(diff_in_sentences(self.to_dict()))

    def markdown(self) -> str:
        """The same as Markdown, with tables of the first rows, for a comment or a page."""
        return diff_in_markdown(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """All of it as a plain dict that is valid JSON."""
        sides = {"old": self.old.to_dict(), "new": self.new.to_dict()}
        return asdict(self) | sides | {"intervals_overlap": self.intervals_overlap}


def diff(old: "BaseAudit | str | os.PathLike", new: "BaseAudit | str | os.PathLike") -> AuditDiff:
    """Compare an audit with a later one of the same table.

    Parameters
    ----------
    old, new : audit or path
        Two audits of one kind, or the folders they were saved to.

    Returns
    -------
    AuditDiff
        Noise rates, rows newly flagged and rows resolved; ``summary()`` tells them.

    Notes
    -----
    Rows are matched by their ids where both audits have some, else by their contents other than the
    label where both audits were made by ``errata audit`` of the same columns, else by their place;
    ``matched_by`` and the summary say which. Each noise rate comes with an interval of nine tenths:
    where the two overlap, the rates may differ by chance alone.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 100]] = 2, 0                      # a setosa and a virginica change places
    >>> before = errata.audit(X, y, estimators=[GaussianNB()], ids=range(150), random_state=0)
    >>> corrected = y.copy()
    >>> corrected[3] = 0                        # one of them
    >>> now = errata.audit(X, corrected, estimators=[GaussianNB()], ids=range(150), random_state=0)
    >>> found = errata.diff(before, now)
    >>> found.matched_by, [(row["id"], row["why"]) for row in found.resolved]
    ('id', [('3', 'label changed')])
    """
    old, new = (
        load_audit(audit) if isinstance(audit, str | os.PathLike) else audit for audit in (old, new)
    )
    if old.kind != new.kind:
        was = KINDS[old.kind].title
        now = KINDS[new.kind].title
        raise ValueError(
            f"the old audit is one of {was} and the new one of {now}; compare two of one kind."
        )
    by, old_rows, notes = match_rows(old, new)
    matched = int((old_rows >= 0).sum())
    new_rows = np.full(len(old), -1)  # that each of the old ones is
    new_rows[old_rows[old_rows >= 0]] = np.flatnonzero(old_rows >= 0)
    newly = np.flatnonzero(new.flagged & ~np.append(old.flagged, False)[old_rows])  # -1 is not
    newly = _rank(new, newly)
    resolved = np.flatnonzero(old.flagged & ~np.append(new.flagged, False)[new_rows])
    resolved = _rank(old, resolved)
    return AuditDiff(
        kind=old.kind,
        matched_by=by,
        old=_side(old),
        new=_side(new),
        matched=matched,
        added=len(new) - matched,
        gone=len(old) - matched,
        still_flagged=int(new.flagged.sum()) - len(newly),
        newly_flagged=_describe_rows(old, new, old_rows[newly], newly),
        resolved=_describe_rows(old, new, resolved, new_rows[resolved]),
        notes=[*notes, *_notes(old, new)],
    )


def _side(audit: "BaseAudit") -> DiffSide:
    return DiffSide(
        title=audit._about.get("title", "audit"),
        rows=len(audit),
        noise_rate=audit.noise_rate,
        has_skill=bool(audit.has_skill),
        flagged=int(audit.flagged.sum()),
    )


def _notes(old: "BaseAudit", new: "BaseAudit") -> list[str]:
    """Notes on other differences between the audits, which may be why their findings differ."""
    notes = []
    judged = [audit._about.get("target") or audit._about.get("label") for audit in (old, new)]
    if judged[0] != judged[1] and None not in judged:
        notes.append(f"The audits are of two columns, {judged[0]!r} and {judged[1]!r}.")
    versions = [audit._about.get("errata") for audit in (old, new)]
    if versions[0] != versions[1]:
        notes.append(f"The audits were made by errata {versions[0]} and errata {versions[1]}.")
    noted: list[Any] = [audit._about.get("arguments") for audit in (old, new)]
    if None not in noted:
        then, now = (
            {option for option in spell_options(each) if not option.startswith(SPEED)}
            for each in noted
        )
        if then != now:
            was, are = (" ".join(sorted(some)) or "no such" for some in (then - now, now - then))
            notes.append(f"The audits were made with different options: {was} before, {are} now.")
    return notes


def match_rows(old: "BaseAudit", new: "BaseAudit") -> tuple[str, np.ndarray, list[str]]:
    """Find rows by the first of these that both audits know: ids or items, index, contents, place.

    Rows of one name are taken in their order, each of them once. Returns by what rows were found,
    which row of the old audit each row of the new one was, -1 for a new one, and notes.
    """
    known = {(by, repr(of)): names for by, of, names in _names(old)}
    for by, of, names in _names(new):
        before = known.get((by, repr(of)))
        if before is not None:
            rows = {name: row for row, name in enumerate(_once(before))}
            old_rows = np.array([rows.get(name, -1) for name in _once(names)], dtype=np.intp)
            return by, old_rows, _note_repeated(by, names)
    places = np.arange(len(new))
    return "place", np.where(places < len(old), places, -1), [BY_PLACE]


def _names(audit: "BaseAudit") -> Iterator[tuple[str, Any, np.ndarray]]:
    """All that an audit calls its rows, the surest first.

    With the names come what kind they are, and what they are made of, which must be the same in
    both audits.
    """
    items = vars(audit).get("items")  # of votes
    if items is not None:
        yield "item", None, items
    if audit._ids is not None:
        yield "id", audit._about.get("id"), audit._ids
    if audit._index is not None:
        yield "index", list(audit._index.names), names_by(audit._index)
    if audit._keys is not None and len(audit) and not str(audit._keys[0]).startswith("row."):
        columns = None if audit._digests is None else audit._digests.columns
        yield "contents", columns, audit._keys


def _once(names: np.ndarray) -> list[tuple[str, int]]:
    """Names as text, each with how often it stood before."""
    seen: Counter[str] = Counter()
    numbered = []
    for name in map(str, names.tolist()):
        numbered.append((name, seen[name]))
        seen[name] += 1
    return numbered


def _note_repeated(by: str, names: np.ndarray) -> list[str]:
    """A note on names that stand for several rows; of contents this is in their making."""
    if by == "contents":
        return []
    twice = [name for name, n in Counter(map(str, names.tolist())).items() if n > 1]
    if not twice:
        return []
    nouns = {"id": "ids", "item": "items", "index": "names of the index"}
    several = plural(len(twice), by, nouns[by])
    stand = "stands" if len(twice) == 1 else "stand"
    return [f"{several} {stand} for several rows, which are matched in their order."]


def _rank(audit: "BaseAudit", rows: np.ndarray) -> np.ndarray:
    """Rows, the most suspicious first."""
    return rows[np.argsort(-vars(audit)["suspicion"][rows], kind="stable")]


def _describe_rows(
    old: "BaseAudit",
    new: "BaseAudit",
    old_rows: np.ndarray,
    rows: np.ndarray,
) -> list[RowText]:
    """Describe rows by both audits, -1 where a row is in one of them only."""
    return [
        {
            "row": after["row"],
            "old_row": before["row"],
            "id": before["id"] if after["id"] is None else after["id"],
            "label": after["label"],
            "old_label": before["label"],
            "suggested": (before if after["row"] is None else after)["suggested"],
            "p_wrong": after["p_wrong"],
            "old_p_wrong": before["p_wrong"],
            "why": _explain_change(before, after),
        }
        for before, after in zip(_of_rows(old, old_rows), _of_rows(new, rows), strict=True)
    ]


def _of_rows(audit: "BaseAudit", rows: np.ndarray) -> Iterator[RowText]:
    """Texts of some rows of an audit; none of those that are -1."""
    there = rows[rows >= 0]
    described = iter(_columns(audit, there)) if len(there) else iter(())
    return (next(described) if row >= 0 else dict.fromkeys(ROW_KEYS) for row in rows)


def _columns(audit: "BaseAudit", rows: np.ndarray) -> list[RowText]:
    words = audit._in_words(rows)
    names = next((names for by, _, names in _names(audit) if by != "contents"), None)
    known = vars(audit).get("_known")
    columns = (
        rows.tolist(),
        [None] * len(rows) if names is None else [str(name) for name in names[rows]],
        words["label"],
        words["suggested"],
        [four_digits(p) for p in vars(audit)["p_wrong"][rows]],
        [False] * len(rows) if known is None else known[rows].tolist(),
    )
    return [dict(zip(ROW_KEYS, row, strict=True)) for row in zip(*columns, strict=True)]


def _explain_change(before: RowText, after: RowText) -> str:
    """Why a row is newly flagged, or not flagged any more."""
    if before["row"] is None:
        return ADDED
    if after["row"] is None:
        return GONE
    labels = (before["label"], after["label"])
    if len({label and plain_spelling(label) for label in labels}) > 1:
        return RELABELLED
    return CONFIRMED if after["known"] else SAME  # a label that is known is never flagged


def diff_in_sentences(changes: dict[str, Any]) -> list[str]:
    """All there is to tell of what ``AuditDiff.to_dict`` gives."""
    words = KINDS[changes["kind"]]
    sentences = [
        _describe_matching(changes, words),
        _rates(changes, words),
        _why(changes["newly_flagged"], "newly flagged", FLAGGED, words.row),
    ]
    if changes["resolved"]:
        sentences.append(_why(changes["resolved"], "no longer flagged", RESOLVED, words.row))
    if changes["still_flagged"]:
        sentences.append(f"{_are(changes['still_flagged'], words.row)} still flagged.")
    return sentences + [f"Note: {note}" for note in changes["notes"]]


def diff_in_markdown(changes: dict[str, Any]) -> str:
    """The sentences as a list, and the first rows that are newly flagged and resolved."""
    tables = (("newly_flagged", "Newly flagged"), ("resolved", "No longer flagged"))
    return "\n\n".join(
        [
            "### What changed since the last audit",
            "\n".join(f"- {as_prose(line)}" for line in diff_in_sentences(changes)),
            *(_rows(changes[name], title) for name, title in tables if changes[name]),
        ]
    )


def _describe_matching(changes: dict[str, Any], words: Kind) -> str:
    by = MATCHED[changes["matched_by"]].format(words.noun.partition(",")[0])
    both = f"{_are(changes['matched'], words.row)} in both audits, matched {by}"
    added, gone = (f"{count(changes[name])} {_be(changes[name])}" for name in ("added", "gone"))
    return f"{both}; {added} new and {gone} gone."


def _rates(changes: dict[str, Any], words: Kind) -> str:
    sides = [changes["old"], changes["new"]]
    if not all(side["has_skill"] for side in sides):
        return (
            f"How many {words.nouns} are wrong cannot be compared: {words.evidence.lower()} "
            f"{words.no_skill}{' any more' if sides[0]['has_skill'] else ''}."
        )
    then, now = (side["noise_rate"] for side in sides)
    return f"Noise rate: {_rate(then)} before, {_rate(now)} now; {_difference(changes, then, now)}."


def _rate(rate: dict[str, float]) -> str:
    return f"{percent(rate['estimate'])} ({percent(rate['low'])} to {percent(rate['high'])})"


def _difference(changes: dict[str, Any], then: dict[str, float], now: dict[str, float]) -> str:
    """Whether it is more than chance; the intervals hold nine tenths of what is possible."""
    if changes["intervals_overlap"]:
        return "the intervals overlap, so the difference may be chance"
    fewer = "fewer" if now["estimate"] < then["estimate"] else "more"
    return f"the intervals do not overlap: {fewer} are wrong than before"


def _why(rows: list[dict[str, Any]], what: str, reasons: dict[str, str], row: str) -> str:
    """How many rows are newly flagged or not any more, and why."""
    sentence = f"{_are(len(rows), row)} {what}"
    counts = Counter(each["why"] for each in rows)
    parts = [f"{count(counts[why])} {words}" for why, words in reasons.items() if counts[why]]
    if len(parts) == 1:
        return f"{sentence}, {parts[0].partition(' ')[2]}."
    return f"{sentence}: {', '.join(parts)}." if parts else f"{sentence}."


def _are(number: int, row: str) -> str:
    return f"{plural(number, row)} {_be(number)}" if number else f"No {row} is"


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


def _rows(rows: list[dict[str, Any]], title: str) -> str:
    """The first rows as a table, under a line that says how many there are."""
    shown = rows[:SHOWN]
    which = "" if len(rows) == len(shown) else f", the first {len(shown)} of {count(len(rows))}"
    named = any(row["id"] is not None for row in shown)
    headings = ["row", *(["id"] if named else []), "label", "suggested", "p wrong", "why"]
    return f"**{title}{which}**\n\n" + markdown_table(headings, (_cells(r, named) for r in shown))


def _cells(row: dict[str, Any], named: bool) -> list[str]:
    gone = row["row"] is None
    label = as_code(row["label"])
    before = as_code(row["old_label"])
    changed = row["why"] == RELABELLED
    p = row["old_p_wrong"] if gone else row["p_wrong"]
    return [
        f"{row['old_row']} before" if gone else str(row["row"]),
        *([as_code(row["id"])] if named else []),
        f"{before} → {label}" if changed else before if gone else label,
        as_code(row["suggested"]),
        probability(p),
        row["why"],
    ]
