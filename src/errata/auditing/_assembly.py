"""The result put together for all rows, those that could not be audited included."""

from typing import Any

import numpy as np

from ._copies import conflicting_duplicates
from ._examples import describe_examples, example_rows
from ._flags import Flags, draw_flags, no_flags
from ._inputs import Display, Inputs, for_all_rows
from ._map import draw_map
from ._models import TrainingData
from ._nearby import Neighborhood
from ._notes import notes_about_duplicates, notes_about_noise
from ._pooling import Pool
from ._reasons import most_probable_others, reasons_for
from ._result import Audit, NoiseRate
from ._self_check import SelfCheck
from .classes import Posterior
from .sequences import SequenceInputs, draw_traces


def assemble(
    inputs: Inputs,
    data: TrainingData,
    pool: Pool,
    posterior: Posterior,
    check: SelfCheck | None,
    *,
    precision: float | None,
    display: Display,
) -> Audit:
    """The audit as the user gets it."""
    flags = _flags(posterior, precision)
    columns: dict[str, Any] = _columns(inputs, posterior, flags)
    shown = example_rows(columns["suspicion"], columns["flagged"])
    return Audit(
        labels=inputs.labels,
        **{name: column for name, column in columns.items() if name != "label"},
        **_noise(inputs, posterior),
        classes=inputs.classes,
        models=_models(pool),
        self_check=check,
        expected_precision=flags.expected_precision,
        expected_recall=flags.expected_recall,
        rule=flags.rule,
        notes=[*notes_about_noise(posterior, flags), *inputs.notes],
        points=_points(inputs, shown, columns, data.random_state),
        about=display.about(inputs),
        index=display.index,
    )


def show_rows(
    audit: Audit,
    inputs: Inputs,
    data: TrainingData,
    pool: Pool,
    posterior: Posterior,
    display: Display,
) -> None:
    """Add what a person wants to see of single rows: examples, and copies that disagree."""
    shown = example_rows(audit.suspicion, audit.flagged)
    near = Neighborhood(inputs, n_jobs=data.n_jobs).around(shown)
    reasons = reasons_for(shown, near, inputs, posterior.other, pool.models)
    others = {"label": audit.labels, "suggested": most_probable_others(inputs, posterior.other)}
    audit.examples = describe_examples(
        *(shown, reasons, near, audit.columns() | others, inputs, display),
        seed=data.random_state,
        n_jobs=data.n_jobs,
    )
    audit.duplicates = _duplicates(inputs)
    audit.notes += notes_about_duplicates(audit.duplicates)


def show_stretches(audit: Audit, course: SequenceInputs) -> None:
    """Add what a person wants to see of recordings: from where to where, and the signal there.

    A row by itself says little there, and that others look like it is nothing unusual.
    """
    audit.timeline = course.timeline
    audit.traces = draw_traces(
        audit.stretch_columns(),
        course.signals,
        course.inputs.codes,
        course.timeline,
        labels=audit.labels,
        suggested=audit.suggested,
    )


def _flags(posterior: Posterior, precision: float | None) -> Flags:
    if not posterior.skill.enough:
        return no_flags(len(posterior.p_wrong))
    return draw_flags(posterior.p_wrong, posterior.suspicion, precision)


def _columns(inputs: Inputs, posterior: Posterior, flags: Flags) -> dict[str, np.ndarray]:
    """One entry for every row; a label that was not audited is as good as labels are here."""
    flagged = for_all_rows(inputs, flags.flagged, False)
    suggested = inputs.labels.copy()
    suggested[flagged] = inputs.classes[inputs.present][posterior.other[flags.flagged]]
    p_suggested = np.where(flags.flagged, posterior.p_other, 1 - posterior.p_wrong)
    return {
        "label": inputs.labels,
        "suspicion": for_all_rows(inputs, posterior.suspicion, 0.0),
        "p_wrong": for_all_rows(inputs, posterior.p_wrong, posterior.rate),
        "suggested": suggested,
        "p_suggested": for_all_rows(inputs, p_suggested, 1 - posterior.rate),
        "flagged": flagged,
    }


def _noise(inputs: Inputs, posterior: Posterior) -> dict[str, Any]:
    """What is known of the noise, for all classes: one that was not audited keeps its label."""
    present, n_classes = inputs.present, len(inputs.classes)
    prior, transition = np.zeros(n_classes), np.eye(n_classes)
    prior[present] = posterior.prior
    transition[np.ix_(present, present)] = posterior.transition
    return {
        "noise_rate": NoiseRate(posterior.rate, posterior.low, posterior.high),
        "hypotheses": posterior.noise.by_kind(posterior.rates),
        "has_skill": posterior.skill.enough,
        "transition": transition,
        "prior": prior,
    }


def _models(pool: Pool) -> list[dict[str, Any]]:
    """What is told of each model; weights as fractions of their sum, which the pool leaves free."""
    total = sum(m.weight for m in pool.models) or 1.0
    return [
        {"name": m.name, "weight": round(m.weight / total, 4), "agreement": round(m.agreement, 4)}
        for m in pool.models
    ]


def _duplicates(inputs: Inputs) -> list[np.ndarray]:
    if inputs.features is None:
        return []
    return conflicting_duplicates(inputs.features.X, inputs.codes)


def _points(
    inputs: Inputs, shown: np.ndarray, columns: dict[str, np.ndarray], seed: int
) -> dict[str, Any] | None:
    if inputs.X is None or len(inputs.audited) < len(inputs.codes):
        return None
    drawn = {
        "label": inputs.codes,
        "suggested": np.searchsorted(inputs.classes, columns["suggested"]),
        "p_wrong": columns["p_wrong"],
        "flagged": columns["flagged"],
    }
    return draw_map(inputs.X, shown, drawn, seed)
