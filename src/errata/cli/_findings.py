"""Findings of an audit for the terminal: the answer, where it is worst, what to do next."""

import shlex
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from rich.console import Console
from rich.table import Table

from .._format import count, percent, plural, probability
from .._kinds import kind_of
from .._sentences import answer, cleaning, notes, overlooked, tell_why
from ._common import format_title, make_table, name_audit

# Lines of each table; the report has the rest.
CLASSES = 15
PAIRS = 10
ROWS = 10
STRETCHES = 10
VALUES = 10
TARGET_ROWS = 10
MULTILABEL_ROWS = 10
LABELS = 10
ITEMS = 10
WORKERS = 10
ASKED = 5


def print_findings(
    summary: dict[str, Any],
    *,
    file: Path,
    folder: Path,
    terminal: Console,
    ranked: str = "All rows",
) -> None:
    """Print what an audit of ``file`` found, which was written to ``folder``.

    ``ranked`` says what the ranked list holds.
    """
    command = kind_of(summary).command
    terminal.print(*_list_answers(summary), sep="\n")
    terminal.print()
    if not summary["has_skill"]:
        # There is nothing to clean, and no list to read.
        terminal.print(f"The report: {folder / 'report.html'}", soft_wrap=True)
        return
    for title, table in resolve_name(command.tables)(summary):
        terminal.print(title)
        terminal.print(table)
    if summary["by"]:
        terminal.print(*_make_value_table(summary["by"]), sep="\n")
    # Wrapped by the terminal, not by us, so that long paths and commands can be copied.
    steps = _list_steps(summary, file, folder, ranked)
    terminal.print(*steps, sep="\n", soft_wrap=True)


def _list_answers(summary: dict[str, Any]) -> list[str]:
    check = summary["self_check"]
    return [
        answer(summary),
        *(_describe_rates(summary) if summary["has_skill"] else []),
        *([f"Self-check: {check['sentence']}"] if check else []),
        *overlooked(summary),
        *(f"Note: {note}" for note in notes(summary)),
    ]


def _describe_rates(summary: dict[str, Any]) -> list[str]:
    rate = summary["noise_rate"]
    alternatives = summary.get("alternatives")
    least = percent(rate["low"])
    most = percent(rate["high"])
    return [
        f"Noise rate: {percent(rate['estimate'])} ({least} to {most}).",
        *([alternatives] if alternatives else []),
    ]


def make_class_tables(summary: dict[str, Any]) -> list[tuple[str, Table]]:
    """The tables of classes, of pairs of them and of rows or stretches, with their titles."""
    classes = summary["per_class"]
    pairs = summary["confusion"]
    worst = "Labels" if len(classes) <= CLASSES else f"The {CLASSES} worst of {len(classes)} labels"
    tables = [(f"{worst}:", _make_class_table(classes))]
    if pairs:
        tables.append(
            ("What flagged rows are labelled, and what they look like:", _make_pair_table(pairs))
        )
    rows = [example for example in summary["examples"] if example["flagged"]][:ROWS]
    if rows:
        tables.append((format_title(len(rows), summary["flagged"]["count"]), _make_row_table(rows)))
    stretches = summary["stretches"]
    if stretches and stretches["count"]:
        worst = stretches["worst"][:STRETCHES]
        tables.append(
            (_describe_stretches(len(worst), stretches["count"]), _make_stretch_table(worst))
        )
    return tables


def _make_value_table(by: dict[str, Any]) -> list[Any]:
    """The noisiest values of a column, and which of them stand out."""
    table = make_table([by["column"]], ["rows", "rate", "between", "flagged"])
    for v in by["values"][:VALUES]:
        between = f"{percent(v['low'])} and {percent(v['high'])}"
        table.add_row(
            v["value"], count(v["rows"]), percent(v["rate"]), between, count(v["flagged"])
        )
    found = len(by["values"])
    shown = min(len(by["values"]), VALUES)
    which = "" if shown == found else f", the {shown} noisiest of {count(found)}"
    sentence = [by["sentence"]] if by["sentence"] else []
    return [f"By {by['column']}{which}:", table, *sentence]


def _describe_stretches(shown: int, found: int) -> str:
    """The title of the list of stretches.

    >>> _describe_stretches(10, 64)
    'The 10 worst of 64 stretches, rows counted from 0 after the header:'
    """
    which = f"The {count(shown)} worst of {count(found)} stretches"
    if shown == found:
        which = "The stretch" if found == 1 else f"The {count(found)} stretches"
    return f"{which}, rows counted from 0 after the header:"


