"""What verdicts tell about the labels that nobody has looked at.

1. ``_components`` of ``audit_folder``: hypotheses that verdicts reweigh, and with them ``p_wrong``
2. ``_progress``: how good the list was, what is left, when to stop, also in sentences
3. ``_certificate``: what verdicts on rows drawn with known probabilities prove
4. ``_intervals``: of fractions and counts

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
    no_evidence,
    undecidable,
    update,
)
from ._certificate import Certificate, certify
from ._progress import ReviewProgress, certificate_sentence, progress, sentences

__all__ = [
    "Certificate",
    "Components",
    "Evidence",
    "ReviewProgress",
    "RowSums",
    "certificate_sentence",
    "certify",
    "draw_piles",
    "evidence_of",
    "expected_left",
    "gather_components",
    "no_evidence",
    "progress",
    "sentences",
    "undecidable",
    "update",
]
