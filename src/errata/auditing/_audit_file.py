"""The audit of a file: columns by their names, and all that it takes to clean and review it.

Sentences name arguments in backticks, which the command line turns into its options.
"""

import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from math import prod
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np

from .._files import fits_into_memory, is_pattern
from .._format import instead, join_names, plural
from .._kinds import NOTED, find_kind
from .._progress import Progress, open_progress
from .._validation import MISSING_WORDS, check_no_measurement, is_missing
from ..sequence import WaveletFeatures
from ..tables import read_table, row_digests, row_keys
from ..tables._columns import column_array, columns_of, numbers
from ..tables._pictures import (
    is_picture_folder,
    is_picture_name,
    iterate_files,
    join_picture_paths,
)
from ..tables._table import read_beside
from ..tables.stored._files import find_files
from ._audit import Options
from .classes._audit import audit
from .multilabel import audit_multilabel
from .numbers import audit_targets
from .stored._audit import audit_stored
from .votes import audit_votes

SOURCES = {  # words in the names of columns that say who or what made the labels
    *("annotator", "annotators", "batch", "by", "center", "centre", "coder", "date", "device"),
    *("expert", "month"),
    *("hospital", "labeler", "labeller", "lab", "operator", "rater", "reader", "reviewer"),
    *("scanner", "site", "source", "worker"),
}
MOST_SOURCES = 50

FILES = ("features", "embeddings", "pred_proba", "decisions")


@dataclass(frozen=True, kw_only=True)
class FileOptions(Options):
    """The options of :func:`audit_file`: columns by their names, and paths of files."""

    label: str | None = None
    target: str | None = None
    labels: Sequence[str] = ()
    item: str | None = None
    worker: str | None = None
    features: Path | None = None
    by: str | None = None
    wavelets: Sequence[str] = ()
    fs: float | None = None
    band: tuple[float, float] | None = None

    @property
    def left_out(self) -> dict[str, str]:
        """The columns that models do not see, with the argument that says so."""
        named = {
            "drop": self.drop,
            "groups": (self.groups,),
            "sequence": (self.sequence,),
            "known": (self.known,),
            "ids": (self.ids,),
            "by": (self.by,),
        }
        return {key: f"`{name}`" for name, keys in named.items() for key in keys if key is not None}

    def check_sequence(self) -> None:
        """Raise when arguments do not go together: one without effect would mislead."""
        if self.sequence is None:
            for name in ("wavelets", "fs", "band"):
                if getattr(self, name):
                    raise ValueError(f"`{name}` is for recordings; name them with `sequence`.")
            return
        if self.groups is not None:
            raise ValueError(
                "`sequence` and `groups` cannot both be given; recordings are left out together "
                "already."
            )
        if self.image_shape is not None:
            raise ValueError(
                "`sequence` and `image_shape` cannot both be given; a recording is drawn over time."
            )
        if (self.fs or self.band) and not self.wavelets:
            raise ValueError("`fs` and `band` belong to `wavelets`; name the signal there.")
        if bool(self.fs) != bool(self.band):
            raise ValueError("`band` takes frequencies in Hz, so it needs `fs`, and `fs` needs it.")

    def check_roles(self) -> None:
        """Raise when a column is to be two things at once."""
        is_feature = dict.fromkeys(self.trust, "`trust`") | dict.fromkeys(
            self.wavelets, "`wavelets`"
        )
        named = is_feature | self.left_out
        held: dict[str | None, str] = dict.fromkeys(self.labels, "labels")
        held[self.label] = "the labels"
        held[self.target] = "the targets"
        for own, what in held.items():
            if own in named:
                raise ValueError(f"column {own!r} holds {what}; leave it out of {named[own]}.")
        for key, name in is_feature.items():
            if key in self.left_out:
                why = "only a feature can be trusted, so " if name == "`trust`" else ""
                raise ValueError(
                    f"column {key!r} is in {name} and in {self.left_out[key]}; {why}leave it out "
                    "of one of them."
                )


