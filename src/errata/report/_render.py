"""Summary in, page out."""

import json
import os
from typing import Any

from .._files import atomic_path
from .._format import count, listed, percent, plural, visible
from .._optional import require
from .._sentences import answer, cleaning, notes
from . import _charts, _classes, _map, _stretches, _words
from ._assets import page_script, page_style, script_hash
from ._packing import listed_rows, with_pictures
from ._payload import payload, to_json
from ._sections import sections

KEYS = [
    *("errata", "title", "seed", "rows", "features", "label", "classes"),
    *("has_skill", "noise_rate", "hypotheses", "alternatives", "flagged", "notes"),
    *("per_class", "confusion", "transition"),
    *("models", "self_check", "histogram", "map", "duplicates", "duplicates_total", "examples"),
    *("stretches", "review"),
]


def render(summary: dict[str, Any]) -> str:
    """Turn the summary of an audit into one HTML page that works offline.

    The page carries its own style, script and pictures, and asks the network for nothing. Whatever
    comes from the user's table is escaped, and a content security policy lets no script run but
    the page's own.

    Parameters
    ----------
    summary : dict
        What an audit found, as a plain dict that is valid JSON; see the page on reports in the
        documentation for its keys.

    Returns
    -------
    str
        The HTML. About 100 kB, plus 500 to 800 bytes for an example and 30 for a point of the map,
        long texts and pictures not counted.

    Examples
    --------
    >>> nothing = dict.fromkeys(
    ...     ("label", "alternatives", "transition", "self_check", "map", "stretches")
    ... ) | {"review": {"command": None, "so_far": None}}
    >>> lists = {key: [] for key in ("notes", "confusion", "models", "duplicates", "examples")}
    >>> page = render({
    ...     **nothing, **lists, "errata": "0.1.0", "title": "train.csv", "seed": 0,
    ...     "rows": 1000, "features": 12, "classes": ["cat", "dog"], "per_class": [],
    ...     "has_skill": True, "hypotheses": [],
    ...     "noise_rate": {"estimate": 0.087, "low": 0.061, "high": 0.112,
    ...                    "count": 87, "count_low": 61, "count_high": 112},
    ...     "flagged": {"count": 74, "expected_precision": 0.81, "expected_recall": 0.69,
    ...                 "rule": "more likely wrong than right",
    ...                 "cleaned": {"threshold": 0.5, "rows": 74, "above": 74}},
    ...     "histogram": {"edges": [0.0, 0.5, 1.0], "counts": [900, 100], "flagged": [0, 74]},
    ...     "duplicates_total": 0,
    ... })
    >>> "About 87 of 1,000 labels are probably wrong (between 61 and 112)." in page
    True
    """
    _check(summary)
    script = page_script()
    view = _view(summary)
    page = (
        environment()
        .get_template("report.html")
        .render(
            **view,
            sections=sections(view),
            style=page_style(),
            script=script,
            script_hash=script_hash(script),
            data=to_json(payload(summary)),
        )
    )
    # A lone surrogate, as in file names from elsewhere, would make the page impossible to write; so
    # written, JSON holds it, and the script shows it as the templates do.
    return page.encode("utf-8", errors="backslashreplace").decode("utf-8")


def write_report(summary: dict[str, Any], path: str | os.PathLike) -> None:
    """Write the page of :func:`render` to a file, all or nothing.

    Parameters
    ----------
    summary : dict
        What an audit found.
    path : path-like
        The file; one that exists is replaced when the new page is complete.

    Examples
    --------
    >>> write_report({}, "report.html")
    Traceback (most recent call last):
    ValueError: the summary lacks errata, title, seed, rows, ...
    """
    page = render(summary)
    with atomic_path(path) as temporary:
        # The same bytes on every system.
        temporary.write_text(page, encoding="utf-8", newline="\n")


def _check(summary: dict[str, Any]) -> None:
    missing = [key for key in KEYS if key not in summary]
    if missing:
        raise ValueError(f"the summary lacks {listed(missing)}; an audit's summary has them all.")
    # Here and not when the page is half made, where the error would name a template.
    try:
        json.dumps(summary, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the summary is not valid JSON ({error}); "
            "pass plain lists, strings and finite numbers, and None for what is unknown."
        ) from error


def _view(summary: dict[str, Any]) -> dict[str, Any]:
    """What the templates show: the summary, and what follows from it."""
    examples, check = listed_rows(summary), _charts.drawn(summary)
    skill, many = summary["has_skill"], _classes.are_many(summary)
    stretches = summary["stretches"]
    return {
        **summary,
        "answer": answer(summary),
        "cleaning": cleaning(summary["flagged"]) if skill else "",
        "cards": _words.cards(summary),
        "notes": notes(summary),
        "hypotheses": _words.hypotheses(summary),
        "curve": _charts.curve(check) if check else None,
        "bars": _charts.histogram(summary["histogram"]),
        "matrix": _classes.matrix(summary),
        "worst": _classes.worst_classes(summary),
        "pairs": _classes.top_pairs(summary),
        "legend": _classes.legend(summary) if summary["map"] else [],
        "are_many": many,
        "map_lead": _map.lead(has_skill=skill, are_many=many),
        "outside": _map.outside(summary["map"]) if summary["map"] else "",
        "examples": examples,
        "listing": _words.listing(summary),
        "figures": _stretches.figures(summary) if skill else [],
        "stretch_listing": stretches
        and _stretches.stretch_listing(stretches, summary["flagged"]["count"]),
        "pictures": _pictures(with_pictures(examples)),
        "pictures_given": _pictures(examples),
    }


def _pictures(examples: list[dict[str, Any]]) -> int:
    return sum(example["image"] is not None for example in examples)


def _shown(value: Any) -> Any:
    """Text of the user's, or ours, with what would act on the page unseen written out."""
    return visible(value) if type(value) is str else value  # markup, a kind of str, is ours


def environment(package: str = "errata.report", extra: str = "report") -> Any:
    """Templates that escape whatever they print, and fail on a name they do not know."""
    jinja2 = require("jinja2", extra=extra)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(count=count, plural=plural, percent=percent)
    return environment
