"""What cleaning shares: rows found again, decisions that belong to them, what was done.

All is done in one pass, some rows at a time; nothing appears when a label is not as audited.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import errata

from .._files import atomic_folder, atomic_path, places_of
from .._format import count, plural
from ._columns import blanks_as_none, labels_of
from ._console import say

CHANGES = ("dropped", "relabelled", "replaced", "unlabelled")
PEOPLE = ("relabelled", "replaced", "kept", "dropped")  # what they do to rows


class Counts(NamedTuple):
    """Rows, by what was done to them."""

    wrong: int  # above the threshold, and nobody decided about them
    labelled: Counter[str]  # with a label, and nobody decided about them
    blank: Counter[str]  # without one
    decided: Counter[str]  # by people
    kept: int

    @property
    def changed(self) -> bool:
        """Whether the table has become another."""
        return any(did[what] for did in self[1:4] for what in CHANGES)

    def plus(self, other: "Counts") -> "Counts":
        """The same of more rows."""
        return Counts(
            self.wrong + other.wrong,
            self.labelled + other.labelled,
            self.blank + other.blank,
            self.decided + other.decided,
            self.kept + other.kept,
        )


NOTHING = Counts(0, Counter(), Counter(), Counter(), 0)


def counts_of(cleaned: Any, p_wrong: Any, labelled: Any, threshold: float) -> Counts:
    """What was done to some rows; ``p_wrong`` and ``labelled`` are as the audit has them."""
    by_probability = ~cleaned.decided
    did = cleaned.did
    return Counts(
        int(((p_wrong > threshold) & by_probability).sum()),
        Counter(did[by_probability & labelled].tolist()),
        Counter(did[by_probability & ~labelled].tolist()),
        Counter(did[cleaned.decided].tolist()),
        int(cleaned.kept.sum()),
    )


def beside_table(cleaned: Any, cells: list[Any], rows: list[int]) -> Any:
    """What was done to the table: an audit may have begun with the classes that people gave."""
    did = cleaned.did.astype("<U10")
    for row, cell in zip(rows, cells, strict=True):
        is_kept = cleaned.decided[row] and did[row] == "kept"
        if is_kept and errata.review.as_text(cleaned.labels[row]) != errata.review.as_text(cell):
            did[row] = "relabelled"
    return cleaned._replace(did=did)


def new_cells(cleaned: Any, cells: list[Any], rows: list[int]) -> list[Any]:
    """The column of labels: a cell stays as it was unless its label was changed."""
    new = [None if cell != cell else cell for cell in cells]  # NaN is a gap among numbers
    for place, row in enumerate(rows):
        if cleaned.did[row] in CHANGES:
            new[place] = errata.review.from_text(errata.review.as_text(cleaned.labels[row]))
    return new


def clean_with_people(
    audit: Any,
    folder: Path,
    use: str,
    how: dict[str, Any],
    beside: Callable[[Any], Any] = lambda cleaned: cleaned,
) -> tuple[Any, str | None]:
    """What ``clean`` gives with what people decided, and a sentence about that.

    ``beside`` says what was done to the table, where the audit began with what people gave.
    """
    with decisions_for(folder, audit, use) as decisions:
        undecided = "keep" if use == "only" else "act"
        cleaned = beside(audit.clean(**how, decisions=decisions, undecided=undecided))
        if decisions is None:
            return cleaned, None
        return cleaned, people(Counter(cleaned.did[cleaned.decided].tolist()), audit, decisions)


def people(did: Counter[str], audit: Any, decisions: Any) -> str | None:
    """What people decided, and what became of it; nothing where they have decided nothing yet."""
    done = [f"{count(did[what])} {what}" for what in PEOPLE if did[what]]
    if did["weighted"]:
        done.append(f"{count(did['weighted'])} ambiguous and kept")
    disputed = (errata.review.resolve(decisions, audit.row_keys()).kinds == "disputed").sum()
    if disputed:
        done.append(f"{count(disputed)} more disputed, as if undecided")
    return f"People decided {plural(did.total(), 'row')}: {', '.join(done)}." if done else None


def tell_of_blanks(did: Counter[str]) -> None:
    """Say how many rows without a label were given one, if there were any."""
    if did:
        filled = did["relabelled"]
        some = f"{count(filled) if filled else 'none'} got the suggested class"
        say(f"{plural(did.total(), 'row')} had no label; {some}.")


def outcome(counts: Counts, threshold: float, why_kept: str, judged: str = "label") -> str:
    """What became of the labels above the threshold, or whatever was judged, in one sentence."""
    wrong = counts.wrong
    did = counts.labelled
    labels = f"{plural(wrong, judged)} {'is' if wrong == 1 else 'are'}"
    probably = f"wrong with a probability above {threshold:g}"
    if not wrong:
        return f"No {judged} is {probably}"
    done = [f"{count(did[what])} {what}" for what in CHANGES if did[what]]
    spared = wrong - sum(did[what] for what in CHANGES)
    if spared:
        done.append(f"{count(spared)} kept, as {why_kept}")
    return f"{labels} {probably}: {', '.join(done)}"


def clean_by_place(
    audit: Any, table: Path, files: list[Path] | None, out: Path, cleaning: dict[str, Any]
) -> Counts:
    """Copy a file, or several into a new folder, as an audit says; give what was done."""
    from ..tables.stored._files import copy_file, copy_files  # here, as they bring NumPy

    label = audit.about["label"]
    rewriting = _Rewriting(audit, table, cleaning)
    if files is None:
        errata.tables._table.check_same_format(table, out)
        with atomic_path(out) as temporary:
            rewriting.end(copy_file(table, temporary, label, rewriting.rewrite))
    else:
        with atomic_folder(out) as folder:
            rewriting.end(copy_files(files, folder, label, rewriting.rewrite))
    say(
        f"Rows of {table} are known by their places, and have the labels that were audited; if "
        "they were sorted since, audit them again.",
        err=True,
    )
    return rewriting.counts


class _Rewriting:
    """Says which rows stay and what their labels become, and counts what was done."""

    def __init__(self, audit: Any, table: Path, cleaning: dict[str, Any]) -> None:
        self.counts = NOTHING
        self._audit = audit
        self._table = table
        self._threshold = cleaning["threshold"]
        self._clean = _cleaner(audit, cleaning)

    def rewrite(self, place: Any, cells: list[Any]) -> tuple[Any, list[Any]]:
        """What becomes of some rows of a file."""
        rows = slice(place.rows_before, place.rows_before + len(cells))
        if rows.stop > len(self._audit):
            raise ValueError(
                f"{self._table} has more rows than the {count(len(self._audit))} that were "
                "audited; audit it again."
            )
        from ..auditing.inputs._labels import has_label
        from ..auditing.stored._rows import columns_of_rows

        audited = columns_of_rows(vars(self._audit), rows)
        then = audited["label"].tolist()
        here = list(range(len(cells)))
        check_as_audited(
            *(place.file, blanks_as_none(cells), then),
            range(place.row, place.row + len(cells)),
        )
        cleaned = beside_table(self._clean(rows), cells, here)
        labelled = has_label(audited["label"])
        counts = counts_of(cleaned, audited["p_wrong"], labelled, self._threshold)
        self.counts = self.counts.plus(counts)
        return cleaned.kept, new_cells(cleaned, cells, here)

    def end(self, n_rows: int) -> None:
        """Raise when there were fewer rows than in the audit."""
        if n_rows != len(self._audit):
            raise ValueError(
                f"{self._table} has {plural(n_rows, 'row')}, but {count(len(self._audit))} were "
                "audited; audit it again."
            )


def _cleaner(audit: Any, cleaning: dict[str, Any]) -> Callable[[slice], Any]:
    """What becomes of some rows; where they are on disk, of no more than these at a time."""
    if audit.stored is not None and cleaning["decisions"] is None:
        by_probability = {k: cleaning[k] for k in ("action", "threshold", "sure", "unsure")}
        return lambda rows: audit.clean_rows(rows.start, rows.stop, **by_probability)
    cleaned = audit.clean(**cleaning)
    return lambda rows: type(cleaned)(*(column[rows] for column in cleaned))


def rows_in_audit(table: Path, label: str, audit: Any) -> Any:
    """The number that each row of a table has in its audit; raise when one was not audited."""
    if audit.digests is None:
        return _rows_by_place(table, label, audit)
    now = errata.tables.read_table(table, audit.digests.columns)
    check_count(table, now.num_rows, len(audit))
    rows = audit.digests.places_of(errata.tables.row_digests(now))
    labels = labels_of(now, label)
    if (rows < 0).any():
        _refuse(table, rows, labels, audit.labels)
    # The contents are the same now; but 1 and "1" look the same, and only one of them fits.
    checked = _not_decided(audit)[rows]
    numbers = checked.nonzero()[0]
    _check_labels(table, labels[checked], audit.labels[rows][checked], numbers=numbers)
    _tell_of_order(table, rows)
    return rows


def _rows_by_place(table: Path, label: str, audit: Any) -> Any:
    """Rows of an audit made in Python, which has not seen the file and knows the labels alone."""
    now = labels_of(errata.tables.read_table(table, [label]), label)
    check_count(table, len(now), len(audit))
    _check_labels(table, now, audit.labels)
    tell_of_places(table, "labels")
    return audit.columns()["row"]


def _not_decided(audit: Any) -> Any:
    """Rows whose label is the table's: others were replaced by what people had decided."""
    if audit.about.get("decisions") is None:
        return audit.labelled | ~audit.labelled
    return audit.labelled if audit.known is None else audit.labelled & ~audit.known