def format_clean_command(file: Path, folder: Path) -> str:
    """The command that cleans ``file`` after its audit, kept in ``folder``."""
    older = file.suffix.lower() in (".xls", ".ods")  # which is read, but not written
    cleaned = name_audit(file, ".clean", ending=".xlsx" if older else None)
    return f"errata clean {shlex.quote(str(folder))} -o {shlex.quote(str(cleaned))}"


def _list_steps(summary: dict[str, Any], file: Path, folder: Path, ranked: str) -> list[str]:
    """Paths and a command that can be copied."""
    flagged = summary["flagged"]
    command = kind_of(summary).command
    # There are no cards of recordings to decide by, nor of very many rows.
    review = None if summary.get("stretches") else summary["review"]["command"]
    if command.steps:
        clean = resolve_name(command.steps)(summary, format_clean_command(file, folder), folder)
    elif flagged["cleaned"]["rows"]:
        clean = [f"Drop {cleaning(flagged)}:", f"  {format_clean_command(file, folder)}"]
    else:
        clean = [f"errata clean drops {cleaning(flagged)}."]
    return [
        f"Look at the {command.rows}: {folder / 'report.html'}",
        *(f"{what}: {folder / name}" for what, name in command.files.items()),
        f"{ranked}, ranked: {folder / 'ranked.csv'}",
        *(["Decide on them, one key each:", f"  {review}"] if review else []),
        *clean,
    ]


def _make_class_table(classes: list[dict[str, Any]]) -> Table:
    table = make_table(["label"], ["rows", "expected wrong", "rate", "flagged"])
    for c in sorted(classes, key=lambda c: -c["expected_wrong"])[:CLASSES]:
        numbers = (count(c["rows"]), f"{c['expected_wrong']:,.1f}", percent(c["rate"]))
        table.add_row(c["class"], *numbers, count(c["flagged"]))
    return table


def _make_pair_table(pairs: list[dict[str, Any]]) -> Table:
    table = make_table(["label", "suggested"], ["rows"])
    for p in pairs[:PAIRS]:
        table.add_row(p["label"], p["suggested"], count(p["count"]))
    return table


def _make_row_table(examples: list[dict[str, Any]]) -> Table:
    named = ["id"] if any(e["id"] is not None for e in examples) else []
    table = make_table(["row", *named, "label", "suggested"], ["p wrong"])
    table.add_column("why")
    for e in examples:
        name = [e["id"]] if named else []
        table.add_row(
            str(e["row"]), *name, e["label"], e["suggested"], probability(e["p_wrong"]), tell_why(e)
        )
    return table


def _make_stretch_table(stretches: list[dict[str, Any]]) -> Table:
    table = make_table(["recording"], ["start", "end", "rows"])
    for heading in ("label", "suggested"):
        table.add_column(heading, overflow="fold")
    table.add_column("p wrong", justify="right", no_wrap=True)
    for s in stretches:
        numbers = (str(s["start"]), str(s["end"]), count(s["rows"]))
        chance = probability(s["p_wrong"])
        table.add_row(s["recording"], *numbers, s["label"], s["suggested"], chance)
    return table


def make_target_tables(summary: dict[str, Any]) -> list[tuple[str, Table]]:
    """The table of flagged rows with its title, and before it what explains them."""
    rows = [example for example in summary["examples"] if example["flagged"]][:TARGET_ROWS]
    if not rows:
        return []
    title = format_title(len(rows), summary["flagged"]["count"])
    slips = [f"{slip}." for slip in summary["hints"]]
    return [(" ".join([*slips, title]), _make_target_table(rows))]


def make_multilabel_tables(summary: dict[str, Any]) -> list[tuple[str, Table]]:
    """The tables of labels and of flagged rows, with their titles."""
    judged = [label for label in summary["per_label"] if label["has_skill"]]
    worst = sorted(judged, key=lambda label: -label["rate"]["estimate"])[:LABELS]
    which = "Labels" if len(worst) == len(judged) else f"The {LABELS} worst of {len(judged)} labels"
    rows = [example for example in summary["examples"] if example["flagged"]][:MULTILABEL_ROWS]
    title = format_title(len(rows), summary["flagged"]["count"])
    return [
        (f"{which}:", _make_label_table(worst)),
        *([(title, _make_multilabel_table(rows))] if rows else []),
    ]


