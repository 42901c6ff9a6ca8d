"""Hardness from models: classifiers that have not seen a row, and how finely a tree must cut."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import betaincinv
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from .. import _crossfit
from .._random import clone_keeping_seeds
from .._routing import make_router, route_fit
from .._validation import bring_near_one, check_choice, check_count, check_fraction
from ._measure import CERTAIN, NO_THRESHOLD, HardnessMeasure


class InstanceHardness(HardnessMeasure):
    """Suspect the rows that classifiers of several kinds get wrong without having seen them (IH).

    What the other measures try to explain: the probability that a row is misclassified, averaged
    over a pool of learners that fail in different ways, each predicting rows it was not fitted on.
    Use it when a few dozen fits are affordable; it takes the best of its members on most data and
    does not depend on any single view of it. It shares their blind spots: where all are misled, by
    errors that follow a pattern, so is it. Costs ``cv`` fits of each learner; the default pool
    takes O(n log n) to O(n²) time in n, O(d) in d, and O(n n_classes) memory.

    Parameters
    ----------
    estimators : list of classifiers, optional
        The pool, not fitted; diverse ones tell more than many. When left out: logistic regression
        and five nearest neighbours on standardised features, Gaussian naive Bayes, a decision tree
        with five rows in each leaf, and fifty extremely randomised trees.
    cv : int or splitter, default=5
        Number of stratified folds, or any splitter of scikit-learn that tests each row once. More
        folds train on more rows and cost more. A class with fewer rows than folds lowers their
        number.
    voting : {"soft", "hard"}, default="soft"
        Average the probabilities of the wrong classes, or count the learners that are wrong. A
        learner without ``predict_proba`` counts as certain of what it predicts; one torn between
        classes splits its vote.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    n_jobs : int, optional
        Number of fits at a time, -1 for as many as there are cores.
    random_state : int, RandomState or None, default=None
        Decides on the folds, and on what learners with a ``random_state`` draw.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Mean probability (or fraction) of misclassification, in [0, 1]; 0 for a row whose label is
        too rare to be learned without it. It estimates how hard a row is, not whether it is
        mislabelled.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The class favoured by the pool where a row is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The paper [1]_ averages over nine learning algorithms; high is hard there as here.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.

    Examples
    --------
    Eighteen of the wine's 178 labels are changed. The eighteen hardest rows are just those; the
    default threshold flags five more, and the right class is suggested for every changed label:

    >>> from sklearn.datasets import load_wine
    >>> from errata.hardness import InstanceHardness
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> detector = InstanceHardness(random_state=0).fit(X, labels)
    >>> hardest = detector.suspicion_.argsort()[-18:]
    >>> int(flipped[hardest].sum())
    18
    >>> int(detector.flagged_.sum())
    23
    >>> bool((detector.suggested_ == y)[flipped].all())
    True
    """

    _sparse = False

    def __init__(
        self,
        estimators: Sequence[Any] | None = None,
        *,
        cv: Any = 5,
        voting: str = "soft",
        threshold: float | None = None,
        contamination: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.voting = voting
        self.threshold = threshold
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state

    # Splitters need groups where they are given, so that no one has to ask for them.
    __metadata_request__fit: ClassVar = {"groups": True}

    def fit(self, X: Any, y: Any, groups: Any = None, **fit_params: Any) -> Self:
        """Measure how hard it is to reconcile each row of ``X`` with its label in ``y``.

        Rows of one of the ``groups`` are predicted by classifiers that saw none of them.
        ``fit_params`` is metadata for ``estimators``, if metadata routing is enabled.
        """
        X, codes = self._check_labelled(X, y)
        names = self._parts()
        routed = [route_fit(self, fit_params, name) for name in names] if names else None
        if fit_params and not names:
            route_fit(self, fit_params)
        return self._fit_codes(X, codes, _crossfit.encode_groups(groups, codes), routed)

    def _fit_codes(
        self,
        X: Any,
        codes: np.ndarray,
        groups: np.ndarray | None = None,
        fit_params: list[dict[str, Any]] | None = None,
    ) -> Self:
        """Measure rows and labels that have passed the checks; ``classes_`` is set."""
        suspicion, suggested = self._cross_fit(bring_near_one(X), codes, groups, fit_params)
        self._conclude(suspicion, codes, suggested)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata ``fit`` takes, and which it hands to ``estimators``."""
        return make_router(self, **self._parts())

    def __sklearn_tags__(self) -> Any:
        """Declare that missing values are accepted where all ``estimators`` accept them."""
        tags = super().__sklearn_tags__()
        parts = self._parts().values()
        tags.input_tags.allow_nan = bool(parts) and all(
            hasattr(part, "__sklearn_tags__") and get_tags(part).input_tags.allow_nan
            for part in parts
        )
        return tags

    def _cross_fit(
        self,
        X: Any,
        codes: np.ndarray,
        groups: np.ndarray | None,
        fit_params: list[dict[str, Any]] | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Hardness and suggested class of each row, the classes as codes."""
        check_choice("voting", self.voting, ("soft", "hard"))
        random = check_random_state(self.random_state)
        folds = _crossfit.deal_by_content(self.cv, X, codes, groups, random)
        pool = [clone_keeping_seeds(estimator, random) for estimator in self._pool(folds)]
        proba = _crossfit.predict_out_of_fold(
            pool, X, codes, folds, fit_params=fit_params, n_jobs=self.n_jobs
        )
        if self.voting == "hard":
            # One vote a learner and row, shared by the classes it finds likeliest.
            likeliest = proba == proba.max(axis=2, keepdims=True)
            proba = likeliest / likeliest.sum(axis=2, keepdims=True)
        mean = proba.mean(axis=0)
        hardness = np.clip(1 - mean[np.arange(len(codes)), codes], 0, 1)
        lacking = _crossfit.find_not_learnable(codes, folds)
        _crossfit.warn_of_not_learnable(lacking)
        return np.where(lacking, 0, hardness), mean.argmax(axis=1)

    def _parts(self) -> dict[str, Any]:
        """The user's estimators by name."""
        return {f"estimator_{i}": part for i, part in enumerate(self.estimators or [])}

    def _pool(self, folds: list[_crossfit.Fold]) -> Sequence[Any]:
        if self.estimators is None:
            # Five cheap learners with different ideas of what a class is.
            n_neighbors = min(5, *(len(train) for train, _ in folds))
            return [
                make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
                make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors)),
                GaussianNB(),
                DecisionTreeClassifier(min_samples_leaf=5),
                ExtraTreesClassifier(50),
            ]
        if len(self.estimators) == 0:
            raise ValueError("estimators is empty; pass at least one classifier, or None.")
        return self.estimators


