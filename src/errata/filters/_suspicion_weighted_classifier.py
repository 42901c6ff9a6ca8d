"""Learn from all rows, the suspicious ones counting less."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter

from .._routing import router_of, takes_sample_weight
from .._validation import check_class_weights, check_data, check_positive, check_row_weights
from ._parts import PartPredicts, codes_known_to, route_to_parts, take_verdict, with_tags_of
from .committees import CrossValFilter


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
        _check_takes_weights(self.estimator)
        X, y = indexable(*check_data(self, X, y, skip_check_array=True))
        detector, given = self._unfitted_detector(), {"sample_weight": sample_weight, **fit_params}
        routed = route_to_parts(self, given, detector=detector, estimator=self.estimator)
        self.detector_ = detector.fit(X, y, **routed["detector"])
        take_verdict(self, self.detector_)
        _check_fractions(self.suspicion_, detector)
        codes = codes_known_to(self.detector_, y)
        theirs = routed["estimator"].pop("sample_weight", None)
        theirs = check_row_weights("sample_weight", theirs, len(codes))
        check_class_weights(codes, self.classes_, theirs)
        self.weights_ = theirs * trust(self.suspicion_, codes, self.min_weight)
        self.estimator_ = clone(self.estimator).fit(
            X, y, sample_weight=self.weights_, **routed["estimator"]
        )
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Metadata of ``fit`` goes to the detector and the classifier."""
        return router_of(self, detector=self._unfitted_detector(), estimator=self.estimator)

    def __sklearn_tags__(self) -> Any:
        """Accept what both parts accept."""
        return with_tags_of(super().__sklearn_tags__(), self._unfitted_detector(), self.estimator)

    def _unfitted_detector(self) -> Any:
        return CrossValFilter() if self.detector is None else clone(self.detector)


def trust(suspicion: np.ndarray, codes: np.ndarray, min_weight: float) -> np.ndarray:
    """One minus the suspicion, but no less than ``min_weight``; 1 in classes that would vanish.

    Examples
    --------
    >>> trust(np.array([0.2, 1.0, 1.0]), np.array([0, 0, 1]), 0.001)
    array([0.8  , 0.001, 1.   ])
    """
    weights = np.clip(1 - suspicion, min_weight, 1.0)
    forgotten = np.bincount(codes, weights) < 2 * min_weight
    return np.where(forgotten[codes], 1.0, weights)


def _check_takes_weights(estimator: Any) -> None:
    if not takes_sample_weight(estimator):
        raise TypeError(
            f"{type(estimator).__name__} takes no sample_weight, so that suspicion cannot weigh "
            "its rows; pass a classifier that does, or FilteredClassifier to leave rows out."
        )


def _check_fractions(suspicion: np.ndarray, detector: Any) -> None:
    low, high = suspicion.min(), suspicion.max()
    if low < 0 or high > 1:
        raise ValueError(
            f"the suspicion of {type(detector).__name__} goes from {low:.3g} to {high:.3g}, and "
            "weights need it between 0 and 1; pass a detector whose suspicion is a fraction."
        )
