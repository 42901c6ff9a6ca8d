"""Experiments: run a grid of them, resume it after a crash, compare it with what was published."""

from ._experiment import (
    Bench,
    Cell,
    Experiment,
    NoisyTraining,
    Published,
    list_published,
    load_published,
)
from ._report import write_comparison
from ._run import read_results, read_status, run_experiment
from .experiments import get_experiment, list_experiments

__all__ = [
    "Experiment",
    "NoisyTraining",
    "Cell",
    "Bench",
    "Published",
    "run_experiment",
    "read_results",
    "read_status",
    "load_published",
    "list_published",
    "write_comparison",
    "get_experiment",
    "list_experiments",
]
