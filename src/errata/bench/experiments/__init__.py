"""The experiments that ``errata reproduce`` knows, one file each."""

from .._experiment import Experiment
from ._aqua import aqua
from ._ecg import ecg, ecg_experts
from ._elm_kernels import elm_svm, elm_svr
from ._elm_solver import elm_solver
from ._given_probabilities import confident_learning, label_quality
from ._mi_failures import mi_failures
from ._mi_real import mi_real
from ._mi_regression import mi_regression
from ._mi_risk import mi_risk
from ._noisy_selection import lnt_bw, lnt_cleaning
from ._nr_boosting import nr_boosting
from ._peeling import peeling
from ._ppr import ppr
from ._projections import projections
from ._survey import survey
from ._walmsley import walmsley

_ALL = [
    *(walmsley, elm_svm, elm_svr, elm_solver, ppr, peeling, nr_boosting, projections, survey),
    *(mi_failures, mi_regression, mi_real, mi_risk, lnt_bw, lnt_cleaning, ecg, ecg_experts),
    *(confident_learning, label_quality, aqua),
]
_EXPERIMENTS = {e.name: e for e in _ALL}


def list_experiments() -> list[Experiment]:
    """Every experiment that can be reproduced.

    Examples
    --------
    >>> [experiment.name for experiment in list_experiments()]
    ['walmsley', 'elm-svm', 'elm-svr', 'elm-solver', 'ppr', 'peeling', 'nr-boosting', 'projections',
     'survey', 'mi-failures', 'mi-regression', 'mi-real', 'mi-risk', 'lnt-bw', 'lnt-cleaning',
     'ecg', 'ecg-experts', 'confident-learning', 'label-quality', 'aqua']
    """
    return list(_EXPERIMENTS.values())


def get_experiment(name: str) -> Experiment:
    """The experiment of that name.

    Examples
    --------
    >>> get_experiment("walmsley").repetitions
    10
    """
    if name not in _EXPERIMENTS:
        raise ValueError(
            f"there is no experiment {name!r}; choose from {', '.join(sorted(_EXPERIMENTS))}."
        )
    return _EXPERIMENTS[name]
