"""Committees of models that are fitted to parts of the rows: bags, or a partition."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from ..._crossfit import make_folds, sort_by_content
from ..._random import draw_seed
from ..._validation import check_count, check_fraction
from ..._warn import warn_user
from ...ensemble._bagging import EstimatorPool, make_pool
from ...ensemble._bags import draw_bags, draw_uniformly
from .._base import Verdict
from ._base import (
    ABSTAINS,
    CommitteeFilter,
    check_gives_proba,
    count_votes,
    judge_by_votes,
    vote_line,
)

ROUNDING = 1e-12  # four of five rows may come out a little below 0.8


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

    def _judge(
        self, X: Any, codes: np.ndarray, random: Any, fit_params: Any, groups: Any
    ) -> Verdict:
        # Drawn by their content: reordering a table changes nothing.
        order = sort_by_content(X)
        n = len(codes)
        draw = draw_uniformly(n, random)
        bags = order[draw_bags(draw, (self.n_estimators, n), np.ones(n), codes[order], random)]
        routed = fit_params[0] if fit_params else {}
        pool = make_pool(self._members()[0], X, codes, bags, random, self.n_jobs, routed)
        ballots = pool.votes(X)
        if self.out_of_bag:
            ballots[bags.T, np.arange(len(bags))] = ABSTAINS
        self.votes_ = count_votes(ballots, len(self.classes_))
        wrong, suggested = judge_by_votes(self.votes_, codes)
        return wrong, suggested, vote_line(self.vote)


class PartitionFilter(CommitteeFilter):
    """Flag the rows whose label most models contradict, each fitted to one part of the data.

    For data too large, or too scattered, to be learned from as a whole: a model for each part, and
    one pass of all rows by the models. A model votes only where it is sure, which tells exceptions,
    on which no rule has much to say, from errors. On data that one model can take in,
    :class:`CrossValFilter` finds more: each of these models sees one part in ``n_partitions``.
    Assumes errors that the model cannot learn from a part. Costs p fits to n / p rows and p n
    predictions for p parts, that ``n_repeats`` times, and O(n p) memory.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, optional
        Fitted to every part; a decision tree with two rows or more in each leaf when not given,
        whose leaves are the rules of the paper.
    n_partitions : int, default=5
        Number of parts, alike in their labels. A class with fewer rows lowers it.
    min_confidence : float, default=0.8
        A model abstains where its largest probability is below. For a tree that is the fraction of
        the commonest class in a leaf; 0 lets all models vote.
    vote : "majority", "consensus" or float, default="majority"
        Flag the rows that more than half of the voters, all of them, or more than this fraction
        get wrong. A tie keeps the label.
    require_local : bool, default=False
        Whether the model of the row's own part must contradict the label too, else the suspicion
        is 0. Trees excuse what they have memorised, so that this misses most errors.
    n_repeats : int, default=1
        How often to partition; all votes are counted together.
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
        Decides on the parts, and on what classifiers draw.

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
    The partitioning filter of Zhu, Wu and Chen [1]_ in the form of Khoshgoftaar and Rebours [2]_,
    whose iterative filter goes on until three rounds in a row find less than one row in a hundred:
    ``Cleaner(PartitionFilter(), max_iter=50, tol=0.01, patience=3)``.

    References
    ----------
    .. [1] Zhu, Wu and Chen. Eliminating class noise in large datasets. ICML, 2003.
    .. [2] Khoshgoftaar and Rebours. Improving software quality prediction by noise filtering
       techniques. Journal of Computer Science and Technology 22, 2007.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.filters import Cleaner, PartitionFilter
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(1000, random_state=0)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> once = PartitionFilter(random_state=0).fit(X, labels)
    >>> again = Cleaner(PartitionFilter(random_state=0), max_iter=50, tol=0.01, patience=3)
    >>> again.fit(X, labels).n_iter_ > 3
    True
    >>> [int(flipped[rows].sum()) for rows in (once.sample_indices_, again.sample_indices_)]
    [38, 4]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_partitions: int = 5,
        min_confidence: float = 0.8,
        vote: str | float = "majority",
        require_local: bool = False,
        n_repeats: int = 1,
        threshold: float | None = None,
        contamination: float | None = None,
        min_per_class: int = 2,
        max_fraction: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_partitions = n_partitions
        self.min_confidence = min_confidence
        self.vote = vote
        self.require_local = require_local
        self.n_repeats = n_repeats
        self.threshold = threshold
        self.contamination = contamination
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        if self.estimator is None:
            return [DecisionTreeClassifier(min_samples_leaf=2)]
        return [self.estimator]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_partitions", self.n_partitions, low=2)
        check_count("n_repeats", self.n_repeats)
        check_fraction("min_confidence", self.min_confidence)
        vote_line(self.vote)
        check_gives_proba(self._members()[0])

    def _judge(
        self, X: Any, codes: np.ndarray, random: Any, fit_params: Any, groups: Any
    ) -> Verdict:
        ballots = []
        excused = np.zeros(len(codes), dtype=bool)
        routed = fit_params[0] if fit_params else {}
        for _ in range(self.n_repeats):
            parts = self._draw_parts(X, codes, random)
            pool = EstimatorPool.fit(
                self._members()[0], X, codes, parts, random, self.n_jobs, routed
            )
            ballots.append(np.column_stack([self._vote(model, X) for model in pool.estimators]))
            if self.require_local:
                excused |= find_excused(ballots[-1], codes, parts)
        self.votes_ = count_votes(np.hstack(ballots), len(self.classes_))
        wrong, suggested = judge_by_votes(self.votes_, codes)
        return np.where(excused, 0.0, wrong), suggested, vote_line(self.vote)

    def _draw_parts(
        self, X: Any, codes: np.ndarray, random: np.random.RandomState
    ) -> list[np.ndarray]:
        folds = make_folds(
            self.n_partitions,
            codes,
            X=X,
            every_class=True,
            by_content=True,
            random_state=draw_seed(random),
        )
        if len(folds) < self.n_partitions:
            warn_user(
                f"The rarest class has fewer rows than n_partitions={self.n_partitions}; "
                f"{len(folds)} parts are made. Merge rare classes, or leave them out."
            )
        return [rows for _, rows in folds]

    def _vote(self, model: Any, X: Any) -> np.ndarray:
        """The code that a model gives to each row, where it is sure enough."""
        proba = model.predict_proba(X)
        sure = proba.max(axis=1) >= self.min_confidence - ROUNDING
        return np.where(sure, model.classes_[proba.argmax(axis=1)], ABSTAINS)


def find_excused(ballots: np.ndarray, codes: np.ndarray, parts: list[np.ndarray]) -> np.ndarray:
    """Rows that the model of their own part does not contradict, be it that it abstains."""
    excused = np.zeros(len(codes), dtype=bool)
    for part, rows in enumerate(parts):
        own = ballots[rows, part]
        excused[rows] = (own == ABSTAINS) | (own == codes[rows])
    return excused
