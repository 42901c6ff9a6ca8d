"""What a review has come to, as a plain dict that is valid JSON: for terminal and report."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._optional import require
from ._in_words import in_words
from .decisions import Decisions, RowVerdict, as_text
from .exporting import Audited
from .inference import Components, evidence_of, progress, sentences, update

_OPINIONS = ("decided", "ambiguous", "unusable")


def review_summary(decisions: Decisions, audited: Audited, folder: Path) -> dict[str, Any]:
    """All there is to tell about decisions and the audit in a folder."""
    verdicts = decisions.verdicts()
    rows = {key: row for row, key in enumerate(audited.keys)}
    here = {rows[key]: verdict for key, verdict in verdicts.items() if key in rows}
    agreement = decisions.agreement()
    told = {
        "file": str(decisions.path),
        "about": decisions.about,
        "events": sum(1 for _ in decisions.events()),
        "reviewers": _reviewers(decisions),
        "rows": _states(here.values()),
        "labels": _labels(audited, here),
        "flagged": _flagged(audited, here),
        "elsewhere": len(verdicts) - len(here),
        "agreement": [pair._asdict() for pair in agreement.pairs],
        "disputed": sorted(rows[key] for key in agreement.disputed if key in rows),
        "progress": _progress(audited, here, folder),
    }
    return told | {"sentences": list(in_words(told))}


def _reviewers(decisions: Decisions) -> dict[str, int]:
    """How many rows each reviewer has a verdict on."""
    return dict(sorted(Counter(reviewer for _, reviewer in decisions.by_reviewer()).items()))


def _states(verdicts: Any) -> dict[str, int]:
    return dict(sorted(Counter(verdict.state for verdict in verdicts).items()))


def _labels(audited: Audited, here: Mapping[int, RowVerdict]) -> dict[str, int]:
    wrong = [_is_wrong(audited, row, verdict) for row, verdict in _judged(audited, here).items()]
    return {"wrong": sum(wrong), "right": len(wrong) - sum(wrong)}


def _flagged(audited: Audited, here: Mapping[int, RowVerdict]) -> dict[str, int]:
    flagged = np.flatnonzero(audited.flagged).tolist()
    settled = sum(_is_settled(here.get(row)) for row in flagged)
    return {"rows": len(flagged), "undecided": len(flagged) - settled}


def _judged(audited: Audited, here: Mapping[int, RowVerdict]) -> dict[int, RowVerdict]:
    """Decided rows that have a label, which is right or wrong."""
    decided = {row: verdict for row, verdict in here.items() if verdict.state == "decided"}
    return {row: verdict for row, verdict in decided.items() if audited.labels[row] is not None}


def _progress(
    audited: Audited, here: Mapping[int, RowVerdict], folder: Path
) -> dict[str, Any] | None:
    """How good the list was and what is left, in numbers and sentences."""
    numbers = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    if numbers.get("components") is None:  # of recordings, whose rows are not judged one by one
        return None
    components = Components.from_dict(numbers["components"])
    table = require("pyarrow.parquet", extra="tables").read_table(folder / "components.parquet")
    p = np.stack([column.to_numpy() for column in table.columns], axis=1)
    rows = np.array(sorted(_judged(audited, here)), dtype=np.intp)
    wrong = np.array([_is_wrong(audited, row, here[row]) for row in rows.tolist()], dtype=bool)
    evidence = evidence_of(components, p[rows], wrong, audited.flagged[rows], audited.p_wrong[rows])
    ahead = _ahead(audited, here)
    told = progress(
        components,
        evidence,
        update(components, evidence).p_wrong(p[ahead]),
        spot=_spot(audited, here, numbers["piles"]["spot"]),
    )
    return {"numbers": _plain(told), "sentences": sentences(told)}


def _ahead(audited: Audited, here: Mapping[int, RowVerdict]) -> np.ndarray:
    """Flagged rows without a verdict, the most suspicious first."""
    flagged = np.flatnonzero(audited.flagged)
    order = flagged[np.argsort(-audited.p_wrong[flagged], kind="stable")]
    return np.array([row for row in order if not _is_settled(here.get(row))], dtype=np.intp)


def _spot(audited: Audited, here: Mapping[int, RowVerdict], pile: list[int]) -> tuple[int, int]:
    """Wrong and decided rows of the spot pile, as far as it was gone through."""
    reached = [place for place, row in enumerate(pile) if row in here and here[row].queue == "spot"]
    drawn = pile[: max(reached, default=-1) + 1]
    judged = _judged(audited, {row: here[row] for row in drawn if row in here})
    wrong = [_is_wrong(audited, row, verdict) for row, verdict in judged.items()]
    return sum(wrong), len(wrong)


def _is_settled(verdict: RowVerdict | None) -> bool:
    return verdict is not None and verdict.state in _OPINIONS


def _is_wrong(audited: Audited, row: int, verdict: RowVerdict) -> bool:
    return as_text(audited.labels[row]) != verdict.class_text


def _plain(value: Any) -> Any:
    """Named tuples as dicts, for JSON."""
    fields = value._asdict() if hasattr(value, "_asdict") else None
    return value if fields is None else {name: _plain(part) for name, part in fields.items()}
