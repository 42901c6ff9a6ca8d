"""The result of a comparison: who stands where, how sure that is, and what to make of it."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t as student

from .._format import count, join_names, percent
from .._validation import check_choice
from ..auditing import NoiseRate
from ..metrics import correct_error_rate
from ..report import write_comparison_page
from ..stats import average_ranks, plot_critical_difference
from ..stats._tests import correct_by_holm

COVERAGE = 0.95


class Standing(NamedTuple):
    """How the competitors stand by one score, an entry for each in every field."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    rank: np.ndarray  # mean over the folds, 1 = best
    p_value: np.ndarray  # that the best is no better, corrected for so many comparisons
    best: int

    @property
    def within_chance(self) -> np.ndarray:
        """Who may be as good as the best, the best itself included."""
        return self.p_value > 1 - COVERAGE


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
        """Advice in a sentence."""
        return write_advice(self.summary())

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
        return compare_standing(scores, self.test_fraction)

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
        return summary | {"advice": write_advice(summary), "basis": describe_basis(summary)}

    def table(self) -> Any:
        """A dataframe of the competitors, the best first (pandas)."""
        import pandas

        return pandas.DataFrame(self.summary()["competitors"])

    def plot_ranks(self, ax: Any = None) -> Any:
        """The critical-difference diagram of the mean ranks over folds.

        Bars join competitors within chance by Nemenyi's test, which takes folds for independent
        tables: the diagram is sharper than the p-values of :meth:`standing`.
        """
        return plot_critical_difference(self.scores[self.score], names=self.names, ax=ax)

    def report(self, path: str | os.PathLike = "compare.html") -> None:
        """Write a page that works offline."""
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
            "corrected": self._correct_agreement(means["agreement"]),
        }
        further = ("known_accuracy", "clean_accuracy", "seconds")
        return row | {name: means[name] for name in further if name in means}

    def _correct_agreement(self, agreement: float) -> float | None:
        """Accuracy behind an agreement, if labels are wrong independently of the predictions."""
        n_classes = self.about["classes"]
        rate = self.noise_rate.estimate
        if self.score == "agreement" or 1 - agreement < rate:
            return None  # nobody knows the rate; or rows on which both err make the formula fail
        return 1 - correct_error_rate(1 - agreement, rate, n_classes=n_classes)


def write_advice(summary: dict[str, Any]) -> str:
    """Which competitor to take, and when a difference is within chance.

    >>> rows = [
    ...     {"name": "SVM", "score": 0.912, "low": 0.88, "high": 0.94, "seconds": 0.2,
    ...      "within_chance": True},
    ...     {"name": "tree", "score": 0.71, "low": 0.66, "high": 0.76, "seconds": 0.1,
    ...      "within_chance": False},
    ... ]
    >>> write_advice({"competitors": rows, "score": "accuracy"})
    'SVM has the highest estimated accuracy, 91.2% (88.0% to 94.0%), beyond chance.'
    """
    best, *others = summary["competitors"]
    level = f"{best['score']:.1%} ({best['low']:.1%} to {best['high']:.1%})"
    name = best["name"][:1].upper() + best["name"][1:]
    first = f"{name} has the highest {_SCORES[summary['score']]}, {level}"
    equals = [row for row in others if row["within_chance"]]
    if not equals:
        return f"{first}, beyond chance."
    names = _join_names(row["name"] for row in equals)
    quickest = min([best, *equals], key=lambda row: row["seconds"])
    take = "it is also the quickest of them"
    if quickest is not best:
        take = f"{quickest['name']} is the quickest of them"
    # A list of all of them tells nobody which to leave out.
    if len(equals) == len(others) > 1:
        return f"{first}, but all {count(len(others) + 1)} are within chance of it; {take}."
    return f"{first}; its lead over {names} is within chance; {take}."


def describe_basis(summary: dict[str, Any]) -> str:
    """The basis of the scores: how many labels may be wrong, and whether anybody can tell."""
    rate = summary["noise_rate"]
    if summary["score"] == "agreement":
        return (
            "The columns do not tell the labels apart, so nobody can say which labels are wrong: "
            "competitors are ranked by how often they agree with the labels."
        )
    return (
        f"About {percent(rate['estimate'])} of the labels are wrong "
        f"({percent(rate['low'])} to {percent(rate['high'])}), by an audit of the table. The "
        "accuracy is that on the class: each prediction counts by the probability that it is right."
    )


def _join_names(names: Iterable[str]) -> str:
    """The first names, joined as people join them.

    >>> _join_names(["tree"]), _join_names(["tree", "SVM"]), _join_names("abcdef")
    ('tree', 'tree and SVM', 'a, b, c, d and 2 more')
    """
    *first, last = names
    if len(first) < 4:
        return f"{', '.join(first)} and {last}" if first else last
    return join_names([*first, last], most=4)


_SCORES = {"accuracy": "estimated accuracy", "agreement": "agreement with the labels"}


def compare_standing(scores: np.ndarray, test_fraction: float) -> Standing:
    """Standing by a table of scores, a row for each fold and a column for each competitor.

    Training sets of folds share most of their rows, so that the spread of scores over folds is
    smaller than that of a mean over fresh data. Nadeau and Bengio (2003) add the ratio of test
    to training rows to the 1 / J of J independent scores.

    Parameters
    ----------
    scores : array of shape (J, competitors)
        Higher is better.
    test_fraction : float
        Of the rows, those in a test fold.
    """
    n_folds = len(scores)
    inflation = 1 / n_folds + test_fraction / (1 - test_fraction)
    reach = student.ppf((1 + COVERAGE) / 2, max(n_folds - 1, 1))
    mean = scores.mean(axis=0)
    error = np.sqrt(inflation * scores.var(axis=0, ddof=1))
    best = int(mean.argmax())
    behind = scores[:, [best]] - np.delete(scores, best, axis=1)
    return Standing(
        mean=mean,
        low=np.maximum(mean - reach * error, 0),
        high=np.minimum(mean + reach * error, 1),
        rank=average_ranks(scores),
        p_value=np.insert(correct_by_holm(_compute_p_values(behind, inflation)), best, 1.0),
        best=best,
    )


def _compute_p_values(behind: np.ndarray, inflation: float) -> np.ndarray:
    """Two-sided p-values of mean differences, one for each column."""
    mean = behind.mean(axis=0)
    spread = np.sqrt(inflation * behind.var(axis=0, ddof=1))
    # Where two competitors differ by the same on every fold, there is no spread to compare with.
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(mean == 0, 0.0, np.abs(mean) / spread)
    return 2 * student.sf(statistic, len(behind) - 1)
