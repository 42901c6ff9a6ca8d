"""What an audit found, for the terminal: the answer, where it is worst, what to do next."""

import shlex
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import errata

from ._folder import beside

CLASSES, PAIRS, ROWS = 15, 10, 10


def print_findings(found: Any, *, file: Path, folder: Path, terminal: Console) -> None:
    """Print what an audit of ``file`` found, which was written to ``folder``."""
    summary = found.summary()
    terminal.print(*_answers(summary), sep="\n")
    terminal.print()
    if not summary["has_skill"]:
        terminal.print(*_what_may_help(folder), sep="\n", soft_wrap=True)
        return
    for title, table in _tables(summary):
        terminal.print(title)
        terminal.print(table)
    dropped = len(found) - int(found.clean("drop").kept.sum())
    terminal.print(*_next_steps(file, folder, dropped), sep="\n", soft_wrap=True)


def _answers(summary: dict[str, Any]) -> list[str]:
    check, notes = summary["self_check"], summary["notes"]
    if not summary["has_skill"]:
        notes = notes[1:]  # the first one is the answer
    return [
        errata.report.answer(summary),
        *(_rates(summary) if summary["has_skill"] else []),
        *([f"Self-check: {check['sentence']}"] if check else []),
        *(f"Note: {note}" for note in notes),
    ]


def _rates(summary: dict[str, Any]) -> list[str]:
    rate, alternatives = summary["noise_rate"], summary["alternatives"]
    return [
        f"Noise rate: {rate['estimate']:.1%} ({rate['low']:.1%} to {rate['high']:.1%}).",
        *([alternatives] if alternatives else []),
    ]


def _tables(summary: dict[str, Any]) -> list[tuple[str, Table]]:
    classes, pairs, suspects = summary["per_class"], summary["confusion"], summary["suspects"]
    worst = "Labels" if len(classes) <= CLASSES else f"The {CLASSES} worst of {len(classes)} labels"
    tables = [(f"{worst}:", _classes(classes))]
    if pairs:
        tables.append(("What flagged rows are labelled, and what they look like:", _pairs(pairs)))
    rows = suspects[:ROWS]
    told = f"The {len(rows)} most suspicious rows, counted from 0 after the header:"
    return [*tables, (told, _rows(rows))]


def _next_steps(file: Path, folder: Path, dropped: int) -> list[str]:
    """Paths and a command that can be copied."""
    clean = f"errata clean {shlex.quote(str(folder))} -o {shlex.quote(str(beside(file, '.clean')))}"
    rows = "row that is" if dropped == 1 else f"{dropped:,} rows that are"
    return [
        f"Look at the suspects: {folder / 'report.html'}",
        f"All rows, ranked:     {folder / 'suspects.csv'}",
        *([f"Drop the {rows} more likely wrong than right:", f"  {clean}"] if dropped else []),
    ]


def _what_may_help(folder: Path) -> list[str]:
    """For a table whose columns do not tell the labels apart: nothing to clean, no list to read."""
    return [
        "What may help: other columns, more rows, or --trust for a column that was left out "
        "although it was measured independently of the label.",
        f"The report: {folder / 'report.html'}",
    ]


def _classes(classes: list[dict[str, Any]]) -> Table:
    table = _table(["label"], ["rows", "expected wrong", "rate", "flagged"])
    for c in sorted(classes, key=lambda c: -c["expected_wrong"])[:CLASSES]:
        numbers = (f"{c['rows']:,}", f"{c['expected_wrong']:,.1f}", f"{c['rate']:.1%}")
        table.add_row(c["class"], *numbers, f"{c['flagged']:,}")
    return table


def _pairs(pairs: list[dict[str, Any]]) -> Table:
    table = _table(["label", "suggested"], ["rows"])
    for p in pairs[:PAIRS]:
        table.add_row(p["label"], p["suggested"], f"{p['count']:,}")
    return table


def _rows(suspects: list[dict[str, Any]]) -> Table:
    named = ["id"] if any(s["id"] is not None for s in suspects) else []
    table = _table(["row", *named, "label", "suggested"], ["p wrong"])
    table.add_column("why")
    for s in suspects:
        name = [s["id"]] if named else []
        why = s["reasons"][0] if s["reasons"] else ""
        table.add_row(str(s["row"]), *name, s["label"], s["suggested"], f"{s['p_wrong']:.2f}", why)
    return table


def _table(words: list[str], numbers: list[str]) -> Table:
    table = Table(box=SIMPLE_HEAD)
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
