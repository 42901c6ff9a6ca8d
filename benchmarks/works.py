"""What the five works name beside their own methods, tried: is it of use?

    python benchmarks/works.py units --data FOLDER         extreme learning with fewer units
    python benchmarks/works.py perceptrons                 parallel perceptrons, online
    python benchmarks/works.py boundaries                  hidden Markov models, boundaries ignored
    python benchmarks/works.py thresholds                  peeling, thresholds by cross-validation

``units``: squared error over the variance, five folds twice, 200 units, ``weight_scale="auto"``;
features are standardised. I-ELM adds units one by one and never moves a weight again (Huang, Chen
and Siew, 2006), EI-ELM takes the best of ten drawn units each time (Huang and Chen, 2008).
``perceptrons``: accuracy on 2,000 clean rows after training on 300, five seeds. ``boundaries``:
recall and precision in percent of three artificial electrocardiograms of 100 beats, one start, two
repetitions, at levels of noise as in ``errata reproduce ecg``. ``thresholds``: accuracy of AdaBoost
(30 stumps) on 2,000 clean rows after peeling 300, five seeds; the threshold of the peeler is the
published one, or that with which five folds of the noisy labels are predicted best.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from runs import main, seconds
from scipy.special import erf
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.preprocessing import StandardScaler

from errata.bench import Bench, Cell, get_experiment
from errata.bench.experiments._ecg import SegmentECGs
from errata.datasets import make_ringnorm, make_threenorm, make_twonorm
from errata.elm import ELMRegressor
from errata.ensemble import DiscreteAdaBoostClassifier, ParallelPerceptronClassifier
from errata.filters import FilteredClassifier, MarginPeeler, MisclassificationPeeler
from errata.noise import flip_labels

TABLES = ("reg_boston", "reg_concrete", "reg_bodyfat", "reg_yacht", "reg_airfoil")
DRAWN = (make_twonorm, make_threenorm, make_ringnorm)


class GrownELM(RegressorMixin, BaseEstimator):
    """Units added one by one, the best of some drawn; weights of those before stay."""

    def __init__(self, n_hidden=200, n_candidates=1, random_state=None):
        self.n_hidden = n_hidden
        self.n_candidates = n_candidates
        self.random_state = random_state

    def fit(self, X, y):
        random = np.random.default_rng(self.random_state)
        self.mean_, residual = y.mean(), y - y.mean()
        self.units_, self.coef_ = [], []
        for _ in range(self.n_hidden):
            scale = 1 / np.sqrt(1 + X.shape[1])
            V = scale * random.normal(size=(X.shape[1] + 1, self.n_candidates))
            H = erf(X @ V[:-1] + V[-1])
            coef = H.T @ residual / (H**2).sum(axis=0)
            best = ((residual[:, None] - coef * H) ** 2).sum(axis=0).argmin()
            residual = residual - coef[best] * H[:, best]
            self.units_.append(V[:, best])
            self.coef_.append(coef[best])
        return self

    def predict(self, X):
        V = np.array(self.units_).T
        return self.mean_ + erf(X @ V[:-1] + V[-1]) @ np.array(self.coef_)


def units():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=os.environ.get("ERRATA_DATA"))
    folder = Path(parser.parse_args().data)
    auto = {"n_hidden": 200, "weight_scale": "auto", "cv": False}
    models = {
        "all, alpha by PRESS": ELMRegressor(**auto),
        "grown in order, PRESS": ELMRegressor(**auto, unit_selection="first", alpha=0),
        "OP-ELM": ELMRegressor(**auto, unit_selection="lars", alpha=0),
        "TROP-ELM": ELMRegressor(**auto, unit_selection="lars"),
        "I-ELM": GrownELM(),
        "EI-ELM, 10": GrownELM(n_candidates=10),
    }
    found = []
    for name in TABLES:
        table = pd.read_csv(folder / f"{name}.csv").dropna()
        X, y = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy(float)
        for method, model in models.items():
            for seed in range(2):
                for train, test in KFold(5, shuffle=True, random_state=seed).split(X):
                    scaler = StandardScaler().fit(X[train])
                    fitted = clone(model).set_params(random_state=seed)
                    took, fitted = seconds(
                        lambda f=fitted, s=scaler, t=train, X=X, y=y: f.fit(s.transform(X[t]), y[t])
                    )
                    error = np.mean((fitted.predict(scaler.transform(X[test])) - y[test]) ** 2)
                    kept = len(getattr(fitted, "hidden_bias_", fitted.coef_))
                    found.append((name, method, error / y.var(), kept, took))
    table = pd.DataFrame(found, columns=["table", "method", "error", "units", "seconds"])
    means = table.pivot_table("error", "method", "table")
    means["mean"] = means.mean(axis=1)
    means["units"] = table.groupby("method").units.mean().round()
    means["seconds"] = table.groupby("method").seconds.mean()
    print(means.sort_values("mean").round(3).to_string())


def perceptrons():
    found = []
    for make in DRAWN:
        for rate in (0.0, 0.1, 0.3):
            for update in ("batch", "online"):
                for length in (0.001, 0.01):
                    scores = []
                    for seed in range(5):
                        X, noisy, X_test, y_test = draw(make, rate, seed)
                        model = ParallelPerceptronClassifier(
                            update=update, learning_rate=length, random_state=seed
                        )
                        scores.append(model.fit(X, noisy).score(X_test, y_test))
                    where = make.__name__.removeprefix("make_")
                    found.append((where, rate, f"{update}, {length:g}", 100 * np.mean(scores)))
    table = pd.DataFrame(found, columns=["set", "noise", "training", "accuracy"])
    print(table.pivot_table("accuracy", ["set", "noise"], "training").round(1).to_string())


def draw(make, rate, seed):
    X, y = make(300, random_state=seed)
    return X, flip_labels(y, rate, random_state=seed)[0], *make(2000, random_state=seed + 100)


def boundaries():
    quick = get_experiment("ecg").quickly()
    tolerant = quick.methods["HMM label noise-tolerant EM"]
    models = {
        "supervised": quick.methods["HMM supervised learning"],
        "Baum-Welch": quick.methods["HMM Baum-Welch"],
        "tolerant": tolerant,
    }
    for width in (2, 5):
        models[f"boundaries ignored, {width} samples"] = clone(tolerant).set_params(
            p_e=0.0, noise="fixed", ignore_boundaries=width
        )
    measure = SegmentECGs(n_recordings=3, n_beats=100)
    names = ("recall", "precision", "uniform_recall", "uniform_precision")
    print(f"{'level':6}{'model':36}" + "".join(f"{name:>19}" for name in names))
    for level in (0.0, 0.25, 0.5):
        for name, model in models.items():
            rows = [
                measure(
                    Cell("ECG artificial (average)", level, name, repetition),
                    model,
                    None,
                    Bench(None, 0),
                )
                for repetition in range(2)
            ]
            means = [np.mean([row[f"{score}_percent"] for row in rows]) for score in names]
            print(f"{level:<6}{name:36}" + "".join(f"{m:19.1f}" for m in means), flush=True)


def thresholds():
    grids = {
        "margin": (MarginPeeler(), np.array([-0.4, -0.2, -0.1, 0.0, 0.1, 0.2, 0.4, 1.0])),
        "misclassification": (
            MisclassificationPeeler(),
            np.array([0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 1.0]),
        ),
    }
    found = []
    for make in DRAWN:
        for rate in (0.0, 0.1, 0.3):
            for seed in range(5):
                X, noisy, X_test, y_test = draw(make, rate, seed)
                booster = DiscreteAdaBoostClassifier(n_estimators=30)
                models = {"no peeling": booster}
                for name, (peeler, grid) in grids.items():
                    peeled = FilteredClassifier(peeler, booster)
                    models[f"{name}, published"] = peeled
                    models[f"{name}, by folds"] = GridSearchCV(
                        peeled, {"filter__threshold": grid}, cv=5
                    )
                for name, model in models.items():
                    score = 100 * clone(model).fit(X, noisy).score(X_test, y_test)
                    found.append((make.__name__.removeprefix("make_"), rate, name, score))
    table = pd.DataFrame(found, columns=["set", "noise", "threshold", "accuracy"])
    print(table.pivot_table("accuracy", ["set", "noise"], "threshold").round(1).to_string())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(
        __doc__,
        units=units,
        perceptrons=perceptrons,
        boundaries=boundaries,
        thresholds=thresholds,
    )
