"""Hidden Markov models that trust labels, as classes or to begin with, or learn their errors."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._blocks import reduce_blocks
from .._detector import check_one_rule, flag, measure_doubt
from .._kernels import kernels
from .._validation import check_choice, check_count, check_fraction
from .._warn import warn_user
from ..noise import NoiseModel
from ._base import (
    UPDATES,
    Ascent,
    HiddenClassModel,
    HiddenMarkovModel,
    Parameters,
    Sequences,
    Tally,
    check_new_sequences,
    compute_class_posteriors,
    find_best_states,
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


class LabelDiagnosis(NamedTuple):
    """A model's judgement of labels, one entry per sample."""

    label_posterior: np.ndarray
    suspicion: np.ndarray
    flagged: np.ndarray
    suggested: np.ndarray


class TolerantHMM(HiddenClassModel):
    """A hidden Markov model that knows that labels may be wrong, and learns how often.

    Each sample has a class that nobody saw and a label, a noisy copy of it; the classes follow each
    other and emit the samples. Expectation-maximisation learns all of it together: so labels guide,
    and where samples and neighbours speak against one, it is not believed. Reach for it when labels
    of a segmentation are good on the whole and wrong in places; where they are right it loses
    little against :class:`SupervisedHMM`. Costs O(n K (M d² + K)) a step; memory 3 n K numbers.

    Errors are taken to be independent given the class. Those of boundaries are not: they come in
    runs next to a change. The rate of a class then measures overlap that was lost, and suspicions
    are less sharp, though still of use.

    Parameters
    ----------
    n_components : int, default=5
        Gaussians of each class, M.
    p_e : float in [0, 1], default=0.05
        Error rate of every class that learning starts from. A rate of 0 stays 0, which is
        :class:`SupervisedHMM`.
    noise : {"per_state", "shared", "full", "fixed"}, default="per_state"
        What is learnt of the errors: one rate for each class, all other labels alike; one rate in
        all; every entry of the matrix, which overfits easily; nothing.
    ignore_boundaries : int, default=0
        Labels of so many samples before and after each change of label are not learnt from, but
        judged by all others. With ``p_e=0`` and ``noise="fixed"`` this is the semi-supervised
        training of [2]_, which believes all other labels.
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
    threshold : float, optional
        Flag the samples whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float or "estimate", optional
        Flag this fraction of the samples instead, the most suspicious first; "estimate" takes as
        many as are expected to be wrong, the sum of the suspicions.
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
    noise_transition_ : array of shape (K, K)
        ``T[c, l]``: how often class c has label l.
    error_rates_ : array of shape (K,)
        One minus its diagonal.
    label_posterior_ : array of shape (n, K)
        P(class | samples, labels) at each time.
    suspicion_ : array of shape (n,)
        Probability that a label is wrong, as far as the model is right; 0 where it is missing.
    flagged_ : array of bool of shape (n,)
        The samples to look at.
    suggested_ : array of shape (n,)
        The likeliest path of classes given samples and labels: a segmentation that ``transitions``
        allows, also where nothing is flagged or labelled.
    log_likelihood_ : float
        Log-density of samples and labels, log P(O, Y); not comparable between kinds of noise, nor
        with Baum-Welch, which has no model of labels.
    log_likelihoods_ : array of shape ``(n_iter_ + 1,)``
        Log-likelihood at the start and after each step.
    n_iter_ : int
        Number of steps.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    With start probabilities q, transitions a, mixtures b and errors T, the likelihood [1]_

        P(O, Y, S) = q[s_1] prod_t a[s_t-1, s_t] prod_t b_s_t(o_t) T[s_t, y_t]

    is summed over all paths S. Missing labels contribute a factor of 1. T is used to learn and to
    judge labels; new samples are segmented with q, a and b.

    Equations 12, 14, 18 and 19 of the paper have misprints, corrected here: a label is emitted by
    the state at its own time, means and covariances are divided by the samples of the component,
    and squares are outer products. What the paper leaves open is a parameter here (``init_scale``,
    ``reg_covar``, ``tol``); masks, missing labels, other kinds of noise and the diagnosis of labels
    are not in it.

    References
    ----------
    .. [1] Frénay, de Lannoy and Verleysen. Label noise-tolerant hidden Markov models for
       segmentation: application to ECGs. ECML PKDD, 2011.
    .. [2] Hughes, Roberts and Tarassenko. Semi-supervised learning of probabilistic models for ECG
       segmentation. IEMBS, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.noise import flip_labels
    >>> from errata.sequence import TolerantHMM
    >>> random = np.random.default_rng(0)
    >>> classes = np.tile(np.repeat(["rest", "walk", "run"], [30, 20, 10]), 10)
    >>> centres = {"rest": 0, "walk": 3, "run": 6}
    >>> X = random.normal([[centres[c]] for c in classes])
    >>> labels, wrong = flip_labels(classes, 0.2, random_state=0)
    >>> model = TolerantHMM(n_components=1, transitions=["rest", "walk", "run"], random_state=0)
    >>> model = model.fit(X, labels)
    >>> model.error_rates_.round(2)
    array([0.19, 0.2 , 0.22])
    >>> int(wrong.sum()), int(model.flagged_.sum()), int((model.flagged_ & wrong).sum())
    (120, 121, 118)
    >>> [round(float((y == classes).mean()), 2) for y in (labels, model.suggested_)]
    [0.8, 0.99]
    """

    def __init__(
        self,
        *,
        n_components: int = 5,
        p_e: float = 0.05,
        noise: str = "per_state",
        ignore_boundaries: int = 0,
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
        threshold: float | None = None,
        contamination: float | str | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.p_e = p_e
        self.noise = noise
        self.ignore_boundaries = ignore_boundaries
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
        self.threshold = threshold
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _loop_settings(self, sequences: Sequences) -> dict[str, Any]:
        check_one_rule(self.threshold, self.contamination)
        return super()._loop_settings(sequences)

    def _believe(self, sequences: Sequences) -> Sequences:
        width = check_count("ignore_boundaries", self.ignore_boundaries, low=0)
        if width == 0:
            return sequences
        believed = sequences.without_boundaries(width)
        gone = np.setdiff1d(np.arange(len(self.classes_)), believed.codes)
        if len(gone):
            raise ValueError(
                f"ignore_boundaries={width} leaves no label of the class "
                f"{self.classes_.tolist()[gone[0]]!r}; pass a smaller number."
            )
        return believed

    def _start_labels(self) -> np.ndarray:
        check_choice("noise", self.noise, tuple(UPDATES))
        rate = check_fraction("p_e", self.p_e)
        return NoiseModel.uniform(len(self.classes_), rate).transition

    def _expectation(self, sequences: Sequences, pairs: np.ndarray) -> Any:
        return partial(tally_hidden, sequences, scaled=self._scaled)

    def _report(self, best: Ascent) -> None:
        super()._report(best)
        self.noise_transition_ = best[0].labels
        self.error_rates_ = 1 - np.diag(self.noise_transition_)
        warn_if_worse_than_chance(self.error_rates_, self.classes_)

    def _diagnose(self, sequences: Sequences) -> None:
        found = self._judge(sequences)
        self.label_posterior_, self.suspicion_, self.flagged_, self.suggested_ = found

    def _judge(self, sequences: Sequences) -> LabelDiagnosis:
        parameters = self._parameters()._replace(labels=self.noise_transition_)
        evidence = sequences.without_boundaries(self.ignore_boundaries)
        posterior = compute_class_posteriors(evidence, parameters, self._scaled)
        _, codes = find_best_states(evidence, parameters)
        # Where there is no label, there is none to suspect.
        labelled = sequences.codes >= 0
        suspicion = np.where(labelled, measure_doubt(posterior, sequences.codes), 0.0)
        flagged = flag(
            suspicion,
            threshold=self.threshold,
            contamination=self.contamination,
            probability=True,
        )
        return LabelDiagnosis(posterior, suspicion, flagged, self.classes_[codes])

    def relabel(self, X: Any, y: Any, lengths: Any = None) -> LabelDiagnosis:
        """Say of new labelled sequences what ``fit`` said of its own."""
        return self._judge(check_new_sequences(self, X, lengths, y, self.missing_label))


def warn_if_worse_than_chance(error_rates: np.ndarray, classes: np.ndarray) -> None:
    """Warn of classes whose labels are right less often than drawn ones."""
    chance = (len(classes) - 1) / len(classes)
    worse = np.flatnonzero(error_rates > chance)
    if len(worse):
        warn_user(
            f"the labels of the class {classes.tolist()[worse[0]]!r} would be wrong in "
            f"{error_rates[worse[0]]:.0%} of its samples, worse than by chance: states may have "
            "changed roles; lower n_components, mask transitions, or raise n_init.",
            ConvergenceWarning,
        )
