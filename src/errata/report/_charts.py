"""Charts as places in percent of the plot, which the templates draw at any width."""

from math import ceil, floor, log10, sqrt
from typing import Any, NamedTuple

import numpy as np

from .._format import count, number, percent, plural

# Beyond this a curve gets longer and not smoother.
MOST_POINTS = 400

# The curve ends when it is twice as long as the list and this fraction of the errors is found.
BEYOND_THE_LIST = 2
NEARLY_ALL = 0.99

# What a point of the self-check's curve holds, in the order of the page's table.
CURVES = ("rank", "recall", "label_recall", "precision")

# Places are whole numbers from 0 to this: finer than any screen.
GRID = 10_000

# A row lies outside if it is further from the middle nine tenths than this fraction of their
# extent: none of a normal distribution does, and one far row does not squeeze the rest to a spot.
QUANTILES = (0.05, 0.95)
MARGIN = 0.75

AXIS_MARGIN = 0.04  # of the extent of numbers, to either side

SHOWN = 50  # values, the noisiest

AT_RANK = (
    "Look at the first {rank} rows: you find {recall} of the planted errors "
    "({label_recall} by labels alone); {precision} of these rows are planted errors."
)


def choose_ticks(most: float) -> list[float]:
    """About five round numbers from 0 up to ``most``.

    >>> choose_ticks(200), choose_ticks(1797)
    ([0, 50, 100, 150, 200], [0, 500, 1000, 1500])
    """
    rough = max(most / 5, 1)
    power = 10 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    return [step * place for place in range(floor(most / step) + 1)]


def get_drawn_check(summary: dict[str, Any]) -> dict[str, Any] | None:
    """The self-check if its curve tells anything: not where the columns add nothing to the labels.

    Page and script both ask here, so that there is no slider without a curve.
    """
    check = summary["self_check"]
    return check if check and check["lift"] and summary["has_skill"] else None


def thin_curve(self_check: dict[str, Any]) -> dict[str, list]:
    """The curve of the self-check with some ``MOST_POINTS`` points, its top among them."""
    ranks = self_check["rank"]
    last = _find_last_point(self_check)
    points = min(last + 1, MOST_POINTS)
    kept = {round(place * last / max(points - 1, 1)) for place in range(points)}
    if ranks:
        kept.add(
            _find_nearest(ranks, self_check["top"])
        )  # the sentence above the chart speaks of it
    return {name: [self_check[name][i] for i in sorted(kept)] for name in CURVES}


def _find_last_point(self_check: dict[str, Any]) -> int:
    """Where the curve may end: beyond the list, when nearly all is found, nothing more happens."""
    enough = (
        place
        for place, (rank, recall) in enumerate(
            zip(self_check["rank"], self_check["recall"], strict=True)
        )
        if rank >= BEYOND_THE_LIST * self_check["top"] and recall >= NEARLY_ALL
    )
    return next(enough, len(self_check["rank"]) - 1)


def draw_curve(self_check: dict[str, Any]) -> dict[str, Any] | None:
    """Precision and recall by rank, recall by labels alone, an axis, and a short table of it."""
    points = thin_curve(self_check)
    if not points["rank"]:
        return None
    most = points["rank"][-1]
    start = _find_nearest(points["rank"], self_check["top"])
    table = sorted(
        {_find_nearest(points["rank"], most * tenth / 10) for tenth in range(1, 11)} | {start}
    )
    return {
        **{
            name: _draw_line(points["rank"], points[name], most)
            for name in CURVES
            if name != "rank"
        },
        "ticks": [{"at": 100 * tick / most, "text": count(tick)} for tick in choose_ticks(most)],
        "last": most,
        "start": points["rank"][start],
        "start_at": 100 * points["rank"][start] / most,
        "sentence": describe_rank(**{name: points[name][start] for name in CURVES}),
        "table": [[points[name][i] for name in CURVES] for i in table],
    }


def describe_rank(rank: int, **fractions: float) -> str:
    """One point of the self-check in a sentence."""
    return AT_RANK.format(rank=count(rank), **{name: percent(p) for name, p in fractions.items()})


def draw_histogram(bins: dict[str, list]) -> dict[str, Any]:
    """Bars on a square-root axis: next to thousands of good rows, ten flagged ones stay visible."""
    most = max([*bins["counts"], 1])
    bars = [
        {
            "height": 100 * sqrt(rows / most),
            "flagged": 100 * flagged / rows if rows else 0,
            "text": f"{percent(low)} to {percent(high)}: {plural(rows, 'row')}, "
            f"{count(flagged)} flagged",
        }
        for low, high, rows, flagged in zip(
            bins["edges"][:-1], bins["edges"][1:], bins["counts"], bins["flagged"], strict=True
        )
    ]
    return {
        "bars": bars,
        "ticks": [{"at": 100 * sqrt(t / most), "text": count(t)} for t in _choose_root_ticks(most)],
    }


def _choose_root_ticks(most: int) -> list[int]:
    """Round numbers from the top down, each at least a fifth of the height from the last."""
    rounds = [10**power * factor for power in range(len(str(most))) for factor in (1, 2, 5)]
    kept: list[int] = []
    for tick in sorted((r for r in rounds if r <= most), reverse=True):
        # Closer together than this, the numbers beside the axis would overlap.
        lowest = sqrt(kept[-1] / most) if kept else 2
        if lowest - sqrt(tick / most) >= 0.2 and tick / most >= 0.04:
            kept.append(tick)
    return [0, *reversed(kept)]


def _find_nearest(ranks: list[float], wanted: float) -> int:
    return min(range(len(ranks)), key=lambda place: abs(ranks[place] - wanted))


