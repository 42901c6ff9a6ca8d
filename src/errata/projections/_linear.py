"""What the linear projections share: two matrices, the directions that tell them apart."""

from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

from .._validation import check_count, check_fraction, check_labelled, check_rows

_NEGLIGIBLE = 1e-10  # eigenvalues below this fraction of the largest belong to no direction


class SupervisedProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer that needs labels; says so to scikit-learn and names its columns.

    A projection learns in ``_fit_codes`` and projects in ``_transform``, both on rows that have
    passed the checks.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows ``X`` and their labels ``y`` where to look."""
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, ensure_min_samples=2)
        return self._fit_codes(X, codes)

    def transform(self, X: Any) -> np.ndarray:
        """The rows as the projection shows them: (n, n_components)."""
        return self._transform(check_rows(self, X, dtype=float))

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray) -> Self:
        raise NotImplementedError

    def _transform(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that labels are required."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _wanted(self, n_components: Any, most: int) -> int:
        """Number of components: as many as asked for, and no more than there are."""
        return (
            most if n_components is None else min(check_count("n_components", n_components), most)
        )


class LinearProjection(SupervisedProjection):
    """Rows centred and multiplied by directions, which a subclass finds in ``_directions``."""

    n_components: int | None
    shrinkage: float

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray) -> Self:
        check_fraction("shrinkage", self.shrinkage)
        self.mean_ = X.mean(axis=0)
        values, directions = self._directions(X - self.mean_, codes)
        wanted = self._wanted(self.n_components, len(values))
        self.eigenvalues_ = values[:wanted]
        self.components_ = directions[:, :wanted].T
        return self

    def _transform(self, X: np.ndarray) -> np.ndarray:
        return (X - self.mean_) @ self.components_.T

    def _directions(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How much each direction tells, most first, and the directions as columns."""
        raise NotImplementedError

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


class ScatterProjection(LinearProjection):
    """Directions in which one scatter is large and another is small; see ``_scatters``."""

    def _directions(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sought, avoided = self._scatters(X, codes)
        # The rank before shrinking, after which every matrix has full rank: K class means span
        # K - 1 directions, and the others would be arbitrary.
        return leading_directions(
            shrink(sought, self.shrinkage), shrink(avoided, self.shrinkage), rank(sought)
        )

    def _scatters(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The scatter to be large along the directions, and the one to be small."""
        raise NotImplementedError


def shrink(S: np.ndarray, shrinkage: float) -> np.ndarray:
    """Move a scatter matrix towards the sphere of the same trace."""
    d = len(S)
    return (1 - shrinkage) * S + shrinkage * np.trace(S) / d * np.eye(d)


def rank(S: np.ndarray) -> int:
    """Number of eigenvalues of a symmetric matrix that are not negligible; at least one."""
    values = np.abs(np.linalg.eigvalsh(S))
    return max(1, int(np.sum(values > _NEGLIGIBLE * values.max())))


def leading_directions(
    sought: np.ndarray, avoided: np.ndarray, n_directions: int
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised eigenvalues, largest first, and eigenvectors as columns, v' avoided v = 1.

    Of the two signs of a vector the one is taken that makes its largest entry positive. Classes
    without any scatter in them (``avoided`` is zero) leave nothing to avoid.
    """
    d = len(avoided)
    # eigh wants a positive definite matrix, and rounding may put a singular one below zero.
    floor = np.finfo(float).eps * np.trace(avoided)
    avoided = avoided + floor * np.eye(d) if floor > 0 else np.eye(d)
    values, vectors = eigh(sought, avoided, subset_by_index=[d - n_directions, d - 1])
    # Signs are arbitrary and differ between LAPACKs; the numbers after a projection should not.
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(n_directions)]
    return values, vectors * np.sign(largest)


def class_means(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Mean of each class: (n_classes, d)."""
    sums = np.zeros((codes.max() + 1, X.shape[1]))
    np.add.at(sums, codes, X)
    return sums / np.bincount(codes)[:, None]


def within_scatter(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Mean square deviation of rows from the mean of their class: (d, d)."""
    deviations = X - class_means(X, codes)[codes]
    return deviations.T @ deviations / len(X)


def between_scatter(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Mean square deviation of the class of a row from the mean of all rows: (d, d)."""
    deviations = (class_means(X, codes) - X.mean(axis=0)) * np.sqrt(np.bincount(codes))[:, None]
    return deviations.T @ deviations / len(X)