def rows_by_contents(table: Path, audit: Any) -> Any:
    """The number that each row has in its audit, whatever it was labelled with; raise as above."""
    now = errata.tables.read_table(table, audit.digests.columns)
    check_count(table, now.num_rows, len(audit))
    rows = audit.digests.places_of(errata.tables.row_digests(now))
    if (rows < 0).any():
        raise ValueError(not_as_audited(table, rows < 0))
    _tell_of_order(table, rows)
    return rows


def _tell_of_order(table: Path, rows: Any) -> None:
    if (rows[1:] < rows[:-1]).any():
        say(f"The rows of {table} were in another order when they were audited; each was found.")


def tell_of_places(table: Path, judged: str) -> None:
    """Say that rows are known by their places, as nobody knows what they held."""
    say(
        f"This audit does not say what the rows of {table} held, as it was made in Python; their "
        f"{judged} are the same. If they were sorted since, audit the file instead.",
        err=True,
    )


def check_count(table: Path, now: int, then: int) -> None:
    if now != then:
        raise ValueError(
            f"{table} has {plural(now, 'row')}, but {count(then)} were audited; audit it again."
        )


def _refuse(table: Path, rows: Any, now: Any, then: Any) -> None:
    """Raise with what has changed, and where it is first to be seen."""
    new = rows < 0
    if new.all():
        raise ValueError(
            f"no row of {table} is as it was audited; it is another table, or its cells were "
            "written in another way. Audit it again."
        )
    in_place = (rows == range(len(rows)))[~new].all()
    if in_place:
        _check_labels(table, now[new], then[new], numbers=new.nonzero()[0])
    raise ValueError(not_as_audited(table, new))


