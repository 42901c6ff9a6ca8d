"""Linear program peeling: set rows free, one by one, so that the margin of the rest grows."""

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM
from sklearn.utils import check_random_state

from ..._detector import count_flags
from ..._validation import check_choice, check_fraction
from ._linear_programs import STRATEGIES, margin_lines, removal_order
from ._peeling import Peeler, Rows


class LinearProgramPeeler(Peeler):
    """Flag the rows without which the least margin of an ensemble can be made widest.

    A linear program gives the rounds of AdaBoost the weights that make the least margin of all rows
    as wide as possible. A row that holds it down is set free, and the next program is solved
    without it, until ``contamination`` of the rows are free. In our hands it does no better than
    taking the rows of least margin, which :class:`MarginPeeler` with ``contamination`` does at no
    cost; it is here because the paper has it. Costs T rounds of AdaBoost, O(T n d) for stumps after
    one sort of each feature, and for each row set free a program of n variables and at most T
    constraints: 0.1 seconds at n = 180 and T = 300, so it is for small data.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=300
        Rounds of AdaBoost.
    max_depth : int, default=1
        Depth of the trees; 1 are stumps.
    criterion : "gini" or "error", default="gini"
        What a cut of a tree makes as small as possible.
    strategy : {"dual", "exact", "support", "soft", "margin"}, default="dual"
        Which row is set free next: that with the largest multiplier, one program a row; that
        without which the margin is widest, many programs a row; any row that holds the margin down,
        one program a row, which finds the fewest wrong labels but comes nearest to the paper's
        numbers; all at once by one program with slack; or, without any program, the rows of least
        margin in the ensemble.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it: with 0 the rows set free and those of negative
        margin. 1 (the rows set free) unless ``contamination`` is given.
    contamination : float, optional
        Fraction of the rows to set free and flag, in each round of what is left. When not given,
        it is estimated from the rows outside of a support vector description of their own class and
        inside that of another, as the paper suggests. That is rough, and too low where more than a
        tenth is wrong, so say it where you know it.
    n_rounds : int, default=1
        How often to peel, each time boosting on what is left; the paper peels once.
    max_fraction : float, default=0.5
        Never leave out more of the rows than this, in all rounds together; None for no limit.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` that draws, and ``strategy="support"``.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Above 1 for rows set free, the first one highest, minus the margin for the others. A score.
        For rows left out it is that of the round in which they went, plus 2 for every round that
        came after.
    contamination_ : float
        The fraction of rows set free, given or estimated.
    flagged_, suggested_, sample_indices_, margins_, booster_, classes_, n_features_in_
        As in :class:`MarginPeeler`.

    See Also
    --------
    maximize_margin : keep the ensemble with the weights of the program, instead of fitting again.

    References
    ----------
    .. [1] Martinez and Gray. Noise peeling methods to improve boosting algorithms. Computational
       Statistics and Data Analysis 93, 2016.

    Examples
    --------
    The second of ten points on a line is mislabelled:

    >>> from errata.filters import LinearProgramPeeler
    >>> X = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]]
    >>> y = [1, 0, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> peeler = LinearProgramPeeler(n_estimators=3, criterion="error", contamination=0.1)
    >>> peeler.fit(X, y).flagged_.nonzero()[0]
    array([1])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 300,
        max_depth: int = 1,
        criterion: str = "gini",
        strategy: str = "dual",
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
        self.strategy = strategy

    def __sklearn_tags__(self) -> Any:
        """Declare that an estimate of the contamination needs every value."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan &= self.contamination is not None
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("strategy", self.strategy, STRATEGIES)

    def _prepare(self, X: np.ndarray, codes: np.ndarray) -> None:
        if self.contamination is None:
            self.contamination_ = fraction_of_strays(X, codes)
        else:
            self.contamination_ = check_fraction("contamination", self.contamination)

    def _judge(self, rows: Rows) -> tuple[np.ndarray, float]:
        n_free = count_flags(self.contamination_, len(rows.codes))
        lines, groups = margin_lines(self.booster_._staged_codes(rows.X), rows.codes)
        random = check_random_state(self.random_state)
        order = removal_order(lines, groups, rows.margins, n_free, self.strategy, random)
        # Margins end at 1: whatever is set free comes before all others.
        suspicion = -rows.margins
        suspicion[order] = 1 + (n_free - np.arange(n_free)) / max(n_free, 1)
        return suspicion, 1.0


def fraction_of_strays(X: np.ndarray, codes: np.ndarray) -> float:
    """Estimate the fraction of wrong labels by describing the core of each class.

    A one-class support vector machine draws a line around half of the rows of each label. A stray
    lies outside of its own core and inside another. Half of the rows of a class are in its core, so
    there should be half as many strays as wrong labels. The more are wrong, the more the cores
    themselves are misled: on twonorm 10, 20 and 30 % of noise are taken for 8, 11 and 11 %.
    """
    X = StandardScaler().fit_transform(X)
    inside = np.column_stack(
        [OneClassSVM(nu=0.5).fit(X[codes == c]).predict(X) > 0 for c in np.unique(codes)]
    )
    own = inside[np.arange(len(codes)), codes]
    return min(1.0, 2 * float((~own & inside.any(axis=1)).mean()))
