"""What is found about numeric targets: one value a row, and a few for the whole table."""

from typing import NamedTuple

import numpy as np

from .._noise_rate import NoiseRate


class TargetModel(NamedTuple):
    """What is kept of one model of the pool."""

    name: str
    weight: float  # in the pool
    r2: float  # out of fold, on rows that are probably right


class TargetFindings(NamedTuple):
    """What an audit of numeric targets finds; arrays have one value a row, in the order given.

    A row without a target has ``predicted``, ``low`` and ``high``; its ``p_wrong``, ``suspicion``
    and ``score`` are 0. Numbers are in the units of the target.
    """

    p_wrong: np.ndarray  # probability that the target is wrong
    suspicion: np.ndarray  # its log odds in the mean over hypotheses, which never saturate
    predicted: np.ndarray  # by the pool of models, none of which has learnt from the row
    low: np.ndarray  # between low and high lie nine tenths of right targets
    high: np.ndarray
    score: np.ndarray  # residual over the local scale, signed
    error_kind: np.ndarray  # "swap", "gross" or "unclear": what the target would be if wrong
    local_scale: np.ndarray  # how far right targets of such rows spread
    noise_rate: NoiseRate
    has_skill: bool  # whether the models predict better than the mean does
    models: list[TargetModel]
    tail: float  # degrees of freedom of Student's t that right residuals follow
    scale: float  # from 0, noise is even, upwards: how much noise varies between rows
    on_log_scale: bool  # whether residuals are differences of logarithms
    notes: list[str]


class TargetSelfCheck(NamedTuple):
    """What became of errors that were planted in a copy of the targets.

    Planted are swaps: targets of other rows that are probably right.
    """

    injected: int
    top: int  # so many of the most suspicious rows...
    found: int  # ... hold so many of the planted errors
    by_value: int  # and so many would be in a list of targets furthest from the median
    lift: bool  # whether planted errors are the more suspicious, beyond chance
    average_precision: float | None  # of finding the planted errors and those expected besides
    median_error: float  # of what is predicted for planted rows, in units of the target
    planted_error: float  # median distance of planted from true targets, to compare
    repeats: int

    def __repr__(self) -> str:
        return (
            f"<TargetSelfCheck: {self.found:,} of {self.injected:,} planted errors are among the "
            f"{self.top:,} most suspicious rows; {self.by_value:,} by values alone>"
        )
