"""A map of the data: two main axes of the features, flagged rows among the rest."""

from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from ._settings import MAP_FITTED_ROWS, MAP_POINTS


def draw_map(
    X: np.ndarray | None, worst: np.ndarray, codes: dict[str, np.ndarray], seed: int
) -> dict[str, Any] | None:
    """Coordinates of the worst rows and of as many others as make up 3,000 points.

    ``codes`` holds what each point tells: label, suggested, p_wrong and flagged.
    """
    if X is None or min(X.shape) < 2:
        return None
    random = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(len(X)), worst)
    count = min(len(others), max(0, MAP_POINTS - len(worst)))
    rows = np.concatenate([random.choice(others, count, replace=False), worst[:MAP_POINTS]])
    axes = PCA(2, svd_solver="randomized", random_state=seed)
    if len(X) <= MAP_FITTED_ROWS:
        axes.fit(X)
    else:
        axes.fit(X[random.choice(len(X), MAP_FITTED_ROWS, replace=False)])
    x, y = axes.transform(X[rows]).T.round(3)
    return {
        "x": x.tolist(),
        "y": y.tolist(),
        "row": rows.tolist(),
        "label": codes["label"][rows].tolist(),
        "suggested": codes["suggested"][rows].tolist(),
        "p_wrong": codes["p_wrong"][rows].round(3).tolist(),
        "flagged": codes["flagged"][rows].astype(int).tolist(),
    }
