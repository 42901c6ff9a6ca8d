"""What all filters share: they leave out the rows they flag, but never a whole class."""

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import indexable

from .._compat import take_rows
from .._detector import spare_classes
from .._validation import check_count, check_fraction
from .._warn import warn_user
from ..exceptions import ClassRetentionWarning


class Verdict(NamedTuple):
    """What a filter says of the rows; classes as codes."""

    suspicion: np.ndarray
    suggested: np.ndarray
    native: float | np.ndarray = 0.5  # the rule where the user sets none, see :func:`flag`


class Filter(BaseEstimator):
    """A detector that is a resampler, too: ``fit_resample`` gives the rows it would keep.

    A filter sets in ``fit`` what a detector sets, and ``sample_indices_``, the rows that are left.
    """

    min_per_class: int
    max_fraction: float | None
    suspicion_: np.ndarray
    flagged_: np.ndarray
    sample_indices_: np.ndarray

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Judge the rows."""
        raise NotImplementedError

    def fit_resample(self, X: Any, y: Any, **fit_params: Any) -> tuple[Any, Any]:
        """Fit, and return the rows that are left and their labels, in the containers they came in.

        ``fit_params`` goes to ``fit``.
        """
        X, y = indexable(X, y)  # some sparse formats and foreign arrays cannot be cut by rows
        self.fit(X, y, **fit_params)
        return take_rows(X, self.sample_indices_), self._labels_left(y)

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that labels are required."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _labels_left(self, y: Any) -> Any:
        return take_rows(y, self.sample_indices_)

    def _check_guards(self) -> None:
        check_count("min_per_class", self.min_per_class)
        if self.max_fraction is not None:
            check_fraction("max_fraction", self.max_fraction)

    def _budget(self, n: int) -> int:
        """How many of ``n`` rows may be left out."""
        # 0.29 * 100 is a little less than 29.
        return n if self.max_fraction is None else int(self.max_fraction * n + 1e-9)

    def _leave_out(self, codes: np.ndarray) -> None:
        """Settle which rows are left."""
        self.sample_indices_ = np.flatnonzero(~self._acted_on(codes))

    def _acted_on(self, codes: np.ndarray) -> np.ndarray:
        """The flagged rows that the guards give free, as a mask."""
        return self._removable(self.flagged_, self.suspicion_, codes, self._budget(len(codes)))

    def _removable(
        self, flagged: np.ndarray, suspicion: np.ndarray, codes: np.ndarray, budget: int
    ) -> np.ndarray:
        """The flagged rows that may be left out, at most ``budget``, as a mask."""
        removed = spare_classes(
            flagged, suspicion, codes, min_per_class=self.min_per_class, max_removed=budget
        )
        # Only in a class at its minimum are flagged rows kept for its sake; else the budget is out.
        n_left, n_spared = (
            np.bincount(codes[rows], minlength=codes.max() + 1)
            for rows in (~removed, flagged & ~removed)
        )
        if ((n_left <= self.min_per_class) & (n_spared > 0)).any():
            warn_user(
                f"Leaving out all flagged rows would leave a class with fewer than "
                f"{self.min_per_class} rows; its least suspicious ones are kept.",
                ClassRetentionWarning,
            )
        return removed
