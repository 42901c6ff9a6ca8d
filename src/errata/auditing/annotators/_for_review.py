"""What verdicts of people tell about votes: whether these count for less, or for more."""

import numpy as np

from ..classes import Grouped, beside_all, matched
from ._findings import VoteFindings

# How much votes are worth, compared with what was found most probable; in the order of findings.
VOTE_WEIGHTS = ("votes as weighed", "votes worth less", "votes worth more")


def grouped_weights(found: VoteFindings) -> Grouped:
    """Other weights of votes, and the probability that each majority is wrong under them."""
    kinds = VOTE_WEIGHTS[: len(found.hypotheses)]
    weights = np.array([weight for weight, _ in found.hypotheses])
    p = np.stack([p_wrong for _, p_wrong in found.hypotheses], axis=1).astype(np.float32)
    return matched(beside_all(kinds, weights / weights.sum(), p), found.p_wrong)
