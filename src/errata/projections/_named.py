"""Projections by name."""

from collections.abc import Callable
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from .._random import set_seed
from .._validation import check_choice
from ._curved import HiddenLayerProjection, KernelDiscriminantProjection
from ._linear import (
    HybridDiscriminantProjection,
    LinearDiscriminantProjection,
    NonparametricDiscriminantProjection,
    NonparametricWeightedProjection,
    PartialLeastSquaresProjection,
    PrincipalHessianDirections,
    SlicedAverageVariance,
    SlicedInverseRegression,
)

PROJECTIONS: dict[str, Callable[[], BaseEstimator]] = {
    "lda": LinearDiscriminantProjection,
    "nda": NonparametricDiscriminantProjection,
    "nwfe": NonparametricWeightedProjection,
    "hda": HybridDiscriminantProjection,
    "sir": SlicedInverseRegression,
    "save": SlicedAverageVariance,
    "phd": PrincipalHessianDirections,
    # An iteration compares all pairs of rows, and an ensemble fits one projection per round.
    "nca": lambda: NeighborhoodComponentsAnalysis(max_iter=20),
    "pls": PartialLeastSquaresProjection,
    "kda": KernelDiscriminantProjection,
    "mlp": HiddenLayerProjection,
}

MOST_ROWS = {"nca": 1000}  # scikit-learn's holds a matrix n x n


def make_projection(projection: Any, n_components: int | None, seed: int) -> BaseEstimator:
    """An unfitted projection by its name, or a clone of the transformer given."""
    if isinstance(projection, str):
        made = PROJECTIONS[check_choice("projection", projection, tuple(PROJECTIONS))]()
    elif hasattr(projection, "fit") and hasattr(projection, "transform"):
        made = clone(projection)
    else:
        raise ValueError(
            f"projection={projection!r} is not a projection; pass one of {', '.join(PROJECTIONS)}, "
            "or a transformer with fit(X, y) and transform(X)."
        )
    if n_components is not None and "n_components" in made.get_params():
        made.set_params(n_components=n_components)
    return set_seed(made, seed)
