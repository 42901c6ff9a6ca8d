"""The cut-edge filter: labels that differ from their neighbours' more often than by chance."""

from typing import Any

import numpy as np

from ..._detector import flag
from ..._validation import check_choice, check_fraction
from .._base import Verdict
from ._base import NeighborFilter
from ._cut_edge_statistic import Tails, cut_edges, heaviest_class, uniform_tails, weighted_tails
from ._graphs import Edges, gabriel_edges, knn_edges, relative_edges

GRAPHS = ("knn", "mutual_knn", "gabriel", "rng")
WEIGHTS = ("uniform", "distance", "rank")
RULES = ("balance", "bad", "doubtful")
MAX_ROWS = 2000  # for graphs of cubic cost; all distances then are 32 MB, one chunk


class CutEdgeFilter(NeighborFilter):
    """Flag the rows that have more neighbours with another label than chance gives (cut edges).

    Rows are joined to their neighbours, and an edge between two labels is cut. A row is suspicious
    when more of its edges are cut than if labels had been dealt out at random in their observed
    fractions, so that a rare label need not be in the majority around a row to be credible there.
    Few false alarms, and the one with a test behind it: :class:`ModeFilter` finds more. It assumes
    that wrong labels are scattered and distances meaningful; scale the features in front of it. Do
    not use it where errors come in clumps or sit at the border between classes, where it misses a
    third of them and more.
    Costs one search for neighbours (about n log n distances with up to eight features, n² with
    more) and O(n k log n) for the graph, memory O(n k); "gabriel" and "rng" up to n³ time and n²
    memory, for 2,000 rows at most.

    Parameters
    ----------
    graph : {"knn", "mutual_knn", "gabriel", "rng"}, default="knn"
        Which rows are joined: those of which one is among the ``n_neighbors`` nearest of the other;
        of which both are; those that no third row separates by the sphere between them (the
        Gabriel graph) or by being nearer to both (the relative neighbourhood graph, the paper's).
    n_neighbors : int, default=10
        Of the first two graphs; more make the test surer, and blinder to small clusters.
    weights : {"uniform", "distance", "rank"}, default="uniform"
        What an edge weighs for a row: 1; 1 / (1 + its length), so mind the unit; or 1 for its
        shortest edge, 1/2 for the next, 1/3 ...
    flag : {"balance", "bad", "doubtful"}, default="balance"
        The rule where neither ``threshold`` nor ``contamination`` is given: rows with suspicion
        above 0.5; those of the category "bad"; or all that are not "good".
    alpha : float, default=0.05
        Significance level of the categories, at most 0.5.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    n_jobs : int, optional
        Number of threads that search for neighbours, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        The probability that labels dealt out at random would cut less, plus half that of just as
        much. It says how unlike chance the surroundings are and is not the probability that the
        label is wrong.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        Where a row is flagged, the label that most weight of its edges to rows that are not flagged
        leads to (of equals, the nearest one's); its own label elsewhere, and if there are no such
        edges.
    category_ : array of str of shape (n,)
        "good" where significantly few edges are cut, "bad" where significantly many, "doubtful"
        else.
    n_edges_ : array of int of shape (n,)
        How many rows each is joined to. One that is alone has suspicion 0.5 and is not flagged.
    sample_indices_ : array of int
        The rows that are left: those not flagged, and those kept for the sake of ``max_fraction``
        and ``min_per_class``.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    Cleaner : ``Cleaner(CutEdgeFilter(flag="doubtful"), action="relabel")`` relabels by unsuspected
        neighbours and leaves out rows that have none, the paper's second policy.

    Notes
    -----
    With q the fraction of rows that carry another label than row i, the cut weight
    J = sum_j w_ij [y_j != y_i] has mean q sum_j w_ij and variance q (1 - q) sum_j w_ij² under
    chance. With uniform weights it is binomial and the suspicion P(B < J) + P(B = J) / 2, otherwise
    it is taken as normal. The paper flags by category. With many classes q is near 1 and "bad"
    cannot be reached by a few neighbours, while "doubtful" takes most of a noisy table with two
    classes; hence the balance as default.

    References
    ----------
    .. [1] Muhlenbach, Lallich and Zighed. Identifying and handling mislabelled instances. Journal
       of Intelligent Information Systems 22, 2004.
    .. [2] Lallich, Muhlenbach and Zighed. Improving classification by removing or relabeling
       mislabeled instances. Foundations of Intelligent Systems, 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from errata.filters import CutEdgeFilter
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.2, random_state=0)
    >>> cut = CutEdgeFilter().fit(scale(X), labels)
    >>> int(flipped.sum()), int(cut.flagged_.sum()), int((flipped & cut.flagged_).sum())
    (36, 39, 34)
    >>> int((cut.suggested_[flipped] == y[flipped]).sum())
    32
    """

    def __init__(
        self,
        *,
        graph: str = "knn",
        n_neighbors: int = 10,
        weights: str = "uniform",
        flag: str = "balance",
        alpha: float = 0.05,
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
        self.graph = graph
        self.weights = weights
        self.flag = flag
        self.alpha = alpha

    def _judge(self, X: Any, codes: np.ndarray) -> Verdict:
        self._check_parameters(len(codes))
        edges = self._edges(X)
        weight = self._weights(edges)
        tails = self._tails(edges, weight, codes)
        suspicion, native = tails.suspicion, self._native(tails)
        flagged = flag(
            suspicion, threshold=self.threshold, contamination=self.contamination, native=native
        )
        trusted = ~flagged[edges.target]
        suggested = heaviest_class(edges.only(trusted), weight[trusted], codes)
        return Verdict(suspicion, suggested, native)

    def _check_parameters(self, n: int) -> None:
        check_choice("graph", self.graph, GRAPHS)
        check_choice("weights", self.weights, WEIGHTS)
        check_choice("flag", self.flag, RULES)
        check_fraction("alpha", self.alpha, high=0.5)
        if self.graph in ("gabriel", "rng") and n > MAX_ROWS:
            raise ValueError(
                f"graph={self.graph!r} takes time with the cube of the number of rows and is for "
                f'{MAX_ROWS} at most, not {n}; use graph="knn".'
            )

    def _edges(self, X: Any) -> Edges:
        if self.graph == "gabriel":
            return gabriel_edges(X, metric=self.metric)
        if self.graph == "rng":
            return relative_edges(X, metric=self.metric)
        return knn_edges(
            X,
            self.n_neighbors,
            mutual=self.graph == "mutual_knn",
            metric=self.metric,
            n_jobs=self.n_jobs,
        )

    def _weights(self, edges: Edges) -> np.ndarray:
        if self.weights == "distance":
            return 1 / (1 + edges.distance)
        if self.weights == "rank":
            return 1 / edges.rank
        return np.ones(len(edges.source))

    def _tails(self, edges: Edges, weight: np.ndarray, codes: np.ndarray) -> Tails:
        cuts = cut_edges(edges, weight, codes)
        self.n_edges_ = cuts.n_edges
        p_cut = 1 - (np.bincount(codes) / len(codes))[codes]
        return (uniform_tails if self.weights == "uniform" else weighted_tails)(cuts, p_cut)

    def _native(self, tails: Tails) -> float | np.ndarray:
        """The rows that the filter flags where the user sets no rule; one alone is not judged."""
        self.category_ = tails.categories(self.alpha)
        if self.flag == "balance":
            return 0.5
        if self.flag == "bad":
            return self.category_ == "bad"
        return (self.category_ != "good") & (self.n_edges_ > 0)
