"""Repeated editing: vote, leave out, and vote again among the rows that are left."""

from typing import Any

import numpy as np

from ..._detector import flag, spare_classes
from ..._neighbors import commonest, vote_margins
from ..._validation import check_count
from .._base import Verdict
from ._base import NeighborEditor


class RepeatedEditedFilter(NeighborEditor):
    """Edit by the nearest neighbours until they agree with every label (repeated ENN).

    Errors that vouch for each other survive one vote; once their companions are gone they are found
    out. With many wrong labels that finds more of them than :class:`EditedNeighborsFilter`. It
    also eats into borders, where right and wrong are hard to tell, so do not use it where classes
    overlap much and few labels are wrong. It assumes that wrong labels are scattered and distances
    meaningful; scale the features in front of it. Costs a search for neighbours among the rows left
    in each round, of which few are needed; memory O(n k).

    Parameters
    ----------
    n_neighbors : int, default=3
        How many neighbours vote.
    max_iter : int, default=100
        At most so many rounds.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        In each round, go on without the rows whose suspicion exceeds it; 0.5 (another label has
        more votes) when it is not given.
    contamination : float, optional
        Flag this fraction of the rows in the end, the most suspicious first, instead of those that
        went in the rounds.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    n_jobs : int, optional
        Number of threads that search for neighbours, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        As :class:`EditedNeighborsFilter` has it in the round in which a row went, for the others in
        the last round. A score, not a probability.
    flagged_ : array of bool of shape (n,)
        The rows that went, and those that would have gone but for ``min_per_class``.
    suggested_ : array of shape (n,)
        The commonest label among the neighbours in that round where a row is flagged (of equals,
        that of the nearest), its own label elsewhere.
    sample_indices_ : array of int
        The rows that are left: those not flagged, and those kept for the sake of ``max_fraction``
        and ``min_per_class``.
    history_ : list of int
        Number of rows that went in each round.
    n_iter_ : int
        Number of rounds.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    EditedNeighborsFilter : one round.
    Cleaner : repeats any detector, and can relabel.

    Notes
    -----
    Ends when nothing more goes, when no more than k rows are left, or after ``max_iter`` rounds. In
    every round ``min_per_class`` rows of each class go on voting, its least suspicious.

    References
    ----------
    .. [1] Tomek. An experiment with the edited nearest-neighbor rule. IEEE Transactions on Systems,
       Man, and Cybernetics 6, 1976.

    Examples
    --------
    With three wrong labels in ten, one vote leaves some that later ones find:

    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from errata.filters import EditedNeighborsFilter, RepeatedEditedFilter
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.3, random_state=0)
    >>> once = EditedNeighborsFilter().fit(scale(X), labels)
    >>> again = RepeatedEditedFilter().fit(scale(X), labels)
    >>> again.history_
    [62, 10, 2, 0]
    >>> [int(flipped[editor.sample_indices_].sum()) for editor in (once, again)]
    [11, 1]
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        max_iter: int = 100,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        max_fraction: float | None = None,
        min_per_class: int = 2,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_neighbors=n_neighbors,
            metric=metric,
            threshold=threshold,
            contamination=contamination,
            max_fraction=max_fraction,
            min_per_class=min_per_class,
            n_jobs=n_jobs,
        )
        self.max_iter = max_iter

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        suspicion, suggested, left = np.zeros(len(codes)), codes.copy(), np.arange(len(codes))
        self.history_: list[int] = []
        for _ in range(check_count("max_iter", self.max_iter)):
            votes = self._votes(X[left], codes[left])
            suspicion[left] = vote_margins(votes, codes[left])[:, -1]
            suggested[left] = commonest(votes)
            gone = self._going(suspicion[left], codes[left])
            self.history_.append(int(gone.sum()))
            left = left[~gone]
            if not gone.any() or len(left) <= self.n_neighbors:
                break
        self.n_iter_ = len(self.history_)
        return Verdict(suspicion, suggested)

    def _going(self, suspicion: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """The rows to go on without; a fraction is for the end, not for each round."""
        flagged = flag(suspicion, threshold=self.threshold)
        return spare_classes(flagged, suspicion, codes, min_per_class=self.min_per_class)
