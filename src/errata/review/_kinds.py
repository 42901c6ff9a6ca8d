"""Which kinds of audits people can decide on so far."""

import os
from typing import Any

REVIEWABLE = ("classes", "votes")


def check_reviewable(path: str | os.PathLike, numbers: dict[str, Any]) -> None:
    """Raise for an audit of another kind; ``numbers`` are those in its ``audit.json``."""
    kind = numbers.get("kind", REVIEWABLE[0])
    if kind not in REVIEWABLE:
        raise ValueError(
            f"{path} is an audit of {kind}, and errata review decides on classes so far; look at "
            "its report, and clean the table with errata clean."
        )
