"""What changed from one audit to the next."""

import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ._diff_matching import match_rows
from ._diff_rows import flagged_rows, newly_flagged, resolved
from ._diff_words import diff_in_markdown, diff_in_sentences
from ._kinds import KINDS, load_audit
from ._noise_rate import NoiseRate

if TYPE_CHECKING:
    from ._base import BaseAudit

SPEED = "--jobs="  # an option that changes no number


class DiffSide(NamedTuple):
    """One of the two audits: its title, and what it found."""

    title: str
    rows: int
    noise_rate: NoiseRate
    has_skill: bool
    flagged: int


@dataclass(frozen=True, eq=False)
class AuditDiff:
    """What changed from one audit to the next, made by :func:`errata.diff`.

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
        old, new = self.old.noise_rate, self.new.noise_rate
        return bool(old.low <= new.high and new.low <= old.high)

    def summary(self) -> str:
        """All there is to tell, one sentence a line."""
        return "\n".join(diff_in_sentences(self.to_dict()))

    def markdown(self) -> str:
        """The same as Markdown, with tables of the first rows, for a comment or a page."""
        return diff_in_markdown(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """All of it as a plain dict that is valid JSON."""
        sides = {name: _side_told(getattr(self, name)) for name in ("old", "new")}
        return asdict(self) | sides | {"intervals_overlap": self.intervals_overlap}


def diff(old: "BaseAudit | str | os.PathLike", new: "BaseAudit | str | os.PathLike") -> AuditDiff:
    """What changed from one audit to a later one of the same table.

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
    return _diff_of(_loaded(old), _loaded(new))


def _diff_of(old: "BaseAudit", new: "BaseAudit") -> AuditDiff:
    if old.kind != new.kind:
        was, now = KINDS[old.kind].words, KINDS[new.kind].words
        raise ValueError(
            f"the old audit is one of {was} and the new one of {now}; compare two of one kind."
        )
    matching = match_rows(old, new)
    matched = int((matching.old_rows >= 0).sum())
    now_rows, then_rows = flagged_rows(old, new, matching)
    return AuditDiff(
        kind=old.kind,
        matched_by=matching.by,
        old=_side(old),
        new=_side(new),
        matched=matched,
        added=len(new) - matched,
        gone=len(old) - matched,
        still_flagged=int(new.flagged.sum()) - len(now_rows),
        newly_flagged=newly_flagged(old, new, matching, now_rows),
        resolved=resolved(old, new, matching, then_rows),
        notes=[*matching.notes, *_notes(old, new)],
    )


def _loaded(audit: "BaseAudit | str | os.PathLike") -> "BaseAudit":
    return load_audit(audit) if isinstance(audit, str | os.PathLike) else audit


def _side(audit: "BaseAudit") -> DiffSide:
    return DiffSide(
        title=audit.about.get("title", "audit"),
        rows=len(audit),
        noise_rate=audit.noise_rate,
        has_skill=bool(audit.has_skill),
        flagged=int(audit.flagged.sum()),
    )


def _side_told(side: DiffSide) -> dict[str, Any]:
    rate = {name: round(float(value), 5) for name, value in side.noise_rate._asdict().items()}
    return side._asdict() | {"noise_rate": rate}


def _notes(old: "BaseAudit", new: "BaseAudit") -> list[str]:
    """What else is different between the audits, and may be why their findings differ."""
    notes = []
    judged = [audit.about.get("target") or audit.about.get("label") for audit in (old, new)]
    if judged[0] != judged[1] and None not in judged:
        notes.append(f"The audits are of two columns, {judged[0]!r} and {judged[1]!r}.")
    versions = [audit.about.get("errata") for audit in (old, new)]
    if versions[0] != versions[1]:
        notes.append(f"The audits were made by errata {versions[0]} and errata {versions[1]}.")
    if all("options" in audit.about for audit in (old, new)):
        notes.extend(_other_options(old.about["options"], new.about["options"]))
    return notes


def _other_options(old: list[str], new: list[str]) -> list[str]:
    then, now = ({o for o in some if not o.startswith(SPEED)} for some in (old, new))
    if then == now:
        return []
    was, are = (" ".join(sorted(some)) or "no such" for some in (then - now, now - then))
    return [f"The audits were made with different options: {was} before, {are} now."]
