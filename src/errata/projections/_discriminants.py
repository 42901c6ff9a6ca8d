"""Directions along which class means lie apart: Fisher's, and those between it and PCA."""

import numpy as np

from .._validation import check_fraction
from ._linear import ScatterProjection, between_scatter, within_scatter


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
        return between_scatter(X, codes), within_scatter(X, codes)


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
        between, within = between_scatter(X, codes), within_scatter(X, codes)
        # Between and within add up to the total scatter, whose directions are the principal ones.
        sought = (1 - principal) * between + principal * (between + within)
        return sought, (1 - sphere) * within + sphere * np.eye(X.shape[1])
