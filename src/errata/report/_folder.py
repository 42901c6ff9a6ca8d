"""The folder of an audit as people get it: the audit, its report, and lists anybody can open."""

import os
from pathlib import Path
from typing import Any

from .._files import atomic_folder
from .._format import count
from .._kinds import KINDS
from ..audit_folder import REPORT, check_replaceable

MOST_RANKED = 100_000  # rows of a large table in ranked.csv: nobody reads further
CHANCES = ("p_wrong", "p_consensus")


def write_audit(audit: Any, path: str | os.PathLike, *, since: Any = None) -> str:
    """Write an audit as ``errata audit`` does: what ``save`` writes, and files for people.

    These are ``report.html``, ``ranked.csv`` and further lists of its kind of label, and
    ``summary.md``. All or nothing: an audit that is there already is replaced when everything is
    written; any other folder is left alone, with an error. Only its owner may read it.

    Parameters
    ----------
    audit : Audit, TargetAudit, ...
        What was found.
    path : path-like
        The folder.
    since : AuditDiff, optional
        What :func:`errata.diff` says has changed; the summary tells it.

    Returns
    -------
    str
        Which rows are ranked: "All rows", or of a table of more than a million rows those that are
        flagged, 100,000 at most.

    Examples
    --------
    >>> import tempfile
    >>> import errata
    >>> from errata.report import write_audit
    >>> from sklearn.datasets import load_iris
    >>> audit = errata.audit(*load_iris(return_X_y=True), self_check=False, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write_audit(audit, f"{folder}/iris.audit"))
    ...     print(sorted(path.name for path in Path(folder, "iris.audit").iterdir())[-4:])
    All rows
    ['ranked.csv', 'report.html', 'rows.parquet', 'summary.md']
    """
    check_replaceable(Path(path))
    with atomic_folder(path, private=True) as folder:
        return fill_folder(audit, folder, since=since)


def fill_folder(audit: Any, folder: Path, *, since: Any = None) -> str:
    """Make the folder and write what :func:`write_audit` does, for who sees to its place."""
    ranked, words = list_rows(audit)
    changes = [] if since is None else [since.markdown()]
    text = "\n\n".join([audit.to_markdown(), *changes])
    audit._fill(folder)
    audit.report(folder / REPORT)
    _write_list(folder / "ranked.csv", ranked)
    for name, columns in audit._further_lists().items():
        _write_list(folder / f"{name}.csv", columns)
    (folder / "summary.md").write_text(f"{text}\n", encoding="utf-8")
    return words


def list_rows(audit: Any) -> tuple[dict[str, Any], str]:
    """The columns of ``ranked.csv``, and which rows are in it."""
    from ..auditing._settings import EXACT_ROWS  # here, as they bring scikit-learn
    from ..auditing.inputs._labels import fill_with_none, has_label

    if len(audit) <= EXACT_ROWS:
        ranked = audit._ranked_columns()
        words = f"All {KINDS[audit.kind].row}s"
    else:
        ranked = audit._ranked_columns(flagged=True, most=MOST_RANKED)
        words = "The flagged rows"
        if audit.metrics()["n_flagged"] > MOST_RANKED:
            words = f"The {count(MOST_RANKED)} most suspicious of the flagged rows"
    if "label" in ranked and not has_label(ranked["label"]).all():
        ranked["label"] = fill_with_none(ranked["label"])
    if audit._ids is not None:
        ranked["id"] = audit._ids[ranked["row"]]
    ranked["flagged"] = ranked["flagged"].astype(int)  # 0 and 1 can be summed in a spreadsheet
    wanted = ["row", *(() if audit._ids is None else ("id",)), *KINDS[audit.kind].listed]
    return {name: ranked[name] for name in wanted}, words


def _write_list(path: Path, columns: dict[str, Any]) -> None:
    from ..tables import write_table  # here, as it brings scikit-learn

    # Further digits say nothing, and differ from one machine to the next.
    chance = {k: v.round(4).clip(max=0.9999) for k, v in columns.items() if k in CHANCES}
    write_table(path, columns | chance, guard_formulas=True)
