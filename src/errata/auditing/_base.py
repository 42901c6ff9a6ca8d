"""What the audits of every kind of label have in common."""

import os
from html import escape
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from .._optional import require
from .._sentences import in_short
from ..report import ReportFrame, render, summary_in_markdown, write_report
from ..tables._digest import RowDigests
from ._by import Doubted, rates_by, told_by
from ._label_text import label_text
from ._metrics import Metrics, shared_metrics
from ._noise_rate import NoiseRate
from ._storage import load_fields, save_audit
from ._stored_rows import StoredRows, flagged_only, ranked_rows


class BaseAudit:
    """An audit of some kind: one number per row, what it means, and what can be done about it.

    A kind says what it is called, which of its attributes are kept on disk and how, what the
    columns of its ranked table are, and what there is to tell. The rest is the same for all.

    Attributes
    ----------
    kind : str
        "classes", "numbers", ...: the name in ``audit.json`` and in the summary.
    plain : tuple of str
        Attributes besides those of every audit that are valid JSON as they are.
    per_row : tuple of str
        Attributes that are arrays with one entry per row, each a column on disk.
    listed : tuple of str
        The columns of ``ranked.csv``, besides the row and its id.
    shown : tuple of str
        What a notebook shows of each of the examples, besides these two.
    check_type : type
        That of ``self_check``, a named tuple.
    """

    kind: ClassVar[str]
    plain: ClassVar[tuple[str, ...]] = ()
    per_row: ClassVar[tuple[str, ...]]
    listed: ClassVar[tuple[str, ...]]
    shown: ClassVar[tuple[str, ...]] = ("label", "suggested", "p_wrong")
    check_type: ClassVar[Any]

    suspicion: np.ndarray
    p_wrong: np.ndarray
    flagged: np.ndarray
    noise_rate: NoiseRate
    has_skill: bool
    models: list[dict[str, Any]]
    self_check: Any
    expected_precision: float
    expected_recall: float
    rule: str
    notes: list[str]
    examples: list[dict[str, Any]]
    about: dict[str, Any]
    index: Any
    digests: RowDigests | None
    ids: np.ndarray | None
    keys: np.ndarray | None
    for_review: Any
    reviewed: dict[str, Any] | None

    def __len__(self) -> int:
        return len(vars(self)["p_wrong"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {in_short(self.found())}>"

    def _repr_html_(self) -> str:
        """A notebook shows the sentence and the first ten of the flagged rows."""
        shown = [example for example in self.examples if example["flagged"]][:10]
        named = any(example["id"] is not None for example in shown)
        cells = ["row", *(["id"] if named else []), *self.shown]
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(str(s[c]))}</td>" for c in cells) + "</tr>"
            for s in shown
        )
        head = "".join(f"<th>{c}</th>" for c in cells)
        table = f"<table><tr>{head}</tr>{rows}</table>" if shown else ""
        return f"<p>{escape(in_short(self.found()))}</p>{table}"

    @property
    def stored(self) -> StoredRows | None:
        """The rows on disk; None where they are in memory."""
        return None

    def row_keys(self, rows: np.ndarray | None = None) -> np.ndarray:
        """A name for each row, or each of ``rows``, by which decisions find it again.

        It is that of ``keys``, or else the place of the row.
        """
        rows = np.arange(len(self)) if rows is None else rows
        if self.keys is not None:
            return self.keys[rows]
        return np.array([f"row.{row}" for row in rows.tolist()], dtype=object)

    @property
    def p_row(self) -> np.ndarray:
        """The probability that what the table says of a row is wrong, which a review decides."""
        return self.p_wrong

    def columns(self) -> dict[str, np.ndarray]:
        """One array per column of the ranked table, in the order of the rows given."""
        raise NotImplementedError

    def ranked_columns(
        self, *, flagged: bool | None = None, most: int | None = None
    ) -> dict[str, np.ndarray]:
        """One array per column of :meth:`table`; of the ``most`` suspicious rows only."""
        columns = self.columns()
        return ranked_rows([flagged_only(columns) if flagged else columns], most)

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
        library = require(self.about.get("dataframe", "pandas"), extra="tables")
        columns = self.ranked_columns(flagged=flagged)
        ranked = library.DataFrame(columns)
        if self.index is None:
            return ranked
        return ranked.set_axis(self.index[columns["row"]], axis="index")

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
            looking at all of them.
        """
        if not self.has_skill:
            raise ValueError(
                "the columns do not tell the labels apart, so the noise of single values cannot be "
                "told either."
            )
        columns = rates_by(values, len(self), self.doubted(), self.noise_rate)
        if name is not None:
            self.about["by"] = told_by(name, columns)
        return require(self.about.get("dataframe", "pandas"), extra="tables").DataFrame(columns)

    def explain(self, row: Any) -> Any:
        """Why one row is doubted; only an audit of classes can tell."""
        raise ValueError(
            f"a row can be explained in an audit of classes (errata.audit), but this is a "
            f"{type(self).__name__}; see its examples and its report for what speaks against a row."
        )

    def doubted(self) -> Doubted:
        """The labels that may be wrong, for :meth:`rates_by`."""
        raise NotImplementedError

    def further_lists(self) -> dict[str, dict[str, np.ndarray]]:
        """Columns of each CSV file that ``errata audit`` writes beside the ranked rows."""
        return {}

    def found(self) -> dict[str, Any]:
        """The part of the summary that the first sentence is made from."""
        raise NotImplementedError

    def summary(self) -> dict[str, Any]:
        """All there is to tell, as a plain dict that is valid JSON."""
        raise NotImplementedError

    def metrics(self) -> Metrics:
        """Numbers alone, for tools that track them from run to run; unknown ones are left out.

        ``noise_rate`` with ``noise_rate_low`` and ``noise_rate_high``; ``has_skill``, 1, or 0 where
        the rate is unknown; ``n_rows``, and of these ``n_judged`` labels and ``n_flagged`` rows;
        ``expected_wrong``, how many labels; ``expected_precision`` and ``expected_recall`` of the
        flags; and of the self-check ``self_check_injected``, ``self_check_found`` and
        ``self_check_average_precision``.
        """
        return shared_metrics(self)

    def to_markdown(self) -> str:
        """What was found, with the ten most suspicious rows, for a comment on a change."""
        return summary_in_markdown(self.summary())

    def report(self, path: str | os.PathLike = "report.html") -> None:
        """Write the report, one HTML file that works offline (needs the ``report`` extra)."""
        write_report(self.summary(), path)

    def to_html(self) -> str:
        """The report as text."""
        return render(self.summary())

    def show(self, height: int = 700) -> ReportFrame:
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
        return ReportFrame(self.to_html(), height)

    def recorded(self, rows: np.ndarray) -> np.ndarray:
        """What the table says of some rows: labels, targets, ..."""
        raise NotImplementedError

    def in_words(self, rows: np.ndarray) -> dict[str, list[str | None]]:
        """``label`` and ``suggested`` of some rows as text, None where there is none."""
        columns = {"label": self.recorded(rows), "suggested": vars(self)["suggested"][rows]}
        return {name: [label_text(value) for value in column] for name, column in columns.items()}

    def kept_numbers(self) -> dict[str, Any]:
        """What ``audit.json`` holds besides ``plain``, as JSON; :meth:`restored` reads it."""
        return {}

    def kept_columns(self) -> dict[str, Any]:
        """Columns on disk besides those of ``per_row``; :meth:`restored` reads them."""
        return {}

    def write_more(self, folder: Path) -> None:
        """Write files of its own to the folder of the audit; :meth:`restored` reads them."""

    @classmethod
    def restored(
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
        ``cards.parquet`` what a person wants to
        see of each flagged row to decide on it, ``components.parquet`` what such decisions tell
        about the other rows. An audit whose rows are on disk has a folder ``rows`` instead of these
        three. Needs the ``tables`` extra. An audit that is there already is replaced; any other
        folder is left alone, with an error.
        """
        save_audit(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Self:
        """Read what :meth:`save` has written."""
        return cls(**load_fields(cls, path))
