"""What is found out about the cells of a table of labels."""

from typing import Any, NamedTuple

import numpy as np

from ._rates import CellRates


class LabelFindings(NamedTuple):
    """What is known of one label."""

    rates: CellRates
    transition: np.ndarray  # (2, 2), T[c, l] = P(label = l | class = c); 1 is set
    has_skill: bool


class CellFindings(NamedTuple):
    """What is known of every cell, and of each label."""

    p_wrong: np.ndarray  # (n, L)
    suspicion: np.ndarray  # (n, L), for ranking; 0 for labels that cannot be judged
    labels: list[LabelFindings]
    rates: CellRates  # of the labels that can be judged
    models: list[dict[str, Any]]
    overlap: float  # how ambiguous classes are, on the mean over labels that can be judged

    @property
    def judged(self) -> np.ndarray:
        """Which labels can be judged by the columns."""
        return np.array([label.has_skill for label in self.labels])
