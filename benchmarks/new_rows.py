"""How fast rows that were not learnt from are predicted, and how well: the default models.

    python benchmarks/new_rows.py             200,000 rows x 20 learnt from, 100,000 others; 4 and
                                              10 classes; about a minute of processor time
    python benchmarks/new_rows.py --rows 50000

Rows are told per processor second, set OMP_NUM_THREADS=1; ratios are to the same trees in
scikit-learn, and to RBF features asked one by one.
"""

import argparse

import numpy as np
from runs import seconds
from sklearn.datasets import make_classification

from errata.auditing import NewRows, TrainingData, default_models
from errata.auditing._settings import TREE_ROWS
from errata.auditing.models._default import Forest, GradientBoosting
from errata.auditing.models._fitted import FittedRidge, predict_together
from errata.auditing.models._pooling import pool_models, pooled_new_rows
from errata.noise import flip_labels

NEW = 100_000


def table(n, n_classes):
    X, y = make_classification(
        n, 20, n_informative=10, n_classes=n_classes, class_sep=1.5, flip_y=0, random_state=0
    )
    return X / X.std(axis=0), flip_labels(y, 0.1, random_state=0)[0]


def per_second(name, call, rows):
    call(rows)  # compile first
    taken, found = seconds(lambda: call(rows))
    print(f"  {name:<22}{len(rows) / taken:>10,.0f} rows per processor second")
    return taken, found


def scikit_learn_s(model, data):
    """The same trees as scikit-learn holds them; None for models that are not of trees."""
    if isinstance(model, Forest):
        return model._forest(data)
    if isinstance(model, GradientBoosting):
        some = data.for_rows(np.arange(TREE_ROWS))
        return model._classifier(data).fit(some.X, some.codes)
    return None


def log_loss(logs, codes):
    return -np.mean(logs[codes, np.arange(len(codes))])


def measure(n, n_classes):
    X, codes = table(n + NEW, n_classes)
    data = TrainingData(X[:n].astype(np.float32), codes[:n], n_classes, more_rows=True)
    rows = NewRows(X[n:])
    models = default_models(n, n_classes)
    taken, pool = seconds(lambda: pool_models(data, models))
    print(f"{n_classes} classes, {n:,} rows learnt from in {taken:.0f} processor seconds")
    alone = 0.0
    for model, predictor in zip(models, pool.fitted, strict=True):
        taken, _ = per_second(model.name, predictor.predict_proba, rows)
        alone += taken if isinstance(predictor, FittedRidge) else 0.0
        peer = scikit_learn_s(model, data)
        if peer is not None:
            theirs, _ = seconds(lambda peer=peer: peer.predict_proba(rows.X))
            print(f"  scikit-learn takes {theirs / taken:.2f} times as long")
    ridges = [predictor for predictor in pool.fitted if isinstance(predictor, FittedRidge)]
    taken, _ = per_second("RBF features together", lambda r: predict_together(ridges, r), rows)
    print(f"  one by one they take {alone / taken:.2f} times as long")

    def pooled(rows):
        return pooled_new_rows(pool.fitted, pool.weights, rows)[0]

    _, logs = per_second("all, pooled", pooled, rows)
    cut = np.hstack([pooled(rows.take(slice(i, i + 997))) for i in range(0, 20_000, 997)])
    apart = np.abs(np.exp(cut) - np.exp(logs[:, : cut.shape[1]])).max()
    print(f"  probabilities of rows in other blocks differ by {apart:.0e} at most")
    drawn, others = log_loss(pool.logs, codes[:n]), log_loss(logs, codes[n:])
    print(f"  log loss {drawn:.4f} of rows learnt from, out of fold; {others:.4f} of others")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    for k in (4, 10):
        measure(parser.parse_args().rows, k)
