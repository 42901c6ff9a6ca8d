"""What the decisions on rows that were drawn by lot prove."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .decisions import RowVerdict, as_text
from .exporting import Audited
from .inference import Certificate, certify


def certificate_of(
    audited: Audited, here: Mapping[int, RowVerdict], piles: dict[str, Any]
) -> Certificate:
    """The certificate of an audit, from verdicts by row."""
    drawn = {
        "calibration": gone_through(piles["calibration"], "calibration", here),
        "spot": gone_through(piles["spot"], "spot", here),
    }
    verdicts = {row: is_wrong(audited, row, verdict) for row, verdict in here.items()}
    blank = np.array([label is None for label in audited.labels])
    known = blank if audited.known is None else blank | audited.known
    return certify(drawn, audited.suspicion, audited.flagged, verdicts, known=known)


def gone_through(pile: list[Any], queue: str, here: Mapping[int, RowVerdict]) -> list[Any]:
    """The pile up to the last row that was decided as one of it.

    A row further down may have been decided because it is suspicious; it is no random draw then.
    """
    rows = [entry[0] if isinstance(entry, list | tuple) else entry for entry in pile]
    reached = [place for place, row in enumerate(rows) if row in here and here[row].queue == queue]
    return pile[: max(reached, default=-1) + 1]


def is_wrong(audited: Audited, row: int, verdict: RowVerdict) -> bool | None:
    """Whether the label is wrong; None where nobody could say, or there is no label."""
    if verdict.state != "decided" or audited.labels[row] is None:
        return None
    return as_text(audited.labels[row]) != verdict.class_text
