"""Clusters found without labels, and the labels that each of them has."""

from functools import partial
from typing import Any

import numpy as np
from sklearn.mixture import GaussianMixture

from ..._detector import compute_margin
from ..._random import draw_seed
from ..._validation import check_choice, check_count, check_fraction
from ._base import (
    HiddenClassClassifier,
    NoiseStep,
    is_transition_settled,
    maximise_likelihood,
)

COVARIANCE_TYPES = ("full", "tied", "diag", "spherical")


class RobustMixtureClassifier(HiddenClassClassifier):
    """Clusters found without the labels, each given to the label that most of its rows have.

    Labels cannot bend what they were not used for: Gaussian clusters are fitted to the features
    alone, and a wrong label only moves the mix of labels of its cluster. Reach for it when classes
    consist of clusters and many labels are wrong, up to nearly half of each cluster, and in small
    numbers of features. Not where classes overlap in one cluster: it fails where no cluster has the
    class as its majority. Full covariances want about 10 m d² rows for m components; beyond some 20
    features reduce them first (PCA) or pass "diag". Costs a few fits of Gaussian mixtures,
    O(n m d²) a step, for each number of components tried; memory O(n m).

    Parameters
    ----------
    n_components : int, optional
        Number of clusters; when not given, that of K to 3 K with the lowest BIC.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        As in :class:`sklearn.mixture.GaussianMixture`.
    reg_covar : float, default=1e-3
        Added to the variances; relative to features of unit scale.
    max_iter : int, default=500
        Maximum number of rounds in which labels are shared out among clusters.
    tol : float, default=1e-8
        Stop when no share moves by more.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Starts the mixtures.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels.
    mixture_ : GaussianMixture
        The clusters.
    label_given_component_ : array of shape (K, m)
        P(label | cluster): how often each cluster has each label.
    suspicion_ : array of shape (n,)
        ``(other - own + 1) / 2``, from the probabilities of the label and of the likeliest other:
        above a half where another label is likelier. A score, not a probability.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    suggested_ : array of shape (n,)
        The likeliest label where a row is flagged, its own elsewhere.
    log_likelihood_ : array of shape ``(n_iter_,)``
        Log-likelihood of the labels given the clusters; never falls.
    n_iter_ : int
        Number of rounds.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Maximises ``sum_n s_n log sum_k R[y_n, k] Q[n, k]`` over columns of R that sum to one, Q being
    the memberships: concave, so every start ends at the same R [1]_. ``predict_proba`` is ``R Q``,
    the probability of the *label*: it holds the noise still. Its largest entry is what is robust.
    ``sample_weight`` counts in R; the clusters leave out rows of weight zero and take the rest
    alike.

    References
    ----------
    .. [1] Bouveyron and Girard. Robust supervised classification with mixture models: learning from
       data with uncertain labels. Pattern Recognition 42, 2009.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from errata.noise import flip_labels
    >>> from errata.tolerant import RobustMixtureClassifier
    >>> X, y = make_blobs(400, centers=4, random_state=3)
    >>> labels, wrong = flip_labels(y % 2, 0.3, random_state=0)
    >>> model = RobustMixtureClassifier(4, random_state=0).fit(X, labels)
    >>> round(float((labels == y % 2).mean()), 2), round(model.score(X, y % 2), 2)
    (0.7, 1.0)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        covariance_type: str = "full",
        reg_covar: float = 1e-3,
        max_iter: int = 500,
        tol: float = 1e-8,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _fit_labels(self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> None:
        tol = check_fraction("tol", self.tol, high=np.inf)
        max_iter = check_count("max_iter", self.max_iter)
        counted = weights > 0  # a label that only other rows have may have no component at all
        self.mixture_ = self._fit_mixture(X[counted])
        memberships = self.mixture_.predict_proba(X)
        T, self.log_likelihood_ = label_components(
            memberships[counted],
            codes[counted],
            weights[counted],
            len(self.classes_),
            tol=tol,
            max_iter=max_iter,
        )
        self.n_iter_ = len(self.log_likelihood_)
        self.label_given_component_ = T.T
        proba = memberships @ self.label_given_component_.T
        self._conclude(compute_margin(proba, codes), codes, proba.argmax(axis=1))

    def _fit_mixture(self, X: np.ndarray) -> GaussianMixture:
        """The mixture, with the fewest components that the BIC allows where none are given."""
        n_classes = len(self.classes_)
        seed = draw_seed(self.random_state)
        # Sorted: a start from other rows may end elsewhere, and the order of rows must not matter.
        X = X[np.lexsort(X.T)]
        sizes: list[Any] = [self.n_components]
        if self.n_components is None:
            sizes = list(range(n_classes, min(3 * n_classes, len(X)) + 1))
        mixtures = [self._mixture(size, seed).fit(X) for size in sizes]
        return min(mixtures, key=lambda mixture: mixture.bic(X)) if mixtures[1:] else mixtures[0]

    def _mixture(self, n_components: Any, seed: int) -> GaussianMixture:
        return GaussianMixture(
            check_count("n_components", n_components),
            covariance_type=check_choice("covariance_type", self.covariance_type, COVARIANCE_TYPES),
            reg_covar=check_fraction("reg_covar", self.reg_covar, high=np.inf),
            n_init=3,
            random_state=seed,
        )

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each label, shape (n, K)."""
        X = self._check_rows(X)
        return self.mixture_.predict_proba(X) @ self.label_given_component_.T


def label_components(
    memberships: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray,
    n_classes: int,
    *,
    tol: float,
    max_iter: int,
) -> tuple[np.ndarray, np.ndarray]:
    """How often each component has each label, and the log-likelihood of each round.

    The hidden class is the component. The likelihood is concave, so that the start does not matter;
    that of the label frequencies is what a component without rows is left with.
    """
    frequencies = np.bincount(codes, weights, n_classes) / weights.sum()
    start = np.tile(frequencies, (memberships.shape[1], 1))
    with np.errstate(divide="ignore"):
        log_memberships = np.log(memberships)
    _, T, _, log_likelihood, _ = maximise_likelihood(
        lambda *_: (None, log_memberships, 0.0),
        NoiseStep(start, np.zeros_like(start)),
        codes,
        weights,
        start=memberships,
        settled=partial(is_transition_settled, tol),
        max_iter=max_iter,
    )
    return T, log_likelihood
