"""Labels that are classes: the noise model, and the posterior that a label is not the class.

1. ``_hypotheses``: what each way in which labels may have become wrong implies
2. ``_patterns``: which classes are wrong more often than others, and for which
3. ``_noise_model``: the hypotheses, fitted to the labels
4. ``_noise_posterior``: how much each of them weighs
5. ``_posterior``: the probability that each label is wrong, and the noise rate
6. ``_components``: the hypotheses in a few groups, for verdicts to reweigh
7. ``_verdicts``: what a person decided, and what that tells

Another kind of label (numbers, several annotators) is another folder with a noise model and a
posterior; the rest of the audit stays.
"""

from ._components import Grouped, grouped_hypotheses
from ._noise_posterior import NoisePosterior, noise_posterior
from ._posterior import Posterior, classes_before_labels, classes_of_rows, posterior_of
from ._verdicts import Verdicts, with_verdicts

__all__ = [
    "Grouped",
    "NoisePosterior",
    "Posterior",
    "Verdicts",
    "classes_before_labels",
    "classes_of_rows",
    "grouped_hypotheses",
    "noise_posterior",
    "posterior_of",
    "with_verdicts",
]
