"""An audit on disk: a small folder with a JSON file, a table of all rows, and cards of some."""

import json
import os
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._blocks import blocks
from .._files import atomic_folder
from .._optional import require
from ..tables import read_table, write_table
from ..tables._columns import column_array
from ..tables._digest import RowDigests
from ._for_review import StoredReview
from ._kinds import KINDS
from ._noise_rate import NoiseRate
from ._row_index import index_columns, index_in, index_names
from ._settings import BATCH_ROWS
from ._stored_rows import FOLDER

if TYPE_CHECKING:
    from ._base import BaseAudit

VERSION = 11  # one more whenever what is written changes
NUMBERS, METRICS, ROWS = "audit.json", "metrics.json", "rows.parquet"
MAY_BE_NAN = ("expected_precision", "expected_recall")
PLAIN = ("rule", "notes", "has_skill", "models", "examples", "about", "reviewed")  # of every kind
REVIEW = ("components", "piles")  # what a review needs besides its files
KEY = "key"  # what decisions know the row by
DIGEST = "digest"  # a further column, where the rows can be known again
ID = "id"  # one more, where the user said what they are called


def save_audit(audit: "BaseAudit", path: str | os.PathLike) -> None:
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
        metrics = json.dumps(audit.metrics(), indent=2, allow_nan=False)
        (folder / METRICS).write_text(f"{metrics}\n", encoding="utf-8")
        if audit.stored is None:
            write_table(folder / ROWS, _rows(audit))
        else:
            audit.stored.copy_to(folder / FOLDER)
        audit.write_more(folder)


def is_audit(path: Path) -> bool:
    """Whether a folder holds an audit, or what looks like one."""
    return (path / NUMBERS).is_file() and ((path / ROWS).is_file() or (path / FOLDER).is_dir())


def stored_kind(path: str | os.PathLike) -> str:
    """Which of the kinds an audit in a folder is."""
    return _read_numbers(Path(path))["kind"]


def load_fields(cls: "type[BaseAudit]", path: str | os.PathLike) -> dict[str, Any]:
    """The fields of the audit in a folder, which must be of the kind of ``cls``."""
    path = Path(path)
    found = _read_numbers(path)
    if found["kind"] != cls.kind:
        kind = KINDS[found["kind"]]
        raise ValueError(
            f"{path} is an audit of {kind.words}; load it with errata.{kind.result}.load."
        )
    table = None if (path / FOLDER).is_dir() else read_table(path / ROWS)
    rows = {} if table is None else _row_fields(cls, table, found)
    check = found["self_check"]
    return {name: found[name] for name in (*PLAIN, *cls.plain)} | {
        **{name: np.nan if found[name] is None else found[name] for name in MAY_BE_NAN},
        **rows,
        "noise_rate": NoiseRate(*found["noise_rate"]),
        "self_check": None if check is None else cls.check_type(**_arrays(check)),
        "for_review": _review(path, found),
        **cls.restored(found, rows, table=table, path=path),
    }


def _read_numbers(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        raise FileNotFoundError(
            f"{path} {'is a file' if path.exists() else 'does not exist'}; give the folder that "
            "errata audit has written."
        )
    try:
        found: dict[str, Any] = json.loads((path / NUMBERS).read_text(encoding="utf-8"))
        version = int(found["version"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not an audit that errata has written: {error}") from error
    if version != VERSION:
        raise ValueError(_of_another_version(path, version))
    return found


def _row_fields(cls: "type[BaseAudit]", table: Any, found: dict[str, Any]) -> dict[str, Any]:
    """What is known of each row, of an audit that fits into memory."""
    return {name: column_array(table, name) for name in cls.per_row} | {
        "index": index_in(table, found["index"]),
        "digests": _digests(found["digested"], table),
        "keys": column_array(table, KEY),
        "ids": column_array(table, ID) if ID in table.column_names else None,
    }


def _review(path: Path, found: dict[str, Any]) -> StoredReview | None:
    told = {name: found[name] for name in REVIEW}
    return None if told["piles"] is None else StoredReview(path, told)


def _of_another_version(path: Path, version: int) -> str:
    age, hint = ("a newer", "update errata, or ") if version > VERSION else ("an older", "")
    return (
        f"{path} was written by {age} errata, in version {version} of the format, and this one "
        f"reads version {VERSION}; {hint}run the audit again."
    )


def _rows(audit: "BaseAudit") -> dict[str, Any]:
    rows = {name: getattr(audit, name) for name in audit.per_row} | {KEY: _keys(audit)}
    rows |= index_columns(audit.index) | audit.kept_columns()
    if audit.ids is not None:  # as text: an array of objects may hold anything
        rows[ID] = [str(name) for name in audit.ids.tolist()]
    return rows if audit.digests is None else rows | {DIGEST: audit.digests.values}


def _keys(audit: "BaseAudit") -> Any:
    """The keys; where they are places, of Arrow: as many texts of Python take far more memory."""
    if audit.keys is not None:
        return audit.keys
    arrow, rows = require("pyarrow", extra="tables"), np.arange(len(audit))
    texts = [arrow.array(audit.row_keys(rows[some])) for some in blocks(len(rows), BATCH_ROWS)]
    return arrow.chunked_array(texts)


def _digests(columns: list[str] | None, table: Any) -> RowDigests | None:
    return None if columns is None else RowDigests(columns, column_array(table, DIGEST))


def _numbers(audit: "BaseAudit") -> dict[str, Any]:
    check = audit.self_check
    return {name: getattr(audit, name) for name in (*PLAIN, *audit.plain)} | {
        **{n: None if np.isnan(v := getattr(audit, n)) else v for n in MAY_BE_NAN},
        "version": VERSION,
        "kind": audit.kind,
        "fingerprint": fingerprint(audit),
        "noise_rate": list(audit.noise_rate),
        "self_check": None if check is None else _lists(check._asdict()),
        "index": index_names(audit.index),
        "digested": None if audit.digests is None else audit.digests.columns,
        **audit.kept_numbers(),
    }


def fingerprint(audit: "BaseAudit") -> str:
    """A name for the audit, by which a decision says what its reviewer was shown."""
    if audit.stored is not None:
        return audit.stored.fingerprint()
    digest = blake2b(audit.p_wrong.astype("<f8").tobytes(), digest_size=16)
    for some in blocks(len(audit), BATCH_ROWS):
        rows = np.arange(some.start, some.stop)
        for texts in (audit.recorded(rows).tolist(), audit.row_keys(rows).tolist()):
            digest.update("\x1f".join(map(repr, texts)).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _lists(fields: dict[str, Any]) -> dict[str, Any]:
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in fields.items()}


def _arrays(fields: dict[str, Any]) -> dict[str, Any]:
    return {k: np.array(v) if isinstance(v, list) else v for k, v in fields.items()}
