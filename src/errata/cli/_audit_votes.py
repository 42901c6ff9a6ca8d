"""``errata audit --item --worker``: votes of several annotators."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import errata

from ._columns import check_filled, check_known, column, with_pictures
from ._options import Options


def run(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
    """The audit of the votes in a file; its items are called by their own names."""
    votes = errata.tables.read_table(file)
    item, worker = str(options.item), str(options.worker)
    check_known([item, worker, options.label], votes.column_names, file)
    _check_roles(options)
    left_out = [*options.drop, *(name for name in (options.group, options.by) if name)]
    table = None if options.features is None else _features(options.features, options, left_out)
    found: Any = errata.audit_votes(
        votes,
        item=item,
        worker=worker,
        label=options.label,
        X=None if options.features is None else _seen_from_here(table, options.features, item),
        estimator=options.estimator(),
        groups=None if options.group is None else _groups(table, options.group),
        precision=options.precision,
        title=file.name,
        drop=left_out,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=progress,
    )
    if options.features is not None:
        found.about["features_table"] = str(options.features.resolve())
        found.about["id"] = options.name or options.item
        found.for_review = found.for_review.showing(table)
    return found, None


def _seen_from_here(table: Any, file: Path, item: str) -> Any:
    """Names of pictures as they are from here; those of items as the votes have them."""
    seen, place = with_pictures(table, file), table.column_names.index(item)
    return seen.set_column(place, item, table.column(place))


def _check_roles(options: Options) -> None:
    """Raise where an option would have no effect, or a column two roles."""
    named = (options.item, options.worker, options.label)
    if len(set(named)) < len(named):
        raise ValueError("--item, --worker and --label must name three different columns.")
    if options.features is None:
        of_table = {
            "--drop": options.drop,
            "--group": options.group,
            "--id": options.name,
            "--by": options.by,
            "--model": options.model,
        }
        for option, value in of_table.items():
            if value:
                raise ValueError(
                    f"{option} is for a table of the items; say which with --features."
                )


def _features(path: Path, options: Options, left_out: list[str]) -> Any:
    """The table of the items, whose names are in the column called as in the votes."""
    table, name = errata.tables.read_table(path), options.name or str(options.item)
    if name not in table.column_names and options.name is None:
        raise ValueError(
            f"{path} has no column {name!r} that says which item each row is; name it with --id."
        )
    check_known([name, *left_out], table.column_names, path)
    if name in left_out:
        raise ValueError(f"column {name!r} names the items, so it is no feature anyway.")
    if name != options.item and options.item in table.column_names:
        raise ValueError(
            f"--id {name} is to name the items, but {path} has a column {options.item!r}, too; "
            "leave --id out, or rename that column."
        )
    names = [options.item if each == name else each for each in table.column_names]
    return table.rename_columns(names)


def _groups(table: Any, name: str) -> Any:
    cells = column(table, name)
    check_filled(cells, name, "group")
    return cells
