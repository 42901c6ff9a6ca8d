"""``errata audit`` of a table that is read in parts, and what every audit leaves in its folder."""

import os
from pathlib import Path
from typing import Any

import errata

from .._files import fits_into_memory, is_pattern
from .._format import count
from .._kinds import KINDS
from .._progress import show_progress
from ._console import explain_resuming, say
from ._folder import check_place, is_folder_of_pictures, make_folder, resolve_path
from ._options import list_options, make_estimator, name_arguments, open_engine

MOST_RANKED = 100_000  # rows of a large table in ranked.csv: nobody reads further
CHANCES = ("p_wrong", "p_consensus")


def is_read_in_parts(file: Path, *, no_resume: bool, **parts: str | None) -> bool:
    """Whether the table is a folder or a pattern, too large, or asked to be read so."""
    is_asked_for = any(value is not None for value in parts.values())
    is_folder = file.is_dir() and not is_folder_of_pictures(file)
    if is_asked_for or is_pattern(file) or is_folder:
        return True
    if no_resume:
        raise ValueError(
            f"--no-resume is for tables that are read in parts, and {file} is read at once; leave "
            "it out, or pass --memory."
        )
    return not fits_into_memory(file)


def audit_in_parts(
    file: Path,
    out: Path,
    asked: dict[str, Any],
    *,
    memory: str | None,
    engine: str | None,
    scheduler: str | None,
    no_resume: bool,
    force: bool,
    commands: dict[str, str],
    earlier: Any,
) -> tuple[Any, str, Any]:
    """Audit the table, and write all there is; what was found, the rows listed, what changed.

    ``commands`` are what to type next, ``earlier`` is the audit to compare to.
    """
    _check(asked)
    check_place(out, force)
    # Here, as they bring scikit-learn.
    from ..auditing._audit_file import add_rates
    from ..auditing.stored._audit import MARK, unfinished_folder
    from ..tables.stored._sources import parse_memory

    size = memory and parse_memory(memory)
    unfinished = unfinished_folder(out)
    if (unfinished / MARK).is_file():
        what = "Starting anew" if no_resume else "Going on"
        say(f"{what}: the audit of {file} was stopped before, in {unfinished}.", err=True)
    with (
        explain_resuming(),
        open_engine(engine, scheduler) as client,
        show_progress() as progress,
    ):
        try:
            found = errata.audit(
                os.fspath(file),
                asked["label"],
                out=out,
                memory=size,
                engine=client,
                resume=not no_resume,
                estimator=make_estimator(asked["model"], asked["seed"], asked["jobs"]),
                groups=asked["group"],
                trust=list(asked["trust"]),
                drop=[*asked["drop"], *([] if asked["by"] is None else [asked["by"]])],
                known=asked["known"],
                ids=asked["name"],
                precision=asked["precision"],
                self_check=not asked["no_self_check"],
                title=file.name or str(file),
                random_state=asked["seed"],
                n_jobs=asked["jobs"],
                progress=progress,
            )
        except ValueError as error:  # in the words of who types, not of who programs
            raise ValueError(str(error).replace("resume=False", "--no-resume")) from error
        reviewed = {"review": commands["review"] if found.for_review is not None else None}
        found.about |= commands | reviewed | {"table": resolve_path(file), "id": asked["name"]}
        found.about["options"] = list_options(asked)
        add_rates(found, asked["by"], file)
        progress("writing the report")
        with make_folder(out, force=True) as folder:
            return found, *write_outputs(found, folder, earlier)


def _check(asked: dict[str, Any]) -> None:
    """Raise for what only a table in memory can have."""
    from ..auditing._audit_file import FileOptions  # here, as it brings scikit-learn

    options = FileOptions(**name_arguments(asked))
    options.check_sequence()
    options.check_roles()
    for name in ("sequence", "pixels", "decisions", "embeddings", "pred_proba"):
        if asked[name] is not None:
            raise ValueError(
                f"--{name.replace('_', '-')} needs the table in memory, and this one is read in "
                "parts; leave it out, or give one file that fits, without --memory and --engine."
            )


def write_outputs(found: Any, folder: Path, earlier: Any = None) -> tuple[str, Any]:
    """Write all of it; say what the ranked list holds, and what changed since ``earlier``."""
    from ..auditing.results._base import further_lists  # here, as it brings scikit-learn

    found.save(folder)
    found.report(folder / "report.html")
    ranked, words = _rank_rows(found)
    if found.ids is not None:
        ranked["id"] = found.ids[ranked["row"]]
    ranked["flagged"] = ranked["flagged"].astype(int)  # 0 and 1 can be summed in a spreadsheet
    wanted = ["row", *(() if found.ids is None else ("id",)), *KINDS[found.kind].listed]
    _write(folder / "ranked.csv", {name: ranked[name] for name in wanted})
    for name, columns in further_lists(found).items():
        _write(folder / f"{name}.csv", columns)
    since = None if earlier is None else errata.diff(earlier, found)
    changes = [] if since is None else [since.markdown()]
    text = "\n\n".join([found.to_markdown(), *changes])
    (folder / "summary.md").write_text(f"{text}\n", encoding="utf-8")
    return words, since


def _write(path: Path, columns: dict[str, Any]) -> None:
    # Further digits say nothing, and differ from one machine to the next.
    chance = {k: v.round(4).clip(max=0.9999) for k, v in columns.items() if k in CHANCES}
    errata.tables.write_table(path, columns | chance, guard_formulas=True)


def _rank_rows(found: Any) -> tuple[dict[str, Any], str]:
    """The rows of the list, the most suspicious first, and what they are."""
    if len(found) <= errata.auditing._settings.EXACT_ROWS:
        return found.ranked_columns(), f"All {KINDS[found.kind].row}s"
    ranked = found.ranked_columns(flagged=True, most=MOST_RANKED)
    flagged = found.metrics()["n_flagged"]
    if flagged <= MOST_RANKED:
        return ranked, "The flagged rows"
    return ranked, f"The {count(MOST_RANKED)} most suspicious of the flagged rows"
