"""Delete the labels that look wrong, keep their rows, and learn from both kinds."""

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import MetadataRouter

from .._detector import spare_classes
from .._routing import router_of
from .._validation import check_count, check_data
from ._cleaner import UNLABELLED
from ._parts import PartPredicts, codes_known_to, route_to_parts, take_verdict, with_tags_of
from .committees import CrossValFilter
from .committees._base import check_gives_proba


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
        detector = self._unfitted_detector()
        routed = route_to_parts(self, fit_params, detector=detector)
        self.detector_ = detector.fit(X, y, **routed["detector"])
        take_verdict(self, self.detector_)
        codes = codes_known_to(self.detector_, y)
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
        return router_of(self, detector=self._unfitted_detector())

    def __sklearn_tags__(self) -> Any:
        """Accept what both parts accept."""
        learner = self.estimator if self.semi_supervised is None else self.semi_supervised
        return with_tags_of(super().__sklearn_tags__(), self._unfitted_detector(), learner)

    def _unfitted_detector(self) -> Any:
        return CrossValFilter() if self.detector is None else clone(self.detector)

    def _learner(self) -> Any:
        if self.semi_supervised is None:
            return SelfTrainingClassifier(clone(self.estimator), threshold=0.75)
        return clone(self.semi_supervised)
