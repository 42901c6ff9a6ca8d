"""The result put together for all rows, those that could not be audited included."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ._all_rows import AllRows
from ._flag_line import flags_by_line
from ._flags import Flags, draw_flags, no_flags
from ._for_review import ForReview
from ._inputs import Display, Inputs, for_all_rows
from ._noise_rate import NoiseRate
from ._notes import notes_about_noise
from ._pooling import Pool
from ._result import Audit
from ._self_check import SelfCheck
from ._settings import EXACT_ROWS
from ._showing import Showing, show, shown_rows
from ._suggestions import suggestion
from ._totals import near_borders
from ._unlabelled import Filled
from .classes import Grouped, Posterior
from .explaining import Explainer
from .sequences import SequenceInputs


def assemble(
    found: AllRows,
    pool: Pool,
    check: SelfCheck | None,
    *,
    precision: float | None,
    showing: Showing,
    grouped: Callable[[], Grouped],
    started: float,
    course: SequenceInputs | None = None,
    explainer: Explainer | None = None,
) -> Audit:
    """The audit as the user gets it.

    ``grouped`` tells what hypotheses say of every row, for a review; ``started`` is the reading of
    the clock when the audit began.
    """
    result = _result(found, pool, check, precision, showing.display)
    show(result, shown_rows(result), showing, course)
    result.for_review = ForReview(
        *(showing.look, grouped, found.inputs.doubtful, showing.display),
        seconds=time.perf_counter() - started,
        seed=showing.seed,
        n_jobs=showing.n_jobs,
        has_neighbors=course is None,
        explainer=explainer,
    )
    return result


def _result(
    found: AllRows,
    pool: Pool,
    check: SelfCheck | None,
    precision: float | None,
    display: Display,
) -> Audit:
    """The audit, but for what is told of single rows."""
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
        about=display.about(inputs.table, inputs.n_features),
        index=display.index,
        ids=display.given_ids(len(inputs.labels)),
        known=inputs.known,
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