class DisjunctSize(HardnessMeasure):
    """Suspect the rows for which a full tree needs a leaf of their own (DS hardness).

    A tree grown until every leaf is pure covers ordinary rows by large leaves (the disjuncts), and
    cuts small ones around rows that do not fit. Use it to see exceptions in tables of mixed scales,
    as trees do not care about units. Honest rows near a border live in small leaves too, so it
    ranks wrong labels less sharply than :class:`DisjunctClassPercentage` or neighbours do. The tree
    sees the row's own label. Costs O(n d log² n) time, O(n) memory.

    Parameters
    ----------
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. With neither this nor ``contamination``, the rows
        alone in their leaf are flagged.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Decides between splits that are equally good.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        One minus the size of the row's leaf over that of the largest, the row itself not counted;
        in [0, 1]. A score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The commonest label in the leaf of the pruned tree where a row is flagged, its own
        elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The paper [1]_ has ``DS(x) = (|leaf(x)| - 1) / (largest |leaf| - 1)`` on an unpruned C4.5 tree,
    low is hard; here, as everywhere in errata, high is hard. The tree is scikit-learn's, with
    the Gini index: unlike entropy it is computed without rounding, so that the order of the classes
    cannot decide between splits.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.

    Examples
    --------
    Two cuts single out the dog among the cats. Its leaf has one row, the largest has three:

    >>> from errata.hardness import DisjunctSize
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2]]
    >>> y = ["cat", "dog", "cat", "cat", "dog", "dog", "dog"]
    >>> DisjunctSize().fit(X, y).suspicion_
    array([1. , 1. , 0.5, 0.5, 0. , 0. , 0. ])
    """

    _native = CERTAIN
    _missing = True  # as scikit-learn's trees

    def __init__(
        self,
        *,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tree = grow_tree(X, codes, self.random_state)
        others = tree.sizes[tree.leaves] - 1
        suggested = grow_and_prune(X, codes, self.random_state).commonest(codes)
        return 1 - others / max(1, others.max()), suggested


class DisjunctClassPercentage(HardnessMeasure):
    """Suspect the rows that are a minority in their leaf of a pruned tree (DCP hardness).

    Pruning undoes the cuts made for the sake of single rows; a wrong label then lies in a leaf full
    of another class. The best of the tree measures for finding wrong labels, and indifferent to the
    units of the features. Use something else where classes are separated by slanted or curved
    borders, which a tree with few leaves describes badly. The tree sees the row's own label, but a
    pruned one has little room to obey it. Costs O(n d log² n) time, O(n) memory.

    Parameters
    ----------
    min_samples_leaf : int, default=5
        Fewest rows in a leaf before pruning. C4.5 asks for two, but two wrong labels side by side
        then have a leaf to themselves.
    confidence : float, default=0.25
        How much to trust the leaves before pruning, from 0 to 0.5; lower prunes more. See Notes.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (other labels fill more than half of the leaf)
        when neither this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Decides between splits that are equally good.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Fraction of the rows of the leaf that carry another label, in [0, 1). A score, not a
        probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The commonest label in the leaf where a row is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The paper [1]_ takes the fraction of the same label, on a pruned C4.5 tree, and a low value is
    hard; here, as everywhere in errata, high is hard. Pruning is C4.5's [2]_: with E errors among
    the N rows of a leaf, it expects N U(E, N) errors from new rows, U being the upper limit of the
    error rate at this confidence, and puts a leaf where the leaves below expect no fewer. Subtrees
    are replaced, not raised.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.
    .. [2] Quinlan. C4.5: Programs for machine learning. Morgan Kaufmann, 1993. Section 4.2.

    Examples
    --------
    The pruned tree has two leaves; one label in five disagrees with its leaf:

    >>> from errata.hardness import DisjunctClassPercentage
    >>> X = [[0.0], [0.1], [0.2], [0.3], [0.4], [5.0], [5.1], [5.2], [5.3], [5.4]]
    >>> y = ["cat", "cat", "dog", "cat", "cat", "dog", "dog", "dog", "dog", "dog"]
    >>> detector = DisjunctClassPercentage().fit(X, y)
    >>> detector.suspicion_
    array([0.2, 0.2, 0.8, 0.2, 0.2, 0. , 0. , 0. , 0. , 0. ])
    >>> detector.suggested_[detector.flagged_]
    array(['cat'], dtype='<U3')
    """

    _missing = True

    def __init__(
        self,
        *,
        min_samples_leaf: int = 5,
        confidence: float = 0.25,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        tree = grow_and_prune(
            X,
            codes,
            self.random_state,
            min_samples_leaf=check_count("min_samples_leaf", self.min_samples_leaf),
            confidence=check_fraction("confidence", self.confidence, high=0.5),
        )
        agreeing = tree.counts[tree.leaves, codes]
        return 1 - agreeing / tree.sizes[tree.leaves], tree.commonest(codes)


class TreeDepth(HardnessMeasure):
    """Call rows hard that lie deep in a decision tree (TD hardness, unpruned or pruned).

    The depth of a row's leaf is the length of the description it takes to give the row its label.
    Use it beside other measures, to see where the border between classes is intricate. It says
    little about single labels: a wrong one in the middle of a class lies somewhat deeper in a full
    tree, and no deeper than its neighbours in a pruned one. The tree sees the row's own label.
    Costs O(n d log² n) time, O(n) memory.

    Parameters
    ----------
    pruned : bool, default=False
        Measure in the tree of :class:`DisjunctClassPercentage` (TD_P) instead of the full one
        (TD_U).
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. Without it or ``contamination`` nothing
        is flagged: no depth is a reason by itself to doubt a label.
    contamination : float, optional
        Flag this fraction of the rows, the deepest first.
    random_state : int, RandomState or None, default=None
        Decides between splits that are equally good.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Depth of the row's leaf over that of the deepest one, in [0, 1]. A score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged; none unless asked for.
    suggested_ : array of shape (n,)
        The commonest label in the leaf of the pruned tree where a row is flagged, its own
        elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The paper [1]_ takes the depth itself; dividing it by the largest keeps the order.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.

    Examples
    --------
    One cut parts the classes, but for the dog among the cats, around which two more are needed:

    >>> from errata.hardness import TreeDepth
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["cat", "dog", "cat", "cat", "dog", "dog", "dog", "dog"]
    >>> TreeDepth().fit(X, y).suspicion_.round(2)
    array([1.  , 1.  , 0.67, 0.67, 0.33, 0.33, 0.33, 0.33])
    """

    _native = NO_THRESHOLD
    _missing = True

    def __init__(
        self,
        *,
        pruned: bool = False,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.pruned = pruned
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        pruned = grow_and_prune(X, codes, self.random_state)
        tree = pruned if self.pruned else grow_tree(X, codes, self.random_state)
        depth = tree.depths[tree.leaves]
        return depth / max(1, depth.max()), pruned.commonest(codes)


class GrownTree(NamedTuple):
    """A decision tree and where the rows it was grown on end up.

    Nodes are numbered such that parents come before their children.
    """

    left: np.ndarray  # (n_nodes,): first child, -1 for a leaf
    right: np.ndarray  # (n_nodes,): second child
    counts: np.ndarray  # (n_nodes, n_classes): how many rows of each label reach the node
    leaves: np.ndarray  # (n,): the leaf of each row

    @property
    def sizes(self) -> np.ndarray:
        """How many rows reach each node."""
        return self.counts.sum(axis=1)

    @property
    def depths(self) -> np.ndarray:
        """How many splits lie above each node."""
        depths = np.zeros(len(self.left), dtype=np.intp)
        for node in np.flatnonzero(self.left >= 0):
            depths[self.left[node]] = depths[self.right[node]] = depths[node] + 1
        return depths

    def commonest(self, codes: np.ndarray) -> np.ndarray:
        """The commonest label in the leaf of each row; its own when no other is commoner."""
        counts = self.counts[self.leaves]
        own = counts[np.arange(len(codes)), codes]
        return np.where(counts.max(axis=1) > own, counts.argmax(axis=1), codes)


def grow_tree(
    X: Any, codes: np.ndarray, random_state: Any, *, min_samples_leaf: int = 1
) -> GrownTree:
    """Split until every leaf holds one label, or rows that cannot be told apart or are too few."""
    model = DecisionTreeClassifier(random_state=random_state, min_samples_leaf=min_samples_leaf)
    nodes = model.fit(X, codes).tree_
    counts = np.rint(nodes.value[:, 0] * nodes.n_node_samples[:, None]).astype(np.intp)
    return GrownTree(nodes.children_left, nodes.children_right, counts, model.apply(X))


def prune(tree: GrownTree, confidence: float) -> GrownTree:
    """Replace subtrees by leaves, from the bottom, where that promises no more errors."""
    errors = estimate_errors(tree.counts, confidence)
    below = errors.copy()
    left = tree.left.copy()
    right = tree.right.copy()
    for node in np.flatnonzero(tree.left >= 0)[::-1]:
        below[node] = below[left[node]] + below[right[node]]
        if errors[node] <= below[node]:
            below[node] = errors[node]
            left[node] = right[node] = -1
    return GrownTree(left, right, tree.counts, _find_stops(tree, left)[tree.leaves])


def grow_and_prune(
    X: Any,
    codes: np.ndarray,
    random_state: Any,
    *,
    min_samples_leaf: int = 5,
    confidence: float = 0.25,
) -> GrownTree:
    """A tree too coarse to obey single labels."""
    return prune(grow_tree(X, codes, random_state, min_samples_leaf=min_samples_leaf), confidence)


def estimate_errors(counts: np.ndarray, confidence: float) -> np.ndarray:
    """Errors to expect from each node as a leaf: N U(E, N), section 4.2 of Quinlan (1993).

    U is the exact upper limit: E errors or fewer would have the probability ``confidence``.
    """
    sizes = counts.sum(axis=1)
    errors = sizes - counts.max(axis=1)
    return sizes * betaincinv(errors + 1, sizes - errors, 1 - confidence)


def _find_stops(tree: GrownTree, left: np.ndarray) -> np.ndarray:
    """For each node of the full tree, the node that a row on its way there now stops at."""
    stops = np.arange(len(left))
    for node in np.flatnonzero(tree.left >= 0):
        if stops[node] != node or left[node] < 0:
            stops[tree.left[node]] = stops[tree.right[node]] = stops[node]
    return stops
