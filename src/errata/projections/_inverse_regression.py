"""Inverse regression: what the rows of a class have in common once all rows are whitened."""

import numpy as np

from ._linear import LinearProjection, class_means, leading_directions, rank, shrink


class WhitenedProjection(LinearProjection):
    """Directions found among whitened rows, by the eigenvectors of a matrix: see ``_matrix``."""

    def __init__(self, n_components: int | None = None, *, shrinkage: float = 1e-3) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage

    def _directions(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        whitener = _inverse_root(shrink(X.T @ X / len(X), self.shrinkage))
        M = self._matrix(X @ whitener, codes)
        values, vectors = leading_directions(M, np.eye(len(M)), rank(M))
        # Z = X W, so that Z v = X (W v): back to directions among the rows as they came.
        return values, whitener @ vectors

    def _matrix(self, Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The matrix whose leading eigenvectors are the directions for whitened rows."""
        raise NotImplementedError


class SlicedInverseRegression(WhitenedProjection):
    """Directions in which class means of whitened rows lie apart (SIR, classes as slices).

    Spans the same space as linear discriminants and like them gives one direction fewer than there
    are classes; blind where class means coincide. Costs O(n d² + d³).

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    shrinkage : float in [0, 1], default=1e-3
        How far the covariance moves towards a sphere before it is inverted.

    Attributes
    ----------
    components_, eigenvalues_, mean_, classes_, n_features_in_
        As in :class:`LinearDiscriminantProjection`; eigenvalues are those of the matrix below.

    Notes
    -----
    Eigenvectors of ``Cov(E[Z | y])``, with Z the whitened rows.

    References
    ----------
    .. [1] Li. Sliced inverse regression for dimension reduction. Journal of the American
       Statistical Association 86, 1991.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from errata.projections import SlicedInverseRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> SlicedInverseRegression().fit(X, y).eigenvalues_.round(2)
    array([0.97, 0.22])
    """

    def _matrix(self, Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
        means = class_means(Z, codes)  # around 0, as X has been centred
        return (means.T * np.bincount(codes)) @ means / len(Z)


class SlicedAverageVariance(WhitenedProjection):
    """Directions in which the spread of a class differs from that of all rows (SAVE).

    Sees what :class:`SlicedInverseRegression` misses, classes around the same mean with different
    spread, and needs more rows for it. Gives up to d directions. Costs O(n d² + K d³).

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    shrinkage : float in [0, 1], default=1e-3
        How far the covariance moves towards a sphere before it is inverted.

    Attributes
    ----------
    components_, eigenvalues_, mean_, classes_, n_features_in_
        As in :class:`SlicedInverseRegression`.

    Notes
    -----
    Eigenvectors of ``Σ_k p_k (Cov(Z) - Cov(Z | y = k))²``. The paper has I for Cov(Z), which is the
    same but for the shrinkage: with I, directions in which no row varies would come first.

    References
    ----------
    .. [1] Cook and Weisberg. Discussion of sliced inverse regression. Journal of the American
       Statistical Association 86, 1991.

    Examples
    --------
    >>> from errata.datasets import make_ringnorm
    >>> from errata.projections import SlicedAverageVariance
    >>> X, y = make_ringnorm(300, random_state=0)       # one class is twice as wide
    >>> SlicedAverageVariance(n_components=3).fit_transform(X, y).shape
    (300, 3)
    """

    def _matrix(self, Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
        total = Z.T @ Z / len(Z)
        M = np.zeros_like(total)
        for c, size in enumerate(np.bincount(codes)):
            rows = Z[codes == c] - Z[codes == c].mean(axis=0)
            difference = total - rows.T @ rows / size
            M += size / len(Z) * difference @ difference
        return M


class PrincipalHessianDirections(WhitenedProjection):
    """Directions along which the class probabilities bend most (pHd).

    For classes that surround each other; blind to straight borders, where nothing bends. Gives up
    to d directions. Costs O(K (n d² + d³)).

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    shrinkage : float in [0, 1], default=1e-3
        How far the covariance moves towards a sphere before it is inverted.

    Attributes
    ----------
    components_, eigenvalues_, mean_, classes_, n_features_in_
        As in :class:`SlicedInverseRegression`.

    Notes
    -----
    With two classes, eigenvectors of ``H = E[(t - E t) Z Z']``, largest absolute eigenvalue first,
    t being the 0/1 label. With more, ours: eigenvectors of ``Σ_k H_k²``, t_k telling class k from
    the rest; for two classes that comes to the same, as H_0 = -H_1.

    References
    ----------
    .. [1] Li. On principal Hessian directions for data visualization and dimension reduction.
       Journal of the American Statistical Association 87, 1992.

    Examples
    --------
    >>> from errata.datasets import make_xor
    >>> from errata.projections import PrincipalHessianDirections
    >>> X, y = make_xor(300, random_state=0)
    >>> diagonal = PrincipalHessianDirections(n_components=1).fit(X, y).components_[0]
    >>> (diagonal / diagonal[0]).round(1)
    array([1. , 0.9])
    """

    def _matrix(self, Z: np.ndarray, codes: np.ndarray) -> np.ndarray:
        M = np.zeros((Z.shape[1], Z.shape[1]))
        for c in range(codes.max() + 1):
            response = (codes == c) - np.mean(codes == c)
            H = (response[:, None] * Z).T @ Z / len(Z)
            M += H @ H  # eigenvalues have both signs; squared, the largest come first
        return M


def _inverse_root(S: np.ndarray) -> np.ndarray:
    """S to the power -1/2; directions without any spread stay without."""
    values, vectors = np.linalg.eigh(S)
    kept = values > 1e-12 * values.max()
    return (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T
