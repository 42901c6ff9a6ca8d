"""Summary in, page out: an audit or a comparison as HTML, with style and script, or as Markdown."""

import base64
import hashlib
import io
import json
import os
from collections.abc import Callable
from html import escape
from importlib.resources import files
from pkgutil import resolve_name
from typing import Any

from .._files import atomic_path
from .._format import (
    as_code,
    as_prose,
    capitalise,
    count,
    join_names,
    markdown_table,
    number,
    percent,
    plural,
    probability,
    visible,
)
from .._kinds import KINDS, SHARED_KEYS, Kind, kind_of
from .._sentences import (
    answer,
    anything,
    cleaning,
    finds_errors,
    notes,
    overlooked,
    tell_why,
    wording,
)
from ._charts import draw_rates
from ._packing import get_listed_rows

# What templates that all kinds share ask for, and only some summaries have.
NOTHING: dict[str, Any] = {
    "alternatives": None,
    "duplicates": [],
    "figures": [],
    "hypotheses": [],
    "issues": None,
    "overlooked": None,
    "stretches": None,
}

STYLES = [
    *("tokens", "base", "charts", "classes", "examples", "small", "print"),
    *("stretches", "targets", "votes", "multilabel"),
]
COMPARISON_STYLES = ["tokens", "base", "compare", "small", "print"]

# Helpers first, `main` last; they share one scope, so what a part uses stands before it.
SCRIPTS = [
    *("dom", "theme", "tooltip", "cuts", "curve", "map", "legend"),
    *("select", "detail", "rows", "export", "examples", "classes", "stretches", "main"),
]

KEYS = ("title", "rows", "classes", "folds", "score", "competitors", "notes", "advice", "basis")

MARKDOWN_ROWS = 10  # the report has the rest

# The page stays in the notebook's file; above so many characters that is slow to save and open.
MOST_TEXT = 10_000_000

# Its script may run and save the list of examples, but reach neither the notebook nor its kernel.
ALLOWED = "allow-scripts allow-downloads"

# Links to sections would otherwise be read as links to the notebook around the frame. It comes
# before the page's own policy, which forbids such changes.
OWN_LINKS = '<base href="about:srcdoc">'


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
    kind = _check(summary)
    script = read_script()
    view = _build_view(summary, kind)
    page = (
        make_environment()
        .get_template("report.html")
        .render(
            **view,
            in_notebook=False,
            sections=[section for section in kind.report.sections if section.is_shown(view)],
            style=read_style(STYLES),
            script=script,
            script_hash=hash_script(script),
            data=_to_json(resolve_name(kind.report.payload)(summary)),
        )
    )
    # A lone surrogate, as in file names from elsewhere, would make the page impossible to write; so
    # written, JSON holds it, and the script shows it as the templates do.
    return page.encode("utf-8", errors="backslashreplace").decode("utf-8")


def render_first_screen(summary: dict[str, Any]) -> str:
    """The first screen of the page of :func:`render`, for another page, as in a notebook."""
    view = _build_view(summary, _check(summary))
    page = make_environment().get_template("notebook.html").render(**view, in_notebook=True)
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


def _check(summary: dict[str, Any]) -> Kind:
    """The kind of a summary; raise where it is none, or not whole."""
    name = summary.get("kind", "classes")
    if name not in KINDS:
        raise ValueError(f"the summary is of the kind {name!r}; known are {join_names(KINDS)}.")
    kind = kind_of(summary)
    missing = [key for key in (*SHARED_KEYS, *kind.report.keys) if key not in summary]
    if missing:
        raise ValueError(
            f"the summary lacks {join_names(missing)}; an audit's summary has them all."
        )
    # Here and not when the page is half made, where the error would name a template.
    try:
        json.dumps(summary, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the summary is not valid JSON ({error}); "
            "pass plain lists, strings and finite numbers, and None for what is unknown."
        ) from error
    return kind


def _build_view(summary: dict[str, Any], kind: Kind) -> dict[str, Any]:
    """All that the templates show: the summary, and what follows from it."""
    skill = summary["has_skill"]
    return {
        **NOTHING,
        **summary,
        "kind": kind,
        "words": wording(summary),
        "answer": answer(summary),
        "beside": f"the {wording(summary).row}s most like it",
        "cleaning": f"drops {cleaning(summary['flagged'])}" if skill else "",
        "method": (
            "Several models predicted every row without having been fitted to it. These "
            f"out-of-fold {kind.report.predicted} were pooled, and the probability that a "
            f"{wording(summary).noun} is wrong computed from them."
        ),
        "cards": build_cards(summary),
        "notes": notes(summary),
        "examples": get_listed_rows(summary),
        "listing": describe_listing(summary),
        "by": draw_rates(summary["by"], wording(summary).nouns),
        **resolve_name(kind.report.view)(summary),
    }