def audit_file(
    file: str | os.PathLike,
    label: str | None = None,
    *,
    target: str | None = None,
    labels: str | Sequence[str] = (),
    item: str | None = None,
    worker: str | None = None,
    features: str | os.PathLike | None = None,
    drop: Sequence[str] = (),
    trust: Sequence[str] = (),
    groups: str | None = None,
    known: str | None = None,
    ids: str | None = None,
    by: str | None = None,
    sequence: str | None = None,
    wavelets: Sequence[str] = (),
    fs: float | None = None,
    band: tuple[float, float] | None = None,
    embeddings: str | os.PathLike | None = None,
    pred_proba: str | os.PathLike | None = None,
    image_shape: tuple[int, ...] | None = None,
    decisions: Any = None,
    estimator: Any = None,
    precision: float | None = None,
    self_check: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
    out: str | os.PathLike | None = None,
    memory: int | str | None = None,
    engine: Any = None,
    resume: bool = True,
) -> Any:
    """Audit the labels in a file, as ``errata audit`` does.

    The result knows its file: :meth:`Audit.clean_file` finds the rows again even if the file was
    sorted since, and decisions of a review are kept by what rows hold. Names of pictures in the
    file count from where it is.

    Parameters
    ----------
    file : path
        A table, see :func:`errata.tables.read_table`, or a folder with a folder of pictures for
        each class. Labels may also be in a folder of tables, in what a pattern such as
        ``"visits-*.csv.gz"`` names, and in a file that is larger than memory: these are read in
        parts, which takes ``out``.
    label : str, optional
        The column of labels. A folder of pictures needs none.
    target : str, optional
        Numbers instead of labels, see :func:`errata.audit_targets`.
    labels : str or sequence of str, optional
        Several labels per row, see :func:`errata.audit_multilabel`: a column of lists, or columns
        of 0 and 1.
    item, worker : str, optional
        For a file of votes, one in each row, see :func:`errata.audit_votes`: the columns that say
        of which item, and whose.
    features : path, optional
        For votes: a file with a row for each item, in which ``ids``, or else ``item``, names the
        column of items.
    drop, trust : sequence of str, default=()
        Columns that are no features; columns that were measured independently of the label.
    groups, known, ids, by : str, optional
        Columns that say which rows belong together, which labels are certain, what rows are called,
        and who or what their labels come from, see :meth:`Audit.rates_by`.
    sequence : str, optional
        For rows that follow each other in time: the column of their recording.
    wavelets, fs, band : sequence of str, float and (float, float), optional
        For recordings: signals to look at through :class:`errata.sequence.WaveletFeatures`.
    embeddings, pred_proba : path, optional
        Files with a row for each row, as .npy or as a table.
    image_shape, decisions, estimator, precision, self_check, random_state, n_jobs, progress
        As for :func:`errata.audit`.
    out, memory, engine, resume : optional
        For a table that is read in parts, as for :func:`errata.audit`; one that would fit into
        memory is read so when ``memory`` or ``engine`` is given.

    Returns
    -------
    Audit, TargetAudit, MultilabelAudit or VoteAudit

    Examples
    --------
    >>> import tempfile
    >>> import errata
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 70]] = 2                            # two slips
    >>> columns = {f"x{place}": column for place, column in enumerate(X.T)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     errata.tables.write_table(f"{folder}/iris.csv", columns | {"kind": y})
    ...     audit = errata.audit_file(f"{folder}/iris.csv", "kind", self_check=False)
    ...     cleaned = audit.clean_file(f"{folder}/iris.csv", f"{folder}/clean.csv")
    ...     errata.tables.read_table(f"{folder}/clean.csv").num_rows < 150
    True
    """
    named = locals()
    given = {f.name: named[f.name] for f in fields(FileOptions) if f.name in named}
    for name in ("features", "embeddings", "pred_proba"):
        given[name] = None if given[name] is None else Path(given[name])
    for name in ("labels", "drop", "trust", "wavelets"):
        given[name] = (given[name],) if isinstance(given[name], str) else given[name]
    options = FileOptions(**given)
    file = Path(file)
    kind = find_kind(vars(options))
    if is_read_in_parts(file, memory, engine):
        if not kind.command.in_parts:
            raise ValueError(
                f"{file} would be read in parts, and an audit of {kind.title} needs its table in "
                "memory; give one file that fits, without `memory` and `engine`."
            )
        stored = {"out": out, "memory": memory, "engine": engine, "resume": resume}
        return _audit_parts(file, options, progress, **stored)
    if out is not None:
        raise ValueError(
            f"`out` is for tables that are read in parts, and {file} is read at once; leave it out "
            "and save the audit, or pass `memory`."
        )
    result = resolve_name(kind.command.audit)(file, options, progress)
    result._about.setdefault("id", options.ids)
    result._about["table"] = str(file.resolve())
    result._about["arguments"] = _note_arguments(options)
    return result


