"""The page of an audit of numeric targets: charts as places in percent of the plot."""

from typing import Any

from .._format import count, number, plural
from . import _charts
from ._charts import Axis, make_axis

KINDS_OF_ERROR = {
    "swap": "like the value of another row",
    "gross": "far from what any such row has",
    "unclear": "off, without it being clear how",
}
ROW = ("row", "target", "predicted", "flagged")  # of each point


def build_target_view(summary: dict[str, Any]) -> dict[str, Any]:
    """All that the templates show of numeric targets, as it follows from the summary."""
    skill = summary["has_skill"]
    return {
        "bars": _charts.draw_histogram(summary["histogram"]),
        "fit": _draw_fit(summary) if skill else None,
        "residuals": _draw_residuals(summary) if skill else None,
        "kinds_of_error": _describe_errors(summary),
        "pictures": 0,
        "pictures_given": 0,
    }


def _describe_errors(summary: dict[str, Any]) -> list[str]:
    """How many flagged targets look like what, in words."""
    kinds = sorted(summary["error_kinds"].items(), key=lambda pair: -pair[1])
    sentences = [
        f"{count(number)} {'is' if number == 1 else 'are'} {KINDS_OF_ERROR[kind]}"
        for kind, number in kinds
    ]
    return [f"{words}." for words in (*summary["hints"], *sentences)]


def _are_log_axes(summary: dict[str, Any]) -> bool:
    """Whether axes are of logarithms, as the noise is: nought and less have no place on them."""
    points = summary["points"]
    band = summary["band"]
    lows = [f + below for f, below in zip(band["predicted"], band["below"], strict=True)]
    drawn = (*points["target"], *points["predicted"], *points["low"], *lows)
    return summary["noise"]["on_log_scale"] and min(drawn) > 0


def _draw_fit(summary: dict[str, Any]) -> dict[str, Any]:
    """Recorded against expected; flagged rows with the interval in which a right value lies."""
    points = summary["points"]
    logs = _are_log_axes(summary)
    drawn = [
        *(p for p, flagged in zip(points["target"], points["flagged"], strict=True) if not flagged),
        *points["predicted"],
    ]
    axis = make_axis(drawn, logs=logs)
    rows = list(zip(*(points[n] for n in (*ROW, "low", "high")), strict=True))
    return {
        "ticks": axis.ticks(),
        "rest": _draw_dots(
            (axis.at(f), axis.at(y)) for _, y, f, flagged, *_ in rows if not flagged
        ),
        "flagged": [
            _draw_mark(row, axis.at(f), axis.at(y), _describe_row(row, y, f))
            | {"low": _clip_place(100 - axis.at(high)), "high": _clip_place(100 - axis.at(low))}
            for row, y, f, flagged, low, high in rows
            if flagged
        ],
        "diagonal": "M0 100L100 0",
        "outside": _describe_outside(
            sum(not 0 <= axis.at(y) <= 100 for _, y, _, flag, *_ in rows if flag)
        ),
    }


def _draw_residuals(summary: dict[str, Any]) -> dict[str, Any]:
    """Recorded less expected by expected numbers, and where right values lie."""
    points = summary["points"]
    band = summary["band"]
    logs = _are_log_axes(summary)
    rows = list(zip(*(points[name] for name in ROW), strict=True))
    away = [y / f if logs else y - f for _, y, f, _ in rows]
    rest = [a for a, (*_, flagged) in zip(away, rows, strict=True) if not flagged]
    edges = [
        [(f + a) / f if logs else a for f, a in zip(band["predicted"], band[name], strict=True)]
        for name in ("below", "above")
    ]
    across = make_axis([*points["predicted"], *band["predicted"]], logs=logs)
    up = make_axis([*rest, *edges[0], *edges[1]], logs=logs)
    there = list(zip(rows, away, strict=True))
    return {
        "x_ticks": across.ticks(),
        "y_ticks": up.ticks(),
        "zero": round(100 - up.at(1.0 if logs else 0.0), 2),
        "band": _draw_polygon(across, up, band["predicted"], edges),
        "rest": _draw_dots((across.at(f), up.at(a)) for (_, _, f, flag), a in there if not flag),
        "flagged": [
            _draw_mark(row, across.at(f), up.at(a), _describe_row(row, y, f))
            for (row, y, f, flagged), a in there
            if flagged
        ],
        "title": "Recorded divided by expected" if logs else "Recorded minus expected",
    }


def _draw_polygon(across: Axis, up: Axis, x: list[float], edges: list[list[float]]) -> str:
    """The band from edge to edge, there and back."""
    there = [*zip(x, edges[0], strict=True), *reversed(list(zip(x, edges[1], strict=True)))]
    return " ".join(f"{across.at(f):.2f},{100 - up.at(away):.2f}" for f, away in there)


def _draw_dots(places: Any) -> str:
    """One path for many dots: lines of no length, which round caps make visible at any width."""
    return "".join(f"M{x:.1f} {100 - y:.1f}h0" for x, y in places)


def _draw_mark(row: int, x: float, y: float, text: str) -> dict[str, Any]:
    """A flagged row: a dot, or where it is outside of the plot, a triangle at its border."""
    beyond = "up" if y > 100 else "down" if y < 0 else ""
    return {"row": row, "x": round(x, 2), "y": round(_clip_place(100 - y), 2), "beyond": beyond} | {
        "text": text
    }


def _clip_place(place: float) -> float:
    return round(min(max(place, 0.0), 100.0), 2)


def _describe_row(row: int, target: float, predicted: float) -> str:
    return f"Row {row}: {number(target, 6)} recorded, {number(predicted)} expected"


def _describe_outside(rows: int) -> str:
    if not rows:
        return ""
    lie, are = ("lies", "is") if rows == 1 else ("lie", "are")
    return f"{plural(rows, 'flagged row')} {lie} beyond the plot and {are} drawn at its border."
