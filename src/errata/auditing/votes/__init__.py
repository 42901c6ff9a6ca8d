"""Labels by several annotators: who is right how often, and which majority labels are wrong.

1. ``_reading``, ``_votes``: votes as the user passes them, checked once
2. ``_copying``: workers who are one; ``_incidence``: which votes belong together;
   ``_skill``: whether they agree at all
3. ``_noise_model``: how each worker votes, given the class of an item
4. ``_features``, ``_item_models``: what is known of an item before any vote
5. ``_posterior``: the class of each item; ``_vote_weight``: what each vote counts
6. ``_workers``: who is right how often; ``_ask``: where one more vote tells most
7. ``_finding``, ``_findings``: all of it
8. ``_audit_votes``: the audit on one page, with ``_items``, a table of the items, ``_hearing``, who
   speaks of them besides annotators, and ``_assembly``
9. ``_ballots``, ``_view``, ``_for_review``: items as a person wants to see them
10. ``_result``: the :class:`VoteAudit`; ``_lists``, ``_summary``, ``_storage``: what it tells
"""

from ._audit import audit_votes
from ._finding import VoteFindings, judge_votes
from ._inputs import Votes, read_votes
from ._models import ItemModels
from ._result import VoteAudit

__all__ = [
    "ItemModels",
    "VoteAudit",
    "VoteFindings",
    "Votes",
    "audit_votes",
    "judge_votes",
    "read_votes",
]
