"""Features and labels of which some are wrong: who belongs to which class, and what tells it."""

from ._memberships import LabelNoiseMemberships
from ._tolerant_criterion import TolerantInformation, tolerant_mutual_information

__all__ = ["LabelNoiseMemberships", "TolerantInformation", "tolerant_mutual_information"]
