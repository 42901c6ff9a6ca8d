"""Why one row is doubted: what each model says of it, the rows around it, and its columns.

An audit keeps what models say of its rows, not the models. They are fitted once more, so that a
changed copy of a row is judged by models that have not learnt from that row, nor from its group.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._blocks import blocks
from ..._crossfit import make_folds
from ..._format import four_digits, number, probability, round_cell, visible
from ...tables.features._features import ColumnPlan, FeaturePlan
from .._learning import Learnt
from .._settings import GROUP_FOLDS, SIMILAR_ROWS
from ..inputs._inputs import Inputs
from ..inputs._labels import codes_among
from ..models._base import NewRows, OutOfFoldModel, Predictor, TrainingData
from ..models._default import NearestRows
from ..models._pooling import pool_new_rows
from ._cards import SPEAKS, plain
from ._views import Neighborhood, RowValues, labels_nearby

if TYPE_CHECKING:
    from ..results._audit import AuditRows

EXPLAINED_ROWS = 100  # whose values stand in for that of a row, to leave a column out
EXPLAINED_NUMBERS = 2**22  # features of such rows that are made at a time
EXPLAINED_COLUMNS = 10  # that a picture shows of one row


__all__ = ["Explainer", "RowExplanation"]

# Okabe and Ito's colours, which every kind of eye can tell apart.
AGAINST = "#D55E00"
FOR = "#0072B2"
NAMED = 3  # columns that a sentence names
NONE_SPEAKS = (
    "No column by itself speaks against the label: several say the same, or none says much."
)

NO_COLUMNS = "Columns are not told apart: models looked at {} instead."


@dataclass(frozen=True, repr=False)
class RowExplanation:
    """Reasons for and against the label of one row.

    Made by :meth:`errata.Audit.explain`; ``print`` shows it as a paragraph. All probabilities are
    those of models that were fitted once more without the row, so they may differ a little from
    what the audit found.

    Attributes
    ----------
    row : int
        Its place in the table.
    id : str or None
        What the row is called, where rows have names.
    label, suggested : object
        What the table says, and the class that speaks most against it.
    p_wrong : float
        Probability that the label is wrong, from the audit.
    p_label, p_suggested : float
        Probabilities of both by the pool of models.
    models : list of dict
        For each ``model`` its ``weight`` in the pool, ``p_label`` and ``p_suggested``; the
        weightiest first.
    neighbors : list of dict
        The five nearest rows whatever their label: ``row``, ``id``, ``label``, and ``distance`` in
        scaled features.
    columns : list of dict
        Each ``column`` with the ``value`` of the row; ``against``, how much larger the log odds of
        the label (against ``suggested``) are when the value is left out; and ``p_label``, its
        probability then. Those that speak most against the label come first; below 0, a value
        speaks for it.
    notes : list of str
        Sentences: how many of the twenty nearest rows carry which label, and what could not be
        asked.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> y[3] = 2                                # a setosa is called a virginica
    >>> audit = errata.audit(X, y, estimators=[GaussianNB()], self_check=False, random_state=0)
    >>> why = audit.explain(3)
    >>> why.label, why.suggested
    (2, 0)
    >>> sorted(column["column"] for column in why.columns[:2])
    ['petal length (cm)', 'petal width (cm)']
    """

    row: int
    id: str | None
    label: Any
    suggested: Any
    p_wrong: float
    p_label: float
    p_suggested: float
    models: list[dict[str, Any]]
    neighbors: list[dict[str, Any]]
    columns: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._first()}>"

    def __str__(self) -> str:
        spoken = self._spoken() if self.columns else []
        return visible(" ".join([self._first(), self._asked(), *spoken, *self.notes]))

    def _repr_html_(self) -> str:
        """A notebook shows the paragraph and the columns that say most."""
        shown = [list(column.values()) for column in self._weightiest()]
        head = "".join(f"<th>{name}</th>" for name in ("column", "value", "against", "p_label"))
        lines = "".join(f"<tr>{''.join(map(_cell, line))}</tr>" for line in shown)
        table = f"<table><tr>{head}</tr>{lines}</table>" if self.columns else ""
        return f"<p>{escape(str(self))}</p>{table}"

    def plot(self, ax: Any = None) -> Any:
        """Draw a bar for each of the ten columns that say most.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure when left out.

        Returns
        -------
        matplotlib Axes
        """
        import matplotlib.figure

        shown = self._weightiest()[::-1]
        if ax is None:
            figure = matplotlib.figure.Figure(
                figsize=(6.4, 1.2 + 0.32 * len(shown)), layout="constrained"
            )
            ax = figure.subplots()
        weights = [column["against"] for column in shown]
        colors = [AGAINST if weight > 0 else FOR for weight in weights]
        names = [visible(f"{c['column']} = {c['value']}") for c in shown]
        ax.barh(np.arange(len(shown)), weights, color=colors)
        ax.set_yticks(np.arange(len(shown)), names, parse_math=False)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.set_xlabel(
            visible(f"log odds of the label {self.label} that leaving the value out adds"),
            parse_math=False,
        )
        ax.set_title(
            visible(f"{self._name()}: for the label (left), against it (right)"), parse_math=False
        )
        return ax

    def _weightiest(self) -> list[dict[str, Any]]:
        """The columns that say most, in their order."""
        most = sorted(self.columns, key=lambda c: -abs(c["against"]))[:EXPLAINED_COLUMNS]
        return sorted(most, key=lambda column: -column["against"])

    def _name(self) -> str:
        return f"Row {self.row}" if self.id is None else f"Row {self.row} ({self.id})"

    def _first(self) -> str:
        return (
            f"{self._name()} is labelled {self.label}, which is wrong with probability "
            f"{probability(self.p_wrong)}; {self.suggested} speaks most against it."
        )

    def _asked(self) -> str:
        against = sum(model["p_suggested"] > model["p_label"] for model in self.models)
        return (
            f"Models that have not learnt from the row give the label "
            f"{probability(self.p_label)} and {self.suggested} {probability(self.p_suggested)}; "
            f"{against} of {len(self.models)} find {self.suggested} more probable than the label."
        )

    def _spoken(self) -> list[str]:
        """The columns that speak against the label, and for it."""
        against = [c for c in self.columns if c["against"] >= np.log(SPEAKS)][:NAMED]
        for_it = [c for c in self.columns[::-1] if c["against"] <= -np.log(SPEAKS)][:NAMED]
        told = [f"Against the label speaks {_join_columns(against)}." if against else NONE_SPEAKS]
        return told + ([f"For it speaks {_join_columns(for_it)}."] if for_it else [])


def _cell(value: Any) -> str:
    return f"<td>{escape(visible(str(value)))}</td>"


def _join_columns(columns: list[dict[str, Any]]) -> str:
    return ", then ".join(
        f"{c['column']} = {round_cell(str(c['value']))} (left out, the odds of the label are "
        f"{number(np.exp(c['against']), 2)} times what they are)"
        for c in columns
    )


class ModelsByFold:
    """The models of an audit, fitted once more in ten folds; costs one to three times as much.

    ``names``, ``weights`` and ``fitted`` are of those that can be asked about any row, ``unasked``
    the names of others, and ``folds`` those of the audited rows.
    """

    def __init__(self, learnt: Learnt) -> None:
        data = learnt.data
        if learnt.inputs.X is None:
            raise ValueError("the audit looked at no columns, only at probabilities; pass a table.")
        self.folds = np.empty(len(data.codes), dtype=np.intp)
        dealt = make_folds(
            GROUP_FOLDS, data.codes, groups=data.groups, random_state=data.random_state
        )
        for fold, (_, test) in enumerate(dealt):
            self.folds[test] = fold
        by_fold = replace(data, groups=None, folds=self.folds, more_rows=True)
        found = [_predictor(model, by_fold) for model in learnt.models]
        can = [place for place, predictor in enumerate(found) if predictor is not None]
        names = [model.name for model in learnt.models]
        if not can:
            raise ValueError(
                "no model of the audit can be asked about other rows than it was given: "
                f"{names[0]}."
            )
        self.names = [names[place] for place in can]
        self.weights = learnt.pool.weights[can]
        self.fitted = [predictor for predictor in found if predictor is not None]
        self.unasked = [name for place, name in enumerate(names) if place not in can]

    def rows(self, X: np.ndarray, at: int) -> NewRows:
        """Copies of an audited row, to be judged by models that have not seen its fold."""
        return NewRows(X, folds=np.full(len(X), self.folds[at]))

    def proba(self, X: np.ndarray, at: int) -> np.ndarray:
        """Pooled probabilities of the labels, shape (n, K)."""
        return np.exp(pool_new_rows(self.fitted, self.weights, self.rows(X, at))[0].T)

    def by_model(self, X: np.ndarray, at: int) -> np.ndarray:
        """Probabilities of one row by each model, shape (models, K)."""
        rows = self.rows(X[None], at)
        return np.concatenate([predictor.predict_proba(rows) for predictor in self.fitted])


class Explainer:
    """Explains rows of the audit that this was learnt for."""

    def __init__(self, learnt: Learnt) -> None:
        self.learnt = learnt

    @cached_property
    def models(self) -> ModelsByFold:
        """Fitted when a row is first asked about, and kept."""
        return ModelsByFold(self.learnt)

    def explain(
        self, audit: "AuditRows", row: int, *, names: np.ndarray | None, other: Any
    ) -> RowExplanation:
        """Collect reasons for and against the label of a row, and for the class ``other``."""
        inputs = self.learnt.inputs
        at = self._place(row)
        label = self.learnt.data.codes[at]
        names_of_classes = inputs.classes[inputs.present]
        new = int(np.flatnonzero(names_of_classes == other)[0])
        codes = codes_among(inputs.codes, inputs.present)
        X = self.learnt.data.X[at]
        search = Neighborhood(inputs, n_jobs=self.learnt.data.n_jobs)
        (near,), (away,) = search.around(np.array([row]))
        pooled = self.models.proba(X[None], at)[0]
        return RowExplanation(
            row=row,
            id=None if names is None else str(names[row]),
            label=plain(audit.labels[row]),
            suggested=plain(other),
            p_wrong=float(audit.p_wrong[row]),
            p_label=float(pooled[label]),
            p_suggested=float(pooled[new]),
            models=self._models(X, at, label, new),
            neighbors=_neighbors(near, away, inputs, names),
            columns=self._columns(X, at, row, label, new),
            notes=[
                *labels_nearby(near, label, new, codes, names_of_classes),
                *self._notes(audit),
            ],
        )

    def _place(self, row: int) -> int:
        """The place of a row among the audited ones."""
        at, is_audited = self.learnt.inputs.places_of(np.array([row]))
        if not is_audited[0]:
            has_label = self.learnt.inputs.codes[row] >= 0
            why = "its label is the only one of its class" if has_label else "it has no label"
            raise ValueError(f"row {row} was not audited, as {why}; there is nothing to explain.")
        return int(at[0])

    def _models(self, X: np.ndarray, at: int, label: int, new: int) -> list[dict[str, Any]]:
        """Predictions of each model, the one that weighs most first."""
        told = self.models.by_model(X, at)
        share = self.models.weights
        share = share / (share.sum() or 1.0)
        return [
            {
                "model": self.models.names[place],
                "weight": round(float(share[place]), 4),
                "p_label": four_digits(told[place, label]),
                "p_suggested": four_digits(told[place, new]),
            }
            for place in np.argsort(-share, kind="stable").tolist()
        ]

    def _columns(
        self, X: np.ndarray, at: int, row: int, label: int, new: int
    ) -> list[dict[str, Any]]:
        """The columns, those that speak most against the label first."""
        inputs = self.learnt.inputs
        if _find_unnamed(inputs) or inputs.features is None or inputs.features.plan is None:
            return []
        plan = inputs.features.plan
        places = feature_places(plan)
        if inputs.scale is not None and inputs.scale.columns is not None:
            seen = np.argsort(inputs.scale.columns)  # in the order in which models see them
            places = [seen[place] for place in places]
        against, p_label = leave_columns_out(
            lambda rows: self.models.proba(rows, at),
            X,
            self._others(at),
            places,
            label=label,
            other=new,
        )
        names, cells = _read_cells(inputs, row)
        return [
            {
                "column": names[plan.columns[j]],
                "value": cells.get(plan.columns[j]),
                "against": round(float(against[j]), 4),
                "p_label": four_digits(p_label[j]),
            }
            for j in np.argsort(-against, kind="stable").tolist()
        ]

    def _others(self, at: int) -> np.ndarray:
        """Rows whose values stand in; the same for all columns, so that these can be compared."""
        data = self.learnt.data
        groups = np.arange(len(data.codes)) if data.groups is None else data.groups
        others = np.flatnonzero(groups != groups[at])
        random = np.random.default_rng([data.random_state, at])
        drawn = random.choice(others, min(EXPLAINED_ROWS, len(others)), replace=False)
        return data.X[np.sort(drawn)]

    def _notes(self, audit: "AuditRows") -> list[str]:
        unasked = self.models.unasked
        looked = _find_unnamed(self.learnt.inputs)
        return [
            *([NO_COLUMNS.format(looked)] if looked else []),
            *([f"Not asked about columns: {', '.join(unasked)}."] if unasked else []),
            *([] if audit.has_skill else ["The columns do not tell the labels apart: doubt this."]),
        ]


def _find_unnamed(inputs: Inputs) -> str:
    """A name for features that are no columns of the table; empty where they are."""
    if inputs.used is None:
        return "embeddings"
    return "" if inputs.scale is None or inputs.scale.axes is None else "main axes of many columns"


def _read_cells(inputs: Inputs, row: int) -> tuple[dict[Any, str], dict[Any, str]]:
    """For each column what it is called, and what the row holds there."""
    values = RowValues(inputs.table, None)
    places = range(len(values.columns))
    held = values.of(row, list(places))
    names = {column.key: column.name for column in values.columns}
    return names, {column.key: held[column.name] for column in values.columns}


def _neighbors(
    near: np.ndarray, away: np.ndarray, inputs: Inputs, names: np.ndarray | None
) -> list[dict[str, Any]]:
    return [
        {
            "row": place,
            "id": None if names is None else str(names[place]),
            "label": plain(inputs.labels[place]),
            "distance": round(distance, 4),
        }
        for place, distance in zip(near[:SIMILAR_ROWS].tolist(), away.tolist(), strict=False)
    ]


def _predictor(model: OutOfFoldModel, data: TrainingData) -> Predictor | None:
    """None for a model that knows nothing but the rows, or looks at the user's own table."""
    if isinstance(model, NearestRows):
        return replace(model, data=data)
    by_features = getattr(model, "table", None) is None and not hasattr(model, "proba")
    if not by_features or not hasattr(model, "cross_fit"):
        return None
    return model.cross_fit(data).predictor