def is_read_in_parts(file: Path, memory: Any = None, engine: Any = None) -> bool:
    """Whether a table is a folder or a pattern, too large, or asked to be read so."""
    if memory is not None or engine is not None or is_pattern(file):
        return True
    return not is_picture_folder(file) if file.is_dir() else not fits_into_memory(file)


def _audit_parts(file: Path, options: FileOptions, progress: Any, **stored: Any) -> Any:
    """The audit of the labels in a table that is read in parts."""
    options.check_sequence()
    label = find_label(options.label, file, or_target=True)
    options = replace(options, label=label)
    options.check_roles()
    for name in ("sequence", "image_shape", "decisions", "embeddings", "pred_proba"):
        if getattr(options, name) is not None:
            raise ValueError(
                f"`{name}` needs the table in memory, and this one is read in parts; leave it out, "
                "or give one file that fits, without `memory` and `engine`."
            )
    by = options.by
    drop = [*options.drop, *([] if by is None else [by])]
    title = file.name or str(file)
    in_parts = Options.of(vars(options) | {"drop": drop, "title": title, "wavelets": None})

    def add_table(result: Any) -> None:
        table = os.path.abspath(file) if is_pattern(file) else str(file.resolve())
        noted = _note_arguments(options)
        result._about |= {"table": table, "id": options.ids, "arguments": noted}
        if by is not None:
            add_rates(result, by, (read_table(part, [by]) for part in find_files(file)))

    with open_progress(progress) as tell:
        return audit_stored(
            os.fspath(file), label, in_parts, tell, before_saving=add_table, **stored
        )


def _note_arguments(options: FileOptions) -> dict[str, Any]:
    """Arguments to audit the file again: None for those that are more than a name or a number."""
    noted: dict[str, Any] = {name: getattr(options, name, None) for name in (*NOTED, *FILES)}
    noted = {name: value for name, value in noted.items() if value not in (None, ())}
    for name in FILES:
        if name in noted:
            path = noted[name]
            is_path = isinstance(path, str | os.PathLike)
            noted[name] = str(Path(path).resolve()) if is_path else None
    if not isinstance(options.random_state, int | None):
        noted["random_state"] = None
    if options.estimator is not None:
        noted["estimator"] = None
    return noted


def audit_classes(file: Path, options: FileOptions, progress: Any) -> Any:
    """The audit of the labels in a file."""
    options.check_sequence()
    label = find_label(options.label, file, or_target=True)
    options = replace(options, label=label)
    table, kept = _read_columns(file, options, label)
    kept = kept.drop_columns([label])
    cells = column_array(table, label)
    if cells.dtype.kind == "O":
        cells = cells.copy()
        cells[:] = [None if is_missing(cell, text=True) else cell for cell in cells.tolist()]
    check_labels(cells, label, may_be_blank=options.sequence is None)
    if options.wavelets:
        kept = kept.select(list(options.wavelets))
    if kept.num_columns == 0 and options.embeddings is None and options.pred_proba is None:
        raise ValueError(f"no column of {file} is left to learn from, besides the labels.")
    check_pixels(kept, options.image_shape)
    seen = join_pictures(kept, file) if kept.num_columns else None
    result: Any = audit(
        seen,
        cells,
        **_read_shared(table, file, options),
        estimator=options.estimator,
        sequence=read_filled(table, options.sequence, "recording"),
        wavelets=_make_wavelets(options),
        known=None if options.known is None else column_array(table, options.known),
        decisions=options.decisions,
        keys=row_keys(table, label),
        image_shape=options.image_shape,
        progress=progress,
    )
    result._about["label"] = label
    _name_decisions(result, options.decisions)
    others = []
    if file.is_dir():
        others = sorted(iterate_files(file, lambda name: not is_picture_name(name)))
    if others:
        files = plural(len(others), "file")
        result.notes.append(f"Passed over {files} not named as pictures: {join_names(others, 5)}.")
    if options.by is None:
        result.notes.extend(_suggest_source(seen))
    certain = [] if options.known is None else [options.known]  # which would tell gold rows
    return _add_file(result, table, [label, *certain], options)


