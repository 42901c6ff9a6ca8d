"""Projections that see the labels.

Linear ones: two matrices, and the directions that tell them apart. Curved ones: discriminants among
similarities, and the hidden layer of a small network.
"""

import warnings
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.cross_decomposition import PLSRegression
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neural_network import MLPClassifier
from sklearn.utils import check_random_state

from .._blocks import blocks, map_blocks
from .._neighbors import NeighborIndex
from .._validation import (
    check_alpha,
    check_count,
    check_fraction,
    check_labelled,
    check_positive,
    check_rows,
)

_NEGLIGIBLE = 1e-10  # eigenvalues below this fraction of the largest belong to no direction

_BLOCK = 1_000_000  # distances held at a time
_NEAR = 1e-3  # rows nearer than this, in root mean square norms, count as this far apart

_SAMPLE = 500  # rows whose distances give the default of gamma


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

    def _limit_components(self, n_components: Any, most: int) -> int:
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
        wanted = self._limit_components(self.n_components, len(values))
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
        return find_leading_directions(
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


def find_leading_directions(
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
    values = values[::-1]
    vectors = vectors[:, ::-1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(n_directions)]
    return values, vectors * np.sign(largest)


def compute_class_means(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Mean of each class: (n_classes, d)."""
    sums = np.zeros((codes.max() + 1, X.shape[1]))
    np.add.at(sums, codes, X)
    return sums / np.bincount(codes)[:, None]


def compute_within_scatter(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Mean square deviation of rows from the mean of their class: (d, d)."""
    deviations = X - compute_class_means(X, codes)[codes]
    return deviations.T @ deviations / len(X)


def compute_between_scatter(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Mean square deviation of the class of a row from the mean of all rows: (d, d)."""
    deviations = (compute_class_means(X, codes) - X.mean(axis=0)) * np.sqrt(np.bincount(codes))[
        :, None
    ]
    return deviations.T @ deviations / len(X)


class LinearDiscriminantProjection(ScatterProjection):
    """Fisher's directions: class means far apart, rows close to the mean of their class.

    The first choice when classes are clouds of similar shape. Gives one direction fewer than there
    are classes, so a single one for two classes; the others of this module may give more. Costs
    O(n d² + d³).

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    shrinkage : float in [0, 1], default=1e-3
        How far scatter matrices move towards a sphere. With fewer rows than features they are
        singular; more of it makes directions smoother.

    Attributes
    ----------
    components_ : array of shape (n_components, d)
        The directions, best first.
    eigenvalues_ : array of shape (n_components,)
        Scatter between the classes over scatter within, along each.
    mean_ : array of shape (d,)
        Subtracted before projecting.
    classes_, n_features_in_
        As usual.

    Notes
    -----
    The directions v solve ``S_b v = λ S_w v``, both matrices shrunk. They are those of
    scikit-learn's ``LinearDiscriminantAnalysis(solver="eigen", shrinkage=1e-3)``, up to sign; this
    one also takes rows that coincide within each class, and fewer directions than asked for.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from errata.projections import LinearDiscriminantProjection
    >>> X, y = load_iris(return_X_y=True)
    >>> model = make_pipeline(LinearDiscriminantProjection(), KNeighborsClassifier()).fit(X, y)
    >>> model[0].transform(X).shape
    (150, 2)
    >>> round(model.score(X, y), 2)
    0.97
    """

    def __init__(self, n_components: int | None = None, *, shrinkage: float = 1e-3) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage

    def _scatters(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return compute_between_scatter(X, codes), compute_within_scatter(X, codes)


class HybridDiscriminantProjection(ScatterProjection):
    """Directions between Fisher's and the principal ones (hybrid discriminant analysis, HDA).

    Worth a try when there are few rows per class: the principal directions need no labels, and
    steady those that do. Gives up to d directions. Costs O(n d² + d³).

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    principal : float in [0, 1], default=0.5
        Fraction of the total scatter in what is sought (λ of the paper).
    sphere : float in [0, 1], default=0.5
        Fraction of the identity in what is avoided (η of the paper). Both zero: linear
        discriminants; both one: principal components.
    shrinkage : float in [0, 1], default=1e-3
        How far scatter matrices move towards a sphere.

    Attributes
    ----------
    components_, eigenvalues_, mean_, classes_, n_features_in_
        As in :class:`LinearDiscriminantProjection`.

    Notes
    -----
    The directions solve ``((1 - λ) S_b + λ S_t) v = μ ((1 - η) S_w + η I) v``. The identity has a
    scale, so standardise the features first.

    References
    ----------
    .. [1] Yu, Tian, Rui and Huang. Integrating discriminant and descriptive information for
       dimension reduction and classification. IEEE Transactions on Circuits and Systems for Video
       Technology 17, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from errata.projections import HybridDiscriminantProjection
    >>> X, y = load_wine(return_X_y=True)
    >>> HybridDiscriminantProjection(n_components=4).fit_transform(scale(X), y).shape
    (178, 4)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        principal: float = 0.5,
        sphere: float = 0.5,
        shrinkage: float = 1e-3,
    ) -> None:
        self.n_components = n_components
        self.principal = principal
        self.sphere = sphere
        self.shrinkage = shrinkage

    def _scatters(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        principal = check_fraction("principal", self.principal)
        sphere = check_fraction("sphere", self.sphere)
        between = compute_between_scatter(X, codes)
        within = compute_within_scatter(X, codes)
        # Between and within add up to the total scatter, whose directions are the principal ones.
        sought = (1 - principal) * between + principal * (between + within)
        return sought, (1 - sphere) * within + sphere * np.eye(X.shape[1])


class WhitenedProjection(LinearProjection):
    """Directions found among whitened rows, by the eigenvectors of a matrix: see ``_matrix``."""

    def __init__(self, n_components: int | None = None, *, shrinkage: float = 1e-3) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage

    def _directions(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        whitener = _compute_inverse_root(shrink(X.T @ X / len(X), self.shrinkage))
        M = self._matrix(X @ whitener, codes)
        values, vectors = find_leading_directions(M, np.eye(len(M)), rank(M))
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
        means = compute_class_means(Z, codes)  # around 0, as X has been centred
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


def _compute_inverse_root(S: np.ndarray) -> np.ndarray:
    """S to the power -1/2; directions without any spread stay without."""
    values, vectors = np.linalg.eigh(S)
    kept = values > 1e-12 * values.max()
    return (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T


class PartialLeastSquaresProjection(SupervisedProjection):
    """Scores of scikit-learn's partial least squares towards one indicator per class.

    Each direction has the largest covariance with the indicators that the ones before have left
    over. No matrix is inverted, which makes it safe with few rows and many features. Gives up to
    min(n - 1, d) directions. Costs O(n d K) for each.

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; when not given, as many as there are, at most ten.

    Attributes
    ----------
    regression_ : PLSRegression
        The fitted regression.
    classes_, n_features_in_
        As usual.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from errata.projections import PartialLeastSquaresProjection
    >>> X, y = load_wine(return_X_y=True)
    >>> PartialLeastSquaresProjection(n_components=2).fit_transform(X, y).shape
    (178, 2)
    """

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray) -> Self:
        indicators = np.eye(len(self.classes_))[codes]
        # Beyond the rank of the rows nothing is left over to find a direction in.
        most = int(np.linalg.matrix_rank(X - X.mean(axis=0)))
        if most == 0:
            raise ValueError(
                "all the rows of X are the same, so that there is no direction to find."
            )
        wanted = self._limit_components(
            10 if self.n_components is None else self.n_components, most
        )
        with warnings.catch_warnings():
            # Labels explained in full before the last direction: the others are zero, no harm done.
            warnings.filterwarnings("ignore", "y residual is constant")
            self.regression_ = PLSRegression(wanted).fit(X, indicators)
        return self

    def _transform(self, X: np.ndarray) -> np.ndarray:
        return self.regression_.transform(X)

    @property
    def _n_features_out(self) -> int:
        return self.regression_.x_rotations_.shape[1]


class NonparametricDiscriminantProjection(ScatterProjection):
    """Directions across the border between classes (Fukunaga and Mantock's NDA).

    Each row is compared with the mean of its nearest rows in every other class, and rows near a
    border count more. Reach for it when classes are not round clouds, or when one direction for two
    classes is too few: it gives up to d. Costs O(n² d) for the neighbours (less with few features),
    O(n d² + d³) for the rest, and O(n k d) memory.

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    n_neighbors : int, default=3
        Rows of the other class that make up the local mean; the more, the more it resembles the
        class mean of linear discriminants. Cut to the size of the class.
    power : float, default=1
        How sharply rows far from a border are played down; 0 counts all rows alike.
    shrinkage : float in [0, 1], default=1e-3
        How far scatter matrices move towards a sphere.

    Attributes
    ----------
    components_, eigenvalues_, mean_, classes_, n_features_in_
        As in :class:`LinearDiscriminantProjection`.

    Notes
    -----
    ``S_b = 1/n Σ_i Σ_{j ≠ i} Σ_{x in i} w (x - M_j(x))(x - M_j(x))'`` with M_j(x) the mean of the k
    nearest rows in class j, and ``w = min(a, b) / (a + b)``, a and b being the distances to the
    k-th neighbour in the own and in the other class, raised to ``power``: 1/2 at a border, 0 deep
    inside a class. A row alone in its class gets 1/2. S_w is that of linear discriminants.

    References
    ----------
    .. [1] Fukunaga and Mantock. Nonparametric discriminant analysis. IEEE Transactions on Pattern
       Analysis and Machine Intelligence 5, 1983.

    Examples
    --------
    >>> from errata.datasets import make_xor
    >>> from errata.projections import NonparametricDiscriminantProjection
    >>> X, y = make_xor(300, random_state=0)          # the class means coincide
    >>> NonparametricDiscriminantProjection().fit_transform(X, y).shape
    (300, 2)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_neighbors: int = 3,
        power: float = 1.0,
        shrinkage: float = 1e-3,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.power = power
        self.shrinkage = shrinkage

    def _scatters(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        k = check_count("n_neighbors", self.n_neighbors)
        power = check_fraction("power", self.power, high=np.inf)
        groups = [codes == c for c in range(codes.max() + 1)]
        indices = [NeighborIndex(X[group]) for group in groups]
        to_own = np.full(len(X), np.nan)  # stays NaN for a row alone in its class
        for group, index in zip(groups, indices, strict=True):
            if group.sum() > 1:
                to_own[group] = index.others(min(k, int(group.sum()) - 1))[0][:, -1]
        between = np.zeros((X.shape[1], X.shape[1]))
        for group, index in zip(groups, indices, strict=True):
            distance, found = index.find(X[~group], min(k, int(group.sum())))
            difference = X[~group] - X[group][found].mean(axis=1)
            weight = _weigh_by_border(to_own[~group], distance[:, -1], power)
            between += (weight[:, None] * difference).T @ difference
        return between / len(X), compute_within_scatter(X, codes)


class NonparametricWeightedProjection(ScatterProjection):
    """Directions from weighted local means (Kuo and Landgrebe's NWFE).

    As :class:`NonparametricDiscriminantProjection`, but both scatters are local: each row has a
    mean of its own in every class, its own class included, in which near rows weigh more. Made for
    few rows and many features. Gives up to d directions. Costs O(n² d) time, in blocks that hold a
    million distances.

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    diagonal : float in [0, 1], default=0.5
        How far the scatter within classes moves towards its diagonal.
    shrinkage : float in [0, 1], default=1e-3
        How far scatter matrices move towards a sphere, after that.

    Attributes
    ----------
    components_, eigenvalues_, mean_, classes_, n_features_in_
        As in :class:`LinearDiscriminantProjection`.

    Notes
    -----
    ``M_j(x) = Σ w y`` over the rows y of class j other than x, w proportional to ``1/|x - y|``; the
    scatter of class i about class j is ``1/n Σ λ (x - M_j(x))(x - M_j(x))'``, λ proportional to
    ``1/|x - M_j(x)|`` with sum one over class i. S_b adds up i ≠ j, S_w i = j. Distances below a
    thousandth of the spread of the data count as that, or a pair of duplicates would be all that
    counts.

    References
    ----------
    .. [1] Kuo and Landgrebe. Nonparametric weighted feature extraction for classification. IEEE
       Transactions on Geoscience and Remote Sensing 42, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from errata.projections import NonparametricWeightedProjection
    >>> X, y = load_iris(return_X_y=True)
    >>> NonparametricWeightedProjection(n_components=3).fit_transform(X, y).shape
    (150, 3)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        diagonal: float = 0.5,
        shrinkage: float = 1e-3,
    ) -> None:
        self.n_components = n_components
        self.diagonal = diagonal
        self.shrinkage = shrinkage

    def _scatters(self, X: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        diagonal = check_fraction("diagonal", self.diagonal)
        between, within = np.zeros((2, X.shape[1], X.shape[1]))
        near = _NEAR * np.sqrt(np.mean(X**2) * X.shape[1]) or 1.0
        for c in range(codes.max() + 1):
            own = codes == c
            difference = X - _compute_weighted_means(X, own, near)
            weight = 1 / np.maximum(np.linalg.norm(difference, axis=1), near)
            # λ of the paper, one in sum over each class, and the 1/n of the scatter.
            weight /= np.bincount(codes, weight)[codes] * len(X)
            weighted = weight[:, None] * difference
            between += weighted[~own].T @ difference[~own]
            within += weighted[own].T @ difference[own]
        return between, (1 - diagonal) * within + diagonal * np.diag(np.diag(within))


def _weigh_by_border(to_own: np.ndarray, to_other: np.ndarray, power: float) -> np.ndarray:
    """1/2 where a row is as near to the other class as to its own, towards 0 deep inside."""
    a = np.where(np.isnan(to_own), to_other, to_own) ** power
    b = to_other**power
    total = a + b
    return np.divide(np.minimum(a, b), total, out=np.full(len(b), 0.5), where=total > 0)


def _compute_weighted_means(X: np.ndarray, group: np.ndarray, near: float) -> np.ndarray:
    """For each row the mean of the others in a group, weighted by one over their distance.

    A row alone in the group is its own mean.
    """
    members = np.flatnonzero(group)

    def means_of(rows: slice) -> np.ndarray:
        # Inner products lose digits between close rows only, which count as ``near`` apart anyway.
        weight = 1 / np.maximum(euclidean_distances(X[rows], X[members]), near)
        if len(members) > 1:
            # The row itself, at distance zero, would be all of its mean.
            inside = (members >= rows.start) & (members < rows.stop)
            weight[members[inside] - rows.start, np.flatnonzero(inside)] = 0
        return weight @ X[members] / weight.sum(axis=1, keepdims=True)

    return map_blocks(means_of, blocks(len(X), _BLOCK, width=len(members)))


class KernelDiscriminantProjection(SupervisedProjection):
    """Kernel discriminant analysis with the RBF kernel and landmark rows (Nyström).

    For borders that are not straight lines. Gives one direction fewer than there are classes. With
    as many landmarks as rows it is exact; with m of them it costs O(n m d + n m² + m³) and O(n m)
    memory, never n².

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    gamma : float, optional
        Of the RBF kernel ``exp(-gamma |x - z|²)``; ``1 / (2 m²)`` when not given, m being the
        median distance between rows. Larger follows the rows more closely.
    n_landmarks : int, default=100
        Rows to compare with, drawn uniformly at random.
    alpha : float, default=1e-3
        Strength of the L2 penalty, added to the scatter within classes. Larger is smoother.
    random_state : int, RandomState instance or None
        Seed of the landmarks.

    Attributes
    ----------
    gamma_ : float
        The gamma used.
    components_ : array of shape (n_components, n_landmarks)
        Directions among the similarities.
    eigenvalues_, classes_, n_features_in_
        As in :class:`LinearDiscriminantProjection`.

    References
    ----------
    .. [1] Mika, Rätsch, Weston, Schölkopf and Müller. Fisher discriminant analysis with kernels.
       Neural Networks for Signal Processing, 1999.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from errata.datasets import make_xor
    >>> from errata.projections import KernelDiscriminantProjection
    >>> X, y = make_xor(300, random_state=0)
    >>> round(LogisticRegression().fit(X, y).score(X, y), 1)
    0.5
    >>> curved = make_pipeline(KernelDiscriminantProjection(random_state=0), LogisticRegression())
    >>> curved.fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        gamma: float | None = None,
        n_landmarks: int = 100,
        alpha: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.alpha = alpha
        self.random_state = random_state

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray) -> Self:
        alpha = check_alpha(self.alpha)
        n_landmarks = min(check_count("n_landmarks", self.n_landmarks), len(X))
        random = check_random_state(self.random_state)
        if self.gamma is None:
            self.gamma_ = 1 / (2 * _estimate_median_distance(X, random) ** 2)
        else:
            self.gamma_ = check_positive("gamma", self.gamma)
        # Linear discriminants of Nyström features F are kernel discriminants of F F', near to K.
        self._similarities = Nystroem(
            gamma=self.gamma_, n_components=n_landmarks, random_state=random
        )
        features = self._similarities.fit_transform(X)
        self._center = features.mean(axis=0)
        within = compute_within_scatter(features, codes) + alpha * np.eye(n_landmarks)
        # The scatter between K class means has rank K - 1: further eigenvalues are zero.
        most = min(len(self.classes_) - 1, n_landmarks)
        wanted = self._limit_components(self.n_components, most)
        found = find_leading_directions(compute_between_scatter(features, codes), within, wanted)
        self.eigenvalues_ = found[0]
        self.components_ = found[1].T
        return self

    def _transform(self, X: np.ndarray) -> np.ndarray:
        return (self._similarities.transform(X) - self._center) @ self.components_.T

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _estimate_median_distance(X: np.ndarray, random: np.random.RandomState) -> float:
    """Median distance between rows, or between a sample of them; one where all are the same."""
    rows = X if len(X) <= _SAMPLE else X[random.choice(len(X), _SAMPLE, replace=False)]
    above = np.triu_indices(len(rows), k=1)
    return float(np.median(euclidean_distances(rows)[above])) or 1.0


class HiddenLayerProjection(SupervisedProjection):
    """Project rows to the sigmoid units of a perceptron with one hidden layer.

    The projection with which the method began; its authors replaced it, as networks are hard to
    tune and their units saturate. Costs ``max_iter`` passes over n rows with O(d h) each.

    Parameters
    ----------
    n_components : int, optional
        Number of hidden units; as many as features when not given.
    alpha : float, default=1e-4
        Strength of the L2 penalty on the coefficients. Larger keeps units from saturating.
    max_iter : int, default=50
        Steps of the optimiser (L-BFGS). It need not converge to be of use, and is not asked to.
    random_state : int, RandomState instance or None
        Seed of the first weights.

    Attributes
    ----------
    network_ : MLPClassifier
        The fitted network.
    n_iter_ : int
        Steps that were taken.
    classes_, n_features_in_
        As usual.

    References
    ----------
    .. [1] García-Pedrajas, García-Osorio and Fyfe. Nonlinear boosting projections for ensemble
       construction. Journal of Machine Learning Research 8, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from errata.projections import HiddenLayerProjection
    >>> X, y = load_iris(return_X_y=True)
    >>> HiddenLayerProjection(random_state=0).fit_transform(scale(X), y).shape
    (150, 4)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1e-4,
        max_iter: int = 50,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray) -> Self:
        asked = self.n_components
        units = X.shape[1] if asked is None else check_count("n_components", asked)
        # L-BFGS suits the few rows that an ensemble misclassifies, and has no rate to tune.
        network = MLPClassifier(
            (units,),
            activation="logistic",
            solver="lbfgs",
            alpha=self.alpha,
            max_iter=check_count("max_iter", self.max_iter),
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # ``max_iter`` is a budget here: to reach it is nothing to warn of.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.network_ = network.fit(X, codes)
        self.n_iter_ = self.network_.n_iter_
        return self

    def _transform(self, X: np.ndarray) -> np.ndarray:
        """Activations of the hidden units, between 0 and 1."""
        # By hand, as MLPClassifier gives its output layer only.
        return expit(X @ self.network_.coefs_[0] + self.network_.intercepts_[0])

    @property
    def _n_features_out(self) -> int:
        return len(self.network_.intercepts_[0])
