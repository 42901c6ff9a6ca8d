"""The map as the page draws it: places on a grid, rows far from all others at its border."""

from typing import Any

import numpy as np

from .._format import plural

# Places are whole numbers from 0 to this: finer than any screen.
GRID = 10_000

# A row lies outside if it is further from the middle nine tenths than this fraction of their
# extent: none of a normal distribution does, and one far row does not squeeze the rest to a spot.
QUANTILES, MARGIN = (0.05, 0.95), 0.75


def packed(points: dict[str, list]) -> dict[str, Any]:
    """Points with places on the grid; ``outside`` tells of those beyond its border.

    ``outside`` holds, by number of the point, the way it lies (-1, 0 or 1 in x and in y) and its
    true position.
    """
    (x, way_x), (y, way_y) = _on_grid(points["x"]), _on_grid(points["y"])
    return {
        **{name: points[name] for name in ("row", "label", "suggested", "flagged")},
        **{"x": x.tolist(), "y": y.tolist()},
        "p_wrong": [round(p, 3) for p in points["p_wrong"]],
        "outside": {
            int(i): [int(way_x[i]), int(way_y[i]), _short(points["x"][i]), _short(points["y"][i])]
            for i in np.flatnonzero(way_x | way_y)
        },
    }


def lead(*, has_skill: bool, are_many: bool) -> str:
    """How to read the map; ``are_many`` if there are more classes than colours."""
    if are_many and has_skill:
        told = "flagged rows have colours: their label inside, what they look like as a ring."
    elif are_many:
        told = "choose a label to see where its rows lie."
    elif has_skill:
        told = (
            "colours are labels, rings are flagged rows. A ring among dots of another colour is "
            "what an error looks like."
        )
    else:
        told = (
            "colours are labels. Where they do not keep apart, the columns do not tell them apart."
        )
    return f"Similar rows lie close together; {told}"


def outside(points: dict[str, list]) -> str:
    """What the triangles at the border are; nothing where there is none."""
    far = len(packed(points)["outside"])
    if not far:
        return ""
    (left, right), (low, high) = limits(points["x"]), limits(points["y"])
    lie = "lies" if far == 1 else "lie"
    return (
        f"{plural(far, 'row')} {lie} outside and {'is' if far == 1 else 'are'} drawn as "
        f"{'a triangle' if far == 1 else 'triangles'} at the border: the map reaches from "
        f"{left:.3g} to {right:.3g} across and from {low:.3g} to {high:.3g} upwards."
    )


def limits(values: list[float]) -> tuple[float, float]:
    """From where to where the map reaches: the extent of the rows that are not far from the rest.

    >>> limits([*range(21), 1000])
    (0.0, 20.0)
    """
    all_values = np.array(values, dtype=float)
    low, high = np.quantile(all_values, QUANTILES)
    beyond = MARGIN * (high - low)
    near = all_values[(all_values >= low - beyond) & (all_values <= high + beyond)]
    # Where nine tenths of the rows share one value, there is no extent to go by.
    kept = near if low < high else all_values
    return float(kept.min()), float(kept.max())


def _on_grid(values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers on the grid, and the way to what lies outside."""
    low, high = limits(values)
    places = GRID * (np.array(values, dtype=float) - low) / ((high - low) or 1)
    rounded = np.rint(places).astype(np.int64)
    return np.clip(rounded, 0, GRID), (rounded > GRID).astype(int) - (rounded < 0)


def _short(value: float) -> float:
    """Four digits, enough for a tooltip."""
    return float(f"{value:.4g}")
