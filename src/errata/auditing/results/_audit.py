"""The result of an audit: one number per row, what it means, and what can be done about it."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

from ..._blocks import blocks
from ..._files import is_path, places_of
from ...audit_folder import PARTS
from ...audit_folder.decisions import Decisions, as_text, from_text
from ...tables._columns import column_array
from .._self_check import SelfCheck
from .._settings import BATCH_ROWS, CLEAN_THRESHOLD, OVERLAP, RELABEL_SURE
from ..examples._explanations import RowExplanation
from ..examples._review import ISSUE, ForReview, StoredReview
from ..inputs._inputs import check_kind
from ..inputs._labels import codes_of, has_label, take_given
from ..sequences import Timeline
from ..stored._rows import (
    KNOWN,
    NAMES,
    StoredColumn,
    StoredRows,
)
from ._base import BaseAudit, rank_rows, select_flagged
from ._cleaning import Cleaned, Scores, clean_audit
from ._file_cleaning import (
    Counts,
    check_labels,
    drop_blanks,
    mark_given_classes,
    write_cells,
)
from ._flags import Totals
from ._summary import describe_classes, findings

# Columns of an audit of sequences.
RECORDING = "recording"
CLOCK = "clock"

Class = TypeVar("Class", bound=type)


class AuditRows(BaseAudit):
    """The rows of an :class:`errata.Audit`."""

    labels: np.ndarray
    suggested: np.ndarray
    classes: np.ndarray

    @property
    def _codes(self) -> np.ndarray:
        """Index of each label among ``classes``, -1 where a row has none."""
        return codes_of(self.labels, self.classes)

    @property
    def _labelled(self) -> np.ndarray:
        """Whether each row has a label."""
        return has_label(self.labels)

    @property
    def _stored(self) -> StoredRows | None:
        """The rows on disk; None where they are in memory, or some column was replaced."""
        held = [vars(self)[name] for name in NAMES]
        return held[0].rows if all(isinstance(h, StoredColumn) for h in held) else None

    @property
    def _totals(self) -> Totals:
        """Sums over the rows as they are now: the arrays may be replaced at any time."""
        if self._stored is not None:
            return self._stored.totals
        codes = self._codes
        flagged = self.flagged
        suggested = codes.copy()  # as is the rule for rows that are not flagged
        suggested[flagged] = np.searchsorted(self.classes, self.suggested[flagged])
        return Totals.of(
            len(self.classes),
            codes,
            suggested=suggested,
            p_wrong=self.p_wrong,
            flagged=flagged,
            known=self._known,
        )

    def explain(self, row: Any, table: Any = None) -> RowExplanation:
        """Why the label of one row is doubted, or not: models, neighbours and columns.

        The columns are weighed by leaving out the value of each: values of 100 other rows stand in
        for it one after the other, and the probabilities that the pooled models give are averaged.

        Parameters
        ----------
        row : int or str
            The place of the row, from 0, or as text its id (what the index of a pandas dataframe
            calls it, where ``ids`` were not given).
        table : path, dataframe or array, optional
            For an audit that was loaded from a folder: the table, as it was audited. Without it,
            the file that was audited is looked for, where it was and beside the folder.

        Returns
        -------
        RowExplanation
            ``models``, ``neighbors`` and ``columns``, lists of dicts; ``print`` shows a paragraph,
            ``plot()`` a picture.

        Notes
        -----
        With ``p(c | x without j)``, the mean of ``p(c | x)`` over values of column ``j``, the label
        ``l`` and the class ``o`` that speaks most against it, a column counts as ``log p(l | x
        without j) / p(o | x without j) - log p(l | x) / p(o | x)`` (Robnik-Šikonja and Kononenko,
        2008). It tells what the models look at, not what causes the class. Where two columns say
        the same, neither is missed, and both count for little; some of the rows that are made up
        on the way could not exist.

        An audit keeps no models: the first call fits them again, in ten folds, which takes one to
        three times as long as the audit without its self-check; of an audit that was loaded, the
        table is audited again before. Every call then costs 100 predictions a column: O(d) rows of
        d features.
        """
        if isinstance(self._for_review, ForReview):
            return self._for_review.explain(self, row)
        if table is not None or not hasattr(self, "_made_again"):
            self._made_again = self._audit_again(table)
        return self._made_again.explain(self, row)

    def _audit_again(self, table: Any) -> ForReview:
        """Audit the table again, a file or what :func:`errata.audit` takes, to explain its rows."""
        auditing = import_module("errata.auditing")  # here, as it needs this file
        label = self._about.get("label")
        if table is None:
            table = self._find_table()
        if is_path(table):
            noted = self._about.get("arguments")
            if noted is None or None in noted.values() or "tables" in self._about:
                raise ValueError(
                    "the audit does not say how its table was audited; explain a row of the audit "
                    "that errata.audit or errata.audit_file returns."
                )
            again = auditing.audit_file(table, label, **noted | {"self_check": False})
        else:
            again = auditing.audit(
                table, self.labels, **self._arguments_for(table, label), self_check=False
            )
        same = np.array_equal(again._row_keys(), self._row_keys())
        if not same or not np.array_equal(again.labels, self.labels):
            raise ValueError("the table is not as it was audited; audit it again.")
        return again._for_review

    def _arguments_for(self, table: Any, label: str | None) -> dict[str, Any]:
        """How to audit a dataframe as it, or the file that it was read from, was audited."""
        noted = self._about.get("arguments") or {}
        if files := [name for name in ("embeddings", "pred_proba", "decisions") if name in noted]:
            raise ValueError(f"the audit took {files[0]} from a file; pass its table as a path.")
        roles = [noted[name] for name in ("groups", "known", "ids", "by") if name in noted]
        if label is not None:
            cells = np.asarray(table[label])[self._labelled]  # numbers, where a file has texts
            if not np.array_equal(cells.astype(str), self.labels[self._labelled].astype(str)):
                raise ValueError("the table is not as it was audited; audit it again.")
            roles.append(label)
        return {
            "known": self._known,
            "ids": self._ids,
            "keys": self._keys,
            "groups": np.asarray(table[noted["groups"]]) if "groups" in noted else None,
            "trust": noted.get("trust", ()),
            "drop": [*noted.get("drop", ()), *roles],
            "image_shape": noted.get("image_shape"),
            "random_state": noted.get("random_state"),
        }

    def _find_table(self) -> Path:
        """The file that was audited, where it was or beside the folder of the audit."""
        named = self._about.get("table")
        if named is None or not isinstance(self._for_review, StoredReview):
            raise ValueError(
                "the audit does not hold its table any more, as it was loaded or let go; pass it "
                "as `table`."
            )
        for place in places_of(Path(named), self._for_review.source):
            if place.is_file():
                return place
        raise FileNotFoundError(f"{named} is not there any more; pass where it is as `table`.")

    def issues(self) -> Any:
        """The other issues of the table, as far as labels are concerned.

        Looked for when they are first asked for, here or by the report. ``summary()["issues"]`` has
        a sentence on each, and on columns that are empty or constant.

        Returns
        -------
        dataframe
            A row for each row of the table, with its index, and a column for each issue.
            ``near_duplicate``: a copy of another row, or nearly. ``outlier``: far from every class.
            ``ordered``: rows that follow each other are alike, whatever their label (of all rows or
            none). ``underperforming``: in a group where every model fails more often.
            ``rare_class``: of a class with fewer than ten rows. ``value``: how much worse a model
            predicts other rows if it does not learn from this one, as a multiple of the mean error
            of a row; below 0 it does harm, and NaN where a row could not be audited.

        Raises
        ------
        ValueError
            Of an audit of votes or recordings, of more than 200,000 rows, or that let go of its
            table.
        """
        found = self._find_issues()
        if found is None:
            raise ValueError(
                "issues are looked for where each row has one label and models learn from all "
                "rows: not in recordings, votes, tables of more than 200,000 rows, and audits that "
                "let go of their table."
            )
        frame = import_module(self._about.get("dataframe", "pandas")).DataFrame(found)
        return frame if self._index is None else frame.set_axis(self._index, axis="index")

    def _find_issues(self) -> dict[str, np.ndarray] | None:
        """The columns of issues, which are looked for once; ``_about`` says what they are."""
        if not hasattr(self, "_issues"):
            review = self._for_review
            self._issues = None if review is None else review.find_issues(self)
        return self._issues

    def _columns(self) -> dict[str, np.ndarray]:
        """One array per column of the ranked table, in the order of the rows given."""
        return self._columns_at(slice(0, len(self)))

    def _columns_at(self, rows: slice) -> dict[str, np.ndarray]:
        """The same of some rows, of no more than these where they are on disk."""
        columns = {column: vars(self)[name][rows] for name, column in NAMES.items()}
        return {"row": np.arange(rows.start, rows.stop)} | columns

    def batches(self) -> Iterator[dict[str, np.ndarray]]:
        """The columns of :meth:`table`, some rows at a time, in the order of the rows given.

        Of an audit on disk no more than a file of rows is in memory at once.
        """
        stored = self._stored
        pieces = blocks(len(self), BATCH_ROWS) if stored is None else stored.slices()
        return map(self._columns_at, pieces)

    def _ranked_columns(
        self, *, flagged: bool | None = None, most: int | None = None
    ) -> dict[str, np.ndarray]:
        """One array per column of :meth:`table`; of the ``most`` suspicious rows only."""
        only = self._stored is not None if flagged is None else flagged
        return rank_rows(map(select_flagged, self.batches()) if only else [self._columns()], most)


class _WhenAsked:
    """An attribute that holds an array, or a column on disk that is read whenever it is asked for.

    It is not kept: an array of all rows may be larger than the rest of the audit together.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        held = vars(instance)[self.name]
        return held[:] if isinstance(held, StoredColumn) else held

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value


