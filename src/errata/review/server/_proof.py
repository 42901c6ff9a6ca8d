"""What the verdicts prove about the whole table, whatever the models did."""

from typing import Any

from .._certified import drawn_rows
from ..decisions import RowVerdict
from ..inference import certificate_sentence, certify
from ._columns import column_numbers, read_column, stored_columns
from ._folder import ROWS
from ._review import Review
from ._tally import RIGHT, WRONG


def proven(review: Review) -> str:
    """The certificate in a sentence; empty before the first verdict on a row drawn by lot."""
    folder, here = review.folder, _verdicts(review)
    drawn = drawn_rows(folder.numbers["piles"], here, folder.fingerprint)
    wrong = {row: _is_wrong(review, row) for row in here}
    found = certify(drawn, verdicts=wrong, **_columns(review))
    return certificate_sentence(found, folder.kind.nouns)


def _verdicts(review: Review) -> dict[int, RowVerdict]:
    """Verdicts by row, of those that have a card."""
    places, number = review.folder.places_by_key, review.folder.rows.number
    verdicts = review.decisions.verdicts().items()
    return {int(number[places[key]]): told for key, told in verdicts if key in places}


def _is_wrong(review: Review, row: int) -> bool | None:
    told = review.tally.told[review.folder.place(row)]
    return bool(told == WRONG) if told in (RIGHT, WRONG) else None


def _columns(review: Review) -> dict[str, Any]:
    """What the audit says of all rows, also of those without a card."""
    path = review.folder.path / ROWS
    names = [name for name in ("suspicion", "flagged", "known") if name in stored_columns(path)]
    columns = {name: column_numbers(read_column(path, name)) for name in names}
    return columns | {"unlabelled": review.folder.recorded.blank_rows}
