"""What the filters that look at neighbours share: they judge, conclude and leave rows out."""

from typing import Any, Self

import numpy as np

from ..._detector import DetectorMixin
from ..._neighbors import nearest
from ..._validation import check_labelled
from .._base import Filter, Verdict


class NeighborFilter(DetectorMixin, Filter):
    """A filter that says in ``_judge`` what the neighbours of the rows make of their labels."""

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        max_fraction: float | None = None,
        min_per_class: int = 2,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.threshold = threshold
        self.contamination = contamination
        self.max_fraction = max_fraction
        self.min_per_class = min_per_class
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # takes no metadata
        """Judge each label of ``y`` by the labels of the rows near it in ``X``."""
        X, codes = check_labelled(
            self, X, y, min_classes=2, accept_sparse="csr", ensure_min_samples=2
        )
        return self._fit_codes(X, codes)

    def _fit_codes(self, X: Any, codes: np.ndarray) -> Self:
        """Judge rows and labels that have passed the checks; ``classes_`` is set."""
        self._check_guards()
        verdict = self._judge(X, codes)
        self._conclude(verdict.suspicion, codes, verdict.suggested, native=verdict.native)
        self._leave_out(codes)
        return self

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        """What the neighbours say."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        """Declare that missing values are accepted where the metric knows them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        tags.input_tags.sparse = not tags.input_tags.allow_nan
        return tags


class NeighborEditor(NeighborFilter):
    """A filter that lets the nearest neighbours vote."""

    def _votes(self, X: Any, codes: np.ndarray) -> np.ndarray:
        """Codes of the labels of each row's neighbours, the nearest first, (n, k)."""
        return codes[nearest(X, self.n_neighbors, metric=self.metric, n_jobs=self.n_jobs)]
