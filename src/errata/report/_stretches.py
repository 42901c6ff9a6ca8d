"""Stretches of wrong labels as the page draws them: signals, and two bands of names under them."""

from math import ceil, floor, log10
from typing import Any

from .._format import count, percent, plural
from ._classes import COLOURS, colours

MARKS, FINE_MARKS = 6, 30  # of the axis, about; the second when the reader has zoomed in
EDGE = 2.0  # percent of the window without marks, at either end


def stretch_listing(stretches: dict[str, Any], flagged: int) -> str:
    """How many stretches there are, and how many of them are drawn.

    >>> stretch_listing({"count": 64, "recordings": 6, "worst": [{}] * 20}, 1218)
    '64 stretches in 6 recordings, 1,218 flagged rows in all; the worst 20 are drawn.'
    """
    found, drawn = stretches["count"], len(stretches["worst"])
    if not found:
        return f"No stretch of the {plural(stretches['recordings'], 'recording')} looks wrong."
    rows = plural(flagged, "flagged row")
    where = plural(stretches["recordings"], "recording")
    rest = "" if drawn == found else f"; the worst {count(drawn)} are drawn"
    return f"{plural(found, 'stretch', 'stretches')} in {where}, {rows} in all{rest}."


def figures(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """One dict for each stretch that is drawn, with places in percent of its window."""
    if not summary["stretches"]:
        return []
    colour = dict(zip(summary["classes"], colours(summary), strict=True))
    return [_figure(trace, colour) for trace in summary["stretches"]["worst"]]


def _figure(trace: dict[str, Any], colour: dict[str, int]) -> dict[str, Any]:
    return {
        **{key: trace[key] for key in ("recording", "label", "suggested", "rows")},
        "where": _where(trace),
        "chance": percent(trace["p_wrong"]),
        "left": round(100 * trace["from"], 3),
        "width": round(100 * (trace["to"] - trace["from"]), 3),
        "lanes": [
            {"name": line["name"], "low": f"{line['low']:.3g}", "high": f"{line['high']:.3g}"}
            | {"points": _points(line["x"], line["y"])}
            for line in trace["signals"]
        ],
        "labels": _pieces(trace["labels"], colour),
        "suggestions": _pieces(trace["suggestions"], colour),
        "marks": marks(trace["axis"]["first"], trace["axis"]["last"]),
        "axis": trace["axis"]["name"] or "row of the recording",
    }


def _where(trace: dict[str, Any]) -> str:
    if trace["rows"] == 1:
        return f"row {trace['start']}"
    return f"rows {trace['start']} to {trace['end']} ({count(trace['rows'])})"


def _points(x: list[float], y: list[float]) -> str:
    """The points of an SVG line, 1,000 wide and 100 high."""
    return " ".join(f"{1000 * a:.4g},{100 - 100 * b:.3g}" for a, b in zip(x, y, strict=True))


def _pieces(bands: list[dict[str, Any]], colour: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {
            "name": band["name"],
            "colour": colour.get(band["name"], COLOURS),
            "left": round(100 * band["at"], 3),
            "width": round(100 * band["width"], 3),
        }
        for band in bands
    ]


def marks(first: float, last: float) -> list[dict[str, Any]]:
    """Round numbers from ``first`` to ``last``, those for a closer look marked as fine.

    >>> [mark["text"] for mark in marks(0.3, 12.1) if not mark["fine"]]
    ['2', '4', '6', '8', '10']
    """
    wide = last - first
    if not wide > 0:
        return []
    coarse, fine = _step(wide / MARKS), _step(wide / FINE_MARKS)
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


def _step(rough: float) -> float:
    power = 10.0 ** floor(log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
