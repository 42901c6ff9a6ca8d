"""Summary in, page out."""

import json
import os
from typing import Any

from .._files import atomic_path
from .._format import count, listed, number, percent, plural, visible
from .._optional import require
from .._sentences import answer, cleaning, notes, wording
from . import _words
from ._assets import page_script, page_style, script_hash
from ._by import rates_by_value
from ._kinds import KINDS, SHARED_KEYS, PageKind
from ._packing import listed_rows
from ._payload import to_json
from ._sections import shown_sections

# What templates that all kinds share ask for, and only some summaries have.
NOTHING: dict[str, Any] = {
    "alternatives": None,
    "duplicates": [],
    "figures": [],
    "hypotheses": [],
    "stretches": None,
}


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
    ...     ("label", "alternatives", "transition", "self_check", "map", "stretches", "by")
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
    kind = _kind(summary)
    _check(summary, kind)
    script = page_script()
    view = _view(summary, kind)
    page = (
        environment()
        .get_template("report.html")
        .render(
            **view,
            sections=shown_sections(kind.sections, view),
            style=page_style(),
            script=script,
            script_hash=script_hash(script),
            data=to_json(kind.payload(summary)),
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


def _kind(summary: dict[str, Any]) -> PageKind:
    name = summary.get("kind", "classes")
    if name not in KINDS:
        raise ValueError(f"the summary is of the kind {name!r}; known are {listed(KINDS)}.")
    return KINDS[name]


def _check(summary: dict[str, Any], kind: PageKind) -> None:
    missing = [key for key in (*SHARED_KEYS, *kind.keys) if key not in summary]
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


def _view(summary: dict[str, Any], kind: PageKind) -> dict[str, Any]:
    """What the templates show: the summary, and what follows from it."""
    skill = summary["has_skill"]
    return {
        **NOTHING,
        **summary,
        "kind": kind,
        "words": wording(summary),
        "answer": answer(summary),
        "beside": f"the {wording(summary).row}s most like it",
        "cleaning": f"drops {cleaning(summary['flagged'])}" if skill else "",
        "method": _words.method(summary, kind.predicted),
        "cards": _words.cards(summary),
        "notes": notes(summary),
        "examples": listed_rows(summary),
        "listing": _words.listing(summary),
        "by": rates_by_value(summary["by"], wording(summary).many),
        **kind.view(summary),
    }


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
    environment.filters.update(count=count, plural=plural, percent=percent, number=number)
    return environment
