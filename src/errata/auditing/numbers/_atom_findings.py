"""What is found beside atoms: how probable a row's atom is joins what the other rows have shown."""

from typing import Any

import numpy as np
from scipy.special import expit, logit

from ..._format import listed, number, percent
from .._settings import MOST_WITHOUT_SKILL
from ._atoms import Membership
from ._findings import TargetFindings
from ._settings import INSIDE


def beside_atoms(
    found: TargetFindings, targets: np.ndarray, known: np.ndarray | None, members: Membership
) -> TargetFindings:
    """Findings of all rows, from those of the rows that hold no atom.

    A wrong target holds an atom as often as any row does, a right one as often as rows like it do.
    The odds are multiplied by that ratio, for the other rows those by how far they are off.
    """
    held, recorded = members.kinds < len(members.atoms), np.isfinite(targets)
    known = np.zeros(len(targets), dtype=bool) if known is None else known
    rate, ratio = found.noise_rate.estimate, members.log_ratio
    suspicion = np.where(held, logit(rate), found.suspicion) + ratio
    p_wrong = expit(logit(np.where(held, rate, found.p_wrong)) + ratio)
    p_wrong = np.where(recorded & ~known, p_wrong, 0.0)
    suspicion = np.where(known, suspicion[recorded].min(), suspicion)
    return found._replace(
        p_wrong=p_wrong if found.has_skill else np.minimum(p_wrong, MOST_WITHOUT_SKILL),
        suspicion=np.where(recorded, suspicion, 0.0),
        error_kind=np.where(held, "swap", found.error_kind),
        notes=[*found.notes, atoms_note(members)],
        **_expected(found, targets, members),
    )


def _expected(found: TargetFindings, targets: np.ndarray, members: Membership) -> dict[str, Any]:
    """What is predicted: an atom where that is likeliest; bounds hold all that is probable."""
    n, atoms = len(targets), members.atoms
    likeliest = members.p.argmax(axis=1)
    probable = members.p > 1 - INSIDE
    probable[np.arange(n), likeliest] = True
    values = np.broadcast_to(atoms, (n, len(atoms)))
    predicted = np.column_stack([values, found.predicted])[np.arange(n), likeliest]
    away = np.where(np.isfinite(targets), targets - predicted, 0.0) / found.local_scale
    as_before = (likeliest == len(atoms)) & (members.kinds == len(atoms))
    return {
        "predicted": predicted,
        "low": np.where(probable, np.column_stack([values, found.low]), np.inf).min(axis=1),
        "high": np.where(probable, np.column_stack([values, found.high]), -np.inf).max(axis=1),
        "score": np.where(as_before, found.score, away),
    }


def atoms_note(members: Membership) -> str:
    """Which values are judged on their own."""
    told = [
        f"{number(float(atom))} ({percent(float(share))} of the targets)"
        for atom, share in zip(members.atoms, members.share, strict=False)
    ]
    return (
        f"Many rows share {listed(told)}: whether a row holds such a value is judged on its own, "
        "beside how far all others are off."
    )
