"""Which decisions belong to an audit: those beside it, or those it was made with."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import errata

from .._files import places_of
from ._console import say


def decisions_for(folder: Path, audit: Any, use: str) -> Any:
    """The decisions about an audit, opened; None where there are none, or they are ignored."""
    beside = errata.review.decisions_path(folder)
    before = _made_with(folder, audit)
    if use == "ignore":
        return nullcontext()
    if beside.exists():
        decisions = errata.review.open_decisions(folder, read_only=True)
        if before is not None:
            _tell_of_others(folder, decisions, before)
        return decisions
    if before is not None:
        return errata.review.Decisions(_there(before), read_only=True)
    if use == "only":
        raise FileNotFoundError(f"nobody has decided anything yet: {beside} does not exist.")
    return nullcontext()


def _made_with(folder: Path, audit: Any) -> Path | None:
    """The file that ``errata audit --decisions`` was given, which may have moved with the audit."""
    if audit.about.get("decisions") is None:
        return None
    given = Path(audit.about["decisions"])
    return next((path for path in places_of(given, folder) if path.exists()), given)


def _there(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(
            f"this audit was made with the decisions in {path}, which is not there any more; put "
            "it beside the audit, or pass --decisions ignore."
        )
    return path


def _tell_of_others(folder: Path, decisions: Any, before: Path) -> None:
    """Say so when verdicts that the audit was made with are not among those that are used."""
    with errata.review.Decisions(_there(before), read_only=True) as earlier:
        left_out = earlier.verdicts().keys() - decisions.verdicts().keys()
    if left_out:
        say(
            f"{decisions.path} lacks decisions that the audit was made with; to use them, too: "
            f"errata decisions {folder} --merge {before}",
            err=True,
        )