def _to_json(data: Any) -> str:
    r"""JSON that can stand inside a ``script`` element: nothing in it can end the element.

    >>> _to_json({"label": "</script>"})
    '{"label":"\\u003c/script\\u003e"}'
    """
    # NaN is not JSON, and the script of the page would stop at it.
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def make_environment(package: str = "errata.report") -> Any:
    """Templates that escape whatever they print, and fail on a name they do not know."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(count=count, plural=plural, percent=percent, number=number)
    return environment


def read_style(names: list[str], more: str = "") -> str:
    """Sheets, and the dark colours twice: where the system asks for them, or the reader."""
    sheets = [*(_read_source("style", f"{name}.css") for name in names), more]
    # A media query and a selector cannot share one rule in CSS.
    dark = _read_source("style", "dark.css")
    system = f':root:not([data-theme="light"]) {{\n{dark}}}'
    reader = f':root[data-theme="dark"] {{\n{dark}}}'
    sheets.append(f"@media screen and (prefers-color-scheme: dark) {{\n{system}\n}}")
    sheets.append(f"@media screen {{\n{reader}\n}}")
    return "\n".join(sheets)


def read_script() -> str:
    """The parts of the script in one scope of their own."""
    parts = "\n".join(_read_source("script", f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


def hash_script(script: str) -> str:
    """The name by which the page's policy knows its one script."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _read_source(folder: str, name: str) -> str:
    return files(__package__).joinpath("templates", folder, name).read_text(encoding="utf-8")


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
        raise ValueError(
            f"the summary lacks {join_names(missing)}; a comparison's summary has them."
        )
    page = (
        make_environment()
        .get_template("compare.html")
        .render(
            **summary,
            style=read_style(COMPARISON_STYLES),
            scale=_scale(summary["competitors"]),
            ranks=None if draw_ranks is None else _draw_picture(draw_ranks()),
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


def _draw_picture(axes: Any) -> str:
    """A drawing as the address of a picture inside the page."""
    buffer = io.BytesIO()
    axes.figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    return f"data:image/svg+xml;base64,{base64.b64encode(buffer.getvalue()).decode('ascii')}"


class ReportFrame:
    """A report as the output of a notebook's cell.

    Made by ``show`` of an audit. The page is part of the notebook, works offline, and lives in a
    sandboxed frame: what it holds can neither read nor change the notebook.

    Parameters
    ----------
    page : str
        The report, an HTML page; of ten million characters at most.
    height : int, default=700
        How high the frame is, in pixels; it is as wide as the cell.

    Examples
    --------
    >>> from errata.report import ReportFrame
    >>> frame = ReportFrame("<title>pets</title>", height=300)
    >>> frame
    <ReportFrame of 300 pixels: the last expression of a notebook's cell shows it. Elsewhere write
    the page with audit.report("report.html").>
    >>> frame._repr_html_()[:72]
    '<iframe srcdoc="&lt;title&gt;pets&lt;/title&gt;" title="Report of errata'
    """

    def __init__(self, page: str, height: int = 700) -> None:
        if len(page) > MOST_TEXT:
            raise ValueError(
                f"the report has {len(page) / 1e6:.0f} million characters, which would make the "
                "notebook slow to save and to open; write it to a file with "
                'audit.report("report.html") and open that.'
            )
        self.page = page
        from .._validation import check_count  # loads scikit-learn, which no page needs

        self.height = check_count("height", height)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {self.height} pixels: the last expression of a notebook's "
            'cell shows it. Elsewhere write the page with audit.report("report.html").>'
        )

    def _repr_html_(self) -> str:
        """The frame; all that could end the attribute that the page stands in is escaped."""
        page = escape(self.page.replace("<head>", f"<head>\n{OWN_LINKS}", 1))
        return (
            f'<iframe srcdoc="{page}" title="Report of errata" sandbox="{ALLOWED}" '
            f'style="width: 100%; height: {self.height}px; border: 1px solid #ccc"></iframe>'
        )


def describe_listing(summary: dict[str, Any]) -> str:
    """Which rows the list of examples holds, and how many of them are flagged.

    >>> rows = [{"flagged": True}, {"flagged": True}, {"flagged": False}]
    >>> describe_listing({"examples": rows, "flagged": {"count": 2}})
    'The 3 most suspicious rows, 2 of them flagged.'
    """
    examples = summary["examples"]
    flagged = summary["flagged"]["count"]
    row = wording(summary).row
    here = sum(example["flagged"] for example in examples)
    if here == flagged == len(examples):
        return f"The flagged {row}." if flagged == 1 else f"The {count(flagged)} flagged {row}s."
    rows = plural(len(examples), f"most suspicious {row}")
    if here == flagged:
        return f"The {rows}, {count(here)} of them flagged."
    return f"The {rows}, with {count(here)} of the {count(flagged)} flagged ones."


def build_cards(summary: dict[str, Any]) -> list[dict[str, str]]:
    """The key figures: a name, a number, and what to make of it."""
    flagged = summary["flagged"]
    rows = summary["rows"]
    words = wording(summary)
    part = percent(flagged["count"] / rows if rows else None)
    return [
        _build_rate_card(summary),
        {
            "name": f"{capitalise(words.row)}s flagged",
            "figure": count(flagged["count"]),
            "note": f"{part} of {plural(rows, words.row)}",
        },
        {
            "name": "Flags that are right",
            **_build_fraction_card(
                flagged["expected_precision"],
                f"of the flagged {words.row}s are wrong",
                (flagged.get("expected_precision_low"), flagged.get("expected_precision_high")),
            ),
        },
        {
            "name": "Errors that are flagged",
            **_build_fraction_card(flagged["expected_recall"], f"of the wrong {words.nouns}"),
        },
    ]


def _build_rate_card(summary: dict[str, Any]) -> dict[str, str]:
    rate = summary["noise_rate"]
    judged = capitalise(wording(summary).nouns)
    if not summary["has_skill"]:
        return {"name": f"{judged} wrong", "figure": "unknown", "note": anything(summary)}
    return {
        "name": f"{judged} {'probably' if finds_errors(summary) else 'perhaps'} wrong",
        "figure": percent(rate["estimate"]),
        "note": f"between {percent(rate['low'])} and {percent(rate['high'])}",
    }


def _build_fraction_card(
    fraction: float | None, of: str, reach: tuple[float | None, float | None] = (None, None)
) -> dict[str, str]:
    note = "no row is flagged" if fraction is None else f"{of}, we expect"
    low, high = reach
    if low is not None and high is not None:
        note = f"{note}: {percent(low)} to {percent(high)}"
    return {"figure": percent(fraction), "note": note}


def summary_in_markdown(summary: dict[str, Any]) -> str:
    """The answer, the noise rate with its interval, notes, and the most suspicious rows."""
    check = summary["self_check"]
    rate = {name: percent(summary["noise_rate"][name]) for name in ("estimate", "low", "high")}
    interval = f"Noise rate: {rate['estimate']} ({rate['low']} to {rate['high']})."
    lines = [
        *([interval] if summary["has_skill"] else []),
        *([f"Self-check: {check['sentence']}"] if check else []),
        *overlooked(summary),
        *(f"Note: {note}" for note in notes(summary)),
    ]
    parts = [
        f"## Audit of {as_code(summary['title'])}",
        f"**{as_prose(answer(summary))}**",
        "\n".join(f"- {as_prose(line)}" for line in lines),
        *_format_rows(summary),
        *_format_values(summary.get("by")),
    ]
    return "\n\n".join(part for part in parts if part)


def _format_values(by: dict[str, Any] | None) -> list[str]:
    """A table of the noisiest values of a column, and who stands out."""
    if not by:
        return []
    lines = [
        (
            as_code(value["value"]),
            count(value["rows"]),
            f"{percent(value['rate'])} ({percent(value['low'])} to {percent(value['high'])})",
            count(value["flagged"]),
        )
        for value in by["values"][:MARKDOWN_ROWS]
    ]
    table = markdown_table(["value", "rows", "noise rate", "flagged"], lines)
    sentence = [as_prose(by["sentence"])] if by["sentence"] else []
    return [f"**By {as_code(by['column'])}**", table, *sentence]


def _format_rows(summary: dict[str, Any]) -> list[str]:
    """A table of the first flagged rows, under a line that says how many there are."""
    shown = [example for example in summary["examples"] if example["flagged"]][:MARKDOWN_ROWS]
    if not shown:
        return []
    found = summary["flagged"]["count"]
    row = wording(summary).row
    which = "The flagged" if found == len(shown) else f"The first {len(shown)} of {count(found)}"
    title = f"**{which} {row}{'' if found == 1 else 's'}**"
    columns = _format_columns(shown, row)
    return [title, markdown_table(list(columns), zip(*columns.values(), strict=True))]


def _format_columns(shown: list[dict[str, Any]], row: str) -> dict[str, list[str]]:
    """The cells of each column; what is not a row of the table has a name and no number."""
    columns = {row: [str(example["row"]) for example in shown]} if row == "row" else {}
    if any(example["id"] is not None for example in shown):
        columns["id" if row == "row" else row] = [as_code(example["id"]) for example in shown]
    return columns | {
        "label": [as_code(example["label"]) for example in shown],
        "suggested": [as_code(example["suggested"]) for example in shown],
        "p wrong": [probability(example["p_wrong"]) for example in shown],
        "why": [as_prose(tell_why(example)) for example in shown],
    }
