"""ORBoost: AdaBoost that drops the rows whose weight has grown too large."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._validation import check_fraction
from ._base_learners import BaseLearner
from ._reweighting import Distribution, Round
from ._tempered import TemperedBooster


class DroppingDistribution(Distribution):
    """Rows whose weight exceeds ``cap`` times their start are dropped, for good."""

    def __init__(self, start: np.ndarray, codes: np.ndarray, cap: float) -> None:
        super().__init__(start, codes)
        self.cap, self.dropped = cap, np.zeros(len(start), dtype=bool)

    def after(self, outputs: np.ndarray, step: float) -> np.ndarray | None:
        """The weights of what is left; None, and nothing is dropped, where a class would be."""
        weights = self._grown(outputs, step)
        # Divided, as an infinite cap times a start of 0 would be no number.
        dropped = self.dropped | (weights / self.cap > self.start)
        weights = np.where(dropped, 0, weights)
        left, before = (np.bincount(self.codes, w) > 0 for w in (weights, self.start))
        if (before & ~left).any():
            return None
        self.dropped = dropped
        self.logarithms[dropped] = -np.inf
        return weights / weights.sum()


class ORBoostClassifier(TemperedBooster):
    """ORBoost: AdaBoost without the outliers that it finds on its way.

    Reach for it when a few labels are wrong: rows whose weight has grown to ``weight_cap`` times
    that of their start are dropped and never come back. Where classes overlap, honest rows near the
    border are dropped as well; choose ``weight_cap`` by validation, the more labels are wrong the
    smaller. Costs O(T D n d) for T rounds of trees of depth D on n rows of d features, as AdaBoost.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=50
        Number of rounds at most; a base estimator no better than guessing is left out and ends
        them, one without error (counted as 1e-10) is kept and ends them, too.
        They end as well when the last rows of a class would be dropped.
    weight_cap : float, default=10
        How many times its weight at the start a row may weigh, at least 1; infinity is AdaBoost.
    max_depth : int, optional
        Depth of the trees, at most 12; when not given, 1 (stumps) for two classes and 2 for more.
    hardness : "kdn", detector or callable, optional
        Start from weights that fall with the hardness of a row (:func:`selection_probabilities`):
        the fraction of disagreeing neighbours (scale the features), the ``suspicion_`` of any
        detector of errata, or ``hardness(X, y)``, in [0, 1]. All rows start with the same weight
        when not given.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; the dropped rows when neither this nor
        ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` and a ``hardness`` that draw; the compiled trees do not.

    Attributes
    ----------
    dropped_ : array of bool of shape (n,)
        The rows that boosting went on without.
    suspicion_ : array of shape (n,)
        (1 - m) / 2, m being the margin averaged over all rounds: the last ones may have memorised
        even wrong labels. A score from 0 to 1, not a probability.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the class decided on for those, the label itself elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    start_weights_ : array of shape (n,)
        The distribution that boosting started from.
    n_estimators_ : int
        Number of rounds kept.
    estimator_weights_, estimator_errors_ : arrays of shape ``(n_estimators_,)``
        Weight of each base estimator in the decision (alpha; for two classes half of SAMME's, as
        in :class:`DiscreteAdaBoostClassifier`), and its weighted error (epsilon).

    Notes
    -----
    The steps are AdaBoost's (SAMME for more than two classes); after each, rows of weight w_i >
    ``weight_cap`` w0_i are dropped and the weights made to sum to one, w0 being those of the start:
    with the same weight for all n rows this is the paper's rule, w_i > ``weight_cap`` / n.
    ``predict_proba`` gives the fractions of the votes.

    References
    ----------
    .. [1] Karmaker and Kwek. A boosting approach to remove class label noise. International
       Journal of Hybrid Intelligent Systems 3, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.ensemble import ORBoostClassifier
    >>> X = np.arange(10.0)[:, None]
    >>> y = [0, 0, 1, 0, 0, 1, 1, 1, 1, 1]                    # the third is wrong
    >>> booster = ORBoostClassifier(weight_cap=4).fit(X, y)
    >>> np.flatnonzero(booster.dropped_), booster.suggested_[2], booster.predict(X[2:3])
    (array([2]), np.int64(0), array([0]))
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        weight_cap: float = 10.0,
        max_depth: int | None = None,
        hardness: Any = None,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            max_depth=max_depth,
            hardness=hardness,
            threshold=threshold,
            contamination=contamination,
            random_state=random_state,
        )
        self.weight_cap = weight_cap

    def _distribution(self, start: np.ndarray, codes: np.ndarray) -> DroppingDistribution:
        cap = check_fraction("weight_cap", self.weight_cap, low=1, high=np.inf)
        return DroppingDistribution(start, codes, cap)

    def _rounds(self, learner: BaseLearner, distribution: Any) -> Iterator[Round]:
        yield from super()._rounds(learner, distribution)
        self.dropped_ = np.zeros(len(self.start_weights_), dtype=bool)
        self.dropped_[self.start_weights_ > 0] = distribution.dropped

    def _conclude(
        self, suspicion: np.ndarray, codes: Any = None, suggested: Any = None, **rule: Any
    ) -> None:
        super()._conclude(suspicion, codes, suggested, **rule, native=self.dropped_.copy())
