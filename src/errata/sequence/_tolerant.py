"""A hidden Markov model that knows that labels may be wrong, and learns how often."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._detector import flag
from .._validation import check_choice, check_fraction
from ._base import Pairs
from ._em import Solution
from ._hidden import HiddenClassModel
from ._inference import best_states, class_posteriors
from ._inputs import Sequences, check_new_sequences
from ._noise_models import UPDATES, uniform_errors, warn_if_worse_than_chance
from ._parameters import Chain
from ._statistics import tally_hidden


class LabelDiagnosis(NamedTuple):
    """What a model says of labels, one entry per sample."""

    label_posterior: np.ndarray
    suspicion: np.ndarray
    flagged: np.ndarray
    suggested: np.ndarray


class TolerantHMM(HiddenClassModel):
    """TODO."""

    def __init__(
        self,
        *,
        n_components: int = 5,
        p_e: float = 0.05,
        noise: str = "per_state",
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

    def _starting_chain(self, sequences: Sequences, pairs: Pairs) -> Chain:
        chain = super()._starting_chain(sequences, pairs)
        k = len(chain.start)
        check_choice("noise", self.noise, tuple(UPDATES))
        rates = np.full(k, check_fraction("p_e", self.p_e))
        return chain._replace(labels=uniform_errors(rates, chain.shown, k))

    def _expectation(self, sequences: Sequences, pairs: Pairs) -> Any:
        return partial(tally_hidden, sequences, scaled=self._scaled)

    def _report(self, best: Solution) -> None:
        super()._report(best)
        self._chain = best.parameters.chain
        self.noise_transition_ = self._chain.labels
        self.error_rates_ = 1 - np.diag(self.noise_transition_)
        warn_if_worse_than_chance(self.error_rates_, self.classes_)

    def _diagnose(self, sequences: Sequences, best: Solution) -> None:
        found = self._judge(sequences)
        self.label_posterior_, self.suspicion_, self.flagged_, self.suggested_ = found

    def _judge(self, sequences: Sequences) -> LabelDiagnosis:
        densities = self._densities()
        posterior = class_posteriors(sequences, self._chain, densities, self._scaled)
        _, codes = best_states(sequences, self._chain, densities)
        suspicion = _label_doubt(posterior, sequences.codes)
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


def _label_doubt(posterior: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Probability that a label is wrong; zero where there is none to suspect."""
    labelled = np.flatnonzero(codes >= 0)
    others = posterior.copy()
    others[labelled, codes[labelled]] = 0  # summed, and not taken from 1: no rounding next to it
    return np.where(codes >= 0, np.clip(others.sum(axis=1), 0, 1), 0.0)
