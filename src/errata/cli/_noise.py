"""``errata noise``: plant wrong labels or numbers in a table and keep the truth."""

from pathlib import Path

import click

import errata

from .._files import name_beside
from .._format import count, percent, plural
from ._common import clean_up, say
from ._options import FRACTION, PATH, SEED

# As in the library, which the help does not wait for.
KINDS = (
    *("uniform", "cyclic", "pairwise", "transition", "boundary", "region", "density"),
    *("swap", "gross", "shift", "unit"),
)


@click.command(short_help="Plant wrong labels, or wrong numbers, in TABLE.")
@click.argument("table", type=PATH)
@click.option("--label", "-l", metavar="COLUMN", help="The column of labels.  [required]")
@click.option("--target", metavar="COLUMN", help="Numbers instead of labels.")
@click.option("--rate", "-r", type=FRACTION, help="Fraction of wrong labels, or numbers.")
@click.option(
    "--kind",
    "-k",
    type=click.Choice(KINDS),
    help="How labels go wrong; see above. [default: uniform, with --target swap]",
)
@click.option(
    "--pair",
    "pairs",
    type=(str, str),
    multiple=True,
    metavar="CLASS CLASS",
    help="Classes confused with each other (kind pairwise; may be given several times).",
)
@click.option(
    "--transition",
    type=PATH,
    help="CSV of P(label | class): a first column of classes, then one column per label "
    "(kind transition).",
)
@click.option("--per-row", is_flag=True, help="Draw every row by itself, not an exact fraction.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of every draw.")
@click.option(
    "--out",
    "-o",
    required=True,
    type=PATH,
    help="The noisy table, in the format of TABLE; a folder for several files.",
)
@click.option(
    "--truth",
    type=PATH,
    help="Where to write what is true, row by row. [default: OUT with .truth.csv]",
)
@click.option("--force", is_flag=True, help="Overwrite files that are there already.")
def noise(
    table: Path,
    label: str | None,
    target: str | None,
    rate: float | None,
    kind: str | None,
    pairs: tuple[tuple[str, str], ...],
    transition: Path | None,
    per_row: bool,
    seed: int,
    out: Path,
    truth: Path | None,
    force: bool,
) -> None:
    """Plant wrong labels in TABLE, or wrong numbers, and keep the truth.

    TABLE is CSV, TSV or JSON lines (all also with .gz), Parquet, Feather or Excel; or a folder of
    such files, or a quoted pattern such as "visits-*.csv", and then OUT is a folder of files with
    the same names; or a folder with a folder of pictures for each class. Every value outside the
    label column stays as it is. The truth goes to a table of its own with the columns row, label,
    class and flipped, so that a detector can be measured by it.

    \b
    Kinds:
      uniform     any label, any wrong class
      cyclic      each class is taken for the next
      pairwise    the classes of each --pair are confused
      transition  by the matrix in --transition, without --rate
      boundary    near the boundary of a logistic regression, for the runner-up
      region      in one neighbourhood that holds a quarter of the rows
      density     where rows are few
    The last three look at the numeric columns.

    \b
    Kinds with --target, whose truth has the columns row, recorded, target and changed:
      swap        the value of another row
      gross       far off, ten times too much or too little, or without its sign
      shift       1.5 standard deviations up or down
      unit        inches for centimetres, in a third of the table

    \b
    Examples:
      errata noise iris.csv --label species --rate 0.2 -o noisy.csv
      errata noise iris.csv -l species -k pairwise --pair versicolor virginica -r 0.3 -o noisy.csv
      errata noise visits/ -l outcome -r 0.1 -o noisy
      errata noise homes.csv --target price --kind gross -r 0.05 -o noisy.csv
    """
    clean_up(out.parent, (truth or out).parent)
    changed = errata.plant_errors(
        table,
        out,
        label,
        target=target,
        rate=rate,
        kind=kind,
        pairs=pairs,
        transition=transition,
        exact=not per_row,
        truth=truth,
        force=force,
        random_state=seed,
    )
    wrong = int(changed.sum())
    what = plural(len(changed), "label" if target is None else "number")
    say(f"Changed {count(wrong)} of {what} ({percent(wrong / len(changed))}).")
    say(f"Wrote {out} and the truth to {truth or name_beside(out, '.truth', ending='.csv')}.")
