"""García-Pedrajas and García-Osorio (2011): ensembles of projections, in shape.

Our copy of the paper ends before its experiments, so there are no numbers to compare with: its
abstract claims better accuracy than AdaBoost on 45 data sets, and more robustness to noise. Here
both are put to the test on 24 data sets, with bagging and random forests besides, for each of our
projections.

An exact fraction of the training labels is flipped completely at random; test labels stay clean.
Two stratified folds. All ensembles have a hundred trees; but for the forest's they are C4.5-like:
entropy, two rows in a leaf, and a light pruning so that they make mistakes to learn from. Data sets
of more than 500 rows are cut to 500 at random, anew in each repetition; rows with missing cells are
left out, and classes of fewer than ten rows, which a fold might not hold.
"""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from ...ensemble import SupervisedProjectionEnsembleClassifier
from .._experiment import Experiment, NoisyTraining
from .._ranks import illustrate_ranks
from ._complete import load_complete
from ._projections_claims import plot_robustness, write_claims

ROWS = 500
FEWEST = 10
N_ESTIMATORS = 100
TREE = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, ccp_alpha=0.01)
PROJECTIONS = ("lda", "nda", "nwfe", "hda", "sir", "save", "phd", "nca", "pls", "kda", "mlp")


def load_some(dataset: str, folder: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """At most 500 complete rows, of classes that have ten or more."""
    # Real rows are the same for any seed: 0 lets the cache of load_complete find them again.
    X, y = load_complete(dataset, folder, seed if dataset in ("twonorm", "threenorm") else 0)
    if len(y) > ROWS:
        rows = np.random.RandomState(seed).permutation(len(y))[:ROWS]
        X, y = X[rows], y[rows]
    classes, sizes = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[sizes >= FEWEST])
    return X[kept], y[kept]


def in_projections(projection: str) -> SupervisedProjectionEnsembleClassifier:
    """The ensemble of the paper with this projection."""
    return SupervisedProjectionEnsembleClassifier(TREE, N_ESTIMATORS, projection=projection)


def illustrate_projections(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Ranks at each noise level, the tests of the paper's claims, and accuracy against noise."""
    ranks = illustrate_ranks(results, folder, metric="accuracy_percent")
    claims = write_claims(results, folder / "claims.csv")
    return ranks + claims + plot_robustness(results, folder / "robustness.png")


projections = Experiment(
    name="projections",
    title="García-Pedrajas 2011: projections of misclassified rows",
    datasets={
        name: name
        for name in (
            "breast_w", "crabs", "ctg", "ecoli", "glass", "haberman", "heart_statlog", "ilpd",
            "ionosphere", "iris", "liver_bupa", "parkinsons", "pima", "seeds", "segment", "sonar",
            "spectf", "threenorm", "twonorm", "vehicle", "vertebral3", "waveform21", "wdbc", "wine",
        )
    },
    methods={
        "AdaBoost": AdaBoostClassifier(TREE, n_estimators=N_ESTIMATORS),
        "Bagging": BaggingClassifier(TREE, N_ESTIMATORS),
        "Random forest": RandomForestClassifier(N_ESTIMATORS),
    }
    | {name: in_projections(name) for name in PROJECTIONS},
    noise_levels=(0.0, 0.05, 0.1, 0.2),
    repetitions=1,
    metrics=("accuracy_percent",),
    measure=NoisyTraining(split=StratifiedKFold(2, shuffle=True), load=load_some),
    illustrate=illustrate_projections,
    quick={
        "datasets": {name: name for name in ("iris", "wine", "twonorm", "threenorm")},
        "noise_levels": (0.0, 0.2),
    },
)  # fmt: skip
