"""What committees share: they ask models about the labels, and count the votes against them."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from ..._detector import DetectorMixin
from ..._routing import make_router, route_fit
from ..._validation import check_fraction, check_labelled
from ...hardness._measure import CERTAIN
from .._base import Filter, Verdict, merge_tags

ABSTAINS = -1  # instead of the code of a class
RULES = {"majority": 0.5, "consensus": CERTAIN}


class CommitteeFilter(DetectorMixin, Filter):
    """A filter that asks models; a subclass says in ``_judge`` which, and what follows from it."""

    random_state: Any

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Judge each label of ``y``.

        ``fit_params`` is metadata for the user's estimators, if metadata routing is enabled.
        """
        X, codes = self._check_labelled(X, y)
        return self._fit_codes(X, codes, fit_params=self._route(fit_params))

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata ``fit`` takes, and which it hands to the user's estimators."""
        return make_router(self, **self._parts())

    def __sklearn_tags__(self) -> Any:
        """Accept what all members of the committee accept."""
        return merge_tags(super().__sklearn_tags__(), *self._members(sparse=True))

    def _fit_codes(
        self,
        X: Any,
        codes: np.ndarray,
        *,
        fit_params: Sequence[dict[str, Any]] = (),
        groups: np.ndarray | None = None,
    ) -> Self:
        """Judge rows and labels that have passed the checks; ``classes_`` is set."""
        self._check_parameters()
        random = check_random_state(self.random_state)
        suspicion, suggested, native = self._judge(X, codes, random, fit_params, groups)
        self._conclude(suspicion, codes, suggested, native=native)
        self._leave_out(codes)
        return self

    def _check_labelled(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        sparse = "csr" if get_tags(self).input_tags.sparse else False
        return check_labelled(self, X, y, min_classes=2, accept_sparse=sparse, ensure_min_samples=2)

    def _route(self, fit_params: dict[str, Any]) -> list[dict[str, Any]]:
        """What of the metadata each estimator of the user gets."""
        parts = self._parts()
        if fit_params and not parts:
            route_fit(self, fit_params)  # raises, as nobody takes it
        return [route_fit(self, fit_params, name) for name in parts]

    def _parts(self) -> dict[str, Any]:
        """The user's estimators by name."""
        estimator = getattr(self, "estimator", None)
        return {} if estimator is None else {"estimator": estimator}

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        """The user's estimators, or the default ones for dense or sparse rows."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        self._check_guards()

    def _judge(
        self,
        X: Any,
        codes: np.ndarray,
        random: np.random.RandomState,
        fit_params: Sequence[dict[str, Any]],
        groups: np.ndarray | None,
    ) -> Verdict:
        """Ask the committee; ``fit_params`` are for each estimator of the user."""
        raise NotImplementedError


def check_gives_proba(estimator: Any) -> None:
    """Raise when a classifier cannot say how sure it is."""
    if not hasattr(estimator, "predict_proba"):
        name = type(estimator).__name__
        raise TypeError(
            f"{name} has no predict_proba; pass CalibratedClassifierCV({name}(...)) of "
            "sklearn.calibration, or another classifier that gives probabilities."
        )


def vote_line(vote: Any) -> float:
    """The fraction of wrong votes that a flagged row exceeds."""
    if isinstance(vote, str) and vote in RULES:
        return RULES[vote]
    try:
        line = check_fraction("vote", vote)
    except ValueError:
        line = 0.0
    if not 0 < line < 1:
        raise ValueError(
            f"vote={vote!r} is not known; choose majority, consensus, or a number above 0 and "
            "below 1, the fraction of wrong votes that a flagged row exceeds."
        )
    return line


def count_votes(ballots: np.ndarray, n_classes: int) -> np.ndarray:
    """Number of votes for each class, (n, n_classes), from the codes that each voter named (n, m).

    Examples
    --------
    >>> count_votes(np.array([[0, 1, 1], [2, ABSTAINS, 2], [ABSTAINS] * 3]), 3)
    array([[1, 2, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    row, voter = np.nonzero(ballots != ABSTAINS)
    cells = row * n_classes + ballots[row, voter]
    return np.bincount(cells, minlength=len(ballots) * n_classes).reshape(-1, n_classes)


def judge_by_votes(votes: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Fraction of the votes that are against each label, and the code that most are for.

    Without a vote nothing is held against a label. Of equals, the label itself is named, or else
    the first.

    Examples
    --------
    >>> judge_by_votes(np.array([[1, 2, 0], [1, 1, 0], [0, 0, 0]]), np.array([0, 1, 2]))
    (array([0.66666667, 0.5       , 0.        ]), array([1, 1, 2]))
    """
    own = votes[np.arange(len(codes)), codes]
    cast = votes.sum(axis=1)
    wrong = np.divide(cast - own, cast, out=np.zeros(len(codes)), where=cast > 0)
    return wrong, np.where(own == votes.max(axis=1), codes, votes.argmax(axis=1))
