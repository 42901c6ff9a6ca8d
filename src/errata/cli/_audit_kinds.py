"""The kinds of audits that ``errata audit`` can make: by the columns it is told, it knows which."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import errata

from .._format import listed
from ._clean_kinds import label_columns
from ._columns import (
    Table,
    check_filled,
    check_known,
    column,
    filled,
    named_label,
    table_to_audit,
    with_pictures,
)
from ._folder import passed_over_note
from ._options import Options

# Options that mean the same for every kind.
FOR_ALL = ("drop", "group", "name", "by", "precision", "no_self_check", "seed", "jobs")


class AuditKind(NamedTuple):
    """A kind of audit on the command line."""

    words: str  # what it is an audit of
    named_by: tuple[str, ...]  # options that name its columns, each of them needed
    takes: tuple[str, ...]  # options that go with it besides these and those for every kind
    run: Callable[[Path, Options, Callable[[Any], None]], tuple[Any, Any]]  # audit, ids of rows
    in_parts: bool = False  # whether its table may be larger than memory

    def label(self, asked: dict[str, Any], file: Path) -> str:
        """The column of labels; empty for a kind that has none."""
        return named_label(asked["label"], file, or_target=True) if "label" in self.named_by else ""

    @property
    def own(self) -> tuple[str, ...]:
        """The options by which it is known."""
        return tuple(name for name in self.named_by if name != "label")


def audit_classes(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
    """The audit of the labels in a file, and what its rows are called."""
    table = table_to_audit(file, options)
    found = _audited(table, options, file, progress)
    found.about["label"] = options.label
    decided = options.decisions
    found.about["decisions"] = None if decided is None else str(decided.resolve())
    found.digests = table.digests
    found.notes.extend(passed_over_note(file))
    if options.image_shape is None:  # columns that models never saw may tell a person something
        found.for_review = found.for_review.showing(table.whole)
    return found, table.ids


CLASSES = AuditKind(
    words="classes",
    named_by=("label",),
    takes=(
        *("trust", "sequence", "wavelets", "fs", "band", "known", "decisions", "pixels", "model"),
        *("embeddings", "pred_proba"),
    ),
    run=audit_classes,
    in_parts=True,
)


def audit_votes(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
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


VOTES = AuditKind(
    words="votes",
    named_by=("item", "worker", "label"),
    takes=("features", "model"),
    run=audit_votes,
)


def audit_targets(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
    """The audit of the targets in a file, and what its rows are called."""
    target = str(options.target)
    table = errata.tables.read_table(file)
    check_known([target, *options.left_out], table.column_names, file)
    if target in options.left_out:
        raise ValueError(
            f"column {target!r} holds the targets; leave it out of {options.left_out[target]}."
        )
    kept = table.drop_columns(list(options.left_out))
    if kept.num_columns == 1 and options.embeddings is None:
        raise ValueError(f"no column of {file} is left to learn from, besides the targets.")
    ids = None if options.name is None else column(table, options.name)
    found: Any = errata.audit_targets(
        with_pictures(kept, file),
        target,
        **read_besides(file, table.num_rows, ids, options),
        groups=filled(table, options.group, "group"),
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


NUMBERS = AuditKind(
    words="numeric targets",
    named_by=("target",),
    takes=("embeddings", "decisions"),
    run=audit_targets,
)


def audit_multilabel(
    file: Path, options: Options, progress: Callable[[str], None]
) -> tuple[Any, Any]:
    """The audit of several labels a row in a file, and what its rows are called."""
    table = errata.tables.read_table(file)
    check_known([*options.left_out, *options.trust], table.column_names, file)
    for name in options.labels:
        if name in options.left_out:
            raise ValueError(
                f"column {name!r} holds labels; leave it out of {options.left_out[name]}."
            )
    kept = table.drop_columns(list(options.left_out))
    ids = None if options.name is None else column(table, options.name)
    found: Any = errata.audit_multilabel(
        with_pictures(kept, file),
        list(options.labels),
        **read_besides(file, table.num_rows, ids, options),
        estimator=options.estimator(),
        groups=filled(table, options.group, "group"),
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
    columns = label_columns(found)
    found.keys = errata.tables.row_keys(table, *columns)
    found.for_review = found.for_review.showing(table.drop_columns(columns))
    return found, ids


MULTILABEL = AuditKind(
    words="several labels a row",
    named_by=("labels",),
    takes=("trust", "model", "embeddings", "pred_proba"),
    run=audit_multilabel,
)
OTHERS: tuple[AuditKind, ...] = (NUMBERS, VOTES, MULTILABEL)


def kind_asked_for(asked: dict[str, Any]) -> AuditKind:
    """The kind whose columns are named; raise for options that would have no effect on it."""
    given = [name for name, value in asked.items() if value not in (None, (), False)]
    kinds = [kind for kind in OTHERS if any(name in kind.own for name in given)]
    if len(kinds) > 1:
        both = listed([option(next(n for n in k.own if n in given)) for k in kinds])
        raise ValueError(f"{both} ask for different kinds of audits; give one of them.")
    kind = kinds[0] if kinds else CLASSES
    _check_together(kind, given)
    return kind


def _check_together(kind: AuditKind, given: list[str]) -> None:
    """Raise where an option is lacking, or has no effect, which would mislead."""
    by = next((option(name) for name in kind.own if name in given), "--label")
    for name in kind.named_by:
        if name not in given and kind.own:
            raise ValueError(f"{by} needs {option(name)} beside it: an audit of {kind.words}.")
    for name in given:
        if name not in (*kind.named_by, *kind.takes, *FOR_ALL):
            raise ValueError(f"{option(name)} does not go with {by}; {_instead(kind, name)}.")


def _instead(kind: AuditKind, name: str) -> str:
    """What to do about an option that has no effect on a kind."""
    other = next((each for each in OTHERS if name in each.takes and each is not kind), None)
    if other is None:
        return "leave one of them out"
    return f"it is for an audit of {other.words}, which {' and '.join(map(option, other.own))} name"


def option(name: str) -> str:
    """An option as it is typed.

    >>> option("no_self_check"), option("name")
    ('--no-self-check', '--id')
    """
    return "--id" if name == "name" else f"--{name.replace('_', '-')}"


def _audited(table: Table, options: Options, file: Path, progress: Callable[[str], None]) -> Any:
    return errata.audit(
        table.columns,
        table.labels,
        estimator=options.estimator(),
        **read_besides(file, len(table.labels), table.ids, options),
        groups=table.groups,
        sequence=table.sequence,
        wavelets=options.wavelet_features(),
        trust=list(options.trust),
        known=table.known,
        decisions=options.decisions,
        keys=table.keys,
        ids=table.ids,
        precision=options.precision,
        self_check=not options.no_self_check,
        image_shape=options.image_shape,
        title=file.name,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=progress,
    )


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
