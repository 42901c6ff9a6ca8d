"""Labels by several annotators: who is right how often, and which majority labels are wrong.

1. ``_reading``, ``_votes``: votes as the user passes them, checked once
2. ``_findings``: what they tell
"""

from ._findings import VoteFindings
from ._votes import Votes, read_votes

__all__ = ["VoteFindings", "Votes", "read_votes"]
