"""Why one row is doubted, in words, as HTML and as a picture."""

from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from ..._format import number, probability, visible
from ..._optional import require
from .._settings import EXPLAINED_COLUMNS, SPEAKS

AGAINST, FOR = "#D55E00", "#0072B2"  # Okabe and Ito's: told apart by every kind of eye
NAMED = 3  # columns that a sentence names
NONE_SPEAKS = (
    "No column by itself speaks against the label: several say the same, or none says much."
)


@dataclass(frozen=True, repr=False)
class RowExplanation:
    """What speaks for and against the label of one row.

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
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> y[3] = 2                                # a setosa is called a virginica
    >>> audit = errata.audit(X, y, self_check=False, random_state=0)
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
        """Draw a bar for each of the ten columns that say most (needs the ``report`` extra).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure when left out.

        Returns
        -------
        matplotlib Axes
        """
        shown = self._weightiest()[::-1]
        if ax is None:
            figure = require("matplotlib.figure", extra="report").Figure(
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
        told = [f"Against the label speaks {_listed(against)}." if against else NONE_SPEAKS]
        return told + ([f"For it speaks {_listed(for_it)}."] if for_it else [])


def _cell(value: Any) -> str:
    return f"<td>{escape(visible(str(value)))}</td>"


def _listed(columns: list[dict[str, Any]]) -> str:
    return ", then ".join(
        f"{c['column']} = {c['value']} (left out, the odds of the label are "
        f"{number(np.exp(c['against']), 2)} times what they are)"
        for c in columns
    )
