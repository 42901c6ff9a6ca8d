"""Rows that follow each other in time: recordings, models of them, and stretches of wrong labels.

1. ``_recordings``: which rows make a recording, in which order; what must be left out together
2. ``_signals``, ``_inputs``: the numbers of a table, gaps bridged, clocks set aside
3. ``_models``: hidden Markov models as models of an audit
4. ``_stretches``: neighbouring rows that are wrong in the same way
5. ``_traces``: the signal around a stretch, to look at

All else is the ordinary audit: what a model says of a row without having seen its recording becomes
the probability that the label is wrong in the same way.
"""

from ._inputs import SequenceInputs, check_sequence, read_recordings
from ._recordings import Recordings, Timeline, draw_traces, find_stretches, sequence_models

__all__ = [
    "Recordings",
    "SequenceInputs",
    "Timeline",
    "check_sequence",
    "draw_traces",
    "find_stretches",
    "read_recordings",
    "sequence_models",
]
