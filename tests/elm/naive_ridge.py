"""Ridge regression written to be obviously right: the slow twin of what errata.elm does."""

import numpy as np


def ridge(H, T, alpha, *, weight=None, fit_intercept=True):
    """Output weights and intercept by least squares on rows extended by those of the penalty."""
    n, m = H.shape
    w = np.ones(n) if weight is None else weight
    H1 = np.column_stack([H, np.ones(n) if fit_intercept else np.zeros(n)])
    penalty = np.sqrt(alpha) * np.eye(m, m + 1)
    A = np.vstack([np.sqrt(w)[:, None] * H1, penalty])
    B = np.vstack([np.sqrt(w)[:, None] * T, np.zeros((m, T.shape[1]))])
    solution = np.linalg.lstsq(A, B, rcond=None)[0]
    return solution[:-1], solution[-1]


def held_out(H, T, alpha, folds, *, weight=None, fit_intercept=True):
    """Predictions for each fold by a model fitted anew to all other rows."""
    predictions = np.full(T.shape, np.nan)
    for fold in folds:
        train = np.setdiff1d(np.arange(len(H)), fold)
        w = None if weight is None else weight[train]
        coef, intercept = ridge(H[train], T[train], alpha, weight=w, fit_intercept=fit_intercept)
        predictions[fold] = H[fold] @ coef + intercept
    return predictions


def leave_one_out(H, T, alpha, **options):
    """Predictions for each row by a model fitted anew to all other rows."""
    return held_out(H, T, alpha, [[i] for i in range(len(H))], **options)


def smoother(H, alpha, *, weight=None, fit_intercept=True):
    """The matrix that turns targets into fitted values, column by column."""
    n = len(H)
    coef, intercept = ridge(H, np.eye(n), alpha, weight=weight, fit_intercept=fit_intercept)
    return H @ coef + intercept
