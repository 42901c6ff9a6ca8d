"""Boosters for two classes, applied to several: one class against the rest."""

from collections.abc import Callable

import numpy as np

from ._decision import FittedBase, Term, make_term

# Base estimators, each with the value of every class it predicts, or the factor on its number.
Steps = list[tuple[FittedBase, np.ndarray]]


def one_vs_rest(
    boost: Callable[[np.ndarray], Steps], codes: np.ndarray, n_classes: int
) -> list[Term]:
    """The terms of ``boost(y)``, y being 1 and -1; for several classes, one boost for each."""
    if n_classes == 2:
        steps = boost(np.where(codes == 1, 1.0, -1.0))
        return [make_term(base, values[:, None], t) for t, (base, values) in enumerate(steps)]
    terms = []
    for k in range(n_classes):
        column = np.zeros(n_classes)
        column[k] = 1.0
        for t, (base, values) in enumerate(boost(np.where(codes == k, 1.0, -1.0))):
            terms.append(make_term(base, values[:, None] * column, t))
    return terms


def agreement_with(decision: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How far each column of a decision (n, q) is on the side of the row's class."""
    columns = np.arange(decision.shape[1]) if decision.shape[1] > 1 else np.ones(1)
    return decision * np.where(codes[:, None] == columns, 1, -1)
