"""The comparison, one stage after the other; it goes on where it was stopped."""

import hashlib
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.preprocessing import StandardScaler

from .._compat import take_rows
from .._crossfit import make_folds
from .._engine import Stage, map_elsewhere
from .._format import count
from .._progress import open_progress
from .._random import clone_keeping_seeds, draw_seed, draw_seeds
from .._validation import as_column, check_choice, check_count, check_mask
from ..auditing import Audit, audit
from ..auditing._audited_classifier import class_posterior
from ..auditing.inputs._inputs import Inputs, inputs_of, read_labels
from ..bench._experiment import Cell
from ..bench._run import ResultFile, format_object, make_result_folder, read_results, write_manifest
from ..noise import NoiseModel, boundary_flip_proba, flip_labels, reference_proba
from ._competitors import Competitor, choose_competitors
from ._result import Comparison

KINDS = ("ncar", "nar", "nnar")
USUAL_FOLDS = 5

Folds = Sequence[tuple[Any, Any]]
Values = dict[str, float]
# Rows and labels that a filter leaves and the seconds it took, so that a filter that several
# competitors share runs once.
Filtered = dict[str, tuple[Any, np.ndarray, float]]
Found = dict[tuple[str, int], Values]  # by competitor and number of the fold
Tell = Callable[[int, int], None]  # is told how many of how many are done
# A fold by its number, training and test rows, and the competitors not measured on it yet.
_Missing = tuple[int, np.ndarray, np.ndarray, dict[str, Competitor]]


def compare(
    X: Any,
    y: Any,
    *,
    competitors: Any = None,
    known: Any = None,
    groups: Any = None,
    noise: float | None = None,
    kind: str = "ncar",
    cv: int = USUAL_FOLDS,
    repetitions: int = 2,
    max_rows: int | None = 5_000,
    out: str | os.PathLike | None = None,
    title: str = "table",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Tell | bool | None = None,
    engine: Any = None,
) -> Comparison:
    """Find out which way of learning suits a table whose labels may be wrong.

    Cross-validation that scores on wrong labels measures agreement with them. Here the table is
    audited first, and each prediction for a test row counts by the probability that it is the
    class of that row: the expected accuracy on the class. Competitors learn from the labels of
    the training rows as they are, and from nothing of the test rows.

    Parameters
    ----------
    X : table of shape (n, d)
        Anything that :func:`errata.audit` takes.
    y : array-like of shape (n,) or str
        The labels, or the name of their column in ``X``.
    competitors : list of str, or mapping of str to classifier, optional
        Names from :func:`errata.comparing.default_competitors` (all of them when not given), or
        classifiers of your own by name, which learn from ``X`` as you gave it. In a mapping, None
        stands for the default of that name.
    known : array-like of bool of shape (n,), optional
        Rows whose label is certain. They count as right, and accuracy is told on them alone, too.
    groups : array-like of shape (n,), optional
        Rows of one group are tested together.
    noise : float, optional
        Inject so large a fraction of wrong labels first (never where a label is ``known``). The
        labels of before then give ``clean_accuracy``.
    kind : {"ncar", "nar", "nnar"}, default="ncar"
        Where they are injected: completely at random; each class taken for the next; near the
        border between classes.
    cv : int, default=5
        Number of folds; more than five only where the smallest class has so many rows, and where
        there are so many groups.
    repetitions : int, default=2
        How often the rows are dealt out anew.
    max_rows : int or None, default=5000
        So many rows, drawn at random, are used of a larger table; None for all.
    out : path, optional
        A folder for what is measured. A comparison that was stopped goes on where it was when the
        same call is made again.
    title : str, default="table"
        How pages call the data.
    random_state : int, RandomState or None
        Fix it to get the same comparison again.
    n_jobs : int, optional
        Folds at a time, -1 for one per core.
    progress : bool or callable, optional
        True shows on a terminal or in a notebook how far it has come; ``progress(done, total)`` is
        called at the start and after every fold.
    engine : distributed.Client or str, optional
        Measure the folds on this Dask cluster, or on that of the scheduler at this address, instead
        of in ``n_jobs`` processes here. Workers on other machines must see ``out``. The numbers are
        the same, but for the seconds.

    Returns
    -------
    Comparison
        With ``advice``, ``table()``, ``standing()``, ``plot_ranks()`` and ``report()``.

    Notes
    -----
    The estimate is as good as the audit. Competitors that err on the same rows as the audit's
    models look a little better than they are; where errors gather at the borders of classes, no
    ranking can be trusted that does not stand on ``known`` rows. Costs one audit of the table, and
    one fit of each competitor for each of ``cv * repetitions`` folds; filters that several
    competitors share run once.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> names = ["logistic regression", "SVM"]
    >>> found = errata.compare(X, y, competitors=names, noise=0.2, repetitions=1, random_state=0)
    >>> found.table()[["name", "within_chance"]]
                      name  within_chance
    0                  SVM           True
    1  logistic regression           True
    """
    check_count("repetitions", repetitions)
    seed = draw_seed(random_state)
    given = read_labels(X, y)._replace(groups=groups)
    inputs = inputs_of(given, seed=seed, n_jobs=n_jobs)
    chosen = choose_competitors(competitors, len(inputs.present))
    kept, notes = _select_rows(inputs, max_rows, seed)
    _check_folds(cv, inputs, kept)
    certain = None if known is None else check_mask("known", known, len(inputs.codes))[kept]
    rows, found = _make_rows(inputs, kept, certain, noise, kind, seed)
    folds = _make_folds(inputs, kept, rows, cv, repetitions, seed)
    store: Memory | Folder = Memory()
    if out is not None:
        manifest = {"table": _digest(rows, folds), "seed": seed}
        manifest |= {"cv": cv, "repetitions": repetitions}
        manifest |= {"competitors": {name: format_object(c) for name, c in chosen.items()}}
        store = Folder(Path(out), title, noise, manifest)
    with (
        nullcontext() if out is None else make_result_folder(Path(out)),
        _open_counter(progress) as tell,
    ):
        measured = run(
            rows, folds, chosen, store, seed=seed, n_jobs=n_jobs, engine=engine, tell=tell
        )
    return Comparison(
        names=list(chosen),
        scores={
            metric: np.array(
                [[measured[name, fold][metric] for name in chosen] for fold in range(len(folds))]
            )
            for metric in rows.metrics
        },
        noise_rate=found.noise_rate,
        test_fraction=float(np.mean([len(test) for _, test in folds])) / len(rows.codes),
        notes=notes + inputs.notes,
        about={"title": title, "rows": len(rows.codes), "classes": len(rows.classes)},
    )


