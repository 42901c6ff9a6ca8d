"""Rows without a label beside those that were cleaned: some are given one, others stay blank."""

from typing import Any

import numpy as np

# What is said of a row that had no label and has none now; of a word, as wide as any of them.
STAYS: dict[str, Any] = {"kept": True, "weight": 1.0, "did": "kept      ", "decided": False}


def beside_blanks(
    cleaned: dict[str, np.ndarray], labelled: np.ndarray, classes: np.ndarray, filled: np.ndarray
) -> dict[str, np.ndarray]:
    """The fields of what was cleaned, for all rows.

    Parameters
    ----------
    cleaned : dict
        The fields for the labelled rows.
    labelled, filled : arrays of bool of shape (n,)
        Which rows have a label, and which others are given one.
    classes : array of shape (n,)
        The labels they are given.

    Examples
    --------
    >>> cleaned = {"labels": np.array(["cat"]), "did": np.array(["kept"])}
    >>> labelled, filled = np.array([False, True, False]), np.array([True, False, False])
    >>> fields = beside_blanks(cleaned, labelled, np.array(["dog", "", "cat"]), filled)
    >>> fields["labels"].tolist(), fields["did"].tolist()
    (['dog', 'cat', None], ['relabelled', 'kept', 'kept'])
    """
    labels = np.full(len(labelled), None, dtype=object)
    labels[labelled], labels[filled] = cleaned["labels"], classes[filled]
    spread = {"labels": labels}
    for name, values in cleaned.items():
        if name != "labels":
            spread[name] = np.full(len(labelled), STAYS[name])
            spread[name][labelled] = values
    spread["did"][filled] = "relabelled"
    spread["did"] = np.char.strip(spread["did"])
    return spread
