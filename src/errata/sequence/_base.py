"""What the hidden Markov models share: their ``fit``, its loop, and what they say of sequences."""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from .._blocks import map_blocks
from .._canonical import measure_spread
from .._format import count, join_names
from .._kernels import kernels
from .._random import draw_seed
from .._validation import check_choice, check_count, check_fraction, check_positive
from .._warn import warn_user
from ._inputs import (
    Sequences,
    check_new_sequences,
    check_sequences,
    find_allowed_transitions,
)
from ._statistics import (
    UPDATES,
    Parameters,
    Tally,
    compute_state_posteriors,
    fit_mixtures,
    is_definite,
    label_shares,
)

STARTPROBS = ("frequency", "first")

IMPLEMENTATIONS = ("log", "scaling")

FALL = 1e-6  # of the log-likelihood, relative: more is no rounding


# Where a run of the loop ended: the parameters, the tally of them, the log-likelihoods of the start
# and of each step, and whether it settled.
Ascent = tuple[Parameters, Tally, np.ndarray, bool]


class HiddenMarkovModel(ClassifierMixin, BaseEstimator):
    """A model of sequences whose classes are Gaussian mixtures that follow each other.

    A model says in ``_expectation`` and ``_maximisation`` what it learns from labels.
    """

    n_components: int
    startprob: str
    transitions: Any
    transmat_prior: float
    init_scale: float
    reg_covar: float
    n_init: int
    max_iter: int
    tol: float
    missing_label: Any
    n_jobs: int | None
    random_state: Any

    def fit(self, X: Any, y: Any, lengths: Any = None) -> Self:
        """Learn from labelled sequences.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Samples in the order of time, sequences one after the other.
        y : array-like of shape (n,)
            Label of each sample; ``missing_label`` where there is none.
        lengths : array-like of int of shape (n_sequences,), optional
            How many samples each sequence has; one sequence when not given.
        """
        sequences = check_sequences(self, X, y, lengths, self.missing_label)
        self._fit_sequences(sequences)
        return self

    def _fit_sequences(self, sequences: Sequences) -> None:
        how = self._loop_settings(sequences)
        check_fraction("reg_covar", self.reg_covar, high=np.inf)
        variances = measure_variances(sequences.X)
        allowed = find_allowed_transitions(self.transitions, self.classes_)
        pairs = count_transitions(sequences, len(self.classes_)) * allowed
        expectation = self._expectation(sequences, pairs)
        maximisation = partial(self._maximisation, variances)
        runs = [
            delayed(maximise)(start, expectation, maximisation, **how)
            for start in self._starts(sequences, pairs, allowed, variances)
        ]
        best = self._best(Parallel(self.n_jobs, prefer="threads")(runs))
        warn_of_trouble(best, max_iter=how["max_iter"], regularised=self.reg_covar > 0)
        self._report(best)
        self._diagnose(sequences)

    def _starts(
        self,
        sequences: Sequences,
        pairs: np.ndarray,
        allowed: np.ndarray,
        variances: np.ndarray,
    ) -> list[Parameters]:
        """Where each restart begins; ``pairs`` are the transitions seen that are allowed."""
        n_components = check_count("n_components", self.n_components)
        warn_if_starved(sequences, self.classes_, n_components)
        scale = check_positive("init_scale", self.init_scale)
        spread = start_covariances(sequences, self.classes_, scale, variances, self.reg_covar)
        prior = check_fraction("transmat_prior", self.transmat_prior, high=np.inf)
        transitions = normalise_transitions(pairs + prior, allowed)
        start = self._start_shares(sequences)
        labels = self._start_labels()
        seeds = np.random.SeedSequence(draw_seed(self.random_state))
        return [
            Parameters(
                start,
                transitions,
                labels,
                *start_mixtures(sequences, spread, n_components, seed),
            )
            for seed in seeds.spawn(check_count("n_init", self.n_init))
        ]

    def _start_shares(self, sequences: Sequences) -> np.ndarray:
        return label_shares(sequences, len(self.classes_))

    def _start_labels(self) -> np.ndarray:
        return np.eye(len(self.classes_))

    def _loop_settings(self, sequences: Sequences) -> dict[str, Any]:
        check_choice("startprob", self.startprob, STARTPROBS)
        return {
            "n_samples": len(sequences.X),
            "tol": check_fraction("tol", self.tol, low=-np.inf, high=np.inf),
            "max_iter": check_count("max_iter", self.max_iter),
        }

    def _expectation(self, sequences: Sequences, pairs: np.ndarray) -> Any:
        raise NotImplementedError

    def _maximisation(
        self, variances: np.ndarray, parameters: Parameters, tally: Tally
    ) -> Parameters:
        raise NotImplementedError

    def _best(self, solutions: list[Ascent]) -> Ascent:
        return max(solutions, key=lambda solution: solution[2][-1])

    def _report(self, best: Ascent) -> None:
        parameters, tally, log_likelihoods, _ = best
        self.startprob_ = parameters.start
        self.transmat_ = parameters.transitions
        self.weights_ = parameters.weights
        self.means_ = parameters.means
        self.covariances_ = parameters.covariances
        self.log_likelihoods_ = log_likelihoods
        self.n_iter_ = len(log_likelihoods) - 1
        self.log_likelihood_ = tally.log_likelihood

    def _diagnose(self, sequences: Sequences) -> None:
        """Say what the model thinks of the labels, if anything."""

    def predict(self, X: Any, lengths: Any = None) -> np.ndarray:
        """The classes of the likeliest path through each sequence (Viterbi), shape (n,)."""
        return self.decode(X, lengths)[1]

    def decode(self, X: Any, lengths: Any = None) -> tuple[float, np.ndarray]:
        """The likeliest path: its log-density together with the samples, and its classes."""
        sequences = check_new_sequences(self, X, lengths)
        log_density, codes = find_best_states(sequences, self._parameters())
        return log_density, self.classes_[codes]

    def predict_proba(self, X: Any, lengths: Any = None) -> np.ndarray:
        """Probability of each class at each time given the whole sequence, shape (n, K)."""
        sequences = check_new_sequences(self, X, lengths)
        return compute_class_posteriors(sequences, self._parameters(), self._scaled)

    def score_samples(self, X: Any, lengths: Any = None) -> np.ndarray:
        """Log-density of each sequence, shape (n_sequences,)."""
        sequences = check_new_sequences(self, X, lengths)
        parameters = self._parameters()
        densities = parameters.unpack_mixtures()
        return map_blocks(
            lambda rows: _compute_posteriors(rows, sequences, parameters, densities, self._scaled)[
                2
            ],
            sequences.blocks(),
        )

    @property
    def _scaled(self) -> bool:
        """Whether loops keep probabilities instead of their logarithms."""
        return False

    def _parameters(self) -> Parameters:
        """The learnt parameters, labels being the classes."""
        return Parameters(
            self.startprob_,
            self.transmat_,
            np.eye(len(self.classes_)),
            self.weights_,
            self.means_,
            self.covariances_,
        )


