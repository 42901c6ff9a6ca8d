"""The picture of a search: score by number of columns, how sure it is, and the size chosen.

Not the bootstrap. Rows drawn with replacement come with copies, which are each other's nearest
neighbours in every subset, and of one class: the neighbour counted as the k-th is not, and scores
rise. Noise does not help, as a copy stays the nearest.

The scores of halves drawn without replacement spread just as much as those of new samples of all
rows would: a mean over m of n rows has variance (1 - m/n) / m, one over n new rows 1 / n, and for
m = n/2 the two are equal (the jackknife that leaves out half of the rows).
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .._compat import take_rows
from .._validation import as_column, check_count

LINE = "#0072B2"  # Okabe and Ito's blue and vermilion: told apart by every kind of eye
CHOSEN = "#D55E00"
LABELS = {
    "mi": "mutual information (nats)",
    "risk_count": "minus the Bayes risk (counted)",
    "risk_soft": "minus the Bayes risk (soft)",
    "mrmr": "relevance less redundancy (nats)",
    "jmi": "mean information of pairs (nats)",
}

FEWEST = 2  # rows of a class that are always drawn: one alone has no neighbour of its class


class SelectionPathDisplay:
    r"""Score by number of columns, with standard errors and the number that was chosen.

    Made by :meth:`from_estimator`. A curve that stays within the band around its highest point says
    that fewer columns would do as well, see ``one_error_size``. Scores of mRMR and JMI are means
    over pairs, which do not rise with the number of columns: compare subsets of one size by them,
    not sizes.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Numbers of columns, ascending.
    scores : array-like of shape (n_sizes,)
        The score of the best subset found of each size; bigger is better.
    standard_errors : array-like of shape (n_sizes,)
        Their standard errors; NaN where they are not known.
    chosen_size : int
        How many columns were kept.
    label : str, default="score"
        What the scores are.

    Attributes
    ----------
    one_error_size : int
        The smallest size whose score is within one standard error of the highest, the rule of [1]_.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    line_ : matplotlib Line2D
        The scores.
    band_ : matplotlib PolyCollection
        One standard error to either side.
    chosen_ : matplotlib Line2D
        The upright line at the chosen size.

    See Also
    --------
    MutualInformationSelector : makes the path.

    Notes
    -----
    Standard errors are the standard deviations of the scores over random halves of the rows, on
    each of which the whole search is repeated. Halves are drawn without replacement, and of each
    class by itself. A bootstrap would draw rows several times, and these copies are the nearest
    neighbours of each other, in every subset, which raises scores and spreads them.
    Half of the rows is the fraction for which no factor is needed: for a mean over m of n rows the
    deviation is to be multiplied by :math:`\sqrt{m / (n - m)}` [2]_, which is 1. Scores of halves
    are biased more than those of all rows; only their spread is used. Errors are those of a sample
    with as many rows of each class.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone. Classification and Regression Trees.
       Wadsworth, 1984. Section 3.4.3.
    .. [2] J. Shao, C. F. J. Wu. A general theory for jackknife variance estimation. Annals of
       Statistics 17, 1989.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from errata.feature_selection import MutualInformationSelector, SelectionPathDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = MutualInformationSelector(random_state=0).fit(X, y)
    >>> display = SelectionPathDisplay.from_estimator(selector, X, y, random_state=0)
    >>> display.chosen_size, display.one_error_size
    (2, 1)
    >>> display.figure_.savefig("path.png")  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        sizes: Any,
        scores: Any,
        standard_errors: Any,
        chosen_size: int,
        label: str = "score",
    ) -> None:
        self.sizes = sizes
        self.scores = scores
        self.standard_errors = standard_errors
        self.chosen_size = chosen_size
        self.label = label

    @classmethod
    def from_estimator(
        cls,
        selector: Any,
        X: Any,
        y: Any,
        *,
        n_draws: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        ax: Any = None,
    ) -> Self:
        """Repeat the search of a fitted selector on halves of the rows, and draw its path.

        Parameters
        ----------
        selector : MutualInformationSelector
            Fitted to ``X`` and ``y``. Its path is drawn as it is; clones are fitted to the halves.
            One that was given ``memberships`` cannot be repeated without them.
        X : array-like of shape (n, p)
            The columns it was fitted to.
        y : array-like of shape (n,)
            The target it was fitted to.
        n_draws : int, default=20
            Number of halves, 2 or more. Each costs about a quarter of a fit; 20 give a
            standard error to about 16 %.
        random_state : int, RandomState or None, default=None
            Fix it to draw the same halves again.
        n_jobs : int, optional
            Number of processes that search at once, -1 for one per core.
        ax : matplotlib Axes, optional
            Where to draw; a new figure when left out.

        Returns
        -------
        SelectionPathDisplay
        """
        check_is_fitted(selector)
        check_consistent_length(X, y)
        check_count("n_draws", n_draws, low=2)
        sizes = sorted(selector.scores_)
        halves = score_halves(
            selector, X, y, sizes, n_draws, random_state=random_state, n_jobs=n_jobs
        )
        display = cls(
            sizes=np.array(sizes),
            scores=np.array([selector.scores_[size] for size in sizes]),
            standard_errors=halves.std(axis=0, ddof=1),
            chosen_size=selector.n_features_,
            label=LABELS[selector.criterion],
        )
        return display.plot(ax=ax)

    @property
    def one_error_size(self) -> int:
        """The smallest size whose score is within one standard error of the highest."""
        scores = np.asarray(self.scores)
        best = int(np.argmax(scores))
        error = np.nan_to_num(np.asarray(self.standard_errors)[best])
        return int(np.asarray(self.sizes)[np.argmax(scores >= scores[best] - error)])

    def plot(self, *, ax: Any = None) -> Self:
        """Draw the path once more, on ``ax`` or a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure when left out.

        Returns
        -------
        SelectionPathDisplay
            Itself.
        """
        import matplotlib.pyplot

        if ax is None:
            ax = matplotlib.pyplot.subplots(layout="constrained")[1]
        self.ax_ = ax
        self.figure_ = ax.figure
        self._draw(ax)
        self._describe(ax)
        return self

    def _draw(self, ax: Any) -> None:
        sizes, scores, errors = map(np.asarray, (self.sizes, self.scores, self.standard_errors))
        self.band_ = ax.fill_between(
            sizes, scores - errors, scores + errors, color=LINE, alpha=0.2, linewidth=0,
            label="± 1 standard error",
        )  # fmt: skip
        (self.line_,) = ax.plot(
            sizes, scores, "o-", color=LINE, markersize=4, label="score of all rows"
        )
        self.chosen_ = ax.axvline(
            self.chosen_size, color=CHOSEN, linestyle="--", label=f"chosen: {self.chosen_size}"
        )
        small = self.one_error_size
        ax.plot(
            small, scores[list(sizes).index(small)], "o", color=CHOSEN, fillstyle="none",
            markersize=10, label=f"within one error of the best: {small}",
        )  # fmt: skip

    def _describe(self, ax: Any) -> None:
        from matplotlib import ticker

        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True, min_n_ticks=1))
        ax.set_xlabel("number of features")
        ax.set_ylabel(self.label)
        ax.legend(frameon=False)


