"""The rows on which boosting with a convex loss must fail once a few labels are wrong.

Long and Servedio. Random classification noise defeats all convex potential boosters. Machine
Learning 78, 2010, section 6: 21 features of -1 and 1, a quarter of the rows with a large margin,
a quarter that pull towards the first eleven features, and half that are hurt by it. The sign of
the sum of all features is right on every row.
"""

import numpy as np

from errata.noise import flip_labels


def long_servedio(n_samples, random_state):
    """Rows and their true labels, -1 and 1."""
    random = np.random.RandomState(random_state)
    y = random.choice([-1, 1], n_samples)
    agrees = np.ones((n_samples, 21))
    kind = random.choice(["large margin", "puller", "penalizer"], n_samples, p=[0.25, 0.25, 0.5])
    agrees[kind == "puller", 11:] = -1
    for row in np.flatnonzero(kind == "penalizer"):
        agrees[row, random.choice(11, 6, replace=False)] = -1
        agrees[row, 11 + random.choice(10, 4, replace=False)] = -1
    return agrees * y[:, None], y


def clean_error(model, seed):
    """Error on clean rows of a model that is fitted to 800 rows, 10 % of them mislabelled."""
    X, y = long_servedio(800, seed)
    noisy, _ = flip_labels(y, 0.1, random_state=seed)
    X_test, y_test = long_servedio(2000, seed + 1000)
    return 1 - model.fit(X, noisy).score(X_test, y_test)
