"""The audit of numeric targets put together: flags, suggestions, and what is told."""

from typing import Any

import numpy as np

from .._flags import Flags, best_f1_rule, draw_flags, no_flags
from .._inputs import Display
from ._digits import digits_of
from ._findings import TargetFindings, TargetSelfCheck
from ._hints import hints_for, without_slips
from ._result import TargetAudit
from ._target_inputs import TargetInputs

NO_SKILL = "Nothing here predicts the target, so nobody can say which numbers are wrong."


def assemble_targets(
    inputs: TargetInputs,
    found: TargetFindings,
    check: TargetSelfCheck | None,
    precision: float | None,
    display: Display,
) -> TargetAudit:
    """The audit as the user gets it, but for what is told of single rows."""
    given = inputs.given
    flags = _flags(found, inputs.doubtful, precision)
    digits = digits_of(given.targets[given.has_target & ~flags.flagged])
    hint = np.where(flags.flagged, hints_for(given.targets, found.low, found.high), "")
    expected = np.where(hint == "", found.predicted, without_slips(given.targets, hint))
    new = flags.flagged | ~given.has_target
    per_row = ("p_wrong", "suspicion", "predicted", "low", "high", "score", "local_scale")
    features = 0 if inputs.features is None else len(inputs.features.columns)
    return TargetAudit(
        targets=given.targets,
        flagged=flags.flagged,
        suggested=np.where(new, digits.write(expected), given.targets),
        error_kind=found.error_kind.astype(object),
        hint=hint,
        **{name: getattr(found, name) for name in per_row},
        noise_rate=found.noise_rate,
        has_skill=found.has_skill,
        models=models_as_dicts(found),
        tail=float(found.tail),
        scale=float(found.scale),
        on_log_scale=bool(found.on_log_scale),
        self_check=check,
        expected_precision=flags.expected_precision,
        expected_recall=flags.expected_recall,
        rule=flags.rule,
        notes=[*([] if found.has_skill else [NO_SKILL]), *found.notes, *inputs.notes],
        about=display.about(given.table, features) | {"target": given.name},
        index=display.index,
        known=inputs.known,
        ids=display.given_ids(len(given.targets)),
    )


def models_as_dicts(found: TargetFindings) -> list[dict[str, Any]]:
    """What is told of each model; weights as fractions of their sum, which the pool leaves free."""
    total = sum(model.weight for model in found.models) or 1.0
    return [
        {"name": m.name, "weight": round(float(m.weight) / total, 4), "r2": round(float(m.r2), 4)}
        for m in found.models
    ]


def _flags(found: TargetFindings, doubtful: np.ndarray, precision: float | None) -> Flags:
    """Of rows whose target may be wrong."""
    n = len(doubtful)
    if not found.has_skill:
        return no_flags(n, "do not predict the target")
    flags = draw_flags(found.p_wrong[doubtful], found.suspicion[doubtful], precision)
    flagged = np.zeros(n, dtype=bool)
    flagged[doubtful] = flags.flagged
    rule = flags.rule if precision is not None else best_f1_rule("target")
    return flags._replace(flagged=flagged, rule=rule)
