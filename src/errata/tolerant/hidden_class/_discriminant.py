"""Hidden classes whose rows are Gaussian: discriminant analysis, and clusters with their labels."""

from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.special import softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from ..._detector import compute_margin
from ..._random import draw_seed
from ..._validation import check_choice, check_count, check_fraction
from ..._warn import warn_user
from . import _base

COVARIANCES = ("shared", "full", "diag")

COVARIANCE_TYPES = ("full", "tied", "diag", "spherical")


class RobustDiscriminantAnalysis(_base.NoiseLearningClassifier):
    """Discriminant analysis that knows that labels may be wrong, and learns how often.

    Each class is a Gaussian, and each label a noisy copy of the class: both are fitted together by
    expectation-maximisation. Reach for it when classes are clouds with something like a plane
    between them and labels are wrong by class (NAR): one class is mistaken more often than another,
    which moves an ordinary boundary to the wrong place. Not where the clouds are far from Gaussian:
    rows that fit their class badly then look mislabelled, and symmetric noise can cost accuracy;
    nor for errors that gather near the boundary. Scale the features, as ``shrinkage`` compares
    them. Costs O(n K d²) a round, some tens of rounds; memory O(n (K + d) + K d²).

    Parameters
    ----------
    covariance : {"shared", "full", "diag"}, default="shared"
        One covariance for all classes (a linear boundary), one for each (quadratic; wants 5 d rows
        a class), or the diagonal of the shared one.
    shrinkage : float in [0, 1], default=0.01
        How far covariances are drawn towards a ball of the same size. More for many features; with
        0 the objective never falls, and constant columns are refused.
    noise : {"full", "per_class", "uniform"}, default="full"
        What is learnt of the transition matrix: every entry, one error rate for each class (all
        other labels alike), or one rate in all. The fewer rows and the more classes, the less can
        be learnt.
    transition : matrix of shape (K, K), NoiseModel or float, optional
        ``T[c, l] = P(label = l | class = c)``, in the order of the sorted labels (or of the classes
        that the NoiseModel names), or one error rate for all classes: where learning starts, or
        what is known.
    learn_transition : bool, default=True
        Whether T is learnt. False needs ``transition``.
    init_error : float, default=0.2
        Error rate that learning starts from, and that is thought likely beforehand.
    prior_strength : float, default=2
        How many rows of each class that belief is worth. 0 is maximum likelihood; more holds T
        fast where there are few rows.
    max_iter : int, default=200
        Maximum number of rounds.
    tol : float, default=1e-6
        Stop when the objective changes by less, relative to its size.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float or "estimate", optional
        Flag this fraction of the rows instead, the most suspicious first; "estimate" takes as many
        as are expected to be wrong, the sum of the suspicions.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels.
    noise_transition_ : array of shape (K, K)
        T: how often each class has each label.
    error_rates_ : array of shape (K,)
        One minus its diagonal.
    suspicion_ : array of shape (n,)
        Probability that a label is wrong, as far as the model is right.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    suggested_ : array of shape (n,)
        The likeliest class given features and label where a row is flagged, its own label
        elsewhere.
    priors_ : array of shape (K,)
        Fraction of each class.
    means_ : array of shape (K, d)
        Mean of each class.
    covariance_ : array of shape (d, d), or (K, d, d) if "full"
        Covariance within classes, shrunk.
    log_likelihood_ : array of shape ``(n_iter_,)``
        Log-likelihood of the labels and features in each round.
    objective_ : array of shape ``(n_iter_,)``
        The same with the log-density of T beforehand; never falls if ``shrinkage`` is 0.
    n_iter_ : int
        Number of rounds.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    In each round, with weights s, ``r[n, c]`` is proportional to ``prior[c] N(x_n; mean[c],
    covariance) T[c, y_n]``; then prior, means and covariance are those of rows that are of class c
    ``s_n r[n, c]`` times, and ``T[c, l]`` is the fraction of class c that has label l, after
    ``prior_strength`` rows seen beforehand. For a curved boundary put kernel features in front::

        make_pipeline(StandardScaler(), Nystroem(n_components=100),
                      RobustDiscriminantAnalysis(shrinkage=0.1))

    References
    ----------
    .. [1] Lawrence and Schölkopf. Estimating a kernel Fisher discriminant in the presence of label
       noise. ICML, 2001.
    .. [2] Frénay and Verleysen. Classification in the presence of label noise: a survey. IEEE
       Transactions on Neural Networks and Learning Systems 25, 2014.

    Examples
    --------
    Two fifths of one class have the label of the other; the matrix is found, and the boundary:

    >>> import numpy as np
    >>> from errata.noise import flip_labels
    >>> from errata.tolerant import RobustDiscriminantAnalysis
    >>> random = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> X = random.normal(size=(1000, 2)) + 3 * y[:, None]
    >>> labels, wrong = flip_labels(y, transition=[[0.6, 0.4], [0, 1]], random_state=0)
    >>> model = RobustDiscriminantAnalysis().fit(X, labels)
    >>> model.noise_transition_.round(2)
    array([[0.6, 0.4],
           [0. , 1. ]])
    >>> int(wrong.sum()), int(model.flagged_.sum()), int((model.flagged_ & wrong).sum())
    (200, 202, 199)
    """

    def __init__(
        self,
        covariance: str = "shared",
        *,
        shrinkage: float = 0.01,
        noise: str = "full",
        transition: Any = None,
        learn_transition: bool = True,
        init_error: float = 0.2,
        prior_strength: float = 2.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | str | None = None,
    ) -> None:
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.noise = noise
        self.transition = transition
        self.learn_transition = learn_transition
        self.init_error = init_error
        self.prior_strength = prior_strength
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _fit_labels(self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> None:
        covariance = check_choice("covariance", self.covariance, COVARIANCES)
        shrinkage = check_fraction("shrinkage", self.shrinkage)
        # Sample weights below one may make a class smaller than one row to begin with.
        least = np.minimum(1, np.bincount(codes, weights))

        def fit_classes(
            responsibilities: np.ndarray, _: np.ndarray
        ) -> tuple[Any, np.ndarray, float]:
            counts = weights[:, None] * responsibilities
            size = counts.sum(axis=0)
            if (size < least).any():
                name = self.classes_.tolist()[int((size - least).argmin())]
                raise _base.EmptyClass(f"less than one row is left of the class {name!r}")
            gaussians = fit_gaussians(X, counts, covariance=covariance, shrinkage=shrinkage)
            return gaussians, compute_log_density(X, *gaussians), 0.0

        gaussians, responsibilities = self._learn(fit_classes, codes, weights)
        self.priors_, self.means_, self._roots = gaussians
        squares = self._roots @ self._roots.swapaxes(1, 2)
        self.covariance_ = squares if covariance == "full" else squares[0]
        if covariance == "full":
            self._warn_of_few_rows(weights @ responsibilities)

    def _warn_of_few_rows(self, size: np.ndarray) -> None:
        d = self.n_features_in_
        if size.min() < 5 * d:
            name = self.classes_.tolist()[int(size.argmin())]
            warn_user(
                f'covariance="full" wants 5 rows of each class for each of the {d} features, but '
                f'the class {name!r} has {size.min():.0f}; choose "shared" or "diag".',
                ConvergenceWarning,
            )

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        X = self._check_rows(X)
        return softmax(compute_log_density(X, self.priors_, self.means_, self._roots), axis=1)


def fit_gaussians(
    X: np.ndarray, counts: np.ndarray, *, covariance: str, shrinkage: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The likeliest Gaussians, row n being of class c ``counts[n, c]`` times.

    Returns priors (K,), means (K, d), and lower triangles whose squares are the covariances, of all
    classes (1, d, d) or each of them (K, d, d).
    """
    size = counts.sum(axis=0)
    means = (counts.T @ X) / size[:, None]
    if covariance == "full":
        spread = np.array(
            [_compute_scatter(X - m, w) / w.sum() for m, w in zip(means, counts.T, strict=True)]
        )
    else:
        # Around the class means: around the centre, less what the means are away from it.
        centre = size @ means / size.sum()
        spread = _compute_scatter(X - centre, counts.sum(axis=1)) - _compute_scatter(
            means - centre, size
        )
        spread = spread[None] / size.sum()
        if covariance == "diag":
            spread = spread * np.eye(X.shape[1])
    rounding = 1e-12 * np.abs(X).max(axis=0)
    spread = np.where(np.abs(spread) > np.outer(rounding, rounding), spread, 0.0)
    return size / size.sum(), means, np.array([_compute_root(S, shrinkage) for S in spread])


def compute_log_density(
    X: np.ndarray, prior: np.ndarray, means: np.ndarray, roots: np.ndarray
) -> np.ndarray:
    """Log-density of each row together with each class, shape (n, K)."""
    columns = [
        _compute_squared_distance(X, mean, roots[c % len(roots)]) for c, mean in enumerate(means)
    ]
    half_log_det = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    constant = np.log(prior) - half_log_det - X.shape[1] / 2 * np.log(2 * np.pi)
    return constant - np.column_stack(columns) / 2


def _compute_squared_distance(X: np.ndarray, mean: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Mahalanobis distance of each row, squared."""
    whitened = solve_triangular(root, (X - mean).T, lower=True, check_finite=False)
    return np.einsum("dn,dn->n", whitened, whitened)


def _compute_scatter(centred: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return (centred * weights[:, None]).T @ centred


def _compute_root(covariance: np.ndarray, shrinkage: float) -> np.ndarray:
    """Lower triangle whose square is the covariance, drawn towards a multiple of the identity."""
    d = len(covariance)
    towards = np.trace(covariance) / d * np.eye(d)
    try:
        root = cholesky((1 - shrinkage) * covariance + shrinkage * towards, lower=True)
    except LinAlgError:
        root = np.zeros((d, d))
    # A variance lost to rounding: nothing but noise would be left of a distance.
    if np.diag(root).min() <= 1e-7 * np.sqrt(np.trace(covariance) / d):
        raise ValueError(
            "the covariance within classes is singular: columns are constant within classes, "
            "repeat others, or outnumber the rows; drop such columns, or raise shrinkage."
        )
    return root


class RobustMixtureClassifier(_base.HiddenClassClassifier):
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
    _, T, _, log_likelihood, _ = _base.maximise_likelihood(
        lambda *_: (None, log_memberships, 0.0),
        _base.NoiseStep(start, np.zeros_like(start)),
        codes,
        weights,
        start=memberships,
        settled=partial(_base.is_transition_settled, tol),
        max_iter=max_iter,
    )
    return T, log_likelihood
