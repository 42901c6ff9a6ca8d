"""What the page says in words, and an audit in Markdown."""

from typing import Any

from .._format import (
    as_code,
    as_prose,
    capitalise,
    count,
    markdown_table,
    percent,
    plural,
    probability,
)
from .._sentences import answer, anything, finds_errors, notes, overlooked, tell_why, wording

SHOWN = 10  # rows; the report has the rest


def describe_listing(summary: dict[str, Any]) -> str:
    """Which rows the list of examples holds, and how many of them are flagged.

    >>> rows = [{"flagged": True}, {"flagged": True}, {"flagged": False}]
    >>> describe_listing({"examples": rows, "flagged": {"count": 2}})
    'The 3 most suspicious rows, 2 of them flagged.'
    """
    examples = summary["examples"]
    flagged = summary["flagged"]["count"]
    row = wording(summary).row
    here = sum(example["flagged"] for example in examples)
    if here == flagged == len(examples):
        return f"The flagged {row}." if flagged == 1 else f"The {count(flagged)} flagged {row}s."
    rows = plural(len(examples), f"most suspicious {row}")
    if here == flagged:
        return f"The {rows}, {count(here)} of them flagged."
    return f"The {rows}, with {count(here)} of the {count(flagged)} flagged ones."


def build_cards(summary: dict[str, Any]) -> list[dict[str, str]]:
    """The key figures: a name, a number, and what to make of it."""
    flagged = summary["flagged"]
    rows = summary["rows"]
    words = wording(summary)
    part = percent(flagged["count"] / rows if rows else None)
    return [
        _build_rate_card(summary),
        {
            "name": f"{capitalise(words.row)}s flagged",
            "figure": count(flagged["count"]),
            "note": f"{part} of {plural(rows, words.row)}",
        },
        {
            "name": "Flags that are right",
            **_build_fraction_card(
                flagged["expected_precision"], f"of the flagged {words.row}s are wrong"
            ),
        },
        {
            "name": "Errors that are flagged",
            **_build_fraction_card(flagged["expected_recall"], f"of the wrong {words.nouns}"),
        },
    ]


def _build_rate_card(summary: dict[str, Any]) -> dict[str, str]:
    rate = summary["noise_rate"]
    judged = capitalise(wording(summary).nouns)
    if not summary["has_skill"]:
        return {"name": f"{judged} wrong", "figure": "unknown", "note": anything(summary)}
    return {
        "name": f"{judged} {'probably' if finds_errors(summary) else 'perhaps'} wrong",
        "figure": percent(rate["estimate"]),
        "note": f"between {percent(rate['low'])} and {percent(rate['high'])}",
    }


def _build_fraction_card(fraction: float | None, of: str) -> dict[str, str]:
    note = "no row is flagged" if fraction is None else f"{of}, we expect"
    return {"figure": percent(fraction), "note": note}


def summary_in_markdown(summary: dict[str, Any]) -> str:
    """The answer, the noise rate with its interval, notes, and the most suspicious rows."""
    check = summary["self_check"]
    rate = {name: percent(summary["noise_rate"][name]) for name in ("estimate", "low", "high")}
    interval = f"Noise rate: {rate['estimate']} ({rate['low']} to {rate['high']})."
    told = [
        *([interval] if summary["has_skill"] else []),
        *([f"Self-check: {check['sentence']}"] if check else []),
        *overlooked(summary),
        *(f"Note: {note}" for note in notes(summary)),
    ]
    parts = [
        f"## Audit of {as_code(summary['title'])}",
        f"**{as_prose(answer(summary))}**",
        "\n".join(f"- {as_prose(line)}" for line in told),
        *_format_rows(summary),
        *_format_values(summary.get("by")),
    ]
    return "\n\n".join(part for part in parts if part)


def _format_values(by: dict[str, Any] | None) -> list[str]:
    """A table of the noisiest values of a column, and who stands out."""
    if not by:
        return []
    lines = [
        (
            as_code(value["value"]),
            count(value["rows"]),
            f"{percent(value['rate'])} ({percent(value['low'])} to {percent(value['high'])})",
            count(value["flagged"]),
        )
        for value in by["values"][:SHOWN]
    ]
    table = markdown_table(["value", "rows", "noise rate", "flagged"], lines)
    sentence = [as_prose(by["sentence"])] if by["sentence"] else []
    return [f"**By {as_code(by['column'])}**", table, *sentence]


def _format_rows(summary: dict[str, Any]) -> list[str]:
    """A table of the first flagged rows, under a line that says how many there are."""
    shown = [example for example in summary["examples"] if example["flagged"]][:SHOWN]
    if not shown:
        return []
    found = summary["flagged"]["count"]
    row = wording(summary).row
    which = "The flagged" if found == len(shown) else f"The first {len(shown)} of {count(found)}"
    title = f"**{which} {row}{'' if found == 1 else 's'}**"
    columns = _format_columns(shown, row)
    return [title, markdown_table(list(columns), zip(*columns.values(), strict=True))]


def _format_columns(shown: list[dict[str, Any]], row: str) -> dict[str, list[str]]:
    """The cells of each column; what is not a row of the table has a name and no number."""
    columns = {row: [str(example["row"]) for example in shown]} if row == "row" else {}
    if any(example["id"] is not None for example in shown):
        columns["id" if row == "row" else row] = [as_code(example["id"]) for example in shown]
    return columns | {
        "label": [as_code(example["label"]) for example in shown],
        "suggested": [as_code(example["suggested"]) for example in shown],
        "p wrong": [probability(example["p_wrong"]) for example in shown],
        "why": [as_prose(tell_why(example)) for example in shown],
    }
