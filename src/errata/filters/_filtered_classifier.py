"""Filter the training rows, then learn from what is left."""

from typing import Any, ClassVar, Self

from sklearn.base import clone
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter

from .._routing import params_of_rows, router_of
from .._validation import check_data
from ._parts import PartPredicts, route_to_parts, take_verdict, with_tags_of


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
        of_rows = params_of_rows(routed["classifier"], len(y), rows)
        self.classifier_ = clone(self.classifier).fit(X_left, y_left, **of_rows)
        take_verdict(self, self.filter_)
        self.classes_ = self.classifier_.classes_  # -1 for "unknown" is not one of them
        self.n_removed_ = len(y) - len(rows)
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Metadata of ``fit`` goes to the filter and the classifier."""
        return router_of(self, filter=self.filter, classifier=self.classifier)

    def __sklearn_tags__(self) -> Any:
        """Accept what both parts accept."""
        return with_tags_of(super().__sklearn_tags__(), self.filter, self.classifier)
