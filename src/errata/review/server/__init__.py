"""The page to decide on, served to a browser on this machine.

1. ``_serve``: open everything, listen, tell the address; the routes
2. ``_folder``: the audit as the page reads it
3. ``_standing``: which rows a filter has, which comes next, and the numbers in view
4. ``_review``: an audit, the decisions beside it, and who decides
5. ``_guard``: who may use the page, and what is refused; ``_pages`` look, at pictures, too,
   ``_actions`` act, ``_further`` is for exports and another audit
6. ``_web``: what they are asked, and templates that go back
7. ``_stage``: from a card to the page; ``_keys``: what is on it
"""

from ._serve import serve

__all__ = ["serve"]
