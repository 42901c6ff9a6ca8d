"""What the user asks an audit for."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """What the user asks for; see :func:`errata.audit`."""

    estimator: Any
    pred_proba: Any
    embeddings: Any
    estimators: Sequence[Any] | None
    groups: Any
    sequence: Any
    wavelets: Any
    trust: Sequence[Any]
    known: Any
    decisions: Any
    keys: Any
    ids: Any
    precision: float | None
    self_check: bool
    image_shape: tuple[int, ...] | None
    title: str | None
    drop: Sequence[Any]
    random_state: Any
    n_jobs: int | None
