"""MadaBoost: AdaBoost in which no row ever weighs more than at the start."""

import numpy as np

from ._reweighting import Distribution
from ._tempered import TemperedBooster


class CappedDistribution(Distribution):
    """A row's weight, before all are made to sum to one, never exceeds its start."""

    def __init__(self, start: np.ndarray, codes: np.ndarray) -> None:
        super().__init__(start, codes)
        self.logarithms = np.zeros(len(start))  # of the growth alone
        self.reach = 0.0

    def after(self, outputs: np.ndarray, step: float) -> np.ndarray:
        """The capped weights."""
        self._grown(outputs, step)
        self.reach += step
        growth = np.minimum(self.logarithms - self.reach / 2, 0)
        weights = self.start * np.exp(growth - growth.max())  # lest all of them underflow
        return weights / weights.sum()


class MadaBoostClassifier(TemperedBooster):
    """MadaBoost: AdaBoost whose weights are capped at their start.

    Reach for it instead of AdaBoost when some labels are wrong at random. A row that stays wrong
    counts as much as a row not yet decided on, and no more; rows that are right lose weight as in
    AdaBoost. It gives nothing up, so that many wrong labels still win in the end, and helps little
    where wrong labels flow from one class to another. Costs O(T D n d) for T rounds of trees of
    depth D on n rows of d features, as AdaBoost.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=50
        Number of rounds at most; a base estimator no better than guessing is left out and ends
        them, one without error (counted as 1e-10) is kept and ends them, too.
    max_depth : int, optional
        Depth of the trees, at most 12; when not given, 1 (stumps) for two classes and 2 for more.
    hardness : "kdn", detector or callable, optional
        Start from weights that fall with the hardness of a row (:func:`selection_probabilities`):
        the fraction of disagreeing neighbours (scale the features), the ``suspicion_`` of any
        detector of errata, or ``hardness(X, y)``, in [0, 1]. All rows start with the same weight
        when not given.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (a negative average margin) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` and a ``hardness`` that draw; the compiled trees do not.

    Attributes
    ----------
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
    With w0 the start weights, a_t = log((1 - e) / e) + log(K - 1) for a weighted error e, and
    L_i the sum over rounds of a_t / 2 where the base estimator is wrong on row i and -a_t / 2 where
    it is right, the next weights are w0_i min(1, exp L_i), made to sum to one. The paper [1]_ has
    two classes; K > 2 by SAMME is ours. ``predict_proba`` gives the fractions of the votes.

    References
    ----------
    .. [1] Domingo and Watanabe. MadaBoost: a modification of AdaBoost. COLT 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.ensemble import MadaBoostClassifier
    >>> X = np.arange(10.0)[:, None]
    >>> y = [0, 0, 1, 0, 0, 1, 1, 1, 1, 1]                    # the third is wrong
    >>> booster = MadaBoostClassifier(n_estimators=5).fit(X, y)
    >>> weights = list(booster.staged_data_weights(X, y))
    >>> (weights[1] / weights[1].max()).round(2)              # wrong: as at the start, 1
    array([0.33, 0.33, 1.  , 0.33, 0.33, 0.33, 0.33, 0.33, 0.33, 0.33])
    >>> int(booster.suspicion_.argmax())
    2
    """

    def _distribution(self, start: np.ndarray, codes: np.ndarray) -> Distribution:
        return CappedDistribution(start, codes)
