"""Which item to ask about next: where one more vote would tell most."""

import numpy as np
from scipy.special import entr


def gain_of_asking(proba: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """What a vote of an ordinary worker tells about the class of each item, in nats; (N,).

    H(sum_c q_c M_c) - sum_c q_c H(M_c), the mutual information of vote and class. O(N K²).

    Examples
    --------
    >>> sure, open_ = [1.0, 0.0], [0.5, 0.5]
    >>> gain_of_asking(np.array([sure, open_]), np.array([[0.8, 0.2], [0.2, 0.8]])).round(3)
    array([0.   , 0.193])
    """
    gain = entr(proba @ shared).sum(axis=1) - proba @ entr(shared).sum(axis=1)
    return np.maximum(gain, 0.0)
