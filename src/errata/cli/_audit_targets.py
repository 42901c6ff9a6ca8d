"""``errata audit --target``: numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import errata

from ._beside import read_besides
from ._columns import check_known, column, filled, with_pictures
from ._options import Options


def run(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
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
