"""Hardness from classifiers: how often a row is misclassified by those that have not seen it."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from .._crossfit import (
    Fold,
    encode_groups,
    find_not_learnable,
    make_folds,
    predict_out_of_fold,
    warn_of_not_learnable,
)
from .._random import clone_keeping_seeds, draw_seed
from .._routing import make_router, route_fit
from .._validation import check_choice
from ._measure import HardnessMeasure


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
        return self._fit_codes(X, codes, encode_groups(groups, codes), routed)

    def _fit_codes(
        self,
        X: Any,
        codes: np.ndarray,
        groups: np.ndarray | None = None,
        fit_params: list[dict[str, Any]] | None = None,
    ) -> Self:
        """Measure rows and labels that have passed the checks; ``classes_`` is set."""
        suspicion, suggested = self._cross_fit(X, codes, groups, fit_params)
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
        folds = make_folds(
            self.cv,
            codes,
            X=X,
            groups=groups,
            every_class=True,
            by_content=True,
            random_state=draw_seed(random),
        )
        pool = [clone_keeping_seeds(estimator, random) for estimator in self._pool(folds)]
        proba = predict_out_of_fold(
            pool, X, codes, folds, fit_params=fit_params, n_jobs=self.n_jobs
        )
        if self.voting == "hard":
            proba = _convert_to_votes(proba)
        mean = proba.mean(axis=0)
        hardness = np.clip(1 - mean[np.arange(len(codes)), codes], 0, 1)
        lacking = find_not_learnable(codes, folds)
        warn_of_not_learnable(lacking)
        return np.where(lacking, 0, hardness), mean.argmax(axis=1)

    def _parts(self) -> dict[str, Any]:
        """The user's estimators by name."""
        return {f"estimator_{i}": part for i, part in enumerate(self.estimators or [])}

    def _pool(self, folds: list[Fold]) -> Sequence[Any]:
        if self.estimators is None:
            return _make_default_pool(min(len(train) for train, _ in folds))
        if len(self.estimators) == 0:
            raise ValueError("estimators is empty; pass at least one classifier, or None.")
        return self.estimators


def _make_default_pool(n: int) -> list[Any]:
    """Five cheap learners with different ideas of what a class is, to be fitted on n rows."""
    return [
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        make_pipeline(StandardScaler(), KNeighborsClassifier(min(5, n))),
        GaussianNB(),
        DecisionTreeClassifier(min_samples_leaf=5),
        ExtraTreesClassifier(50),
    ]


def _convert_to_votes(proba: np.ndarray) -> np.ndarray:
    """One vote a learner and row, shared by the classes it finds likeliest."""
    likeliest = proba == proba.max(axis=2, keepdims=True)
    return likeliest / likeliest.sum(axis=2, keepdims=True)
