"""The page to decide on, served to a browser on this machine.

1. ``_serve``: open everything, listen, tell the address
2. ``_door``, ``_security``: who may use the page; ``_browser``: how they get in
3. ``_folder``, ``_cards``, ``recorded/``: the audit as the page reads it
4. ``_filter``, ``_standing``: which rows, and which comes next; ``_tally``: the numbers in view;
   ``_proof``: what they prove
5. ``_review``: an audit, the decisions beside it, and who decides
6. ``_app``: the routes; ``_pages`` look, ``_actions`` act, ``_export`` and ``_reaudit`` go further
7. ``_view``, ``_answers``, ``_words``, ``_stage``, ``_templates``: from a card to the page
"""

from ._serve import serve

__all__ = ["serve"]
