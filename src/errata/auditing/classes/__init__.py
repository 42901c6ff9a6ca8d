"""Labels that are classes: the noise model, and the posterior that a label is not the class.

1. ``_noise_model``: the ways in which labels may have become wrong, fitted to the labels
2. ``_posterior``: how much each of them weighs, and the probability that each label is wrong
3. ``_verdicts``: what a person decided, and what that tells of the others
4. ``_problem``: how rows with one label each are read, judged and put together
5. ``_audit``: the function that users call

Another kind of label (numbers, several annotators) is another folder with a noise model and a
posterior; the rest of the audit stays.
"""

from ._posterior import (
    NoisePosterior,
    Posterior,
    RowRule,
    gathered_posterior,
    noise_posterior,
    posterior_given_noise,
    posterior_of,
    set_aside,
)
from ._verdicts import (
    Groups,
    beside_all,
    group_hypotheses,
    match_p_wrong,
    weigh_groups,
    with_unforeseen,
    with_verdicts,
)

__all__ = [
    "Groups",
    "NoisePosterior",
    "Posterior",
    "RowRule",
    "beside_all",
    "gathered_posterior",
    "group_hypotheses",
    "match_p_wrong",
    "noise_posterior",
    "posterior_given_noise",
    "posterior_of",
    "set_aside",
    "weigh_groups",
    "with_unforeseen",
    "with_verdicts",
]
