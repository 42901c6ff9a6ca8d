"""The kinds of audits that ``errata audit`` can make: by the columns it is told, it knows which."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import errata

from .._format import listed
from .._kinds import CLASSES, KINDS, Kind
from ._columns import (
    check_features,
    check_known,
    check_labels,
    check_pixels,
    check_roles,
    get_column,
    join_pictures,
    read_filled,
    read_labels,
    suggest_source,
)
from ._folder import describe_other_files
from ._options import Options

# Options that mean the same for every kind.
FOR_ALL = ("drop", "group", "name", "by", "precision", "no_self_check", "seed", "jobs")


def audit_classes(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
    """The audit of the labels in a file, and what its rows are called."""
    shape = options.image_shape  # a misspelt size is found out before a large table is read
    options.check_sequence()
    table = errata.tables.read_table(file)
    named = [options.label, *options.left_out, *options.trust, *options.wavelets]
    check_known(named, table.column_names, file)
    check_roles(options)
    labels = read_labels(table, options.label)
    check_labels(labels, options.label, may_be_blank=options.sequence is None)
    kept = table.drop_columns([*options.left_out, options.label])
    if options.wavelets:
        kept = kept.select(list(options.wavelets))
    if kept.num_columns == 0 and options.embeddings is None and options.pred_proba is None:
        raise ValueError(f"no column of {file} is left to learn from, besides the labels.")
    check_pixels(kept, shape)
    name = "picture" if options.name is None and file.is_dir() else options.name
    ids = None if name is None else get_column(table, name)
    seen = join_pictures(kept, file) if kept.num_columns else None
    found: Any = errata.audit(
        seen,
        labels,
        estimator=options.estimator(),
        **read_besides(file, len(labels), ids, options),
        groups=read_filled(table, options.group, "group"),
        sequence=read_filled(table, options.sequence, "recording"),
        wavelets=options.wavelet_features(),
        trust=list(options.trust),
        known=None if options.known is None else get_column(table, options.known),
        decisions=options.decisions,
        keys=errata.tables.row_keys(table, options.label),
        ids=ids,
        precision=options.precision,
        self_check=not options.no_self_check,
        image_shape=shape,
        title=file.name,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=progress,
    )
    found.about["label"] = options.label
    decided = options.decisions
    found.about["decisions"] = None if decided is None else str(decided.resolve())
    found.digests = errata.tables.row_digests(table)
    found.notes.extend(describe_other_files(file))
    if options.by is None:
        found.notes.extend(suggest_source(seen))
    if shape is None:  # columns that models never saw may tell a person something
        found.for_review = found.for_review.showing(table.drop_columns([options.label]))
    return found, ids


def audit_votes(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
    """The audit of the votes in a file; its items are called by their own names."""
    votes = errata.tables.read_table(file)
    item = str(options.item)
    worker = str(options.worker)
    check_known([item, worker, options.label], votes.column_names, file)
    _check_roles(options)
    left_out = [*options.drop, *(name for name in (options.group, options.by) if name)]
    table = None if options.features is None else _read_items(options.features, options, left_out)
    found: Any = errata.audit_votes(
        votes,
        item=item,
        worker=worker,
        label=options.label,
        X=None if options.features is None else _join_pictures(table, options.features, item),
        estimator=options.estimator(),
        groups=read_filled(table, options.group, "group"),
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


def audit_targets(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
    """The audit of the targets in a file, and what its rows are called."""
    target = str(options.target)
    table = errata.tables.read_table(file)
    check_known([target, *options.left_out, *options.trust], table.column_names, file)
    trusted = dict.fromkeys(options.trust, "--trust")
    asked = trusted | options.left_out
    if target in asked:
        raise ValueError(f"column {target!r} holds the targets; leave it out of {asked[target]}.")
    check_features(trusted, options)
    kept = table.drop_columns(list(options.left_out))
    if kept.num_columns == 1 and options.embeddings is None:
        raise ValueError(f"no column of {file} is left to learn from, besides the targets.")
    ids = None if options.name is None else get_column(table, options.name)
    found: Any = errata.audit_targets(
        join_pictures(kept, file),
        target,
        **read_besides(file, table.num_rows, ids, options),
        groups=read_filled(table, options.group, "group"),
        trust=list(options.trust),
        decisions=options.decisions,
        keys=errata.tables.row_keys(table, target),
        ids=ids,
        precision=options.precision,
        self_check=not options.no_self_check,
        title=file.name,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=progress,
    )
    found.digests = errata.tables.row_digests(table)
    decided = options.decisions
    found.about["decisions"] = None if decided is None else str(decided.resolve())
    # Columns that models never saw may tell a person something.
    found.for_review = found.for_review.showing(table.drop_columns([target]))
    return found, ids


def audit_multilabel(
    file: Path, options: Options, progress: Callable[[str], None]
) -> tuple[Any, Any]:
    """The audit of several labels per row in a file, and what its rows are called."""
    table = errata.tables.read_table(file)
    check_known([*options.left_out, *options.trust], table.column_names, file)
    for name in options.labels:
        if name in options.left_out:
            raise ValueError(
                f"column {name!r} holds labels; leave it out of {options.left_out[name]}."
            )
    kept = table.drop_columns(list(options.left_out))
    ids = None if options.name is None else get_column(table, options.name)
    found: Any = errata.audit_multilabel(
        join_pictures(kept, file),
        list(options.labels),
        **read_besides(file, table.num_rows, ids, options),
        estimator=options.estimator(),
        groups=read_filled(table, options.group, "group"),
        trust=list(options.trust),
        ids=ids,
        precision=options.precision,
        self_check=not options.no_self_check,
        title=file.name,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=progress,
    )
    found.digests = errata.tables.row_digests(table)
    label = found.about["label"]  # one column of lists, or one for each label
    columns = list(map(str, found.names)) if label is None else [label]
    found.keys = errata.tables.row_keys(table, *columns)
    found.for_review = found.for_review.showing(table.drop_columns(columns))
    return found, ids


def find_kind(given: dict[str, Any]) -> Kind:
    """The kind whose columns are named; raise for options that would have no effect on it."""
    names = [name for name, value in given.items() if value not in (None, (), False)]
    kinds = [kind for kind in KINDS.values() if any(name in kind.command.own for name in names)]
    if len(kinds) > 1:
        both = listed([format_option(next(n for n in k.command.own if n in names)) for k in kinds])
        raise ValueError(f"{both} ask for different kinds of audits; give one of them.")
    kind = kinds[0] if kinds else CLASSES
    command = kind.command
    by = next((format_option(name) for name in command.own if name in names), "--label")
    for name in command.named_by:
        if name not in names and command.own:
            raise ValueError(
                f"{by} needs {format_option(name)} beside it: an audit of {kind.title}."
            )
    for name in names:
        if name not in (*command.named_by, *command.takes, *FOR_ALL):
            raise ValueError(
                f"{format_option(name)} does not go with {by}; {_describe_instead(kind, name)}."
            )
    return kind


def _describe_instead(kind: Kind, name: str) -> str:
    """What to do about an option that has no effect on a kind."""
    for other in KINDS.values():
        if other is not kind and other.command.own and name in other.command.takes:
            named = " and ".join(map(format_option, other.command.own))
            return f"it is for an audit of {other.title}, which {named} name"
    return "leave one of them out"


def format_option(name: str) -> str:
    """An option as it is typed.

    >>> format_option("no_self_check"), format_option("name")
    ('--no-self-check', '--id')
    """
    return "--id" if name == "name" else f"--{name.replace('_', '-')}"


def _join_pictures(table: Any, file: Path, item: str) -> Any:
    """Names of pictures as they are from here; those of items as the votes have them."""
    seen = join_pictures(table, file)
    place = table.column_names.index(item)
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


def _read_items(path: Path, options: Options, left_out: list[str]) -> Any:
    """The table of the items, whose names are in the column called as in the votes."""
    table = errata.tables.read_table(path)
    name = options.name or str(options.item)
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


def read_besides(file: Path, n_rows: int, ids: Any, options: Options) -> dict[str, Any]:
    """What was given of both, as the library takes it: an array, or columns by name."""
    from ..tables._beside import read_beside  # here, as it brings NumPy

    name = "picture" if options.name is None and file.is_dir() else options.name
    files = {"embeddings": options.embeddings, "pred_proba": options.pred_proba}
    return {
        what: read_beside(path, n_rows, name=name, ids=ids)
        for what, path in files.items()
        if path is not None
    }
