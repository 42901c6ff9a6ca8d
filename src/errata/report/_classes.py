"""The page of an audit of classes or votes: few classes or the worst, stretches."""

from collections import Counter
from math import ceil, floor, log10
from typing import Any

from .._format import count, percent, plural
from . import _charts
from ._charts import get_drawn_check, thin_curve
from ._packing import Codes, get_listed_rows, limit_pictures, pack_list

# So many still fit on a screen.
MOST_CLASSES = 20
MOST_CONFUSED = 15
MOST_PAIRS = 12

# As many as the style sheet's scheme for colour-blind readers has, besides its gray.
COLOURS = 9

# Full colour stands for at least this much noise, so that a nearly clean table looks clean.
FULL_COLOUR = 0.05

# of the axis, about; the second when the reader has zoomed in
MARKS = 6
FINE_MARKS = 30
EDGE = 2.0  # percent of the window without marks, at either end

HYPOTHESES = {
    "none": "no noise, the classes overlap",
    "uniform": "labels wrong uniformly at random",
    "pattern": "some classes wrong more often",
    "class to class": "classes flow into others",
    "boundary": "wrong where classes meet",
    "votes as weighed": "votes count as much as they predict each other",
    "votes worth less": "votes count half as much",
    "votes worth more": "votes count twice as much",
}


METHOD = (
    "How often each annotator is right with each class was learnt from the votes of all others, "
    "and the probability of each class computed from the votes of the item, each weighed by its "
    "annotator."
)
WITH_TABLE = (
    " Models of the table, which predicted every item without having been fitted to it, say how "
    "probable each class is before anybody votes."
)
CLEANING = (
    "writes the items with their label: the consensus where the majority is probably wrong; an "
    "item without one is left out"
)
IN_FULL = 0.95  # weight of a vote from which it is said to count in full


def build_class_view(summary: dict[str, Any]) -> dict[str, Any]:
    """All that the templates show of classes, as it follows from the summary."""
    examples = get_listed_rows(summary)
    check = _charts.get_drawn_check(summary)
    skill = summary["has_skill"]
    many = are_many(summary)
    stretches = summary["stretches"]
    return {
        "hypotheses": describe_hypotheses(summary),
        "curve": _charts.draw_curve(check) if check else None,
        "bars": _charts.draw_histogram(summary["histogram"]),
        "matrix": draw_matrix(summary),
        "worst": rank_worst_classes(summary),
        "pairs": rank_pairs(summary),
        "legend": make_legend(summary) if summary["map"] else [],
        "are_many": many,
        "map_lead": describe_map(has_skill=skill, are_many=many),
        "outside": describe_outside(summary["map"]) if summary["map"] else "",
        "figures": draw_figures(summary) if skill else [],
        "stretch_listing": stretches and describe_stretches(stretches, summary["flagged"]["count"]),
        "pictures": sum(example["image"] is not None for example in limit_pictures(examples)),
        "pictures_given": sum(example["image"] is not None for example in examples),
    }


