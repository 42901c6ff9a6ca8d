"""Hidden Markov models that trust labels: as classes, or to begin with."""

from functools import partial
from typing import Any

import numpy as np

from .._blocks import reduce_blocks
from .._kernels import kernels
from ._base import Ascent, HiddenClassModel, HiddenMarkovModel
from ._inputs import Sequences
from ._statistics import (
    Parameters,
    Tally,
    fit_mixtures,
    label_shares,
    tally_hidden,
)


class SupervisedHMM(HiddenMarkovModel):
    """A hidden Markov model that takes each label for the class.

    Each class is a mixture of Gaussians, and classes follow each other as their labels do: what is
    to be learnt is counted, and each class gets its mixture from the samples that bear its label.
    Reach for it when labels can be trusted; it costs least and segments best then. A wrong label
    ends up in the mixture of the wrong class; see :class:`TolerantHMM`. Samples are a time series:
    their order counts. Costs O(n M d²) a step; memory O(n K).

    Parameters
    ----------
    n_components : int, default=5
        Gaussians of each class, M.
    startprob : {"frequency", "first"}, default="frequency"
        Probabilities of the class of a first sample: the share of each label among all samples, or
        what first samples are like. One recording has one first sample, which teaches nothing.
    transitions : None, sequence of classes or mask of shape (K, K), default=None
        What may follow what: anything; the classes in the order of a cycle, each followed by itself
        or the next; or a mask, its rows and columns in the order of the sorted classes. What is not
        allowed stays impossible.
    transmat_prior : float, default=0
        Added to the count of every allowed pair of labels.
    init_scale : float, default=0.1
        Covariances start as this fraction of that of the class, by its labels.
    reg_covar : float, default=1e-4
        Fraction of the variance of each feature that is added to the variances of components. With
        0 the likelihood never falls, and a component may collapse upon a few samples.
    n_init : int, default=10
        Number of starts, each from other samples as means; for each class the best is kept.
    max_iter : int, default=300
        Maximum number of steps of expectation-maximisation.
    tol : float, default=1e-5
        Stop when a step gains less in log-likelihood per sample.
    missing_label : int, str or None, default=-1
        What stands for a missing label.
    n_jobs : int, optional
        Starts that run at the same time, in threads.
    random_state : int, RandomState or None, default=None
        Draws the starts.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels.
    startprob_ : array of shape (K,)
        Probability of each class in a first sample.
    transmat_ : array of shape (K, K)
        ``a[i, j]``: probability that class j follows class i.
    weights_ : array of shape (K, M)
        Weights of the components of each class.
    means_ : array of shape (K, M, d)
        Their means.
    covariances_ : array of shape (K, M, d, d)
        Their covariances.
    log_likelihood_ : float
        Log-density of samples and labels, log P(O, S = y).
    log_likelihoods_ : array of shape ``(n_iter_ + 1,)``
        Log-likelihood at the start and after each step of the best start as a whole.
    n_iter_ : int
        Number of steps.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Samples without a label are left out, and so are pairs of labels that ``transitions`` excludes.
    New sequences are segmented by the likeliest path of classes [1]_.

    References
    ----------
    .. [1] Rabiner. A tutorial on hidden Markov models and selected applications in speech
       recognition. Proceedings of the IEEE 77, 1989.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.sequence import SupervisedHMM
    >>> random = np.random.default_rng(0)
    >>> y = np.tile(np.repeat(["rest", "walk"], [30, 20]), 10)
    >>> X = random.normal(size=(500, 1)) + 2 * (y == "walk")[:, None]
    >>> model = SupervisedHMM(n_components=1, random_state=0).fit(X[:250], y[:250])
    >>> model.transmat_.round(2)
    array([[0.97, 0.03],
           [0.04, 0.96]])
    >>> model.score(X[250:], y[250:])
    0.984
    """

    def __init__(
        self,
        *,
        n_components: int = 5,
        startprob: str = "frequency",
        transitions: Any = None,
        transmat_prior: float = 0.0,
        init_scale: float = 0.1,
        reg_covar: float = 1e-4,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-5,
        missing_label: Any = -1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.startprob = startprob
        self.transitions = transitions
        self.transmat_prior = transmat_prior
        self.init_scale = init_scale
        self.reg_covar = reg_covar
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.missing_label = missing_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _start_shares(self, sequences: Sequences) -> np.ndarray:
        first = self.startprob == "first"
        return label_shares(sequences, len(self.classes_), first=first)

    def _expectation(self, sequences: Sequences, pairs: np.ndarray) -> Any:
        return partial(tally_labelled, sequences, pairs=pairs)

    def _maximisation(
        self, variances: np.ndarray, parameters: Parameters, tally: Tally
    ) -> Parameters:
        return fit_mixtures(parameters, tally, variances, self.reg_covar)

    def _best(self, solutions: list[Ascent]) -> Ascent:
        """The best mixture of each class, as classes are learnt apart from each other."""
        parameters, tally, log_likelihoods, converged = super()._best(solutions)
        log_density = np.array([each.log_density for _, each, _, _ in solutions])
        chosen = log_density.argmax(axis=0)
        mixtures = {
            name: np.array([getattr(found, name) for found, _, _, _ in solutions])[
                chosen, range(len(chosen))
            ]
            for name in ("weights", "means", "covariances")
        }
        gained = log_density.max(axis=0).sum() - tally.log_density.sum()
        tally = tally._replace(log_likelihood=tally.log_likelihood + gained)
        return parameters._replace(**mixtures), tally, log_likelihoods, converged


class BaumWelchHMM(HiddenClassModel):
    """A hidden Markov model that looks at labels to begin with, and then at the samples only.

    The start is that of :class:`SupervisedHMM`; from there expectation-maximisation moves classes
    to where the samples are likeliest, whatever their labels. Reach for it when labels are few, or
    so bad that they are better forgotten; no wrong label can bend what it learns, but classes drift
    to what the samples suggest, which need not be what the annotator meant. That it does well at
    all owes much to the start. Costs O(n K (M d² + K)) a step; memory 3 n K numbers.

    Parameters
    ----------
    n_components : int, default=5
        Gaussians of each class, M.
    startprob : {"frequency", "first"}, default="frequency"
        Probabilities of the class of a first sample: the share of each label among all samples, or
        what first samples are like. One recording has one first sample, which teaches nothing.
    transitions : None, sequence of classes or mask of shape (K, K), default=None
        What may follow what: anything; the classes in the order of a cycle, each followed by itself
        or the next; or a mask, its rows and columns in the order of the sorted classes. What is not
        allowed stays impossible.
    transmat_prior : float, default=0
        Added to the count of every allowed pair of labels to begin with.
    init_scale : float, default=0.1
        Covariances start as this fraction of that of the class, by its labels.
    reg_covar : float, default=1e-4
        Fraction of the variance of each feature that is added to the variances of components. With
        0 the likelihood never falls, and a component may collapse upon a few samples.
    n_init : int, default=10
        Number of starts, each from other samples as means; the likeliest end is kept.
    max_iter : int, default=300
        Maximum number of steps of expectation-maximisation.
    tol : float, default=1e-5
        Stop when a step gains less in log-likelihood per sample.
    missing_label : int, str or None, default=-1
        What stands for a missing label.
    implementation : {"log", "scaling"}, default="log"
        Keep logarithms of probabilities, or probabilities that are rescaled in every sample, which
        takes less time where there are many classes. Where a probability would be lost, the
        sequence is done again in logarithms.
    n_jobs : int, optional
        Starts that run at the same time, in threads.
    random_state : int, RandomState or None, default=None
        Draws the starts.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels.
    startprob_ : array of shape (K,)
        Probability of each class in a first sample.
    transmat_ : array of shape (K, K)
        ``a[i, j]``: probability that class j follows class i.
    weights_ : array of shape (K, M)
        Weights of the components of each class.
    means_ : array of shape (K, M, d)
        Their means.
    covariances_ : array of shape (K, M, d, d)
        Their covariances.
    log_likelihood_ : float
        Log-density of the samples, log P(O).
    log_likelihoods_ : array of shape ``(n_iter_ + 1,)``
        Log-likelihood at the start and after each step.
    n_iter_ : int
        Number of steps.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The algorithm of Baum and Welch [1]_ with Gaussian mixtures, of which [2]_ prints some formulas
    with misprints: means and covariances are divided by the samples of their component, not of
    their state.

    References
    ----------
    .. [1] Rabiner. A tutorial on hidden Markov models and selected applications in speech
       recognition. Proceedings of the IEEE 77, 1989.
    .. [2] Frénay, de Lannoy and Verleysen. Label noise-tolerant hidden Markov models for
       segmentation: application to ECGs. ECML PKDD, 2011.

    Examples
    --------
    Two samples in five have a wrong label; forgetting them is the better part:

    >>> import numpy as np
    >>> from errata.noise import flip_labels
    >>> from errata.sequence import BaumWelchHMM
    >>> random = np.random.default_rng(0)
    >>> classes = np.tile(np.repeat([0, 1], [30, 20]), 10)
    >>> X = random.normal(size=(500, 1)) + 4 * classes[:, None]
    >>> labels, wrong = flip_labels(classes, 0.4, random_state=0)
    >>> model = BaumWelchHMM(n_components=1, random_state=0).fit(X, labels)
    >>> model.score(X, classes), model.means_.round(1).ravel().tolist()
    (0.998, [-0.0, 4.0])
    """

    def __init__(
        self,
        *,
        n_components: int = 5,
        startprob: str = "frequency",
        transitions: Any = None,
        transmat_prior: float = 0.0,
        init_scale: float = 0.1,
        reg_covar: float = 1e-4,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-5,
        missing_label: Any = -1,
        implementation: str = "log",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.startprob = startprob
        self.transitions = transitions
        self.transmat_prior = transmat_prior
        self.init_scale = init_scale
        self.reg_covar = reg_covar
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.missing_label = missing_label
        self.implementation = implementation
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _expectation(self, sequences: Sequences, pairs: np.ndarray) -> Any:
        return partial(tally_hidden, sequences.unlabelled(), scaled=self._scaled)


def tally_labelled(sequences: Sequences, parameters: Parameters, pairs: np.ndarray) -> Tally:
    """Counts when labels are the classes; samples without a label do not count.

    ``pairs`` are the transitions that the likelihood is that of.
    """
    densities = parameters.unpack_mixtures()
    n_classes = len(parameters.start)
    tally = reduce_blocks(
        _tally_labelled_block,
        sequences.blocks(),
        sequences,
        n_classes,
        densities,
        merge=Tally.merge,
    )
    seen = pairs > 0
    begun = tally.first > 0
    log_chain = pairs[seen] @ np.log(parameters.transitions[seen])
    log_chain += tally.first[begun] @ np.log(parameters.start[begun])
    return tally._replace(log_likelihood=log_chain + tally.log_density.sum(), transitions=pairs)


def _tally_labelled_block(
    rows: slice, sequences: Sequences, n_classes: int, densities: Any
) -> Tally:
    part = sequences.of(rows)
    gamma = np.vstack([np.eye(n_classes), np.zeros(n_classes)])[part.codes]
    return Tally(
        0.0,
        gamma[part.starts].sum(axis=0),
        np.zeros((n_classes, n_classes)),
        np.diag(gamma.sum(axis=0)),
        *kernels("hmm").sum_mixture_moments(part.X, gamma, *densities),
    )
