"""The result put together: one entry for every item, those without votes included."""

from typing import Any

import numpy as np

from .._flags import Flags, draw_flags, no_flags
from .._labels import labels_from
from .._suggestions import suggestion
from ..cards import plain
from ._findings import VoteFindings
from ._for_review import VOTE_WEIGHTS
from ._items import Items
from ._result import VoteAudit
from ._votes import Votes


def assemble_votes(
    items: Items, found: VoteFindings, *, precision: float | None, about: dict[str, Any]
) -> VoteAudit:
    """The audit as the user gets it, but for what is told of single items."""
    votes, codes = items.votes, items.votes.majority
    flags = _flags(found, codes, precision)
    labels = labels_of(votes)
    other = other_classes(found.proba, codes)
    p_other = found.proba[np.arange(len(codes)), other]
    is_other, p_suggested = suggestion(codes, flags.flagged, found.p_wrong, p_other)
    suggested = labels.copy()
    suggested[is_other] = votes.classes[other[is_other]]
    prior, transition = noise_of_majority(found.proba, codes)
    return VoteAudit(
        labels=labels,
        suspicion=found.suspicion,
        p_wrong=found.p_wrong,
        suggested=suggested,
        p_suggested=p_suggested,
        flagged=flags.flagged,
        noise_rate=found.noise_rate,
        hypotheses=_hypotheses(found, codes >= 0),
        has_skill=bool(found.has_skill),
        transition=transition,
        prior=prior,
        classes=votes.classes,
        models=found.models,
        self_check=None,
        expected_precision=flags.expected_precision,
        expected_recall=flags.expected_recall,
        rule=flags.rule,
        notes=[*found.notes, *items.notes],
        about=about,
        index=items.index,
        keys=np.array([f"item.{name}" for name in votes.items.tolist()], dtype=object),
        items=votes.items,
        proba=found.proba,
        expected_wrong=found.expected_wrong,
        n_votes=votes.n_votes,
        agreement=votes.agreement,
        ask=found.ask,
        workers=[_plain_names(worker) for worker in found.workers],
        evidence=_evidence(found),
    )


def labels_of(votes: Votes) -> np.ndarray:
    """What most votes of each item say; None, or NaN among numbers, where it has none."""
    blank = bool((votes.n_votes == 0).any())
    return labels_from(votes.majority, votes.classes, with_blanks=blank)


def other_classes(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The most probable class besides the label; of an item without one, of all classes.

    Examples
    --------
    >>> other_classes(np.array([[0.6, 0.3, 0.1], [0.6, 0.3, 0.1]]), np.array([0, -1])).tolist()
    [1, 0]
    """
    others = proba.copy()
    voted = np.flatnonzero(codes >= 0)
    others[voted, codes[voted]] = -1.0
    return others.argmax(axis=1)


def noise_of_majority(proba: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Expected fractions of the classes, and ``T[c, l] = P(majority = l | class = c)``.

    A class that no item is expected to have keeps its label.

    Examples
    --------
    >>> prior, T = noise_of_majority(np.array([[1, 0], [0.5, 0.5]]), np.array([0, 1]))
    >>> prior.tolist(), T.round(2).tolist()
    ([0.75, 0.25], [[0.67, 0.33], [0.0, 1.0]])
    """
    k = proba.shape[1]
    joint = np.stack([proba[codes == code].sum(axis=0) for code in range(k)], axis=1)
    mass = joint.sum(axis=1, keepdims=True)
    transition = np.divide(joint, mass, out=np.eye(k), where=mass > 0)
    return mass[:, 0] / max(mass.sum(), 1e-300), transition


def _flags(found: VoteFindings, codes: np.ndarray, precision: float | None) -> Flags:
    """The flags; an item without votes has no label that could be wrong."""
    voted = codes >= 0
    if not found.has_skill:
        rule = "Nothing is flagged, as the votes do not tell which labels are wrong."
        return no_flags(len(codes))._replace(rule=rule)
    flags = draw_flags(found.p_wrong[voted], found.suspicion[voted], precision)
    flagged = np.zeros(len(codes), dtype=bool)
    flagged[voted] = flags.flagged
    return flags._replace(flagged=flagged)


def _hypotheses(found: VoteFindings, voted: np.ndarray) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "weight": round(weight, 4), "rate": float(p_wrong[voted].mean())}
        for kind, (weight, p_wrong) in zip(VOTE_WEIGHTS, found.hypotheses, strict=False)
    ]


def _plain_names(worker: dict[str, Any]) -> dict[str, Any]:
    """What is told of an annotator, names as Python's own values."""
    worst = worker["worst"]
    return worker | {
        "worker": plain(worker["worker"]),
        "worst": worst and tuple(map(plain, worst)),
    }


def _evidence(found: VoteFindings) -> dict[str, Any]:
    return {
        "vote_weight": found.vote_weight,
        "kappa_coin": found.kappa_coin,
        "kappa_matrix": found.kappa_matrix,
        "feature_weight": found.feature_weight,
        "shared": found.shared.tolist(),
    }
