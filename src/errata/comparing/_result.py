"""The result of a comparison: who stands where, how sure that is, and what to make of it."""

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._optional import require
from .._validation import check_choice
from ..auditing import NoiseRate
from ..metrics import correct_error_rate
from ..report import write_comparison_page
from ..stats import plot_critical_difference
from ._advice import advice, basis
from ._statistics import Standing, standing


@dataclass(eq=False, repr=False)
class Comparison:
    """Which way of learning suits a table.

    Made by :func:`errata.compare`.

    Attributes
    ----------
    names : list of str
        The competitors.
    scores : dict of arrays of shape (J, competitors)
        By metric: ``accuracy`` on the class (absent where nobody can tell which labels are wrong),
        ``agreement`` with the labels, ``known_accuracy`` on rows whose label is certain,
        ``clean_accuracy`` on the labels before noise was injected, and processor ``seconds``. A row
        for each test fold of each repetition.
    noise_rate : NoiseRate
        Fraction of wrong labels, by the audit of the table.
    test_fraction : float
        Of the rows, those in a test fold.
    notes : list of str
        What the user should know.
    about : dict
        Title, rows, classes, seed.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> labels, _ = errata.noise.flip_labels(y, 0.3, random_state=0)
    >>> rivals = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    >>> comparison = errata.compare(X, labels, competitors=rivals, random_state=0)
    >>> comparison.best
    'bayes'
    """

    names: list[str]
    scores: dict[str, np.ndarray]
    noise_rate: NoiseRate
    test_fraction: float
    notes: list[str] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def score(self) -> str:
        """The metric that decides: ``accuracy``, or ``agreement`` where nobody can tell."""
        return "accuracy" if "accuracy" in self.scores else "agreement"

    @property
    def best(self) -> str:
        """The competitor with the highest score; see :attr:`advice` for how sure that is."""
        return self.names[self.standing().best]

    @property
    def advice(self) -> str:
        """What to make of it, in a sentence."""
        return advice(self.summary())

    def standing(self, metric: str | None = None) -> Standing:
        """Means, intervals, mean ranks and p-values against the best, by any kind of accuracy.

        Folds without a row of known label do not count for ``known_accuracy``.
        """
        kinds = tuple(name for name in self.scores if name != "seconds")
        chosen = self.score if metric is None else check_choice("metric", metric, kinds)
        scores = self.scores[chosen]
        scores = scores[~np.isnan(scores).any(axis=1)]
        if len(scores) < 2:
            raise ValueError(
                f"metric={metric!r} was measured on {len(scores)} of the folds, and two are needed "
                "to tell a difference from chance; pass more rows whose label is known."
            )
        return standing(scores, self.test_fraction)

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.names)}: {self.advice}>"

    def summary(self) -> dict[str, Any]:
        """All there is to tell, as a plain dict that is valid JSON; the best comes first."""
        found = self.standing()
        rows = [self._row(found, place) for place in np.argsort(-found.mean, kind="stable")]
        summary = {
            **self.about,
            "score": self.score,
            "folds": len(self.scores[self.score]),
            "noise_rate": {name: float(v) for name, v in self.noise_rate._asdict().items()},
            "competitors": rows,
            "notes": self.notes,
        }
        return summary | {"advice": advice(summary), "basis": basis(summary)}

    def table(self) -> Any:
        """A dataframe of the competitors, the best first (pandas; the ``tables`` extra)."""
        return require("pandas", extra="tables").DataFrame(self.summary()["competitors"])

    def plot_ranks(self, ax: Any = None) -> Any:
        """The critical-difference diagram of the mean ranks over folds.

        Bars join competitors within chance by Nemenyi's test, which takes folds for independent
        tables: the diagram is sharper than the p-values of :meth:`standing`.
        """
        return plot_critical_difference(self.scores[self.score], names=self.names, ax=ax)

    def report(self, path: str | os.PathLike = "compare.html") -> None:
        """Write a page that works offline (needs the ``report`` extra)."""
        write_comparison_page(self.summary(), path, draw_ranks=self.plot_ranks)

    def _row(self, found: Standing, place: int) -> dict[str, Any]:
        means = {name: float(np.nanmean(s[:, place])) for name, s in self.scores.items()}
        row = {
            "name": self.names[place],
            "score": means[self.score],
            "low": float(found.low[place]),
            "high": float(found.high[place]),
            "rank": float(found.rank[place]),
            "p_value": float(found.p_value[place]),
            "within_chance": bool(found.within_chance[place]),
            "agreement": means["agreement"],
            "corrected": self._corrected(means["agreement"]),
        }
        further = ("known_accuracy", "clean_accuracy", "seconds")
        return row | {name: means[name] for name in further if name in means}

    def _corrected(self, agreement: float) -> float | None:
        """Accuracy behind an agreement, if labels are wrong independently of the predictions."""
        n_classes, rate = self.about["classes"], self.noise_rate.estimate
        if self.score == "agreement" or 1 - agreement < rate:
            return None  # nobody knows the rate; or rows on which both err make the formula fail
        return 1 - correct_error_rate(1 - agreement, rate, n_classes=n_classes)
