"""Sentences on a summary that report and terminal share."""

from dataclasses import replace
from textwrap import shorten
from typing import Any

from ._format import count, percent, plural, round_cell
from ._kinds import Kind, kind_of

RATHER_SURE = 0.75  # expected precision from which flags are errors, wherever the interval begins
MORE_THAN_NOT = 0.5  # expected precision below which flags are no errors, wherever it begins
NEXT_TO_NONE = 0.01  # of the labels: an interval that begins below may as well begin at none
LOOKED_AT = 20  # rows that tell a person whether errors were found, or classes overlap


def wording(summary: dict[str, Any]) -> Kind:
    """Its kind; a summary may name what it judges more precisely, as ``noun``."""
    kind = kind_of(summary)
    noun, nouns = summary.get("noun") or (kind.noun, kind.nouns)
    return replace(kind, noun=noun, nouns=nouns)


def answer(summary: dict[str, Any]) -> str:
    """The result, how sure it is, and the next step: a sentence each."""
    flags = _flags(summary["flagged"], wording(summary).row)
    return f"{_how_many(summary)}. {flags}. {_next_step(summary)}"


def in_short(summary: dict[str, Any]) -> str:
    """How many labels are wrong and how many rows are flagged, within a sentence."""
    many = _how_many(summary)
    flagged = rows_are_flagged(summary["flagged"]["count"], wording(summary).row)
    return f"{many[0].lower()}{many[1:]}; {flagged}"


def notes(summary: dict[str, Any]) -> list[str]:
    """The notes that the answer does not give already: without skill the first one repeats it."""
    return summary["notes"] if summary["has_skill"] else summary["notes"][1:]


def overlooked(summary: dict[str, Any]) -> list[str]:
    """Name those whose planted errors are found less often than others."""
    found = summary.get("overlooked")
    return [f"Overlooked: {found['sentence']}"] if found and found["sentence"] else []


def cleaning(flagged: dict[str, Any]) -> str:
    """How many rows ``clean`` drops by default, and how many are flagged if that differs.

    >>> cleaning({"count": 181, "cleaned": {"threshold": 0.5, "rows": 170, "above": 170}})
    'the 170 rows that are more likely wrong than right (181 are flagged to look at)'
    """
    dropped = flagged["cleaned"]["rows"]
    above = flagged["cleaned"]["above"]
    beside = "" if dropped == flagged["count"] else f" ({_to_look_at(flagged['count'])})"
    if not above:
        return f"no row, as none is more likely wrong than right{beside}"
    rows = "the row that is" if above == 1 else f"the {count(above)} rows that are"
    likely = f"{rows} more likely wrong than right"
    if dropped == above:
        return f"{likely}{beside}"
    why = flagged["cleaned"].get("spared", "to spare small classes")
    return f"{count(dropped) if dropped else 'none'} of {likely}, {why}{beside}"


def finds_errors(summary: dict[str, Any]) -> bool:
    """Whether labels are clearly wrong, and not merely where classes overlap.

    If a fraction p of some rows is expected to be wrong, none of them is with a probability of at
    most 1 - p. So flags that are surely right are errors, wherever the interval begins; flags that
    are more often wrong than right are none. Between them the interval decides, unless classes
    overlap: there it rests on what no column tells.
    """
    precision = summary["flagged"]["expected_precision"] or 0
    if precision < MORE_THAN_NOT:
        return False
    is_some = summary["noise_rate"]["low"] >= NEXT_TO_NONE and not summary.get("overlaps", False)
    return precision >= RATHER_SURE or is_some


def finds_nothing(summary: dict[str, Any]) -> bool:
    """Whether hardly any label looks wrong."""
    rate = summary["noise_rate"]
    is_little = rate["estimate"] < NEXT_TO_NONE and not summary["flagged"]["count"]
    return is_little or not rate["count"]


def tell_why(example: dict[str, Any]) -> str:
    """The reasons against the label of a row: values that are unusual for it, or its neighbours.

    >>> tell_why({"values": {"height": "210"}, "usual": {"height": "165"}, "speaking": 1})
    'height is 210, usually 165'
    >>> tell_why({"values": {"x": "-4.378417473943337"}, "usual": {"x": "1.0038897585098108"}})
    'x is -4.37842, usually 1.00389'
    """
    unusual = describe_unusual(example)
    if unusual:
        return unusual
    reasons = example["reasons"]
    about_neighbors = reasons[1:2] if "usual" in example else []
    return (about_neighbors or reasons[:1] or [""])[0]


def describe_unusual(example: dict[str, Any]) -> str:
    """The two values of a row that speak most against its label, beside what is usual; or ""."""
    usual = example.get("usual", {})
    unusual = [
        f"{name} is {_compare(value)}, usually {_compare(usual[name])}"
        for name, value in example.get("values", {}).items()
        if name in usual and value != usual[name]
    ]
    return "; ".join(unusual[:2])


