import warnings

import numpy as np
import pytest

from errata.elm import ELMClassifier, ELMRegressor
from errata.exceptions import SuspicionWarning
from errata.hardness import NeighborDisagreement
from errata.tolerant import ReinforcedLogisticRegression

X = np.random.RandomState(0).normal(size=(6, 2))


@pytest.mark.parametrize(
    "warned",
    [
        lambda: ELMClassifier(n_hidden=5, random_state=0).fit(X, [0, 0, 0, 0, 0, 1]),
        lambda: ELMRegressor(n_hidden=5, alpha=1.0, random_state=0).fit(np.ones((6, 2)), X[:, 0]),
        lambda: (
            ELMRegressor(n_hidden=5, random_state=0)
            .partial_fit(np.ones((6, 2)), X[:, 0])
            .predict(X)
        ),
        lambda: NeighborDisagreement(n_neighbors=9).fit(X, [0, 0, 0, 1, 1, 1]),
        lambda: ReinforcedLogisticRegression(C=np.inf).fit(
            np.arange(6.0)[:, None], [0] * 3 + [1] * 3
        ),
    ],
    ids=[
        "fit of a classifier",
        "fit of a regressor",
        "predict after partial_fit",
        "a search of its detector",
        "a fit below its own",
    ],
)
def test_warnings_point_at_the_line_of_the_user(warned):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warned()
    assert caught
    assert all(w.category is SuspicionWarning and w.filename == __file__ for w in caught)
