"""``errata noise``: plant wrong labels or numbers in a table and keep the truth."""

from pathlib import Path
from typing import Any

import click

import errata

from .._files import atomic_folder, atomic_path
from .._format import count, instead, join_names, percent, plural
from ._console import say
from ._folder import clean_up, name_beside
from ._options import FRACTION, SEED

_KINDS = ("uniform", "cyclic", "pairwise", "transition", "boundary", "region", "density")

KINDS = ("swap", "gross", "shift", "unit")


@click.command(short_help="Plant wrong labels, or wrong numbers, in TABLE.")
@click.argument("table", type=click.Path(path_type=Path))
@click.option("--label", "-l", metavar="COLUMN", help="The column of labels.  [required]")
@click.option("--target", metavar="COLUMN", help="Numbers instead of labels.")
@click.option("--rate", "-r", type=FRACTION, help="Fraction of wrong labels, or numbers.")
@click.option(
    "--kind",
    "-k",
    type=click.Choice((*_KINDS, *KINDS)),
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
    type=click.Path(path_type=Path),
    help="CSV of P(label | class): a first column of classes, then one column per label "
    "(kind transition).",
)
@click.option("--per-row", is_flag=True, help="Draw every row by itself, not an exact fraction.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of every draw.")
@click.option(
    "--out",
    "-o",
    required=True,
    type=click.Path(path_type=Path),
    help="The noisy table, in the format of TABLE; a folder for several files.",
)
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
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
    from ..tables.stored._files import check_new_file, check_new_folder, list_files

    files = list_files(table)
    if not out.name:  # ".", which has nothing beside it
        raise IsADirectoryError(f"{out} is a folder; give the name of a file or a new folder.")
    truth = truth or name_beside(out, ".truth", ending=".csv")
    _check_paths(table, out, truth)
    if not files:
        check_new_file(table, out, force=force)
    _check_not_there([truth], force)
    if files:
        check_new_folder(table, files, out, force=force)
        _check_beside(table, out, truth)
    kind = kind or ("uniform" if target is None else KINDS[0])
    _check_options(kind, rate, pairs, transition)
    if target is not None or kind in KINDS:
        _check_numbers(files, label, target, kind, per_row)
        _plant_numbers(table, str(target), kind, rate, seed, out, truth)
        return
    find_label = errata.auditing._audit_file.find_label
    label = find_label(label, files[0] if files else table, or_target=True)
    clean_up(out.parent, truth.parent)
    labels = _read_labels(files or [table], label)
    how = _flip_arguments(kind, files or [table], label, labels, rate, pairs, transition, seed)
    noisy, flipped = errata.noise.flip_labels(labels, exact=not per_row, random_state=seed, **how)
    columns = {"row": range(len(labels)), "label": noisy, "class": labels, "flipped": 1 * flipped}
    with atomic_path(truth) as temporary:  # both, or none
        errata.tables.write_table(temporary, columns, guard_formulas=True)
        if files:
            _copy_files(files, out, label, noisy)
        else:
            errata.tables.copy_with_column(table, out, label, noisy)
    _print_result(flipped, "label", out, truth)


def _check_numbers(
    files: Any, label: str | None, target: str | None, kind: str, per_row: bool
) -> None:
    """Raise for what does not go with numbers."""
    if target is None:
        raise ValueError(f"--kind {kind} is for numbers; name their column with --target.")
    if label is not None:
        raise ValueError("--label and --target cannot both be given; plant one kind of noise.")
    if kind not in KINDS:
        raise ValueError(f"--kind {kind} is for labels; of numbers, known are {join_names(KINDS)}.")
    if per_row:
        raise ValueError("--per-row is for labels; leave it out with --target.")
    if files:
        raise ValueError("--target takes one file; give the name of one.")


