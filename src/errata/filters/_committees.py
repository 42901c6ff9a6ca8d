"""Committees: they ask models about the labels, and count the votes against them.

Members predict each row once, without having seen it; or they are fitted to parts of the rows,
which are bags or a partition; or they are a few rounds of AdaBoost, which distrust labels they get
wrong, or rows they spend weight on.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import entr, softmax
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from .._crossfit import (
    Fold,
    deal_by_content,
    encode_groups,
    find_not_learnable,
    predict_out_of_fold,
    sort_by_content,
    warn_of_not_learnable,
)
from .._detector import (
    DetectorMixin,
    compute_margin,
    find_favourite_other,
    flag,
    split_own_and_best_other,
)
from .._random import clone_keeping_seeds
from .._routing import make_router, route_fit
from .._validation import bring_near_one, check_choice, check_count, check_fraction, check_labelled
from .._warn import warn_user
from ..ensemble import DiscreteAdaBoostClassifier
from ..ensemble._bagging import EstimatorPool, draw_bags, draw_uniformly, make_pool
from ..ensemble.boosting._adaboost import PERFECT
from ..ensemble.boosting._base import make_base_learner
from ..hardness._measure import CERTAIN
from ._base import Filter, Verdict, merge_tags

ABSTAINS = -1  # instead of the code of a class
RULES = {"majority": 0.5, "consensus": CERTAIN}

LEAST = 1e-15  # probability of which a logarithm is taken

ROUNDING = 1e-12  # four of five rows may come out a little below 0.8

NATIVE_FRACTION = 0.05  # of the rows are flagged at most when no rule is given
MAX_DEPTH = 2  # of the compiled trees


class CommitteeFilter(DetectorMixin, Filter):
    """A filter that asks models; a subclass says in ``_judge`` which, and what follows from it."""

    random_state: Any

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Judge each label of ``y``.

        ``fit_params`` is metadata for the user's estimators, if metadata routing is enabled.
        """
        X, codes = self._check_labelled(X, y)
        return self._fit_codes(X, codes, fit_params=self._route(fit_params))

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata ``fit`` takes, and which it hands to the user's estimators."""
        return make_router(self, **self._parts())

    def __sklearn_tags__(self) -> Any:
        """Accept what all members of the committee accept."""
        return merge_tags(super().__sklearn_tags__(), *self._members(sparse=True))

    def _fit_codes(
        self,
        X: Any,
        codes: np.ndarray,
        *,
        fit_params: Sequence[dict[str, Any]] = (),
        groups: np.ndarray | None = None,
    ) -> Self:
        """Judge rows and labels that have passed the checks; ``classes_`` is set."""
        self._check_parameters()
        random = check_random_state(self.random_state)
        suspicion, suggested, native = self._judge(
            bring_near_one(X), codes, random, fit_params, groups
        )
        self._conclude(suspicion, codes, suggested, native=native)
        self._leave_out(codes)
        return self

    def _check_labelled(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        sparse = "csr" if get_tags(self).input_tags.sparse else False
        return check_labelled(self, X, y, min_classes=2, accept_sparse=sparse, ensure_min_samples=2)

    def _route(self, fit_params: dict[str, Any]) -> list[dict[str, Any]]:
        """Which of the metadata goes to which estimator of the user."""
        parts = self._parts()
        if fit_params and not parts:
            route_fit(self, fit_params)  # raises, as nobody takes it
        return [route_fit(self, fit_params, name) for name in parts]

    def _parts(self) -> dict[str, Any]:
        """The user's estimators by name."""
        estimator = getattr(self, "estimator", None)
        return {} if estimator is None else {"estimator": estimator}

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        """The user's estimators, or the default ones for dense or sparse rows."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        self._check_guards()

    def _judge(
        self,
        X: Any,
        codes: np.ndarray,
        random: np.random.RandomState,
        fit_params: Sequence[dict[str, Any]],
        groups: np.ndarray | None,
    ) -> Verdict:
        """Ask the committee; ``fit_params`` are for each estimator of the user."""
        raise NotImplementedError


def check_gives_proba(estimator: Any) -> None:
    """Raise when a classifier cannot say how sure it is."""
    if not hasattr(estimator, "predict_proba"):
        name = type(estimator).__name__
        raise TypeError(
            f"{name} has no predict_proba; pass CalibratedClassifierCV({name}(...)) of "
            "sklearn.calibration, or another classifier that gives probabilities."
        )


def vote_line(vote: Any) -> float:
    """The fraction of wrong votes that a flagged row exceeds."""
    if isinstance(vote, str) and vote in RULES:
        return RULES[vote]
    try:
        line = check_fraction("vote", vote)
    except ValueError:
        line = 0.0
    if not 0 < line < 1:
        raise ValueError(
            f"vote={vote!r} is not known; choose majority, consensus, or a number above 0 and "
            "below 1, the fraction of wrong votes that a flagged row exceeds."
        )
    return line


def count_votes(ballots: np.ndarray, n_classes: int) -> np.ndarray:
    """Number of votes for each class, (n, n_classes), from the codes that each voter named (n, m).

    Examples
    --------
    >>> count_votes(np.array([[0, 1, 1], [2, ABSTAINS, 2], [ABSTAINS] * 3]), 3)
    array([[1, 2, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    row, voter = np.nonzero(ballots != ABSTAINS)
    cells = row * n_classes + ballots[row, voter]
    return np.bincount(cells, minlength=len(ballots) * n_classes).reshape(-1, n_classes)


def judge_by_votes(votes: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fraction of the votes that are against each label, and the code that most are for.

    Without a vote nothing is held against a label. Of equals, the label itself is named, or else
    the first.

    Examples
    --------
    >>> judge_by_votes(np.array([[1, 2, 0], [1, 1, 0], [0, 0, 0]]), np.array([0, 1, 2]))
    (array([0.66666667, 0.5       , 0.        ]), array([1, 1, 2]))
    """
    own = votes[np.arange(len(codes)), codes]
    cast = votes.sum(axis=1)
    wrong = np.divide(cast - own, cast, out=np.zeros(len(codes)), where=cast > 0)
    return wrong, np.where(own == votes.max(axis=1), codes, votes.argmax(axis=1))


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
        return deal_by_content(self.cv, X, codes, groups, random)


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
        folds = deal_by_content(self.n_partitions, X, codes, None, random)
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


class BoostFilter(CommitteeFilter):
    """AdaBoost is the committee; a subclass says in ``_suspect`` what its rounds give away."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 15,
        threshold: float | None = None,
        contamination: float | None = None,
        min_per_class: int = 2,
        max_fraction: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.threshold = threshold
        self.contamination = contamination
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction
        self.random_state = random_state

    def _suspect(self, wrong: np.ndarray, total: float) -> np.ndarray:
        raise NotImplementedError

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        return [self._booster()]

    def _check_labelled(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        return check_labelled(self, X, y, min_classes=2, dtype=float, ensure_min_samples=2)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_estimators", self.n_estimators)

    def _judge(
        self, X: Any, codes: np.ndarray, random: Any, fit_params: Any, groups: Any
    ) -> Verdict:
        n = len(codes)
        learner = make_base_learner(
            self.estimator,
            X,
            max_depth=MAX_DEPTH,
            by_error=False,
            random=random,
            fit_params=fit_params[0] if fit_params else {},
        )
        booster = self._booster()
        booster.classes_ = self.classes_  # the loop needs to know how many there are
        rounds = booster._rounds(learner, booster._distribution(np.full(n, 1 / n), codes))
        # The step is by how much the logarithms of weights grow: SAMME's a, also for two classes.
        steps = [
            (base.outputs, booster._step(alpha)) for base, alpha, error in rounds if error > PERFECT
        ]
        total, wrong, towards = add_rounds(steps, codes, len(self.classes_))
        # Where no round tells rows apart, as on data without errors, none is suspicious.
        suspicion = self._suspect(wrong, total) if total else np.zeros(n)
        native = flag(suspicion, contamination=NATIVE_FRACTION) & (wrong > 0)
        return suspicion, find_favourite_other(towards, codes), native

    def _booster(self) -> DiscreteAdaBoostClassifier:
        return DiscreteAdaBoostClassifier(
            self.estimator, n_estimators=self.n_estimators, max_depth=MAX_DEPTH
        )


def add_rounds(
    rounds: Sequence[tuple[np.ndarray, float]], codes: np.ndarray, n_classes: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """Sums of the weights of all rounds, of those wrong about a row, and of those for a class."""
    rows = np.arange(len(codes))
    total = 0.0
    wrong = np.zeros(len(codes))
    towards = np.zeros((len(codes), n_classes))
    for predicted, a in rounds:
        total += a
        # Not total minus towards[codes], which rounding would leave a little above 0.
        wrong += np.where(predicted != codes, a, 0.0)
        towards[rows, predicted] += a
    return total, wrong, towards


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

    def _suspect(self, wrong: np.ndarray, total: float) -> np.ndarray:
        return wrong / total


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

    def _suspect(self, wrong: np.ndarray, total: float) -> np.ndarray:
        relative = len(wrong) * softmax(wrong)  # the weights start equal
        return relative / (1 + relative)