def audit_target_file(file: Path, options: FileOptions, progress: Any) -> Any:
    """The audit of the targets in a file."""
    target = str(options.target)
    table, kept = _read_columns(file, options, target)
    if kept.num_columns == 1 and options.embeddings is None:
        raise ValueError(f"no column of {file} is left to learn from, besides the targets.")
    result: Any = audit_targets(
        join_pictures(kept, file),
        target,
        **_read_shared(table, file, options),
        decisions=options.decisions,
        keys=row_keys(table, target),
        progress=progress,
    )
    _name_decisions(result, options.decisions)
    return _add_file(result, table, [target], options)


def audit_multilabel_file(file: Path, options: FileOptions, progress: Any) -> Any:
    """The audit of several labels per row in a file."""
    table, kept = _read_columns(file, options)
    result: Any = audit_multilabel(
        join_pictures(kept, file),
        list(options.labels),
        **_read_shared(table, file, options),
        estimator=options.estimator,
        progress=progress,
    )
    label = result._about["label"]  # one column of lists, or one for each label
    columns = list(map(str, result.names)) if label is None else [label]
    result._keys = row_keys(table, *columns)
    return _add_file(result, table, columns, options)


def audit_vote_file(file: Path, options: FileOptions, progress: Any) -> Any:
    """The audit of the votes in a file; its items are called by their own names."""
    votes = read_table(file)
    item = str(options.item)
    worker = str(options.worker)
    label = str(options.label)
    check_known([item, worker, label], votes, file)
    if len({item, worker, label}) < 3:
        raise ValueError("`item`, `worker` and `label` must name three different columns.")
    left_out = [*options.drop, *(name for name in (options.groups, options.by) if name)]
    table = _read_items(options, left_out)
    seen = None
    if options.features is not None:  # items are called as the votes call them
        seen = join_pictures(table, options.features)
        place = table.column_names.index(item)
        seen = seen.set_column(place, item, table.column(place))
    result: Any = audit_votes(
        votes,
        item=item,
        worker=worker,
        label=label,
        X=seen,
        estimator=options.estimator,
        groups=read_filled(table, options.groups, "group"),
        precision=options.precision,
        title=file.name,
        drop=left_out,
        random_state=options.random_state,
        n_jobs=options.n_jobs,
        progress=progress,
    )
    if options.features is not None:
        result._about["features_table"] = str(options.features.resolve())
        result._about["id"] = options.ids or item
        result._for_review = result._for_review.showing(table)
        add_rates(result, options.by, [table])
    return result


def _read_items(options: FileOptions, left_out: list[str]) -> Any:
    """The table of the items, whose names are in the column called as in the votes, if any."""
    path = options.features
    if path is None:
        for name in ("drop", "groups", "ids", "by", "estimator"):
            if getattr(options, name):
                raise ValueError(
                    f"`{name}` is for a table of the items; say which with `features`."
                )
        return None
    table = read_table(path)
    name = options.ids or str(options.item)
    if name not in table.column_names and options.ids is None:
        raise ValueError(
            f"{path} has no column {name!r} that says which item each row is; name it with `ids`."
        )
    check_known([name, *left_out], table, path)
    if name in left_out:
        raise ValueError(f"column {name!r} names the items, so it is no feature anyway.")
    if name != options.item and options.item in table.column_names:
        raise ValueError(
            f"`ids` {name} is to name the items, but {path} has a column {options.item!r}, too; "
            "leave `ids` out, or rename that column."
        )
    return table.rename_columns(
        [options.item if each == name else each for each in table.column_names]
    )


