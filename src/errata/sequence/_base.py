"""What the hidden Markov models share: their ``fit``, its loop, and what they say of sequences."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from .._blocks import map_blocks
from .._format import count
from .._kernels import kernels
from .._random import draw_seed
from .._validation import check_choice, check_count, check_fraction, check_positive
from .._warn import warn_user
from ._inputs import (
    Sequences,
    check_new_sequences,
    check_sequences,
    count_transitions,
    find_allowed_transitions,
    normalise_transitions,
)
from ._statistics import (
    Chain,
    Densities,
    Floor,
    Mixtures,
    Parameters,
    Tally,
    compute_feature_floor,
    compute_state_posteriors,
    estimate_class_covariances,
    fit_chain,
    fit_mixtures,
    label_shares,
    prepare_densities,
    start_covariances,
    start_mixtures,
    unpack_chain,
)

STARTPROBS = ("frequency", "first")

IMPLEMENTATIONS = ("log", "scaling")

FALL = 1e-6  # of the log-likelihood, relative: more is no rounding


class Pairs(NamedTuple):
    """Transitions by the labels."""

    counts: np.ndarray  # (K, K): as often as they were seen, where they are allowed
    allowed: np.ndarray  # (K, K)


class Ascent(NamedTuple):
    """Where a run of the loop ended."""

    parameters: Parameters
    tally: Tally  # of these parameters
    log_likelihoods: np.ndarray  # of the start and of each step
    converged: bool

    @property
    def log_likelihood(self) -> float:
        """That of the parameters."""
        return float(self.log_likelihoods[-1])


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
        floor = compute_feature_floor(sequences.X, self._reg_covar())
        pairs = self._pairs(sequences)
        steps = self._expectation(sequences, pairs), partial(self._maximisation, floor)
        runs = [
            delayed(maximise)(start, *steps, **how)
            for start in self._starts(sequences, pairs, floor)
        ]
        best = self._best(Parallel(self.n_jobs, prefer="threads")(runs))
        warn_of_trouble(best, max_iter=how["max_iter"], regularised=bool(floor.added.any()))
        self._report(best)
        self._diagnose(sequences, best)

    def _starts(self, sequences: Sequences, pairs: Pairs, floor: Floor) -> list[Parameters]:
        """Where each restart begins."""
        n_components = check_count("n_components", self.n_components)
        warn_if_starved(sequences, self.classes_, n_components)
        scale = check_positive("init_scale", self.init_scale)
        spread = estimate_class_covariances(sequences, len(self.classes_))
        spread = start_covariances(spread, scale, floor, self.classes_)
        chain = self._starting_chain(sequences, pairs)
        seeds = np.random.SeedSequence(draw_seed(self.random_state))
        return [
            Parameters(chain, start_mixtures(sequences, spread, n_components, seed))
            for seed in seeds.spawn(check_count("n_init", self.n_init))
        ]

    def _pairs(self, sequences: Sequences) -> Pairs:
        allowed = find_allowed_transitions(self.transitions, self.classes_)
        return Pairs(count_transitions(sequences, len(self.classes_)) * allowed, allowed)

    def _starting_chain(self, sequences: Sequences, pairs: Pairs) -> Chain:
        k = len(self.classes_)
        prior = check_fraction("transmat_prior", self.transmat_prior, high=np.inf)
        transitions = normalise_transitions(pairs.counts + prior, pairs.allowed)
        return Chain(label_shares(sequences, k), transitions, np.eye(k))

    def _loop_settings(self, sequences: Sequences) -> dict[str, Any]:
        check_choice("startprob", self.startprob, STARTPROBS)
        return {
            "n_samples": len(sequences.X),
            "tol": check_fraction("tol", self.tol, low=-np.inf, high=np.inf),
            "max_iter": check_count("max_iter", self.max_iter),
        }

    def _reg_covar(self) -> float:
        return check_fraction("reg_covar", self.reg_covar, high=np.inf)

    def _expectation(self, sequences: Sequences, pairs: Pairs) -> Any:
        raise NotImplementedError

    def _maximisation(self, floor: Floor, parameters: Parameters, tally: Tally) -> Parameters:
        raise NotImplementedError

    def _best(self, solutions: list[Ascent]) -> Ascent:
        return max(solutions, key=lambda solution: solution.log_likelihood)

    def _report(self, best: Ascent) -> None:
        chain, mixtures = best.parameters
        self.startprob_ = chain.start
        self.transmat_ = chain.transitions
        self.weights_, self.means_, self.covariances_ = mixtures
        self.log_likelihoods_ = best.log_likelihoods
        self.n_iter_ = len(best.log_likelihoods) - 1
        self.log_likelihood_ = best.tally.log_likelihood

    def _diagnose(self, sequences: Sequences, best: Ascent) -> None:
        """Say what the model thinks of the labels, if anything."""

    def predict(self, X: Any, lengths: Any = None) -> np.ndarray:
        """The classes of the likeliest path through each sequence (Viterbi), shape (n,)."""
        return self.decode(X, lengths)[1]

    def decode(self, X: Any, lengths: Any = None) -> tuple[float, np.ndarray]:
        """The likeliest path: its log-density together with the samples, and its classes."""
        sequences = check_new_sequences(self, X, lengths)
        log_density, codes = find_best_states(sequences, self._class_chain(), self._densities())
        return log_density, self.classes_[codes]

    def predict_proba(self, X: Any, lengths: Any = None) -> np.ndarray:
        """Probability of each class at each time given the whole sequence, shape (n, K)."""
        sequences = check_new_sequences(self, X, lengths)
        return compute_class_posteriors(
            sequences, self._class_chain(), self._densities(), self._scaled
        )

    def score_samples(self, X: Any, lengths: Any = None) -> np.ndarray:
        """Log-density of each sequence, shape (n_sequences,)."""
        sequences = check_new_sequences(self, X, lengths)
        return compute_sequence_likelihoods(
            sequences, self._class_chain(), self._densities(), self._scaled
        )

    @property
    def _scaled(self) -> bool:
        """Whether loops keep probabilities instead of their logarithms."""
        return False

    def _class_chain(self) -> Chain:
        return Chain(self.startprob_, self.transmat_, np.eye(len(self.classes_)))

    def _densities(self) -> Densities:
        return prepare_densities(Mixtures(self.weights_, self.means_, self.covariances_))


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

    def _maximisation(self, floor: Floor, parameters: Parameters, tally: Tally) -> Parameters:
        learn_start = self.startprob == "first"
        chain = fit_chain(parameters.chain, tally, noise=self.noise, learn_start=learn_start)
        return Parameters(chain, fit_mixtures(parameters.mixtures, tally, floor))

    @property
    def _scaled(self) -> bool:
        return check_choice("implementation", self.implementation, IMPLEMENTATIONS) == "scaling"


def find_best_states(
    sequences: Sequences, chain: Chain, densities: Densities
) -> tuple[float, np.ndarray]:
    """Log-density and class codes of the likeliest path through all sequences."""
    total = 0.0
    paths = list[np.ndarray]()
    for rows in sequences.blocks():
        part = sequences.of(rows)
        log_densities = kernels("hmm").log_densities(part.X, *densities)
        codes, found = kernels("hmm").find_best_paths(log_densities, *unpack_chain(part, chain))
        if found.min() == -np.inf:
            compute_state_posteriors(part, chain, log_densities, False, rows.start)  # says where
        total += found.sum()
        paths.append(codes)
    return float(total), np.concatenate(paths)


def compute_class_posteriors(
    sequences: Sequences, chain: Chain, densities: Densities, scaled: bool
) -> np.ndarray:
    """P(class | sequence), and its labels if it has any, at each time."""
    return map_blocks(
        lambda rows: _compute_posteriors(rows, sequences, chain, densities, scaled)[0],
        sequences.blocks(),
    )


def compute_sequence_likelihoods(
    sequences: Sequences, chain: Chain, densities: Densities, scaled: bool
) -> np.ndarray:
    """Log-density of each sequence."""
    return map_blocks(
        lambda rows: _compute_posteriors(rows, sequences, chain, densities, scaled)[2],
        sequences.blocks(),
    )


def _compute_posteriors(
    rows: slice, sequences: Sequences, chain: Chain, densities: Densities, scaled: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    part = sequences.of(rows)
    log_densities = kernels("hmm").log_densities(part.X, *densities)
    return compute_state_posteriors(part, chain, log_densities, scaled, rows.start)


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
            return Ascent(parameters, tally, np.array(trace), True)
    return Ascent(parameters, tally, np.array(trace), False)


def warn_of_trouble(solution: Ascent, *, max_iter: int, regularised: bool) -> None:
    """Warn when the loop had not settled, or when its likelihood fell though it must not."""
    steps = np.diff(solution.log_likelihoods)
    if not regularised and (steps < -FALL * np.abs(solution.log_likelihoods[1:])).any():
        warn_user(
            f"the log-likelihood fell by {-steps.min():.3g} in a step, which rounding does not "
            "explain; covariances may be next to singular: raise reg_covar.",
            ConvergenceWarning,
        )
    if not solution.converged:
        warn_user(
            f"the log-likelihood had not settled after max_iter={max_iter} steps; raise max_iter "
            "or tol.",
            ConvergenceWarning,
        )
