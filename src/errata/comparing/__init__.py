"""Which way of learning suits a noisy table? Cross-validation that knows its labels may be wrong.

Its stages, in the order in which they run:

1. ``_compare``: all of them on one page
2. ``_competitors``: who takes part, fitted to every training fold and scored
3. ``_result``: means, ranks, which differences are within chance, and what to make of it
"""

from ._compare import compare
from ._competitors import Competitor, default_competitors
from ._result import Comparison

__all__ = ["compare", "Comparison", "Competitor", "default_competitors"]
