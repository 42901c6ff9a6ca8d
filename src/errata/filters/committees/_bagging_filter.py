"""Bagging: distrust the labels that most trees contradict, each grown without the row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from ..._crossfit import content_order
from ..._validation import check_count
from ...ensemble._bags import draw_bags, uniformly
from ...ensemble.bagging._pools import make_pool
from .._base import Verdict
from ._base import CommitteeFilter, Question
from ._votes import ABSTAINS, count_votes, judge_by_votes, vote_line


class BaggingFilter(CommitteeFilter):
    """Flag the rows whose label most of many bootstrapped classifiers contradict.

    Each classifier learns from rows drawn with replacement, which leaves out a third of them; on
    those it may vote. Many votes order the rows more finely than the few of :class:`VotingFilter`,
    at the price of one kind of classifier for all. Majority flags many right labels where noise is
    heavy; ``vote=0.7`` flags fewer. Assumes errors that the classifier cannot learn. Costs
    ``n_estimators`` fits, and O(n m) memory for m of them.

    Parameters
    ----------
    estimator : classifier, optional
        Fitted to every bag; a decision tree when not given.
    vote : "majority", "consensus" or float, default="majority"
        Flag the rows that more than half of the voters, all of them, or more than this fraction
        get wrong. A tie keeps the label.
    n_estimators : int, default=50
        Number of bags. The more, the finer the order, and the fewer rows without a vote.
    out_of_bag : bool, default=True
        Whether classifiers vote only on rows that were not in their bag. False is the paper's
        letter, by which trees that have memorised their bag find next to nothing.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it, whatever ``vote`` says.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    n_jobs : int, optional
        Number of fits at a time, -1 for as many as there are cores.
    random_state : int, RandomState or None, default=None
        Decides on the bags, and on what classifiers draw.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Fraction of the votes that contradict the label, 0 without a vote. A score, not a
        probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The class with the most votes where a row is flagged (of equals the label, or else the
        first), its label elsewhere.
    votes_ : array of int of shape (n, n_classes)
        Number of votes for each class.
    sample_indices_ : array of int
        The rows that are left.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Verbaeten and Van Assche [1]_ let all classifiers vote on every row. With unpruned trees we
    measured a recall of one to nine percent that way, hence the default.

    References
    ----------
    .. [1] Verbaeten and Van Assche. Ensemble methods for noise elimination in classification
       problems. Multiple Classifier Systems, 2003.
    .. [2] Sluban, Gamberger and Lavrac. Advances in class noise detection. ECAI, 2010 (a forest
       with a majority of 0.7 to 0.8).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from errata.filters import BaggingFilter
    >>> from errata.noise import flip_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> for vote in ("majority", 0.7):
    ...     flagged = BaggingFilter(vote=vote, random_state=0).fit(X, labels).flagged_
    ...     print(f"{vote}: {flipped[flagged].sum()} of {flipped.sum()}, {flagged.sum()} flagged")
    majority: 15 of 15, 34 flagged
    0.7: 14 of 15, 22 flagged
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        vote: str | float = "majority",
        n_estimators: int = 50,
        out_of_bag: bool = True,
        threshold: float | None = None,
        contamination: float | None = None,
        min_per_class: int = 2,
        max_fraction: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.vote = vote
        self.n_estimators = n_estimators
        self.out_of_bag = out_of_bag
        self.threshold = threshold
        self.contamination = contamination
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        return [DecisionTreeClassifier() if self.estimator is None else self.estimator]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        vote_line(self.vote)
        check_count("n_estimators", self.n_estimators)

    def _judge(self, question: Question) -> Verdict:
        self.votes_ = count_votes(self._ballots(question), len(self.classes_))
        wrong, suggested = judge_by_votes(self.votes_, question.codes)
        return Verdict(wrong, suggested, vote_line(self.vote))

    def _ballots(self, question: Question) -> np.ndarray:
        """The code that each classifier gives to each row, (n, n_estimators)."""
        X, codes, random, fit_params, _ = question
        bags = self._bags(question)
        routed = fit_params[0] if fit_params else {}
        pool = make_pool(self._members()[0], X, codes, bags, random, self.n_jobs, routed)
        ballots = pool.votes(X)
        if self.out_of_bag:
            ballots[bags.T, np.arange(len(bags))] = ABSTAINS
        return ballots

    def _bags(self, question: Question) -> np.ndarray:
        """The rows of each bag, drawn by their content: reordering a table changes nothing."""
        order, n = content_order(question.X), len(question.codes)
        draw = uniformly(n, question.random)
        shape, p = (self.n_estimators, n), np.ones(n)
        return order[draw_bags(draw, shape, p, question.codes[order], question.random)]
