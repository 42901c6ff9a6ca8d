"""What the page of an audit of classes shows besides what every page does."""

from typing import Any

from . import _charts, _classes, _map, _stretches, _words
from ._packing import listed_rows, with_pictures

CLASS_KEYS = (
    *("label", "classes", "hypotheses", "alternatives", "per_class", "confusion", "transition"),
    *("histogram", "map", "duplicates", "duplicates_total", "stretches"),
)


def class_view(summary: dict[str, Any]) -> dict[str, Any]:
    """What the templates show of classes: what follows from the summary."""
    examples, check = listed_rows(summary), _charts.drawn(summary)
    skill, many = summary["has_skill"], _classes.are_many(summary)
    stretches = summary["stretches"]
    return {
        "hypotheses": _words.hypotheses(summary),
        "curve": _charts.curve(check) if check else None,
        "bars": _charts.histogram(summary["histogram"]),
        "matrix": _classes.matrix(summary),
        "worst": _classes.worst_classes(summary),
        "pairs": _classes.top_pairs(summary),
        "legend": _classes.legend(summary) if summary["map"] else [],
        "are_many": many,
        "map_lead": _map.lead(has_skill=skill, are_many=many),
        "outside": _map.outside(summary["map"]) if summary["map"] else "",
        "figures": _stretches.figures(summary) if skill else [],
        "stretch_listing": stretches
        and _stretches.stretch_listing(stretches, summary["flagged"]["count"]),
        "pictures": _pictures(with_pictures(examples)),
        "pictures_given": _pictures(examples),
    }


def _pictures(examples: list[dict[str, Any]]) -> int:
    return sum(example["image"] is not None for example in examples)
