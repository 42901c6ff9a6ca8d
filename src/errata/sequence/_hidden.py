"""What the models share that do not take a label for the class."""

from .._validation import check_choice
from ._base import HiddenMarkovModel
from ._chain import fitted_chain
from ._mixtures import Floor, fitted_mixtures
from ._parameters import Parameters
from ._statistics import Tally

IMPLEMENTATIONS = ("log", "scaling")


class HiddenClassModel(HiddenMarkovModel):
    """A model that learns chain and mixtures from posteriors of the classes."""

    noise: str = "fixed"
    implementation: str

    def _maximisation(self, floor: Floor, parameters: Parameters, tally: Tally) -> Parameters:
        learn_start = self.startprob == "first"
        chain = fitted_chain(parameters.chain, tally, noise=self.noise, learn_start=learn_start)
        return Parameters(chain, fitted_mixtures(parameters.mixtures, tally, floor))

    @property
    def _scaled(self) -> bool:
        return check_choice("implementation", self.implementation, IMPLEMENTATIONS) == "scaling"
