"""The base of audits of every kind of label, and how they are kept on disk."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from hashlib import blake2b
from html import escape
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar, Self

import numpy as np

from ..._blocks import blocks
from ..._files import atomic_folder, atomic_path
from ..._kinds import KINDS
from ..._sentences import answer, in_short
from ...audit_folder import (
    NUMBERS,
    PARTS,
    REPORT,
    ROWS,
    check_replaceable,
    read_numbers,
    write_numbers,
)
from ...audit_folder.decisions import Decisions
from ...tables import read_table, write_table
from ...tables._columns import column_array
from ...tables._digest import RowDigests
from .._settings import BATCH_ROWS
from ..examples._review import TOLD, StoredReview
from ..inputs._labels import label_text
from ..stored._rows import KNOWN, StoredRows
from ._cleaning import Cleaned, Scores
from ._file_cleaning import CleanedFile, Counts, clean_table
from ._rates_by import NoiseRate, describe_rates, rates_by
from ._summary import summarise

MAY_BE_NAN = ("expected_precision", "expected_recall")
PLAIN = ("_rule", "notes", "has_skill", "models", "examples", "_about", "_reviewed")
KEY = "key"  # what decisions know the row by
DIGEST = "digest"  # a further column, where the rows can be known again
ID = "id"  # one more, where the user said what they are called

INDEX = "index {}"  # columns with the levels of the index of pandas

Metrics = dict[str, float]


class LazyExamples:
    """Examples of rows, which are made when they are first asked for."""

    _examples: list[dict[str, Any]]
    _describe: Callable[[], list[dict[str, Any]]] | None = None  # makes the examples

    @property
    def examples(self) -> list[dict[str, Any]]:
        """The most suspicious rows with values and reasons, made when they are first asked for."""
        if self._describe is not None:
            self.examples = self._describe()
        return self._examples

    @examples.setter
    def examples(self, examples: list[dict[str, Any]]) -> None:
        self._examples = examples
        self._describe = None


@dataclass(eq=False, repr=False, kw_only=True)
class BaseAudit(LazyExamples):
    """An audit of some kind: one number per row, what it means, and what can be done about it.

    A kind says what it is called, which of its attributes are kept on disk and how, and what there
    is to tell. The rest is the same for all.

    Attributes
    ----------
    kind : str
        "classes", "numbers", ...: the name in ``audit.json`` and in the summary.
    """

    kind: ClassVar[str]
    # Attributes besides those of every audit that are valid JSON as they are; and arrays with one
    # entry per row, each a column on disk.
    _json_fields: ClassVar[tuple[str, ...]] = ()
    _row_columns: ClassVar[tuple[str, ...]]
    _check_type: ClassVar[Any]  # of the self-check, a named tuple
    _noun: ClassVar[str] = "label"  # what is audited: the attribute is its plural
    _change: ClassVar[str] = "relabel"  # the action of ``clean`` that gives other labels

    suspicion: np.ndarray
    p_wrong: np.ndarray
    flagged: np.ndarray
    noise_rate: NoiseRate
    has_skill: bool
    models: list[dict[str, Any]]
    self_check: Any
    expected_precision: float
    expected_recall: float
    _rule: str  # how the line between flagged rows and the rest was drawn
    notes: list[str] = field(default_factory=list)
    examples: list[dict[str, Any]] = field(default_factory=list)
    _about: dict[str, Any] = field(default_factory=dict)  # title, column names, arguments, ...
    _index: Any = None  # that of the dataframe, unless it merely counts the rows
    _digests: RowDigests | None = None  # what rows of a file are known by
    _ids: np.ndarray | None = None  # what the user calls the rows
    _keys: np.ndarray | None = None  # what decisions know rows by, whatever their labels become
    _known: np.ndarray | None = None  # labels that are certain
    _for_review: Any = None  # what cards are made from; holds the table and its features
    _reviewed: dict[str, Any] | None = None  # what people have decided so far

    def __len__(self) -> int:
        return len(vars(self)["p_wrong"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {in_short(self._findings())}>"

    def _repr_html_(self) -> str:
        """A notebook shows the first screen of the report, and ten of the flagged rows."""
        shown = [example for example in self.examples if example["flagged"]][:10]
        named = any(example["id"] is not None for example in shown)
        cells = ["row", *(["id"] if named else []), *KINDS[self.kind].shown]
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(str(s[c]))}</td>" for c in cells) + "</tr>"
            for s in shown
        )
        head = "".join(f"<th>{c}</th>" for c in cells)
        table = f"<table><tr>{head}</tr>{rows}</table>" if shown else ""
        return f"{_load_report().render_first_screen(self.summary())}{table}"

    @property
    def _stored(self) -> StoredRows | None:
        """The rows on disk; None where they are in memory."""
        return None

    def _row_keys(self, rows: np.ndarray | None = None) -> np.ndarray:
        """A name for each row, or each of ``rows``, by which decisions find it again.

        It is that of ``keys``, or else the place of the row.
        """
        rows = np.arange(len(self)) if rows is None else rows
        if self._keys is not None:
            return self._keys[rows]
        return np.array([f"row.{row}" for row in rows.tolist()], dtype=object)

    @property
    def _codes(self) -> np.ndarray:
        """The class of each row, -1 where it has no label; where there are none, all are alike."""
        return np.zeros(len(self), dtype=np.intp)

    @property
    def _labelled(self) -> np.ndarray:
        """Whether each row has a label."""
        return np.ones(len(self), dtype=bool)

    @property
    def _p_row(self) -> np.ndarray:
        """The probability that what the table says of a row is wrong, which a review decides."""
        return self.p_wrong

    def _columns(self) -> dict[str, np.ndarray]:
        """One array per column of the ranked table, in the order of the rows given."""
        raise NotImplementedError

    def _ranked_columns(
        self, *, flagged: bool | None = None, most: int | None = None
    ) -> dict[str, np.ndarray]:
        """One array per column of :meth:`table`; of the ``most`` suspicious rows only."""
        columns = self._columns()
        return rank_rows([select_flagged(columns) if flagged else columns], most)

    def table(self, *, flagged: bool | None = None) -> Any:
        """The rows, the most suspicious first: a polars dataframe for one, pandas otherwise.

        Column ``row`` is the place of each row in the table given; the index is that of the table
        where it had one of its own.

        Parameters
        ----------
        flagged : bool, optional
            Only the flagged rows. By default all rows; of an audit on disk the flagged ones, which
            are looked for file by file. ``False`` reads all of these, too.
        """
        library = import_module(self._about.get("dataframe", "pandas"))
        columns = self._ranked_columns(flagged=flagged)
        ranked = library.DataFrame(columns)
        if self._index is None:
            return ranked
        return ranked.set_axis(self._index[columns["row"]], axis="index")

    def rates_by(self, values: Any, *, name: str | None = None) -> Any:
        """How many labels are wrong for each annotator, source, month or site.

        ``p_wrong`` takes all rows for equally noisy, so that a plain mean of it draws the rates of
        all values together. Here the rate of each value is found anew from what its rows say.

        Parameters
        ----------
        values : array-like of shape (n,)
            The value of each row; a missing one is a value, too. Of more than 31 dates the months
            are told apart.
        name : str, optional
            What the values are called. With a name, summary and report show the rates, too.

        Returns
        -------
        dataframe
            The noisiest first: ``value``; ``rows``, how many labels may be wrong; ``rate`` with
            ``low`` and ``high``, as in ``noise_rate``; ``flagged``; and ``chance``, that as many of
            its labels look wrong if the values mean nothing, with Bonferroni's correction for
            looking at all of them. After the self-check of an audit of classes also ``planted``,
            the errors that it planted there; how many of them were ``found``; and ``overlooked``,
            the chance of finding so few if they are found as often as elsewhere (Fisher's exact
            test, one-sided, with Holm's correction; 1 for fewer than five planted errors).
        """
        if not self.has_skill:
            raise ValueError(
                "the columns do not tell the labels apart, so the noise of single values cannot be "
                "told either."
            )
        columns = rates_by(values, len(self), *self._doubted(), self.noise_rate, self.self_check)
        if name is not None:
            self._about["by"] = describe_rates(name, columns)
        return import_module(self._about.get("dataframe", "pandas")).DataFrame(columns)

    def explain(self, row: Any) -> Any:
        """Why one row is doubted; only an audit of classes can tell."""
        raise ValueError(
            f"a row can be explained in an audit of classes (errata.audit), but this is a "
            f"{type(self).__name__}; see its examples and its report for what speaks against a row."
        )

    def _doubted(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The labels that may be wrong, for :meth:`rates_by`.

        The row of each, ``p_wrong``, whether it is flagged, and its stratum: labels of one stratum
        are compared with each other only, as some are harder.
        """
        doubtful = self._labelled if self._known is None else self._labelled & ~self._known
        rows = np.flatnonzero(doubtful)
        return rows, self.p_wrong[rows], self.flagged[rows], self._codes[rows]

    def _further_lists(self) -> dict[str, dict[str, np.ndarray]]:
        """Columns of each CSV file that ``errata audit`` writes beside the ranked rows."""
        return {}

    def _findings(self) -> dict[str, Any]:
        """The part of the summary that the first sentence is made from."""
        raise NotImplementedError

    def _details(self) -> dict[str, Any]:
        """Entries of the summary that only this kind has."""
        raise NotImplementedError

    def summary(self) -> dict[str, Any]:
        """All there is to tell, as a plain dict that is valid JSON."""
        return summarise(self)

    def metrics(self) -> Metrics:
        """Numbers alone, for tools that track them from run to run; unknown ones are left out.

        ``noise_rate`` with ``noise_rate_low`` and ``noise_rate_high``; ``has_skill``, 1, or 0 where
        the rate is unknown; ``n_rows``, and of these ``n_judged`` labels and ``n_flagged`` rows;
        ``expected_wrong``, how many labels; of the flags ``expected_precision``, with
        ``expected_precision_low`` and ``expected_precision_high``, and ``expected_recall``; and of
        the self-check ``self_check_injected``, ``self_check_found`` and
        ``self_check_average_precision``.
        """
        found = self._findings()
        flagged = found["flagged"]
        told = {
            **rate_metrics("noise_rate", self.noise_rate),
            "has_skill": int(self.has_skill),
            "n_rows": len(self),
            "n_judged": found["rows"],
            "n_flagged": flagged["count"],
            "expected_wrong": found["noise_rate"]["count"],
            **{name: part for name, part in flagged.items() if name.startswith("expected_")},
        }
        check = self.self_check
        if check is not None:
            told["self_check_injected"] = check.injected
            told["self_check_found"] = check.found
            if check.average_precision is not None:
                told["self_check_average_precision"] = round(float(check.average_precision), 4)
        if not self.has_skill:  # all that is known is how many there may be
            told |= dict.fromkeys(("noise_rate", "expected_wrong"))
        return {name: value for name, value in told.items() if value is not None}

    def to_markdown(self) -> str:
        """The findings in Markdown, with the ten most suspicious rows, for a comment."""
        return _load_report().summary_in_markdown(self.summary())

    def report(self, path: str | os.PathLike = "report.html") -> None:
        """Write the report, one HTML file that works offline (needs the ``report`` extra)."""
        _load_report().write_report(self.summary(), path)

    def to_html(self) -> str:
        """The report as text."""
        return _load_report().render(self.summary())

    def show(self, height: int = 700) -> Any:
        """The report inside a notebook, as the output of a cell (needs the ``report`` extra).

        Parameters
        ----------
        height : int, default=700
            How high the frame is, in pixels; it is as wide as the cell.

        Returns
        -------
        ReportFrame
            A notebook shows it where it is the last expression of a cell. The page is kept in the
            notebook, like a picture: 100 kB and more. One of over ten million characters is
            refused; :meth:`report` writes it to a file of its own.
        """
        return _load_report().ReportFrame(self.to_html(), height)

    def clean_file(
        self,
        table: str | os.PathLike | Sequence[str | os.PathLike] | None,
        out: str | os.PathLike,
        action: str | None = None,
        *,
        threshold: float | None = None,
        sure: float | None = None,
        unsure: str | None = None,
        decisions: Decisions | str | os.PathLike | None = None,
        undecided: str = "act",
        ambiguous: str = "keep",
        force: bool = False,
    ) -> CleanedFile:
        r"""Write a copy of the audited file without the labels found wrong, as ``errata clean``.

        Everything that does not change stays as it was, to the byte in text. Rows are known by
        their contents where the audit has seen the file: it may have been sorted since, but no row
        may have changed. Otherwise they are known by their places, and the labels there must be as
        audited. ``clean`` does the same of arrays.

        Parameters
        ----------
        table : path, list of paths or None
            The audited table: a file, or of several files a folder, a pattern or a list. Of an
            audit of votes the table of the items; None writes the items and their labels alone.
        out : path
            The new file, in the format of the table; a new folder for several files. It appears
            only when it is complete.
        action : {"drop", "relabel", "replace", "unlabel", "weight"}, optional
            What becomes of labels that are probably wrong: as for ``clean``, whose default it has.
            "weight" adds a column ``sample_weight`` to a table of classes.
        threshold, sure, unsure : optional
            As for ``clean``, where it has them.
        decisions : Decisions or path, optional
            What people decided, which comes first.
        undecided, ambiguous : optional
            As for ``clean``.
        force : bool, default=False
            Whether to replace a file that is there already. The table itself never is.

        Returns
        -------
        CleanedFile
            ``path``, ``n_rows``, ``n_kept``, and in sentences what was done (``notes``) and what
            could not be checked (``cautions``).

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import errata
        >>> from errata.tables import read_table, write_table
        >>> from errata.noise import flip_labels
        >>> from sklearn.datasets import load_iris
        >>> iris = load_iris(as_frame=True)
        >>> labels, _ = flip_labels(iris.target, n_flips=8, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_table(f"{folder}/iris.csv", iris.data.assign(species=labels))
        ...     table = read_table(f"{folder}/iris.csv")
        ...     found = errata.audit(table, "species", self_check=False, random_state=0)
        ...     cleaned = found.clean_file(f"{folder}/iris.csv", f"{folder}/clean.csv")
        ...     cleaned.n_rows, read_table(cleaned.path).num_rows == cleaned.n_kept
        (150, True)
        """
        command = KINDS[self.kind].command
        given = {"action": action, "threshold": threshold, "sure": sure, "unsure": unsure}
        given = {name: value for name, value in given.items() if value is not None}
        for name, value in given.items():
            if name not in command.clean_defaults:
                raise ValueError(f"{name}={value!r} has no effect on {self.kind}; leave it out.")
        if action == "weight" and not command.weighs_rows:
            raise ValueError(
                f'action="weight" is for files of classes, not of {self.kind}; take weights from '
                "clean, or drop rows."
            )
        how: dict[str, Any] = {
            **command.clean_defaults,
            **given,
            "undecided": undecided,
            "ambiguous": ambiguous,
        }
        opened: Any = nullcontext(decisions)
        if isinstance(decisions, str | os.PathLike):
            opened = Decisions(decisions, read_only=True)
        with opened as how["decisions"]:
            return self._clean_file(table, Path(out), how, force=force)

    def _clean_file(
        self, table: Any, out: Path, cleaning: dict[str, Any], *, force: bool
    ) -> CleanedFile:
        """See :meth:`clean_file`; ``cleaning`` is for ``clean``."""
        return clean_table(self, table, out, cleaning, force=force)

    def _label_columns(self, action: str) -> list[str]:
        """The columns that hold the labels of an audited file; raise where there are none."""
        name = self._about.get(self._noun)
        if name is None:
            raise ValueError(f"this is an audit of {self._noun}s that are not a column of a table.")
        return [name]

    def _check_recorded(self, table: Path, now: Any, places: np.ndarray, rows: np.ndarray) -> None:
        """Raise when rows of a file, at ``places`` of ``now``, have other labels than they had."""
        raise NotImplementedError

    def _write_labels(
        self, now: Any, rows: np.ndarray, cleaned: Cleaned
    ) -> tuple[Cleaned, dict[str, list[Any]]]:
        """The new columns of labels of a file whose rows have these numbers, and what was done."""
        raise NotImplementedError

    def _describe_cleaned(
        self, counts: Counts, cleaned: Cleaned | None, odds: Any, cleaning: dict[str, Any]
    ) -> list[str]:
        """Sentences on what became of labels that are probably wrong.

        ``odds`` are what :func:`weigh_decisions` gave.
        """
        raise NotImplementedError

    def _scores(self) -> Scores:
        """Labels and probabilities that cleaning goes by."""
        raise NotImplementedError

    def _give(
        self, scores: Scores, rows: np.ndarray, texts: list[str]
    ) -> tuple[Scores, np.ndarray]:
        """Give rows what people chose, as JSON, for ``clean``; which of them it changes."""
        raise NotImplementedError

    def _recorded(self, rows: np.ndarray) -> np.ndarray:
        """The labels of some rows, as the table has them."""
        return vars(self)[f"{self._noun}s"][rows]  # not of all, which may be on disk

    def _in_words(self, rows: np.ndarray) -> dict[str, list[str | None]]:
        """``label`` and ``suggested`` of some rows as text, None where there is none."""
        columns = {"label": self._recorded(rows), "suggested": vars(self)["suggested"][rows]}
        return {name: [label_text(value) for value in column] for name, column in columns.items()}

    def _kept_numbers(self) -> dict[str, Any]:
        """Entries of ``audit.json`` for this kind alone, as JSON; ``_restored`` reads them."""
        return {}

    def _kept_columns(self) -> dict[str, Any]:
        """Columns on disk that only this kind has; ``_restored`` reads them."""
        return {}

    def _write_more(self, folder: Path) -> None:
        """Write files of its own to the folder of the audit; ``_restored`` reads them."""

    @classmethod
    def _restored(
        cls, found: dict[str, Any], rows: dict[str, Any], *, table: Any, path: Path
    ) -> dict[str, Any]:
        """Attributes that are made anew from what is on disk.

        ``found`` is what ``audit.json`` holds, ``rows`` are the arrays that were read already, and
        ``table`` is where they came from: None where they stay in files below ``path``.
        """
        return {}

    def save(self, path: str | os.PathLike) -> None:
        """Write the audit to a folder, all or nothing.

        ``audit.json`` and ``rows.parquet`` hold the audit, ``metrics.json`` its :meth:`metrics`,
        ``cards.parquet`` what a person wants to see of each flagged row to decide on it,
        ``components.parquet`` what such decisions tell about the other rows. An audit whose rows
        are on disk has a folder ``rows`` instead of these three. An audit that is there already is
        replaced; any other folder is left alone, with an error. Only its owner may read what is
        written. :func:`errata.report.write_audit` adds the report and lists for people.
        """
        path = Path(path)
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_folder(path, private=True) as folder:
            self._fill(folder)

    def _fill(self, folder: Path) -> None:
        """Make the folder and write all that :meth:`save` does, for who sees to its place."""
        folder.mkdir()
        numbers = collect_numbers(self)  # first: what examples are taken from is let go of
        metrics = self.metrics()
        review = self._for_review and self._for_review.write(folder, self)
        write_numbers(folder, numbers | (review or dict.fromkeys(TOLD)), metrics)
        if self._stored is None:
            write_table(folder / ROWS, collect_rows(self))
        else:
            self._stored.copy_to(folder / PARTS)
        self._write_more(folder)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Read what :meth:`save` has written."""
        path = Path(path)
        found = read_numbers(path)
        if found["kind"] != cls.kind:
            kind = KINDS[found["kind"]]
            name = kind.result.rpartition(":")[2]
            raise ValueError(
                f"{path} is an audit of {kind.title}; load it with errata.{name}.load."
            )
        table = None if (path / PARTS).is_dir() else read_table(path / ROWS)
        rows = {} if table is None else read_rows(cls, table, found)
        check = found["self_check"]
        if check is not None:
            lists = {k: np.array(v) if isinstance(v, list) else v for k, v in check.items()}
            check = cls._check_type(**lists)
        fields = {name: found[_key_of(name)] for name in (*PLAIN, *cls._json_fields)} | {
            **{name: np.nan if found[name] is None else found[name] for name in MAY_BE_NAN},
            **rows,
            "noise_rate": NoiseRate(*found["noise_rate"]),
            "self_check": check,
            "_for_review": None if found["piles"] is None else StoredReview(path, found),
        }
        return cls(**fields | cls._restored(found, rows, table=table, path=path))


def _load_report() -> Any:
    """The sub-package of pages: it reads what audits tell, so none of them imports it before."""
    return import_module("errata.report")


def read_rows(cls: "type[BaseAudit]", table: Any, found: dict[str, Any]) -> dict[str, Any]:
    """Read the attributes of each row, of an audit that fits into memory."""
    digested = found["digested"]
    return {name: column_array(table, name) for name in cls._row_columns} | {
        "_index": _index_in(table, found["index"]),
        "_digests": None if digested is None else RowDigests(digested, column_array(table, DIGEST)),
        "_keys": None if _are_places(table[KEY]) else column_array(table, KEY),
        **{
            attribute: column_array(table, name) if name in table.column_names else None
            for attribute, name in (("_ids", ID), ("_known", KNOWN))
        },
    }


def _are_places(keys: Any) -> bool:
    """Whether keys on disk are those of rows without any: as texts of Python they take far more."""
    for some in blocks(len(keys), BATCH_ROWS):
        found = keys[some.start : some.stop].combine_chunks()
        if not found.equals(_places_as_keys(some).cast(found.type)):
            return False
    return True


def _places_as_keys(rows: slice) -> Any:
    """The keys of rows that have no others, as an array of Arrow."""
    import pyarrow
    import pyarrow.compute as compute

    places = pyarrow.array(np.arange(rows.start, rows.stop)).cast("string")
    return compute.binary_join_element_wise("row.", places, "")


def collect_rows(audit: "BaseAudit") -> dict[str, Any]:
    """Columns of the file of rows."""
    rows = {name: getattr(audit, name) for name in audit._row_columns} | {KEY: _keys(audit)}
    rows |= _index_columns(audit._index)
    rows |= {} if audit._known is None else {KNOWN: audit._known}
    rows |= audit._kept_columns()
    if audit._ids is not None:  # as text: an array of objects may hold anything
        rows[ID] = [str(name) for name in audit._ids.tolist()]
    return rows if audit._digests is None else rows | {DIGEST: audit._digests.values}


def _index_columns(index: Any) -> dict[str, list[Any]]:
    """The levels as columns that can be written; none for no index."""
    if index is None:
        return {}
    levels = (index.get_level_values(place) for place in range(index.nlevels))
    return {INDEX.format(place): _plain(level) for place, level in enumerate(levels)}


def _plain(level: Any) -> list[Any]:
    """Values of a level that a file can hold; what none can, such as intervals, as text."""
    # Categories, periods, intervals and time zones are pandas' own, and need not come back.
    of_numpy = isinstance(level.dtype, np.dtype) and level.dtype.kind in "biufM"
    plain = of_numpy or (level.inferred_type in ("string", "integer") and not level.hasnans)
    return level.tolist() if plain else [str(value) for value in level]


def _index_in(table: Any, names: list[Any] | None) -> Any:
    """Put together from columns of a table on disk what :func:`_index_columns` took apart."""
    if names is None:
        return None
    import pandas

    columns = [column_array(table, INDEX.format(place)) for place in range(len(names))]
    if len(columns) == 1:
        return pandas.Index(columns[0], name=names[0])
    return pandas.MultiIndex.from_arrays(columns, names=names)


def _keys(audit: "BaseAudit") -> Any:
    """The keys; where they are places, of Arrow: as many texts of Python take far more memory."""
    import pyarrow

    if audit._keys is not None:
        return audit._keys
    parts = blocks(len(audit), BATCH_ROWS)
    return pyarrow.chunked_array([_places_as_keys(rows) for rows in parts])


def _key_of(attribute: str) -> str:
    """The name of an attribute in ``audit.json``."""
    return attribute.removeprefix("_")


def collect_numbers(audit: "BaseAudit") -> dict[str, Any]:
    """Collect the contents of ``audit.json``, but for what a review needs."""
    check = audit.self_check
    if check is not None:
        fields = check._asdict().items()
        check = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in fields}
    names = None if audit._index is None else audit._index.names
    plain = (str, int, type(None))
    return {_key_of(name): getattr(audit, name) for name in (*PLAIN, *audit._json_fields)} | {
        **{n: None if np.isnan(v := getattr(audit, n)) else v for n in MAY_BE_NAN},
        "kind": audit.kind,
        "answer": answer(audit._findings()),
        "fingerprint": fingerprint(audit),
        "noise_rate": list(audit.noise_rate),
        "self_check": check,
        "index": names and [name if isinstance(name, plain) else str(name) for name in names],
        "digested": None if audit._digests is None else audit._digests.columns,
        **audit._kept_numbers(),
    }


def fingerprint(audit: "BaseAudit") -> str:
    """A name for the audit, by which a decision says what its reviewer was shown."""
    if audit._stored is not None:
        return audit._stored.fingerprint()
    digest = blake2b(audit.p_wrong.astype("<f8").tobytes(), digest_size=16)
    for some in blocks(len(audit), BATCH_ROWS):
        rows = np.arange(some.start, some.stop)
        for texts in (audit._recorded(rows).tolist(), audit._row_keys(rows).tolist()):
            digest.update("\x1f".join(map(repr, texts)).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def rate_metrics(name: str, rate: NoiseRate) -> Metrics:
    """A rate and its interval.

    >>> rate_metrics("noise_rate", NoiseRate(0.1, 0.05, 0.2))
    {'noise_rate': 0.1, 'noise_rate_low': 0.05, 'noise_rate_high': 0.2}
    """
    names = (name, f"{name}_low", f"{name}_high")
    return {name: round(float(value), 5) for name, value in zip(names, rate, strict=True)}


def rank_rows(
    batches: Iterable[dict[str, np.ndarray]], most: int | None = None
) -> dict[str, np.ndarray]:
    """The rows of all batches, the most suspicious first; of equals, those that come first.

    With ``most``, no more rows than these and a batch are in memory at once.
    """
    found: list[dict[str, np.ndarray]] = []
    for rows in batches:
        found.append(rows)
        if most is not None:
            found = [_by_suspicion(found, most)]
    return _by_suspicion(found, most)


def _by_suspicion(batches: list[dict[str, np.ndarray]], most: int | None) -> dict[str, np.ndarray]:
    order = np.argsort(-np.concatenate([rows["suspicion"] for rows in batches]), kind="stable")
    return {
        name: np.concatenate([rows[name] for rows in batches])[order[:most]] for name in batches[0]
    }


def select_flagged(rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The flagged ones of some rows."""
    return {name: column[rows["flagged"]] for name, column in rows.items()}


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
    return resolve_name(KINDS[read_numbers(Path(path))["kind"]].result).load(path)


def add_review(path: str | os.PathLike, so_far: dict[str, Any]) -> None:
    """Put what a review has come to into ``audit.json``, and into the report if there is one.

    Everything else stays as it was.

    Parameters
    ----------
    path : path-like
        The folder of the audit.
    so_far : dict
        What :func:`errata.review.review_summary` gives; its ``sentences`` are what the report says.
    """
    folder = Path(path)
    load_audit(folder)  # of another version, or no audit: nothing is written
    numbers = json.loads((folder / NUMBERS).read_text(encoding="utf-8"))
    with atomic_path(folder / NUMBERS) as new:
        new.write_text(json.dumps(numbers | {"reviewed": so_far}, allow_nan=False), "utf-8")
    if (folder / REPORT).exists():
        load_audit(folder).report(folder / REPORT)
