"""The local cut-edge test: how often chance would cut fewer of a row's edges than are cut."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from ._graphs import Edges

ROUNDING = 1e-12  # a suspicion as near to 0.5 as this is a tie, and a tie keeps the label


class CutEdges(NamedTuple):
    """What leaves each row of a graph, and how much of it is cut: leads to another label."""

    n_edges: np.ndarray
    cut: np.ndarray  # J, the weight of the cut edges
    weight: np.ndarray  # of all edges
    squares: np.ndarray  # sum of their squared weights


class Tails(NamedTuple):
    """How likely less than the cut weight found is, and how likely just that, by chance."""

    less: np.ndarray
    same: np.ndarray

    @property
    def suspicion(self) -> np.ndarray:
        """Where the cut weight stands among those that chance gives, half of the same below it."""
        middle = self.less + self.same / 2
        return np.where(np.abs(middle - 0.5) < ROUNDING, 0.5, middle)

    def categories(self, alpha: float) -> np.ndarray:
        """Which rows have fewer cut edges than chance gives, at level ``alpha``, and which more."""
        good, bad = self.less + self.same <= alpha, 1 - self.less <= alpha
        return np.select([good, bad], ["good", "bad"], "doubtful")


def cut_edges(edges: Edges, weight: np.ndarray, codes: np.ndarray) -> CutEdges:
    """Sum up the edges of each row."""
    cut = codes[edges.source] != codes[edges.target]
    sums = (
        np.bincount(edges.source, values, len(codes))
        for values in (None, weight * cut, weight, weight**2)
    )
    return CutEdges(*sums)


def uniform_tails(cuts: CutEdges, p_cut: np.ndarray) -> Tails:
    """By chance, the number of cut edges is binomial (all edges weigh 1)."""
    law = binom(cuts.n_edges, p_cut)
    return Tails(law.cdf(cuts.cut - 1), law.pmf(cuts.cut))


def weighted_tails(cuts: CutEdges, p_cut: np.ndarray) -> Tails:
    """By chance, the weight of cut edges is about normal, with the mean and variance it has."""
    deviation = np.sqrt(p_cut * (1 - p_cut) * cuts.squares)
    lonely = cuts.n_edges == 0  # no edges: nothing less is possible, and just that is certain
    less = ndtr((cuts.cut - p_cut * cuts.weight) / np.where(lonely, 1, deviation))
    return Tails(np.where(lonely, 0.0, less), lonely.astype(float))


def heaviest_class(edges: Edges, weight: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The class that most weight of each row's edges leads to; of equals, the nearest one.

    The row's own class where it has no edges.
    """
    group, first, member = np.unique(
        edges.source * (codes.max() + 1) + codes[edges.target],
        return_index=True,
        return_inverse=True,
    )
    row, total = edges.source[first], np.bincount(member, weight, len(group))
    # Edges come nearest first, so that the first of a class tells how near that class is.
    order = np.lexsort((first, -total, row))
    rows, best = np.unique(row[order], return_index=True)
    chosen = codes.copy()
    chosen[rows] = codes[edges.target[first[order[best]]]]
    return chosen
