"""What changed between two audits, in sentences and as Markdown."""

from collections import Counter
from typing import Any

from .._format import count, percent, plural, probability
from .._markdown import as_code, as_prose, markdown_table
from .._sentences import WORDS, Wording
from ._diff_rows import ADDED, CONFIRMED, GONE, RELABELLED, SAME

SHOWN = 10  # rows of each table
MATCHED = {
    "id": "by their ids",
    "item": "by their names",
    "index": "by the index",
    "contents": "by all cells but the {}",
    "place": "by their place",
}
FLAGGED = {
    ADDED: "not there before",
    RELABELLED: "with another label than before",
    SAME: "with the label they had",
}
RESOLVED = {
    RELABELLED: "with another label now",
    GONE: "not there any more",
    CONFIRMED: "with a label that is known to be right now",
    SAME: "with the label they had, which no longer looks wrong enough",
}


def diff_in_sentences(told: dict[str, Any]) -> list[str]:
    """All there is to tell of what ``AuditDiff.to_dict`` gives."""
    words = WORDS[told["kind"]]
    sentences = [
        _matched(told, words),
        _rates(told, words),
        _why(told["newly_flagged"], "newly flagged", FLAGGED, words.row),
    ]
    if told["resolved"]:
        sentences.append(_why(told["resolved"], "no longer flagged", RESOLVED, words.row))
    if told["still_flagged"]:
        sentences.append(f"{_are(told['still_flagged'], words.row)} still flagged.")
    return sentences + [f"Note: {note}" for note in told["notes"]]


def diff_in_markdown(told: dict[str, Any]) -> str:
    """The sentences as a list, and the first rows that are newly flagged and resolved."""
    tables = (("newly_flagged", "Newly flagged"), ("resolved", "No longer flagged"))
    return "\n\n".join(
        [
            "### What changed since the last audit",
            "\n".join(f"- {as_prose(line)}" for line in diff_in_sentences(told)),
            *(_rows(told[name], title) for name, title in tables if told[name]),
        ]
    )


def _matched(told: dict[str, Any], words: Wording) -> str:
    by = MATCHED[told["matched_by"]].format(words.one.partition(",")[0])
    both = f"{_are(told['matched'], words.row)} in both audits, matched {by}"
    added, gone = (f"{count(told[name])} {_be(told[name])}" for name in ("added", "gone"))
    return f"{both}; {added} new and {gone} gone."


def _rates(told: dict[str, Any], words: Wording) -> str:
    sides = [told["old"], told["new"]]
    if not all(side["has_skill"] for side in sides):
        return (
            f"How many {words.many} are wrong cannot be compared: {words.evidence.lower()} "
            f"{words.blind}{' any more' if sides[0]['has_skill'] else ''}."
        )
    then, now = (side["noise_rate"] for side in sides)
    return f"Noise rate: {_rate(then)} before, {_rate(now)} now; {_difference(told, then, now)}."


def _rate(rate: dict[str, float]) -> str:
    return f"{percent(rate['estimate'])} ({percent(rate['low'])} to {percent(rate['high'])})"


def _difference(told: dict[str, Any], then: dict[str, float], now: dict[str, float]) -> str:
    """Whether it is more than chance; the intervals hold nine tenths of what is possible."""
    if told["intervals_overlap"]:
        return "the intervals overlap, so the difference may be chance"
    fewer = "fewer" if now["estimate"] < then["estimate"] else "more"
    return f"the intervals do not overlap: {fewer} are wrong than before"


def _why(rows: list[dict[str, Any]], what: str, reasons: dict[str, str], row: str) -> str:
    """How many rows are newly flagged or not any more, and why."""
    sentence = f"{_are(len(rows), row)} {what}"
    counts = Counter(each["why"] for each in rows)
    parts = [f"{count(counts[why])} {words}" for why, words in reasons.items() if counts[why]]
    if len(parts) == 1:
        return f"{sentence}, {parts[0].partition(' ')[2]}."
    return f"{sentence}: {', '.join(parts)}." if parts else f"{sentence}."


def _are(number: int, row: str) -> str:
    return f"{plural(number, row)} {_be(number)}" if number else f"No {row} is"


def _be(number: int) -> str:
    return "is" if number == 1 else "are"


def _rows(rows: list[dict[str, Any]], title: str) -> str:
    """The first rows as a table, under a line that says how many there are."""
    shown = rows[:SHOWN]
    which = "" if len(rows) == len(shown) else f", the first {len(shown)} of {count(len(rows))}"
    named = any(row["id"] is not None for row in shown)
    headings = ["row", *(["id"] if named else []), "label", "suggested", "p wrong", "why"]
    return f"**{title}{which}**\n\n" + markdown_table(headings, (_cells(r, named) for r in shown))


def _cells(row: dict[str, Any], named: bool) -> list[str]:
    gone = row["row"] is None
    label, before = as_code(row["label"]), as_code(row["old_label"])
    changed = row["why"] == RELABELLED
    p = row["old_p_wrong"] if gone else row["p_wrong"]
    return [
        f"{row['old_row']} before" if gone else str(row["row"]),
        *([as_code(row["id"])] if named else []),
        f"{before} → {label}" if changed else before if gone else label,
        as_code(row["suggested"]),
        probability(p),
        row["why"],
    ]
