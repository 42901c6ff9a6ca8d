"""More rows to learn a projection from: borrowed ones, and synthetic ones as in SMOTE."""

import numpy as np


def synthesise(
    X: np.ndarray,
    codes: np.ndarray,
    rows: np.ndarray,
    partners: np.ndarray,
    *,
    n_synthetic: int,
    random: np.random.RandomState,
    per_feature: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """New rows and their labels, ``n_synthetic`` for each row whose partner carries its label.

    Each lies at ``x + r (partner - x)``, r uniform on (0, 1): on the segment between the two, or,
    with an r ``per_feature``, in the box that they span. (Algorithm 2 prints ``x + r partner``; the
    text describes the difference.) Costs O(n d).

    Examples
    --------
    >>> import numpy as np
    >>> X, codes = np.array([[0.0, 0.0], [1.0, 2.0], [9.0, 9.0]]), np.array([0, 0, 1])
    >>> random = np.random.RandomState(0)
    >>> new, labels = synthesise(
    ...     X, codes, np.array([0, 1, 2]), np.array([1, 0, 1]), n_synthetic=1, random=random
    ... )
    >>> new.round(2), labels
    (array([[0.55, 1.1 ],
           [0.28, 0.57]]), array([0, 0]))
    """
    # As in Algorithm 2: between rows of two classes, nobody knows the label of a new one.
    alike = codes[rows] == codes[partners]
    rows = np.repeat(rows[alike], n_synthetic)
    partners = np.repeat(partners[alike], n_synthetic)
    gap = random.uniform(size=(len(rows), X.shape[1] if per_feature else 1))
    return X[rows] + gap * (X[partners] - X[rows]), codes[rows]


def borrow(codes: np.ndarray, wrong: np.ndarray, random: np.random.RandomState) -> np.ndarray:
    """Rows to add to misclassified ones when these are too few, or of one class; else none.

    From the other rows of each class, at random, as many as were misclassified or as there are.
    """
    # The paper is silent here. One class has no border, and from fewer rows than this the scatter
    # within a class is chance.
    n_classes = len(np.unique(codes[wrong]))
    if n_classes > 1 and len(wrong) >= max(2 * n_classes, 5):
        return np.arange(0)
    right = np.setdiff1d(np.arange(len(codes)), wrong)
    lent = []
    for c in range(codes.max() + 1):
        of_class = right[codes[right] == c]
        lent.append(random.permutation(of_class)[: len(wrong)])
    return np.concatenate(lent)