def _compare(cell: str) -> str:
    return shorten(round_cell(cell), 30)


def anything(summary: dict[str, Any]) -> str:
    """Everything that may be wrong where columns do not tell: all but the most frequent label."""
    return f"anything from none to {percent(summary['noise_rate']['high'])}"


def in_ten(fraction: float) -> str:
    """A fraction as people count.

    >>> in_ten(0.81), in_ten(0.97), in_ten(0.01)
    ('8 in 10', 'nearly all', 'hardly any')
    """
    if fraction >= 0.95:
        return "nearly all"
    return f"{max(1, round(10 * fraction))} in 10" if fraction >= 0.05 else "hardly any"


def _how_many(summary: dict[str, Any]) -> str:
    words = wording(summary)
    if not summary["has_skill"]:
        judged = plural(summary["rows"], words.noun, words.nouns)
        return (
            f"{words.evidence} {words.no_skill}, so nobody can say from them which {words.nouns} "
            f"are wrong: {anything(summary)} of the {judged} is possible"
        )
    rate = summary["noise_rate"]
    rows = count(summary["rows"])
    most = count(rate["count_high"])
    least = count(rate["count_low"]) if rate["count_low"] else "none"
    if finds_nothing(summary):
        could = f"; at most {most} of {rows} could be" if rate["count_high"] else ""
        return f"Hardly any {words.noun} looks wrong{could}"
    are = "is" if rate["count"] == 1 else "are"
    so_many = f"{count(rate['count'])} of {rows} {words.nouns} {are}"
    if not finds_errors(summary):
        return (
            f"Perhaps {so_many} wrong (between {least} and {most}), but errors cannot be told from "
            f"{words.harmless}"
        )
    if "still_wrong" in summary:
        return _before_and_after(summary)
    reach = f"at most {most}" if least == "none" else f"between {least} and {most}"
    return f"About {so_many} probably wrong ({reach})"


def _next_step(summary: dict[str, Any]) -> str:
    """The advice that follows from the result."""
    words = wording(summary)
    flagged = summary["flagged"]["count"]
    them = "it" if flagged == 1 else "them"
    if not summary["has_skill"]:
        return words.command.help
    if finds_nothing(summary):
        return f"Look at {them}." if flagged else "There is nothing to do."
    if finds_errors(summary):
        return f"Review {them}, or clean the table without a review."
    return f"Look at the {LOOKED_AT} most suspicious {words.row}s: they tell which it is."


def _before_and_after(summary: dict[str, Any]) -> str:
    """How many majority labels are wrong, and how many labels still are once votes are weighed."""
    before = summary["noise_rate"]
    after = summary["still_wrong"]
    least = count(before["count_low"])
    most = count(before["count_high"])
    weighed = f"after weighing the {plural(summary['annotators'], 'annotator')}"
    left = f"about {count(after['count'])} still are" if after["count"] else "hardly any still is"
    return (
        f"Of {count(summary['rows'])} majority labels about {count(before['count'])} ({least} to "
        f"{most}) are probably wrong; {weighed} {left}"
    )


def _flags(flagged: dict[str, Any], row: str) -> str:
    rows = rows_are_flagged(flagged["count"], row).capitalize()
    chance = flagged["expected_precision"]
    if not flagged["count"] or chance is None:
        return rows
    if flagged["count"] == 1:
        return f"{rows}; the probability that it is a real error is {percent(chance)}"
    return f"{rows}; we expect {in_ten(chance)} of them to be real errors{_reach(flagged)}"


def _reach(flagged: dict[str, Any]) -> str:
    """Between which fractions that may be, where less than half may be.

    >>> _reach({"expected_precision_low": 0.0, "expected_precision_high": 0.8})
    ' (between hardly any and 8 in 10)'
    """
    low = flagged.get("expected_precision_low")
    high = flagged.get("expected_precision_high")
    if low is None or high is None or low >= MORE_THAN_NOT:
        return ""
    return f" (between {in_ten(low)} and {in_ten(high)})"


def rows_are_flagged(number: int, row: str = "row") -> str:
    """How many rows are flagged.

    >>> rows_are_flagged(0), rows_are_flagged(1), rows_are_flagged(1200)
    ('no row is flagged', '1 row is flagged', '1,200 rows are flagged')
    """
    if not number:
        return f"no {row} is flagged"
    return f"{plural(number, row)} {'is' if number == 1 else 'are'} flagged"


def _to_look_at(number: int) -> str:
    if not number:
        return "none is flagged"
    return f"{count(number)} {'is' if number == 1 else 'are'} flagged to look at"
