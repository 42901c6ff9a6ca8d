"""What verdicts tell about the labels that nobody has looked at.

1. ``_components``: noise hypotheses that verdicts reweigh, and with them ``p_wrong`` of every row
2. ``_progress``: how good the list was, what is left, when to stop; ``_words``: in sentences
3. ``_piles``: rows drawn with known probabilities; ``_certificate``, ``_stratified``: what
   verdicts on them prove
4. ``_intervals``: of fractions and counts

Numpy only, and ``scipy.special`` where a bound is exact: the page must start at once.
"""

from ._certificate import Certificate, certify, draw_piles
from ._components import (
    Components,
    Evidence,
    RowSums,
    evidence_of,
    gather_components,
    no_evidence,
    undecidable,
    update,
)
from ._progress import ReviewProgress, certificate_sentence, expected_left, progress, sentences

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
