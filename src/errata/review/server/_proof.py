"""What the verdicts prove about the whole table, whatever the models did."""

import numpy as np

from ..inference import certificate_sentence, certify
from ._columns import column_numbers
from ._folder import ROWS, read_column
from ._review import Review
from ._standing import SKIPPED
from ._tally import UNTOLD, WRONG


def proven(review: Review) -> str:
    """The certificate in a sentence; empty before the first verdict on a row drawn by lot."""
    path = review.folder.path / ROWS
    suspicion, flagged = (
        column_numbers(read_column(path, name)) for name in ("suspicion", "flagged")
    )
    found = certify(review.folder.numbers["piles"], suspicion, flagged, _verdicts(review))
    return certificate_sentence(found)


def _verdicts(review: Review) -> dict[int, bool | None]:
    """Whether labels are wrong, by row; None where somebody looked and could not say."""
    places = np.flatnonzero(review.standing.states > SKIPPED)
    rows = review.folder.rows.number[places].tolist()
    told = review.tally.told[places].tolist()
    return {
        row: None if each == UNTOLD else each == WRONG for row, each in zip(rows, told, strict=True)
    }
