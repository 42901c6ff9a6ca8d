"""Review: a person decides on suspects one by one, and every decision is kept.

``decisions/`` keeps them in a file beside the audit, ``inference/`` says what they tell about the
labels that nobody has looked at, and ``server/`` is the page to decide on.
"""
