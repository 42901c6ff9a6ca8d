"""Wrong labels, or wrong numbers, planted in a copy of a file, with the truth beside it.

Sentences name arguments in backticks, which the command line turns into its options.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._files import atomic_folder, atomic_path, name_beside
from .._format import instead, join_names
from .._validation import check_choice
from ..noise import (
    NoiseModel,
    boundary_flip_proba,
    density_flip_proba,
    disturb_targets,
    flip_labels,
    reference_proba,
    region_flip_proba,
)
from ..noise._inject import TARGET_NOISE
from ..tables import copy_with_column, read_table, write_table
from ..tables._columns import column_array, columns_of, numbers
from ..tables.stored._files import (
    check_new_file,
    check_new_folder,
    copy_files,
    list_files,
    read_column,
    read_files,
)
from ._audit_file import check_labels, find_label
from .numbers import Digits, read_targets, write_numbers

LABEL_NOISE = ("uniform", "cyclic", "pairwise", "transition", "boundary", "region", "density")


def plant_errors(
    table: str | os.PathLike,
    out: str | os.PathLike,
    label: str | None = None,
    *,
    target: str | None = None,
    rate: float | None = None,
    kind: str | None = None,
    pairs: Sequence[tuple[str, str]] = (),
    transition: str | os.PathLike | None = None,
    exact: bool = True,
    truth: str | os.PathLike | None = None,
    force: bool = False,
    random_state: Any = None,
) -> np.ndarray:
    """Copy a file with wrong labels, or wrong numbers, planted in it, and keep the truth.

    Every cell outside of the column stays as it is. A detector can be measured by the truth, which
    goes to a table of its own: row, label, class and flipped; of numbers row, recorded, target and
    changed. ``errata noise`` does the same on the command line.

    Parameters
    ----------
    table : path
        A file in any format that :func:`errata.tables.read_table` reads, a folder of such files or
        a pattern that names some, or a folder with a folder of pictures for each class.
    out : path
        The noisy table, in the same format; a folder for several files.
    label : str, optional
        The column of labels. Only a folder of pictures needs none.
    target : str, optional
        A column of numbers, instead of labels.
    rate : float
        Fraction of wrong labels or numbers; not with ``kind="transition"``.
    kind : str, optional
        Of labels "uniform" (the default; any label, any wrong class), "cyclic" (each class is taken
        for the next), "pairwise", "transition", "boundary" (near the boundary of a logistic
        regression, for the runner-up), "region" (in a neighbourhood that holds a quarter of the
        rows) or "density" (where rows are few). The last three look at the columns of numbers. Of
        numbers "swap" (the default), "gross", "shift" or "unit": see
        :func:`errata.noise.disturb_targets`.
    pairs : sequence of (str, str)
        For "pairwise": classes that are confused with each other.
    transition : path, optional
        For "transition": a table of P(label | class), a first column of classes, then one column
        per label.
    exact : bool, default=True
        Whether exactly the fraction is changed; else every row is drawn by itself.
    truth : path, optional
        Where what is true is written; ``out`` with ".truth.csv" by default.
    force : bool, default=False
        Overwrite files that are there already.
    random_state : int, RandomState instance or None
        Fix it to get the same noise again.

    Returns
    -------
    changed : array of bool of shape (n,)
        The rows that are wrong now.

    Examples
    --------
    >>> import errata, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     errata.tables.write_table(f"{folder}/pets.csv", {"y": ["cat", "dog"] * 10})
    ...     changed = errata.plant_errors(
    ...         f"{folder}/pets.csv", f"{folder}/noisy.csv", "y", rate=0.1, random_state=0
    ...     )
    ...     truth = errata.tables.read_table(f"{folder}/noisy.truth.csv").to_pydict()
    >>> int(changed.sum()), truth["flipped"].count("1")
    (2, 2)
    """
    table = Path(table)
    out = Path(out)
    files = list_files(table)
    if not out.name:  # ".", which has nothing beside it
        raise IsADirectoryError(f"{out} is a folder; give the name of a file or a new folder.")
    truth = name_beside(out, ".truth", ending=".csv") if truth is None else Path(truth)
    if len({path.resolve() for path in (table, out, truth)}) < 3:
        raise ValueError("the table, `out` and `truth` must be three different files.")
    if not files:
        check_new_file(table, out, force=force)
    if truth.exists() and not force:
        raise FileExistsError(f"{truth} exists already; choose another name, or pass force=True.")
    if files:
        check_new_folder(table, files, out, force=force)
        for folder in (out, table):
            if truth.resolve().is_relative_to(folder.resolve()):
                raise ValueError(
                    f"`truth` {truth} is in {folder}, among the tables; put it elsewhere."
                )
    kind = kind or ("uniform" if target is None else TARGET_NOISE[0])
    check_choice("kind", kind, (*LABEL_NOISE, *TARGET_NOISE))
    # An argument without effect would leave the user with noise of another kind than asked for.
    if pairs and kind != "pairwise":
        raise ValueError(f"`pairs` belongs to `kind` pairwise, not to {kind}.")
    if transition is not None and kind != "transition":
        raise ValueError(f"`transition` belongs to `kind` transition, not to {kind}.")
    if rate is not None and kind == "transition":
        raise ValueError("`kind` transition takes its rates from the matrix; leave out `rate`.")
    new: Any
    how: dict[str, Any]
    if target is None and kind in LABEL_NOISE:
        label = find_label(label, files[0] if files else table, or_target=True)
        labels = read_column(files or [table], label)
        check_labels(labels, label)
        if kind == "transition":
            how = {"transition": _read_transition(transition, labels)}
        else:
            how = _spread(
                kind, files or [table], label, labels, _check_rate(rate), pairs, random_state
            )
        new, changed = flip_labels(labels, exact=exact, random_state=random_state, **how)
        told = {"label": new, "class": labels, "flipped": 1 * changed}
    else:
        _check_numbers(files, label, target, kind, exact)
        label = str(target)
        new, told = _disturb(table, label, kind, _check_rate(rate), random_state)
        changed = told["changed"] == 1
    with atomic_path(truth) as temporary:  # both, or none
        write_table(temporary, {"row": range(len(changed)), **told}, guard_formulas=True)
        if files:
            _copy_files(files, out, label, new)
        else:
            copy_with_column(table, out, label, new)
    return changed


def _check_rate(rate: float | None) -> float:
    if rate is None:
        raise ValueError("say how much noise: `rate` with a number between 0 and 1.")
    return rate


def _spread(
    kind: str,
    files: list[Path],
    label: str,
    labels: np.ndarray,
    rate: float,
    pairs: Sequence[tuple[str, str]],
    random_state: Any,
) -> dict[str, Any]:
    """Where the errors are and what they are, as ``flip_labels`` takes it."""
    if kind == "uniform":
        return {"rate": rate}
    classes = sorted(set(labels.tolist()))
    if kind == "cyclic":
        return {"transition": NoiseModel.cyclic(len(classes), rate)}
    if kind == "pairwise":
        return {"transition": NoiseModel.pairwise(len(classes), _place(pairs, classes), rate)}
    X = _read_features(files, label)
    if kind == "region":
        return {"flip_proba": region_flip_proba(X, rate, random_state=random_state)}
    if kind == "density":
        return {"flip_proba": density_flip_proba(X, rate)}
    # The model that says where the boundary is also says which class is the runner-up.
    proba = reference_proba(X, labels, random_state=random_state)
    return {"flip_proba": boundary_flip_proba(proba, rate), "target": proba}


def _place(pairs: Sequence[tuple[str, str]], classes: list[Any]) -> list[tuple[int, int]]:
    """Pairs of classes as places among all of them."""
    if not pairs:
        raise ValueError("kind pairwise needs the classes that are confused: `pairs` of two each.")
    names = [str(name) for name in classes]
    unknown = [name for pair in pairs for name in map(str, pair) if name not in names]
    if unknown:
        hint = instead(unknown[0], names, what="classes")
        raise ValueError(f"there is no class {unknown[0]!r}; {hint}")
    alone = [a for a, b in pairs if a == b]
    if alone:
        raise ValueError(f"`pairs` {alone[0]} {alone[0]} names one class twice; name two classes.")
    return [(names.index(str(a)), names.index(str(b))) for a, b in pairs]


def _read_transition(path: str | os.PathLike | None, labels: np.ndarray) -> NoiseModel:
    if path is None:
        raise ValueError("kind transition needs the matrix: `transition` with a file.")
    first, *columns = columns_of(read_table(path))
    by_name = {}
    for column in columns:
        values = numbers(column.values)
        if values is None:
            raise ValueError(
                f"column {column.name!r} of {path} holds something that is not a number."
            )
        by_name[column.name] = values
    classes = first.array().tolist()
    if sorted(classes) != sorted(by_name):
        raise ValueError(
            f"{path} must name the same classes in its first column and in its header; "
            f"it has {join_names(classes)} and {join_names(by_name)}."
        )
    # With the type of the labels: CSV says "1" where a Parquet table says 1.
    by_text = {str(label): label for label in labels.tolist()}
    return NoiseModel(
        np.column_stack([by_name[name] for name in classes]),
        classes=[by_text.get(name, name) for name in classes],
    )


def _read_features(files: list[Path], label: str) -> np.ndarray:
    """The columns of numbers, each with mean 0 and standard deviation 1."""
    columns = columns_of(read_files(files))
    values = {column.name: numbers(column.values) for column in columns if column.name != label}
    # The spread of a column with gaps is NaN and not 0, so that it is kept and named below.
    numeric = {name: v for name, v in values.items() if v is not None and v.std() != 0}
    missing = [name for name, v in numeric.items() if np.isnan(v).any()]
    if missing:
        raise ValueError(f"column {missing[0]!r} has empty cells; this kind of noise needs values.")
    if not numeric:
        raise ValueError(f"{files[0]} has no numeric column that varies, and this kind needs one.")
    return np.column_stack([(v - v.mean()) / v.std() for v in numeric.values()])


def _copy_files(files: list[Path], out: Path, label: str, noisy: np.ndarray) -> None:
    def rewrite(cells: list[Any], start: int, *where: Any) -> tuple[list[bool], list[Any]]:
        new = noisy[start : start + len(cells)].tolist()
        # A cell that stays is left as its file has it: 1 where another file has made it 1.0.
        return [True] * len(cells), [a if a == b else b for a, b in zip(cells, new, strict=True)]

    with atomic_folder(out) as folder:
        copy_files(files, folder, label, rewrite)


def _check_numbers(
    files: list[Path] | None, label: str | None, target: str | None, kind: str, exact: bool
) -> None:
    """Raise for what does not go with numbers."""
    if target is None:
        raise ValueError(f"`kind` {kind} is for numbers; name their column with `target`.")
    if label is not None:
        raise ValueError("`label` and `target` cannot both be given; plant one kind of noise.")
    if kind not in TARGET_NOISE:
        raise ValueError(
            f"`kind` {kind} is for labels; of numbers, known are {join_names(TARGET_NOISE)}."
        )
    if not exact:
        raise ValueError("`exact` is for labels; leave it out with `target`.")
    if files:
        raise ValueError("`target` takes one file; give the name of one.")


def _disturb(
    table: Path, target: str, kind: str, rate: float, random_state: Any
) -> tuple[list[Any], dict[str, np.ndarray]]:
    """The column of numbers with errors, written as its cells are, and the truth."""
    features, targets, _ = read_targets(read_table(table), target)
    by = _find_numbers(features) if kind == "unit" else None
    noisy, changed = disturb_targets(targets, rate, kind=kind, by=by, random_state=random_state)
    digits = Digits(targets[~np.isnan(targets)])
    cells = column_array(read_table(table, [target]), target).tolist()
    told = {"recorded": noisy, "target": targets, "changed": 1 * changed}
    return write_numbers(cells, changed, noisy, digits), told


def _find_numbers(table: Any) -> np.ndarray:
    """The first column of numbers without gaps: where units are confused depends on it."""
    for column in columns_of(table):
        values = numbers(column.values)
        if values is not None and not np.isnan(values).any():
            return values
    raise ValueError("`kind` unit needs a column of numbers without gaps besides the target.")
