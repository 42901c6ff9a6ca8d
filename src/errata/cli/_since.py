"""``errata audit --compare-to``: an earlier audit, and what changed since."""

from pathlib import Path
from typing import Any

import errata


def earlier_audit(path: Path | None, kind: str, out: Path, *, in_parts: bool) -> Any:
    """The earlier audit, read before the work begins; None where none is named.

    ``kind`` is what the new audit is of, in words.
    """
    if path is None:
        return None
    found = errata.auditing.load_audit(path)
    was = errata.auditing._kinds.KINDS[found.kind].words
    if was != kind:
        raise ValueError(
            f"--compare-to {path} is an audit of {was}, and this one is of {kind}; name one of the "
            "same kind."
        )
    # Its rows may be read only when they are compared, and by then the new ones are in their place.
    if in_parts and path.resolve() == out.resolve():
        raise ValueError(
            f"--compare-to {path} would be replaced before it is compared; choose another --out."
        )
    return found
