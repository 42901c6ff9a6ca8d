"""Every detector as a filter."""

from typing import Any, Self

from sklearn.base import clone
from sklearn.utils.metadata_routing import MetadataRouter

from .._routing import router_of
from .._validation import check_data
from ._base import Filter
from ._parts import codes_known_to, route_to_parts, take_verdict, with_tags_of


class DetectorFilter(Filter):
    """Leave out the rows that a detector flags, whatever detector it is.

    Puts a measure of hardness, a booster, an extreme learning machine or a reinforced model in a
    pipeline of imbalanced-learn, or in front of a classifier (:class:`FilteredClassifier`). How
    many rows are flagged is the detector's business: set its ``threshold`` or ``contamination``.
    Costs one fit of the detector.

    Parameters
    ----------
    detector : estimator
        Anything whose ``fit`` sets ``suspicion_`` and ``flagged_``.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows. Where there are no
        classes (the detector judges numbers, or rows), never leave fewer rows.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.

    Attributes
    ----------
    detector_ : estimator
        As fitted.
    suspicion_, flagged_, suggested_ : arrays of shape (n,)
        The detector's; no suggestion where it makes none.
    sample_indices_ : array of int
        The rows that are left: those not flagged, and those kept for the sake of ``max_fraction``
        and ``min_per_class``.
    classes_ : array of shape (n_classes,)
        The distinct labels, where there are any.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    Cleaner : relabels instead, and goes on until nothing is flagged.

    Examples
    --------
    >>> from errata.filters import DetectorFilter
    >>> from errata.hardness import NeighborDisagreement
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["cat", "cat", "dog", "cat", "dog", "dog", "dog", "dog"]
    >>> DetectorFilter(NeighborDisagreement(n_neighbors=3)).fit_resample(X, y)[1]
    ['cat', 'cat', 'cat', 'dog', 'dog', 'dog', 'dog']
    """

    def __init__(
        self, detector: Any, *, min_per_class: int = 2, max_fraction: float | None = None
    ) -> None:
        self.detector = detector
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Fit the detector; ``fit_params`` goes to it."""
        self._check_guards()
        check_data(self, X, skip_check_array=True)
        routed = route_to_parts(self, fit_params, detector=self.detector)
        self.detector_ = clone(self.detector).fit(X, y, **routed["detector"])
        take_verdict(self, self.detector_)
        self._leave_out(codes_known_to(self.detector_, y))
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """All metadata goes to ``detector``."""
        return router_of(self, detector=self.detector)

    def __sklearn_tags__(self) -> Any:
        """Accept what the detector accepts."""
        return with_tags_of(super().__sklearn_tags__(), self.detector)
