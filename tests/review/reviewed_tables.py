"""Made-up tables of two noise hypotheses beside none, whose truth is drawn from one of them."""

from typing import NamedTuple

import numpy as np

from errata.review.inference import Components, evidence_of, gather_components

KINDS = ("none", "uniform", "boundary")


class Table(NamedTuple):
    p: np.ndarray  # (n, 3)
    p_wrong: np.ndarray
    flagged: np.ndarray
    wrong: np.ndarray
    components: Components

    def evidence(self, rows):
        return evidence_of(
            self.components, self.p[rows], self.wrong[rows], self.flagged[rows], self.p_wrong[rows]
        )


def draw_table(truth, n=1000, weights=(0.4, 0.4, 0.2), random_state=0):
    """A fifth of the rows lies near a border; wrong labels are drawn by one of the kinds."""
    random = np.random.default_rng(random_state)
    border, far = np.arange(n) < n // 5, random.random(n) < 0.05
    p = np.column_stack([np.zeros(n), np.where(far, 0.9, 0.01), np.where(border, 0.4, 0.0)])
    p_wrong = p @ weights
    wrong = random.random(n) < p[:, KINDS.index(truth)]
    flagged = p_wrong > 0.2
    components = gather_components(KINDS, np.array(weights), p, flagged, p_wrong.sum())
    return Table(p, p_wrong, flagged, wrong, components)
