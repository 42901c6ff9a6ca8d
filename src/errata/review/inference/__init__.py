"""Inference from verdicts about the labels that nobody has looked at.

1. ``_components`` of ``audit_folder``: hypotheses that verdicts reweigh, and with them ``p_wrong``
2. ``_progress``: how good the list was, what is left, when to stop, how far piles were gone through
3. ``_certificate``: what verdicts on rows drawn with known probabilities prove, how often reviewers
   are right, and what that does to it
4. ``_anytime``: bounds that hold whenever a review stops

Numpy only, and ``scipy.special`` where a bound is exact: the page must start at once.
"""

from ...audit_folder import (
    Components,
    Evidence,
    RowSums,
    draw_piles,
    evidence_of,
    expected_left,
    gather_components,
    update,
)
from ._certificate import (
    Certificate,
    GoldAnswers,
    certificate_sentence,
    certify,
    gold_sentence,
    read_answers,
)
from ._progress import progress, sentences

__all__ = [
    "Certificate",
    "Components",
    "Evidence",
    "GoldAnswers",
    "RowSums",
    "certificate_sentence",
    "certify",
    "draw_piles",
    "evidence_of",
    "expected_left",
    "gather_components",
    "gold_sentence",
    "progress",
    "read_answers",
    "sentences",
    "update",
]
