"""Which columns tell of the class: mutual information, Bayes risk, searches, and their limits."""

from . import information
from ._entropy import knn_entropy
from ._mutual_information import mutual_information
from ._posteriors import bayes_risk, knn_posteriors, posterior_information
from ._selector import MutualInformationSelector

__all__ = [
    "MutualInformationSelector",
    "mutual_information",
    "knn_entropy",
    "knn_posteriors",
    "bayes_risk",
    "posterior_information",
    "information",
]
