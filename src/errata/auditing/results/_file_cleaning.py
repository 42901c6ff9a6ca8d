"""Cleaning a file: its rows are found again in the audit, and a copy leaves wrong labels out.

A copy is written in one pass, some rows at a time, and appears only when it is complete: never
when a label is not as it was audited.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from os.path import commonpath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..._files import atomic_folder, atomic_path, is_path, say_missing
from ..._format import count, plural, probability
from ..._kinds import KINDS, spell_options
from ..._validation import is_missing
from ...audit_folder import shifted
from ...audit_folder.decisions import as_text, from_text, resolve
from ...tables import copy_with_rows, read_table, row_digests, write_table
from ...tables._table import check_same_format
from ...tables.stored._files import (
    check_new_file,
    check_new_folder,
    copy_file,
    copy_files,
    get_copy_names,
    list_files,
)
from ..inputs._labels import has_label
from ._cleaning import read_decided, weigh_verdicts

CHANGES = ("dropped", "relabelled", "replaced", "unlabelled")
BY_PEOPLE = ("relabelled", "replaced", "kept", "dropped")
WEIGHT = "sample_weight"  # the column that action "weight" adds


class CleanedFile(NamedTuple):
    """The result of :meth:`errata.Audit.clean_file`.

    Attributes
    ----------
    path : Path
        What was written: a file, or a folder of files.
    n_rows : int
        Rows, or items, that were audited.
    n_kept : int
        Those that are in the new file.
    notes : list of str
        Sentences about what became of which labels.
    cautions : list of str
        Sentences about what could not be checked.
    """

    path: Path
    n_rows: int
    n_kept: int
    notes: list[str]
    cautions: list[str]


class Counts:
    """How many rows were cleaned, by what was done to them, and sentences about it."""

    def __init__(self, threshold: float) -> None:
        self.threshold = threshold
        self.wrong = 0  # rows above the threshold, and nobody decided about them
        self.highest = 0.0  # probability of those that nobody decided
        self.labelled: Counter[str] = Counter()  # with a label, and nobody decided about them
        self.blank: Counter[str] = Counter()  # without one
        self.decided: Counter[str] = Counter()  # by people
        self.kept = 0

    def add(self, cleaned: Any, p_wrong: np.ndarray, labelled: np.ndarray) -> None:
        """Count some rows that were cleaned by ``p_wrong``."""
        by_probability = ~cleaned.decided
        did = cleaned.did
        self.wrong += int(((p_wrong > self.threshold) & by_probability).sum())
        self.highest = max(self.highest, float(np.max(p_wrong[by_probability], initial=0.0)))
        self.labelled += Counter(did[by_probability & labelled].tolist())
        self.blank += Counter(did[by_probability & ~labelled].tolist())
        self.decided += Counter(did[cleaned.decided].tolist())
        self.kept += int(cleaned.kept.sum())

    def describe_outcome(self, audit: Any, why_kept: str, judged: str = "label") -> str:
        """A sentence on what became of labels above the threshold, or whatever was judged."""
        done = (self.labelled, self.blank, self.decided)
        is_changed = any(did[what] for did in done for what in CHANGES)
        unchanged = "" if is_changed else "; nothing changed"
        if not audit.has_skill:
            return f"{KINDS[audit.kind].command.no_skill}{unchanged}."
        probably = f"wrong with a probability above {self.threshold:g}"
        if not self.wrong:
            if is_changed:
                return f"No {judged} is {probably}."
            highest = f"the highest is {probability(self.highest)}"
            advice = "A lower `threshold` or decisions in a review would change some."
            return f"No {judged} is {probably} ({highest}){unchanged}. {advice}"
        did = self.labelled
        acts = [f"{count(did[what])} {what}" for what in CHANGES if did[what]]
        spared = self.wrong - sum(did[what] for what in CHANGES)
        if spared:
            acts.append(f"{count(spared)} kept, as {why_kept}")
        are = "is" if self.wrong == 1 else "are"
        return f"{plural(self.wrong, judged)} {are} {probably}: {', '.join(acts)}{unchanged}."

    def describe_blanks(self) -> list[str]:
        """How many rows without a label were given one, if there were any."""
        if not self.blank:
            return []
        filled = self.blank["relabelled"]
        some = f"{count(filled) if filled else 'none'} got the suggested class"
        return [f"{plural(self.blank.total(), 'row')} had no label; {some}."]


def clean_table(
    audit: Any, table: Any, out: Path, cleaning: dict[str, Any], *, force: bool
) -> CleanedFile:
    """Copy the audited table, wrong labels cleaned; ``cleaning`` is for ``clean``."""
    columns = audit._label_columns(cleaning["action"])
    may_be_parts = KINDS[audit.kind].command.in_parts
    path, files = find_audited_files(audit, table) if may_be_parts else (Path(table), None)
    if files is None:
        check_new_file(path, out, force=force)
    else:
        check_new_folder(path, files, out, force=force)
    is_weighted = cleaning["action"] == "weight"
    notes: list[str] = []
    cautions: list[str] = []
    cleaned = None
    counts = Counts(cleaning["threshold"])
    odds = weigh_decisions(audit, cleaning["decisions"])
    if files is not None or audit._stored is not None:
        if is_weighted:
            raise ValueError(
                f"{path} is copied in parts, which cannot have a new column of weights; take them "
                "from the audit's clean in Python, or drop rows."
            )
        _copy_by_place(audit, path, files, out, odds, cleaning, counts)
        cautions.append(
            f"Rows of {path} are known by their places, and have the labels that were audited; if "
            "they were sorted since, audit them again."
        )
    else:
        now = read_table(path, columns)
        rows = _find_rows(path, now, audit, notes, cautions)
        cleaned, new = audit._write_labels(now, rows, audit.clean(**cleaning))
        if is_weighted:
            _copy_with_weights(path, out, new, np.round(cleaned.weight[rows], 4))
        else:
            _copy_columns(path, out, cleaned.kept[rows], new)
        counts.add(cleaned, shifted(audit.p_wrong, odds), audit._labelled)
    notes += describe_decided(counts.decided, audit, cleaning["decisions"])
    if cleaning["undecided"] == "act":
        notes += describe_learnt(audit, path, cleaning["decisions"], odds)
        if is_weighted and audit.has_skill:
            notes.append(f"The column {WEIGHT} says how probably each row is right.")
        else:
            notes += audit._describe_cleaned(counts, cleaned, odds, cleaning)
    return finish(audit, out, counts.kept, notes, cautions)


def _copy_columns(table: Path, out: Path, kept: np.ndarray, columns: dict[str, list[Any]]) -> None:
    """Copy the rows that stay with some columns replaced, one after the other."""
    if not columns:
        copy_with_rows(table, out, kept)
        return
    *others, (name, values) = columns.items()
    if not others:  # also a folder of pictures, which has no format
        copy_with_rows(table, out, kept, name=name, values=values)
        return
    check_same_format(table, out)  # now, while errors name it
    all_rows = np.ones_like(kept)
    with atomic_path(out) as temporary:
        source = table
        for other, cells in others:
            copy_with_rows(source, temporary, all_rows, name=other, values=cells)
            source = temporary
        copy_with_rows(source, temporary, kept, name=name, values=values)


def _copy_with_weights(
    table: Path, out: Path, labels: dict[str, list[Any]], weights: np.ndarray
) -> None:
    """Copy all rows with their labels, and a column of weights behind the others."""
    if table.is_dir():  # of pictures: a list of them, as folders have no place for weights
        listed = read_table(table)
        columns = {name: listed[name] for name in listed.column_names}
        write_table(out, columns | labels | {WEIGHT: weights})
        return
    check_same_format(table, out)  # now, while errors name it
    all_rows = np.ones(len(weights), dtype=bool)
    with atomic_path(out) as temporary:
        copy_with_rows(table, temporary, all_rows, name=WEIGHT, values=weights, is_new=True)
        _copy_columns(temporary, temporary, all_rows, labels)


def finish(
    audit: Any, out: Path, kept: int, notes: list[str], cautions: list[str], row: str = "row"
) -> CleanedFile:
    """Describe a cleaned file, with a last sentence on where it is."""
    notes.append(f"Wrote {out} with {count(kept)} of {plural(len(audit), row)}.")
    return CleanedFile(out, len(audit), int(kept), notes, cautions)


def find_audited_files(audit: Any, table: Any) -> tuple[Path, list[Path] | None]:
    """The table and its files, None for a single one; raise when others were audited."""
    audited = audit._about.get("tables") or []
    if is_path(table):
        path = Path(table)
        files = list_files(path)
    else:
        files = [Path(file) for file in table]
        for file in files:
            if not file.exists():
                raise FileNotFoundError(say_missing(file))
        if len(files) == 1:
            return files[0], None
        # Called by a pattern, as others may be there, and copies may go beside them.
        path = Path(commonpath(files)) / "*"
    if files is not None and audited:
        _check_same_files(files, audited)
    return path, files


def _check_same_files(files: Sequence[Path], before: Sequence[str]) -> None:
    """Raise when files are not those that a table was made of before, by their names."""
    now = dict(zip(get_copy_names(files), files, strict=True))
    then = dict(zip(get_copy_names([Path(file) for file in before]), before, strict=True))
    for name, file in then.items():
        if name not in now:
            raise FileNotFoundError(f"{file} was audited and is not there any more.")
    for name, path in now.items():
        if name not in then:
            raise ValueError(f"{path} was not there when the others were audited; audit all again.")


def drop_blanks(cells: list[Any]) -> list[Any]:
    """Labels as cells hold them, None for those that are empty or say that there is none."""
    return [None if is_missing(cell, text=True) else cell for cell in cells]


def weigh_decisions(audit: Any, decisions: Any) -> np.ndarray | float:
    """By how much what people decided multiplies the odds that a row is wrong."""
    if decisions is None:
        return 1.0
    rows, texts, *_ = read_decided(decisions, audit._row_keys())
    return weigh_verdicts(audit, rows, audit._give(audit._scores(), rows, texts)[1])


def mark_given_classes(cleaned: Any, cells: list[Any], rows: list[int]) -> Any:
    """Mark classes that people gave, with which an audit may have begun, as done to the table."""
    did = cleaned.did.astype("<U10")
    for row, cell in zip(rows, cells, strict=True):
        is_kept = cleaned.decided[row] and did[row] == "kept"
        if is_kept and as_text(cleaned.labels[row]) != as_text(cell):
            did[row] = "relabelled"
    return cleaned._replace(did=did)


def write_cells(cleaned: Any, cells: list[Any], rows: list[int]) -> list[Any]:
    """The column of labels: a cell stays as it was unless its label was changed."""
    new = [None if cell != cell else cell for cell in cells]  # NaN is a gap among numbers
    for place, row in enumerate(rows):
        if cleaned.did[row] in CHANGES:
            new[place] = from_text(as_text(cleaned.labels[row]))
    return new


def describe_decided(did: Counter[str], audit: Any, decisions: Any) -> list[str]:
    """Sentences on what became of decisions; none where people have decided nothing yet."""
    if decisions is None:
        return []
    done = [f"{count(did[what])} {what}" for what in BY_PEOPLE if did[what]]
    if did["weighted"]:
        done.append(f"{count(did['weighted'])} ambiguous and kept")
    disputed = (resolve(decisions, audit._row_keys()).kinds == "disputed").sum()
    if disputed:
        done.append(f"{count(disputed)} more disputed, as if undecided")
    return [f"People decided {plural(did.total(), 'row')}: {', '.join(done)}."] if done else []


def describe_learnt(
    audit: Any, table: Path | None, decisions: Any, odds: np.ndarray | float
) -> list[str]:
    """Sentences on rows that nobody decided, by the verdicts, and how to learn more from them."""
    if np.all(odds == 1):
        return []
    rows, _, unclear, gone = read_decided(decisions, audit._row_keys())
    left = audit.flagged & ~unclear & ~gone
    left[rows] = False
    if not left.any():
        return []
    before = audit._p_row
    suspects = plural(int(left.sum()), "undecided suspect")
    expected = count(round(float(shifted(before, odds)[left].sum())))
    alone = count(round(float(before[left].sum())))
    learnt = f"Going by these verdicts, about {expected} of {suspects} are wrong"
    notes = [f"{learnt} ({alone} by the audit alone)."]
    command = KINDS[audit.kind].command
    named = audit._about.get(command.named_by[0])
    is_second = audit._about.get("decisions") is not None
    if "decisions" in command.takes and named and table is not None and not is_second:
        words = [
            *("errata", "audit", str(table), f"--{command.named_by[0]}", str(named)),
            *spell_options(audit._about.get("arguments") or {}),
            *("--decisions", str(decisions.path), "-o", f"{table.with_suffix('')}.2.audit"),
        ]
        notes.append(f"A second audit learns more from them: {shlex.join(words)}")
    return notes


def _copy_by_place(
    audit: Any,
    table: Path,
    files: list[Path] | None,
    out: Path,
    odds: np.ndarray | float,
    cleaning: dict[str, Any],
    counts: Counts,
) -> None:
    """Copy a file, or several into a new folder, whose rows are in the order of the audit."""
    label = audit._about["label"]
    clean = _make_cleaner(audit, cleaning)

    def rewrite(cells: list[Any], start: int, file: Path, row: int) -> tuple[Any, list[Any]]:
        """Which rows of a file stay, and what their labels become."""
        rows = slice(start, start + len(cells))
        if rows.stop > len(audit):
            raise ValueError(
                f"{table} has more rows than the {count(len(audit))} that were audited; audit it "
                "again."
            )
        audited = audit._columns_at(rows)
        here = list(range(len(cells)))
        numbers = range(row, row + len(cells))
        check_labels(file, drop_blanks(cells), audited["label"].tolist(), numbers)
        cleaned = mark_given_classes(clean(rows), cells, here)
        labelled = has_label(audited["label"])
        p_wrong = shifted(audited["p_wrong"], odds if isinstance(odds, float) else odds[rows])
        counts.add(cleaned, p_wrong, labelled)
        return cleaned.kept, write_cells(cleaned, cells, here)

    if files is None:
        check_same_format(table, out)
        with atomic_path(out) as temporary:
            check_count(table, copy_file(table, temporary, label, rewrite), len(audit))
    else:
        with atomic_folder(out) as folder:
            check_count(table, copy_files(files, folder, label, rewrite), len(audit))


def _make_cleaner(audit: Any, cleaning: dict[str, Any]) -> Callable[[slice], Any]:
    """A function that cleans some rows; where they are on disk, no more than these at a time."""
    if audit._stored is not None and cleaning["decisions"] is None:
        by_probability = {k: cleaning[k] for k in ("action", "threshold", "sure", "unsure")}
        return lambda rows: audit.clean_rows(rows.start, rows.stop, **by_probability)
    cleaned = audit.clean(**cleaning)
    return lambda rows: type(cleaned)(*(column[rows] for column in cleaned))


def _find_rows(
    table: Path, now: Any, audit: Any, notes: list[str], cautions: list[str]
) -> np.ndarray:
    """The number that each row of a table has in its audit; raise when one was not audited.

    ``now`` holds its columns of labels. By their contents where they are known: in a table that was
    sorted, the wrong ones would go.
    """
    every = np.arange(len(audit))
    check_count(table, now.num_rows, len(audit))
    if audit._digests is None:  # it knows the labels alone
        audit._check_recorded(table, now, every, every)
        made = "read its table in parts" if "tables" in audit._about else "was made in Python"
        cautions.append(
            f"This audit does not say what the rows of {table} held, as it {made}; "
            f"their {KINDS[audit.kind].nouns.partition(',')[0]} are the same. If they were sorted "
            "since, audit the file instead."
        )
        return every
    rows = audit._digests.places_of(row_digests(read_table(table, audit._digests.columns)))
    new = rows < 0
    if new.all():
        raise ValueError(
            f"no row of {table} is as it was audited; it is another table, or its cells were "
            "written in another way. Audit it again."
        )
    if new.any():
        if (rows == every)[~new].all():  # in place: the labels may have changed
            audit._check_recorded(table, now, every[new], every[new])
        raise ValueError(describe_new_rows(table, every[new]))
    # The contents are the same now; but 1 and "1" look the same, and only one of them fits.
    checked = np.ones(len(audit), dtype=bool)
    if audit._about.get("decisions") is not None:  # of some rows people gave the label
        checked = audit._labelled if audit._known is None else audit._labelled & ~audit._known
    places = every[checked[rows]]
    audit._check_recorded(table, now, places, rows[places])
    if (rows[1:] < rows[:-1]).any():
        notes.append(
            f"The rows of {table} were in another order when they were audited; each was found."
        )
    return rows


def describe_new_rows(table: Path, rows: np.ndarray) -> str:
    """A sentence on rows of a table that were not audited, by their numbers."""
    changed = "row of {} is" if len(rows) == 1 else "rows of {} are"
    return (
        f"{count(len(rows))} {changed.format(table)} not as audited (the first is row {rows[0]}, "
        "counted from 0); audit it again."
    )


def check_count(table: Path, now: int, then: int) -> None:
    """Raise when a table does not have as many rows as were audited."""
    if now != then:
        raise ValueError(
            f"{table} has {plural(now, 'row')}, but {count(then)} were audited; audit it again."
        )


def check_labels(table: Path, now: list[Any], then: list[Any], rows: Iterable[int]) -> None:
    """Raise when a row of a table has another label than it had; ``rows`` are their numbers."""
    for row, new, old in zip(rows, now, then, strict=True):
        # As text 1 and 1.0 are equal, which they are when one of the columns had a gap.
        if as_text(new) != as_text(old):
            raise ValueError(
                f"the labels of {table} have changed since the audit: row {row} (counted from 0) "
                f"says {new!r} and said {old!r}; audit it again."
            )