def describe_hypotheses(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The kinds of noise in words, each with its weight and its rate; none without skill."""
    if not summary["has_skill"]:
        return []
    return [
        {**each, "kind": HYPOTHESES.get(each["kind"], each["kind"])}
        for each in summary["hypotheses"]
    ]


def draw_matrix(summary: dict[str, Any]) -> dict[str, Any] | None:
    """The noise matrix if it can be read; of many classes, counts of the most confused ones.

    Lines are classes, columns labels. None where there is nothing to show.
    """
    transition = summary["transition"]
    classes = summary["classes"]
    if transition is not None and len(classes) <= MOST_CLASSES:
        return draw_fractions(classes, transition)
    names = _find_most_confused(summary["confusion"])
    if not names:
        return None
    # How many flagged rows look like a class (line) and carry a label (column).
    rows = {(pair["suggested"], pair["label"]): pair["count"] for pair in summary["confusion"]}
    counts = [[rows.get((line, column), 0) for column in names] for line in names]
    matrix = _draw_cells(names, counts, lambda n: count(n) if n else "·", 1)
    return matrix | {"of_flagged": True}


def draw_fractions(names: list[str], lines: list[list[float]]) -> dict[str, Any]:
    """A matrix whose lines are classes, and whose columns the fractions of each label."""
    # A dot for next to nothing, so that the eye finds the mistakes.
    return _draw_cells(names, lines, lambda p: percent(p) if p >= 0.001 else "·", FULL_COLOUR)


def _draw_cells(names: list[str], lines: list[list], text: Any, least: float) -> dict[str, Any]:
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


def _find_most_confused(confusion: list[dict[str, Any]]) -> list[str]:
    """The classes of the most frequent pairs, as many as can be read."""
    names: dict[str, None] = {}
    for pair in sorted(confusion, key=lambda pair: -pair["count"]):
        both = dict.fromkeys((pair["label"], pair["suggested"]))
        if len(names | both) <= MOST_CONFUSED:
            names |= both
    return list(names)


def rank_worst_classes(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The labels with the most errors, each with a bar for its rate."""
    return _scale_bars(_rank_classes(summary)[:MOST_CLASSES], "rate")


def list_classes(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """All labels, the worst first, where they are too many to show at once."""
    lines = _rank_classes(summary)
    return lines if len(lines) > MOST_CLASSES and summary["has_skill"] else []


def _rank_classes(summary: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(summary["per_class"], key=lambda line: -line["expected_wrong"])


def rank_pairs(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The pairs of label and suggestion that occur most often among the flagged rows."""
    ordered = sorted(summary["confusion"], key=lambda pair: -pair["count"])
    return _scale_bars(ordered[:MOST_PAIRS], "count")


def are_many(summary: dict[str, Any]) -> bool:
    """Whether there are more classes than colours, so that the map colours flagged rows alone."""
    return len(summary["classes"]) > COLOURS + 1


def choose_colours(summary: dict[str, Any]) -> list[int]:
    """A colour number for each class, the most frequent first; ``COLOURS`` is the shared gray."""
    seen = _count_seen(summary)
    many = are_many(summary)
    order = sorted(range(len(summary["classes"])), key=lambda code: -seen[code])
    place = {
        code: COLOURS if many and not seen[code] else min(rank, COLOURS)
        for rank, code in enumerate(order)
    }
    return [place[code] for code in range(len(order))]


def _count_seen(summary: dict[str, Any]) -> Counter:
    """How often the map shows each class: of many, as label or suggestion of a flagged row."""
    points = summary["map"]
    if not points:
        return Counter()
    if not are_many(summary):
        return Counter(points["label"])
    codes = zip(points["label"], points["suggested"], points["flagged"], strict=True)
    return Counter(code for label, suggested, flag in codes if flag for code in {label, suggested})


def make_legend(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The classes that have a colour of their own on the map, by colour."""
    many = are_many(summary)
    keys = [
        {"code": code, "colour": colour, "name": name}
        for code, (name, colour) in enumerate(
            zip(summary["classes"], choose_colours(summary), strict=True)
        )
        if colour < COLOURS or not many
    ]
    return sorted(keys, key=lambda key: key["colour"])


def _scale_bars(lines: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Each line with the length of its bar, in percent of the longest."""
    most = max((line[name] for line in lines), default=0) or 1
    return [{**line, "bar": round(100 * line[name] / most, 1)} for line in lines]


def describe_stretches(stretches: dict[str, Any], flagged: int) -> str:
    """How many stretches there are, and how many of them are drawn.

    >>> describe_stretches({"count": 64, "recordings": 6, "worst": [{}] * 20}, 1218)
    '64 stretches in 6 recordings, 1,218 flagged rows in all; the worst 20 are drawn.'
    """
    found = stretches["count"]
    drawn = len(stretches["worst"])
    if not found:
        return f"No stretch of the {plural(stretches['recordings'], 'recording')} looks wrong."
    rows = plural(flagged, "flagged row")
    where = plural(stretches["recordings"], "recording")
    rest = "" if drawn == found else f"; the worst {count(drawn)} are drawn"
    return f"{plural(found, 'stretch', 'stretches')} in {where}, {rows} in all{rest}."


def draw_figures(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """One dict for each stretch that is drawn, with places in percent of its window."""
    if not summary["stretches"]:
        return []
    colour = dict(zip(summary["classes"], choose_colours(summary), strict=True))
    return [_draw_figure(trace, colour) for trace in summary["stretches"]["worst"]]


def _draw_figure(trace: dict[str, Any], colour: dict[str, int]) -> dict[str, Any]:
    return {
        **{key: trace[key] for key in ("recording", "label", "suggested", "rows")},
        "where": _describe_rows(trace),
        "chance": percent(trace["p_wrong"]),
        "left": round(100 * trace["from"], 3),
        "width": round(100 * (trace["to"] - trace["from"]), 3),
        "lanes": [
            {"name": line["name"], "low": f"{line['low']:.3g}", "high": f"{line['high']:.3g}"}
            | {"points": _format_points(line["x"], line["y"])}
            for line in trace["signals"]
        ],
        "labels": _draw_pieces(trace["labels"], colour),
        "suggestions": _draw_pieces(trace["suggestions"], colour),
        "marks": choose_marks(trace["axis"]["first"], trace["axis"]["last"]),
        "axis": trace["axis"]["name"] or "row of the recording",
    }


def _describe_rows(trace: dict[str, Any]) -> str:
    if trace["rows"] == 1:
        return f"row {trace['start']}"
    return f"rows {trace['start']} to {trace['end']} ({count(trace['rows'])})"


def _format_points(x: list[float], y: list[float]) -> str:
    """The points of an SVG line, 1,000 wide and 100 high."""
    return " ".join(f"{1000 * a:.4g},{100 - 100 * b:.3g}" for a, b in zip(x, y, strict=True))


def _draw_pieces(bands: list[dict[str, Any]], colour: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {
            "name": band["name"],
            "colour": colour.get(band["name"], COLOURS),
            "left": round(100 * band["at"], 3),
            "width": round(100 * band["width"], 3),
        }
        for band in bands
    ]


def choose_marks(first: float, last: float) -> list[dict[str, Any]]:
    """Round numbers from ``first`` to ``last``, those for a closer look marked as fine.

    >>> [mark["text"] for mark in choose_marks(0.3, 12.1) if not mark["fine"]]
    ['2', '4', '6', '8', '10']
    """
    wide = last - first
    if not wide > 0:
        return []
    coarse = _choose_step(wide / MARKS)
    fine = _choose_step(wide / FINE_MARKS)
    decimals = max(0, -floor(log10(fine)))
    found = []
    for place in range(ceil(first / fine), floor(last / fine) + 1):
        value = place * fine
        at = 100 * (value - first) / wide
        if not EDGE <= at <= 100 - EDGE:  # the frame would cut it
            continue
        is_fine = abs(value / coarse - round(value / coarse)) > 1e-6
        text = f"{value:.{decimals if is_fine else max(0, -floor(log10(coarse)))}f}"
        found.append({"at": round(at, 3), "text": text, "fine": is_fine})
    return found


def _choose_step(rough: float) -> float:
    power = 10.0 ** floor(log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)


def describe_map(*, has_skill: bool, are_many: bool) -> str:
    """How to read the map; ``are_many`` if there are more classes than colours."""
    if are_many and has_skill:
        hint = "flagged rows have colours: their label inside, what they look like as a ring."
    elif are_many:
        hint = "choose a label to see where its rows lie."
    elif has_skill:
        hint = (
            "colours are labels, rings are flagged rows. A ring among dots of another colour is "
            "what an error looks like."
        )
    else:
        hint = (
            "colours are labels. Where they do not keep apart, the columns do not tell them apart."
        )
    return f"Similar rows lie close together; {hint}"


def describe_outside(points: dict[str, list]) -> str:
    """A sentence about the triangles at the border; empty where there is none."""
    far = len(_charts.pack_map(points)["outside"])
    if not far:
        return ""
    left, right = _charts.find_limits(points["x"])
    low, high = _charts.find_limits(points["y"])
    lie = "lies" if far == 1 else "lie"
    return (
        f"{plural(far, 'row')} {lie} outside and {'is' if far == 1 else 'are'} drawn as "
        f"{'a triangle' if far == 1 else 'triangles'} at the border: the map reaches from "
        f"{left:.3g} to {right:.3g} across and from {low:.3g} to {high:.3g} upwards."
    )


def pack_classes(summary: dict[str, Any]) -> dict[str, Any]:
    """Names once, then numbers that refer to them.

    ``names`` holds the classes in their order, then labels that are not a class.
    """
    names = Codes(summary["classes"])
    check = get_drawn_check(summary)
    curve = thin_curve(check) if check else {}
    numbers = ("rows", "expected_wrong", "rate", "flagged")
    return {
        **pack_list(summary, names),
        "curve": {name: [round(value, 4) for value in curve[name]] for name in curve} or None,
        "map": _charts.pack_map(summary["map"]) if summary["map"] else None,
        "colours": choose_colours(summary),
        "are_many": are_many(summary),
        "classes": [  # the script on classes reads the same order
            [names.of(line["class"]), *(round(line[name], 4) for name in numbers)]
            for line in list_classes(summary)
        ],
        "names": list(names),
    }


def build_vote_view(summary: dict[str, Any]) -> dict[str, Any]:
    """All that the templates show of votes, as it follows from the summary."""
    is_drawn = summary["shared"] is not None and len(summary["classes"]) <= MOST_CLASSES
    return build_class_view(summary) | {
        "matrix": None,  # how labels go wrong is what the shared confusion tells
        "shared_matrix": draw_fractions(summary["classes"], summary["shared"])
        if is_drawn
        else None,
        "workers": [_draw_worker(worker) for worker in summary["workers"]],
        "worker_lead": describe_workers(summary),
        "worth_told": describe_worth(summary["worth"]),
        "beside": "who voted what",
        "cleaning": CLEANING,
        "method": METHOD + (WITH_TABLE if summary["worth"]["features"] is not None else ""),
    }


def _draw_worker(worker: dict[str, Any]) -> dict[str, Any]:
    """An annotator with the places of dot and interval, in percent of the axis."""
    low = 100 * worker["low"]
    high = 100 * worker["high"]
    return worker | {
        "dot": round(100 * worker["accuracy"], 1),
        "start": round(low, 1),
        "length": round(high - low, 1),
    }


def describe_workers(summary: dict[str, Any]) -> str:
    """How many annotators are shown, and how many may be guessing.

    >>> describe_workers({"annotators": 200, "workers": [{}] * 60, "guessing": 3})
    'The most accurate first; 60 of 200 annotators are shown. 3 of all may be guessing: their \
votes tell hardly more than chance would.'
    """
    shown = len(summary["workers"])
    guessing = summary["guessing"]
    lead = "The most accurate first"
    if shown < summary["annotators"]:
        lead += f"; {count(shown)} of {count(summary['annotators'])} annotators are shown"
    if not guessing:
        return f"{lead}."
    who = f"{count(guessing)} of all"
    votes = "its votes tell" if guessing == 1 else "their votes tell"
    return f"{lead}. {who} may be guessing: {votes} hardly more than chance would."


def describe_worth(worth: dict[str, Any]) -> str:
    """How much votes count, in words.

    >>> describe_worth({"votes": 20.0, "weight": 0.3, "features": None})
    '20 votes on an item here are worth about 6 that err on their own: annotators err on the same \
items.'
    >>> describe_worth({"votes": 1.0, "weight": 1.0, "features": 0.0})
    'Every vote counts in full. The table tells nothing that votes do not.'
    """
    given = max(round(worth["votes"]), 1)
    weight = worth["weight"]
    features = worth["features"]
    sentence = "Every vote counts in full."
    if weight < IN_FULL:
        worth_of = round(given * weight, 0 if given * weight >= 3 else 1)
        sentence = (
            f"{plural(given, 'vote')} on an item here {'is' if given == 1 else 'are'} worth about "
            f"{count(worth_of)} that err on their own: annotators err on the same items."
        )
    if features is None:
        return sentence
    if features == 0:
        return f"{sentence} The table tells nothing that votes do not."
    models = f"What models say of an item from the table counts with a weight of {features:g}."
    return f"{sentence} {models}"