def _draw_line(ranks: list[float], fractions: list[float], most: float) -> str:
    """The points of an SVG line in a square of 100 by 100."""
    pairs = zip(ranks, fractions, strict=True)
    return " ".join(
        f"{100 * rank / most:.2f},{100 - 100 * fraction:.2f}" for rank, fraction in pairs
    )


class Axis(NamedTuple):
    """An axis from ``low`` to ``high``, perhaps of logarithms."""

    low: float
    high: float
    logs: bool = False

    def at(self, value: float) -> float:
        """Where a number lies, from 0 to 100; outside of that if it is beyond an end.

        >>> Axis(10, 30).at(15), Axis(1, 100, logs=True).at(10)
        (25.0, 50.0)
        """
        low, high, value = map(self._of, (self.low, self.high, value))
        return 100 * (value - low) / (high - low)

    def _of(self, value: float) -> float:
        return log10(max(value, 1e-300)) if self.logs else value

    def ticks(self) -> list[dict[str, Any]]:
        """Round numbers on the axis, with their places.

        >>> [tick["text"] for tick in Axis(12, 61).ticks()]
        ['20', '30', '40', '50', '60']
        >>> [tick["text"] for tick in Axis(3, 2400, logs=True).ticks()]
        ['10', '100', '1,000']
        """
        values = self._powers() if self.logs else []
        values = values if len(values) > 1 else self._steps()
        return [{"at": self.at(value), "text": number(value, 6)} for value in values]

    def _powers(self) -> list[float]:
        first = ceil(log10(self.low))
        last = floor(log10(self.high))
        return [float(10.0**power) for power in range(first, last + 1)]

    def _steps(self) -> list[float]:
        rough = (self.high - self.low) / 5  # about so many
        power = 10.0 ** floor(log10(rough))
        # Rather some marks more than too few.
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= 0.7 * rough)
        first = ceil(self.low / step)
        last = floor(self.high / step)
        return [step * place for place in range(first, last + 1)]


def make_axis(values: list[float], *, logs: bool = False) -> Axis:
    """An axis that all of some numbers lie on, with a margin.

    >>> make_axis([0.0, 50.0])
    Axis(low=-2.0, high=52.0, logs=False)
    """
    low = min(values)
    high = max(values)
    if logs:
        factor = (high / low) ** AXIS_MARGIN if high > low else 2.0
        return Axis(low / factor, high * factor, logs=True)
    margin = AXIS_MARGIN * (high - low) or max(abs(high), 1.0)
    return Axis(low - margin, high + margin)


def pack_map(points: dict[str, list]) -> dict[str, Any]:
    """Points with places on the grid; ``outside`` tells of those beyond its border.

    ``outside`` holds, by number of the point, the way it lies (-1, 0 or 1 in x and in y) and its
    true position.
    """
    x, way_x = _put_on_grid(points["x"])
    y, way_y = _put_on_grid(points["y"])
    return {
        **{name: points[name] for name in ("row", "label", "suggested", "flagged")},
        **{"x": x.tolist(), "y": y.tolist()},
        "p_wrong": [round(p, 3) for p in points["p_wrong"]],
        "outside": {
            int(i): [
                int(way_x[i]),
                int(way_y[i]),
                _format_short(points["x"][i]),
                _format_short(points["y"][i]),
            ]
            for i in np.flatnonzero(way_x | way_y)
        },
    }


def find_limits(values: list[float]) -> tuple[float, float]:
    """From where to where the map reaches: the extent of the rows that are not far from the rest.

    >>> find_limits([*range(21), 1000])
    (0.0, 20.0)
    """
    all_values = np.array(values, dtype=float)
    low, high = np.quantile(all_values, QUANTILES)
    beyond = MARGIN * (high - low)
    near = all_values[(all_values >= low - beyond) & (all_values <= high + beyond)]
    # Where nine tenths of the rows share one value, there is no extent to go by.
    kept = near if low < high else all_values
    return float(kept.min()), float(kept.max())


def _put_on_grid(values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers on the grid, and the way to what lies outside."""
    low, high = find_limits(values)
    places = GRID * (np.array(values, dtype=float) - low) / ((high - low) or 1)
    rounded = np.rint(places).astype(np.int64)
    return np.clip(rounded, 0, GRID), (rounded > GRID).astype(int) - (rounded < 0)


def _format_short(value: float) -> float:
    """Four digits, enough for a tooltip."""
    return float(f"{value:.4g}")


def draw_rates(by: dict[str, Any] | None, many: str) -> dict[str, Any] | None:
    """The values to draw, with places in percent of the longest interval; ``many`` are labels."""
    if by is None:
        return None
    shown = by["values"][:SHOWN]
    longest = max((value["high"] for value in shown), default=0) or 1.0
    return {
        **by,
        "lead": _describe_rates(len(shown), len(by["values"]), many),
        "values": [value | _find_places(value, 100 / longest) for value in shown],
    }


def _find_places(value: dict[str, Any], scale: float) -> dict[str, float]:
    low, rate, high = (round(scale * value[name], 2) for name in ("low", "rate", "high"))
    return {"left": low, "width": round(high - low, 2), "at": rate}


def _describe_rates(shown: int, values: int, many: str) -> str:
    """How to read the table.

    >>> _describe_rates(50, 212, "labels")
    'The fraction of wrong labels of each value, with its interval; the 50 noisiest of 212.'
    """
    rest = "" if shown == values else f"; the {count(shown)} noisiest of {count(values)}"
    return f"The fraction of wrong {many} of each value, with its interval{rest}."
