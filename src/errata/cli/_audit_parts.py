"""``errata audit`` of a table that is read in parts, and what every audit leaves in its folder."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import errata

from .._files import fits_into_memory, is_pattern
from .._format import count
from .._kinds import KINDS
from .._progress import show_progress
from ._columns import check_roles, read_column
from ._console import explain_resuming, say
from ._folder import check_place, is_folder_of_pictures, make_folder, resolve_path
from ._options import Options, open_engine

MOST_RANKED = 100_000  # rows of a large table in ranked.csv: nobody reads further
CHANCES = ("p_wrong", "p_consensus")


class Parts(NamedTuple):
    """How a table is read in parts, as the command was told."""

    memory: str | None
    engine: str | None
    scheduler: str | None
    no_resume: bool

    def are_asked_for(self) -> bool:
        """Whether an option says that the table is to be read in parts."""
        return any(value is not None for value in (self.memory, self.engine, self.scheduler))


def is_read_in_parts(file: Path, parts: Parts) -> bool:
    """Whether the table is a folder or a pattern, too large, or asked to be read so."""
    if (
        parts.are_asked_for()
        or is_pattern(file)
        or (file.is_dir() and not is_folder_of_pictures(file))
    ):
        return True
    if parts.no_resume:
        raise ValueError(
            f"--no-resume is for tables that are read in parts, and {file} is read at once; leave "
            "it out, or pass --memory."
        )
    return not fits_into_memory(file)


def audit_in_parts(
    file: Path,
    out: Path,
    options: Options,
    parts: Parts,
    *,
    force: bool,
    commands: dict[str, str],
    earlier: Any,
) -> tuple[Any, str, Any]:
    """Audit the table, and write all there is; what was found, the rows listed, what changed.

    ``commands`` are what to type next, ``earlier`` is the audit to compare to.
    """
    _check(options)
    check_place(out, force)
    # Here, as they bring scikit-learn.
    from ..auditing.stored._audit import MARK, unfinished_folder
    from ..tables.stored._sources import parse_memory

    memory = parts.memory and parse_memory(parts.memory)
    unfinished = unfinished_folder(out)
    if (unfinished / MARK).is_file():
        what = "Starting anew" if parts.no_resume else "Going on"
        say(f"{what}: the audit of {file} was stopped before, in {unfinished}.", err=True)
    with (
        explain_resuming(),
        open_engine(parts.engine, parts.scheduler) as engine,
        show_progress() as progress,
    ):
        found = _run(file, out, options, memory=memory, engine=engine, parts=parts, show=progress)
        reviewed = {"review": commands["review"] if found.for_review is not None else None}
        found.about |= commands | reviewed | {"table": resolve_path(file), "id": options.name}
        found.about["options"] = options.again()
        add_rates(found, options.by, file)
        progress("writing the report")
        with make_folder(out, force=True) as folder:
            return found, *write_outputs(found, folder, earlier)


def _run(file: Path, out: Path, options: Options, *, parts: Parts, show: Any, **how: Any) -> Any:
    try:
        return errata.audit(
            os.fspath(file),
            options.label,
            out=out,
            resume=not parts.no_resume,
            estimator=options.estimator(),
            groups=options.group,
            trust=list(options.trust),
            drop=[*options.drop, *([] if options.by is None else [options.by])],
            known=options.known,
            ids=options.name,
            precision=options.precision,
            self_check=not options.no_self_check,
            title=file.name or str(file),
            random_state=options.seed,
            n_jobs=options.jobs,
            progress=show,
            **how,
        )
    except ValueError as error:  # in the words of who types, not of who programs
        raise ValueError(str(error).replace("resume=False", "--no-resume")) from error


def _check(options: Options) -> None:
    """Raise for what only a table in memory can have."""
    options.check_sequence()
    check_roles(options)
    asked = {
        "--sequence": options.sequence,
        "--pixels": options.pixels,
        "--decisions": options.decisions,
        "--embeddings": options.embeddings,
        "--pred-proba": options.pred_proba,
    }
    for option, value in asked.items():
        if value is not None:
            raise ValueError(
                f"{option} needs the table in memory, and this one is read in parts; leave it out, "
                "or give one file that fits, without --memory and --engine."
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


def add_rates(found: Any, name: str | None, file: Path) -> None:
    """Let summary and report of an audit tell of each value of a column, if one is named."""
    if name is None:
        return
    if found.has_skill:
        found.rates_by(_read_values(file, name), name=name)
    else:
        found.notes.append(f"How noisy each value of {name!r} is cannot be told either.")


def _read_values(file: Path, name: str) -> Any:
    """The column of a file, or of all files of a folder or pattern, in the order of the rows."""
    import numpy as np  # here, as showing the help should not take long

    from ..tables.stored._files import find_files

    return np.concatenate([read_column(Path(part), name) for part in find_files(file)])