def warn_if_starved(sequences: Sequences, classes: np.ndarray, n_components: int) -> None:
    """Warn of a class with a single sample, and of fewer samples than components."""
    sizes = np.bincount(sequences.codes[sequences.codes >= 0], minlength=len(classes))
    lonely = classes[sizes == 1].tolist()
    if lonely:
        warn_user(
            f"the class {lonely[0]!r} has one sample only: one component stands for it, with the "
            "covariance of all classes; label more of it."
        )
    if sizes.sum() < len(classes) * n_components:
        warn_user(
            f"{count(sizes.sum())} labelled samples starve {len(classes)} mixtures of "
            f"{n_components} components each; lower n_components."
        )


class HiddenClassModel(HiddenMarkovModel):
    """A model that learns chain and mixtures from posteriors of the classes."""

    noise: str = "fixed"
    implementation: str

    def _maximisation(
        self, variances: np.ndarray, parameters: Parameters, tally: Tally
    ) -> Parameters:
        learn_start = self.startprob == "first"
        totals = tally.transitions.sum(axis=1, keepdims=True)
        chain = parameters._replace(
            start=tally.first / tally.first.sum() if learn_start else parameters.start,
            transitions=np.divide(
                tally.transitions, totals, out=parameters.transitions.copy(), where=totals > 0
            ),
            labels=UPDATES[self.noise](tally.label_counts, parameters.labels),
        )
        return fit_mixtures(chain, tally, variances, self.reg_covar)

    @property
    def _scaled(self) -> bool:
        return check_choice("implementation", self.implementation, IMPLEMENTATIONS) == "scaling"


def find_best_states(sequences: Sequences, parameters: Parameters) -> tuple[float, np.ndarray]:
    """Log-density and class codes of the likeliest path through all sequences."""
    densities = parameters.unpack_mixtures()
    total = 0.0
    paths = list[np.ndarray]()
    for rows in sequences.blocks():
        part = sequences.of(rows)
        log_densities = kernels("hmm").log_densities(part.X, *densities)
        codes, found = kernels("hmm").find_best_paths(log_densities, *parameters.unpack_chain(part))
        if found.min() == -np.inf:  # says where
            compute_state_posteriors(part, parameters, log_densities, False, rows.start)
        total += found.sum()
        paths.append(codes)
    return float(total), np.concatenate(paths)


def compute_class_posteriors(
    sequences: Sequences, parameters: Parameters, scaled: bool
) -> np.ndarray:
    """P(class | sequence), and its labels if it has any, at each time."""
    densities = parameters.unpack_mixtures()
    return map_blocks(
        lambda rows: _compute_posteriors(rows, sequences, parameters, densities, scaled)[0],
        sequences.blocks(),
    )


