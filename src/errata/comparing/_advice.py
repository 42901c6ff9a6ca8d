"""What to make of a comparison, in sentences."""

from collections.abc import Iterable
from typing import Any

from .._format import count, listed, percent


def advice(summary: dict[str, Any]) -> str:
    """Which competitor to take, and when a difference is within chance.

    >>> rows = [
    ...     {"name": "SVM", "score": 0.912, "low": 0.88, "high": 0.94, "seconds": 0.2,
    ...      "within_chance": True},
    ...     {"name": "tree", "score": 0.71, "low": 0.66, "high": 0.76, "seconds": 0.1,
    ...      "within_chance": False},
    ... ]
    >>> advice({"competitors": rows, "score": "accuracy"})
    'SVM has the highest estimated accuracy, 91.2% (88.0% to 94.0%), beyond chance.'
    """
    best, *others = summary["competitors"]
    level = f"{best['score']:.1%} ({best['low']:.1%} to {best['high']:.1%})"
    name = best["name"][:1].upper() + best["name"][1:]
    first = f"{name} has the highest {_SCORES[summary['score']]}, {level}"
    equals = [row for row in others if row["within_chance"]]
    if not equals:
        return f"{first}, beyond chance."
    names = _and(row["name"] for row in equals)
    quickest = min([best, *equals], key=lambda row: row["seconds"])
    take = "it is also the quickest of them"
    if quickest is not best:
        take = f"{quickest['name']} is the quickest of them"
    # A list of all of them tells nobody which to leave out.
    if len(equals) == len(others) > 1:
        return f"{first}, but all {count(len(others) + 1)} are within chance of it; {take}."
    return f"{first}; its lead over {names} is within chance; {take}."


def basis(summary: dict[str, Any]) -> str:
    """What the scores stand on: how many labels may be wrong, and whether anybody can tell."""
    rate = summary["noise_rate"]
    if summary["score"] == "agreement":
        return (
            "The columns do not tell the labels apart, so nobody can say which labels are wrong: "
            "competitors are ranked by how often they agree with the labels."
        )
    return (
        f"About {percent(rate['estimate'])} of the labels are wrong "
        f"({percent(rate['low'])} to {percent(rate['high'])}), by an audit of the table. The "
        "accuracy is that on the class: each prediction counts by the probability that it is right."
    )


def _and(names: Iterable[str], most: int = 4) -> str:
    """The first names, joined as people join them.

    >>> _and(["tree"]), _and(["tree", "SVM"]), _and("abcdef")
    ('tree', 'tree and SVM', 'a, b, c, d and 2 more')
    """
    *first, last = names
    if len(first) < most:
        return f"{', '.join(first)} and {last}" if first else last
    return listed([*first, last], most=most)


_SCORES = {"accuracy": "estimated accuracy", "agreement": "agreement with the labels"}
