"""Train parallel perceptrons, for classes or for numbers."""

from typing import Any

import numpy as np

from ..._kernels import kernels
from ..._validation import check_count, check_fraction


def check_parameters(model: Any) -> None:
    """Check what classifier and regressor have in common."""
    check_count("n_perceptrons", model.n_perceptrons)
    check_count("max_iter", model.max_iter)
    # Bounds that stop slips (zero, a sign, infinity) and no choice that anybody would make.
    check_fraction("learning_rate", model.learning_rate, low=1e-12, high=1e6)
    check_fraction("margin", model.margin, low=1e-12, high=1e6)


def draw_start(model: Any, n_features: int, random: np.random.RandomState) -> np.ndarray:
    """Perceptrons to start from, and others to replace those that vanish; all of length one."""
    draws = random.normal(size=(2, model.n_perceptrons, n_features + 1))
    return draws / np.linalg.norm(draws, axis=2, keepdims=True)


def train(
    model: Any,
    X: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
    start: np.ndarray,
    *,
    rho: int,
    epsilon: float,
) -> tuple[np.ndarray, float, np.ndarray]:
    """Coefficients (perceptron, feature and intercept), the margin learnt and the losses.

    ``rho`` is 0 for classes, where the sign of the vote counts, and the number of perceptrons for
    numbers, where the vote is divided by it.
    """
    X = np.column_stack([X, np.ones(len(X))])
    coefficients, margin, losses = kernels("parallel").train_parallel(
        X,
        targets,
        weights,
        start[0],
        float(model.margin),
        model.learning_rate / (rho or 1),
        model.max_iter,
        rho,
        epsilon,
        # For numbers all perceptrons keep the margin (Auer et al.), for classes only those that
        # vote for the label (Cantador and Dorronsoro).
        rho > 0,
        start[1],
    )
    return coefficients, float(margin), losses
