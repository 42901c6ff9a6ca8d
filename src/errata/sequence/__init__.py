"""Models of labelled sequences: classes that follow each other in time."""

from ._baum_welch import BaumWelchHMM
from ._supervised import SupervisedHMM
from ._tolerant import TolerantHMM

__all__ = ["SupervisedHMM", "BaumWelchHMM", "TolerantHMM"]
