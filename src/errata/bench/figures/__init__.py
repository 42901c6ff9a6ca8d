"""Figures of the papers, and the small samples they are drawn from."""

from ._failures import plot_information_failures, plot_perceptron_categories, plot_regression_errors
from ._outliers import (
    make_mislabelled_extreme,
    make_outlying_cloud,
    make_outlying_line,
    make_outlying_sine,
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
    "plot_information_failures",
    "plot_regression_errors",
]
