"""Options of commands, those of an audit first of all, and what the library calls them."""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from ._common import TitledOption
from ._installed import make_estimator


class _Number(click.FloatRange):
    """A number from 0 on, which "nan" is not, whatever it is compared with."""

    def __init__(self, words: str, high: float, *, min_open: bool = False) -> None:
        super().__init__(0, high, min_open=min_open)
        self.words = words

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is not in the range {self.words}.", param, ctx)
        return number


class _Jobs(click.ParamType):
    """How many things to do at the same time; more than there are cores would only cost memory."""

    name = "integer"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        number = click.INT.convert(value, param, ctx)
        if number == 0:
            self.fail("0 would do nothing; give 1 or more, or -1 for all cores.", param, ctx)
        return min(number, os.cpu_count() or 1)


FRACTION = _Number("0<=x<=1", 1)
FREQUENCY = _Number("0<x<=1000000000", 10**9, min_open=True)
JOBS = _Jobs()
PATH = click.Path(path_type=Path)
SEED = click.IntRange(0, 2**32 - 1)  # as NumPy's and scikit-learn's are


# Options by the title under which the help shows them.
input_option = partial(click.option, cls=TitledOption, title="What to audit")
column_option = partial(
    click.option, cls=TitledOption, title="What the columns mean", metavar="COLUMN"
)
method_option = partial(click.option, cls=TitledOption, title="How")
output_option = partial(click.option, cls=TitledOption, title="Output")
parts_option = partial(click.option, cls=TitledOption, title="Larger than memory")
kind_option = partial(click.option, cls=TitledOption, title="Other kinds of labels")


CLUSTER_OPTIONS = (
    parts_option(
        "--engine",
        type=click.Choice(["dask"]),
        help="Work on a Dask cluster, of this machine's cores unless --scheduler names another.",
    ),
    parts_option(
        "--scheduler", metavar="ADDRESS", help="Of a Dask cluster, as in tcp://10.0.0.1:8786."
    ),
)
AUDIT_OPTIONS = (
    input_option(
        "--label", "-l", common=True, metavar="COLUMN", help="The column of labels.  [required]"
    ),
    input_option(
        "--query",
        metavar="SQL",
        help="With FILE as in duckdb:shop.db: the select whose result is audited. It is kept in a "
        "file beside the audit.",
    ),
    input_option(
        "--decisions",
        common=True,
        type=PATH,
        help="What people decided in errata review. It replaces labels, or numbers, and is "
        "certain.",
    ),
    input_option(
        "--embeddings",
        type=PATH,
        help="What models look at instead of the columns: .npy, or a table, with a row for each "
        "row, in the same order or with the column of --id.",
    ),
    input_option(
        "--embed",
        multiple=True,
        metavar="COLUMN=MODULE:CALLABLE",
        help="Look at a column through a function that is installed: it is given the cells as a "
        "list and returns a row of numbers for each. Kept beside the audit, and not called again "
        "for the same cells. May be given several times.",
    ),
    input_option(
        "--pred-proba",
        type=PATH,
        help="Out-of-fold probabilities of the labels by a model of yours: .npy with columns in "
        "the order of the sorted labels, or a table with columns named as they are.",
    ),
    input_option("--pixels", metavar="HxW", help="The columns are pixels: show rows as pictures."),
    column_option(
        "--drop",
        common=True,
        multiple=True,
        help="Not a feature, such as a column that gives the label away. May be given several "
        "times.",
    ),
    column_option(
        "--trust",
        multiple=True,
        help="A feature even if it alone gives nearly every label away: it was measured "
        "independently. May be given several times.",
    ),
    column_option(
        "--group",
        common=True,
        help="Rows that belong together, such as visits of a patient. No model is fitted to one "
        "of them and applied to another.",
    ),
    column_option(
        "--known",
        common=True,
        help="Whether the label is certain (1 or 0). Such rows teach and are never flagged; true "
        "or false and yes or no will do, too.",
    ),
    column_option("--id", "name", common=True, help="What to call the rows in the report."),
    column_option(
        "--by",
        common=True,
        help="Where labels come from (annotator, site, month). Shows the noise of each; the "
        "column is no feature.",
    ),
    method_option(
        "--model",
        metavar="NAME",
        help="A classifier beside errata's own models: logistic, forest or boosting of "
        "scikit-learn, or any that is installed, as in lightgbm:LGBMClassifier.",
    ),
    method_option(
        "--model-args",
        metavar="JSON",
        help="With --model module:Class: its settings, as in '{\"n_estimators\": 200}'.",
    ),
    method_option(
        "--precision",
        type=FRACTION,
        help="Fraction of the flagged rows that should be wrong. [default: the best balance of "
        "false alarms and errors missed]",
    ),
    method_option(
        "--no-self-check", common=True, is_flag=True, help="Plant no errors; takes half the time."
    ),
    method_option("--seed", type=SEED, default=0, show_default=True, help="Seed of every draw."),
    method_option(
        "--jobs",
        common=True,
        type=JOBS,
        default=1,
        show_default=True,
        help="Threads; -1 for all cores.",
    ),
    output_option(
        "--out",
        "-o",
        common=True,
        type=PATH,
        help="Folder for what was found. [default: FILE with .audit]",
    ),
    output_option(
        "--out-table",
        metavar="TABLE",
        help="With --query: write the ranked rows to a new table of the database, too.",
    ),
    output_option("--json", "as_json", common=True, is_flag=True, help="Print the result as JSON."),
    output_option(
        "--compare-to",
        type=PATH,
        metavar="AUDIT",
        help="An earlier audit: say what changed since, in summary.md, too.",
    ),
    output_option(
        "--fail-above",
        "most_wrong",
        common=True,
        type=FRACTION,
        metavar="RATE",
        help="Exit with code 1 when more of the labels are wrong. Also when it cannot be known; "
        "for pipelines.",
    ),
    output_option(
        "--force", common=True, is_flag=True, help="Replace an audit that is there already."
    ),
    parts_option(
        "--memory",
        metavar="SIZE",
        help="Read the table in parts that fit into so much memory, as in 2GB. A folder, a "
        "pattern and a file that may not fit are read in parts anyway.",
    ),
    *CLUSTER_OPTIONS,
    parts_option(
        "--no-resume",
        is_flag=True,
        help="Start anew where an audit of a table read in parts was stopped.",
    ),
    kind_option(
        "--target",
        common=True,
        metavar="COLUMN",
        help="Numbers instead of labels. The column that a regression would predict.",
    ),
    kind_option(
        "--labels",
        common=True,
        multiple=True,
        metavar="COLUMN",
        help="Several labels per row. A column of lists, or of text such as 'cat; dog', or "
        "columns of 0 and 1, also by a pattern in quotes such as 'is_*'. May be given several "
        "times.",
    ),
    kind_option(
        "--item",
        common=True,
        metavar="COLUMN",
        help="FILE holds votes, one per row: the column of items.",
    ),
    kind_option(
        "--worker", common=True, metavar="COLUMN", help="With --item: the column of annotators."
    ),
    kind_option(
        "--features",
        type=PATH,
        metavar="TABLE",
        help="With --item: a file with a row for each item, in which --id names its column of "
        "items. [default: that of --item]",
    ),
    kind_option(
        "--sequence",
        common=True,
        metavar="COLUMN",
        help="Rows in the order of time: the column of recordings. Finds stretches of wrong "
        "labels; looks at columns of numbers only.",
    ),
    kind_option(
        "--wavelets",
        multiple=True,
        metavar="COLUMN",
        help="With --sequence: look at this signal alone, through wavelets at seven scales. May "
        "be given several times.",
    ),
    kind_option("--fs", type=FREQUENCY, metavar="HZ", help="With --wavelets: samples per second."),
    kind_option(
        "--band",
        type=(FREQUENCY, FREQUENCY),
        metavar="LOW HIGH",
        help="With --wavelets: frequencies that are kept, in Hz; 3 30 for an electrocardiogram. "
        "[default: all]",
    ),
)


