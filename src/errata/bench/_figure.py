"""Figures without pyplot: none stays open, and the user's backend is left alone."""

from typing import Any

from .._optional import require


def new_figure(width: float, height: float) -> Any:
    """A figure of this size in inches, whose parts make room for each other."""
    figure = require("matplotlib.figure", extra="report").Figure
    return figure((width, height), layout="constrained")
