"""Committees whose members predict each row once, without having seen it."""

from typing import Any, ClassVar, Self

import numpy as np

from ..._crossfit import (
    Fold,
    content_order,
    group_codes,
    make_folds,
    not_learnable,
    out_of_fold_proba,
    warn_of_not_learnable,
)
from ..._random import draw_seed, seeded_member
from ._base import CommitteeFilter, Question


class CrossValidatedFilter(CommitteeFilter):
    """A committee that is fitted fold by fold, all of its members on the same folds."""

    cv: Any
    n_jobs: int | None

    # Splitters need groups where they are given, so that no one has to ask for them.
    __metadata_request__fit: ClassVar = {"groups": True}

    def fit(self, X: Any, y: Any, groups: Any = None, **fit_params: Any) -> Self:
        """Judge each label of ``y`` by models that have not seen it.

        Rows of one of the ``groups`` are judged by models that saw none of them. ``fit_params`` is
        metadata for the user's estimators, if metadata routing is enabled.
        """
        X, codes = self._labelled(X, y)
        groups = group_codes(groups, codes)
        return self._fit_codes(X, codes, fit_params=self._routed(fit_params), groups=groups)

    def _predict(
        self, question: Question, members: Any, *, certain: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities by each member (m, n, K), and the rows whose label nobody could learn."""
        X, codes, random, fit_params, _ = question
        folds = self._folds(question)
        proba = out_of_fold_proba(
            [seeded_member(member, random) for member in members],
            X,
            codes,
            folds,
            fit_params=fit_params,
            certain=certain,
            n_jobs=self.n_jobs,
        )
        lacking = not_learnable(codes, folds)
        warn_of_not_learnable(lacking)
        return proba, lacking

    def _folds(self, question: Question) -> list[Fold]:
        X, codes, random, _, groups = question
        if isinstance(self.cv, str) and self.cv == "insample":
            rows = content_order(X)  # as in folds, so that reordering a table changes nothing
            return [(rows, rows)]
        return make_folds(
            self.cv,
            codes,
            X=X,
            groups=groups,
            every_class=True,
            by_content=True,
            random_state=draw_seed(random),
        )
