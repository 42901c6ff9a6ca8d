"""The result of an audit of several labels per row: a number per cell, and what to do about it."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..._format import count, plural
from ..._kinds import MULTILABEL
from ...audit_folder import shifted
from ...audit_folder.decisions import Decisions, from_text
from ...tables._columns import column_array
from .._settings import CLEAN_THRESHOLD, RELABEL_SURE
from ..inputs._labels import yes_or_no
from ..results._base import BaseAudit, Metrics, rate_metrics
from ..results._cleaning import Cleaned, Scores, clean_audit
from ..results._file_cleaning import Counts, describe_new_rows
from ..results._rates_by import NoiseRate
from ..results._summary import draw_histogram, findings
from ._finding import CellCheck
from ._inputs import LabelSets, label_name, labels_in_cells

CELLS = {"labels": "label {}", "p_wrong_cells": "p_wrong {}", "flagged_cells": "flagged {}"}

NONE = "(none)"


@dataclass(eq=False, repr=False, kw_only=True)
class MultilabelAudit(BaseAudit):
    """Which labels of which rows are missing or wrongly set, how many, and how sure we are.

    Made by :func:`errata.audit_multilabel`. A cell is a label of a row, set or not. Arrays have one
    entry per row, in the order given, or one per row and label.

    Attributes
    ----------
    labels : array of int of shape (n, L)
        The labels that were audited: 1 where a row has the label, 0 where it does not.
    names : list
        What the L labels are called.
    p_wrong_cells : array of shape (n, L)
        Probability that the cell is wrong: that a set label should not be, or one that is not set
        is missing. 0 for labels that could not be checked.
    flagged_cells : array of bool of shape (n, L)
        The cells worth a look; ``summary`` tells how the line was drawn.
    p_wrong : array of shape (n,)
        The largest of the row.
    suspicion : array of shape (n,)
        For ranking rows: higher = more likely that one of the labels is wrong.
    flagged : array of bool of shape (n,)
        Rows with a flagged cell.
    noise_rate : NoiseRate
        ``estimate``, ``low`` and ``high`` of the fraction of wrong cells, among labels that can be
        judged.
    missing_rate : NoiseRate
        Of the labels that should be set, the fraction that is not.
    wrongly_set_rate : NoiseRate
        Of the labels that are set, the fraction that should not be.
    per_label : list of dict
        For each label: ``label``, ``rows`` that have it, ``has_skill``, ``flagged`` cells, and
        ``rate``, ``missing`` and ``wrongly_set`` with ``estimate``, ``low`` and ``high``.
    transition : array of shape (L, 2, 2)
        For each label ``T[c, l] = P(label = l | class = c)``, 1 being set.
    has_skill : bool
        Whether the columns tell any of the labels. If not, nothing is flagged.
    models : list of dict
        ``name``, ``weight`` and ``agreement``, means over the labels.
    self_check : CellCheck or None
        What became of cells that were flipped on purpose.
    expected_precision, expected_recall : float
        Of the flagged rows, the fraction expected to have a wrong label; of these, the fraction
        flagged.
    notes : list of str
        What the user should know: how labels were read, labels that cannot be judged.
    examples : list of dict
        The most suspicious rows with values and reasons.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import KFold, cross_val_predict
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from sklearn.preprocessing import MultiLabelBinarizer
    >>> X, y = load_iris(return_X_y=True)
    >>> Y = [[["short"], ["long"], ["long", "wide"]][flower] for flower in y]  # petals
    >>> Y[3] = ["short", "wide"]
    >>> cells = MultiLabelBinarizer().fit_transform(Y)
    >>> folds = KFold(10, shuffle=True, random_state=0)
    >>> shares = cross_val_predict(KNeighborsRegressor(9), X, cells, cv=folds)  # of neighbours
    >>> result = errata.audit_multilabel(None, Y, pred_proba=shares, self_check=False)
    >>> worst = {name: column[0] for name, column in result.cell_columns().items()}
    >>> int(worst["row"]), worst["label"], worst["error"]
    (3, 'wide', 'wrongly set')
    """

    kind: ClassVar[str] = "multilabel"
    _json_fields: ClassVar[tuple[str, ...]] = ("names", "per_label")
    _row_columns: ClassVar[tuple[str, ...]] = ("suspicion", "p_wrong", "flagged")
    _check_type: ClassVar[Any] = CellCheck

    labels: np.ndarray
    names: list[Any]
    p_wrong_cells: np.ndarray
    flagged_cells: np.ndarray
    missing_rate: NoiseRate
    wrongly_set_rate: NoiseRate
    per_label: list[dict[str, Any]]
    transition: np.ndarray

    @property
    def suggested(self) -> np.ndarray:
        """The labels with the flagged cells changed, shape (n, L)."""
        return np.where(self.flagged_cells, 1 - self.labels, self.labels)

    @property
    def can_be_judged(self) -> np.ndarray:
        """Whether the columns tell each of the labels, shape (L,)."""
        return np.array([label["has_skill"] for label in self.per_label])

    @property
    def _p_row(self) -> np.ndarray:
        """The probability that any label of a row is wrong, as if cells did not know each other."""
        right = 1 - self.p_wrong_cells[:, self.can_be_judged]
        return 1 - right.prod(axis=1)

    @property
    def n_judged_cells(self) -> int:
        """Cells of labels that can be judged; all of them where none can."""
        judged = int(self.can_be_judged.sum())
        return len(self) * (judged or len(self.names))

    def _columns(self) -> dict[str, np.ndarray]:
        """One array per column of the ranked table, in the order of the rows given."""
        worst = self.p_wrong_cells.argmax(axis=1)
        is_set = self.labels[np.arange(len(self)), worst] == 1
        return {
            "row": np.arange(len(self)),
            "labels": _texts(self.names, self.labels),
            "doubted": np.array([str(self.names[place]) for place in worst], dtype=object),
            "error": np.array([kind_of_error(one) for one in is_set], dtype=object),
            "suggested": _texts(self.names, self.suggested),
            "p_wrong": self.p_wrong,
            "suspicion": self.suspicion,
            "flagged": self.flagged,
        }

    def _further_lists(self) -> dict[str, dict[str, np.ndarray]]:
        """The flagged cells, the worst first, and what is known of each label."""
        return {"cells": self.cell_columns(), "labels": self.label_columns()}

    def cell_columns(self) -> dict[str, np.ndarray]:
        """One array per column of a table of the flagged cells, the worst first."""
        rows, places = np.nonzero(self.flagged_cells)
        order = np.argsort(-self.p_wrong_cells[rows, places], kind="stable")
        rows = rows[order]
        places = places[order]
        errors = [kind_of_error(one == 1) for one in self.labels[rows, places]]
        return {
            "row": rows,
            "label": np.array([str(self.names[place]) for place in places], dtype=object),
            "error": np.array(errors, dtype=object),
            "p_wrong": self.p_wrong_cells[rows, places],
        }

    def label_columns(self) -> dict[str, np.ndarray]:
        """One array per column of a table of the labels."""
        columns = {
            name: np.array([label[name] for label in self.per_label])
            for name in ("label", "rows", "has_skill", "flagged")
        }
        for name in ("rate", "missing", "wrongly_set"):
            for bound in ("estimate", "low", "high"):
                title = name if bound == "estimate" else f"{name}_{bound}"
                columns[title] = np.array([label[name][bound] for label in self.per_label])
        return columns

    def clean(
        self,
        action: str = "drop",
        *,
        threshold: float = CLEAN_THRESHOLD,
        sure: float = RELABEL_SURE,
        decisions: Decisions | str | os.PathLike | None = None,
        undecided: str = "act",
        ambiguous: str = "keep",
    ) -> Cleaned:
        """Say what to do with every row.

        Parameters
        ----------
        action : {"drop", "relabel", "weight", "unlabel"}, default="drop"
            Leave out rows one of whose labels is probably wrong; set missing labels and take wrong
            ones away where that is sure; count every row by the probability that its worst cell is
            right; or make cells NaN that are probably wrong.
        threshold : float, default=0.5
            Cells that are wrong with more than this probability are acted upon. It does not matter
            for weights.
        sure : float, default=0.8
            For "relabel": cells must be wrong with more than this probability.
        decisions : Decisions or path, optional
            What people decided, which comes first: the labels they gave stand, also if
            that is what the table says and whatever the action; unusable rows are dropped. Other
            rows are acted upon by what their verdicts tell about these, as a review shows it.
        undecided : {"act", "keep"}, default="act"
            What becomes of rows that nobody decided, or about which people do not agree: the action
            as for any other row, or nothing.
        ambiguous : {"keep", "drop"}, default="keep"
            What becomes of rows that people found ambiguous: they stay as they are with a weight of
            one half, or go.

        Returns
        -------
        Cleaned
            ``kept``, ``weight``, ``did`` and ``decided``, one entry per row, and ``labels`` of
            shape (n, L); ``apply(X)`` gives the rows that stay and their labels. No more than half
            of the rows are dropped, but where people said so. Labels that the columns do not tell
            stay as they are where nobody decided.
        """
        return clean_audit(
            self,
            action,
            threshold=threshold,
            sure=sure,
            blank=np.nan,
            decisions=decisions,
            undecided=undecided,
            ambiguous=ambiguous,
        )

    def _scores(self) -> Scores:
        """Labels and probabilities that cleaning goes by."""
        p_wrong = self.p_wrong_cells * self.can_be_judged
        return Scores(self.labels, self._codes, 1 - self.labels, p_wrong, p_wrong)

    def _give(
        self, scores: Scores, rows: np.ndarray, texts: list[str]
    ) -> tuple[Scores, np.ndarray]:
        """Give rows the labels that people chose; which of them are other ones."""
        labels = scores.labels.copy()
        for row, text in zip(rows.tolist(), texts, strict=True):
            given = from_text(text)
            unknown = [given]
            if isinstance(given, list):
                unknown = [name for name in given if name not in self.names]
            if unknown:
                raise ValueError(
                    f"row {row} was decided to have {unknown[0]!r}, which is none of the labels of "
                    "this audit; these are decisions about another table."
                )
            labels[row] = [name in given for name in self.names]
        return scores._replace(labels=labels), (labels != scores.labels).any(axis=1)

    def _label_columns(self, action: str) -> list[str]:
        """One column of lists or text, or one of 0 and 1 for each label."""
        label = self._about.get("label")
        if action == "unlabel" and label is not None:
            raise ValueError(
                f"unlabel needs a column for each label; the lists in {label!r} cannot say that a "
                "label is unknown. Relabel or drop instead."
            )
        return list(map(str, self.names)) if label is None else [label]

    def _check_recorded(self, table: Path, now: Any, places: np.ndarray, rows: np.ndarray) -> None:
        """Raise when a row of a file has other labels than it had."""
        recorded = LabelSets(now, now.column_names)
        if [label_name(name) for name in recorded.names] != self.names:
            if self._digests is not None:  # by which the rows that changed can be named
                return
            raise ValueError(f"{table} has other labels than were audited; audit it again.")
        changed = (recorded.Y[places] != self.labels[rows]).any(axis=1)
        if changed.any():
            raise ValueError(describe_new_rows(table, places[changed]))

    def _write_labels(
        self, now: Any, rows: np.ndarray, cleaned: Cleaned
    ) -> tuple[Cleaned, dict[str, list[Any]]]:
        """The columns of labels in which a cell changes, as they are in the new file."""
        labels = cleaned.labels[rows]
        cells = {name: column_array(now, name) for name in now.column_names}
        if self._about.get("label") is None:
            new = {
                name: write_indicators(column, labels[:, place])
                for place, (name, column) in enumerate(cells.items())
            }
        else:
            new = {
                name: write_sets(column.tolist(), self.names, labels)
                for name, column in cells.items()
            }
        changed = {name: new[name] for name in new if new[name] != cells[name].tolist()}
        return cleaned, changed

    def _describe_cleaned(
        self, counts: Counts, cleaned: Cleaned | None, odds: Any, cleaning: dict[str, Any]
    ) -> list[str]:
        """Sentences on what became of labels that are probably wrong."""
        if not self.has_skill:
            return [f"{MULTILABEL.command.no_skill}; nothing changed."]
        assert cleaned is not None  # such an audit is in memory
        threshold = cleaning["threshold"]
        decided = cleaned.decided
        p_wrong = shifted(self.p_wrong_cells, np.reshape(odds, (-1, 1)))
        wrong = (p_wrong > threshold) & self.can_be_judged & ~decided[:, None]
        probably = f"wrong with a probability above {threshold:g}"
        if not wrong.any():
            return [f"No label of a row is {probably}; nothing changed."]
        n_wrong = int(wrong.sum())
        n_rows = int(wrong.any(axis=1).sum())
        spared = 0
        why_kept = ""
        if cleaning["action"] == "drop":
            dropped = int((~cleaned.kept & ~decided).sum())
            spared = n_rows - dropped
            why_kept = "no more than half of the rows go"
            counts_of = {f"{plural(dropped, 'row')} dropped": dropped}
        elif cleaning["action"] == "relabel":
            added = int((cleaned.labels > self.labels)[~decided].sum())
            taken = int((cleaned.labels < self.labels)[~decided].sum())
            spared = n_wrong - added - taken
            why_kept = "that is not sure"
            counts_of = {f"{count(added)} added": added, f"{count(taken)} taken away": taken}
        else:
            counts_of = {f"{count(n_wrong)} emptied": n_wrong}
        counts_of[f"{count(spared)} kept, as {why_kept}"] = spared
        done = ", ".join(text for text, number in counts_of.items() if number)
        labels = f"{plural(n_wrong, 'label')} in {plural(n_rows, 'row')}"
        return [f"{labels} {'is' if n_wrong == 1 else 'are'} {probably}: {done}."]

    def _doubted(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The cells that may be wrong, compared within set and unset ones of each label."""
        places = np.flatnonzero(self.can_be_judged)
        rows, labels = np.divmod(np.arange(len(self) * len(places)), len(places))
        labels = places[labels]
        p_wrong = self.p_wrong_cells[rows, labels]
        strata = 2 * labels + self.labels[rows, labels]
        return rows, p_wrong, self.flagged_cells[rows, labels], strata

    def _findings(self) -> dict[str, Any]:
        """The part of the summary that the first sentence is made from."""
        flagged = {"flagged_cells": int(self.flagged_cells.sum())}
        return findings(self, self.n_judged_cells) | flagged

    def _details(self) -> dict[str, Any]:
        """Labels, and how often they are missing and wrongly set."""
        return {
            "table_rows": len(self),
            "labels": [str(name) for name in self.names],
            "label_column": self._about["label"],
            "missing": round_rate(self.missing_rate),
            "wrongly_set": round_rate(self.wrongly_set_rate),
            "per_label": self.per_label,
            "histogram": draw_histogram(self),
        }

    def _in_words(self, rows: np.ndarray) -> dict[str, list[str | None]]:
        """``label`` and ``suggested`` of some rows as text, labels in the order of the alphabet."""
        order = sorted(range(len(self.names)), key=lambda place: str(self.names[place]))
        names = [self.names[place] for place in order]
        sets = {"label": self.labels, "suggested": self.suggested}
        return {
            name: [set_in_words(names, row) for row in cells[rows][:, order]]
            for name, cells in sets.items()
        }

    def metrics(self) -> Metrics:
        """As of any audit, and ``missing_rate`` and ``wrongly_set_rate``, with their intervals."""
        missing = rate_metrics("missing_rate", self.missing_rate)
        return super().metrics() | missing | rate_metrics("wrongly_set_rate", self.wrongly_set_rate)

    def _kept_numbers(self) -> dict[str, Any]:
        """Rates of errors either way, and of each label."""
        return {
            "missing_rate": list(self.missing_rate),
            "wrongly_set_rate": list(self.wrongly_set_rate),
            "transition": self.transition.tolist(),
        }

    def _kept_columns(self) -> dict[str, Any]:
        """A column for each label, of each cell."""
        cells = {
            column.format(place): getattr(self, name)[:, place]
            for place in range(len(self.names))
            for name, column in CELLS.items()
        }
        return cells | {"p_row": self._p_row}

    @classmethod
    def _restored(
        cls, found: dict[str, Any], rows: dict[str, Any], *, table: Any, path: Path
    ) -> dict[str, Any]:
        """Attributes that are made anew from what is on disk."""
        places = range(len(found["names"]))
        cells = {
            name: np.column_stack([column_array(table, column.format(p)) for p in places])
            for name, column in CELLS.items()
        }
        return {
            **cells,
            "missing_rate": NoiseRate(*found["missing_rate"]),
            "wrongly_set_rate": NoiseRate(*found["wrongly_set_rate"]),
            "transition": np.array(found["transition"]),
        }


