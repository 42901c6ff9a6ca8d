"""A hidden Markov model whose classes are taken to be what the labels say."""

from functools import partial
from typing import Any

import numpy as np

from ._base import HiddenMarkovModel, Pairs
from ._chain import label_shares
from ._em import Solution
from ._inputs import Sequences
from ._mixtures import Floor, fitted_mixtures
from ._parameters import Chain, Mixtures, Parameters
from ._statistics import Tally, tally_labelled


class SupervisedHMM(HiddenMarkovModel):
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

    def _starting_chain(self, sequences: Sequences, pairs: Pairs) -> Chain:
        chain = super()._starting_chain(sequences, pairs)
        if self.startprob == "frequency":
            return chain
        return chain._replace(start=label_shares(sequences, len(chain.start), first=True))

    def _expectation(self, sequences: Sequences, pairs: Pairs) -> Any:
        return partial(tally_labelled, sequences, pairs=pairs.counts)

    def _maximisation(self, floor: Floor, parameters: Parameters, tally: Tally) -> Parameters:
        return parameters._replace(mixtures=fitted_mixtures(parameters.mixtures, tally, floor))

    def _best(self, solutions: list[Solution]) -> Solution:
        """The best mixture of each class, as classes are learnt apart from each other."""
        best = super()._best(solutions)
        log_density = np.array([solution.tally.log_density for solution in solutions])
        chosen = log_density.argmax(axis=0)
        stacked = zip(*(solution.parameters.mixtures for solution in solutions), strict=True)
        mixtures = Mixtures(*(np.array(part)[chosen, range(len(chosen))] for part in stacked))
        gained = log_density.max(axis=0).sum() - best.tally.log_density.sum()
        return best._replace(
            parameters=best.parameters._replace(mixtures=mixtures),
            tally=best.tally._replace(log_likelihood=best.tally.log_likelihood + gained),
        )
