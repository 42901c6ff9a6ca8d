"""What the page of an audit of numeric targets shows: charts as places in percent of the plot."""

from typing import Any

from .._format import count, number, plural
from . import _charts
from ._charts import Axis, around

KINDS_OF_ERROR = {
    "swap": "like the value of another row",
    "gross": "far from what any such row has",
    "unclear": "off, without it being clear how",
}


def target_view(summary: dict[str, Any]) -> dict[str, Any]:
    """What the templates show of numeric targets: what follows from the summary."""
    skill = summary["has_skill"]
    return {
        "bars": _charts.histogram(summary["histogram"]),
        "fit": _fit(summary) if skill else None,
        "residuals": _residuals(summary) if skill else None,
        "kinds_of_error": _kinds_of_error(summary),
        "pictures": 0,
        "pictures_given": 0,
    }


def _kinds_of_error(summary: dict[str, Any]) -> list[str]:
    """How many flagged targets look like what, in words."""
    kinds = sorted(summary["error_kinds"].items(), key=lambda pair: -pair[1])
    told = [
        f"{count(number)} {'is' if number == 1 else 'are'} {KINDS_OF_ERROR[kind]}"
        for kind, number in kinds
    ]
    return [f"{words}." for words in (*summary["hints"], *told)]


def _on_log_axes(summary: dict[str, Any]) -> bool:
    """Whether axes are of logarithms, as the noise is: nought and less have no place on them."""
    points = summary["points"]
    band = summary["band"]
    lows = [f + below for f, below in zip(band["predicted"], band["below"], strict=True)]
    drawn = (*points["target"], *points["predicted"], *points["low"], *lows)
    return summary["noise"]["on_log_scale"] and min(drawn) > 0


def _fit(summary: dict[str, Any]) -> dict[str, Any]:
    """Recorded against expected; flagged rows with the interval in which a right value lies."""
    points = summary["points"]
    logs = _on_log_axes(summary)
    drawn = [
        *(p for p, flagged in zip(points["target"], points["flagged"], strict=True) if not flagged),
        *points["predicted"],
    ]
    axis = around(drawn, logs=logs)
    rows = list(zip(*(points[n] for n in (*_ROW, "low", "high")), strict=True))
    return {
        "ticks": axis.ticks(),
        "rest": _dots((axis.at(f), axis.at(y)) for _, y, f, flagged, *_ in rows if not flagged),
        "flagged": [
            _mark(row, axis.at(f), axis.at(y), _text(row, y, f))
            | {"low": _within(100 - axis.at(high)), "high": _within(100 - axis.at(low))}
            for row, y, f, flagged, low, high in rows
            if flagged
        ],
        "diagonal": "M0 100L100 0",
        "outside": _outside(sum(not 0 <= axis.at(y) <= 100 for _, y, _, flag, *_ in rows if flag)),
    }


_ROW = ("row", "target", "predicted", "flagged")


def _residuals(summary: dict[str, Any]) -> dict[str, Any]:
    """What is recorded beyond what is expected, by what is expected, and where right values lie."""
    points = summary["points"]
    band = summary["band"]
    logs = _on_log_axes(summary)
    rows = list(zip(*(points[name] for name in _ROW), strict=True))
    away = [y / f if logs else y - f for _, y, f, _ in rows]
    rest = [a for a, (*_, flagged) in zip(away, rows, strict=True) if not flagged]
    edges = [_edge(band, name, logs) for name in ("below", "above")]
    across = around([*points["predicted"], *band["predicted"]], logs=logs)
    up = around([*rest, *edges[0], *edges[1]], logs=logs)
    there = list(zip(rows, away, strict=True))
    return {
        "x_ticks": across.ticks(),
        "y_ticks": up.ticks(),
        "zero": round(100 - up.at(1.0 if logs else 0.0), 2),
        "band": _polygon(across, up, band["predicted"], edges),
        "rest": _dots((across.at(f), up.at(a)) for (_, _, f, flag), a in there if not flag),
        "flagged": [
            _mark(row, across.at(f), up.at(a), _text(row, y, f))
            for (row, y, f, flagged), a in there
            if flagged
        ],
        "title": "Recorded divided by expected" if logs else "Recorded minus expected",
    }


def _edge(band: dict[str, list[float]], name: str, logs: bool) -> list[float]:
    pairs = zip(band["predicted"], band[name], strict=True)
    return [(f + away) / f if logs else away for f, away in pairs]


def _polygon(across: Axis, up: Axis, x: list[float], edges: list[list[float]]) -> str:
    """The band from edge to edge, there and back."""
    there = [*zip(x, edges[0], strict=True), *reversed(list(zip(x, edges[1], strict=True)))]
    return " ".join(f"{across.at(f):.2f},{100 - up.at(away):.2f}" for f, away in there)


def _dots(places: Any) -> str:
    """One path for many dots: lines of no length, which round caps make visible at any width."""
    return "".join(f"M{x:.1f} {100 - y:.1f}h0" for x, y in places)


def _mark(row: int, x: float, y: float, text: str) -> dict[str, Any]:
    """A flagged row: a dot, or where it is outside of the plot, a triangle at its border."""
    beyond = "up" if y > 100 else "down" if y < 0 else ""
    return {"row": row, "x": round(x, 2), "y": round(_within(100 - y), 2), "beyond": beyond} | {
        "text": text
    }


def _within(place: float) -> float:
    return round(min(max(place, 0.0), 100.0), 2)


def _text(row: int, target: float, predicted: float) -> str:
    return f"Row {row}: {number(target, 6)} recorded, {number(predicted)} expected"


def _outside(rows: int) -> str:
    if not rows:
        return ""
    lie, are = ("lies", "is") if rows == 1 else ("lie", "are")
    return f"{plural(rows, 'flagged row')} {lie} beyond the plot and {are} drawn at its border."