def make_vote_tables(summary: dict[str, Any]) -> list[tuple[str, Table]]:
    """The tables, each with its title."""
    items = [example for example in summary["examples"] if example["flagged"]][:ITEMS]
    tables = []
    if items:
        flagged = plural(summary["flagged"]["count"], "flagged item")
        title = f"The {count(len(items))} most suspicious of {flagged}:"
        tables.append((title, _make_item_table(items)))
    tables.append(
        (_format_worker_title(summary), _make_worker_table(summary["workers"][-WORKERS:]))
    )
    tables.append(("Items to ask about next:", _make_asked_table(summary["asked"][:ASKED])))
    return tables


def _make_target_table(rows: list[dict[str, Any]]) -> Table:
    named = ["id"] if any(e["id"] is not None for e in rows) else []
    table = make_table(["row", *named], ["recorded", "expected", "low", "high", "p wrong"])
    table.add_column("hint")
    for e in rows:
        numbers = (e["label"], e["suggested"], e["low"], e["high"], probability(e["p_wrong"]))
        table.add_row(str(e["row"]), *(e[name] for name in named), *numbers, e["hint"])
    return table


def _make_label_table(labels: list[dict[str, Any]]) -> Table:
    table = make_table(["label"], ["rows", "missing", "wrongly set", "flagged"])
    for label in labels:
        rates = (percent(label[way]["estimate"]) for way in ("missing", "wrongly_set"))
        table.add_row(label["label"], count(label["rows"]), *rates, count(label["flagged"]))
    return table


def _make_multilabel_table(rows: list[dict[str, Any]]) -> Table:
    named = ["id"] if any(e["id"] is not None for e in rows) else []
    table = make_table(["row", *named, "labels", "changes"], ["p wrong"])
    for e in rows:
        cells = (e["label"], e["suggested"], probability(e["p_wrong"]))
        table.add_row(str(e["row"]), *(e[name] for name in named), *cells)
    return table


def list_vote_steps(summary: dict[str, Any], clean: str, folder: Path) -> list[str]:
    """The files written besides, and their use."""
    from ..report._classes import describe_worth  # here, as it brings NumPy

    return [
        describe_worth(summary["worth"]),
        f"All annotators: {folder / 'workers.csv'}",
        f"Which items to ask about next: {folder / 'ask.csv'}",
        "Write the items with their label, the consensus where the majority is probably wrong:",
        f"  {clean}",
    ]


def _make_item_table(items: list[dict[str, Any]]) -> Table:
    table = make_table(["item", "majority", "suggested"], ["p wrong"])
    table.add_column("votes")
    for item in items:
        chance = probability(item["p_wrong"])
        table.add_row(item["id"], item["label"], item["suggested"], chance, item["reasons"][0])
    return table


def _format_worker_title(summary: dict[str, Any]) -> str:
    """How many annotators there are, and how many of them may be guessing.

    >>> _format_worker_title({"annotators": 12, "guessing": 1, "workers": [{}] * 12})
    'The 10 least accurate of 12 annotators, 1 of whom may be guessing:'
    """
    number = summary["annotators"]
    guessing = summary["guessing"]
    shown = min(len(summary["workers"]), WORKERS)
    which = f"The {count(shown)} least accurate of {plural(number, 'annotator')}"
    if shown == number:
        which = f"The {plural(number, 'annotator')}"
    return which + (f", {count(guessing)} of whom may be guessing:" if guessing else ":")


def _make_worker_table(workers: list[dict[str, Any]]) -> Table:
    table = make_table(["annotator"], ["votes", "right", "between", "and"])
    table.add_column("most frequent mistake")
    for worker in workers:
        numbers = (percent(worker[name]) for name in ("accuracy", "low", "high"))
        confuses = worker["confuses"] or ""
        table.add_row(worker["worker"], count(worker["votes"]), *numbers, confuses)
    return table


def _make_asked_table(asked: list[dict[str, Any]]) -> Table:
    table = make_table(["item", "most probable"], ["votes", "probability"])
    for each in asked:
        chance = probability(each["p_consensus"])
        table.add_row(each["item"], each["consensus"], count(each["votes"]), chance)
    return table
