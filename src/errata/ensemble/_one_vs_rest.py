"""Boosters for two classes, applied to several: one class against the rest."""

from collections.abc import Callable

import numpy as np

from ._weak import Hypothesis, Term, make_term

Steps = list[tuple[Hypothesis, np.ndarray]]
"""Rules, each with the value of every class it can give, or the factor on the number it gives."""


def one_vs_rest(
    boost: Callable[[np.ndarray], Steps], codes: np.ndarray, n_classes: int
) -> list[Term]:
    """The terms of ``boost(y)``, y being 1 and -1; for several classes, one boost for each."""
    if n_classes == 2:
        steps = boost(np.where(codes == 1, 1.0, -1.0))
        return [make_term(rule, values[:, None], t) for t, (rule, values) in enumerate(steps)]
    terms = []
    for k in range(n_classes):
        column = np.zeros(n_classes)
        column[k] = 1.0
        for t, (rule, values) in enumerate(boost(np.where(codes == k, 1.0, -1.0))):
            terms.append(make_term(rule, values[:, None] * column, t))
    return terms
