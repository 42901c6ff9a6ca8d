"""Boosting by its weights: distrust the rows on which AdaBoost comes to spend its weight."""

import numpy as np
from scipy.special import softmax

from ._boosting import BoostFilter, RoundSums


class BoostWeightFilter(BoostFilter):
    """Flag the rows that have the largest weights after a short AdaBoost.

    The boosting filter of Verbaeten and Van Assche. A row's weight grows whenever a round gets it
    wrong, so that the order of the rows is that of :class:`BoostEdgeFilter`, on another scale: that
    of the weights, on which one can say "three times the mean" (``threshold=0.75``). Assumes errors
    that small trees cannot learn. Costs T rounds of AdaBoost, O(T n d) for the compiled trees after
    one sort of each of d features, and O(n K) memory for K classes.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; compiled trees of depth 2 when not given.
    n_estimators : int, default=15
        Rounds of AdaBoost; after many more good rows have large weights, too.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. When neither this nor ``contamination`` is given,
        a twentieth of the rows are flagged, the most suspicious, but none that every round gets
        right.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` that draws; the compiled trees do not.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        v / (1 + v), v being the weight of a row over the mean weight: 0.5 at the mean, towards 1
        above; 0 everywhere if the first round makes no error, or is no better than guessing. A
        score, not a probability.
    flagged_, suggested_, sample_indices_, classes_, n_features_in_
        As in :class:`BoostEdgeFilter`.

    See Also
    --------
    BoostEdgeFilter : the same order, as fractions of the rounds.
    WeightPeeler : by the mean weight over hundreds of rounds, with a test.

    Notes
    -----
    After a round with weighted error e, the weights of the rows that it gets wrong are multiplied
    by (K - 1) (1 - e) / e and all are divided by their sum.

    References
    ----------
    .. [1] Verbaeten and Van Assche. Ensemble methods for noise elimination in classification
       problems. Multiple Classifier Systems, 2003.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.filters import BoostWeightFilter
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(600, random_state=0)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> filter_ = BoostWeightFilter(threshold=0.75).fit(X, labels)  # three times the mean weight
    >>> int(filter_.flagged_.sum()), int(flipped[filter_.flagged_].sum())
    (37, 28)
    """

    def _suspect(self, sums: RoundSums) -> np.ndarray:
        relative = len(sums.wrong) * softmax(sums.wrong)  # the weights start equal
        return relative / (1 + relative)
