"""``--embeddings`` and ``--pred-proba``: files with numbers for the rows of the audited table."""

from pathlib import Path
from typing import Any

from ._options import Options


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
