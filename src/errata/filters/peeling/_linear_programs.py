"""Peeling by linear programs: set a row free, and see how far the margin of all others grows.

A line holds what each base estimator adds to the margin of a row against one wrong class: 1 where
it predicts the label, -1 where it predicts that class. With two classes a row has one line, with
more several; ``groups`` says which lines belong to which row.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

STRATEGIES = ("dual", "exact", "support", "soft", "margin")
ROUNDING = 1e-9


def margin_lines(votes: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lines (m, T), what each base estimator does for a label against another; the row of each."""
    classes = np.union1d(codes, votes)
    pairs = [(row, k) for row, code in enumerate(codes) for k in classes if k != code]
    groups, others = np.array(pairs, dtype=int).reshape(-1, 2).T
    right = (votes == codes[:, None]).astype(np.int8)[groups]
    return right - (votes[groups] == others[:, None]), groups


class Solution(NamedTuple):
    """Largest least margin, the weight of each estimator, and the multiplier of each line."""

    margin: float
    alpha: np.ndarray
    multipliers: np.ndarray


def widest_margin(lines: np.ndarray) -> Solution:
    """Weights of base estimators, summing to one, that make the least margin as large as possible.

    Solved in its dual form: multipliers of the lines, summing to one, such that no base
    estimator has a large weighted agreement.
    """
    n, n_estimators = lines.shape
    result = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.column_stack([lines.T, -np.ones(n_estimators)]),
        b_ub=np.zeros(n_estimators),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        # The margin needs no bounds; with any, they could take the place of the weights.
        bounds=[(0, None)] * n + [(None, None)],
        method="highs-ds",
    )
    alpha = np.maximum(-result.ineqlin.marginals, 0.0)
    return Solution(float(result.fun), alpha, np.maximum(result.x[:-1], 0.0))


def soft_margin(lines: np.ndarray, groups: np.ndarray, n_free: int) -> np.ndarray:
    """Weights of base estimators that make the mean of the ``n_free`` least margins largest."""
    n, n_estimators = lines.shape
    n_rows = groups.max() + 1
    slack = np.zeros((n, n_rows))
    slack[np.arange(n), groups] = -1.0
    result = linprog(
        np.concatenate([np.zeros(n_estimators), [-1.0], np.full(n_rows, 1 / n_free)]),
        A_ub=np.column_stack([-lines, np.ones(n), slack]),
        b_ub=np.zeros(n),
        A_eq=np.concatenate([np.ones(n_estimators), np.zeros(1 + n_rows)])[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n_estimators + [(-1, 1)] + [(0, None)] * n_rows,
        method="highs-ds",
    )
    return result.x[:n_estimators]


def removal_order(
    lines: np.ndarray,
    groups: np.ndarray,
    margins: np.ndarray,
    n_free: int,
    strategy: str,
    random: Any = None,
) -> np.ndarray:
    """The rows to set free, first the one to go first.

    - "dual": again and again the row with the largest multiplier; of equals, that of least margin.
    - "exact": the row without which the margin of the others is widest.
    - "support": any row with a multiplier, that is, one that holds the margin down; needs
      ``random`` to draw it.
    - "soft": one program for the mean of the ``n_free`` least margins, then the rows of least
      margin in its solution; of equals, that of least margin in the ensemble.
    - "margin": no program, the rows of least margin in the ensemble itself.
    """
    if n_free == 0:
        return np.empty(0, dtype=int)
    lines, _ = distinct_estimators(lines)  # 300 stumps have some hundred different columns
    if strategy == "margin":
        return np.argsort(margins, kind="stable")[:n_free]
    if strategy == "soft":
        widened = least_by_row(lines @ soft_margin(lines, groups, n_free), groups)
        # At the optimum many margins are equal but for rounding.
        return np.lexsort((margins, widened.round(9)))[:n_free]
    order: list[int] = []
    left = np.ones(len(margins), dtype=bool)
    for _ in range(n_free):
        active = left[groups]
        solution = widest_margin(lines[active])
        weight = np.bincount(groups[active], solution.multipliers, len(margins))
        if strategy == "support":
            row = int(random.choice(np.flatnonzero(weight > ROUNDING)))
        elif strategy == "exact":
            row = _exact_choice(lines, groups, left, weight, margins, solution.margin)
        else:
            row = _heaviest(weight, left, margins)
        order.append(row)
        left[row] = False
    return np.array(order)


def distinct_estimators(lines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The columns that differ, in order of first appearance, and where each is first found."""
    _, first = np.unique(lines, axis=1, return_index=True)
    first.sort()
    return lines[:, first].astype(float), first


def least_by_row(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The least of the values of each row's lines."""
    least = np.full(groups.max() + 1, np.inf)
    np.minimum.at(least, groups, values)
    return least


def _heaviest(weight: np.ndarray, left: np.ndarray, margins: np.ndarray) -> int:
    heaviest = np.flatnonzero(left & (weight >= weight[left].max() - ROUNDING))
    return int(heaviest[margins[heaviest].argmin()])


def _exact_choice(
    lines: np.ndarray,
    groups: np.ndarray,
    left: np.ndarray,
    weight: np.ndarray,
    margins: np.ndarray,
    margin: float,
) -> int:
    """Try all rows that could matter: without multiplier, a row does not hold the margin down."""
    candidates = np.flatnonzero(left & (weight > ROUNDING))
    if len(candidates) == 1:
        return int(candidates[0])
    values = np.empty(len(candidates))
    for place, row in enumerate(candidates):
        values[place] = widest_margin(lines[left[groups] & (groups != row)]).margin
    if values.max() <= margin + ROUNDING:
        return _heaviest(weight, left, margins)  # no single row holds it down
    best = candidates[values >= values.max() - ROUNDING]
    return int(best[margins[best].argmin()])
