"""Hardness from clusters: the fraction of the rows clustered together that carry another label."""

from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from .._canonical import order_rows, sign_table
from .._random import LARGEST_SEED
from .._validation import check_count
from ._measure import HardnessMeasure

LEAST_ROWS = 5  # of a cluster, on the mean


class ClusterDisagreement(HardnessMeasure):
    """Suspect the rows whose clusters mostly carry other labels.

    Rows are clustered several times without their labels, into few and into more clusters, and each
    row is compared with those it fell together with. Reach for it where classes are a few compact
    groups, or where three or ten neighbours are too few to outvote the errors: whole clusters vote.
    Scale the features first. It doubts honest rows of a class that shares its clusters with a
    larger one; where classes are many or intertwined, :class:`NeighborDisagreement` sees more. In
    our trials it ranked wrong labels better than neighbours did. Costs ``n_clusterings`` runs of
    k-means, O(n d K) each for K classes; memory O(n K).

    Parameters
    ----------
    n_clusterings : int, default=10
        Number of clusterings, the first into twice as many clusters as there are classes, each
        further one into as many more as there are classes, but not more than a fifth of the rows.
        More make the suspicion finer, and look at smaller groups.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 when neither this nor ``contamination`` is
        given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Draws the centres that k-means starts from.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Fraction of the rows of its cluster with another label, the mean over all clusterings. A
        score in [0, 1), not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The commonest label in its clusters where a row is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The confidences of [1]_, from which rows get weights, subtracted from one; see
    :class:`errata.filters.SuspicionWeightedClassifier` for a learner that weights rows by them. The
    paper clusters by a mixture of Gaussians; k-means does the same at less cost.

    References
    ----------
    .. [1] Rebbapragada and Brodley. Class noise mitigation through instance weighting. ECML 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from errata.hardness import ClusterDisagreement
    >>> from errata.noise import flip_labels
    >>> X, y = load_iris(return_X_y=True)
    >>> labels, wrong = flip_labels(y, 0.2, random_state=0)
    >>> detector = ClusterDisagreement(random_state=0).fit(X, labels)
    >>> bool(wrong[detector.suspicion_.argsort()[-20:]].mean() > 0.9)
    True
    """

    _sparse = False

    def __init__(
        self,
        *,
        n_clusterings: int = 10,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n_clusterings = check_count("n_clusterings", self.n_clusterings)
        random = check_random_state(self.random_state)
        # Centres are drawn by position: in this order, rows are where their values put them.
        signatures, _ = sign_table(X)
        order = order_rows(X, signatures)
        most = min(len(codes) // LEAST_ROWS, len(np.unique(signatures)))
        rows = np.asarray(X, dtype=float)[order]
        n = len(codes)
        n_classes = len(self.classes_)
        shares = np.zeros((n, n_classes))
        for place in range(n_clusterings):
            n_clusters = max(1, min((place + 2) * n_classes, most))
            seed = int(random.randint(LARGEST_SEED))
            model = KMeans(n_clusters, n_init=1, random_state=seed)
            shares += measure_shares(model.fit_predict(rows), codes[order], n_classes)
        shares[order] = shares / n_clusterings
        return 1 - shares[np.arange(n), codes], shares.argmax(axis=1)


def measure_shares(clusters: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """The fraction of each label in the cluster of each row, (n, K)."""
    counts = np.zeros((clusters.max() + 1, n_classes))
    np.add.at(counts, (clusters, codes), 1)
    return counts[clusters] / counts[clusters].sum(axis=1, keepdims=True)
