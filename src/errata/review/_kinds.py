"""What an audit is of, and so what people decide: a class, a number, or which labels are set."""

from typing import Any, NamedTuple

from .._format import plural
from .decisions import Pair


class ReviewedKind(NamedTuple):
    """What the parts of a review go by; a verdict is JSON text for all of them."""

    noun: str  # what is right or wrong
    nouns: str
    decided: str  # the column that an export adds
    p_wrong: str = "p_wrong"  # the column of the audit that says how probably
    by_chance: bool = True  # whether two people may say the same by chance, as Cohen's kappa counts

    def compared(self, pair: Pair) -> Pair:
        """How far two people agree, without what means nothing here."""
        return pair if self.by_chance else pair._replace(kappa=None)

    def counted(self, number: int) -> str:
        """So many of them."""
        return plural(number, self.noun, self.nouns)


KINDS = {
    "classes": ReviewedKind("label", "labels", "errata_class"),
    "votes": ReviewedKind("label", "labels", "errata_class"),
    "numbers": ReviewedKind("number", "numbers", "errata_number", by_chance=False),
    "multilabel": ReviewedKind("set of labels", "sets of labels", "errata_labels", "p_row"),
}


def reviewed_kind(numbers: dict[str, Any]) -> ReviewedKind:
    """The kind of an audit by what is in its ``audit.json``."""
    return KINDS[numbers.get("kind", "classes")]
