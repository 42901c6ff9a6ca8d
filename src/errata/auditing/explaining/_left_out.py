"""What models say of a row without the value of one column: that of other rows in its place."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..._blocks import blocks
from ...tables._plan import ColumnPlan, FeaturePlan
from .._settings import EXPLAINED_NUMBERS


class WithoutColumns(NamedTuple):
    """One entry for each column."""

    against: np.ndarray  # how much larger the log odds of the label are without it
    p_label: np.ndarray  # probability of the label without it


def feature_places(plan: FeaturePlan) -> list[np.ndarray]:
    """The features that each column of a table gave, by their places."""
    widths = [1] * len(plan.columns)
    if isinstance(plan, ColumnPlan):
        widths = [len(encoder.kept) for encoder in plan.encoders]
    ends = np.cumsum(widths)
    return [np.arange(end - width, end) for end, width in zip(ends, widths, strict=True)]


def leave_columns_out(
    proba: Callable[[np.ndarray], np.ndarray],
    row: np.ndarray,
    others: np.ndarray,
    places: list[np.ndarray],
    *,
    label: int,
    other: int,
) -> WithoutColumns:
    """The weight of each column's value against the label of a row, and for another class.

    Nobody can say what models would predict had they never seen a column; that takes a fit for
    each. But the value can be left open: instead of the row's own, those of other rows stand there
    one after the other, and probabilities are averaged,

        p(c | x without j) = mean over rows k of p(c | x with x_j = x_kj).

    What the value says is the difference in the log odds of the label ``l`` and the class ``o``,

        against_j = log p(l | x without j) / p(o | x without j) - log p(l | x) / p(o | x),

    as in [1]_: above 0, the label looks better without the value.

    Parameters
    ----------
    proba : callable
        Probabilities of the classes, shape (n, K), of rows of features.
    row : array of shape (d,)
        The features of the row.
    others : array of shape (m, d)
        Those of the rows whose values stand in. Models are asked of m rows a column.
    places : list of arrays
        The features that each column gave, which are replaced together.
    label, other : int
        Columns of the probabilities.

    References
    ----------
    .. [1] M. Robnik-Šikonja, I. Kononenko, "Explaining classifications for individual instances",
       IEEE Transactions on Knowledge and Data Engineering, 20(5), 2008.

    Examples
    --------
    >>> def proba(X):                            # the second feature decides, the first does not
    ...     p = 1 / (1 + np.exp(-X[:, 1]))
    ...     return np.column_stack([1 - p, p])
    >>> row, others = np.array([5.0, 2.0]), np.array([[0.0, -1.0], [1.0, 1.0]])
    >>> places = [np.array([0]), np.array([1])]
    >>> leave_columns_out(proba, row, others, places, label=0, other=1).against.round(1)
    array([0., 2.])
    """
    whole = proba(row[None])[0]
    without = np.empty((len(places), len(whole)))
    for some in blocks(len(places), EXPLAINED_NUMBERS, width=others.size):
        asked = np.stack([_with_values(row, others, own) for own in places[some]])
        told = proba(asked.reshape(-1, len(row)))
        without[some] = told.reshape(len(asked), len(others), -1).mean(axis=1)
    odds = np.log(without[:, label]) - np.log(without[:, other])
    return WithoutColumns(
        against=odds - (np.log(whole[label]) - np.log(whole[other])),
        p_label=without[:, label],
    )


def _with_values(row: np.ndarray, others: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The row as often as there are others, with their values in some places."""
    changed = np.tile(row, (len(others), 1))
    changed[:, places] = others[:, places]
    return changed
