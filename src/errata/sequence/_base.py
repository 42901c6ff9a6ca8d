"""The base of hidden Markov models, from their inputs to what they say of sequences.

First samples, labels, lengths, and which class may follow which; then the parameters of a model,
the expectations of a step, and what they make of chain and mixtures; then ``fit`` and its loop.
"""

from collections.abc import Callable, Iterator
from functools import partial
from operator import add
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from .._blocks import map_blocks, reduce_blocks
from .._canonical import measure_spread
from .._format import count, join_names
from .._kernels import kernels
from .._random import draw_seed
from .._validation import (
    check_choice,
    check_count,
    check_data,
    check_fraction,
    check_known_labels,
    check_labels,
    check_lengths,
    check_positive,
    check_rows,
)
from .._warn import warn_user
from ..noise import NoiseModel

MISSING = -1  # the code of a missing label
BLOCK = 65_536  # samples from which a block of whole sequences is worked on

LOG_2_PI = float(np.log(2 * np.pi))

EMPTY = 1e-8  # samples below which a component is left as it is
SINGULAR = 1e-10  # of the variance of a feature: less is taken for none

TOO_FEW = 1e-12  # labelled samples below which a class keeps its probabilities

STARTPROBS = ("frequency", "first")

IMPLEMENTATIONS = ("log", "scaling")

FALL = 1e-6  # of the log-likelihood, relative: more is no rounding


class Sequences(NamedTuple):
    """Sequences, one after the other."""

    X: np.ndarray  # (n, d)
    codes: np.ndarray  # (n,): of the labels; -1 where one is missing
    ends: np.ndarray  # (S,): where each sequence stops

    @property
    def starts(self) -> np.ndarray:
        """Where each sequence begins."""
        return np.r_[0, self.ends[:-1]]

    def blocks(self) -> Iterator[slice]:
        """Rows of whole sequences: as few of them as make a block worth its while."""
        begin = 0
        for end in self.ends.tolist():
            if end - begin >= BLOCK or end == self.ends[-1]:
                yield slice(begin, end)
                begin = end

    def of(self, rows: slice) -> "Sequences":
        """The sequences that one of the blocks holds."""
        inside = (self.ends > rows.start) & (self.ends <= rows.stop)
        return Sequences(self.X[rows], self.codes[rows], self.ends[inside] - rows.start)

    def without_boundaries(self, width: int) -> "Sequences":
        """The sequences without the labels of ``width`` samples on either side of each change."""
        changes = np.flatnonzero(self.codes[1:] != self.codes[:-1]) + 1
        changes = np.setdiff1d(changes, self.starts)
        near = (changes[:, None] + np.arange(-width, width)).ravel()
        # The end of one sequence says nothing of the beginning of the next.
        own = np.searchsorted(self.ends, np.clip(near, 0, len(self.codes) - 1), side="right")
        inside = (near >= 0) & (near < len(self.codes))
        inside &= own == np.repeat(np.searchsorted(self.ends, changes, side="right"), 2 * width)
        codes = self.codes.copy()
        codes[near[inside]] = MISSING
        return self._replace(codes=codes)

    def unlabelled(self) -> "Sequences":
        """The sequences without any label."""
        return self._replace(codes=np.full(len(self.X), MISSING, np.int16))


def check_sequences(estimator: Any, X: Any, y: Any, lengths: Any, missing_label: Any) -> Sequences:
    """Validate what a model is fitted on; sets ``classes_`` and ``n_features_in_``."""
    if y is None:
        # The words that scikit-learn's estimator checks look for.
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    X, y = _check_finite(check_data, estimator, X, y, dtype=float, order="C")
    missing = _find_missing(y, missing_label)
    estimator.classes_, known = _find_classes(y[~missing], missing, missing_label)
    return Sequences(X, _expand(known, missing), np.cumsum(check_lengths(lengths, len(X))))


