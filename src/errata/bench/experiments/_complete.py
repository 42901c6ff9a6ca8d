"""The rows of a data set that miss nothing, which is what the papers use."""

from functools import lru_cache
from typing import Any

import numpy as np

from ...datasets import load_dataset


# Cells come data set by data set, so that few are in use at a time. What is returned is shared:
# callers take rows of it and never write into it.
@lru_cache(maxsize=2)
def load_complete(dataset: str, folder: Any, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows without missing cells, read once; ``seed`` draws those of a synthetic set."""
    X, y = load_dataset(dataset, folder=folder, random_state=seed, return_X_y=True)
    complete = ~np.isnan(X).any(axis=1)
    return X[complete], y[complete]
