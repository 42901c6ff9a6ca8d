"""``errata audit --label``: classes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import errata

from ._beside import read_besides
from ._columns import Table, table_to_audit
from ._options import Options
from ._places import passed_over_note


def run(file: Path, options: Options, progress: Callable[[str], None]) -> tuple[Any, Any]:
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
