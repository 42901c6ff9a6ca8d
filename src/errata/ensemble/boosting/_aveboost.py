"""AveBoost2: AdaBoost whose weights are averaged over all rounds."""

import numpy as np

from ._tempered import TemperedBooster


class AveBoostClassifier(TemperedBooster):
    """AveBoost2: each round's weights are the average of all that AdaBoost has proposed so far.

    The later a round, the less it moves the weights, so that wrong labels take long to gather any;
    the vote of a late round counts less by as much. Reach for it where labels are wrong at random
    and a few stumps do well on clean ones: elsewhere it is slow to learn, and below AdaBoost on the
    mean of ten sets with noise and without (``benchmarks/tempered_boosting.py``). With more than
    two classes the base estimator must be right on half the weight (see ``max_depth``). Costs
    O(T D n d) for T rounds of trees of depth D on n rows of d features, as AdaBoost.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=50
        Number of rounds at most; a base estimator that is wrong on half the weight is left
        out and ends them, one without error (counted as 1e-10) is kept and ends them, too.
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
    With e the weighted error of round t (the first being 1), AdaBoost proposes v_i = w_i / (2 e)
    for wrong rows and w_i / (2 (1 - e)) for right ones, and the next weights are (t w + v) /
    (t + 1). The vote counts a_t = log((1 - e) / (e g)), g = (2 (1 - e) t + 1) / (2 e t + 1): just
    the logarithm of the factor by which wrong rows gain on right ones. So it is AdaBoost with
    smaller steps, and is computed as such. If the first base estimator is wrong on half the weight
    and still better than guessing, it stays alone, with a warning. ``predict_proba`` gives the
    fractions of the votes.

    References
    ----------
    .. [1] Oza. AveBoost2: boosting for noisy data. Multiple Classifier Systems, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from errata.ensemble import AveBoostClassifier, DiscreteAdaBoostClassifier
    >>> from errata.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y[:300], 0.3, random_state=0)
    >>> boosters = AveBoostClassifier(), DiscreteAdaBoostClassifier(n_estimators=50)
    >>> [round(b.fit(X[:300], labels).score(X[300:], y[300:]), 2) for b in boosters]
    [0.93, 0.87]
    """

    def _alpha(self, error: float, t: int) -> float:
        step = averaged_step(error, t + 1)
        return step / 2 if len(self.classes_) == 2 else step

    def _largest_error(self) -> float:
        return 0.5


def averaged_step(error: float, t: int) -> float:
    """Logarithm of the factor by which wrong rows gain on right ones in round t, from 1 on."""
    wrong, right = t + 1 / (2 * error), t + 1 / (2 * (1 - error))
    return float(np.log(wrong / right))