def _read_columns(file: Path, options: FileOptions, *judged: str) -> tuple[Any, Any]:
    """The table, and its columns that are features or ``judged``; raise where one is not there."""
    table = read_table(file)
    named = [*judged, *options.left_out, *options.trust, *options.wavelets]
    check_known(named, table, file)
    options.check_roles()
    return table, table.drop_columns(list(options.left_out))


def _read_shared(table: Any, file: Path, options: FileOptions) -> dict[str, Any]:
    """Arguments that audits of every table take: columns by name, files beside it, and numbers.

    Rows of a folder of pictures are called by the names of these.
    """
    name = "picture" if options.ids is None and file.is_dir() else options.ids
    ids = None if name is None else column_array(table, name)
    files = {"embeddings": options.embeddings, "pred_proba": options.pred_proba}
    beside = {
        what: read_beside(path, table.num_rows, name=name, ids=ids)
        for what, path in files.items()
        if path is not None
    }
    return beside | {
        "groups": read_filled(table, options.groups, "group"),
        "trust": list(options.trust),
        "ids": ids,
        "precision": options.precision,
        "self_check": options.self_check,
        "title": file.name,
        "random_state": options.random_state,
        "n_jobs": options.n_jobs,
    }


def _make_wavelets(options: FileOptions) -> WaveletFeatures | None:
    """The wavelets that models look at; None for the signals themselves."""
    if not options.wavelets:
        return None
    if options.fs is None:
        return WaveletFeatures(band=None)
    return WaveletFeatures(fs=options.fs, band=options.band)


def _name_decisions(result: Any, decisions: Any) -> None:
    path = getattr(decisions, "path", decisions)
    result._about["decisions"] = None if path is None else str(Path(path).resolve())


def _add_file(result: Any, table: Any, judged: list[str], options: FileOptions) -> Any:
    """Add what rows of the table are found again by, what is shown of them, and rates by value.

    ``judged`` are the columns that are not shown beside a row.
    """
    result._digests = row_digests(table)
    if options.image_shape is None:  # columns that models never saw may tell a person something
        result._for_review = result._for_review.showing(table.drop_columns(judged))
    result.notes.extend(_describe_ids(result._ids, options.ids))
    add_rates(result, options.by, [table])
    return result


def add_rates(result: Any, name: str | None, tables: Iterable[Any]) -> None:
    """Let summary and report of an audit tell of each value of a column, if one is named.

    ``tables`` are the parts of what was audited, in the order of the rows.
    """
    if name is None:
        return
    if result.has_skill:
        cells = [column_array(table, name) for table in tables]
        result.rates_by(np.concatenate(cells), name=name)
    else:
        result.notes.append(f"How noisy each value of {name!r} is cannot be told either.")


def _describe_ids(ids: Any, name: str | None) -> list[str]:
    twice = [] if ids is None else [i for i, n in Counter(map(str, ids.tolist())).items() if n > 1]
    if not twice:
        return []
    stand = "stands for several rows" if len(twice) == 1 else "stand for several rows each"
    return [f"{plural(len(twice), 'id')} in {name!r} {stand} (the first is {twice[0]})."]


def _suggest_source(table: Any) -> list[str]:
    """A note on the first column whose name and few values say where labels come from."""
    for name in [] if table is None else table.column_names:
        words = re.split(r"[^a-z]+", name.lower())
        if SOURCES.isdisjoint(words) or not 2 <= len(table[name].unique()) <= MOST_SOURCES:
            continue
        return [
            f"{name!r} may say where labels come from: with `by` {shlex.quote(name)} the audit "
            "says how noisy the labels of each value are."
        ]
    return []


def join_pictures(table: Any, file: Path) -> Any:
    """The table with names of pictures as they are from here: a table names them from where it is.

    A folder of pictures is itself the table.
    """
    return join_picture_paths(table, file if file.is_dir() else file.parent)


