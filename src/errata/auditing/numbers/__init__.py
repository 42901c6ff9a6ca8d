"""Labels that are numbers: which targets of a regression table are wrong, and what they should be.

1. ``_task``, ``_target_scale``: what is given, and targets on a scale that fits all tables
   ``_likelier_scale``: their logarithms, where these are likelier
2. ``_training``, ``_models``, ``_brought``: models, and what they
   predict of rows that they have not learnt from
   ``_copied_rows``: rows that must be left out together
3. ``_pooling``: one prediction of each row from all models
4. ``_local_scale``: how far right targets of such a row spread
5. ``_noise_model``: densities of right and of wrong residuals
6. ``_posterior``, ``_rate``: the probability that each target is wrong, and how many are
7. ``_rounds``: the same once more without what is probably wrong
8. ``_target_skill``: whether the models predict anything
9. ``_finding``, ``_findings``: all of it on one page, and what is found
10. ``_self_check``: planted errors, looked for in the same way

``_settings`` holds every constant.
"""

from ._brought import BroughtPredictions
from ._finding import find_wrong_targets
from ._findings import TargetFindings, TargetModel, TargetSelfCheck
from ._self_check import check_targets

__all__ = [
    "BroughtPredictions",
    "TargetFindings",
    "TargetModel",
    "TargetSelfCheck",
    "check_targets",
    "find_wrong_targets",
]