def score_halves(
    selector: Any,
    X: Any,
    y: Any,
    sizes: Sequence[int],
    n_draws: int,
    *,
    random_state: Any,
    n_jobs: int | None,
) -> np.ndarray:
    """Scores by size (draw, size) of clones fitted to halves; NaN where a search found no such."""
    fresh = clone(selector).set_params(progress=None)
    halves = draw_halves(_make_strata(selector, y), n_draws, random_state)
    scores = Parallel(n_jobs=n_jobs)(delayed(_score_draw)(fresh, X, y, rows) for rows in halves)
    return np.array([[found.get(size, np.nan) for size in sizes] for found in scores])


def draw_halves(strata: np.ndarray, n_draws: int, random_state: Any) -> Iterator[np.ndarray]:
    """Row indices of random halves, of each stratum by itself; ascending, none twice.

    >>> next(draw_halves(np.array([0, 0, 0, 0, 1]), 1, random_state=0))
    array([2, 3, 4])
    """
    random = check_random_state(random_state)
    members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
    for _ in range(n_draws):
        parts = [random.permutation(rows)[: max(FEWEST, len(rows) // 2)] for rows in members]
        yield np.sort(np.concatenate(parts))


def _make_strata(selector: Any, y: Any) -> np.ndarray:
    """Classes keep their shares, so that a rare one is in every half; numbers are one stratum."""
    y = np.asarray(as_column(y))
    return y if hasattr(selector, "classes_") else np.zeros(len(y), dtype=int)


def _score_draw(fresh: Any, X: Any, y: Any, rows: np.ndarray) -> dict[int, float]:
    return clone(fresh).fit(take_rows(X, rows), take_rows(y, rows)).scores_
