"""What the class of each row may be, given its label and an audit of the table."""

import numpy as np

from ._result import Audit


def class_posterior(audit: Audit, known: np.ndarray | None = None) -> np.ndarray:
    """P(class = c) for each row, (n, K), columns in the order of ``audit.classes``.

    The label has what ``p_wrong`` leaves it. Of a flagged row the suggested class has
    ``p_suggested``, and other classes share the rest alike. Elsewhere ``p_wrong``, which is small
    there, goes to the classes that the noise model knows to be labelled so.

    Parameters
    ----------
    audit : Audit
        Of the table.
    known : array of bool of shape (n,), optional
        Rows whose label is certain.
    """
    codes, n_classes, rows = audit.codes, len(audit.classes), np.arange(len(audit))
    posterior = audit.p_wrong[:, None] * _classes_of_wrong_labels(audit)[codes]
    flagged = np.flatnonzero(audit.flagged)
    rest = np.maximum(audit.p_wrong - audit.p_suggested, 0)[flagged] / max(n_classes - 2, 1)
    posterior[flagged] = rest[:, None]
    posterior[flagged, np.searchsorted(audit.classes, audit.suggested[flagged])] = (
        audit.p_suggested[flagged]
    )
    posterior[rows, codes] = 1 - audit.p_wrong
    if known is not None:
        posterior[known] = np.eye(n_classes)[codes[known]]
    return posterior


def _classes_of_wrong_labels(audit: Audit) -> np.ndarray:
    """P(class = c | label = l, the label is wrong), a row for each label."""
    joint = (audit.prior[:, None] * audit.transition).T  # labels, classes
    np.fill_diagonal(joint, 0)
    total = joint.sum(axis=1, keepdims=True)
    alike = (1 - np.eye(len(joint))) / max(len(joint) - 1, 1)
    return np.where(total > 1e-12, joint / np.where(total > 1e-12, total, 1), alike)