@contextmanager
def _open_counter(progress: Tell | bool | None) -> Iterator[Tell]:
    """As :func:`open_progress`, for fits that are measured and counted."""
    show: Any
    with open_progress(progress) as show:  # type: ignore[arg-type]
        if progress is not True:
            yield show
            return
        began = time.monotonic()
        yield lambda done, total: show(
            Stage("measured", done, total, time.monotonic() - began, unit="fits")
        )


def _select_rows(inputs: Inputs, most: int | None, seed: int) -> tuple[np.ndarray, list[str]]:
    """Rows of classes that can be learnt, and a note where some were drawn of too many."""
    rows = np.sort(inputs.audited)
    if most is None or len(rows) <= check_count("max_rows", most, low=20):
        return rows, []
    drawn = np.random.default_rng(seed).choice(rows, most, replace=False)
    return np.sort(drawn), [f"{count(most)} of {count(len(rows))} rows were drawn at random."]


class ComparedRows(NamedTuple):
    """The table that competitors learn from, one entry per row in every field."""

    features: np.ndarray  # of errata, for its own competitors
    table: Any  # as the user gave it, for competitors of the user
    labels: np.ndarray  # what is learnt from: noise that was asked for included
    codes: np.ndarray  # of the labels
    classes: np.ndarray
    posterior: np.ndarray | None  # (n, K), what the class may be; None where nobody can tell
    known: np.ndarray | None  # mask of the rows whose label is certain
    truth: np.ndarray | None  # codes before noise was injected

    @property
    def metrics(self) -> tuple[str, ...]:
        """The measures, in the order of the columns of a results file."""
        metrics = {
            "accuracy": self.posterior is not None,
            "agreement": True,
            "known_accuracy": self.known is not None,
            "clean_accuracy": self.truth is not None,
            "seconds": True,
        }
        return tuple(name for name, measured in metrics.items() if measured)