def _texts(names: Sequence[Any], labels: np.ndarray) -> np.ndarray:
    return np.array([set_in_words(names, row) for row in labels], dtype=object)


def round_rate(rate: NoiseRate) -> dict[str, float]:
    """A rate with its interval, for JSON."""
    return {name: round(float(value), 5) for name, value in rate._asdict().items()}


def set_in_words(names: Sequence[Any], row: np.ndarray) -> str:
    """The labels that a row has.

    >>> set_in_words(["cat", "dog"], np.array([1, 1])), set_in_words(["cat"], np.array([0]))
    ('cat; dog', '(none)')
    """
    return "; ".join(str(names[place]) for place in np.flatnonzero(row).tolist()) or NONE


def kind_of_error(is_set: bool) -> str:
    """The kind of error of a cell, if it is wrong."""
    return "wrongly set" if is_set else "missing"


def write_indicators(cells: np.ndarray, new: np.ndarray) -> list[Any]:
    """A column of yes and no with some cells changed, in the words that it has; NaN empties a cell.

    Examples
    --------
    >>> write_indicators(np.array(["No", "yes", "No"]), np.array([1.0, 1.0, np.nan]))
    ['yes', 'yes', None]
    """
    given = cells.tolist()
    old = yes_or_no(cells).tolist()
    words: dict[Any, Any] = {}
    for is_set, cell in zip(old, given, strict=True):
        words.setdefault(is_set, cell)
    return [
        cell if value == is_set else None if value != value else words[bool(value)]
        for cell, is_set, value in zip(given, old, new.tolist(), strict=True)
    ]


