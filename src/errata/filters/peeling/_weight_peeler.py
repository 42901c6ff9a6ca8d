"""Weight peeling: distrust the rows on which AdaBoost spends most of its weight."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.stats import t as student

from ..._validation import check_choice, check_fraction
from ._peeling import Peeler, Rows

SCALES = ("pooled", "paper", "between")


class WeightPeeler(Peeler):
    """Flag the rows whose mean weight over the rounds of AdaBoost stands out (weight peeling).

    AdaBoost gives more and more weight to rows that it cannot get right, and wrong labels are among
    them. The choice where false alarms are dear: it works as published, flags 2 to 4 % of clean
    rows, and misses half of the wrong labels where one in ten is wrong. Costs T rounds of AdaBoost,
    O(T n d) for stumps after one sort of each feature, and O(n T) time for the weights.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=300
        Rounds of AdaBoost. Unlike margins, weights tell more the longer it runs.
    max_depth : int, default=1
        Depth of the trees; 1 are stumps.
    criterion : "gini" or "error", default="gini"
        What a cut of a tree makes as small as possible.
    significance : float, default=0.02
        Level of the t test that draws the line; the larger, the more rows are flagged.
    scale : {"pooled", "paper", "between"}, default="pooled"
        Spread that the test uses: of the weights of all rows and rounds; that divided by the root
        of the number of rounds, as printed (square restored), which flags a fifth of the clean
        rows; or of the means over rounds.
    threshold : float, optional
        Flag the rows whose mean weight exceeds it, instead of testing.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    n_rounds : int, default=1
        How often to peel, each time boosting on what is left; the paper peels once.
    max_fraction : float, default=0.5
        Never leave out more of the rows than this, in all rounds together; None for no limit.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` that draws; the compiled trees do not.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Mean weight of a row over the rounds, each of which distributes a weight of 1: on average
        1/n. A score. For rows left out it is that of the round in which they went, plus 2 for every
        round that came after.
    flagged_, suggested_, sample_indices_, margins_, booster_, classes_, n_features_in_
        As in :class:`MarginPeeler`.

    References
    ----------
    .. [1] Martinez and Gray. Noise peeling methods to improve boosting algorithms. Computational
       Statistics and Data Analysis 93, 2016.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.filters import WeightPeeler
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(300, random_state=0)
    >>> y_noisy, flipped = flip_labels(y, 0.1, random_state=0)
    >>> peeler = WeightPeeler().fit(X, y_noisy)
    >>> int(flipped.sum()), int(flipped[peeler.flagged_].sum()), int(peeler.flagged_.sum())
    (30, 11, 14)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 300,
        max_depth: int = 1,
        criterion: str = "gini",
        significance: float = 0.02,
        scale: str = "pooled",
        threshold: float | None = None,
        contamination: float | None = None,
        n_rounds: int = 1,
        max_fraction: float | None = 0.5,
        min_per_class: int = 2,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            max_depth=max_depth,
            criterion=criterion,
            threshold=threshold,
            contamination=contamination,
            n_rounds=n_rounds,
            max_fraction=max_fraction,
            min_per_class=min_per_class,
            random_state=random_state,
        )
        self.significance = significance
        self.scale = scale

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_fraction("significance", self.significance, low=1e-12, high=0.5)
        check_choice("scale", self.scale, SCALES)

    def _judge(self, rows: Rows) -> tuple[np.ndarray, float]:
        weights = self.booster_._staged_weights(rows.X, rows.codes, rows.weights)
        return mean_weight(weights, significance=self.significance, scale=self.scale)


def mean_weight(
    weights: Iterable[np.ndarray], *, significance: float, scale: str
) -> tuple[np.ndarray, float]:
    """Mean over the rounds of the weight of each row, and the line above which it stands out.

    The line is ``1/n + t s``, t being the quantile of order ``1 - significance`` of Student's
    distribution and s the spread of the weights: of all rows and rounds ("pooled"), that divided by
    the root of the number of rounds ("paper"), or of the means ("between"). The mean of all is 1/n.
    """
    total = squares = np.zeros(1)
    n_rounds = 0
    for round_weights in weights:
        total = total + round_weights
        squares = squares + (round_weights - 1 / len(round_weights)) ** 2
        n_rounds += 1
    mean, n = total / n_rounds, len(total)
    if scale == "between":
        spread, freedom = mean.std(ddof=1), n - 1
    else:
        freedom = n_rounds * n - 1
        spread = np.sqrt(squares.sum() / freedom)
        spread /= np.sqrt(n_rounds) if scale == "paper" else 1
    return mean, float(1 / n + student.ppf(1 - significance, freedom) * spread)
