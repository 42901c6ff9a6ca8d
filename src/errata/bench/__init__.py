"""Experiments: run a grid of them, resume it after a crash, compare it with what was published."""

from ._compare import Comparison, compare
from ._experiment import Cell, Experiment, NoisyTraining
from ._published import Published, list_published, load_published
from ._report import Report, write_report
from ._results import read_results
from ._run import run_experiment
from .experiments import get_experiment, list_experiments

__all__ = [
    "Experiment",
    "Cell",
    "NoisyTraining",
    "run_experiment",
    "read_results",
    "Published",
    "load_published",
    "list_published",
    "Report",
    "write_report",
    "Comparison",
    "compare",
    "get_experiment",
    "list_experiments",
]
