"""Models of labelled sequences: classes that follow each other in time; and features of signals."""

from ._baum_welch import BaumWelchHMM
from ._supervised import SupervisedHMM
from ._tolerant import TolerantHMM
from ._wavelets import WaveletFeatures

__all__ = ["SupervisedHMM", "BaumWelchHMM", "TolerantHMM", "WaveletFeatures"]
