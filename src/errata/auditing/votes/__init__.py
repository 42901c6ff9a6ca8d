"""Labels by several annotators: who is right how often, and which majority labels are wrong.

1. ``_audit``: :func:`errata.audit_votes`, and items as a person wants to see them
2. ``_inputs``: votes and the table of the items as the user passes them, checked once
3. ``_models``: what is known of an item before any vote
4. ``_noise_model``: how each annotator votes, given the class of an item; who copies whom
5. ``_finding``: the class of each item, what each vote counts, and where one more tells most
6. ``_result``: the :class:`VoteAudit`
"""

from ._audit import audit_votes
from ._finding import JudgedVotes
from ._inputs import Votes, read_votes
from ._models import ItemModels
from ._result import VoteAudit

__all__ = [
    "ItemModels",
    "JudgedVotes",
    "VoteAudit",
    "Votes",
    "audit_votes",
    "read_votes",
]
