"""Doquire, Frénay and Verleysen (2013): columns selected by risk instead of information.

Backward searches by mutual information, by counted and by soft risk, ten folds; the balanced error
of the nearest neighbour with the subset of each size. The paper draws six sets and names three in
its text: Ecoli, Ionosphere and Seeds; the others are our choice. It prints no numbers.

A repetition is one fold, the first ten make the paper's ten folds, and every further ten another
shuffling. Ecoli has its five largest classes: three others have five rows or fewer.
"""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from ..._neighbors import nearest_in
from ..._random import clone_with_seed
from ...feature_selection import MutualInformationSelector
from .._experiment import Bench, Cell, Experiment, load_largest
from ._noisy_selection import compute_balanced_errors, make_error_names, measure_errors, write_sizes

FOLDS = 10
LARGEST = 33  # columns, of Ionosphere
N_CLASSES = {"ecoli": 5}


def measure_fold(cell: Cell, method: BaseEstimator, dataset: str, bench: Bench) -> dict[str, float]:
    """Balanced errors by size on one fold, of the nearest neighbour."""
    X, y = load_largest(dataset, bench.folder, N_CLASSES.get(dataset))
    codes = np.unique(y, return_inverse=True)[1]
    shuffling, fold = divmod(cell.repetition, FOLDS)
    folds = StratifiedKFold(
        FOLDS, shuffle=True, random_state=bench.seed_of(cell.dataset, shuffling)
    )
    train, test = list(folds.split(X, codes))[fold]
    scaler = StandardScaler().fit(X[train])
    X_train = scaler.transform(X[train])
    X_test = scaler.transform(X[test])
    # One seed for all methods: they see the same jitter.
    seed = bench.seed_of(cell.dataset, cell.repetition)
    selector = clone_with_seed(method, seed).fit(X_train, codes[train])

    def error(columns: tuple[int, ...]) -> float:
        wanted = list(columns)
        nearest = nearest_in(X_train[:, wanted], X_test[:, wanted], 1)[1]
        return 100 * float(compute_balanced_errors(codes[test], codes[train][nearest])[0])

    return measure_errors(selector.path_, error, LARGEST)


def illustrate_risk(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Errors by size, and the sizes at which information and risks differ."""
    pairs = (("information", "counted risk"), ("information", "soft risk"))
    return write_sizes(results, folder, LARGEST, pairs)


mi_risk = Experiment(
    name="mi-risk",
    title="Doquire and others 2013: selecting columns by information or by risk",
    datasets={
        "Ecoli": "ecoli",
        "Ionosphere": "ionosphere",
        "Seeds": "seeds",
        "Iris": "iris",
        "Wine": "wine",
        "Vertebral": "vertebral3",
    },
    methods={
        "information": MutualInformationSelector(),
        "counted risk": MutualInformationSelector(criterion="risk_count"),
        "soft risk": MutualInformationSelector(criterion="risk_soft"),
    },
    metrics=make_error_names(LARGEST),
    measure=measure_fold,
    repetitions=FOLDS,
    illustrate=illustrate_risk,
    quick={"datasets": {"Iris": "iris", "Wine": "wine"}},
)
