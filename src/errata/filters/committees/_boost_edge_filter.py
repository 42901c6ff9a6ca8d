"""Boosting by its edge: distrust the labels that the rounds of AdaBoost get wrong."""

import numpy as np

from ._boosting import BoostFilter, RoundSums


class BoostEdgeFilter(BoostFilter):
    """Flag the rows that the rounds of a short AdaBoost get wrong, accurate rounds counting more.

    Wheway's use of the edge of a row, on few rounds: late ones struggle with good rows, too. Sure
    of what it flags and content with little: unless told otherwise, at most one row in twenty.
    Where noise is heavier, give ``contamination``, or take :class:`CrossValFilter`. Assumes errors
    that small trees cannot learn. Costs T rounds of AdaBoost, O(T n d) for the compiled trees after
    one sort of each of d features, and O(n K) memory for K classes.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; compiled trees of depth 2 when not given.
    n_estimators : int, default=15
        Rounds of AdaBoost; after many more it has memorised the wrong labels.
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
        Fraction of the rounds that get a row wrong, each weighted as in the decision, from 0 to 1;
        0 everywhere if the first round makes no error, or is no better than guessing. A score, not
        a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The other class that the rounds like best where a row is flagged, its label elsewhere.
    sample_indices_ : array of int
        The rows that are left.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    MarginPeeler : by the margin of the whole ensemble; flags more.
    MisclassificationPeeler : rounds weighted by the rows they get right.

    Notes
    -----
    Suspicion is the sum of a_t over the rounds t that are wrong about the row over the sum of all
    a_t = log((1 - e_t) / e_t) + log(K - 1), e_t being the weighted error of round t.

    References
    ----------
    .. [1] Wheway. Using boosting to detect noisy data. Advances in Artificial Intelligence,
       PRICAI 2000 Workshop Reader, 2001.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.filters import BoostEdgeFilter
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(600, random_state=0)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> filter_ = BoostEdgeFilter().fit(X, labels)
    >>> int(filter_.flagged_.sum()), int(flipped[filter_.flagged_].sum())
    (30, 23)
    """

    def _suspect(self, sums: RoundSums) -> np.ndarray:
        return sums.wrong / sums.total