def check_new_sequences(
    estimator: Any, X: Any, lengths: Any, y: Any = None, missing_label: Any = None
) -> Sequences:
    """Validate sequences for a fitted model; their labels, if given, are among its classes."""
    X = _check_finite(check_rows, estimator, X, dtype=float, order="C")
    sequences = Sequences(X, np.empty(0), np.cumsum(check_lengths(lengths, len(X)))).unlabelled()
    if y is None:
        return sequences
    y = np.asarray(y)
    if y.shape != (len(X),):
        raise ValueError(f"y must hold one label for each of the {len(X)} rows, not {y.shape}.")
    missing = _find_missing(y, missing_label)
    if missing.all():
        return sequences
    known = check_known_labels(y[~missing], estimator.classes_)
    return sequences._replace(codes=_expand(known, missing))


def _find_classes(
    labels: np.ndarray, missing: np.ndarray, missing_label: Any
) -> tuple[np.ndarray, np.ndarray]:
    beside = (
        f" ({missing.sum()} labels are {missing_label!r}, which stands for a missing label; if it "
        "is a class, pass another missing_label)"
        if missing.any()
        else ""
    )
    if not len(labels):
        raise ValueError(f"y holds no label{beside}; samples of two classes at least are needed.")
    classes, codes = check_labels(labels)
    if len(classes) < 2:
        raise ValueError(
            f"y holds one class only ({classes[0]}){beside}; a model of sequences needs two at "
            "least."
        )
    return classes, codes


def _find_missing(y: np.ndarray, missing_label: Any) -> np.ndarray:
    """Which labels are the one that stands for none."""
    if missing_label is None:
        return np.array([label is None for label in y], dtype=bool)
    if y.dtype.kind != "O" and (y.dtype.kind in "US") != isinstance(missing_label, str):
        return np.zeros(len(y), dtype=bool)  # a word is never a number
    return np.array(y == missing_label, dtype=bool)


def _expand(known: np.ndarray, missing: np.ndarray) -> np.ndarray:
    codes = np.full(len(missing), MISSING, np.int16)
    codes[~missing] = known
    return codes


def _check_finite(check: Any, estimator: Any, X: Any, *others: Any, **checks: Any) -> Any:
    """Check, and name the row where a number is missing or infinite."""
    try:
        return check(estimator, X, *others, **checks)
    except ValueError as error:
        if not str(error).startswith("Input X contains"):
            raise
        row = np.flatnonzero(~np.isfinite(np.asarray(X, dtype=float)).all(axis=1))[0]
        raise ValueError(f"{str(error).rstrip()} The first such row is row {row}.") from None


def find_allowed_transitions(transitions: Any, classes: np.ndarray) -> np.ndarray:
    """The mask (K, K) of what may follow what: anything, what a mask says, or a cycle."""
    k = len(classes)
    if transitions is None:
        return np.ones((k, k), dtype=bool)
    if np.ndim(transitions) == 1:
        return _make_cycle(list(transitions), classes.tolist())
    mask = np.asarray(transitions)
    if mask.shape != (k, k) or not np.isin(mask, (0, 1)).all():
        raise ValueError(
            f"transitions must be a mask of shape {(k, k)} of True and False, one row for each of "
            "the sorted classes, or the classes in the order of a cycle; its shape is "
            f"{mask.shape}."
        )
    mask = mask.astype(bool)
    if not mask.any(axis=1).all():
        stuck = classes.tolist()[int(np.flatnonzero(~mask.any(axis=1))[0])]
        raise ValueError(
            f"by transitions nothing may follow the class {stuck!r}; allow it itself at least."
        )
    return mask


def _make_cycle(order: list[Any], classes: list[Any]) -> np.ndarray:
    """Each class is followed by itself or by the next one, the last by the first."""
    if len(order) != len(classes) or set(order) != set(classes):
        raise ValueError(
            f"transitions name the cycle {join_names(order)}, but the classes are "
            f"{join_names(classes)}; name each class once."
        )
    places = np.array([classes.index(name) for name in order])
    mask = np.eye(len(classes), dtype=bool)
    mask[places, np.roll(places, -1)] = True
    return mask


