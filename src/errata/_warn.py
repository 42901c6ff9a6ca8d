"""Warnings that point at the line of the user, however deep in errata they arise."""

import sys
import warnings

from .exceptions import SuspicionWarning

PACKAGE = __name__.partition(".")[0]


def warn_user(message: str, category: type[Warning] = SuspicionWarning) -> None:
    """Warn at the innermost line outside of this package."""
    level = 2
    frame = sys._getframe(1)
    # Depths differ: the same warning arises in fit and, after partial_fit, in predict.
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] == PACKAGE:
        level = level + 1
        frame = frame.f_back
    warnings.warn(message, category, stacklevel=level)
