"""Label noise: models of it, and ways to inject it so that methods can be put to the test."""

from ._inject import (
    boundary_flip_proba,
    density_flip_proba,
    disturb_targets,
    flip_labels,
    gaussian_flip_proba,
    reference_proba,
    region_flip_proba,
    shift_boundaries,
)
from ._model import NoiseModel
from ._prevalence import sample_prevalence

__all__ = [
    "NoiseModel",
    "flip_labels",
    "disturb_targets",
    "shift_boundaries",
    "boundary_flip_proba",
    "density_flip_proba",
    "gaussian_flip_proba",
    "region_flip_proba",
    "reference_proba",
    "sample_prevalence",
]
