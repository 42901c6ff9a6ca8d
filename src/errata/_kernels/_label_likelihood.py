"""How likely labels are under a noise hypothesis, and where it gets better. The plain twin."""

import numpy as np

from ._judged_rows import unnormalised


def label_likelihood(logs, to_label, slope, offsets):
    """Log-likelihood of the labels, and its derivatives by log slope and offsets.

    Classes have the probabilities p = softmax(slope logs + offsets), and row i has its label with
    the probability ``to_label[c, i]`` if its class is c. Arrays have the shape (K, n).
    """
    p = unnormalised(logs, slope, offsets)
    p /= p.sum(axis=0)
    joint = p * to_label
    label = joint.sum(axis=0)
    pull = joint / label - p
    return np.log(label).sum(), slope * np.vdot(pull, logs), pull.sum(axis=1)
