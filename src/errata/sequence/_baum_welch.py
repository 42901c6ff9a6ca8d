"""A hidden Markov model that looks at labels to begin with, and not again."""

from functools import partial
from typing import Any

from ._base import Pairs
from ._hidden import HiddenClassModel
from ._inputs import Sequences
from ._statistics import tally_hidden


class BaumWelchHMM(HiddenClassModel):
    """TODO."""

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

    def _expectation(self, sequences: Sequences, pairs: Pairs) -> Any:
        return partial(tally_hidden, sequences.unlabelled(), scaled=self._scaled)
