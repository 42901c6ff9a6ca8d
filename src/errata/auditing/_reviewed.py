"""What people decided, put into the folder of the audit they decided on."""

import json
import os
from pathlib import Path
from typing import Any

from .._files import atomic_path
from ._kinds import load_audit
from ._storage import NUMBERS

REPORT = "report.html"


def add_review(path: str | os.PathLike, so_far: dict[str, Any]) -> None:
    """Put what a review has come to into ``audit.json``, and into the report if there is one.

    Everything else stays as it was.

    Parameters
    ----------
    path : path-like
        The folder of the audit.
    so_far : dict
        What :func:`errata.review.review_summary` gives; its ``sentences`` are what the report says.
    """
    folder = Path(path)
    load_audit(folder)  # of another version, or no audit: nothing is written
    numbers = json.loads((folder / NUMBERS).read_text(encoding="utf-8"))
    with atomic_path(folder / NUMBERS) as new:
        new.write_text(json.dumps(numbers | {"reviewed": so_far}, allow_nan=False), "utf-8")
    if (folder / REPORT).exists():
        load_audit(folder).report(folder / REPORT)
