"""The result put together for all rows, those that could not be audited included."""

from typing import Any

import numpy as np

from ._all_rows import AllRows
from ._examples import describe_examples, example_rows
from ._flag_line import flags_by_line
from ._flags import Flags, draw_flags, no_flags
from ._inputs import Display, Inputs, for_all_rows
from ._map import draw_map
from ._nearby import Neighborhood
from ._noise_rate import NoiseRate
from ._notes import notes_about_duplicates, notes_about_noise
from ._pooling import Pool
from ._reasons import most_probable_others, reasons_for
from ._result import Audit
from ._self_check import SelfCheck
from ._settings import EXACT_ROWS
from ._suggestions import suggestion
from ._totals import near_borders
from ._unlabelled import Filled
from ._views import View
from .classes import Posterior
from .sequences import SequenceInputs, draw_traces


def assemble(
    found: AllRows,
    pool: Pool,
    check: SelfCheck | None,
    *,
    precision: float | None,
    display: Display,
) -> Audit:
    """The audit as the user gets it, but for what is told of single rows."""
    inputs, posterior = found.inputs, found.posterior
    flags = _flags(inputs, posterior, precision)
    columns: dict[str, Any] = _columns(inputs, posterior, flags, found.filled)
    return Audit(
        labels=inputs.labels,
        **{name: column for name, column in columns.items() if name != "label"},
        **noise_told(inputs, posterior),
        classes=inputs.classes,
        models=models_told(pool),
        self_check=check,
        expected_precision=flags.expected_precision,
        expected_recall=flags.expected_recall,
        rule=flags.rule,
        notes=[*_notes(posterior, flags.flagged), *inputs.notes],
        duplicates=found.duplicates,
        about=display.about(inputs),
        index=display.index,
        known=inputs.known,
    )


def shown_rows(audit: Audit) -> np.ndarray:
    """The rows that are worth showing."""
    doubtful = audit.labelled if audit.known is None else audit.labelled & ~audit.known
    return example_rows(audit.suspicion, audit.flagged, doubtful)


def show_map(audit: Audit, view: View, shown: np.ndarray, seed: int) -> None:
    """Add the map of the data."""
    audit.points = view.in_table(_points(audit, view, view.places(shown), seed))


def show_rows(
    audit: Audit,
    view: View,
    shown: np.ndarray,
    display: Display,
    *,
    seed: int,
    n_jobs: int | None,
) -> None:
    """Add what a person wants to see of single rows: examples, and copies that disagree."""
    inputs, shown = view.inputs, view.places(shown)
    near = Neighborhood(inputs, n_jobs=n_jobs).around(shown)
    reasons = reasons_for(shown, near, inputs, view.posterior.other, view.models)
    columns = {
        "label": inputs.labels,
        "suggested": most_probable_others(inputs, view.posterior.other),
        "p_wrong": view.p_wrong,
        "flagged": view.of_all(vars(audit)["flagged"]),
    }
    ids = display.row_names(len(audit))
    audit.examples = view.in_table(
        describe_examples(
            *(shown, reasons, near, columns, inputs, display.image_shape),
            ids=None if ids is None else view.of_all(ids),
            seed=seed,
            n_jobs=n_jobs,
        )
    )
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


def _flags(inputs: Inputs, posterior: Posterior, precision: float | None) -> Flags:
    """The flags; of a larger table by the rule of tables that are not in memory."""
    known = inputs.audited_known
    if not posterior.skill.enough:
        return no_flags(len(posterior.p_wrong))
    draw = draw_flags if len(inputs.codes) <= EXACT_ROWS else flags_by_line
    if known is None:
        return draw(posterior.p_wrong, posterior.suspicion, precision)
    flags = draw(posterior.p_wrong[~known], posterior.suspicion[~known], precision)
    flagged = np.zeros(len(known), dtype=bool)
    flagged[~known] = flags.flagged
    return flags._replace(flagged=flagged)


def _notes(posterior: Posterior, flagged: np.ndarray) -> list[str]:
    near = near_borders(posterior.p_elsewhere[flagged])
    return notes_about_noise(posterior, int(flagged.sum()), near)


def _columns(
    inputs: Inputs, posterior: Posterior, flags: Flags, filled: Filled
) -> dict[str, np.ndarray]:
    """One entry for every row; a label that was not audited is as good as labels are here.

    A row without a label has none that could be wrong, one whose label is known a right one:
    ``p_wrong`` is 0.
    """
    flagged = for_all_rows(inputs, flags.flagged, False)
    p_wrong = for_all_rows(inputs, posterior.p_wrong, posterior.rate)
    p_wrong[~inputs.doubtful] = 0.0
    other = for_all_rows(inputs, inputs.present[posterior.other], 0)
    p_other = for_all_rows(inputs, posterior.p_other.astype(float), 0.0)
    other[filled.rows], p_other[filled.rows] = inputs.present[filled.codes], filled.p
    is_other, p_suggested = suggestion(inputs.codes, flagged, p_wrong, p_other)
    suggested = inputs.labels.copy()
    suggested[is_other] = inputs.classes[other[is_other]]
    return {
        "label": inputs.labels,
        "suspicion": for_all_rows(inputs, posterior.suspicion, 0.0),
        "p_wrong": p_wrong,
        "suggested": suggested,
        "p_suggested": p_suggested,
        "flagged": flagged,
    }


def noise_told(inputs: Inputs, posterior: Posterior) -> dict[str, Any]:
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


def models_told(pool: Pool) -> list[dict[str, Any]]:
    """What is told of each model; weights as fractions of their sum, which the pool leaves free."""
    total = sum(m.weight for m in pool.models) or 1.0
    return [
        {"name": m.name, "weight": round(m.weight / total, 4), "agreement": round(m.agreement, 4)}
        for m in pool.models
    ]


def _points(audit: Audit, view: View, shown: np.ndarray, seed: int) -> dict[str, Any] | None:
    inputs = view.inputs
    if inputs.X is None or len(inputs.audited) < len(inputs.codes):
        return None
    flagged = view.of_all(vars(audit)["flagged"])
    drawn = {
        "label": inputs.codes,
        "suggested": np.where(flagged, inputs.present[view.posterior.other], inputs.codes),
        "p_wrong": view.p_wrong,
        "flagged": flagged,
    }
    return draw_map(inputs.X, shown, drawn, seed)
