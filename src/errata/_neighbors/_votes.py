"""What the labels of neighbours say of a row: which is commonest, and by how much."""

import numpy as np


def commonest(votes: np.ndarray) -> np.ndarray:
    """The class with most votes in each row; the nearer neighbours decide between equals.

    ``votes`` (n, k) holds the codes of the labels of each row's neighbours, the nearest first.

    >>> commonest(np.array([[0, 1, 1], [2, 0, 1]]))
    array([1, 2])
    """
    tally = np.column_stack([(votes == vote[:, None]).sum(axis=1) for vote in votes.T])
    # The first of equals is the nearest.
    return np.take_along_axis(votes, tally.argmax(axis=1)[:, None], axis=1)[:, 0]


def vote_margins(votes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How far the nearest 1, 2, ..., k neighbours vote against each row's own label, (n, k).

    With c_q votes for class q among the nearest j, column j of a row labelled y holds
    (max_{q != y} c_q - c_y + j) / 2j: 0 if all agree with the label, 1 if all agree on one other,
    and above 0.5 if and only if one other label has strictly more votes. Time O(n k²), memory
    O(n k), whatever the number of classes.

    >>> vote_margins(np.array([[1, 0, 0], [1, 2, 2]]), np.array([0, 0]))
    array([[1.        , 0.5       , 0.33333333],
           [1.        , 0.75      , 0.83333333]])
    """
    n, k = votes.shape
    theirs, margins = np.zeros((n, k), dtype=np.intp), np.empty((n, k))
    foreign = votes != codes[:, None]
    ours = np.cumsum(~foreign, axis=1)
    for j in range(k):
        # Each neighbour counts itself and the farther ones that share its label, so that the
        # nearest with a label knows all votes for it.
        theirs[:, : j + 1] += foreign[:, j, None] & (votes[:, : j + 1] == votes[:, j, None])
        margins[:, j] = (theirs.max(axis=1) - ours[:, j] + j + 1) / (2 * (j + 1))
    return margins