def read_when_asked(*names: str) -> Callable[[Class], Class]:
    """Let attributes of a class be columns on disk."""

    def with_columns(cls: Class) -> Class:
        for name in names:
            setattr(cls, name, _WhenAsked(name))
        return cls

    return with_columns


@read_when_asked(*NAMES, f"_{KNOWN}")
@dataclass(eq=False, repr=False, kw_only=True)
class Audit(AuditRows):
    """Which labels are wrong, how many, which way, and how sure we are.

    Made by :func:`errata.audit`. All arrays have one entry per row, in the order given. Those of a
    table of more than a million rows that was not in memory stay on disk: each is read whenever it
    is asked for, and :meth:`batches` gives some rows at a time.

    Attributes
    ----------
    kind : str
        "classes".
    labels : array of shape (n,)
        The labels that were audited; None, or NaN among numbers, where a row has none.
    suspicion : array of shape (n,)
        For ranking: higher = more likely mislabelled.
    p_wrong : array of shape (n,)
        Probability that the label is not the class, over all noise hypotheses; 0 where there is no
        label, as none can be wrong.
    suggested : array of shape (n,)
        The most probable other class of a flagged row, the most probable class of a row without a
        label; the label itself elsewhere.
    p_suggested : array of shape (n,)
        Probability of that class.
    flagged : array of bool of shape (n,)
        The rows worth a look; ``summary`` tells how the line was drawn.
    noise_rate : NoiseRate
        ``estimate``, ``low`` and ``high`` of the fraction of wrong labels. The estimate is the mean
        of ``p_wrong``, and what ``prior`` and ``transition`` imply.
    hypotheses : list of dict
        ``kind`` of noise ("none", "uniform", "pattern", "class to class", "boundary"), its
        ``weight`` in the posterior, and the ``rate`` if it were so.
    has_skill : bool
        Whether the columns tell the labels apart at all. If not, nothing is flagged.
    transition : array of shape (K, K)
        ``T[c, l] = P(label = l | class = c)``.
    prior : array of shape (K,)
        Expected fractions of the classes.
    classes : array of shape (K,)
        The distinct labels, sorted.
    models : list of dict
        ``name``, ``weight``, its share of the pool, and ``agreement``, the fraction of rows whose
        label it finds most probable.
    self_check : SelfCheck or None
        What became of errors that were injected on purpose.
    expected_precision, expected_recall : float
        Of the flagged rows, the fraction expected to be wrong; of the wrong, the fraction flagged.
    notes : list of str
        What the user should know: columns left out, rare classes, duplicates.
    duplicates : list of arrays
        Rows that are equal but carry different labels.
    examples : list of dict
        The most suspicious rows with values and reasons, the flagged ones and some more. Their
        ``suggested`` is the most probable other class, also of a row that is not flagged. They
        are made from the table that was passed when they are first asked for.
    overlap : float
        How far classes cannot be told apart, once errors are undone: 1 less the mean probability of
        the class. From 0.1 on, the first sentence calls labels wrong only where flags are rather
        sure, as errors look like unusual rows there.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 100]] = 2, 0                      # a setosa and a virginica change places
    >>> result = errata.audit(X, y, estimators=[GaussianNB()], random_state=0)
    >>> result.flagged[[3, 100]].tolist()
    [True, True]
    >>> bool(result.noise_rate.low < 2 / 150 < result.noise_rate.high)
    True
    """

    kind: ClassVar[str] = "classes"
    _json_fields: ClassVar[tuple[str, ...]] = ("hypotheses", "_points", "_traces", "overlap")
    _row_columns: ClassVar[tuple[str, ...]] = tuple(NAMES)
    _check_type: ClassVar[Any] = SelfCheck

    labels: np.ndarray
    suggested: np.ndarray
    p_suggested: np.ndarray
    hypotheses: list[dict[str, Any]]
    transition: np.ndarray
    prior: np.ndarray
    classes: np.ndarray
    duplicates: list[np.ndarray] = field(default_factory=list)
    _points: dict[str, Any] | None = None  # a map of the data
    _timeline: Timeline | None = None  # of sequences: where each row belongs
    _traces: list[dict[str, Any]] = field(default_factory=list)  # the worst stretches
    overlap: float = 0.0

    def stretches(self) -> Any:
        """Stretches of wrong labels, the worst first, in an audit of sequences.

        A stretch is as many neighbouring rows of one recording as are flagged, carry one label and
        look like one other class. Stretches with the most rows expected to be wrong come first.

        Returns
        -------
        dataframe
            ``recording``; ``start`` and ``end``, the first and the last row of the stretch, counted
            from 0 in the table given, and when that was if a column is a clock; ``rows``, how many
            there are; ``label``, ``suggested``, and ``p_wrong``, the mean of that of its rows: the
            fraction of them that is expected to be wrong.
        """
        library = import_module(self._about.get("dataframe", "pandas"))
        return library.DataFrame(self._stretch_columns())

    def _stretch_columns(self) -> dict[str, np.ndarray]:
        """One array per column of :meth:`stretches`."""
        if self._timeline is None:
            raise ValueError(
                "these rows were audited one by one; stretches are found where sequence "
                "says which rows follow each other."
            )
        return self._timeline.find_stretches(
            flagged=self.flagged,
            labels=self.labels,
            suggested=self.suggested,
            p_wrong=self.p_wrong,
        )

    def clean(
        self,
        action: str = "drop",
        *,
        threshold: float = CLEAN_THRESHOLD,
        sure: float = RELABEL_SURE,
        unsure: str = "keep",
        decisions: Decisions | str | os.PathLike | None = None,
        undecided: str = "act",
        ambiguous: str = "keep",
    ) -> Cleaned:
        """Say what to do with every row.

        Parameters
        ----------
        action : {"drop", "relabel", "weight", "unlabel"}, default="drop"
            Leave out the rows whose label is probably wrong; give them, and rows without a label,
            the suggested class where that is sure; count every row by the probability that its
            label is right; or take the label away, for learners that can do without.
        threshold : float, default=0.5
            Labels that are wrong with more than this probability are acted upon. It does not matter
            for weights.
        sure : float, default=0.8
            For "relabel": the suggested class must be at least so probable.
        unsure : {"keep", "drop"}, default="keep"
            For "relabel": what becomes of such rows without a sure class.
        decisions : Decisions or path, optional
            What people decided, which comes first: a class they gave is the label of its row, also
            if that is what it was and whatever the action; unusable rows are dropped. Other rows
            are acted upon by what their verdicts tell about these, as a review shows it.
        undecided : {"act", "keep"}, default="act"
            What becomes of rows that nobody decided, or about which people do not agree: the action
            as for any other row, or nothing.
        ambiguous : {"keep", "drop"}, default="keep"
            What becomes of rows that people found ambiguous: they stay as they are with a weight of
            one half, or go.

        Returns
        -------
        Cleaned
            ``kept``, ``labels``, ``weight``, ``did`` and ``decided``, one entry per row;
            ``apply(X)`` gives the rows that stay and their labels. No more than half of a class is
            dropped, nor its last two rows, but where people said so. Where the columns do not tell
            the labels apart, nothing is changed that nobody decided.
        """
        return clean_audit(
            self,
            action,
            threshold=threshold,
            sure=sure,
            unsure=unsure,
            decisions=decisions,
            undecided=undecided,
            ambiguous=ambiguous,
        )

    def _give(
        self, scores: Scores, rows: np.ndarray, texts: list[str]
    ) -> tuple[Scores, np.ndarray]:
        """Give rows the classes that people chose; which of them are other ones."""
        given = [from_text(text) for text in texts]
        check_kind(rows, given, self.classes)
        known = {as_text(name): code for code, name in enumerate(self.classes)}
        codes = scores.codes.copy()
        codes[rows] = [known.setdefault(text, len(known)) for text in texts]
        labels = scores.labels.astype(object)
        labels[rows] = given
        if scores.labels.dtype != object:  # not to the type they had: a longer text would be cut
            labels = np.array(labels.tolist())
        return scores._replace(labels=labels, codes=codes), codes != scores.codes

    def _scores(self) -> Scores:
        """Labels and probabilities that cleaning goes by."""
        return Scores(self.labels, self._codes, self.suggested, self.p_wrong, self.p_suggested)

    def clean_rows(
        self,
        start: int,
        stop: int,
        action: str = "drop",
        *,
        threshold: float = CLEAN_THRESHOLD,
        sure: float = RELABEL_SURE,
        unsure: str = "keep",
    ) -> Cleaned:
        """Say what to do with the rows from ``start`` up to ``stop``, as :meth:`clean` does of all.

        For an audit on disk: how much of each class may be dropped is found out from all rows by
        the first call, and remembered.
        """
        options: dict[str, Any] = {"threshold": threshold, "sure": sure, "unsure": unsure}
        if self._stored is None:
            return Cleaned(*(column[start:stop] for column in self.clean(action, **options)))
        return self._stored.clean(slice(start, stop), self.has_skill, action, **options)

    def _check_recorded(self, table: Path, now: Any, places: np.ndarray, rows: np.ndarray) -> None:
        """Raise when a row of a file has another label than it had."""
        cells = drop_blanks(column_array(now, self._about["label"]).tolist())
        check_labels(table, [cells[place] for place in places], self.labels[rows].tolist(), places)

    def _write_labels(
        self, now: Any, rows: np.ndarray, cleaned: Cleaned
    ) -> tuple[Cleaned, dict[str, list[Any]]]:
        """The column of labels as it is in the new file."""
        label = self._about["label"]
        cells = column_array(now, label).tolist()
        cleaned = mark_given_classes(cleaned, cells, rows.tolist())
        return cleaned, {label: write_cells(cleaned, cells, rows.tolist())}

    def _describe_cleaned(
        self, counts: Counts, cleaned: Cleaned | None, odds: Any, cleaning: dict[str, Any]
    ) -> list[str]:
        """Sentences on what became of labels that are probably wrong, and of rows without one."""
        why_kept = "no class loses more than half"
        if cleaning["action"] == "relabel" and cleaning["unsure"] == "keep":
            why_kept = (
                f"no class is more probable than {cleaning['sure']:g} (a lower `sure` relabels "
                "more)"
            )
        return [counts.describe_outcome(self, why_kept), *counts.describe_blanks()]

    def _further_lists(self) -> dict[str, dict[str, np.ndarray]]:
        """Of an audit of sequences: the stretches."""
        return {} if self._timeline is None else {"stretches": self._stretch_columns()}

    def _findings(self) -> dict[str, Any]:
        """The part of the summary that the first sentence is made from."""
        totals = self._totals
        overlaps = {"overlaps": self.overlap >= OVERLAP}
        return findings(self, totals.labelled, totals) | overlaps

    def _details(self) -> dict[str, Any]:
        """Classes, their noise, what hides it, and a map."""
        return describe_classes(self)

    def _kept_numbers(self) -> dict[str, Any]:
        """Numbers to read the rows again by; of rows in many files their sums."""
        self._find_issues()  # which notes what they are in ``_about``
        stored = self._stored
        totals = self._totals
        timeline = self._timeline
        return {
            "parts": None if stored is None else stored.parts,
            "classes": None if stored is None else self.classes.tolist(),
            "totals": None if stored is None else stored.totals.as_dict(),
            "dtype": (self.labels if stored is None else self.classes).dtype.str,
            "known": totals.known,
            "unlabelled": totals.n - totals.labelled,
            "transition": self.transition.tolist(),
            "prior": self.prior.tolist(),
            "duplicates": [group.tolist() for group in self.duplicates],
            "timeline": None if timeline is None else {"clock": timeline.clock_name},
        }

    def _kept_columns(self) -> dict[str, Any]:
        """Other issues; of sequences, where each row belongs."""
        timeline = self._timeline
        if timeline is None:
            issues = self._find_issues() or {}
            return {ISSUE.format(name): column for name, column in issues.items()}
        clock = {} if timeline.clock is None else {CLOCK: timeline.clock}
        return {RECORDING: timeline.recording} | clock

    @classmethod
    def _restored(
        cls, found: dict[str, Any], rows: dict[str, Any], *, table: Any, path: Path
    ) -> dict[str, Any]:
        """Rows in memory, or columns to be read when they are asked for."""
        fields: dict[str, Any] = {
            "transition": np.array(found["transition"]),
            "prior": np.array(found["prior"]),
            "duplicates": [np.array(group) for group in found["duplicates"]],
        }
        if table is None:
            classes = np.array(found["classes"]).astype(found["dtype"])
            totals = Totals.from_dict(found["totals"])
            stored = StoredRows(path / PARTS, found["parts"], classes, totals)
            return fields | stored.attributes() | {"classes": classes}
        fields["labels"] = rows["labels"].astype(found["dtype"])
        fields["classes"] = np.unique(take_given(fields["labels"]))
        fields["suggested"] = rows["suggested"].astype(fields["classes"].dtype)
        if found["timeline"] is not None:
            fields["_timeline"] = Timeline(
                column_array(table, RECORDING),
                found["timeline"]["clock"],
                column_array(table, CLOCK) if CLOCK in table.column_names else None,
            )
        return fields
