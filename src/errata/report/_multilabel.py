"""The page of an audit of several labels per row: labels with both ways to be wrong."""

from typing import Any

from .._format import percent, plural
from . import _charts
from ._render import build_cards

ENDS = (0.1, 0.25, 0.5, 1.0)  # of the axis of rates
WAYS = ("missing", "wrongly_set")


def build_multilabel_view(summary: dict[str, Any]) -> dict[str, Any]:
    """All that the templates show of several labels per row, as it follows from the summary."""
    end = choose_axis_end(summary["per_label"])
    return {
        "bars": _charts.draw_histogram(summary["histogram"]),
        "cards": _build_cards(summary),
        "label_lines": [_draw_label(line, end) for line in sort_labels(summary["per_label"])],
        "axis": [percent(end * part) for part in (0, 0.5, 1)],
        "label_lead": describe_labels(summary),
        "pictures": 0,
        "pictures_given": 0,
    }


def sort_labels(per_label: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Labels with the most wrong cells first, those that cannot be judged last."""
    return sorted(per_label, key=lambda line: (not line["has_skill"], -line["rate"]["estimate"]))


def choose_axis_end(per_label: list[dict[str, Any]]) -> float:
    """Where the axis of rates ends: a round number beyond all intervals."""
    highest = max(
        (line[way]["high"] for line in per_label if line["has_skill"] for way in WAYS), default=0.0
    )
    return next(end for end in ENDS if end >= min(highest, 1.0))


def describe_labels(summary: dict[str, Any]) -> str:
    """How often labels are missing and wrongly set, in words.

    >>> rate = {"estimate": 0.1, "low": 0.05, "high": 0.2}
    >>> describe_labels({"missing": rate, "wrongly_set": rate})
    'Of the labels that should be set, about 10% are missing (5.0% to 20%); of those that are \
set, about 10% should not be (5.0% to 20%).'
    """
    missing, wrongly_set = (_format_interval(summary[way]) for way in WAYS)
    return (
        f"Of the labels that should be set, about {missing[0]} are missing ({missing[1]}); of "
        f"those that are set, about {wrongly_set[0]} should not be ({wrongly_set[1]})."
    )


def _format_interval(rate: dict[str, float]) -> tuple[str, str]:
    return percent(rate["estimate"]), f"{percent(rate['low'])} to {percent(rate['high'])}"


def _draw_label(line: dict[str, Any], end: float) -> dict[str, Any]:
    """A label with the places of dots and intervals, in percent of the axis."""
    return line | {
        way: line[way]
        | {
            "dot": round(100 * line[way]["estimate"] / end, 1),
            "start": round(100 * line[way]["low"] / end, 1),
            "length": round(100 * (line[way]["high"] - line[way]["low"]) / end, 1),
        }
        for way in WAYS
    }


def _build_cards(summary: dict[str, Any]) -> list[dict[str, str]]:
    """Key figures; rows are flagged, and labels of rows are wrong."""
    wrong, rows, right, found = build_cards(summary)
    flagged = summary["flagged"]["count"]
    n = summary["table_rows"]
    cells = plural(summary["flagged_cells"], "label")
    rows["note"] = f"{percent(flagged / n)} of {plural(n, 'row')}; {cells} in them"
    plain = [
        {k: text.replace(", set or not,", "") for k, text in c.items()} for c in (wrong, found)
    ]
    return [plain[0], rows, right, plain[1]]
