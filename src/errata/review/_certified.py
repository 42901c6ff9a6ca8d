"""What the decisions on rows that were drawn by lot prove."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .decisions import RowVerdict, as_text, differ
from .exporting import Audited
from .inference import Certificate, certify

PILES = ("calibration", "spot")


def certificate_of(
    audited: Audited, here: Mapping[int, RowVerdict], piles: dict[str, Any]
) -> Certificate:
    """The certificate of an audit, from verdicts by row."""
    drawn = drawn_rows(piles, here, audited.fingerprint)
    verdicts = {row: is_wrong(audited, row, verdict) for row, verdict in here.items()}
    return certify(
        *(drawn, audited.suspicion, audited.flagged, verdicts),
        known=audited.known,
        unlabelled=np.array([label is None for label in audited.labels]),
    )


def drawn_rows(
    piles: dict[str, Any], here: Mapping[int, RowVerdict], audit: str
) -> dict[str, list[Any]]:
    """Both piles as far as they were gone through."""
    return {queue: gone_through(piles[queue], queue, here, audit) for queue in PILES}


def gone_through(
    pile: list[Any], queue: str, here: Mapping[int, RowVerdict], audit: str
) -> list[Any]:
    """The pile from its top to the last row that was decided as one of it, without a gap.

    A row further down may have been decided because it is suspicious; it is no random draw then.
    Neither is one that was drawn for another audit, whose piles were others.
    """
    reached = 0
    for place, entry in enumerate(pile, start=1):
        verdict = here.get(entry[0] if isinstance(entry, list | tuple) else entry)
        if verdict is None:
            break
        if (verdict.queue, verdict.audit) == (queue, audit):
            reached = place
    return pile[:reached]


def is_wrong(audited: Audited, row: int, verdict: RowVerdict) -> bool | None:
    """Whether the label is wrong; None where nobody could say, or there is no label."""
    if verdict.class_text is None or audited.labels[row] is None:
        return None
    return differ(as_text(audited.labels[row]), verdict.class_text)
