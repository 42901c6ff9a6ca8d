"""Classifiers that learn without suspicious rows, without their labels, or trust them less."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter

from .._detector import spare_classes
from .._routing import make_router, take_params_of_rows, takes_sample_weight
from .._validation import (
    check_class_weights,
    check_count,
    check_data,
    check_positive,
    check_row_weights,
)
from ._base import (
    UNLABELLED,
    PartPredicts,
    encode_known_labels,
    merge_tags,
    route_to_parts,
    take_verdict,
)
from ._committees import CrossValFilter, check_gives_proba


class FilteredClassifier(PartPredicts):
    """Fit a classifier to the rows that a filter leaves.

    Any filter and any classifier: AdaBoost after :class:`MarginPeeler` is the peeled boosting of
    Martinez and Gray (2015), logistic regression after a :class:`Cleaner` that relabels is another.
    Filtering touches the training rows alone, so it can be cross-validated and tuned as one
    estimator; but the labels to score on are wrong in part as well, so that is no more than a help.
    Reach for it when more than a few percent of the labels are wrong; on clean labels it can cost a
    little. Costs one fit of the filter and one of the classifier.

    Parameters
    ----------
    filter : estimator with ``fit_resample``
        A filter of errata, a :class:`DetectorFilter` around any detector, a :class:`Cleaner`, or a
        sampler of imbalanced-learn.
    classifier : estimator
        The classifier.

    Attributes
    ----------
    filter_, classifier_ : estimators
        As fitted.
    suspicion_, flagged_, suggested_ : arrays of shape (n,)
        What the filter says of the training rows.
    n_removed_ : int
        Number of rows left out.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.ensemble import DiscreteAdaBoostClassifier
    >>> from errata.filters import FilteredClassifier, MarginPeeler
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(600, random_state=0)
    >>> y_noisy, _ = flip_labels(y[:300], 0.2, random_state=0)
    >>> plain = DiscreteAdaBoostClassifier().fit(X[:300], y_noisy)
    >>> peeled = FilteredClassifier(MarginPeeler(), plain).fit(X[:300], y_noisy)
    >>> peeled.score(X[300:], y[300:]) > plain.score(X[300:], y[300:])
    True
    """

    _predicts = "classifier"

    # The weights are for the parts, which say themselves whether they want them.
    __metadata_request__fit: ClassVar = {"sample_weight": UNUSED}

    def __init__(self, filter: Any, classifier: Any) -> None:
        self.filter = filter
        self.classifier = classifier

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Filter, then fit the classifier to the rows that are left.

        ``sample_weight`` and ``fit_params`` are handed to the filter and the classifier: with
        metadata routing to those that requested them, without to those whose ``fit`` takes them.
        """
        if not hasattr(self.filter, "fit_resample"):
            name = type(self.filter).__name__
            raise TypeError(
                f"{name} has no fit_resample; pass DetectorFilter({name}(...)) instead."
            )
        X, y = indexable(*check_data(self, X, y, skip_check_array=True))
        given = {"sample_weight": sample_weight, **fit_params}
        routed = route_to_parts(self, given, filter=self.filter, classifier=self.classifier)
        self.filter_ = clone(self.filter)
        X_left, y_left = self.filter_.fit_resample(X, y, **routed["filter"])
        rows = self.filter_.sample_indices_
        of_rows = take_params_of_rows(routed["classifier"], len(y), rows)
        self.classifier_ = clone(self.classifier).fit(X_left, y_left, **of_rows)
        take_verdict(self, self.filter_)
        self.classes_ = self.classifier_.classes_  # -1 for "unknown" is not one of them
        self.n_removed_ = len(y) - len(rows)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Metadata of ``fit`` goes to the filter and the classifier."""
        return make_router(self, filter=self.filter, classifier=self.classifier)

    def __sklearn_tags__(self) -> Any:
        """Accept what both parts accept."""
        return merge_tags(super().__sklearn_tags__(), self.filter, self.classifier)


class SuspicionWeightedClassifier(PartPredicts):
    """Fit a classifier to all rows, each with the weight one minus its suspicion.

    No line has to be drawn between good rows and bad ones, which spares right labels that look
    wrong. A learner that averages, such as logistic regression or a forest, gains nearly as much as
    by leaving rows out (:class:`FilteredClassifier`); one that memorises every row however little
    it weighs, such as an unpruned tree, gains next to nothing. Assumes what the detector assumes.
    Costs one fit of the detector and one of the classifier.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``
        The classifier.
    detector : estimator, optional
        Anything whose ``fit`` sets ``suspicion_`` in [0, 1], and ``classes_``;
        :class:`CrossValFilter` when not given.
    min_weight : float, default=0.001
        No row weighs less.

    Attributes
    ----------
    estimator_, detector_ : estimators
        As fitted.
    suspicion_, flagged_, suggested_ : arrays of shape (n,)
        What the detector says of the training rows.
    weights_ : array of shape (n,)
        The weights that the classifier was fitted to.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The weight of a row is max(1 - suspicion, ``min_weight``), times its ``sample_weight`` if there
    is one. A class whose rows weigh less than 2 ``min_weight`` in all would be forgotten, so they
    get the weight 1. Rebbapragada and Brodley [1]_ weigh by clusters; the detector is free here.

    References
    ----------
    .. [1] Rebbapragada and Brodley. Class noise mitigation through instance weighting. ECML, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import scale
    >>> from errata.filters import SuspicionWeightedClassifier
    >>> from errata.hardness import NeighborDisagreement
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> X, train, test = scale(X), slice(0, None, 2), slice(1, None, 2)
    >>> labels, _ = flip_labels(y[train], 0.3, random_state=0)
    >>> plain = LogisticRegression()
    >>> weighted = SuspicionWeightedClassifier(plain, NeighborDisagreement(n_neighbors=10))
    >>> scores = [m.fit(X[train], labels).score(X[test], y[test]) for m in (plain, weighted)]
    >>> [round(score, 2) for score in scores]
    [0.83, 0.91]
    """

    # The weights are for the parts, which say themselves whether they want them.
    __metadata_request__fit: ClassVar = {"sample_weight": UNUSED}

    def __init__(self, estimator: Any, detector: Any = None, *, min_weight: float = 1e-3) -> None:
        self.estimator = estimator
        self.detector = detector
        self.min_weight = min_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the detector, then the classifier, to weights that fall with suspicion.

        ``sample_weight`` and ``fit_params`` are handed to the parts: with metadata routing to those
        that requested them, without to those whose ``fit`` takes them.
        """
        check_positive("min_weight", self.min_weight)
        if not takes_sample_weight(self.estimator):
            raise TypeError(
                f"{type(self.estimator).__name__} takes no sample_weight, so that suspicion cannot "
                "weigh its rows; pass a classifier that does, or FilteredClassifier to leave rows "
                "out."
            )
        X, y = indexable(*check_data(self, X, y, skip_check_array=True))
        detector = self._make_detector()
        given = {"sample_weight": sample_weight, **fit_params}
        routed = route_to_parts(self, given, detector=detector, estimator=self.estimator)
        self.detector_ = detector.fit(X, y, **routed["detector"])
        take_verdict(self, self.detector_)
        low = self.suspicion_.min()
        high = self.suspicion_.max()
        if low < 0 or high > 1:
            raise ValueError(
                f"the suspicion of {type(detector).__name__} goes from {low:.3g} to {high:.3g}, "
                "and weights need it between 0 and 1; pass a detector whose suspicion is a "
                "fraction."
            )
        codes = encode_known_labels(self.detector_, y)
        theirs = routed["estimator"].pop("sample_weight", None)
        theirs = check_row_weights("sample_weight", theirs, len(codes))
        check_class_weights(codes, self.classes_, theirs)
        self.weights_ = theirs * compute_trust(self.suspicion_, codes, self.min_weight)
        self.estimator_ = clone(self.estimator).fit(
            X, y, sample_weight=self.weights_, **routed["estimator"]
        )
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Metadata of ``fit`` goes to the detector and the classifier."""
        return make_router(self, detector=self._make_detector(), estimator=self.estimator)

    def __sklearn_tags__(self) -> Any:
        """Accept what both parts accept."""
        return merge_tags(super().__sklearn_tags__(), self._make_detector(), self.estimator)

    def _make_detector(self) -> Any:
        return CrossValFilter() if self.detector is None else clone(self.detector)


def compute_trust(suspicion: np.ndarray, codes: np.ndarray, min_weight: float) -> np.ndarray:
    """One minus the suspicion, but no less than ``min_weight``; 1 in classes that would vanish.

    Examples
    --------
    >>> compute_trust(np.array([0.2, 1.0, 1.0]), np.array([0, 0, 1]), 0.001)
    array([0.8  , 0.001, 1.   ])
    """
    weights = np.clip(1 - suspicion, min_weight, 1.0)
    forgotten = np.bincount(codes, weights) < 2 * min_weight
    return np.where(forgotten[codes], 1.0, weights)


class LabelDeletionClassifier(PartPredicts):
    """Fit a semi-supervised classifier after deleting the labels that a detector flags.

    A row with a wrong label still shows where rows are: here its features stay and only its label
    goes. In our hands it does as well as leaving rows out (:class:`FilteredClassifier`) and better
    than relabelling; reach for it where rows are scarce and classes form clusters. Self-training
    trusts probabilities, so not with classifiers that are sure of everything, such as unpruned
    trees. Assumes what the detector assumes. Costs one fit of the detector, and one of the
    classifier for each round of self-training, ten at most.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        The classifier.
    detector : estimator, optional
        Anything whose ``fit`` sets ``suspicion_``, ``flagged_`` and ``classes_``;
        :class:`CrossValFilter` when not given.
    semi_supervised : classifier, optional
        What learns from labelled and unlabelled rows, the latter having the label -1 as in
        scikit-learn. When not given, ``SelfTrainingClassifier(estimator, threshold=0.75)``.
    min_per_class : int, default=2
        Never leave fewer labels of a class, those of its least suspicious rows.

    Attributes
    ----------
    estimator_ : classifier
        As fitted, to codes of the classes: the semi-supervised one, or ``estimator`` where no
        label was deleted.
    detector_ : estimator
        As fitted.
    suspicion_, flagged_, suggested_ : arrays of shape (n,)
        What the detector says of the training rows.
    deleted_ : array of bool of shape (n,)
        The rows whose label was deleted: the flagged ones, but for those kept for the sake of
        ``min_per_class``.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Metadata goes to the detector alone: scikit-learn's semi-supervised learners take no weights of
    rows.

    References
    ----------
    .. [1] Hughes, Roberts and Tarassenko. Semi-supervised learning of probabilistic models for ECG
       segmentation. IEEE Engineering in Medicine and Biology Society, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.preprocessing import scale
    >>> from errata.filters import LabelDeletionClassifier
    >>> from errata.hardness import NeighborDisagreement
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> X, train, test = scale(X), slice(0, None, 2), slice(1, None, 2)
    >>> labels, _ = flip_labels(y[train], 0.3, random_state=0)
    >>> plain = LogisticRegression()
    >>> deleting = LabelDeletionClassifier(plain, NeighborDisagreement(n_neighbors=10))
    >>> scores = [m.fit(X[train], labels).score(X[test], y[test]) for m in (plain, deleting)]
    >>> [round(score, 2) for score in scores]
    [0.83, 0.96]
    """

    def __init__(
        self,
        estimator: Any,
        detector: Any = None,
        *,
        semi_supervised: Any = None,
        min_per_class: int = 2,
    ) -> None:
        self.estimator = estimator
        self.detector = detector
        self.semi_supervised = semi_supervised
        self.min_per_class = min_per_class

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Delete the labels that the detector flags, then fit; ``fit_params`` goes to it."""
        check_count("min_per_class", self.min_per_class)
        if self.semi_supervised is None:
            check_gives_proba(self.estimator)
        X, y = indexable(*check_data(self, X, y, skip_check_array=True))
        detector = self._make_detector()
        routed = route_to_parts(self, fit_params, detector=detector)
        self.detector_ = detector.fit(X, y, **routed["detector"])
        take_verdict(self, self.detector_)
        codes = encode_known_labels(self.detector_, y)
        self.deleted_ = spare_classes(
            self.flagged_, self.suspicion_, codes, min_per_class=self.min_per_class
        )
        learner = self._learner() if self.deleted_.any() else clone(self.estimator)
        self.estimator_ = learner.fit(X, np.where(self.deleted_, UNLABELLED, codes))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class that the classifier predicts."""
        codes = self._ask("predict", X)
        return self.classes_[codes]

    def get_metadata_routing(self) -> MetadataRouter:
        """All metadata goes to ``detector``."""
        return make_router(self, detector=self._make_detector())

    def __sklearn_tags__(self) -> Any:
        """Accept what both parts accept."""
        learner = self.estimator if self.semi_supervised is None else self.semi_supervised
        return merge_tags(super().__sklearn_tags__(), self._make_detector(), learner)

    def _make_detector(self) -> Any:
        return CrossValFilter() if self.detector is None else clone(self.detector)

    def _learner(self) -> Any:
        if self.semi_supervised is None:
            return SelfTrainingClassifier(clone(self.estimator), threshold=0.75)
        return clone(self.semi_supervised)