def not_as_audited(table: Path, new: Any) -> str:
    """What to say of rows of a table that were not audited."""
    first = f"the first is row {new.argmax()}, counted from 0"
    changed = "row of {} is" if new.sum() == 1 else "rows of {} are"
    return f"{count(new.sum())} {changed.format(table)} not as audited ({first}); audit it again."


def _check_labels(table: Path, now: Any, then: Any, numbers: Any = None) -> None:
    rows = range(len(now)) if numbers is None else numbers
    check_as_audited(table, now.tolist(), then.tolist(), rows)


def check_as_audited(table: Path, now: list[Any], then: list[Any], rows: Iterable[int]) -> None:
    """Raise when a row of a table has another label than it had; ``rows`` are their numbers."""
    for row, new, old in zip(rows, now, then, strict=True):
        # As text 1 and 1.0 are equal, which they are when one of the columns had a gap.
        if errata.review.as_text(new) != errata.review.as_text(old):
            raise ValueError(
                f"the labels of {table} have changed since the audit: row {row} (counted from 0) "
                f"says {new!r} and said {old!r}; audit it again."
            )


def decisions_for(folder: Path, audit: Any, use: str) -> Any:
    """The decisions about an audit, opened; None where there are none, or they are ignored."""
    beside = errata.review.decisions_path(folder)
    before = _made_with(folder, audit)
    if use == "ignore":
        return nullcontext()
    if beside.exists():
        decisions = errata.review.open_decisions(folder, read_only=True)
        if before is not None:
            _tell_of_others(folder, decisions, before)
        return decisions
    if before is not None:
        return errata.review.Decisions(_there(before), read_only=True)
    if use == "only":
        raise FileNotFoundError(f"nobody has decided anything yet: {beside} does not exist.")
    return nullcontext()


def _made_with(folder: Path, audit: Any) -> Path | None:
    """The file that ``errata audit --decisions`` was given, which may have moved with the audit."""
    if audit.about.get("decisions") is None:
        return None
    given = Path(audit.about["decisions"])
    return next((path for path in places_of(given, folder) if path.exists()), given)


def _there(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(
            f"this audit was made with the decisions in {path}, which is not there any more; put "
            "it beside the audit, or pass --decisions ignore."
        )
    return path


def _tell_of_others(folder: Path, decisions: Any, before: Path) -> None:
    """Say so when verdicts that the audit was made with are not among those that are used."""
    with errata.review.Decisions(_there(before), read_only=True) as earlier:
        left_out = earlier.verdicts().keys() - decisions.verdicts().keys()
    if left_out:
        say(
            f"{decisions.path} lacks decisions that the audit was made with; to use them, too: "
            f"errata decisions {folder} --merge {before}",
            err=True,
        )
