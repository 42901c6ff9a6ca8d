"""A classifier of nearest neighbours that chooses their number, as the papers judge columns by.

Ten folds of the training rows choose it by the balanced error. One search serves all folds and all
numbers, a second one the test rows.
"""

import numpy as np
from sklearn.model_selection import KFold

from ..._neighbors import nearest, nearest_in

NUMBERS = np.array([*range(1, 11), *range(12, 21, 2), *range(25, 51, 5)])
FOLDS = 10


def chosen_neighbors_error(
    X: np.ndarray, codes: np.ndarray, X_test: np.ndarray, codes_test: np.ndarray, *, seed: int
) -> float:
    """Balanced error on the test rows, in percent, with the number that errs least in the folds.

    The smallest of equals is chosen, and of classes with equal votes the first.
    """
    folds = np.empty(len(X), dtype=np.intp)
    splitter = KFold(min(FOLDS, len(X)), shuffle=True, random_state=seed)
    for fold, (_, rows) in enumerate(splitter.split(X)):
        folds[rows] = fold
    largest = np.bincount(folds).max()
    numbers = NUMBERS[len(X) - largest >= NUMBERS]  # no fold has more rows to ask
    votes = codes[nearest_elsewhere(X, folds, int(numbers.max()), largest)]
    best = numbers[[balanced_errors(codes, majorities(votes, numbers)).argmin()]]
    votes = codes[nearest_in(X, X_test, int(best[0]))[1]]
    return 100 * float(balanced_errors(codes_test, majorities(votes, best))[0])


def nearest_elsewhere(X: np.ndarray, folds: np.ndarray, k: int, largest: int) -> np.ndarray:
    """The ``k`` nearest rows that are in another fold; the largest fold has ``largest`` rows."""
    # Of so many others, k are left when those of the row's own fold are taken away.
    found = nearest(X, k + largest - 1)
    elsewhere = folds[found] != folds[:, None]
    first = np.argsort(~elsewhere, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(found, first, axis=1)


def majorities(votes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The commonest class among the first votes of each row, (rows, numbers of votes)."""
    tally = np.cumsum(votes[..., None] == np.arange(votes.max() + 1), axis=1)
    return tally[:, numbers - 1].argmax(axis=2)


def balanced_errors(codes: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """The mean over classes of the fraction of their rows that is wrong, for each column."""
    wrong = predicted != codes[:, None]
    return np.mean([wrong[codes == c].mean(axis=0) for c in np.unique(codes)], axis=0)
