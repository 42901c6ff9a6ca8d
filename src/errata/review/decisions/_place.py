"""Where decisions are: beside the audit, so that a new audit of the table leaves them alone."""

import json
import os
from pathlib import Path
from typing import Any

from ._store import Decisions


def decisions_path(audit: str | os.PathLike) -> Path:
    """The file of decisions that belongs to the folder of an audit.

    Examples
    --------
    >>> print(decisions_path("work/train.audit").as_posix())
    work/train.decisions
    """
    folder = Path(audit)
    if folder.name in ("", ".."):  # such as ".", which has no name
        folder = folder.resolve()
    return folder.with_name(f"{folder.name.removesuffix('.audit')}.decisions")


def open_decisions(
    audit: str | os.PathLike, path: str | os.PathLike | None = None, *, read_only: bool = False
) -> Decisions:
    """The decisions about an audited table, beside its audit unless a path is given.

    A new file is told what it is about; one that is about another table or another column of
    labels is refused.
    """
    about = _about(Path(audit))
    decisions = Decisions(decisions_path(audit) if path is None else path, read_only=read_only)
    try:
        decisions.check_about(about)
        if not read_only:
            decisions.describe(about)
    except BaseException:
        decisions.close()
        raise
    return decisions


def _about(audit: Path) -> dict[str, str]:
    """What the decisions are about: names alone, as the folder may be copied elsewhere."""
    try:
        found: dict[str, Any] = json.loads((audit / "audit.json").read_text(encoding="utf-8"))
        about = found["about"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{audit} is not an audit that errata has written: {error}") from error
    table = about.get("table")
    named = {
        "table": None if table is None else Path(table).name,
        "label": about.get("label"),
        "audit": found.get("fingerprint"),
        "made by": f"errata {about['version']}" if "version" in about else None,
    }
    return {key: str(value) for key, value in named.items() if value is not None}
