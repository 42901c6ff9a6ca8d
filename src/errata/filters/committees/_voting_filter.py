"""Voting: distrust the labels that most classifiers of a committee contradict."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from .._base import Verdict
from ._base import Question
from ._cross_validation import CrossValidatedFilter
from ._votes import count_votes, judge_by_votes, vote_line


class VotingFilter(CrossValidatedFilter):
    """Flag the rows whose label most, or all, classifiers of a committee contradict.

    Brodley and Friedl's majority and consensus filters. Classifiers that fail in different ways
    seldom agree on a wrong answer, so what they agree on is worth more than the opinion of any one
    of them. Majority finds nearly all errors and some right labels; consensus is sure of what it
    flags and misses more, which is the better choice where rows are scarce. A few votes make a
    coarse order of the rows: where that matters, take :class:`CrossValFilter`. Assumes errors that
    the classifiers cannot learn; scale the features for neighbours. Costs ``cv`` fits of each
    classifier and O(n m) memory for m of them.

    Parameters
    ----------
    estimators : list of classifiers, optional
        The committee, not fitted. When left out, as in the paper: a decision tree, the nearest
        neighbour, and linear discriminant analysis (for sparse rows, which it does not take, ridge
        classification).
    vote : "majority", "consensus" or float, default="majority"
        Flag the rows that more than half of the classifiers, all of them, or more than this
        fraction get wrong. A tie keeps the label.
    cv : int or splitter, default=4
        Number of stratified folds, the same for all classifiers, or any splitter of scikit-learn
        that tests each row once. A class with fewer rows than folds lowers their number.
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
        Decides on the folds, and on what classifiers whose ``random_state`` is None draw.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Fraction of the classifiers that contradict the label; 0 for a row whose label is too rare
        to be learned without it. A score, not a probability.
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
    Suspicion is w = (wrong votes) / (votes). Iterated voting is
    ``Cleaner(VotingFilter(), max_iter=50)``.

    References
    ----------
    .. [1] Brodley and Friedl. Identifying mislabeled training data. Journal of Artificial
       Intelligence Research 11, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from errata.filters import VotingFilter
    >>> from errata.noise import flip_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> for vote in ("majority", "consensus"):
    ...     flagged = VotingFilter(vote=vote, random_state=0).fit(X, labels).flagged_
    ...     print(f"{vote}: {flipped[flagged].sum()} of {flipped.sum()}, {flagged.sum()} flagged")
    majority: 15 of 15, 25 flagged
    consensus: 13 of 15, 18 flagged
    """

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        *,
        vote: str | float = "majority",
        cv: Any = 4,
        threshold: float | None = None,
        contamination: float | None = None,
        min_per_class: int = 2,
        max_fraction: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.vote = vote
        self.cv = cv
        self.threshold = threshold
        self.contamination = contamination
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _parts(self) -> dict[str, Any]:
        return {f"estimator_{i}": part for i, part in enumerate(self.estimators or [])}

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        if self.estimators is not None:
            return self.estimators
        linear = RidgeClassifier() if sparse else LinearDiscriminantAnalysis()
        return [DecisionTreeClassifier(), KNeighborsClassifier(1), linear]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        vote_line(self.vote)
        if len(self._members()) == 0:
            raise ValueError("estimators is empty; pass at least one classifier, or None.")

    def _judge(self, question: Question) -> Verdict:
        members = self._members(sparse=not isinstance(question.X, np.ndarray))
        answers, lacking = self._predict(question, members, certain=True)
        self.votes_ = count_votes(answers.argmax(axis=2).T, len(self.classes_))
        wrong, suggested = judge_by_votes(self.votes_, question.codes)
        return Verdict(np.where(lacking, 0.0, wrong), suggested, vote_line(self.vote))
