"""Lists of an audit of several labels a row: the flagged cells, and what is known of each label."""

from typing import TYPE_CHECKING

import numpy as np

from ._label_words import kind_of_error

if TYPE_CHECKING:
    from ._result import MultilabelAudit


def flagged_cells(audit: "MultilabelAudit") -> dict[str, np.ndarray]:
    """One array per column of a table of the flagged cells, the worst first."""
    rows, places = np.nonzero(audit.flagged_cells)
    order = np.argsort(-audit.p_wrong_cells[rows, places], kind="stable")
    rows, places = rows[order], places[order]
    errors = [kind_of_error(one == 1) for one in audit.labels[rows, places]]
    return {
        "row": rows,
        "label": np.array([str(audit.names[place]) for place in places], dtype=object),
        "error": np.array(errors, dtype=object),
        "p_wrong": audit.p_wrong_cells[rows, places],
    }


def labels_told(audit: "MultilabelAudit") -> dict[str, np.ndarray]:
    """One array per column of a table of the labels."""
    plain = {
        name: np.array([label[name] for label in audit.per_label])
        for name in ("label", "rows", "has_skill", "flagged")
    }
    rates = {
        name if of == "estimate" else f"{name}_{of}": np.array(
            [label[name][of] for label in audit.per_label]
        )
        for name in ("rate", "missing", "wrongly_set")
        for of in ("estimate", "low", "high")
    }
    return plain | rates
