"""Labels that are classes: the noise model, and the posterior that a label is not the class.

1. ``_hypotheses``: what each way in which labels may have become wrong implies
2. ``_patterns``: which classes are wrong more often than others, and for which
3. ``_noise_model``: the hypotheses, fitted to the labels
4. ``_noise_posterior``: how much each of them weighs
5. ``_row_rule``: how rows are judged by all that, the same for every block of them
6. ``_posterior``: the probability that each label is wrong, and the noise rate
7. ``_components``: the hypotheses in a few groups, for verdicts to reweigh
8. ``_verdicts``: what a person decided, and what that tells

Another kind of label (numbers, several annotators) is another folder with a noise model and a
posterior; the rest of the audit stays.
"""

from ._posterior import (
    NoisePosterior,
    Posterior,
    RowRule,
    Vote,
    classes_before_labels,
    classes_of_rows,
    gathered_posterior,
    noise_posterior,
    posterior_given_noise,
    posterior_of,
    rows_posterior,
    set_aside,
)
from ._verdicts import (
    Grouped,
    beside_all,
    group_hypotheses,
    match_p_wrong,
    with_verdicts,
    without_hypotheses,
)

__all__ = [
    "Grouped",
    "NoisePosterior",
    "Posterior",
    "RowRule",
    "Vote",
    "beside_all",
    "classes_before_labels",
    "classes_of_rows",
    "gathered_posterior",
    "group_hypotheses",
    "match_p_wrong",
    "noise_posterior",
    "posterior_given_noise",
    "posterior_of",
    "rows_posterior",
    "set_aside",
    "with_verdicts",
    "without_hypotheses",
]
