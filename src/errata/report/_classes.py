"""What the page shows of the classes: all of a few, the worst of many."""

from collections import Counter
from typing import Any

from .._format import count, percent

# So many still fit on a screen.
MOST_CLASSES = 20
MOST_CONFUSED = 15
MOST_PAIRS = 12

# As many as the style sheet's scheme for colour-blind readers has, besides its gray.
COLOURS = 9

# Full colour stands for at least this much noise, so that a nearly clean table looks clean.
FULL_COLOUR = 0.05


def matrix(summary: dict[str, Any]) -> dict[str, Any] | None:
    """The noise matrix if it can be read; of many classes, counts of the most confused ones.

    Lines are classes, columns labels. None where there is nothing to show.
    """
    transition, classes = summary["transition"], summary["classes"]
    if transition is not None and len(classes) <= MOST_CLASSES:
        return fraction_matrix(classes, transition)
    names = _most_confused(summary["confusion"])
    if not names:
        return None
    counts = _counts(summary["confusion"], names)
    return _drawn_matrix(names, counts, _count, 1) | {"of_flagged": True}


def fraction_matrix(names: list[str], lines: list[list[float]]) -> dict[str, Any]:
    """A matrix whose lines are classes, and whose columns the fractions of each label."""
    return _drawn_matrix(names, lines, _fraction, FULL_COLOUR)


def _drawn_matrix(names: list[str], lines: list[list], text: Any, least: float) -> dict[str, Any]:
    """Cells with text and a strength of colour: full for ``least`` or the largest mistake."""
    most = max([least, *(p for i, line in enumerate(lines) for j, p in enumerate(line) if i != j)])
    return {
        "names": names,
        "lines": [
            {
                "class": names[i],
                "cells": [
                    {"text": text(p), "right": i == j, "strength": round(p / most, 3)}
                    for j, p in enumerate(line)
                ],
            }
            for i, line in enumerate(lines)
        ],
        "is_tall": len(names) > 6 and max(len(str(name)) for name in names) > 6,
        "of_flagged": False,
    }


def _fraction(part: float) -> str:
    """A dot for next to nothing, so that the eye finds the mistakes."""
    return percent(part) if part >= 0.001 else "·"


def _count(rows: int) -> str:
    return count(rows) if rows else "·"


def _most_confused(confusion: list[dict[str, Any]]) -> list[str]:
    """The classes of the most frequent pairs, as many as can be read."""
    names: dict[str, None] = {}
    for pair in sorted(confusion, key=lambda pair: -pair["count"]):
        both = dict.fromkeys((pair["label"], pair["suggested"]))
        if len(names | both) <= MOST_CONFUSED:
            names |= both
    return list(names)


def _counts(confusion: list[dict[str, Any]], names: list[str]) -> list[list[int]]:
    """How many flagged rows look like a class (line) and carry a label (column)."""
    rows = {(pair["suggested"], pair["label"]): pair["count"] for pair in confusion}
    return [[rows.get((line, column), 0) for column in names] for line in names]


def worst_classes(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The labels with the most errors, each with a bar for its rate."""
    return _scaled(_ranked(summary)[:MOST_CLASSES], "rate")


def listed_classes(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """All labels, the worst first, where they are too many to show at once."""
    lines = _ranked(summary)
    return lines if len(lines) > MOST_CLASSES and summary["has_skill"] else []


def _ranked(summary: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(summary["per_class"], key=lambda line: -line["expected_wrong"])


def top_pairs(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The pairs of label and suggestion that occur most often among the flagged rows."""
    ordered = sorted(summary["confusion"], key=lambda pair: -pair["count"])
    return _scaled(ordered[:MOST_PAIRS], "count")


def are_many(summary: dict[str, Any]) -> bool:
    """Whether there are more classes than colours, so that the map colours flagged rows alone."""
    return len(summary["classes"]) > COLOURS + 1


def colours(summary: dict[str, Any]) -> list[int]:
    """A colour number for each class, the most frequent first; ``COLOURS`` is the shared gray."""
    seen = _seen(summary)
    many = are_many(summary)
    order = sorted(range(len(summary["classes"])), key=lambda code: -seen[code])
    place = {
        code: COLOURS if many and not seen[code] else min(rank, COLOURS)
        for rank, code in enumerate(order)
    }
    return [place[code] for code in range(len(order))]


def _seen(summary: dict[str, Any]) -> Counter:
    """How often the map shows each class: of many, as label or suggestion of a flagged row."""
    points = summary["map"]
    if not points:
        return Counter()
    if not are_many(summary):
        return Counter(points["label"])
    codes = zip(points["label"], points["suggested"], points["flagged"], strict=True)
    return Counter(code for label, suggested, flag in codes if flag for code in {label, suggested})


def legend(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The classes that have a colour of their own on the map, by colour."""
    many = are_many(summary)
    keys = [
        {"code": code, "colour": colour, "name": name}
        for code, (name, colour) in enumerate(
            zip(summary["classes"], colours(summary), strict=True)
        )
        if colour < COLOURS or not many
    ]
    return sorted(keys, key=lambda key: key["colour"])


def _scaled(lines: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Each line with the length of its bar, in percent of the longest."""
    most = max((line[name] for line in lines), default=0) or 1
    return [{**line, "bar": round(100 * line[name] / most, 1)} for line in lines]
