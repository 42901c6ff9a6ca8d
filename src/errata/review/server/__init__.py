"""The page to decide on, served to a browser on this machine.

1. ``_serve``: open everything, listen, tell the address
2. ``_door``: who may use the page, and how they get in; ``_requests``: what is refused
3. ``_folder``: the audit as the page reads it
4. ``_standing``: which rows a filter has, which comes next, and the numbers in view
5. ``_review``: an audit, the decisions beside it, and who decides
6. ``_app``: the routes; ``_pages`` look, ``_actions`` act, ``_export`` and ``_reaudit`` go further
7. ``_stage``, ``_templates``: from a card to the page; ``_keys``, ``_pictures``: what is on it
"""

from ._serve import serve

__all__ = ["serve"]
