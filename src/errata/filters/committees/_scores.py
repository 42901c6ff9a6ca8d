"""What class probabilities say against a label: four scores, all higher for the more suspicious."""

import numpy as np
from scipy.special import entr

from ..._margins import own_and_best_other, probability_margin

LEAST = 1e-15  # probability of which a logarithm is taken


def distrust(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """1 - p(label): one minus the self-confidence."""
    return 1 - own_and_best_other(proba, codes)[0]


def surprise(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """-log p(label), which knows no upper bound."""
    return -np.log(np.maximum(own_and_best_other(proba, codes)[0], LEAST))


def contradiction(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How far the entropy is below its maximum, where another class is likelier; 0 elsewhere."""
    own, other = own_and_best_other(proba, codes)
    certainty = 1 - entr(proba).sum(axis=1) / np.log(proba.shape[1])
    return np.where(other > own, certainty, 0.0)


SCORES = {
    "self_confidence": distrust,
    "margin": probability_margin,
    "surprise": surprise,
    "entropy": contradiction,
}
