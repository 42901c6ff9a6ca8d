"""What an audit is of, and so what people decide: a class, a number, or which labels are set."""

from typing import Any, NamedTuple

from .._format import plural


class ReviewedKind(NamedTuple):
    """What the parts of a review go by; a verdict is JSON text for all of them."""

    noun: str  # what is right or wrong
    nouns: str
    decided: str  # the column that an export adds
    p_wrong: str = "p_wrong"  # the column of the audit that says how probably

    def counted(self, number: int) -> str:
        """So many of them."""
        return plural(number, self.noun, self.nouns)


KINDS = {
    "classes": ReviewedKind("label", "labels", "errata_class"),
    "votes": ReviewedKind("label", "labels", "errata_class"),
    "numbers": ReviewedKind("number", "numbers", "errata_number"),
    "multilabel": ReviewedKind("set of labels", "sets of labels", "errata_labels", "p_row"),
}


def reviewed_kind(numbers: dict[str, Any]) -> ReviewedKind:
    """The kind of an audit by what is in its ``audit.json``."""
    return KINDS[numbers.get("kind", "classes")]
