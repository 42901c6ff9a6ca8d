"""Errors and warnings that a user of errata may want to catch."""

__all__ = [
    "BeingReviewed",
    "ClassRetentionWarning",
    "ConflictingEvent",
    "DatasetNotFoundError",
    "MissingExtraError",
    "NoiseWarning",
    "SuspicionWarning",
]


class DatasetNotFoundError(ValueError):
    """A data set is not where errata looked for it; the message says how to get it."""


class ConflictingEvent(ValueError):
    """A decision has the key of another one, and says something else."""


class BeingReviewed(OSError):
    """Another process writes these decisions now; the message says which, and where."""


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message names the command that installs it."""


class NoiseWarning(UserWarning):
    """The noise asked for is so strong that the labels no longer point to the class."""


class SuspicionWarning(UserWarning):
    """A detector could not judge the labels as asked and did the next best thing."""


class ClassRetentionWarning(SuspicionWarning):
    """Rows that look wrong were kept, because too few of their class would be left."""
