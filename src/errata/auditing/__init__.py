"""The audit: which labels are wrong, how many, which way, and how sure we are."""

from ._actions import Cleaned
from ._audit import Audit, NoiseRate
from ._run import audit
from ._self_check import SelfCheck
from ._witnesses import (
    Boosting,
    Bumps,
    Case,
    Given,
    Linear,
    Model,
    Neighbors,
    Trees,
    Witness,
    default_witnesses,
)

__all__ = [
    "audit",
    "Audit",
    "NoiseRate",
    "SelfCheck",
    "Cleaned",
    "Witness",
    "Case",
    "Bumps",
    "Trees",
    "Neighbors",
    "Linear",
    "Boosting",
    "Model",
    "Given",
    "default_witnesses",
]
