"""``--embed`` and ``--model``: functions and classes that a user has installed beside errata.

A column as a function sees it is kept beside the audit. The audit is given a file of numbers and
notes no more than its name: who reviews or cleans an audit never runs the function.
"""

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from .._files import atomic_path
from .._format import instead, shorten

MODELS = ("logistic", "forest", "boosting")
MOST_SAID = 200  # characters of somebody else's error


def embed_columns(file: Path, embed: Sequence[str], options: Any, folder: Path) -> Path:
    """Write what models should look at to a file of the folder, and return its name.

    Parameters
    ----------
    file : Path
        The table.
    embed : sequence of str
        ``column=module:callable`` each. A callable is given the cells of its column as a list, and
        returns an array with a row for each.
    options : FileOptions
        They name the columns that models must not see.
    folder : Path
        Where results are kept by the name of the callable and the cells, so that the same audit
        again does not call it.
    """
    from ..auditing._audit_file import join_pictures
    from ..tables import features_of, read_table, write_table

    table = join_pictures(read_table(file), file)
    judged = [name for name in (options.label, options.target) if name is not None]
    not_features = [*judged, *options.labels, *options.left_out]
    calls = dict(_split(word, table.column_names, file) for word in embed)
    found: dict[str, Any] = {}
    for column, name in calls.items():
        if _is_among(column, not_features):
            raise ValueError(f"--embed {column}={name}: this column is no feature.")
        cells = ["" if cell is None else cell for cell in table.column(column).to_pylist()]
        array = _embed(column, name, cells, folder)
        found |= {f"{column} {place}": values for place, values in enumerate(array.T)}
    others = [
        name
        for name in table.column_names
        if name not in calls and not _is_among(name, not_features)
    ]
    if others:
        features = features_of(table.select(others), random_state=0)
        found |= dict(zip(features.names, features.X.T, strict=True))
    path = folder / "features.parquet"
    write_table(path, found)
    return path


def _is_among(column: str, names: Sequence[str]) -> bool:
    return column in names or any(fnmatchcase(column, pattern) for pattern in names)


def _split(word: str, columns: list[str], file: Path) -> tuple[str, str]:
    column, _, name = word.rpartition("=")
    if not column or ":" not in name:
        raise ValueError(f"--embed {word} must be as in column=module:callable.")
    if column not in columns:
        raise ValueError(f"{file} has no column {column!r}; {instead(column, columns)}")
    return column, name


def _embed(column: str, name: str, cells: list[Any], folder: Path) -> Any:
    """The array that the callable gives, from the folder where it is kept already."""
    import numpy as np

    from ..tables._table import read_beside

    digest = blake2b(name.encode(), digest_size=12)
    for cell in cells:
        digest.update(f"\x1f{cell!r}".encode("utf-8", "backslashreplace"))
    path = folder / f"{digest.hexdigest()}.npy"
    if path.is_file():
        return read_beside(path, len(cells))
    call = _import("--embed", name, "nothing in")
    if not callable(call):
        raise ValueError(f"--embed {name} is no function.")
    try:
        array = np.asarray(call(cells), dtype=float)
    except Exception as error:  # whatever it is, it is not ours
        said = shorten(" ".join(str(error).split()), MOST_SAID)
        raise ValueError(f"--embed {column}={name}: {type(error).__name__}: {said}") from error
    if array.ndim != 2 or len(array) != len(cells) or not array.shape[1]:
        raise ValueError(
            f"--embed {column}={name} returned an array of shape {array.shape} for {len(cells)} "
            "cells; it must have a row of numbers for each."
        )
    if not np.isfinite(array).all():
        raise ValueError(f"--embed {column}={name} returned numbers that are not finite.")
    folder.mkdir(mode=0o700, exist_ok=True)
    with atomic_path(path) as temporary:
        np.save(temporary, array, allow_pickle=False)
    return array


def _import(option: str, name: str, nothing: str) -> Any:
    """The object of an installed module that is named as in module:object."""
    try:
        return resolve_name(name)
    except ImportError as error:
        raise ValueError(
            f"{option} {name} cannot be imported: {error}; it must be installed beside errata."
        ) from error
    except (AttributeError, ValueError) as error:
        raise ValueError(f"{option} {name} names {nothing} an installed module.") from error


def make_estimator(model: str | None, arguments: str | None, seed: int, jobs: int) -> Any:
    """A classifier: one of scikit-learn's with settings that suit most tables, or any class."""
    if model is None:
        raise ValueError("--model-args are those of --model; name one, as module:Class.")
    if ":" in model:
        return _make_named(model, arguments)
    if model not in MODELS:
        raise ValueError(
            f"--model {model} is none of {', '.join(MODELS)}; write another as module:Class."
        )
    if arguments is not None:
        raise ValueError(
            f"--model-args are for a class of yours, and --model {model} has its settings."
        )
    # Here, as importing scikit-learn takes longer than showing the help should.
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if model == "logistic":
        # Unscaled, a feature in large units would stop the solver before it converges.
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    if model == "forest":
        return RandomForestClassifier(200, min_samples_leaf=2, random_state=seed, n_jobs=jobs)
    return HistGradientBoostingClassifier(random_state=seed)


def _make_named(model: str, arguments: str | None) -> Any:
    """An instance of an installed class, as in lightgbm:LGBMClassifier."""
    try:
        settings = json.loads(arguments or "{}")
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"--model-args {arguments} is not JSON: {error}.") from error
    if not isinstance(settings, dict):
        raise ValueError(f'--model-args {arguments} must be as in {{"n_estimators": 200}}.')
    named = _import("--model", model, "no class of")
    # Looked at before it is called: anything else that a module holds might do anything.
    if not (isinstance(named, type) and hasattr(named, "fit") and hasattr(named, "predict_proba")):
        raise ValueError(f"--model {model} is no classifier with fit and predict_proba.")
    try:
        return named(**settings)
    except (TypeError, ValueError) as error:
        raise ValueError(f"--model {model} does not take --model-args: {error}.") from error
