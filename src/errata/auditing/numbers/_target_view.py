"""Rows with a number each as a person wants to see them, to decide whether the number is right."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .._inputs import Inputs
from .._nearby import Near
from .._views import RowsView, inputs_to_show
from ._digits import Digits
from ._target_examples import reasons_for_target
from ._target_inputs import TargetInputs

if TYPE_CHECKING:
    from ._result import TargetAudit


@dataclass(frozen=True, kw_only=True)
class TargetView(RowsView):
    """All rows."""

    audit: "TargetAudit"

    @property
    def others(self) -> np.ndarray:
        """What would stand in place of each target."""
        return self.audit.expected

    @cached_property
    def _digits(self) -> Digits:
        return self.audit.digits

    def reasons(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[str]]:
        """What is expected of such rows, and which slip explains the target."""
        return [reasons_for_target(self.audit, row, self._digits) for row in rows.tolist()]

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """The interval of right targets, and the slip."""
        audit, text = self.audit, self._digits.text
        return [
            {"low": text(audit.low[row]), "high": text(audit.high[row]), "hint": audit.hint[row]}
            for row in rows.tolist()
        ]


def targets_to_show(inputs: TargetInputs, *, are_embedded: bool) -> Inputs:
    """What is needed to show rows: neighbours are looked for among those with a target."""
    given, features = inputs.given, inputs.features
    there = np.flatnonzero(given.has_target)
    labels = given.targets.astype(object)
    labels[~given.has_target] = None
    used = None if features is None or are_embedded else features.columns
    X = None if inputs.X is None else inputs.X[there]
    return inputs_to_show(given.table, labels, X, there, used=used)
