"""``errata audit`` of a table that is read in parts: a folder, a pattern, or a file too large."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import errata

from .._progress import shown_progress
from ._by import add_rates
from ._cluster import chosen_engine
from ._columns import check_roles
from ._console import say
from ._folder import check_place, new_folder
from ._options import Options
from ._outputs import Written, write_outputs
from ._places import holds_pictures, is_pattern, whole_path
from ._resuming import resumable

FITS = 1 / 8  # of this machine's memory: a file as large as this may become larger than it all


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
    if parts.are_asked_for() or is_pattern(file) or (file.is_dir() and not holds_pictures(file)):
        return True
    if parts.no_resume:
        raise ValueError(
            f"--no-resume is for tables that are read in parts, and {file} is read at once; leave "
            "it out, or pass --memory."
        )
    return not _fits(file)


def _fits(file: Path) -> bool:
    with suppress(AttributeError, ValueError, OSError):  # not every system tells, or it is missing
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return file.stat().st_size <= FITS * memory
    return True


def audit_in_parts(
    file: Path,
    out: Path,
    options: Options,
    parts: Parts,
    *,
    force: bool,
    commands: dict[str, str],
    earlier: Any,
) -> tuple[Any, Written]:
    """Audit the table, and write all there is; what was found, and what was written.

    ``commands`` are what to type next, ``earlier`` is the audit to compare to.
    """
    _check(options)
    check_place(out, force)
    # Here, as they bring scikit-learn.
    from ..auditing._stored_audit import Storing
    from ..tables._sources import memory_bytes

    memory = parts.memory and memory_bytes(parts.memory)
    _tell_of_unfinished(file, Storing(out).unfinished, parts)
    with (
        resumable(),
        chosen_engine(parts.engine, parts.scheduler) as engine,
        shown_progress() as progress,
    ):
        found = _run(file, out, options, memory=memory, engine=engine, parts=parts, show=progress)
        reviewed = {"review": commands["review"] if found.for_review is not None else None}
        found.about |= commands | reviewed | {"table": whole_path(file), "id": options.name}
        found.about["options"] = options.again()
        add_rates(found, options.by, file)
        progress("writing the report")
        with new_folder(out, force=True) as folder:
            return found, write_outputs(found, folder, earlier)


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


def _tell_of_unfinished(file: Path, unfinished: Path, parts: Parts) -> None:
    if unfinished.is_dir():
        what = "Starting anew" if parts.no_resume else "Going on"
        say(f"{what}: the audit of {file} was stopped before, in {unfinished}.", err=True)
