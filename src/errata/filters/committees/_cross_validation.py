"""Committees whose members predict each row once, without having seen it."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import entr
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ..._crossfit import (
    Fold,
    encode_groups,
    find_not_learnable,
    make_folds,
    predict_out_of_fold,
    sort_by_content,
    warn_of_not_learnable,
)
from ..._detector import compute_margin, split_own_and_best_other
from ..._random import clone_keeping_seeds, draw_seed
from ..._validation import check_choice
from .._base import Verdict
from ._base import (
    CommitteeFilter,
    check_gives_proba,
    count_votes,
    judge_by_votes,
    vote_line,
)

LEAST = 1e-15  # probability of which a logarithm is taken


class CrossValidatedFilter(CommitteeFilter):
    """A committee that is fitted fold by fold, all of its members on the same folds."""

    cv: Any
    n_jobs: int | None

    # Splitters need groups where they are given, so that no one has to ask for them.
    __metadata_request__fit: ClassVar = {"groups": True}

    def fit(self, X: Any, y: Any, groups: Any = None, **fit_params: Any) -> Self:
        """Judge each label of ``y`` by models that have not seen it.

        Rows of one of the ``groups`` are judged by models that saw none of them. ``fit_params`` is
        metadata for the user's estimators, if metadata routing is enabled.
        """
        X, codes = self._check_labelled(X, y)
        groups = encode_groups(groups, codes)
        return self._fit_codes(X, codes, fit_params=self._route(fit_params), groups=groups)

    def _predict(
        self,
        members: Any,
        X: Any,
        codes: np.ndarray,
        random: Any,
        fit_params: Any,
        groups: Any,
        *,
        certain: bool = False,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities by each member (m, n, K), and the rows whose label nobody could learn."""
        folds = self._make_folds(X, codes, random, groups)
        proba = predict_out_of_fold(
            [clone_keeping_seeds(member, random) for member in members],
            X,
            codes,
            folds,
            fit_params=fit_params,
            certain=certain,
            n_jobs=self.n_jobs,
        )
        lacking = find_not_learnable(codes, folds)
        warn_of_not_learnable(lacking)
        return proba, lacking

    def _make_folds(self, X: Any, codes: np.ndarray, random: Any, groups: Any) -> list[Fold]:
        if isinstance(self.cv, str) and self.cv == "insample":
            rows = sort_by_content(X)  # as in folds, so that reordering a table changes nothing
            return [(rows, rows)]
        return make_folds(
            self.cv,
            codes,
            X=X,
            groups=groups,
            every_class=True,
            by_content=True,
            random_state=draw_seed(random),
        )