def _plant_numbers(
    table: Path, target: str, kind: str, rate: float | None, seed: int, out: Path, truth: Path
) -> None:
    """Write the table with errors in its numbers, and the table of the truth."""
    if rate is None:
        raise ValueError("say how much noise: --rate with a number between 0 and 1.")
    numbers = errata.auditing.numbers
    given = numbers.read_targets(errata.tables.read_table(table), target)
    by = _find_numbers(given.table) if kind == "unit" else None
    noisy, changed = errata.noise.disturb_targets(
        given.targets, rate, kind=kind, by=by, random_state=seed
    )
    digits = numbers.find_digits(given.targets[given.has_target])
    column = errata.tables.read_table(table, [target])
    cells = errata.tables._columns.column_array(column, target).tolist()
    new = numbers.write_numbers(cells, changed, noisy, digits)
    columns = {
        "row": range(len(noisy)),
        "recorded": noisy,
        "target": given.targets,
        "changed": 1 * changed,
    }
    clean_up(out.parent, truth.parent)
    with atomic_path(truth) as temporary:  # both, or none
        errata.tables.write_table(temporary, columns, guard_formulas=True)
        errata.tables.copy_with_column(table, out, target, new)
    _print_result(changed, "number", out, truth)


def _print_result(changed: Any, what: str, out: Path, truth: Path) -> None:
    wrong = int(changed.sum())
    n = len(changed)
    say(f"Changed {count(wrong)} of {plural(n, what)} ({percent(wrong / n)}).")
    say(f"Wrote {out} and the truth to {truth}.")


def _read_labels(files: list[Path], label: str) -> Any:
    from ..tables.stored._files import read_column  # here, as it brings NumPy

    labels = read_column(files, label)
    errata.auditing._audit_file.check_labels(labels, label)
    return labels


def _copy_files(files: list[Path], out: Path, label: str, noisy: Any) -> None:
    def rewrite(cells: list[Any], start: int, *where: Any) -> tuple[list[bool], list[Any]]:
        new = noisy[start : start + len(cells)].tolist()
        # A cell that stays is left as its file has it: 1 where another file has made it 1.0.
        return [True] * len(cells), [a if a == b else b for a, b in zip(cells, new, strict=True)]

    from ..tables.stored._files import copy_files

    with atomic_folder(out) as folder:
        copy_files(files, folder, label, rewrite)


def _check_options(kind: str, rate: float | None, pairs: tuple, transition: Path | None) -> None:
    # An option that has no effect would leave the user with noise of another kind than asked for.
    if pairs and kind != "pairwise":
        raise ValueError(f"--pair belongs to --kind pairwise, not to {kind}.")
    if transition and kind != "transition":
        raise ValueError(f"--transition belongs to --kind transition, not to {kind}.")
    if rate is not None and kind == "transition":
        raise ValueError("--kind transition takes its rates from the matrix; leave out --rate.")


def _flip_arguments(
    kind: str,
    files: list[Path],
    label: str,
    labels: Any,
    rate: float | None,
    pairs: tuple[tuple[str, str], ...],
    transition: Path | None,
    seed: int,
) -> dict[str, Any]:
    """The arguments of ``flip_labels`` for each kind of noise."""
    if kind == "transition":
        return {"transition": _read_transition(transition, labels)}
    if rate is None:
        raise ValueError("say how much noise: --rate with a number between 0 and 1.")
    if kind == "uniform":
        return {"rate": rate}
    classes = sorted(set(labels.tolist()))
    if kind == "cyclic":
        return {"transition": errata.noise.NoiseModel.cyclic(len(classes), rate)}
    if kind == "pairwise":
        places = _find_places(pairs, classes)
        return {"transition": errata.noise.NoiseModel.pairwise(len(classes), places, rate)}
    return _flip_proba(kind, _read_features(files, label), labels, rate, seed)


def _flip_proba(kind: str, X: Any, labels: Any, rate: float, seed: int) -> dict[str, Any]:
    if kind == "region":
        return {"flip_proba": errata.noise.region_flip_proba(X, rate, random_state=seed)}
    if kind == "density":
        return {"flip_proba": errata.noise.density_flip_proba(X, rate)}
    # The model that says where the boundary is also says which class is the runner-up.
    proba = errata.noise.reference_proba(X, labels, random_state=seed)
    return {"flip_proba": errata.noise.boundary_flip_proba(proba, rate), "target": proba}


