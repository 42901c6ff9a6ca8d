"""Charts as places in percent of the plot, which the templates draw at any width."""

from math import floor, log10, sqrt
from typing import Any

from .._format import count, percent, plural
from ._words import at_rank

# Beyond this a curve gets longer and not smoother.
MOST_POINTS = 400

# The curve ends when it is twice as long as the list and this fraction of the errors is found.
BEYOND_THE_LIST, NEARLY_ALL = 2, 0.99

# What a point of the self-check's curve holds, in the order of the page's table.
CURVES = ("rank", "recall", "label_recall", "precision")


def ticks(most: float, about: int = 5) -> list[float]:
    """Round numbers from 0 up to ``most``.

    >>> ticks(200), ticks(1797)
    ([0, 50, 100, 150, 200], [0, 500, 1000, 1500])
    """
    rough = max(most / about, 1)
    power = 10 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    return [step * place for place in range(floor(most / step) + 1)]


def drawn(summary: dict[str, Any]) -> dict[str, Any] | None:
    """The self-check if its curve tells anything: not where the columns add nothing to the labels.

    Page and script both ask here, so that there is no slider without a curve.
    """
    check = summary["self_check"]
    return check if check and check["lift"] and summary["has_skill"] else None


def thinned(self_check: dict[str, Any]) -> dict[str, list]:
    """The curve of the self-check with some ``MOST_POINTS`` points, its top among them."""
    ranks = self_check["rank"]
    last = _last_point(self_check)
    points = min(last + 1, MOST_POINTS)
    kept = {round(place * last / max(points - 1, 1)) for place in range(points)}
    if ranks:
        kept.add(_nearest(ranks, self_check["top"]))  # the sentence above the chart speaks of it
    return {name: [self_check[name][i] for i in sorted(kept)] for name in CURVES}


def _last_point(self_check: dict[str, Any]) -> int:
    """Where the curve may end: beyond the list, when nearly all is found, nothing more happens."""
    enough = (
        place
        for place, (rank, recall) in enumerate(
            zip(self_check["rank"], self_check["recall"], strict=True)
        )
        if rank >= BEYOND_THE_LIST * self_check["top"] and recall >= NEARLY_ALL
    )
    return next(enough, len(self_check["rank"]) - 1)


def curve(self_check: dict[str, Any]) -> dict[str, Any] | None:
    """Precision and recall by rank, recall by labels alone, an axis, and a short table of it."""
    points = thinned(self_check)
    if not points["rank"]:
        return None
    most = points["rank"][-1]
    start = _nearest(points["rank"], self_check["top"])
    table = sorted(
        {_nearest(points["rank"], most * tenth / 10) for tenth in range(1, 11)} | {start}
    )
    return {
        **{name: _line(points["rank"], points[name], most) for name in CURVES if name != "rank"},
        "ticks": [{"at": 100 * tick / most, "text": count(tick)} for tick in ticks(most)],
        "last": most,
        "start": points["rank"][start],
        "start_at": 100 * points["rank"][start] / most,
        "sentence": at_rank(**{name: points[name][start] for name in CURVES}),
        "table": [[points[name][i] for name in CURVES] for i in table],
    }


def histogram(bins: dict[str, list]) -> dict[str, Any]:
    """Bars on a square-root axis: next to thousands of good rows, ten flagged ones stay visible."""
    most = max([*bins["counts"], 1])
    bars = [
        {
            "height": 100 * sqrt(rows / most),
            "flagged": 100 * flagged / rows if rows else 0,
            "text": _bar_text(low, high, rows, flagged),
        }
        for low, high, rows, flagged in zip(
            bins["edges"][:-1], bins["edges"][1:], bins["counts"], bins["flagged"], strict=True
        )
    ]
    return {
        "bars": bars,
        "ticks": [{"at": 100 * sqrt(t / most), "text": count(t)} for t in _root_ticks(most)],
    }


def _bar_text(low: float, high: float, rows: int, flagged: int) -> str:
    return f"{percent(low)} to {percent(high)}: {plural(rows, 'row')}, {count(flagged)} flagged"


def _root_ticks(most: int) -> list[int]:
    """Round numbers from the top down, each at least a fifth of the height from the last."""
    rounds = [10**power * factor for power in range(len(str(most))) for factor in (1, 2, 5)]
    kept: list[int] = []
    for number in sorted((r for r in rounds if r <= most), reverse=True):
        # Closer together than this, the numbers beside the axis would overlap.
        lowest = sqrt(kept[-1] / most) if kept else 2
        if lowest - sqrt(number / most) >= 0.2 and number / most >= 0.04:
            kept.append(number)
    return [0, *reversed(kept)]


def _nearest(ranks: list[float], wanted: float) -> int:
    return min(range(len(ranks)), key=lambda place: abs(ranks[place] - wanted))


def _line(ranks: list[float], fractions: list[float], most: float) -> str:
    """The points of an SVG line in a square of 100 by 100."""
    pairs = zip(ranks, fractions, strict=True)
    return " ".join(
        f"{100 * rank / most:.2f},{100 - 100 * fraction:.2f}" for rank, fraction in pairs
    )
