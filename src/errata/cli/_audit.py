"""``errata audit``: which labels of a table are wrong, with a report to look at."""

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

import errata

from .._optional import require
from ._columns import check_filled, check_known, check_labels
from ._console import console
from ._findings import print_findings
from ._folder import beside, new_folder

MODELS = ("logistic", "forest", "boosting")


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--label", "-l", required=True, metavar="COLUMN", help="The column of labels.")
@click.option(
    "--out",
    "-o",
    type=click.Path(path_type=Path),
    help="Folder for what was found. [default: FILE with .audit]",
)
@click.option(
    "--drop",
    multiple=True,
    metavar="COLUMN",
    help="Not to be learnt from: columns that give the label away, or mean nothing. May be given "
    "several times.",
)
@click.option(
    "--trust",
    multiple=True,
    metavar="COLUMN",
    help="Measured independently of the label: not to be left out even if it gives nearly every "
    "label away. May be given several times.",
)
@click.option(
    "--group",
    metavar="COLUMN",
    help="Rows that belong together (a patient, a document) are never judged by each other.",
)
@click.option("--id", "name", metavar="COLUMN", help="What to call the rows in the report.")
@click.option(
    "--precision",
    type=click.FloatRange(0, 1),
    help="Share of the flagged rows that should be wrong. [default: the best balance of false "
    "alarms and errors missed]",
)
@click.option("--no-self-check", is_flag=True, help="Plant no errors; takes half the time.")
@click.option("--pixels", metavar="HxW", help="The columns are pixels: show rows as pictures.")
@click.option(
    "--model",
    type=click.Choice(MODELS),
    help="Hear one of scikit-learn's classifiers as well as errata's own.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of all draws.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Threads; -1 for all cores.")
@click.option(
    "--fail-above",
    type=click.FloatRange(0, 1),
    metavar="RATE",
    help="End with exit code 1 when a larger share of the labels is wrong, or when that cannot be "
    "judged, for pipelines.",
)
@click.option("--force", is_flag=True, help="Replace an audit that is there already.")
def audit(
    file: Path,
    label: str,
    out: Path | None,
    drop: tuple[str, ...],
    trust: tuple[str, ...],
    group: str | None,
    name: str | None,
    precision: float | None,
    no_self_check: bool,
    pixels: str | None,
    model: str | None,
    seed: int,
    jobs: int,
    fail_above: float | None,
    force: bool,
) -> None:
    """Find the wrong labels in FILE.

    FILE is CSV, TSV or JSON lines (all also with .gz), Parquet or Feather; it may hold numbers,
    categories, text, dates and empty cells. Several quick models say of each row how probable its
    label is, without having learnt from that row. Then errors are planted on purpose in a copy of
    the labels, to see how many of them are found on this very table.

    \b
    In the folder you find:
      report.html               a page to look at, offline
      suspects.csv              all rows, the most suspicious first
      audit.json, rows.parquet  for errata clean, and errata.Audit.load in Python

    \b
    Examples:
      errata audit train.csv --label species
      errata audit visits.parquet -l outcome --group patient --drop billing_code
      errata audit train.csv -l species --fail-above 0.05
    """
    for module, extra in (("pyarrow", "tables"), ("jinja2", "report")):
        require(module, extra=extra)  # now, not after the work
    # scikit-learn's remarks are for those who wrote the code, not for those who brought the table.
    warnings.filterwarnings("ignore", module="sklearn")
    warnings.filterwarnings("ignore", "The number of unique classes")
    shape = None if pixels is None else _shape(pixels)
    out = out or beside(file, ".audit", ending="")
    with errata.tables.readable(file):
        pass  # when it is missing, that is the first thing to say
    with new_folder(out, force=force) as folder, _progress() as progress:
        columns = _columns(file, label, drop, group, name, trust)
        ids = None if name is None else columns[name]
        groups = None if group is None else columns[group].astype(str)
        table = {key: c for key, c in columns.items() if key not in (*drop, group, name)}
        _check_width(table, label, shape)
        found = errata.audit(
            table,
            label,
            estimator=_model(model, seed, jobs),
            groups=groups,
            trust=list(trust),
            ids=ids,
            precision=precision,
            self_check=not no_self_check,
            image_shape=shape,
            title=file.name,
            random_state=seed,
            n_jobs=jobs,
            progress=progress,
        )
        found.notes.extend(_about_ids(ids, name))
        found.about["table"] = str(file.resolve())
        progress("writing the report")
        _write(found, folder, ids)
    print_findings(found, file=file, folder=out, terminal=console())
    _judge_rate(found, fail_above)