def _read_transition(path: Path | None, labels: Any) -> Any:
    if path is None:
        raise ValueError("kind transition needs the matrix: --transition FILE.")
    first, *columns = errata.tables._columns.columns_of(errata.tables.read_table(path))
    by_name = {column.name: column for column in columns}
    classes = first.array().tolist()
    names = list(by_name)
    if sorted(classes) != sorted(names):
        raise ValueError(
            f"{path} must name the same classes in its first column and in its header; "
            f"it has {join_names(classes)} and {join_names(names)}."
        )
    return errata.noise.NoiseModel(
        list(zip(*(_read_probabilities(by_name[name], path) for name in classes), strict=True)),
        classes=_match_type(labels, classes),
    )


def _match_type(labels: Any, names: list[str]) -> list:
    """The names with the type of the labels: CSV says "1" where a Parquet table says 1."""
    by_text = {str(label): label for label in labels.tolist()}
    return [by_text.get(name, name) for name in names]


def _read_probabilities(column: Any, path: Path) -> Any:
    values = errata.tables._columns.numbers(column.values)
    if values is None:
        raise ValueError(f"column {column.name!r} of {path} holds something that is not a number.")
    return values


def _find_places(pairs: tuple[tuple[str, str], ...], classes: list) -> list[tuple[int, int]]:
    if not pairs:
        raise ValueError("kind pairwise needs the classes that are confused: --pair CLASS CLASS.")
    names = [str(name) for name in classes]
    unknown = [name for pair in pairs for name in pair if name not in names]
    if unknown:
        hint = instead(unknown[0], names, what="classes")
        raise ValueError(f"there is no class {unknown[0]!r}; {hint}")
    alone = [a for a, b in pairs if a == b]
    if alone:
        raise ValueError(f"--pair {alone[0]} {alone[0]} names one class twice; name two classes.")
    return [(names.index(a), names.index(b)) for a, b in pairs]


def _read_features(files: list[Path], label: str) -> Any:
    """The numeric columns, each with mean 0 and standard deviation 1."""
    from ..tables.stored._files import read_files

    columns = errata.tables._columns.columns_of(read_files(files))
    values = {c.name: errata.tables._columns.numbers(c.values) for c in columns if c.name != label}
    # The spread of a column with gaps is NaN and not 0, so that it is kept and named below.
    numeric = {name: v for name, v in values.items() if v is not None and v.std() != 0}
    missing = [name for name, v in numeric.items() if v.sum() != v.sum()]
    if missing:
        raise ValueError(f"column {missing[0]!r} has empty cells; this kind of noise needs values.")
    if not numeric:
        raise ValueError(f"{files[0]} has no numeric column that varies, and this kind needs one.")
    # Lists and zip: nothing in the command line imports NumPy itself.
    scaled = [(v - v.mean()) / v.std() for v in numeric.values()]
    return list(zip(*scaled, strict=True))


def _check_paths(table: Path, out: Path, truth: Path) -> None:
    if len({path.resolve() for path in (table, out, truth)}) < 3:
        raise ValueError("the table, --out and --truth must be three different files.")


def _check_beside(table: Path, out: Path, truth: Path) -> None:
    """Raise when the truth would be one of the files of a folder of tables."""
    for folder in (out, table):
        if truth.resolve().is_relative_to(folder.resolve()):
            raise ValueError(f"--truth {truth} is in {folder}, among the tables; put it elsewhere.")


def _check_not_there(paths: list[Path], force: bool) -> None:
    there = [path for path in paths if path.exists()]
    if there and not force:
        raise ValueError(f"{there[0]} exists already; choose another name, or pass --force.")


def _find_numbers(table: Any) -> Any:
    """The first column of numbers without gaps: where units are confused depends on it."""
    for column in errata.tables._columns.columns_of(table):
        values = errata.tables._columns.numbers(column.values)
        if values is not None and (values == values).all():
            return values
    raise ValueError("--kind unit needs a column of numbers without gaps besides the target.")
