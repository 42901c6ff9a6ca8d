"""How long filters by cross-validation take, as a ratio to scikit-learn's cross_val_predict.

Both fit the same models to as many folds, in turn, in one process; the least processor time of
some repeats counts.
"""

import argparse
import time

from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from errata.filters import CrossValFilter, VotingFilter


def peer(models, folds, method):
    """Out-of-fold predictions of each model by scikit-learn."""
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)

    def predict(X, y):
        for model in models:
            cross_val_predict(model, X, y, cv=splitter, method=method)

    return predict


def seconds(function, X, y):
    start = time.process_time()
    function(X, y)
    return time.process_time() - start


def ratio(ours, theirs, X, y, repeats):
    pairs = [(seconds(ours, X, y), seconds(theirs, X, y)) for _ in range(repeats)]
    ours, theirs = (min(times) for times in zip(*pairs, strict=True))
    return ours / theirs, theirs


def cases():
    forest, logistic = RandomForestClassifier(random_state=0), LogisticRegression(max_iter=200)
    trio = [DecisionTreeClassifier(random_state=0), KNeighborsClassifier(1)]
    trio.append(LinearDiscriminantAnalysis())
    for name, model in (("forest", forest), ("logistic", logistic)):
        filter_ = CrossValFilter(model, random_state=0)
        yield f"CrossValFilter, {name}", filter_.fit, peer([model], 5, "predict_proba")
    yield "VotingFilter", VotingFilter(trio, random_state=0).fit, peer(trio, 4, "predict")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    X, y = make_classification(
        options.rows, 20, n_informative=8, n_classes=3, flip_y=0.1, random_state=0
    )
    for name, ours, theirs in cases():
        value, base = ratio(ours, theirs, X, y, options.repeats)
        print(f"{name:24s} {value:.2f} of cross_val_predict ({base:.2f} s)", flush=True)


if __name__ == "__main__":
    main()
