"""The one loop of expectation-maximisation, and its restarts."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._warn import warn_user
from ._parameters import Parameters
from ._statistics import Tally

FALL = 1e-6  # of the log-likelihood, relative: more is no rounding


class Ascent(NamedTuple):
    """Where a run of the loop ended."""

    parameters: Parameters
    tally: Tally  # of these parameters
    log_likelihoods: np.ndarray  # of the start and of each step
    converged: bool

    @property
    def log_likelihood(self) -> float:
        """That of the parameters."""
        return float(self.log_likelihoods[-1])


def maximise(
    start: Parameters,
    expectation: Callable[[Parameters], Tally],
    maximisation: Callable[[Parameters, Tally], Parameters],
    *,
    n_samples: int,
    tol: float,
    max_iter: int,
) -> Ascent:
    """Take turns until a step gains less than ``tol`` per sample, ``max_iter`` steps at most."""
    parameters, tally = start, expectation(start)
    trace = [tally.log_likelihood]
    for _ in range(max_iter):
        parameters = maximisation(parameters, tally)
        tally = expectation(parameters)
        trace.append(tally.log_likelihood)
        if (trace[-1] - trace[-2]) / n_samples < tol:
            return Ascent(parameters, tally, np.array(trace), True)
    return Ascent(parameters, tally, np.array(trace), False)


def warn_of_trouble(solution: Ascent, *, max_iter: int, regularised: bool) -> None:
    """Warn when the loop had not settled, or when its likelihood fell though it must not."""
    steps = np.diff(solution.log_likelihoods)
    if not regularised and (steps < -FALL * np.abs(solution.log_likelihoods[1:])).any():
        warn_user(
            f"the log-likelihood fell by {-steps.min():.3g} in a step, which rounding does not "
            "explain; covariances may be next to singular: raise reg_covar.",
            ConvergenceWarning,
        )
    if not solution.converged:
        warn_user(
            f"the log-likelihood had not settled after max_iter={max_iter} steps; raise max_iter "
            "or tol.",
            ConvergenceWarning,
        )
