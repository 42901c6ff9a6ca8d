"""The comparison, one stage after the other."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._compat import take_rows
from .._crossfit import make_folds
from .._format import count
from .._progress import Counted, hearing_counts
from .._random import draw_seed, draw_seeds
from .._validation import check_choice, check_count, check_mask
from ..auditing import Audit, audit
from ..auditing._class_posterior import class_posterior
from ..auditing._inputs import Inputs, read_inputs
from ..bench._manifest import described
from ..noise import NoiseModel, boundary_flip_proba, flip_labels, reference_proba
from ._competitors import chosen_competitors
from ._folds import ComparedRows
from ._result import Comparison
from ._run import Folder, Memory, run

KINDS = ("ncar", "nar", "nnar")


def compare(
    X: Any,
    y: Any,
    *,
    competitors: Any = None,
    known: Any = None,
    groups: Any = None,
    noise: float | None = None,
    kind: str = "ncar",
    cv: int = 5,
    repetitions: int = 2,
    max_rows: int | None = 5_000,
    out: str | os.PathLike | None = None,
    title: str = "table",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Counted | bool | None = None,
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
        Number of folds.
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
    inputs = read_inputs(X, y, groups=groups, seed=seed, n_jobs=n_jobs)
    chosen = chosen_competitors(competitors, len(inputs.present))
    kept, notes = _kept_rows(inputs, max_rows, seed)
    certain = None if known is None else check_mask("known", known, len(inputs.codes))[kept]
    rows, found = _rows(inputs, kept, certain, noise, kind, seed)
    folds = _folds(inputs, kept, rows, cv, repetitions, seed)
    store: Memory | Folder = Memory()
    if out is not None:
        manifest = {"table": _digest(rows, folds), "seed": seed}
        manifest |= {"cv": cv, "repetitions": repetitions}
        manifest |= {"competitors": {name: described(c) for name, c in chosen.items()}}
        store = Folder(Path(out), title, noise, manifest)
    with hearing_counts(progress, "measured", "fits") as tell:
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


def _kept_rows(inputs: Inputs, most: int | None, seed: int) -> tuple[np.ndarray, list[str]]:
    """Rows of classes that can be learnt, and a note where some were drawn of too many."""
    rows = inputs.audited
    if most is None or len(rows) <= check_count("max_rows", most, low=20):
        return rows, []
    drawn = np.random.default_rng(seed).choice(rows, most, replace=False)
    return np.sort(drawn), [f"{count(most)} of {count(len(rows))} rows were drawn at random."]


def _rows(
    inputs: Inputs,
    kept: np.ndarray,
    known: np.ndarray | None,
    noise: float | None,
    kind: str,
    seed: int,
) -> tuple[ComparedRows, Audit]:
    """What competitors learn from and are scored by, and the audit of it."""
    features = np.asarray(take_rows(_dense(inputs), kept), dtype=float)
    labels, before = inputs.labels[kept], inputs.labels[kept]
    if noise is not None:
        labels = _with_noise(features, labels, known, noise, kind, seed)
    found = audit(features, labels, self_check=False, random_state=seed)
    rows = ComparedRows(
        features=features,
        table=take_rows(inputs.model_table, kept),
        labels=labels,
        codes=found.codes,
        classes=found.classes,
        posterior=class_posterior(found, known) if found.has_skill else None,
        known=known,
        truth=None if noise is None else _codes_of(before, found.classes),
    )
    return rows, found


def _codes_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Codes of labels; -1, which nobody predicts, for a class of which noise has left no label."""
    codes = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return np.where(classes[codes] == labels, codes, -1)


def _dense(inputs: Inputs) -> np.ndarray:
    if inputs.features is None:
        raise ValueError("there is no table to learn from; pass X.")
    X = inputs.features.X
    return X.toarray() if hasattr(X, "toarray") else X


def _with_noise(
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


def _folds(
    inputs: Inputs, kept: np.ndarray, rows: ComparedRows, cv: int, repetitions: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and test rows of every fold of every repetition."""
    groups = None
    if inputs.groups is not None:
        groups = inputs.groups[np.searchsorted(inputs.audited, kept)]
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
