"""Boundaries that were put too early or too late: a chain whose states also say how a label lags.

A change of class from c to d may be labelled on time, or the label follows late, or it runs ahead.
For each such change there are two states beside those of the classes: the class is d already and
the label still that of c (*late*), or the class is c still and the label already that of d
(*early*). Both end on class d with label d, after a time that is geometric.
"""

import numpy as np

from ._noise_models import uniform_errors
from ._parameters import Chain

LAGGING = 0.25  # of the changes: late to begin with, and as many early
STAYING = 0.8  # probability that a label lags for one more sample, to begin with


def boundary_chain(chain: Chain, p_e: float) -> Chain:
    """The chain of classes and lags, from that of the classes."""
    a, k = chain.transitions, len(chain.start)
    before, after = np.nonzero(a * (1 - np.eye(k)))
    n = len(before)
    late, early = k + np.arange(n), k + n + np.arange(n)
    transitions = np.zeros((k + 2 * n, k + 2 * n))
    transitions[:k, :k] = np.where(np.eye(k, dtype=bool), a, (1 - 2 * LAGGING) * a)
    for lag in (late, early):
        transitions[before, lag] = LAGGING * a[before, after]
        transitions[lag, lag] = STAYING
        transitions[lag, after] = 1 - STAYING
    shown = np.r_[np.arange(k), before, after]
    return Chain(
        start=np.r_[chain.start, np.zeros(2 * n)],
        transitions=transitions,
        classes=np.r_[np.arange(k), after, before],
        shown=shown,
        labels=uniform_errors(np.full(k + 2 * n, p_e), shown, k),
    )