def _compute_posteriors(
    rows: slice, sequences: Sequences, parameters: Parameters, densities: Any, scaled: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    part = sequences.of(rows)
    log_densities = kernels("hmm").log_densities(part.X, *densities)
    return compute_state_posteriors(part, parameters, log_densities, scaled, rows.start)


def maximise(
    start: Parameters,
    expectation: Callable[[Parameters], Tally],
    maximisation: Callable[[Parameters, Tally], Parameters],
    *,
    n_samples: int,
    tol: float,
    max_iter: int,
) -> Ascent:
    """Take turns until a step gains less than ``tol`` per sample, ``max_iter`` steps at most."""
    parameters = start
    tally = expectation(start)
    trace = [tally.log_likelihood]
    for _ in range(max_iter):
        parameters = maximisation(parameters, tally)
        tally = expectation(parameters)
        trace.append(tally.log_likelihood)
        if (trace[-1] - trace[-2]) / n_samples < tol:
            return parameters, tally, np.array(trace), True
    return parameters, tally, np.array(trace), False


def warn_of_trouble(solution: Ascent, *, max_iter: int, regularised: bool) -> None:
    """Warn when the loop had not settled, or when its likelihood fell though it must not."""
    _, _, log_likelihoods, converged = solution
    steps = np.diff(log_likelihoods)
    if not regularised and (steps < -FALL * np.abs(log_likelihoods[1:])).any():
        warn_user(
            f"the log-likelihood fell by {-steps.min():.3g} in a step, which rounding does not "
            "explain; covariances may be next to singular: raise reg_covar.",
            ConvergenceWarning,
        )
    if not converged:
        warn_user(
            f"the log-likelihood had not settled after max_iter={max_iter} steps; raise max_iter "
            "or tol.",
            ConvergenceWarning,
        )


def count_transitions(sequences: Sequences, n_classes: int) -> np.ndarray:
    """How often each label follows each, within sequences and where both are known."""
    codes = sequences.codes.astype(np.intp)
    inside = np.ones(len(codes), dtype=bool)
    inside[sequences.starts] = False
    inside[1:] &= (codes[1:] >= 0) & (codes[:-1] >= 0)
    later = np.flatnonzero(inside)
    pairs = codes[later - 1] * n_classes + codes[later]
    counts = np.bincount(pairs, minlength=n_classes**2)
    return counts.reshape(n_classes, n_classes).astype(float)


def normalise_transitions(counts: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Rows of counts as probabilities; one without counts is uniform over what is allowed."""
    counts = np.where(allowed, counts, 0.0)
    counts[counts.sum(axis=1) == 0] = 1.0
    counts = np.where(allowed, counts, 0.0)
    return counts / counts.sum(axis=1, keepdims=True)


def measure_variances(X: np.ndarray) -> np.ndarray:
    """The variance of each feature, 1 where it is constant: the unit of what is added to it."""
    _, spread = measure_spread(X)
    return np.where(spread > 0, spread**2, 1.0)


def start_covariances(
    sequences: Sequences,
    classes: np.ndarray,
    init_scale: float,
    variances: np.ndarray,
    reg_covar: float,
) -> np.ndarray:
    """A small multiple of the covariance of each class, and what keeps it from collapsing.

    Where a class has too few labels it is the pooled one.
    """
    d = sequences.X.shape[1]
    members = [sequences.X[sequences.codes == c] for c in range(len(classes))]
    scatters = np.array([len(Z) * np.cov(Z.T, bias=True).reshape(d, d) for Z in members])
    sizes = np.array([len(Z) for Z in members])
    pooled = scatters.sum(axis=0) / sizes.sum()
    own = scatters / sizes[:, None, None]
    covariances = np.where((sizes > d)[:, None, None], own, pooled)
    scaled = init_scale * covariances + np.diag(reg_covar * variances)
    singular = [not is_definite(S, variances) for S in scaled]
    if any(singular):
        raise ValueError(
            f"the covariance of the class {join_names(classes[singular], most=3)} is singular: "
            "columns are constant or repeat others; drop such columns, or raise reg_covar."
        )
    return scaled


def start_mixtures(
    sequences: Sequences, covariances: np.ndarray, n_components: int, seed: np.random.SeedSequence
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Components around samples drawn among those that have the label, without replacement.

    Each sample draws a number, and a class takes the samples with the smallest: so the draw does
    not depend on how classes are named. Few samples are taken again and again.
    """
    draws = np.random.default_rng(seed).random(len(sequences.X))
    k, d = covariances.shape[:2]
    means = np.empty((k, n_components, d))
    for c in range(k):
        members = np.flatnonzero(sequences.codes == c)
        chosen = members[np.argsort(draws[members], kind="stable")[:n_components]]
        means[c] = sequences.X[np.resize(chosen, n_components)]
    weights = np.full((k, n_components), 1 / n_components)
    return weights, means, np.repeat(covariances[:, None], n_components, axis=1)
