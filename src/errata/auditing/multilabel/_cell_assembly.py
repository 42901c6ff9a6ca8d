"""The result put together for all labels, those that could not be checked included."""

from typing import Any

import numpy as np

from ..._format import listed, percent
from .._flags import Flags, draw_flags, no_flags
from .._inputs import Display
from .._noise_rate import NoiseRate
from .._notes import PROBABILITIES_ARE_OLDER
from .._settings import NAMED_COLUMNS, OVERLAP
from .._user_models import GivenProbabilities
from ._cell_check import CellCheck
from ._findings import CellFindings, LabelFindings
from ._inputs import CellInputs
from ._rates import CellRates
from ._result import MultilabelAudit
from ._written_labels import label_name

NOTHING = NoiseRate(0.0, 0.0, 0.0)


def assemble_cells(
    inputs: CellInputs,
    found: CellFindings,
    check: CellCheck | None,
    *,
    precision: float | None,
    display: Display,
) -> MultilabelAudit:
    """The audit as the user gets it, but for what is told of single rows."""
    given, judged = inputs.given, inputs.checked[found.judged]
    flags = _flags(found, precision)
    p_wrong = _for_all_labels(found.p_wrong, inputs, 0.0)
    flagged = _for_all_labels(flags.flagged, inputs, False)
    rows = np.any(flagged, axis=1)
    worst = p_wrong[:, judged].max(axis=1, initial=0.0)
    transition = np.tile(np.eye(2), (len(given.names), 1, 1))
    transition[inputs.checked] = [label.transition for label in found.labels]
    return MultilabelAudit(
        labels=given.Y,
        names=[label_name(name) for name in given.names],
        p_wrong_cells=p_wrong,
        flagged_cells=flagged,
        p_wrong=worst,
        suspicion=found.suspicion.max(axis=1),
        flagged=rows,
        noise_rate=found.rates.wrong,
        missing_rate=found.rates.missing,
        wrongly_set_rate=found.rates.wrongly_set,
        per_label=_per_label(inputs, found, flagged),
        transition=transition,
        has_skill=bool(len(judged)),
        models=found.models,
        self_check=check,
        expected_precision=float(worst[rows].mean()) if rows.any() else float("nan"),
        expected_recall=float(worst[rows].sum() / worst.sum()) if worst.sum() else float("nan"),
        rule=flags.rule,
        notes=[*_notes(inputs, found, flags), *inputs.notes, *_notes_on_check(inputs, check)],
        about=display.about(given.table, _n_features(inputs)) | {"separator": given.separator},
        index=display.index,
        ids=display.given_ids(len(given.Y)),
    )


def _n_features(inputs: CellInputs) -> int:
    return 0 if inputs.features is None else len(inputs.features.columns)


def _for_all_labels(cells: np.ndarray, inputs: CellInputs, otherwise: Any) -> np.ndarray:
    """What is known of labels that could be checked, for all labels."""
    spread = np.full(inputs.given.Y.shape, otherwise, dtype=cells.dtype)
    spread[:, inputs.checked] = cells
    return spread


def _flags(found: CellFindings, precision: float | None) -> Flags:
    """Cells of labels that can be judged."""
    flagged = np.zeros(found.p_wrong.shape, dtype=bool)
    if not found.judged.any():
        return no_flags(0)._replace(flagged=flagged)
    p_wrong, suspicion = found.p_wrong[:, found.judged], found.suspicion[:, found.judged]
    flags = draw_flags(p_wrong.ravel(), suspicion.ravel(), precision)
    flagged[:, found.judged] = flags.flagged.reshape(p_wrong.shape)
    return flags._replace(flagged=flagged, rule=_of_cells(flags.rule))


def _of_cells(rule: str) -> str:
    """The rule that flags were drawn by, in words for cells."""
    return rule.replace("rows whose label is wrong", "labels of rows that are wrong")


def _per_label(
    inputs: CellInputs, found: CellFindings, flagged: np.ndarray
) -> list[dict[str, Any]]:
    told = dict(zip(inputs.checked.tolist(), found.labels, strict=True))
    unchecked = LabelFindings(CellRates(NOTHING, NOTHING, NOTHING), np.eye(2), False)
    return [
        _one_label(str(name), inputs.given.Y[:, place], told.get(place, unchecked))
        | {"flagged": int(flagged[:, place].sum())}
        for place, name in enumerate(inputs.given.names)
    ]


def _one_label(name: str, column: np.ndarray, label: LabelFindings) -> dict[str, Any]:
    return {
        "label": name,
        "rows": int(column.sum()),
        "has_skill": label.has_skill,
        "rate": _rounded(label.rates.wrong),
        "missing": _rounded(label.rates.missing),
        "wrongly_set": _rounded(label.rates.wrongly_set),
    }


def _rounded(rate: NoiseRate) -> dict[str, float]:
    return {name: round(float(value), 5) for name, value in rate._asdict().items()}


def _notes(inputs: CellInputs, found: CellFindings, flags: Flags) -> list[str]:
    if not found.judged.any():
        return [
            "These columns tell none of the labels (no better than knowing how frequent each is). "
            "Whether labels are missing or wrongly set cannot be told from them: anything from "
            f"none to {percent(found.rates.wrong.high)} is possible. Nothing is flagged."
        ]
    notes = []
    blind = [inputs.given.names[place] for place in inputs.checked[~found.judged]]
    if blind:
        which = "label" if len(blind) == 1 else "labels"
        notes.append(
            f"The columns do not tell the {which} {listed(blind, NAMED_COLUMNS)}: nothing is "
            "flagged there, and the rates are those of the other labels."
        )
    if flags.flagged.any() and found.overlap >= OVERLAP:
        notes.append(
            "Rows with a label and rows without it overlap in these columns. Part or all of the "
            f"{int(flags.flagged.sum()):,} labels that look wrong may be right and merely unusual."
        )
    return notes


def _notes_on_check(inputs: CellInputs, check: CellCheck | None) -> list[str]:
    given = [isinstance(m, GivenProbabilities) for own in inputs.brought for m in own]
    is_all = bool(given) and all(given) and inputs.features is None
    return [PROBABILITIES_ARE_OLDER] if check is not None and is_all else []
