"""``errata audit --labels``: several labels a row."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import errata

from ._beside import read_besides
from ._clean_multilabel import label_columns
from ._columns import check_known, column, filled, with_pictures
from ._options import Options


def run(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
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
