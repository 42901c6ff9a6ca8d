"""The audit of several labels per row, one stage after the other, and its rows to look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._format import four_digits, join_names, percent
from ..._progress import Progress, ignore_progress, open_progress
from .._audit import Options, Problem, run_audit
from .._learning import PROBABILITIES_ARE_OLDER
from .._settings import CARD_CELLS, NAMED_COLUMNS, OVERLAP
from ..examples._views import Near, RowsView, inputs_to_show
from ..inputs._inputs import Display, row_index, table_in_memory
from ..models._default import GivenProbabilities
from ..results._flags import Flags
from ..results._rates_by import NoiseRate
from ._finding import (
    CellCheck,
    CellFindings,
    check_cells,
    find_wrong_cells,
)
from ._inputs import CellInputs, label_name, read_cell_inputs
from ._result import (
    MultilabelAudit,
    changes_in_words,
    kind_of_error,
    round_rate,
    set_in_words,
)

NOTHING = NoiseRate(0.0, 0.0, 0.0)


def audit_multilabel(
    X: Any,
    Y: Any,
    *,
    estimator: Any = None,
    pred_proba: Any = None,
    embeddings: Any = None,
    groups: Any = None,
    trust: Sequence[Any] = (),
    ids: Any = None,
    precision: float | None = None,
    self_check: bool = True,
    title: str | None = None,
    drop: Sequence[Any] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> MultilabelAudit:
    """Find out which labels are missing or wrongly set where a row may have several.

    Every label is an audit of two classes: rows that have it, and rows that do not. Models look at
    the columns first, then at the other labels of the row besides, as far as these are believed.
    How often labels are missing or wrongly set is learnt from all labels together, so that small
    overestimates do not add up. Labels that the columns do not tell are named, and nothing is
    flagged in them. Then cells are flipped in a copy, both ways, and looked for.

    Parameters
    ----------
    X : table of shape (n, d)
        A pandas or polars dataframe, an Arrow table, a ``Dataset`` of Hugging Face, a mapping of
        names to columns, an array, a sparse matrix, in memory. None when ``pred_proba`` is all
        there is.
    Y : table of shape (n, L), list of lists, or names of columns
        An array, sparse matrix or dataframe of 0 and 1; a list (or set) of labels for each row;
        text with ``;``, ``|`` or ``,`` between labels for each row; or which columns of ``X`` to
        take: the name of one that holds lists or text, or names and patterns (``"is_*"``) of
        columns of 0 and 1.
    estimator : classifier with ``predict_proba``, optional
        A model of yours, cross-fitted to ``X`` as you gave it for one label at a time, and pooled
        with the other models.
    pred_proba : array-like or dataframe of shape (n, L), optional
        Out-of-fold probabilities that each label is set, by a model of yours. The columns of a
        dataframe are matched to the labels by name.
    embeddings : array-like of shape (n, d), optional
        What models should look at instead of ``X``.
    groups : array-like of shape (n,), optional
        Rows of one group (a patient, a document) are never predicted from each other. Copies of
        a row are found and treated so without being named.
    trust : sequence of column names or positions, optional
        Columns that were measured independently of the labels. A column that alone gives nearly
        every value of one label is left out unless it is named here.
    ids : array-like of shape (n,), optional
        What to call the rows in reports; by default what the index of a pandas dataframe does.
    precision : float, optional
        Flag as many cells as keep this fraction of them expected to be wrong. By default as many as
        promise the largest F1 score.
    self_check : bool, default=True
        Whether to flip cells and look for them. It about doubles the time, and takes three times as
        long below 500 rows; above 5,000 rows it is done on so many of them.
    title : str, optional
        How reports call the data.
    drop : sequence, default=()
        Columns of ``X`` that are no features.
    random_state : int, RandomState or None
        Fix it to get the same audit again.
    n_jobs : int, optional
        Threads for forests and neighbours, -1 for all.
    progress : bool or callable, optional
        True shows on a terminal or in a notebook what is being done; a function is called with a
        few words at every stage.

    Returns
    -------
    MultilabelAudit
        ``p_wrong_cells``, ``flagged_cells``, ``suggested``, ``noise_rate``, ``missing_rate``,
        ``wrongly_set_rate``, ``per_label`` and more, with ``clean``, ``report`` and ``save``.

    Notes
    -----
    With a = P(set | should not be) and b = P(not set | should be) of each label drawn from Beta
    distributions that all labels share, hypotheses of a label weigh the more, the better they agree
    with those of the others; for a single label all is as in :func:`errata.audit`. Boundary noise
    widens the interval of the noise rate and is not in the probabilities. Forests are grown once
    for all labels; everything else costs L times what two classes do, in two passes.

    Examples
    --------
    >>> import errata
    >>> rows = [["cat"], ["dog"], ["cat", "dog"], []] * 25
    >>> proba = [["cat" in row, "dog" in row] for row in rows]  # of a model that is always sure
    >>> rows[3] = ["dog"]
    >>> result = errata.audit_multilabel(None, rows, pred_proba=proba, self_check=False)
    >>> int(result.suspicion.argmax()), result.names
    (3, ['cat', 'dog'])
    """
    options = Options.of(locals())
    X = table_in_memory(X, "audit_multilabel")
    with open_progress(progress) as tell:
        return run_audit(CellProblem(X, Y), options, tell)


class CellProblem(Problem):
    """Rows with any number of labels each: a cell for each row and label."""

    listed = "labels of rows that are wrong"
    inputs: CellInputs
    found: CellFindings  # rows in the order of the table

    def __init__(self, X: Any, Y: Any) -> None:
        self.X = X
        self.Y = Y

    def read(self) -> None:
        """Read label sets and features."""
        options = self.options
        self.inputs = read_cell_inputs(
            self.X,
            self.Y,
            estimator=options.estimator,
            pred_proba=options.pred_proba,
            embeddings=options.embeddings,
            groups=options.groups,
            trust=options.trust,
            drop=options.drop,
            seed=options.seed,
            n_jobs=options.n_jobs,
        )
        given = self.inputs.given
        index = row_index(given.table)
        self.display = Display(
            options.ids, None, options.title, given.column, options.random_state, index
        )
        self.display.check(len(given.Y), given.table)

    def find(self, progress: Progress) -> None:
        """Judge every cell of labels that can be checked."""
        inputs = self.inputs
        found = find_wrong_cells(inputs.rows, inputs.brought, equal=inputs.equal, progress=progress)
        self._as_models_see = found
        self.found = found._replace(
            p_wrong=inputs.in_table_order(found.p_wrong),
            suspicion=inputs.in_table_order(found.suspicion),
        )
        self.has_skill = bool(found.judged.any())
        self.p_wrong = self.found.p_wrong
        self.suspicion = self.found.suspicion
        self.doubtful = np.tile(found.judged, (len(self.p_wrong), 1))

    def inject(self) -> CellCheck | None:
        """Set labels that were not set, and the other way round."""
        inputs = self.inputs
        return check_cells(
            inputs.rows,
            inputs.brought,
            self._as_models_see,
            equal=inputs.equal,
            progress=ignore_progress,
        )

    def result(self, flags: Flags, check: CellCheck | None) -> MultilabelAudit:
        """The audit, but for what is told of single rows."""
        inputs = self.inputs
        found = self.found
        display = self.display
        given = inputs.given
        judged = inputs.checked[found.judged]
        p_wrong = _for_all_labels(found.p_wrong, inputs, 0.0)
        flagged = _for_all_labels(flags.flagged, inputs, False)
        rows = np.any(flagged, axis=1)
        worst = p_wrong[:, judged].max(axis=1, initial=0.0)
        transition = np.tile(np.eye(2), (len(given.names), 1, 1))
        transition[inputs.checked] = found.transition
        return MultilabelAudit(
            labels=given.Y,
            names=[label_name(name) for name in given.names],
            p_wrong_cells=p_wrong,
            flagged_cells=flagged,
            p_wrong=worst,
            suspicion=found.suspicion.max(axis=1),
            flagged=rows,
            noise_rate=found.rates["wrong"],
            missing_rate=found.rates["missing"],
            wrongly_set_rate=found.rates["wrongly_set"],
            per_label=_per_label(inputs, found, flagged),
            transition=transition,
            has_skill=bool(len(judged)),
            models=found.models,
            self_check=check,
            expected_precision=float(worst[rows].mean()) if rows.any() else float("nan"),
            expected_recall=float(worst[rows].sum() / worst.sum()) if worst.sum() else float("nan"),
            rule=flags.rule,
            notes=[*_notes(inputs, found, flags), *inputs.notes, *_notes_on_check(inputs, check)],
            about=display.about(given.table, _n_features(inputs)) | {"separator": given.separator},
            index=display.index,
            ids=display.given_ids(len(given.Y)),
        )

    def view(self, result: MultilabelAudit) -> "CellView":
        """All rows."""
        inputs = self.inputs
        features = inputs.features
        X = inputs.in_table_order(inputs.rows.X)
        are_embedded = self.options.embeddings is not None
        shown = inputs_to_show(
            inputs.given.table,
            sets_of(result.names, result.labels),
            X if X.shape[1] else None,
            np.arange(len(result)),
            used=None if features is None or are_embedded else features.columns,
        )
        return CellView(inputs=shown, audit=result)

    def reviewed(self, result: MultilabelAudit) -> np.ndarray:
        """All rows: one without labels has none of them."""
        return np.ones(len(result), dtype=bool)


def _n_features(inputs: CellInputs) -> int:
    return 0 if inputs.features is None else len(inputs.features.columns)


def _for_all_labels(cells: np.ndarray, inputs: CellInputs, otherwise: Any) -> np.ndarray:
    """What is known of labels that could be checked, for all labels."""
    spread = np.full(inputs.given.Y.shape, otherwise, dtype=cells.dtype)
    spread[:, inputs.checked] = cells
    return spread


def _per_label(
    inputs: CellInputs, found: CellFindings, flagged: np.ndarray
) -> list[dict[str, Any]]:
    """What is told of each label; nothing of one that could not be checked."""
    places = {label: place for place, label in enumerate(inputs.checked.tolist())}
    told = []
    for label, name in enumerate(inputs.given.names):
        place = places.get(label)
        rates = {} if place is None else found.label_rates[place]
        told.append(
            {
                "label": str(name),
                "rows": int(inputs.given.Y[:, label].sum()),
                "has_skill": place is not None and bool(found.judged[place]),
                "rate": round_rate(rates.get("wrong", NOTHING)),
                "missing": round_rate(rates.get("missing", NOTHING)),
                "wrongly_set": round_rate(rates.get("wrongly_set", NOTHING)),
                "flagged": int(flagged[:, label].sum()),
            }
        )
    return told


def _notes(inputs: CellInputs, found: CellFindings, flags: Flags) -> list[str]:
    if not found.judged.any():
        most = found.rates["wrong"].high
        return [
            "These columns tell none of the labels (no better than knowing how frequent each is). "
            "Whether labels are missing or wrongly set cannot be told from them: anything from "
            f"none to {percent(most)} is possible. Nothing is flagged."
        ]
    notes = []
    blind = [inputs.given.names[place] for place in inputs.checked[~found.judged]]
    if blind:
        which = "label" if len(blind) == 1 else "labels"
        notes.append(
            f"The columns do not tell the {which} {join_names(blind, NAMED_COLUMNS)}: nothing is "
            "flagged there, and the rates are those of the other labels."
        )
    if flags.flagged.any() and found.overlap >= OVERLAP:
        notes.append(
            "Rows with a label and rows without it overlap in these columns. Part or all of the "
            f"{int(flags.flagged.sum()):,} labels that look wrong may be right and merely unusual."
        )
    return notes


def _notes_on_check(inputs: CellInputs, check: CellCheck | None) -> list[str]:
    given = [isinstance(m, GivenProbabilities) for own in inputs.brought for m in own]
    is_all = bool(given) and all(given) and inputs.features is None
    return [PROBABILITIES_ARE_OLDER] if check is not None and is_all else []


def doubted_cells(audit: "MultilabelAudit", row: int) -> np.ndarray:
    """The cells of a row that are flagged; the worst one of a row that is not."""
    flagged = audit.flagged_cells[row]
    if flagged.any():
        return flagged
    return np.arange(len(flagged)) == audit.p_wrong_cells[row].argmax()


def reasons_for_cells(audit: "MultilabelAudit", row: int, near: list[int]) -> list[str]:
    """Why labels of a row are suspicious, in sentences, the worst first."""
    places = np.flatnonzero(doubted_cells(audit, row))
    reasons = []
    for place in places[np.argsort(-audit.p_wrong_cells[row, places], kind="stable")]:
        error = kind_of_error(bool(audit.labels[row, place]))
        told = f"{str(audit.names[place])!r} looks {error}"
        chance = percent(four_digits(audit.p_wrong_cells[row, place]))
        have = int(audit.labels[near, place].sum())
        nearest = f"; {have} of the {len(near)} nearest rows have it" if near else ""
        reasons.append(f"{told}, with a probability of {chance}{nearest}.")
    return reasons


@dataclass(frozen=True, kw_only=True)
class CellView(RowsView):
    """All rows."""

    audit: "MultilabelAudit"

    def label(self, row: int) -> dict[str, Any]:
        """A row, and the labels that it has."""
        return {"row": row, "label": set_in_words(self.audit.names, self.audit.labels[row])}

    def judged(self, row: int) -> dict[str, Any]:
        """The same, and what to change; of a row that is not flagged, its worst cell."""
        audit = self.audit
        doubted = doubted_cells(audit, row)
        return self.label(row) | {
            "suggested": changes_in_words(audit.names, audit.labels[row], doubted),
            "p_wrong": four_digits(audit.p_wrong[row]),
            "flagged": bool(audit.flagged[row]),
        }

    @property
    def others(self) -> np.ndarray:
        """The labels of each row without its doubted cells."""
        audit = self.audit
        places = np.arange(len(audit.names))
        worst = audit.p_wrong_cells.argmax(axis=1)
        doubted = np.where(audit.flagged[:, None], audit.flagged_cells, places == worst[:, None])
        return sets_of(audit.names, np.where(doubted, 1 - audit.labels, audit.labels))

    def reasons(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[str]]:
        """Which labels look missing or wrongly set."""
        return [
            reasons_for_cells(self.audit, row, around.rows.tolist())
            for row, around in zip(rows.tolist(), near, strict=True)
        ]

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """Labels that are set or doubted most, the most doubted first."""
        return [{"cells": self._cells(row)} for row in rows.tolist()]

    def _cells(self, row: int) -> list[list[Any]]:
        audit = self.audit
        p = audit.p_wrong_cells[row]
        is_set = audit.labels[row]
        doubted = doubted_cells(audit, row)
        order = np.lexsort((-p, ~doubted))
        shown = (np.arange(len(order)) < CARD_CELLS) | (is_set[order] == 1)
        return [
            [audit.names[place], bool(is_set[place]), four_digits(p[place]), bool(doubted[place])]
            for place in order[shown].tolist()
        ]


def sets_of(names: Sequence[Any], labels: np.ndarray) -> np.ndarray:
    """The names of the labels that each row has.

    >>> sets_of(["cat", "dog"], np.array([[1, 1], [0, 0]])).tolist()
    [['cat', 'dog'], []]
    """
    sets = np.empty(len(labels), dtype=object)
    sets[:] = [[names[place] for place in np.flatnonzero(row).tolist()] for row in labels]
    return sets
