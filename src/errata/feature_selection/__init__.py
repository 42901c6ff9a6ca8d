"""Which columns tell of the class: mutual information, Bayes risk, searches, and their limits."""

from ._estimates import (
    bayes_risk,
    knn_entropy,
    knn_posteriors,
    kraskov_mutual_information,
    mutual_information,
    posterior_information,
)
from ._path_display import SelectionPathDisplay
from ._selector import MutualInformationSelector
from .label_noise import LabelNoiseMemberships

__all__ = [
    "MutualInformationSelector",
    "SelectionPathDisplay",
    "LabelNoiseMemberships",
    "mutual_information",
    "kraskov_mutual_information",
    "knn_entropy",
    "knn_posteriors",
    "bayes_risk",
    "posterior_information",
    "information",
]
