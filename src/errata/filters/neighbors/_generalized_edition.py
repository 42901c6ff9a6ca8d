"""Generalised edition: give a row the label that enough neighbours share, or leave it out."""

from typing import Any

import numpy as np

from ..._neighbors import commonest, vote_margins
from ..._validation import check_count
from .._base import Verdict
from .._cleaner import relabelled
from ._base import NeighborEditor


class GeneralizedEditionFilter(NeighborEditor):
    """Relabel rows as enough of their neighbours are labelled, leave out those in dispute (GE).

    The relabelling editor (also known as depuration): a row that at least ``min_support`` of its
    neighbours agree on gets their label, and a row that they do not agree on goes, whatever its own
    label. Use it with many wrong labels and few rows, where those found are too good to be thrown
    away. Do not use it where classes overlap (a relabelled row near a border is as often wrong as
    it was right) or, to find errors, with many classes: it flags disputed rows as well. It assumes
    that wrong labels are scattered and distances meaningful; scale the features in front of it.
    Costs one search for neighbours (about n log n distances with up to eight features, n² with
    more) and O(n k²) for the votes; memory O(n k).

    Parameters
    ----------
    n_neighbors : int, default=3
        How many neighbours vote.
    min_support : int, optional
        How many must share a label to impose it: a majority at least, ``n_neighbors`` at most. The
        smallest majority when not given, 2 of 3; more relabel fewer rows and leave out more.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. When neither this nor ``contamination`` is given,
        those whose own label has not enough support.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    max_fraction : float, optional
        Never act on more of the rows than this, the most suspicious first.
    min_per_class : int, default=2
        Never take their label from so many rows of a class that fewer keep it; warns when that
        keeps flagged rows.
    n_jobs : int, optional
        Number of threads that search for neighbours, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        By how much the neighbours prefer another label, as in :class:`EditedNeighborsFilter`. A
        score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The label with enough support where a row is flagged; its own label elsewhere and where no
        label has enough.
    relabelled_ : array of bool of shape (n,)
        The rows that ``fit_resample`` returns with another label.
    sample_indices_ : array of int
        The rows that are left: all but the flagged ones for which no other label is suggested.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    Cleaner : ``Cleaner(GeneralizedEditionFilter(), action="relabel", max_iter=3)`` is repeated GE.

    Notes
    -----
    The row itself has no vote, and all rows vote with the labels they came with. A support k' with
    (k + 1) / 2 <= k' <= k can be had by one label only.

    References
    ----------
    .. [1] Koplowitz and Brown. On the relation of performance to editing in nearest neighbor rules.
       Pattern Recognition 13, 1981.
    .. [2] Barandela and Gasca. Decontamination of training samples for supervised pattern
       recognition methods. Advances in Pattern Recognition, 2000.

    Examples
    --------
    >>> from errata.filters import GeneralizedEditionFilter
    >>> X = [[0.0], [1.0], [2.1], [3.3], [10.0], [11.2], [12.3], [13.3]]
    >>> y = ["cat", "cat", "dog", "cat", "dog", "dog", "dog", "dog"]
    >>> editor = GeneralizedEditionFilter()
    >>> editor.fit_resample(X, y)[1]
    ['cat', 'cat', 'cat', 'cat', 'dog', 'dog', 'dog', 'dog']
    >>> editor.relabelled_.nonzero()[0]
    array([2])
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 3,
        min_support: int | None = None,
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
        self.min_support = min_support

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        votes = self._votes(X, codes)
        winner = commonest(votes)
        support = (votes == winner[:, None]).sum(axis=1)
        agreed = support >= self._support_needed(votes.shape[1])
        return Verdict(
            suspicion=vote_margins(votes, codes)[:, -1],
            suggested=np.where(agreed, winner, codes),
            native=~agreed | (winner != codes),
        )

    def _support_needed(self, k: int) -> int:
        """A majority of the ``k`` neighbours there are, or what the user asks for."""
        majority = k // 2 + 1
        if self.min_support is None:
            return majority
        return check_count("min_support", self.min_support, low=majority, high=k)

    def _leave_out(self, codes: np.ndarray) -> None:
        acted = self._acted_on(codes)
        suggested = np.searchsorted(self.classes_, self.suggested_)
        self.relabelled_ = acted & (suggested != codes)
        self.sample_indices_ = np.flatnonzero(~acted | self.relabelled_)
        self._given, self._codes = codes, np.where(acted, suggested, codes)

    def _labels_left(self, y: Any) -> Any:
        return super()._labels_left(relabelled(y, self._given, self._codes))