def feature_places(plan: FeaturePlan) -> list[np.ndarray]:
    """The features that each column of a table gave, by their places."""
    widths = [1] * len(plan.columns)
    if isinstance(plan, ColumnPlan):
        widths = [len(encoder.kept) for encoder in plan.encoders]
    ends = np.cumsum(widths)
    return [np.arange(end - width, end) for end, width in zip(ends, widths, strict=True)]


def leave_columns_out(
    proba: Callable[[np.ndarray], np.ndarray],
    row: np.ndarray,
    others: np.ndarray,
    places: list[np.ndarray],
    *,
    label: int,
    other: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The weight of each column's value against the label of a row, and for another class.

    Nobody can say what models would predict had they never seen a column; that takes a fit for
    each. But the value can be left open: instead of the row's own, those of other rows stand there
    one after the other, and probabilities are averaged,

        p(c | x without j) = mean over rows k of p(c | x with x_j = x_kj).

    What the value says is the difference in the log odds of the label ``l`` and the class ``o``,

        against_j = log p(l | x without j) / p(o | x without j) - log p(l | x) / p(o | x),

    as in [1]_: above 0, the label looks better without the value.

    Parameters
    ----------
    proba : callable
        Probabilities of the classes, shape (n, K), of rows of features.
    row : array of shape (d,)
        The features of the row.
    others : array of shape (m, d)
        Those of the rows whose values stand in. Models are asked of m rows a column.
    places : list of arrays
        The features that each column gave, which are replaced together.
    label, other : int
        Columns of the probabilities.

    Returns
    -------
    against, p_label : arrays
        For each column how much larger the log odds of the label are without it, and the
        probability of the label then.

    References
    ----------
    .. [1] M. Robnik-Šikonja, I. Kononenko, "Explaining classifications for individual instances",
       IEEE Transactions on Knowledge and Data Engineering, 20(5), 2008.

    Examples
    --------
    >>> def proba(X):                            # the second feature decides, the first does not
    ...     p = 1 / (1 + np.exp(-X[:, 1]))
    ...     return np.column_stack([1 - p, p])
    >>> row, others = np.array([5.0, 2.0]), np.array([[0.0, -1.0], [1.0, 1.0]])
    >>> places = [np.array([0]), np.array([1])]
    >>> leave_columns_out(proba, row, others, places, label=0, other=1)[0].round(1)
    array([0., 2.])
    """
    whole = proba(row[None])[0]
    without = np.empty((len(places), len(whole)))
    for some in blocks(len(places), EXPLAINED_NUMBERS, width=others.size):
        asked = np.stack([_with_values(row, others, own) for own in places[some]])
        told = proba(asked.reshape(-1, len(row)))
        without[some] = told.reshape(len(asked), len(others), -1).mean(axis=1)
    odds = np.log(without[:, label]) - np.log(without[:, other])
    return odds - (np.log(whole[label]) - np.log(whole[other])), without[:, label]


def _with_values(row: np.ndarray, others: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The row as often as there are others, with their values in some places."""
    changed = np.tile(row, (len(others), 1))
    changed[:, places] = others[:, places]
    return changed
