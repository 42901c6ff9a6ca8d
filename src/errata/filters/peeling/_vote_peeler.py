"""Vote peeling: distrust the labels that most rounds of AdaBoost contradict."""

import numpy as np

from ._peeling import Peeler, Rows


class VotePeeler(Peeler):
    """Flag the rows that most rounds of AdaBoost get wrong, all rounds counting alike.

    The plainest of the five peelers. With Gini stumps it flags more clean rows than published;
    ``criterion="error"`` comes near. A stump names two classes at most, so with more classes most
    rounds are wrong about many clean rows: there the order of the rows is of more use than the
    flags, and :class:`MarginPeeler` a better choice. Costs T rounds of AdaBoost, O(T n d) for
    stumps after one sort of each feature, and O(n T) time and memory for the votes.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=30
        Rounds of AdaBoost; after many more it has memorised the wrong labels.
    max_depth : int, default=1
        Depth of the trees; 1 are stumps.
    criterion : "gini" or "error", default="gini"
        What a cut of a tree makes as small as possible.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0 (a majority) unless ``contamination`` is given.
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
        Minus the mean vote: -1 where all rounds agree with the label, 1 where none does. A score.
        For rows left out it is that of the round in which they went, plus 2 for every round that
        came after.
    flagged_, suggested_, sample_indices_, margins_, booster_, classes_, n_features_in_
        As in :class:`MarginPeeler`.

    References
    ----------
    .. [1] Martinez and Gray. Noise peeling methods to improve boosting algorithms. Computational
       Statistics and Data Analysis 93, 2016.

    Examples
    --------
    The second of ten points on a line is mislabelled:

    >>> from errata.filters import VotePeeler
    >>> X = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]]
    >>> y = [1, 0, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> peeler = VotePeeler(n_estimators=3, criterion="error").fit(X, y)
    >>> peeler.flagged_.nonzero()[0], peeler.suggested_[1]
    (array([1]), np.int64(1))
    """

    def _judge(self, rows: Rows) -> tuple[np.ndarray, float]:
        return -mean_vote(self._agreement(rows)), 0.0


def mean_vote(agreement: np.ndarray) -> np.ndarray:
    """Mean over the rounds, from -1 (all wrong about the row) to 1."""
    return agreement.mean(axis=1, dtype=float)
