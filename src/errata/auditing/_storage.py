"""An audit on disk: a small folder with a JSON file, a table of all rows, and cards of some."""

import json
import os
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._blocks import blocks
from .._files import atomic_folder
from ..tables import read_table, write_table
from ..tables._columns import column_array
from ..tables._digest import RowDigests
from ._for_review import StoredReview
from ._labels import has_label
from ._noise_rate import NoiseRate
from ._row_index import index_columns, index_from, index_names
from ._self_check import SelfCheck
from ._settings import BATCH_ROWS
from ._stored_rows import FOLDER, StoredPart, StoredRows
from ._totals import Totals
from .sequences import Timeline

if TYPE_CHECKING:
    from ._result import Audit

VERSION = 9  # one more whenever what is written changes
NUMBERS, ROWS = "audit.json", "rows.parquet"
MAY_BE_NAN = ("expected_precision", "expected_recall")
PLAIN = ("rule", "notes", "hypotheses", "has_skill", "models", "examples", "traces", "reviewed")
REVIEW = ("components", "piles")  # what a review needs besides its files
COLUMNS = ("labels", "suspicion", "p_wrong", "suggested", "p_suggested", "flagged")
KNOWN = "known"  # a further column, where some labels are certain
KEY = "key"  # what decisions know the row by
DIGEST = "digest"  # a further column, where the rows can be known again
RECORDING, CLOCK = "recording", "clock"  # and two of an audit of sequences


