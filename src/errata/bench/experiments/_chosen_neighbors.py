"""A classifier of nearest neighbours that chooses their number, as the papers judge columns by.

Ten folds of the training rows choose it by the balanced error. All numbers are tried with the same
neighbours: there is one search for a fold and one for the test rows.
"""

import numpy as np
from sklearn.model_selection import KFold

from ..._neighbors import nearest_in

NUMBERS = np.array([*range(1, 11), *range(12, 21, 2), *range(25, 51, 5)])
FOLDS = 10


def chosen_neighbors_error(
    X: np.ndarray, codes: np.ndarray, X_test: np.ndarray, codes_test: np.ndarray, *, seed: int
) -> float:
    """Balanced error on the test rows, in percent, with the number that errs least in the folds.

    The smallest of equals is chosen, and of classes with equal votes the first.
    """
    n_folds = min(FOLDS, len(X))
    numbers = NUMBERS[len(X) - -(-len(X) // n_folds) >= NUMBERS]  # no fold has more rows to ask
    predicted = np.empty((len(X), len(numbers)), dtype=np.intp)
    for others, fold in KFold(n_folds, shuffle=True, random_state=seed).split(X):
        predicted[fold] = majorities(X[others], codes[others], X[fold], numbers)
    best = numbers[[balanced_errors(codes, predicted).argmin()]]
    found = majorities(X, codes, X_test, best)
    return 100 * float(balanced_errors(codes_test, found)[0])


def majorities(
    X: np.ndarray, codes: np.ndarray, points: np.ndarray, numbers: np.ndarray
) -> np.ndarray:
    """The commonest class among the nearest rows, (points, numbers of neighbours)."""
    votes = codes[nearest_in(X, points, int(numbers.max()))[1]]
    tally = np.cumsum(votes[..., None] == np.arange(codes.max() + 1), axis=1)
    return tally[:, numbers - 1].argmax(axis=2)


def balanced_errors(codes: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The mean over classes of the fraction of their rows that is wrong, for each column."""
    wrong = predicted != codes[:, None]
    return np.mean([wrong[codes == c].mean(axis=0) for c in np.unique(codes)], axis=0)
