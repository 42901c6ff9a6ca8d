"""An audit in Markdown: short enough for a comment on a change, or the page of a build."""

from typing import Any

from .._format import count, percent, probability
from .._markdown import as_code, as_prose, markdown_table
from .._sentences import answer, notes, wording

SHOWN = 10  # rows; the report has the rest


def summary_in_markdown(summary: dict[str, Any]) -> str:
    """The answer, the noise rate with its interval, notes, and the most suspicious rows."""
    check = summary["self_check"]
    told = [
        *(_rate(summary) if summary["has_skill"] else []),
        *([f"Self-check: {check['sentence']}"] if check else []),
        *(f"Note: {note}" for note in notes(summary)),
    ]
    parts = [
        f"## Audit of {as_code(summary['title'])}",
        f"**{as_prose(answer(summary))}**",
        "\n".join(f"- {as_prose(line)}" for line in told),
        *_rows(summary),
    ]
    return "\n\n".join(part for part in parts if part)


def _rate(summary: dict[str, Any]) -> list[str]:
    rate = {name: percent(summary["noise_rate"][name]) for name in ("estimate", "low", "high")}
    return [f"Noise rate: {rate['estimate']} ({rate['low']} to {rate['high']})."]


def _rows(summary: dict[str, Any]) -> list[str]:
    """A table of the first flagged rows, under a line that says how many there are."""
    shown = [example for example in summary["examples"] if example["flagged"]][:SHOWN]
    if not shown:
        return []
    found, row = summary["flagged"]["count"], wording(summary).row
    which = "The flagged" if found == len(shown) else f"The first {len(shown)} of {count(found)}"
    title = f"**{which} {row}{'' if found == 1 else 's'}**"
    columns = _columns(shown, row)
    return [title, markdown_table(list(columns), zip(*columns.values(), strict=True))]


def _columns(shown: list[dict[str, Any]], row: str) -> dict[str, list[str]]:
    """The cells of each column; what is not a row of the table has a name and no number."""
    columns = {row: [str(example["row"]) for example in shown]} if row == "row" else {}
    if any(example["id"] is not None for example in shown):
        columns["id" if row == "row" else row] = [as_code(example["id"]) for example in shown]
    return columns | {
        "label": [as_code(example["label"]) for example in shown],
        "suggested": [as_code(example["suggested"]) for example in shown],
        "p wrong": [probability(example["p_wrong"]) for example in shown],
        "why": [as_prose(" ".join(example["reasons"][:1])) for example in shown],
    }