def find_label(label: str | None, file: Path, *, or_target: bool = False) -> str:
    """The column of labels; raise when nobody said which it is, with the columns there are.

    With ``or_target``, there may be a column of numbers instead.
    """
    if label is not None:
        return label
    if is_picture_folder(file):
        return "label"
    columns = join_names(read_table(find_files(file)[0]).column_names)
    or_numbers = ", or numbers that may be wrong, with `target`" if or_target else ""
    raise ValueError(
        f"say which column holds the labels, with `label`{or_numbers}; the columns of {file} are "
        f"{columns}."
    )


def read_filled(table: Any, name: str | None, what: str) -> Any:
    """A column that has a value in every row; None where none was named."""
    if name is None:
        return None
    cells = column_array(table, name)
    check_filled(cells, name, what)
    return cells


def check_known(wanted: Iterable[str], table: Any, path: Path) -> None:
    """Raise when the table lacks a column, with the names that look like it."""
    for name in wanted:
        if name not in table.column_names:
            raise ValueError(f"{path} has no column {name!r}; {instead(name, table.column_names)}")


def check_filled(cells: np.ndarray, name: str, what: str) -> None:
    """Raise when some row has no label, or whatever the column should hold."""
    missing = [row for row, cell in enumerate(cells.tolist()) if is_missing(cell, text=True)]
    if missing:
        raise ValueError(
            f"column {name!r} has {plural(len(missing), 'row')} without a {what} (the first is row "
            f"{missing[0]}, counted from 0); drop such rows or fill them in."
        )


def check_labels(column: np.ndarray, name: str, *, may_be_blank: bool = False) -> None:
    """Raise when a column does not hold a label for each row, of two classes or more."""
    if not may_be_blank:
        check_filled(column, name, "label")
    values = [value for value in column.tolist() if not is_missing(value)]
    if not values:
        raise ValueError(f"column {name!r} holds no label at all; name the column that does.")
    check_no_measurement(sorted(set(map(str, values))), len(values), f"column {name!r}")
    odd = _find_odd_type(column.dtype.kind, values)
    if odd:
        raise ValueError(
            f"column {name!r} holds labels of the type {odd}; "
            "text, whole numbers and booleans are understood. Write them as text if they name "
            "classes."
        )
    if len(set(values)) == 1:
        blank = len(column) - len(values)
        words = f"an empty cell, {join_names(filter(None, MISSING_WORDS))}"
        beside = f", and in {plural(blank, 'row')} none ({words})" if blank else ""
        raise ValueError(
            f"column {name!r} holds one class only ({values[0]}){beside}: a label can be wrong "
            "only where there is another."
        )


def _find_odd_type(kind: str, values: list[Any]) -> str | None:
    """The type of values that are no labels: date, list, measurement, several at once."""
    if kind in "mM":
        return "date"
    kinds = {type(value) for value in values}
    # Booleans pass as int.
    odd = [k.__name__ for k in kinds if not issubclass(k, str | int | float)]
    if odd:
        return min(odd)
    if str in kinds and len(kinds) > 1:
        return " and ".join(sorted(k.__name__ for k in kinds))
    # Whole numbers come as floats from columns that once had gaps; they are classes all the same.
    broken = [value for value in values if isinstance(value, float) and not value.is_integer()]
    return f"measurement ({broken[0]:g})" if broken else None


def check_pixels(table: Any, shape: tuple[int, ...] | None) -> None:
    """Raise when the columns are not as many numbers as a picture has."""
    if shape is None:
        return
    others = columns_of(table)
    if len(others) != prod(shape):
        raise ValueError(
            f"`image_shape` {'x'.join(map(str, shape))} takes {plural(prod(shape), 'column')}, but "
            f"{len(others)} {'is' if len(others) == 1 else 'are'} left besides the labels; "
            "leave out others with `drop`."
        )
    words = [c.name for c in others if numbers(c.values) is None]
    if words:
        raise ValueError(
            f"`image_shape` takes numbers, but column {words[0]!r} holds something else."
        )
