"""Walmsley (2017): pools of perceptrons under label noise, tables 4.2.1 to 4.2.6.

Each training label is changed with the given probability; test labels stay clean. Five folds, ten
times; the number of one repetition is the mean accuracy of its folds.

The paper does not state the epochs of its perceptron, whether folds are stratified, nor the noise
of ``make_moons``. It scales features with the minimum and range of the whole data set, test rows
included; here the training rows of each fold alone decide.

Its random subspaces are said to be a pool of fifty, but their published accuracy, below that of a
single perceptron and as scattered, is that of one perceptron on one half of the features. A pool of
fifty is 8 points better on clean labels and 20 under 40 % noise. So a single one is measured.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

from ...ensemble import HardnessBaggingClassifier
from ...exceptions import NoiseWarning
from ...noise import flip_labels
from .._experiment import Experiment, NoisyTraining
from .._published import Published
from .._ranks import illustrate_ranks
from ._complete import load_complete
from ._walmsley_hardness import METRICS, hardness_summary, plot_hardness


def load_same(dataset: str, folder: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The same rows in every repetition: four of ILPD are left out, as in the paper."""
    return load_complete(dataset, folder)


def flip_each(y: np.ndarray, level: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Change each label by itself, as the paper does; half of two classes is its last level."""
    with warnings.catch_warnings():
        # Labels of two classes say nothing at 50 %: the paper measures that too, table 4.2.6.
        warnings.simplefilter("ignore", NoiseWarning)
        return flip_labels(y, level, exact=False, random_state=seed)


def on_scaled(classifier: Any) -> Any:
    """Scale to [0, 1], then classify."""
    return make_pipeline(MinMaxScaler(), classifier)


def score_walmsley(
    model: Pipeline, X: np.ndarray, y: np.ndarray, flipped: np.ndarray
) -> dict[str, float]:
    """Accuracy and, from the method that the paper prefers, the hardness of the training rows."""
    bagging = model[-1]
    # By its parameters: "Bagging" is of the same class here, with another hardness.
    by_hardness = isinstance(bagging, HardnessBaggingClassifier) and bagging.hardness == "kdn"
    hardness = bagging.suspicion_ if by_hardness and bagging.probability == "linear" else None
    accuracy = 100 * float(np.mean(model.predict(X) == y))
    return {"accuracy_percent": accuracy} | hardness_summary(hardness, flipped)


def illustrate_walmsley(results: list[dict], folder: Path) -> list[Path]:
    """Ranks of the methods at each noise level (figures 4.2.1 to 4.2.6), and the hardness."""
    ranks = illustrate_ranks(results, folder, metric="accuracy_percent")
    return ranks + plot_hardness(results, folder / "hardness.png")


def alike(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """No row harder than another: hardness bagging is then plain bagging, in compiled code."""
    return np.zeros(len(y))


# Five epochs come nearest to the published accuracy of a single perceptron.
PERCEPTRON = Perceptron(max_iter=5, tol=None)

walmsley = Experiment(
    name="walmsley",
    title="Walmsley 2017: pools of perceptrons under label noise",
    datasets={
        "pima": "pima",
        "wdbc": "wdbc",
        "ctg": "ctg",
        "ionosphere": "ionosphere",
        "liver": "liver_bupa",
        "satimage": "satimage",
        "yeast": "yeast",
        "glass": "glass",
        "vowel": "vowel528",  # the part with 528 of the 990 rows
        "haberman": "haberman",
        "vertebral": "vertebral2",  # two classes; the set also comes with three
        "transfusion": "transfusion",
        "ecoli": "ecoli",
        "ilpd": "ilpd",
        "make_moons": "make_moons",
    },
    methods={
        "Perceptron": on_scaled(PERCEPTRON),
        "Random Subspace": on_scaled(
            BaggingClassifier(PERCEPTRON, 1, bootstrap=False, max_features=0.5)
        ),
        "Bagging": on_scaled(HardnessBaggingClassifier(PERCEPTRON, 50, hardness=alike)),
        "Proposed (Linear)": on_scaled(HardnessBaggingClassifier(PERCEPTRON, 50)),
        "Proposed (Softmax)": on_scaled(
            HardnessBaggingClassifier(PERCEPTRON, 50, probability="softmax")
        ),
    },
    noise_levels=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
    repetitions=10,
    metrics=("accuracy_percent", *METRICS),
    measure=NoisyTraining(
        split=KFold(5, shuffle=True), inject=flip_each, load=load_same, score=score_walmsley
    ),
    published=Published("walmsley_2017_accuracy", repetitions=10),
    illustrate=illustrate_walmsley,
    quick={
        "datasets": {"wdbc": "wdbc", "make_moons": "make_moons"},
        "noise_levels": (0.0, 0.2, 0.4),
        "repetitions": 5,
    },
)
