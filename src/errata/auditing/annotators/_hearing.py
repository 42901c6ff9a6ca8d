"""Who speaks of items besides annotators: models of the table, or the user's probabilities."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .._settings import SMALLEST_PROBABILITY
from .._skill import skill_of
from .._user_models import check_classifier, estimator_table
from ._features import Heard
from ._item_models import ItemModels
from ._items import Items

Hear = Callable[[np.ndarray], Heard]


def hearing(
    items: Items,
    estimator: Any,
    *,
    seed: int,
    n_jobs: int | None,
    progress: Callable[[str], None],
) -> Hear | None:
    """What gives probabilities of the classes of items, told what they probably are.

    None where there are votes alone.
    """
    if items.pred_proba is not None:
        if estimator is not None:
            raise ValueError(
                "pred_proba stands for all models, so estimator has no effect; pass one of them."
            )
        return HeardProbabilities(items.pred_proba)
    if items.X is None:
        if estimator is not None:
            raise ValueError("estimator needs a table of the items to learn from; pass X.")
        return None
    if estimator is not None:
        check_classifier("estimator", estimator)
    return ItemModels(
        items.X,
        len(items.votes.classes),
        estimator=estimator,
        table=estimator_table(items.model_table, items.X),
        classes=items.votes.classes,
        groups=items.groups,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
    )


class HeardProbabilities:
    """The user's own probabilities, whatever is learnt of the items."""

    def __init__(self, proba: np.ndarray) -> None:
        self.proba = proba

    def __call__(self, codes: np.ndarray) -> Heard:
        """The same for any codes; these tell how good they are."""
        known = codes >= 0
        logs = np.log(np.maximum(self.proba[known].T, SMALLEST_PROBABILITY))
        agreement = float(np.mean(self.proba[known].argmax(axis=1) == codes[known]))
        model = {"name": "your probabilities", "weight": 1.0, "agreement": agreement}
        return Heard(self.proba, [model], skill_of(logs, codes[known]).enough)
