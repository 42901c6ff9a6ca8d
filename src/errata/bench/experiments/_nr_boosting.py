"""Cantador and Dorronsoro (2005): noise-reducing boosting of parallel perceptrons, table 1.

300 rows of three synthetic problems, ten folds ten times, an exact fraction of the training labels
flipped, ten base estimators. Each repetition draws new rows; whether the paper does is not said.

Its networks, three hidden units trained for 2000 epochs by gradient descent, are trained by a few
steps of L-BFGS here, which takes a hundredth of the time and comes near its accuracies. How weights
enter the training of a base estimator is not stated either: as sample weights, in ours.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier

from ...ensemble import NoiseReducingBoostClassifier
from .._experiment import Experiment, NoisyTraining, Published
from .._report import group_by, make_figure, save_figure

# Colour: the base estimator, and orange for the paper's own method. Dashes: how it is combined.
STYLES = {
    "PP bagging": ("#0072b2", ":"),
    "PP boosting": ("#0072b2", "--"),
    "PP NR boosting": ("#d55e00", "-"),
    "MLP bagging": ("#009e73", ":"),
    "MLP boosting": ("#009e73", "--"),
}


class BrieflyTrainedNetwork(MLPClassifier):
    """A network that does not converge in the few steps it is given, and is not meant to."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "BrieflyTrainedNetwork":
        """Train it, without the warning that more steps would be needed."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return super().fit(X, y, sample_weight)


NETWORK = BrieflyTrainedNetwork((3,), solver="lbfgs", alpha=1.0, max_iter=20)


def plot_accuracies(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Accuracy against noise, a panel for each problem: figure 2."""
    found = group_by(results, "dataset")
    figure = make_figure(4 * len(found), 3.8)
    panels = figure.subplots(1, len(found), squeeze=False)[0]
    for panel, (dataset, rows) in zip(panels, found.items(), strict=True):
        for method, of_method in group_by(rows, "method").items():
            colour, dashes = STYLES[method]
            levels = group_by(of_method, "noise_level")
            x = sorted(levels)
            y = [np.mean([row["accuracy_percent"] for row in levels[level]]) for level in x]
            panel.plot([100 * level for level in x], y, color=colour, linestyle=dashes,
                       marker="o", markersize=4, label=method)  # fmt: skip
        panel.set(title=dataset, xlabel="noise (%)")
    panels[0].set_ylabel("accuracy (%)")
    panels[0].legend()
    return [save_figure(figure, folder / "accuracies.png", dpi=130)]


nr_boosting = Experiment(
    name="nr-boosting",
    title="Cantador and Dorronsoro 2005: noise-reducing boosting of parallel perceptrons",
    datasets={"twonorm": "twonorm", "threenorm": "threenorm", "ringnorm": "ringnorm"},
    methods={
        "PP bagging": NoiseReducingBoostClassifier(mode="bagging"),
        "PP boosting": NoiseReducingBoostClassifier(mode="adaboost"),
        "PP NR boosting": NoiseReducingBoostClassifier(mode="nr"),
        "MLP bagging": BaggingClassifier(NETWORK, 10),
        "MLP boosting": NoiseReducingBoostClassifier(NETWORK, mode="adaboost"),
    },
    noise_levels=(0.0, 0.05, 0.1, 0.2, 0.3),
    repetitions=10,
    metrics=("accuracy_percent",),
    measure=NoisyTraining(split=StratifiedKFold(10, shuffle=True)),
    published=Published("cantador_dorronsoro_2005_accuracy", repetitions=10),
    illustrate=plot_accuracies,
    quick={"datasets": {"twonorm": "twonorm"}, "noise_levels": (0.0, 0.1, 0.3), "repetitions": 3},
)