def add_options(options: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Add options to a command, whose help shows them in this order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


# What the library calls an option, where that is not its own name.
ARGUMENTS = {
    "group": "groups",
    "name": "ids",
    "pixels": "image_shape",
    "model": "estimator",
    "seed": "random_state",
    "jobs": "n_jobs",
    "pair": "pairs",
    "per_row": "exact",
}


def read_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Options of ``errata audit`` as arguments of the library."""
    renamed = {ARGUMENTS.get(name, name): value for name, value in options.items()}
    arguments = renamed.pop("model_args")
    if options["model"] is not None or arguments is not None:
        renamed["estimator"] = make_estimator(
            options["model"], arguments, options["seed"], options["jobs"]
        )
    return renamed | {
        "self_check": not renamed.pop("no_self_check"),
        "image_shape": _read_size(options["pixels"]),
    }


def name_options(sentence: str) -> str:
    """A sentence of the library in terms of the command line.

    >>> name_options("`ids` and `pred_proba` cannot both be given.")
    '--id and --pred-proba cannot both be given.'
    """
    options = {argument: option for option, argument in ARGUMENTS.items()} | {"ids": "id"}

    def spell(argument: re.Match[str]) -> str:
        name = options.get(argument[1], argument[1])
        return f"--{name.replace('_', '-')}"

    return re.sub("`([a-z_]+)`", spell, sentence)


def _read_size(pixels: str | None) -> tuple[int, ...] | None:
    """Height, width and perhaps colours of rows that are pictures."""
    if pixels is None:
        return None
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", pixels.lower()):
        raise ValueError(f"--pixels {pixels} is not a size; write height and width as in 28x28.")
    return tuple(map(int, pixels.lower().split("x")))


@contextmanager
def open_engine(engine: str | None, scheduler: str | None) -> Iterator[Any]:
    """The ``engine`` of the library: None, or the client of a cluster, which has answered."""
    if engine is None:
        if scheduler is not None:
            raise ValueError("--scheduler names a Dask cluster, so it needs --engine dask.")
        yield None
        return
    # Here, as importing the library takes longer than showing the help should.
    from .._engine import connect, start_local_client

    with start_local_client() if scheduler is None else connect(scheduler) as client:
        yield client
