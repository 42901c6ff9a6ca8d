"""What the measures of hardness share: check the table, judge its rows, conclude."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from .._detector import DetectorMixin
from .._validation import check_labelled

NO_LINE = np.inf  # for measures that rank rows but condemn none unless told to
CERTAIN = np.nextafter(1.0, 0.0)  # for those that condemn only at the hardest possible, 1


class HardnessMeasure(DetectorMixin, BaseEstimator):
    """A detector whose suspicion is the hardness of a row.

    A measure says in ``_judge`` how hard each row is, from 0 to 1, and which class it would give.
    """

    _native = 0.5  # rows harder than this are flagged when the user draws no line
    _sparse = True

    def fit(self, X: Any, y: Any) -> Self:
        """Measure how hard it is to reconcile each row of ``X`` with its label in ``y``."""
        X, codes = check_labelled(
            self,
            X,
            y,
            min_classes=2,
            accept_sparse="csr" if self._sparse else False,
            ensure_min_samples=2,
        )
        suspicion, suggested = self._judge(X, codes)
        self._conclude(suspicion, codes, suggested, native=self._native)
        return self

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hardness and suggested class of each row, the classes as codes."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that labels are required, and whether sparse is welcome."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = self._sparse
        return tags