class Tally(NamedTuple):
    """Sums over samples that a maximisation needs; every entry is a sum over sequences."""

    log_likelihood: float
    first: np.ndarray  # (K,): classes of first samples
    transitions: np.ndarray  # (K, K)
    label_counts: np.ndarray  # (K, K): classes together with labels that are known
    counts: np.ndarray  # (K, M): samples of each component
    sums: np.ndarray  # (K, M, d): around the means that they were computed with
    squares: np.ndarray  # (K, M, d, d): the same; lower triangles
    log_density: np.ndarray  # (K,): expected log-density of the samples of each class

    def merge(self, other: "Tally") -> "Tally":
        """The tally of the sequences of both."""
        return Tally._make(map(add, self, other))


class Parameters(NamedTuple):
    """Everything that is learnt: classes that follow each other, their labels and mixtures."""

    start: np.ndarray  # (K,): probability of each class in the first sample
    transitions: np.ndarray  # (K, K): rows sum to one
    labels: np.ndarray  # (K, K): P(label | class)
    weights: np.ndarray  # (K, M): of the components of each class
    means: np.ndarray  # (K, M, d)
    covariances: np.ndarray  # (K, M, d, d)

    def unpack_chain(self, sequences: Sequences) -> tuple[np.ndarray, ...]:
        """The arguments of the loops over the chain, besides the densities."""
        with np.errstate(divide="ignore"):  # a missing label, the last, says nothing
            log_labels = np.log(np.column_stack([self.labels, np.ones(len(self.labels))]))
        return sequences.codes, sequences.ends, log_labels, self.start, self.transitions

    def unpack_mixtures(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The arguments of the loops over samples.

        That is (K, M) the log of weight and density at the mean, the means, and (K, M, d, d) the
        inverses of the Cholesky factors of the covariances.
        """
        d = self.means.shape[2]
        roots = np.linalg.cholesky(self.covariances)
        flat = roots.reshape(-1, d, d)
        whitening = np.array([solve_triangular(root, np.eye(d), lower=True) for root in flat])
        log_scale = -np.log(np.diagonal(roots, axis1=2, axis2=3)).sum(axis=2)
        with np.errstate(divide="ignore"):
            offsets = np.log(self.weights) + log_scale - d / 2 * LOG_2_PI
        return offsets, self.means, whitening.reshape(roots.shape)


def tally_hidden(sequences: Sequences, parameters: Parameters, scaled: bool) -> Tally:
    """Expectations when classes are hidden, given samples and labels."""
    densities = parameters.unpack_mixtures()
    return reduce_blocks(
        _tally_hidden_block,
        sequences.blocks(),
        sequences,
        parameters,
        densities,
        scaled,
        merge=Tally.merge,
    )


def compute_state_posteriors(
    sequences: Sequences,
    parameters: Parameters,
    log_densities: np.ndarray,
    scaled: bool,
    offset: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Posteriors (n, K), expected transitions and log-likelihoods of sequences.

    ``offset`` is the row of all rows at which these begin, for the sentence about what cannot be.
    """
    gamma, xi, log_likelihoods, stuck = kernels("hmm").compute_posteriors(
        log_densities, *parameters.unpack_chain(sequences), scaled
    )
    if stuck >= 0:
        raise_impossible(sequences, stuck, offset)
    return gamma, xi, log_likelihoods


def raise_impossible(sequences: Sequences, row: int, offset: int = 0) -> None:
    """Say which sample of which sequence no path of classes can explain."""
    number = int(np.searchsorted(sequences.ends, row, side="right"))
    raise ValueError(
        f"the sequence that begins in row {offset + sequences.starts[number]} cannot be explained "
        f"beyond its sample {row - sequences.starts[number]} (row {offset + row}): no path of "
        "classes reaches it. A transition that is masked or was never seen together with an error "
        "rate of zero, or values of a size that no class has, rule it out; pass p_e above 0, a "
        "transmat_prior, or allow more transitions."
    )


def _tally_hidden_block(
    rows: slice, sequences: Sequences, parameters: Parameters, densities: Any, scaled: bool
) -> Tally:
    loops = kernels("hmm")
    part = sequences.of(rows)
    log_densities = loops.log_densities(part.X, *densities)
    gamma, xi, log_likelihoods = compute_state_posteriors(
        part, parameters, log_densities, scaled, rows.start
    )
    del log_densities
    return Tally(
        log_likelihoods.sum(),
        gamma[part.starts].sum(axis=0),
        xi,
        _label_counts(gamma, part.codes),
        *loops.sum_mixture_moments(part.X, gamma, *densities),
    )


def _label_counts(gamma: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How often each class comes with each label; those that are missing, first, are left out."""
    bins = gamma.shape[1] + 1
    return np.array([np.bincount(codes + 1, column, bins)[1:] for column in gamma.T])


def label_shares(sequences: Sequences, n_classes: int, *, first: bool = False) -> np.ndarray:
    """Share of each label among the samples that have one; of the ``first`` samples if asked."""
    codes = sequences.codes[sequences.starts] if first else sequences.codes
    counts = np.bincount(codes[codes >= 0], minlength=n_classes)
    if not counts.any():  # no first sample has a label
        return label_shares(sequences, n_classes)
    return counts / counts.sum()


def fit_mixtures(
    parameters: Parameters, tally: Tally, variances: np.ndarray, reg_covar: float
) -> Parameters:
    """The mixtures that the expectations call for.

    A component that is left without samples, or whose covariance is singular, keeps its shape.
    """
    weights = parameters.weights.copy()
    means = parameters.means.copy()
    covariances = parameters.covariances.copy()
    added = np.diag(reg_covar * variances)
    totals = tally.counts.sum(axis=1)
    filled = totals > EMPTY
    weights[filled] = tally.counts[filled] / totals[filled, None]
    for c, m in np.argwhere(tally.counts >= EMPTY):
        # Moments around the old mean: as it settles, nothing cancels.
        moved = tally.sums[c, m] / tally.counts[c, m]
        lower = tally.squares[c, m] / tally.counts[c, m]
        spread = lower + np.tril(lower, -1).T - np.outer(moved, moved) + added
        if is_definite(spread, variances):
            means[c, m] += moved
            covariances[c, m] = spread
    return parameters._replace(weights=weights, means=means, covariances=covariances)


def is_definite(covariance: np.ndarray, variances: np.ndarray) -> bool:
    """Whether each variance, given the features before, is more than rounding leaves."""
    try:
        root = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return False
    return bool((np.diag(root) ** 2 > SINGULAR * variances).all())


def _estimate_per_state(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Every class errs at its own rate, towards all other labels alike."""
    total = counts.sum(axis=1)
    rates = np.divide(
        _count_mismatches(counts), total, out=1 - np.diag(labels), where=total >= TOO_FEW
    )
    learnt = NoiseModel.uniform(len(counts), np.clip(rates, 0, 1)).transition
    return np.where((total >= TOO_FEW)[:, None], learnt, labels)


def _estimate_shared(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """All classes err at one rate."""
    if counts.sum() < TOO_FEW:
        return labels
    rate = min(_count_mismatches(counts).sum() / counts.sum(), 1.0)
    return NoiseModel.uniform(len(counts), rate).transition


def _estimate_full(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Every class errs in its own way."""
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=labels.copy(), where=total >= TOO_FEW)


def _keep_fixed(counts: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The matrix that is known beforehand."""
    return labels


# (counts of classes with labels, P(label | class) so far) -> P(label | class)
UPDATES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "per_state": _estimate_per_state,
    "shared": _estimate_shared,
    "full": _estimate_full,
    "fixed": _keep_fixed,
}


def _count_mismatches(counts: np.ndarray) -> np.ndarray:
    # Summed, and not taken as what is left of the whole: rounding would leave less than nothing.
    return (counts * (1 - np.eye(len(counts)))).sum(axis=1)


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
        believed = self._believe(sequences)
        expectation = self._expectation(believed, pairs)
        maximisation = partial(self._maximisation, variances)
        runs = [
            delayed(maximise)(start, expectation, maximisation, **how)
            for start in self._starts(believed, pairs, allowed, variances)
        ]
        best = self._best(Parallel(self.n_jobs, prefer="threads")(runs))
        warn_of_trouble(best, max_iter=how["max_iter"], regularised=self.reg_covar > 0)
        self._report(best)
        self._diagnose(sequences)

    def _believe(self, sequences: Sequences) -> Sequences:
        """The labels to learn from."""
        return sequences

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