class CrossValFilter(CrossValidatedFilter):
    """Flag the rows to which a classifier, fitted to the others, would give another label.

    The oldest of the model-based filters and the first to try: whatever classifier predicts the
    labels well finds wrong ones well. It assumes that errors do not follow a pattern that the
    classifier can learn; where all rows of a region are wrong alike it believes them. Not for data
    on which the classifier is poor (then most of what it flags is right), nor as a detector of
    outliers. Costs ``cv`` fits of the classifier and O(n K) memory for K classes.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, optional
        Fitted anew for every fold; a random forest of 100 trees when not given.
    cv : int, splitter or "insample", default=5
        Number of stratified folds, or any splitter of scikit-learn that tests each row once; more
        folds train on more rows and cost more. A class with fewer rows than folds lowers their
        number. "insample" predicts the rows that the classifier was fitted to: of use with
        classifiers that cannot memorise them, such as pruned trees.
    criterion : {"self_confidence", "margin", "surprise", "entropy"}, default="self_confidence"
        What the suspicion is, see Notes. It orders the rows; which are flagged does not depend on
        it unless ``threshold`` or ``contamination`` is given.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. When neither this nor ``contamination`` is given,
        rows are flagged for which another class is likelier than the label.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    n_jobs : int, optional
        Number of fits at a time, -1 for as many as there are cores.
    random_state : int, RandomState or None, default=None
        Decides on the folds, and on what a classifier whose ``random_state`` is None draws.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        The score; 0 for a row whose label is too rare to be learned without it. It orders rows and
        is no probability of being mislabelled.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The likeliest class where a row is flagged, its label elsewhere.
    proba_ : array of shape (n, n_classes)
        The probabilities that it is drawn from.
    sample_indices_ : array of int
        The rows that are left.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    VotingFilter : several classifiers, one vote each.
    errata.hardness.InstanceHardness : the mean over a pool of classifiers.

    Notes
    -----
    With p(q) the probability of class q for a row, l its label and K classes, the scores are
    "self_confidence": 1 - p(l); "margin": (max p(q) - p(l) + 1) / 2 over the other classes q;
    "surprise": -log p(l), at most 34.5, as probabilities below 1e-15 count as that; "entropy":
    1 - H(p) / log K where another class is likelier than l, else 0. The first two are one minus the
    scores of those names in cleanlab.

    Gamberger et al. [1]_ used ten folds. Sun et al. [2]_ relabel where the entropy is low:
    ``Cleaner(CrossValFilter(criterion="entropy", threshold=0.5), action="relabel")``. Robust C4.5
    [3]_ prunes, leaves out what the tree gets wrong, and begins again:
    ``Cleaner(CrossValFilter(DecisionTreeClassifier(ccp_alpha=0.01), cv="insample"), max_iter=50)``.

    References
    ----------
    .. [1] Gamberger, Lavrac and Groselj. Experiments with noise filtering in a medical domain.
       ICML, 1999.
    .. [2] Sun, Zhao, Wang and Chen. Identifying and correcting mislabeled training instances.
       Future Generation Communication and Networking, 2007.
    .. [3] John. Robust decision trees: removing outliers from databases. KDD, 1995.

    Examples
    --------
    A tenth of the wine's labels are changed:

    >>> from sklearn.datasets import load_wine
    >>> from errata.filters import CrossValFilter
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> filter_ = CrossValFilter(random_state=0)
    >>> X_left, y_left = filter_.fit_resample(X, labels)
    >>> int(flipped.sum()), int(filter_.flagged_.sum()), int(flipped[filter_.flagged_].sum())
    (18, 21, 18)
    >>> bool((filter_.suggested_ == y)[flipped].all())
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: Any = 5,
        criterion: str = "self_confidence",
        threshold: float | None = None,
        contamination: float | None = None,
        min_per_class: int = 2,
        max_fraction: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.criterion = criterion
        self.threshold = threshold
        self.contamination = contamination
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        return [RandomForestClassifier() if self.estimator is None else self.estimator]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("criterion", self.criterion, tuple(SCORES))
        check_gives_proba(self._members()[0])

    def _judge(
        self, X: Any, codes: np.ndarray, random: Any, fit_params: Any, groups: Any
    ) -> Verdict:
        (proba,), lacking = self._predict(self._members(), X, codes, random, fit_params, groups)
        self.proba_ = proba / proba.sum(axis=1, keepdims=True)
        suspicion = SCORES[self.criterion](self.proba_, codes)
        contradicted = compute_margin(self.proba_, codes) > 0.5
        suspicion = np.where(lacking, 0.0, suspicion)
        return suspicion, self.proba_.argmax(axis=1), contradicted & ~lacking


def score_distrust(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """1 - p(label): one minus the self-confidence."""
    return 1 - split_own_and_best_other(proba, codes)[0]


def score_surprise(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """-log p(label), at most 34.5: that of the least probability."""
    return -np.log(np.maximum(split_own_and_best_other(proba, codes)[0], LEAST))


def score_contradiction(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How far the entropy is below its maximum, where another class is likelier; 0 elsewhere."""
    own, other = split_own_and_best_other(proba, codes)
    certainty = 1 - entr(proba).sum(axis=1) / np.log(proba.shape[1])
    return np.where(other > own, certainty, 0.0)


SCORES = {
    "self_confidence": score_distrust,
    "margin": compute_margin,
    "surprise": score_surprise,
    "entropy": score_contradiction,
}


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

    def _judge(
        self, X: Any, codes: np.ndarray, random: Any, fit_params: Any, groups: Any
    ) -> Verdict:
        members = self._members(sparse=not isinstance(X, np.ndarray))
        answers, lacking = self._predict(
            members, X, codes, random, fit_params, groups, certain=True
        )
        self.votes_ = count_votes(answers.argmax(axis=2).T, len(self.classes_))
        wrong, suggested = judge_by_votes(self.votes_, codes)
        return np.where(lacking, 0.0, wrong), suggested, vote_line(self.vote)
