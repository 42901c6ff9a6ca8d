"""What the page shows of the classes: all of a few, the worst of many."""

from collections import Counter
from typing import Any

from .._format import percent

# So many still fit on a screen.
MOST_IN_MATRIX = 20
MOST_CLASSES = 30
MOST_PAIRS = 12

# As many as the style sheet's scheme for colour-blind readers has, besides its gray.
COLOURS = 9

# Full colour stands for at least this much noise, so that a nearly clean table looks clean.
FULL_COLOUR = 0.05


def matrix(summary: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The noise matrix, row by row; None where it would be too large to read."""
    transition, classes = summary["transition"], summary["classes"]
    if transition is None or len(classes) > MOST_IN_MATRIX:
        return None
    off = [p for i, line in enumerate(transition) for j, p in enumerate(line) if i != j]
    most = max([*off, FULL_COLOUR])
    return [
        {
            "class": name,
            "cells": [
                {"text": _cell(p), "right": i == j, "strength": round(p / most, 3)}
                for j, p in enumerate(line)
            ],
        }
        for i, (name, line) in enumerate(zip(classes, transition, strict=True))
    ]


def _cell(fraction: float) -> str:
    """A dot for next to nothing, so that the eye finds the mistakes."""
    return percent(fraction) if fraction >= 0.001 else "·"


def long_names(summary: dict[str, Any]) -> bool:
    """Whether the names above the matrix must stand upright to fit."""
    names = summary["classes"]
    return len(names) > 6 and max(len(str(name)) for name in names) > 6


def worst_flows(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The pairs of class and wrong label that are most likely, where the matrix is not shown."""
    if matrix(summary):
        return []
    classes = summary["classes"]
    flows = [
        {"class": classes[i], "label": classes[j], "fraction": fraction}
        for i, line in enumerate(summary["transition"] or [])
        for j, fraction in enumerate(line)
        if i != j and fraction > 0
    ]
    return _scaled(sorted(flows, key=lambda flow: -flow["fraction"])[:MOST_PAIRS], "fraction")


def worst_classes(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The classes with the most wrong labels, each with a bar for its rate."""
    ranked = sorted(summary["per_class"], key=lambda line: -line["expected_wrong"])
    return _scaled(ranked[:MOST_CLASSES], "rate")


def top_pairs(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The pairs of label and suggestion that occur most often among the flagged rows."""
    ranked = sorted(summary["confusion"], key=lambda pair: -pair["count"])
    alone = summary["transition"] is None  # then nothing else says what is mistaken for what
    return _scaled(ranked[: MOST_CLASSES if alone else MOST_PAIRS], "count")


def colours(summary: dict[str, Any]) -> list[int]:
    """A colour number for each class, the largest ones first; ``COLOURS`` is the shared gray."""
    seen = Counter(summary["map"]["label"]) if summary["map"] else Counter()
    order = sorted(range(len(summary["classes"])), key=lambda code: -seen[code])
    place = {code: min(rank, COLOURS) for rank, code in enumerate(order)}
    return [place[code] for code in range(len(order))]


def legend(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The colours of the map with the classes they stand for."""
    classes, of_class = summary["classes"], colours(summary)
    named = {colour: name for name, colour in zip(classes, of_class, strict=True)}
    grays = of_class.count(COLOURS)
    if grays > 1:
        named[COLOURS] = f"{grays} other labels"
    return [{"colour": colour, "name": named[colour]} for colour in sorted(named)]


def _scaled(lines: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Each line with the length of its bar, in percent of the longest."""
    most = max((line[name] for line in lines), default=0) or 1
    return [{**line, "bar": round(100 * line[name] / most, 1)} for line in lines]