def write_sets(cells: Sequence[Any], names: Sequence[Any], new: np.ndarray) -> list[Any]:
    """A column of lists, or of text, with some labels taken away and others added at the end.

    ``new`` of shape (n, L) says which labels each row has. Cells whose labels stay keep their text.

    Examples
    --------
    >>> write_sets(["dog | cat", "cat", "dog | cat"], ["cat", "dog"],
    ...              np.array([[1, 1], [1, 1], [0, 1]]))
    ['dog | cat', 'cat | dog', 'dog']
    """
    sets, separator, _ = labels_in_cells(cells, "the column of labels")
    labels = {label_name(label): label for own in sets for label in own}
    write = _writer(cells, separator)
    written = list(cells)
    for row, own in enumerate(sets):
        wanted = [name for name, is_set in zip(names, new[row], strict=True) if is_set]
        kept = [label for label in own if label_name(label) in set(wanted)]
        added = [labels[name] for name in wanted if labels[name] not in own]
        if added or len(kept) < len(own):
            written[row] = write([*kept, *added])
    return written


def _writer(cells: Sequence[Any], separator: str | None) -> Callable[[list[Any]], Any]:
    """How a list of labels is written in such a column."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    if separator is not None:
        pattern = rf"(?<=\S)\s*{re.escape(separator)}\s*(?=\S)"  # with the spaces around it
        marks = Counter(mark for text in texts for mark in re.findall(pattern, text))
        between = marks.most_common(1)[0][0] if marks else separator
        return lambda labels: between.join(labels)
    if not texts:
        return list
    # Lists in text, as JSON or Python write them: JSON knows double quotes only.
    quotes = {found[0] for text in texts if (found := re.search("[\"']", text))}
    one = repr if "'" in quotes else lambda label: json.dumps(label, ensure_ascii=False)
    comma = ", " if any(", " in text for text in texts) else ","
    return lambda labels: f"[{comma.join(map(one, labels))}]"
