"""Models of labelled sequences: classes that follow each other in time; and features of signals."""

from ._models import BaumWelchHMM, SupervisedHMM, TolerantHMM
from ._wavelets import WaveletFeatures

__all__ = ["SupervisedHMM", "BaumWelchHMM", "TolerantHMM", "WaveletFeatures"]
