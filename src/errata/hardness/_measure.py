"""What the measures of hardness share: check the table, judge its rows, conclude."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from .._detector import DetectorMixin
from .._validation import check_labelled

NO_THRESHOLD = np.inf  # for measures that rank rows but flag none unless told to
CERTAIN = np.nextafter(1.0, 0.0)  # for those that flag only what is as hard as can be, 1


class HardnessMeasure(DetectorMixin, BaseEstimator):
    """A detector whose suspicion is the hardness of a row.

    A measure says in ``_judge`` how hard each row is, from 0 to 1, and which class it would give.
    """

    _native = 0.5  # rows harder than this are flagged when the user sets no threshold
    _sparse = True  # whether sparse matrices are accepted
    _missing = False  # and missing values

    def fit(self, X: Any, y: Any) -> Self:
        """Measure how hard it is to reconcile each row of ``X`` with its label in ``y``."""
        X, codes = self._labelled(X, y)
        return self._fit_codes(X, codes)

    def _fit_codes(self, X: Any, codes: np.ndarray) -> Self:
        """Measure rows and labels that have passed the checks; ``classes_`` is set."""
        suspicion, suggested = self._judge(X, codes)
        self._conclude(suspicion, codes, suggested, native=self._native)
        return self

    def _labelled(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        sparse = "csr" if self._sparse else False
        return check_labelled(self, X, y, min_classes=2, accept_sparse=sparse, ensure_min_samples=2)

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hardness and suggested class of each row, the classes as codes."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        """Declare that labels are required, and what kinds of tables are accepted."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = self._sparse
        tags.input_tags.allow_nan = self._missing
        return tags
