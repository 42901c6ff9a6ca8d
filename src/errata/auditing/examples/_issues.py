"""The other issues of a table, as far as its labels are concerned.

All of it follows from what an audit has at hand: scaled features, copies, what models say of rows
that they have not learnt from. How often each issue is found in tables that have none is measured
by ``benchmarks/honesty.py alarms``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.distance import pdist
from scipy.stats import binom, fisher_exact
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.tree import DecisionTreeClassifier

from ..._blocks import blocks
from ..._format import join_names, percent, plural
from ..._neighbors import NeighborIndex
from ...tables._columns import column_names, columns_of
from ...tables.features._features import ALIKE, CONSTANT, EMPTY
from .._learning import Learnt
from .._settings import CACHED, FOLDS
from ._explanations import feature_places

ISSUES = ("near_duplicate", "outlier", "ordered", "underperforming", "rare_class", "value")

CHANCE = 0.01  # of an issue in a table that has none
FEWEST_OF_A_CLASS = 2 * FOLDS  # rows from which a class is judged: two in every fold

# Rows far from every class.
COMPARED_ROWS = 1_000  # that distances are measured to at most
FEWEST_COMPARED = 200  # where rows are many
COMPARED_PAIRS = 10_000_000
NEAREST = 5  # the distance to the fifth: an outlier may have a few copies
TAIL = 0.1  # of the rows, from which it is learnt how far rows may be
FEWEST_IN_TAIL = 10
LEAST_SPREAD = 0.05  # of logarithms of distances there: as near as in many dimensions

# Rows ordered by something.
NEARER = 0.6  # of pairs that are together in the table and nearer than others
FEWEST_PAIRS = 20

# Rows where all models fail.
TREE_NUMBERS = 50_000  # features that the tree looks at
GROUPS = 6  # that it tells apart at most
LEAST_GROUP = 0.02  # of the rows
FEWEST_FAILED = 10
TWICE = 2.0  # as often as elsewhere

# The value of a row.
LANDMARKS = 100
FEWEST_LANDMARKS = 30  # where rows are many
VALUE_NUMBERS = 2_500_000  # features
RIDGES = np.logspace(-6, 1, 15)  # times the largest eigenvalue


def find_issues(learnt: Learnt, *, has_skill: bool) -> tuple[dict[str, np.ndarray], list[dict]]:
    """A column for each issue with an entry for every row, and what there is to say of each.

    Parameters
    ----------
    learnt : Learnt
        What the audit has learnt from all rows of the table.
    has_skill : bool
        Whether the columns tell the labels apart; otherwise models fail for no other reason.

    Returns
    -------
    columns : dict
        Of arrays of bool, one entry per row; and of floats, the ``value`` of each.
    said : list of dict
        ``issue``, its name; ``rows``, how many have it; and a ``sentence``.
    """
    inputs = learnt.inputs
    columns = {}
    said = []

    def add(name: str, rows: np.ndarray, sentence: str) -> None:
        """Put what is known of audited rows in the places of the table."""
        spread = np.full(len(inputs.codes), False if rows.dtype == bool else np.nan)
        spread[inputs.audited] = rows
        columns[name] = spread
        said.append({"issue": name, "rows": int((spread == 1).sum()), "sentence": sentence})

    nowhere = np.zeros(len(inputs.audited), dtype=bool)
    copies = learnt.ties.copies
    repeated = nowhere if copies is None else np.bincount(copies)[copies] > 1
    add("near_duplicate", repeated, _describe_copies(repeated))
    if inputs.X is not None:
        random = np.random.default_rng(learnt.data.random_state + 4)
        X = np.asarray(inputs.X, dtype=float)
        add("outlier", *find_outliers(X, random))
        add("ordered", *_find_order(learnt, X, repeated, random))
        if has_skill:
            add("underperforming", *_find_failing_rows(learnt, X, random))
    rare = _count_labels(learnt)[inputs.codes] < FEWEST_OF_A_CLASS
    columns["rare_class"] = rare & (inputs.codes >= 0)
    said.append(_describe_rare(learnt, int(columns["rare_class"].sum())))
    said.append(_describe_columns(inputs.notes))
    if inputs.X is not None and has_skill:
        halves = _draw_halves(learnt, random)
        p_right = 1 - learnt.posterior.p_wrong
        values = value_rows(X, learnt.data.codes, halves, p_right, random)
        columns["value"] = np.full(len(inputs.codes), np.nan)
        columns["value"][inputs.audited] = values
        said.append(_describe_values(columns["value"]))
    return columns, said


def _describe_copies(repeated: np.ndarray) -> str:
    if not repeated.any():
        return "No row is a copy of another, or nearly so."
    return (
        f"{plural(int(repeated.sum()), 'row')} are equal to another row, or nearly: on either side "
        "of a split into training and test they make scores too good."
    )


def find_outliers(X: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, str]:
    """Rows further from others than the tail of such distances lets expect of any row.

    Logarithms of distances beyond a quantile fall off like an exponential, or faster, whatever the
    rows are like (Hill, 1975). Its scale is told by the median, which a few outliers do not move.

    Costs O(n m d) for distances to m rows at most.
    """
    n = len(X)
    n_tail = int(TAIL * n)
    if n_tail < FEWEST_IN_TAIL:
        return np.zeros(n, dtype=bool), "There are too few rows to tell outliers."
    most = int(np.clip(COMPARED_PAIRS // n, FEWEST_COMPARED, COMPARED_ROWS))
    compared = random.choice(n, min(n, most), replace=False)
    index = NeighborIndex(X[compared], n_points=n)
    distances, near = index.find(X, NEAREST + 1)
    own = compared[near] == np.arange(n)[:, None]
    away = np.where(own.any(axis=1), distances[:, -1], distances[:, -2])
    logs = np.log(np.maximum(away, np.finfo(float).tiny))
    start = np.partition(logs, n - n_tail)[n - n_tail]
    spread = max(float(np.median(logs[logs >= start] - start)) / np.log(2), LEAST_SPREAD)
    far = logs - start > spread * np.log(n_tail / CHANCE)
    if not far.any():
        return far, "No row is far from every class."
    are = "row is" if far.sum() == 1 else "rows are"
    return far, (
        f"{int(far.sum()):,} {are} far from every class: further than chance puts any row. What "
        "the label should be cannot be told from other rows."
    )


def _find_order(
    learnt: Learnt, X: np.ndarray, repeated: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, str]:
    """All rows, where those that are together in the table are alike, beyond their labels."""
    nowhere = np.zeros(len(X), dtype=bool)
    if learnt.inputs.groups is not None:
        return nowhere, "Rows are in groups, so their order was not looked at."
    nearer, trials = count_nearer(
        X[~repeated],
        learnt.data.codes[~repeated],
        np.asarray(learnt.inputs.audited)[~repeated],
        random,
    )
    if trials < FEWEST_PAIRS:
        return nowhere, "There are too few rows to tell whether they are in some order."
    is_ordered = nearer >= NEARER * trials and binom.sf(nearer - 1, trials, 0.5) < CHANCE
    if not is_ordered:
        return nowhere, "Rows are in no order that their columns show, but for their labels."
    return ~nowhere, (
        "Rows that follow each other are alike, whatever their label (of two pairs of rows those "
        f"in the order of the table are the nearer ones in {percent(nearer / trials)} of the "
        "cases): if they come from one patient, batch or recording, name it as a group."
    )


def count_nearer(
    X: np.ndarray, codes: np.ndarray, places: np.ndarray, random: np.random.Generator
) -> tuple[int, int]:
    """How often rows that follow each other are nearer than others of their label, and in how many.

    Of two pairs of rows that follow each other, partners are exchanged: where rows of a label are
    in no order, the sum of both distances is as often smaller before as after. No row is in two of
    the cases, so that they are independent.
    """
    if not len(codes):  # every row has a copy
        return 0, 0
    in_order = np.lexsort((places, codes))
    sizes = np.bincount(codes) // 2 * 2
    starts = np.cumsum(np.bincount(codes)) - np.bincount(codes)
    kept = np.concatenate(
        [start + np.arange(size) for start, size in zip(starts, sizes, strict=True)]
    )
    pairs = in_order[kept].reshape(-1, 2)
    cases = [
        random.permutation(own)[: len(own) // 2 * 2].reshape(-1, 2)
        for own in np.split(np.arange(len(pairs)), np.cumsum(sizes // 2)[:-1])
    ]
    first, second = np.concatenate(cases).T
    a, b = pairs[first].T
    c, d = pairs[second].T
    together = _measure(X, a, b) + _measure(X, c, d)
    exchanged = _measure(X, a, d) + _measure(X, c, b)
    return int((together < exchanged).sum()), int((together != exchanged).sum())


def _measure(X: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.sqrt(((X[a] - X[b]) ** 2).sum(axis=1))


def _find_failing_rows(
    learnt: Learnt, X: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, str]:
    """The rows of a group in which every model takes the label for another far more often.

    A tree on one half of the rows tells groups apart, and the other half tells whether models fail
    in the worst of them.
    """
    failed = (learnt.pool.predicted != learnt.data.codes).all(axis=0)
    nowhere = np.zeros(len(X), dtype=bool)
    nothing = nowhere, "No group of rows was found in which all models fail."
    half = _draw_halves(learnt, random)
    most = max(500, TREE_NUMBERS // X.shape[1])
    first = np.flatnonzero(half)[:most]
    if min(failed[first].sum(), failed[~half].sum()) < FEWEST_FAILED:
        return nothing
    tree = DecisionTreeClassifier(
        max_leaf_nodes=GROUPS, min_samples_leaf=max(FEWEST_FAILED, int(LEAST_GROUP * len(first)))
    )
    paths = tree.fit(X[first], failed[first]).decision_path(X[first])
    excess = paths.T @ (failed[first] - failed[first].mean())
    node = int(np.argmax(excess / np.sqrt(np.asarray(paths.sum(axis=0)).ravel())))
    group = tree.decision_path(X)[:, [node]].toarray().ravel() > 0
    counts = [
        [int((failed & inside & ~half).sum()), int((~failed & inside & ~half).sum())]
        for inside in (group, ~group)
    ]
    here, elsewhere = (fails / max(fails + works, 1) for fails, works in counts)
    chance = fisher_exact(counts, alternative="greater").pvalue
    if chance >= CHANCE or here < TWICE * elsewhere:
        return nothing
    names = _name_columns(learnt, tree, node, X[group][0])
    by = f" (set apart by {join_names(map(repr, names), 3)})" if names else ""
    return group, (
        f"Every model fails in {percent(here)} of {plural(int(group.sum()), 'row')}, elsewhere in "
        f"{percent(elsewhere)}{by}: labels mean something else there, or a column is missing."
    )


def _name_columns(
    learnt: Learnt, tree: DecisionTreeClassifier, node: int, row: np.ndarray
) -> list[str]:
    """The columns that tell a group of rows from others; none where features are no columns."""
    inputs = learnt.inputs
    features = inputs.features
    scale = inputs.scale
    if inputs.used is None or scale is None or scale.axes is not None:
        return []
    assert features is not None
    assert features.plan is not None
    path = tree.decision_path(row[None]).indices
    used = set(tree.tree_.feature[path[path < node]].tolist())  # nodes are numbered downwards
    if scale.columns is not None:
        used = set(scale.columns[list(used)].tolist())
    names: Callable[[Any], str] = str
    if column_names(inputs.table):
        names = {column.key: column.name for column in columns_of(inputs.table)}.__getitem__
    elif isinstance(inputs.table, np.ndarray):
        names = "column {}".format
    places = feature_places(features.plan)
    return [
        names(column)
        for column, own in zip(features.plan.columns, places, strict=True)
        if not used.isdisjoint(np.atleast_1d(own).tolist())
    ]


def _count_labels(learnt: Learnt) -> np.ndarray:
    codes = learnt.inputs.codes
    return np.bincount(codes[codes >= 0], minlength=len(learnt.inputs.classes))


def _describe_rare(learnt: Learnt, rows: int) -> dict[str, Any]:
    sizes = _count_labels(learnt)
    rare = np.flatnonzero(sizes < FEWEST_OF_A_CLASS)
    sentence = f"Every class has {FEWEST_OF_A_CLASS} rows or more."
    if len(rare):
        names = join_names(learnt.inputs.classes[rare], 5)
        of = f"{plural(len(rare), 'class', 'classes')} ({names})"
        sentence = (
            f"{of} {'has' if len(rare) == 1 else 'have'} fewer than {FEWEST_OF_A_CLASS} rows: too "
            "few to judge their labels by."
        )
    return {"issue": "rare_class", "rows": rows, "sentence": sentence}


def _describe_columns(notes: list[str]) -> dict[str, Any]:
    """Columns that say nothing: these concern no row, so that the table of issues lacks them."""
    ends = tuple(f": {reason}." for reason in (EMPTY, CONSTANT, ALIKE))
    said = [note for note in notes if note.endswith(ends)]
    sentence = " ".join(said) or "No column is empty or constant."
    return {"issue": "columns", "rows": 0, "sentence": sentence}


def _draw_halves(learnt: Learnt, random: np.random.Generator) -> np.ndarray:
    """Whether each row is in the first half; rows of a group are together."""
    groups = learnt.data.groups
    n = len(learnt.data.codes)
    groups = np.arange(n) if groups is None else groups
    first = random.permutation(int(groups.max()) + 1) % 2 == 0
    return first[groups]


def value_rows(
    X: np.ndarray,
    codes: np.ndarray,
    half: np.ndarray,
    p_right: np.ndarray,
    random: np.random.Generator,
) -> np.ndarray:
    """How much worse the other half is predicted when a row is left out: its value to a model.

    The model is a ridge regression on RBF features, which without a row is known in closed form:
    with ``A`` the penalised Gram matrix of a half, ``h`` the features of a row, ``e`` its residual
    and ``E`` those of the other half with features ``H``, leaving the row out adds ``g r`` to
    ``E``, where ``r = e / (1 - h A⁻¹ h)`` and ``g = H A⁻¹ h``. The value is what that adds to the
    squared error of the other half, as a multiple of the mean squared error of one of its rows.
    There a row counts by the probability that its label is right: a model that predicts wrong
    labels is none the better for it.

    Costs O(n m²) for m features.
    """
    n = len(X)
    most = int(np.clip(VALUE_NUMBERS // n, FEWEST_LANDMARKS, LANDMARKS))
    centers = X[random.choice(n, min(most, n // 4), replace=False)]
    gamma = 1 / max(float(np.median(pdist(centers, "sqeuclidean"))), np.finfo(float).tiny)

    def features(rows: np.ndarray) -> np.ndarray:
        H = rbf_kernel(X[rows], centers, gamma=gamma)
        return np.hstack([H, np.ones((len(rows), 1))])

    width = len(centers) + 1
    n_classes = int(codes.max()) + 1
    halves = [np.flatnonzero(half), np.flatnonzero(~half)]
    fitted = []  # sums over each half, then weighted ones
    judged = []
    for rows in halves:
        sums = [np.zeros((width, width)), np.zeros((width, n_classes))]
        weighted = [np.zeros((width, width)), np.zeros((width, n_classes))]
        for block in blocks(len(rows), CACHED, width=width):
            H = features(rows[block])
            T = np.eye(n_classes)[codes[rows[block]]]
            P = H * p_right[rows[block], None]
            for total, part in zip(
                sums + weighted, [H.T @ H, H.T @ T, P.T @ H, P.T @ T], strict=True
            ):
                total += part
        fitted.append(sums)
        judged.append([*weighted, p_right[rows].sum()])
    values = np.empty(n)
    for own, (gram, cross), other in zip(halves, fitted, judged[::-1], strict=True):
        gram_of_other, cross_of_other, n_other = other
        inverse = _invert(gram, cross, len(own))
        weights = inverse @ cross
        # Of the other half: H'E, and the sum of squared residuals.
        against = cross_of_other - gram_of_other @ weights
        error = n_other - np.sum(weights * (cross_of_other + against))
        for block in blocks(len(own), CACHED, width=width):
            rows = own[block]
            H = features(rows)
            A = H @ inverse
            left_out = 1 - np.einsum("ij,ij->i", A, H)
            residual = np.eye(n_classes)[codes[rows]] - H @ weights
            r = residual / np.maximum(left_out, np.finfo(float).eps)[:, None]
            linear = np.einsum("ij,ij->i", A @ against, r)
            square = np.einsum("ij,ij->i", A @ gram_of_other, A) * (r**2).sum(axis=1)
            values[rows] = (2 * linear + square) / (error / n_other)
    return values


def _invert(gram: np.ndarray, cross: np.ndarray, n: int) -> np.ndarray:
    """The inverse of the Gram matrix with the penalty that generalised cross-validation prefers."""
    eigenvalues, axes = eigh(gram)
    eigenvalues = np.maximum(eigenvalues, 0)
    along = ((axes.T @ cross) ** 2).sum(axis=1)

    def criterion(ridge: float) -> float:
        shrunk = eigenvalues + ridge
        residual = n - np.sum(along * (shrunk + ridge) / shrunk**2)
        return residual / (1 - np.sum(eigenvalues / shrunk) / n) ** 2

    best = min((eigenvalues[-1] * RIDGES).tolist(), key=criterion)
    return (axes / (eigenvalues + best)) @ axes.T


def _describe_values(values: np.ndarray) -> dict[str, Any]:
    worst = np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable")[:3]
    named = join_names(worst.tolist())
    return {
        "issue": "value",
        "rows": 0,
        "sentence": (
            "The value of a row is how much worse other rows are predicted without it, in mean "
            f"errors of a row; it is least for rows {named}."
        ),
    }