def save_audit(audit: "Audit", path: str | os.PathLike) -> None:
    """Write to a folder beside ``path``, then put it in its place."""
    path = Path(path)
    if path.exists() and not is_audit(path):
        raise FileExistsError(f"{path} is there already and is not an audit; choose another name.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_folder(path) as folder:
        folder.mkdir()
        review = audit.for_review and audit.for_review.write(folder, audit)
        numbers = _numbers(audit) | (review or dict.fromkeys(REVIEW))
        (folder / NUMBERS).write_text(json.dumps(numbers, allow_nan=False), encoding="utf-8")
        if audit.stored is None:
            write_table(folder / ROWS, _rows(audit))
        else:
            audit.stored.copy_to(folder / FOLDER)


def is_audit(path: Path) -> bool:
    """Whether a folder holds an audit, or what looks like one."""
    return (path / NUMBERS).is_file() and ((path / ROWS).is_file() or (path / FOLDER).is_dir())


def load_audit(path: str | os.PathLike) -> dict[str, Any]:
    """The fields of the audit in a folder."""
    path = Path(path)
    if not path.is_dir():
        raise FileNotFoundError(
            f"{path} {'is a file' if path.exists() else 'does not exist'}; give the folder that "
            "errata audit has written."
        )
    try:
        found = json.loads((path / NUMBERS).read_text(encoding="utf-8"))
        version = int(found["version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not an audit that errata has written: {error}") from error
    if version != VERSION:
        raise ValueError(_of_another_version(path, version))
    read = _table_rows if found["parts"] is None else _stored_rows
    check = found["self_check"]
    return {name: found[name] for name in PLAIN} | {
        **{name: np.nan if found[name] is None else found[name] for name in MAY_BE_NAN},
        **read(path, found),
        "noise_rate": NoiseRate(*found["noise_rate"]),
        "transition": np.array(found["transition"]),
        "prior": np.array(found["prior"]),
        "self_check": None if check is None else SelfCheck(**_arrays(check)),
        "duplicates": [np.array(group) for group in found["duplicates"]],
        "points": found["points"],
        "about": found["about"],
        "for_review": _review(path, found),
    }


def _table_rows(path: Path, found: dict[str, Any]) -> dict[str, Any]:
    """What is known of each row, of an audit that fits into memory."""
    table = read_table(path / ROWS)
    rows = {name: column_array(table, name) for name in COLUMNS}
    for name in ("labels", "suggested"):
        rows[name] = rows[name].astype(found["dtype"])
    ours = (*COLUMNS, KEY, KNOWN, DIGEST, RECORDING, CLOCK)
    others = [name for name in table.column_names if name not in ours]
    levels, index = [column_array(table, name) for name in others], found["index"]
    return rows | {
        "classes": np.unique(rows["labels"][has_label(rows["labels"])]),
        "index": None if index is None else index_from(levels, index),
        "timeline": _timeline(found["timeline"], table),
        "digests": _digests(found["digested"], table),
        "keys": column_array(table, KEY),
        "known": column_array(table, KNOWN) if KNOWN in table.column_names else None,
    }


def _stored_rows(path: Path, found: dict[str, Any]) -> dict[str, Any]:
    """Columns to be read when they are asked for, of an audit that may not fit into memory."""
    parts = [StoredPart(*part) for part in found["parts"]]
    classes = np.array(found["classes"]).astype(found["dtype"])
    totals = Totals.from_dict(found["totals"])
    stored = StoredRows(path / FOLDER, parts, classes, totals)
    return stored.attributes() | {"classes": classes}


def _review(path: Path, found: dict[str, Any]) -> StoredReview | None:
    told = {name: found[name] for name in REVIEW}
    return None if told["piles"] is None else StoredReview(path, told)


def _of_another_version(path: Path, version: int) -> str:
    age, hint = ("a newer", "update errata, or ") if version > VERSION else ("an older", "")
    return (
        f"{path} was written by {age} errata, in version {version} of the format, and this one "
        f"reads version {VERSION}; {hint}run the audit again."
    )


def _rows(audit: "Audit") -> dict[str, Any]:
    rows = {name: getattr(audit, name) for name in COLUMNS} | {KEY: audit.row_keys()}
    rows |= index_columns(audit.index) | ({} if audit.known is None else {KNOWN: audit.known})
    rows |= _times(audit.timeline)
    return rows if audit.digests is None else rows | {DIGEST: audit.digests.values}


def _times(timeline: Timeline | None) -> dict[str, Any]:
    """The columns of a timeline, which are text and numbers."""
    if timeline is None:
        return {}
    clock = {} if timeline.clock is None else {CLOCK: timeline.clock}
    return {RECORDING: timeline.recording} | clock


def _timeline(kept: dict[str, Any] | None, table: Any) -> Timeline | None:
    if kept is None:
        return None
    clock = column_array(table, CLOCK) if CLOCK in table.column_names else None
    return Timeline(column_array(table, RECORDING), kept["clock"], clock)


def _digests(columns: list[str] | None, table: Any) -> RowDigests | None:
    return None if columns is None else RowDigests(columns, column_array(table, DIGEST))


def _numbers(audit: "Audit") -> dict[str, Any]:
    check, totals = audit.self_check, audit.totals
    return {name: getattr(audit, name) for name in PLAIN} | {
        **{n: None if np.isnan(v := getattr(audit, n)) else v for n in MAY_BE_NAN},
        "version": VERSION,
        "fingerprint": fingerprint(audit),
        **_where_rows_are(audit),
        "known": totals.known,
        "unlabelled": totals.n - totals.labelled,
        "noise_rate": list(audit.noise_rate),
        "transition": audit.transition.tolist(),
        "prior": audit.prior.tolist(),
        "self_check": None if check is None else _lists(check._asdict()),
        "duplicates": [group.tolist() for group in audit.duplicates],
        "points": audit.points,
        "about": audit.about,
        "index": index_names(audit.index),
        "timeline": None if audit.timeline is None else {"clock": audit.timeline.clock_name},
        "digested": None if audit.digests is None else audit.digests.columns,
    }


def _where_rows_are(audit: "Audit") -> dict[str, Any]:
    """What is needed to read the rows again: of those in many files, what all of them say."""
    if audit.stored is None:
        return {"parts": None, "classes": None, "totals": None, "dtype": audit.labels.dtype.str}
    return {
        "parts": audit.stored.parts,
        "classes": audit.classes.tolist(),
        "totals": audit.stored.totals.as_dict(),
        "dtype": audit.classes.dtype.str,
    }


def fingerprint(audit: "Audit") -> str:
    """A name for the audit, by which a decision says what its reviewer was shown."""
    if audit.stored is not None:
        return audit.stored.fingerprint()
    digest = blake2b(audit.p_wrong.astype("<f8").tobytes(), digest_size=16)
    for some in blocks(len(audit), BATCH_ROWS):
        rows = np.arange(some.start, some.stop)
        for texts in (audit.labels[rows].tolist(), audit.row_keys(rows).tolist()):
            digest.update("\x1f".join(map(repr, texts)).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _lists(fields: dict[str, Any]) -> dict[str, Any]:
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in fields.items()}


def _arrays(fields: dict[str, Any]) -> dict[str, Any]:
    return {k: np.array(v) if isinstance(v, list) else v for k, v in fields.items()}
