"""Figures of the papers, and the small samples they are drawn from."""

from ._outliers import (
    make_mislabelled_extreme,
    make_outlying_cloud,
    make_outlying_line,
    make_outlying_sine,
)
from ._perceptron_categories import plot_perceptron_categories
from ._reinforced import (
    plot_mislabelled_extreme,
    plot_outlying_cloud,
    plot_outlying_line,
    plot_outlying_sine,
)

__all__ = [
    "make_outlying_line",
    "make_outlying_sine",
    "make_outlying_cloud",
    "make_mislabelled_extreme",
    "plot_outlying_line",
    "plot_outlying_sine",
    "plot_outlying_cloud",
    "plot_mislabelled_extreme",
    "plot_perceptron_categories",
]
