"""Audits of a few rows, made by hand: what they would have found is known."""

import numpy as np

from errata.auditing import Audit, MultilabelAudit, NoiseRate, TargetAudit

SHARED = {
    "noise_rate": NoiseRate(0.2, 0.1, 0.3),
    "has_skill": True,
    "models": [],
    "self_check": None,
    "expected_precision": 0.8,
    "expected_recall": 0.7,
    "_rule": "by hand",
}


def class_audit(labels, suggested, p_wrong, p_suggested, classes=None, **other):
    """One of classes; where ``other`` does not say more, no row is flagged."""
    classes = np.unique(labels) if classes is None else classes
    fields = {
        "labels": labels,
        "suggested": suggested,
        "p_wrong": p_wrong,
        "p_suggested": p_suggested,
        "suspicion": p_wrong,
        "flagged": np.zeros(len(labels), dtype=bool),
        "hypotheses": [],
        "transition": np.eye(len(classes)),
        "prior": np.full(len(classes), 1 / len(classes)),
        "classes": classes,
    }
    return Audit(**SHARED | fields | other)


def target_audit(targets, predicted, p_wrong):
    """One of numbers, none of them flagged."""
    nothing = np.full(len(targets), "", dtype=object)
    return TargetAudit(
        targets=targets,
        suspicion=p_wrong,
        p_wrong=p_wrong,
        flagged=np.zeros(len(targets), dtype=bool),
        suggested=targets,
        predicted=predicted,
        low=predicted - 1,
        high=predicted + 1,
        score=targets - predicted,
        error_kind=nothing,
        hint=nothing,
        local_scale=np.ones(len(targets)),
        tail=4.0,
        scale=0.0,
        on_log_scale=False,
        **SHARED,
    )


def cell_audit(labels, names, p_wrong):
    """One of several labels per row, each of which the columns tell."""
    return MultilabelAudit(
        labels=labels,
        names=names,
        p_wrong_cells=p_wrong,
        flagged_cells=np.zeros(labels.shape, dtype=bool),
        p_wrong=p_wrong.max(axis=1),
        suspicion=p_wrong.max(axis=1),
        flagged=np.zeros(len(labels), dtype=bool),
        missing_rate=SHARED["noise_rate"],
        wrongly_set_rate=SHARED["noise_rate"],
        per_label=[{"label": name, "has_skill": True} for name in names],
        transition=np.tile(np.eye(2), (len(names), 1, 1)),
        **SHARED,
    )
