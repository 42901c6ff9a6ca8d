"""A comparison of learners as a page: a table with intervals, and a diagram of ranks."""

import base64
import io
import os
from collections.abc import Callable
from typing import Any

from .._files import atomic_path
from .._format import listed
from ._assets import comparison_style
from ._render import environment

KEYS = ("title", "rows", "classes", "folds", "score", "competitors", "notes", "advice", "basis")


def write_comparison_page(
    summary: dict[str, Any], path: str | os.PathLike, *, draw_ranks: Callable[[], Any] | None = None
) -> None:
    """Write a comparison of learners to one HTML file that works offline, all or nothing.

    Parameters
    ----------
    summary : dict
        What :meth:`errata.Comparison.summary` gives.
    path : path-like
        The file; one that exists is replaced when the new page is complete.
    draw_ranks : callable, optional
        Draws a diagram and returns its Axes, for the page to show.

    Examples
    --------
    >>> write_comparison_page({}, "compare.html")
    Traceback (most recent call last):
    ValueError: the summary lacks title, rows, classes, folds, score, ...
    """
    missing = [key for key in KEYS if key not in summary]
    if missing:
        raise ValueError(f"the summary lacks {listed(missing)}; a comparison's summary has them.")
    page = (
        environment()
        .get_template("compare.html")
        .render(
            **summary,
            style=comparison_style(),
            scale=_scale(summary["competitors"]),
            ranks=None if draw_ranks is None else _picture(draw_ranks()),
        )
    )
    with atomic_path(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")


def _scale(competitors: list[dict[str, Any]]) -> dict[str, float]:
    """Where the axis of scores begins, and how long it is: all intervals, and a little more."""
    low = min(row["low"] for row in competitors)
    high = max(row["high"] for row in competitors)
    margin = 0.05 * (high - low) or 0.01
    return {"low": low - margin, "length": high - low + 2 * margin}


def _picture(axes: Any) -> str:
    """A drawing as the address of a picture inside the page."""
    buffer = io.BytesIO()
    axes.figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"