def _make_rows(
    inputs: Inputs,
    kept: np.ndarray,
    known: np.ndarray | None,
    noise: float | None,
    kind: str,
    seed: int,
) -> tuple[ComparedRows, Audit]:
    """The rows that competitors learn from and are scored by, and the audit of them."""
    features = np.asarray(take_rows(_make_dense(inputs), kept), dtype=float)
    labels = inputs.labels[kept]
    before = inputs.labels[kept]
    if noise is not None:
        labels = _inject_noise(features, labels, known, noise, kind, seed)
    found = audit(features, labels, self_check=False, random_state=seed)
    rows = ComparedRows(
        features=features,
        table=take_rows(inputs.model_table, kept),
        labels=labels,
        codes=found._codes,
        classes=found.classes,
        posterior=class_posterior(found, known) if found.has_skill else None,
        known=known,
        truth=None if noise is None else _encode(before, found.classes),
    )
    return rows, found


def _encode(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Codes of labels; -1, which nobody predicts, for a class of which noise has left no label."""
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return np.where(classes[codes] == labels, codes, -1)


def _make_dense(inputs: Inputs) -> np.ndarray:
    if inputs.features is None:
        raise ValueError("there is no table to learn from; pass X.")
    X = inputs.features.X
    return X.toarray() if hasattr(X, "toarray") else X


def _inject_noise(
    features: np.ndarray,
    labels: np.ndarray,
    known: np.ndarray | None,
    rate: float,
    kind: str,
    seed: int,
) -> np.ndarray:
    check_choice("kind", kind, KINDS)
    if kind == "ncar":
        noisy, _ = flip_labels(labels, rate, random_state=seed)
    elif kind == "nar":
        transition = NoiseModel.cyclic(len(np.unique(labels)), rate)
        noisy, _ = flip_labels(labels, transition=transition, random_state=seed)
    else:
        proba = reference_proba(features, labels, random_state=seed)
        near = boundary_flip_proba(proba, rate)
        noisy, _ = flip_labels(labels, flip_proba=near, target=proba, random_state=seed)
    return noisy if known is None else np.where(known, labels, noisy)


def _check_folds(cv: int, inputs: Inputs, kept: np.ndarray) -> None:
    """Raise for folds that could not test every class, or a group each, before the work begins."""
    check_count("cv", cv, low=2)
    codes, sizes = np.unique(inputs.codes[kept], return_counts=True)
    smallest = sizes.argmin()
    # The usual few folds are taken for any class: a rare one is then tested in some of them.
    if cv > max(USUAL_FOLDS, sizes[smallest]):
        name = inputs.classes[codes[smallest]]
        raise ValueError(
            f"cv={cv} is more folds than class {str(name)!r} has rows ({count(sizes[smallest])}); "
            f"pass {max(USUAL_FOLDS, sizes[smallest])} at most."
        )
    if inputs.groups is None:
        return
    n_groups = len(np.unique(inputs.groups[inputs.places_of(kept)[0]]))
    if cv > max(USUAL_FOLDS, n_groups):
        raise ValueError(
            f"cv={cv} is more folds than there are groups ({count(n_groups)}); pass "
            f"{max(USUAL_FOLDS, n_groups)} at most."
        )


def _make_folds(
    inputs: Inputs, kept: np.ndarray, rows: ComparedRows, cv: int, repetitions: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of every fold of every repetition."""
    groups = None
    if inputs.groups is not None:
        groups = inputs.groups[inputs.places_of(kept)[0]]
    return [
        fold
        for state in draw_seeds(seed, repetitions)
        for fold in make_folds(cv, rows.codes, groups=groups, random_state=state)
    ]


def _digest(rows: ComparedRows, folds: Sequence[tuple[np.ndarray, np.ndarray]]) -> str:
    """So that results of another table, of other known rows or groups, are not taken for these."""
    content = hashlib.sha256(np.ascontiguousarray(rows.features).tobytes())
    content.update("\0".join(map(str, rows.labels.tolist())).encode())
    of_rows = (rows.known, rows.truth, *(test for _, test in folds))
    for part in of_rows:
        content.update(b"\0" if part is None else np.ascontiguousarray(part).tobytes())
    return content.hexdigest()


def run(
    rows: ComparedRows,
    folds: Folds,
    competitors: Mapping[str, Competitor],
    store: "Memory | Folder",
    *,
    seed: int,
    n_jobs: int | None,
    engine: Any,
    tell: Tell,
) -> Found:
    """Every value of every competitor on every fold."""
    found = store.start(rows.metrics)
    missing = [
        (number, train, test, lacking)
        for number, (train, test) in enumerate(folds)
        if (lacking := {name: c for name, c in competitors.items() if (name, number) not in found})
    ]
    tell(len(found), len(folds) * len(competitors))
    for fold, values in _measure_folds(missing, (rows, seed), n_jobs, engine, store.path):
        for name, value in values.items():
            found[name, fold] = value
            store.keep(name, fold, value)
        tell(len(found), len(folds) * len(competitors))
    return found


def _measure_folds(
    missing: list[_Missing], shared: Any, n_jobs: int | None, engine: Any, folder: Path | None
) -> Iterable[tuple[int, dict[str, Values]]]:
    """Values of each fold as they come, measured in processes of this machine or on a cluster."""
    if engine is None:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        return parallel(delayed(score_fold)(fold, shared) for fold in missing)
    found = map_elsewhere(engine, score_fold, missing, shared, stage="compare", folder=folder)
    return (scored for _, scored in found)


def score_fold(fold: _Missing, shared: tuple[ComparedRows, int]) -> tuple[int, dict[str, Values]]:
    """Fit each competitor to the training rows of a fold, and score what it predicts."""
    rows, seed = shared
    number, train, test, competitors = fold
    scaler = StandardScaler().fit(rows.features[train])
    scaled = scaler.transform(rows.features[train])
    scaled_test = scaler.transform(rows.features[test])
    filtered: Filtered = {}
    found = {}
    for name, competitor in competitors.items():
        try:
            X = scaled if competitor.on_features else take_rows(rows.table, train)
            X_test = scaled_test if competitor.on_features else take_rows(rows.table, test)
            predicted, seconds = _predict(
                X, rows.labels[train], X_test, competitor, filtered, seed + number
            )
        except Exception as error:
            raise ValueError(f"{name} cannot learn from this table: {error}") from error
        values = score_predictions(rows, test, np.searchsorted(rows.classes, predicted))
        found[name] = values | {"seconds": seconds}
    return number, found


def score_predictions(rows: ComparedRows, test: np.ndarray, predicted: np.ndarray) -> Values:
    """How good predicted codes are: on the class as far as it can be told, and on the labels.

    ``accuracy`` is the expected fraction of right predictions: the mean posterior probability of
    the predicted class. Only test rows count whose label is certain for ``known_accuracy``, NaN
    where the fold has none.
    """
    right = predicted == rows.codes[test]
    found = {"agreement": float(right.mean())}
    if rows.posterior is not None:
        found["accuracy"] = float(rows.posterior[test, predicted].mean())
    if rows.known is not None:
        known = rows.known[test]
        found["known_accuracy"] = float(right[known].mean()) if known.any() else float("nan")
    if rows.truth is not None:
        found["clean_accuracy"] = float(np.mean(predicted == rows.truth[test]))
    return found


def _predict(
    X: Any, labels: np.ndarray, X_test: Any, competitor: Competitor, filtered: Filtered, seed: int
) -> tuple[np.ndarray, float]:
    """Predicted labels, and the processor seconds of filter, fit and prediction."""
    # What a classifier has to say about its data would come once for every fold.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone_keeping_seeds(competitor.classifier, seed)
        seconds = 0.0
        if competitor.on_features and competitor.filter is not None:
            name = format_object(competitor.filter)
            if name not in filtered:
                begin = time.process_time()
                left = clone_keeping_seeds(competitor.filter, seed).fit_resample(X, labels)
                filtered[name] = (*left, time.process_time() - begin)
            X, labels, seconds = filtered[name]
        begin = time.process_time()
        predicted = as_column(model.fit(X, labels).predict(X_test))
        return predicted, seconds + time.process_time() - begin


class Memory:
    """Nothing is kept beyond this call."""

    path = None

    def start(self, metrics: tuple[str, ...]) -> Found:
        """Nothing was measured before."""
        return {}

    def keep(self, name: str, fold: int, values: Values) -> None:
        """The caller has it."""


class Folder:
    """Results in a folder, one row for each competitor and fold, as they come."""

    def __init__(self, path: Path, title: str, noise: float | None, manifest: dict) -> None:
        self.path = path
        self.title = title
        self.noise = noise
        self.manifest = manifest

    def start(self, metrics: tuple[str, ...]) -> Found:
        """The values that an earlier run with the same settings has left in the folder."""
        write_manifest(self.path / "manifest.json", self.manifest)
        self.file = ResultFile(self.path / "results.csv", metrics)
        self.file.start()
        return {
            (row["method"], row["repetition"]): {name: row[name] for name in metrics}
            for row in read_results(self.file.path)
        }

    def keep(self, name: str, fold: int, values: Values) -> None:
        """Write a row, and wait until it is on the disk."""
        self.file.append(Cell(self.title, self.noise, name, fold), values)