def _columns(
    file: Path,
    label: str,
    drop: tuple[str, ...],
    group: str | None,
    name: str | None,
    trust: tuple[str, ...],
) -> dict[str, Any]:
    """All columns of the table, when those that were named are what they should be."""
    columns = errata.tables.read_columns(file)
    named = {"--drop": drop, "--group": (group,), "--id": (name,)}
    others = {key: option for option, keys in named.items() for key in keys if key is not None}
    check_known([label, *others, *trust], columns, file)
    asked = dict.fromkeys(trust, "--trust") | others
    if label in asked:
        raise ValueError(f"column {label!r} holds the labels; leave it out of {asked[label]}.")
    _check_trust(trust, others)
    check_labels(columns[label], label)
    if group is not None:
        check_filled(columns[group], group, "group")
    if not set(columns) - {label, *others}:
        raise ValueError(f"no column of {file} is left to learn from, besides the labels.")
    return columns


def _check_trust(trust: tuple[str, ...], others: dict[str, str]) -> None:
    """Raise when a column to be trusted is one that is not learnt from."""
    for key in trust:
        if key in others:
            raise ValueError(
                f"column {key!r} is in --trust and in {others[key]}; only a column that is learnt "
                "from can be trusted, so leave it out of one of them."
            )


def _shape(pixels: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", pixels.lower()):
        raise ValueError(f"--pixels {pixels} is no size; write height and width as in 28x28.")
    return tuple(map(int, pixels.lower().split("x")))


def _check_width(table: dict[str, Any], label: str, shape: tuple[int, ...] | None) -> None:
    if shape is None:
        return
    wanted = 1
    for side in shape:
        wanted *= side
    if len(table) - 1 != wanted:
        raise ValueError(
            f"--pixels {'x'.join(map(str, shape))} takes {wanted} columns, but there are "
            f"{len(table) - 1} besides the labels; leave out others with --drop."
        )
    words = [key for key, c in table.items() if key != label and errata.tables.numbers(c) is None]
    if words:
        raise ValueError(f"--pixels takes numbers, but column {words[0]!r} holds something else.")


def _model(name: str | None, seed: int, jobs: int) -> Any:
    """One of scikit-learn's classifiers, with settings that suit most tables."""
    if name is None:
        return None
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if name == "logistic":
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    if name == "forest":
        return RandomForestClassifier(200, min_samples_leaf=2, random_state=seed, n_jobs=jobs)
    return HistGradientBoostingClassifier(random_state=seed)


def _about_ids(ids: Any, name: str | None) -> list[str]:
    if ids is None:
        return []
    twice = [key for key, count in Counter(map(str, ids.tolist())).items() if count > 1]
    if not twice:
        return []
    return [f"{len(twice)} ids in {name!r} stand for several rows each (the first is {twice[0]})."]


def _write(found: Any, folder: Path, ids: Any) -> None:
    """The audit, its report, and the ranked list."""
    found.save(folder)
    found.report(folder / "report.html")
    order = (-found.suspicion).argsort(kind="stable")
    columns = found.columns() | ({} if ids is None else {"id": ids})
    columns["p_wrong"] = columns["p_wrong"].round(4)
    columns["flagged"] = columns["flagged"].astype(int)
    wanted = ["row", *(() if ids is None else ("id",)), "label", "suggested", "p_wrong", "flagged"]
    errata.tables.write_columns(
        folder / "suspects.csv", {key: columns[key][order] for key in wanted}
    )


def _judge_rate(found: Any, most: float | None) -> None:
    """End with exit code 1 where too many labels are wrong, or nobody knows how many."""
    rate = found.noise_rate
    if most is None:
        return
    if not found.has_skill and rate.high > most:
        why = f"Whether more than --fail-above {most:.1%} of the labels are wrong cannot be judged."
    elif found.has_skill and rate.estimate > most:
        why = f"Too many labels are wrong: {rate.estimate:.1%}, more than --fail-above {most:.1%}."
    else:
        return
    click.echo(why, err=True)
    raise SystemExit(1)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """The stage the audit is at, on a terminal; silence elsewhere."""
    terminal = Console(stderr=True, highlight=False, markup=False)
    if not terminal.is_terminal:
        yield lambda _: None
        return
    with terminal.status("reading the table ...") as status:
        yield lambda stage: status.update(f"{stage} ...")
