"""Notes: what the user should know beside the numbers."""

import numpy as np

from .._format import percent
from ._settings import OVERLAP
from .classes import Posterior

PROBABILITIES_ARE_OLDER = (
    "The self-check plants errors that your probabilities have never seen. It cannot show whether "
    "the model behind them had learnt the labels it checks."
)


def notes_about_noise(posterior: Posterior, flagged: int, near_borders: int) -> list[str]:
    """What nobody can tell from these columns: everything, overlap, noise at borders.

    Of the flagged rows, so many may be wrong only if errors gather near the borders of classes.
    """
    if not posterior.skill.enough:
        return [
            "These columns do not tell the labels apart (no better than knowing how frequent each "
            "label is). Whether labels are wrong cannot be told from them: anything from none to "
            f"{percent(posterior.high)} is possible. Nothing is flagged."
        ]
    notes = []
    if flagged and posterior.noise.ambiguity >= OVERLAP:
        look = f"Part or all of the {flagged:,} labels that look wrong"
        notes.append(
            "The classes overlap in these columns. "
            f"{look if flagged > 1 else 'The label that looks wrong'} may be right and merely "
            "unusual."
        )
    if near_borders:
        one = near_borders == 1
        rows = "1 flagged row lies" if one else f"{near_borders:,} flagged rows lie"
        notes.append(
            f"{rows} where classes meet: wrong if errors gather there, right if the classes merely "
            "overlap."
        )
    return notes


def notes_about_duplicates(duplicates: list[np.ndarray]) -> list[str]:
    """How many rows are equal but labelled differently."""
    if not duplicates:
        return []
    rows = sum(map(len, duplicates))
    groups = "group" if len(duplicates) == 1 else "groups"
    return [
        f"{rows:,} rows in {len(duplicates):,} {groups} are equal to each other but labelled "
        "differently: in each group at least one label is wrong, or the columns do not tell enough."
    ]
