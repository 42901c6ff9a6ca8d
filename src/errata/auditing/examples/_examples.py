"""Examples: the most suspicious rows, with values and reasons, and a map of all."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._neighbors import nearest_in
from ...tables._columns import Column
from .._settings import MOST_EXAMPLES_OF_MANY
from ..inputs._inputs import Inputs
from ._cards import SPEAKS, Cells
from ._views import (
    Neighborhood,
    RowsView,
    RowValues,
)

if TYPE_CHECKING:
    from .._audit import Options

MOST_EXAMPLES = 1_000
MANY_ROWS = 100_000
FEWEST_EXAMPLES = 100
COMPARED_PICTURES = 100  # examples whose nearest rows are shown as pictures, too: each is a file
EXAMPLE_COLUMNS = 24
EVIDENCE_ROWS = 20_000  # that columns are looked at in at most, to tell which speak
EVIDENCE_SMOOTHING = 5.0  # rows with the value, at the same rate in both classes


def example_rows(
    suspicion: np.ndarray, flagged: np.ndarray, doubtful: np.ndarray | None = None
) -> np.ndarray:
    """The flagged rows and at least a hundred, the most suspicious first, but not too many.

    Only of rows whose label may be wrong, where some are not ``doubtful``.
    """
    if doubtful is not None and not doubtful.all():
        rows = np.flatnonzero(doubtful)
        return rows[example_rows(suspicion[rows], flagged[rows])]
    count = n_examples(int(flagged.sum()), len(suspicion))
    least = -np.partition(-suspicion, count - 1)[count - 1]
    rows = np.flatnonzero(suspicion >= least)
    return rows[np.argsort(-suspicion[rows], kind="stable")][:count]


def n_examples(n_flagged: int, n_rows: int) -> int:
    """How many rows are shown."""
    most = MOST_EXAMPLES if n_rows <= MANY_ROWS else MOST_EXAMPLES_OF_MANY
    return min(max(n_flagged, FEWEST_EXAMPLES), most, n_rows)


def describe_examples(
    view: RowsView,
    rows: np.ndarray,
    flagged: np.ndarray,
    names: np.ndarray | None,
    options: "Options",
) -> list[dict[str, Any]]:
    """Some rows of an audit of whatever kind, as plain dicts ready for JSON.

    ``flagged`` has an entry for each row of the table, ``names`` for each of ``rows``. Of rows that
    are not flagged, too, ``suggested`` is what speaks most against the label.
    """
    shown = view.places(rows)
    near, away = Neighborhood(view.inputs, n_jobs=options.n_jobs).around(shown)
    reasons = view.reasons(shown, near)
    is_flagged = flagged[rows].tolist()  # they may be on disk
    values = RowValues(view.inputs.table, options.image_shape)
    # The nearest whatever their label, so that they are evidence and not advocacy.
    similar = [around[: view.n_similar].tolist() for around in near]
    if len(view.inputs.classes):
        held = show_beside_classes(view, shown, values, options)
    else:
        held = show_beside_similar(view, shown, values, similar)
    examples = []
    for i, row in enumerate(shown.tolist()):
        distances = zip(similar[i], away[i].tolist(), strict=False)
        examples.append(
            {
                **view.judged(row),
                "id": None if names is None else str(names[i]),
                "flagged": is_flagged[i],
                "reasons": reasons[i],
                "similar": [
                    view.label(like) | {"distance": round(distance, 4)}
                    for like, distance in distances
                ],
                "image": values.picture(row) if view.has_pictures else None,
                **held[i],
            }
        )
    return view.in_table(examples)


def show_beside_similar(
    view: RowsView, rows: np.ndarray, values: RowValues, similar: list[list[int]]
) -> list[dict[str, Any]]:
    """The cells of rows beside those like them; no column is known to speak."""
    places = list(range(len(values.columns)))[:EXAMPLE_COLUMNS]
    return [
        {
            "values": values.of(row, places),
            "speaking": 0,
            "compared": [
                view.label(like) | {"values": values.of(like, places), "differs": [], "image": None}
                for like in others
            ],
        }
        for row, others in zip(rows.tolist(), similar, strict=True)
    ]


def show_beside_classes(
    view: RowsView, rows: np.ndarray, values: RowValues, options: "Options"
) -> list[dict[str, Any]]:
    """The cells of rows, columns that speak against the label first, and the nearest of each side.

    These are the nearest with the class that speaks against the label, and with the label.
    """
    inputs = view.inputs
    other = np.searchsorted(inputs.classes, view.others[rows])
    nearest = nearest_of_each(inputs, rows, other, n_jobs=options.n_jobs)
    is_used = [inputs.used is None or column.key in inputs.used for column in values.columns]
    random = np.random.default_rng(options.seed)
    compared = compare_rows(
        values.columns, is_used, inputs.codes, rows, other, nearest, random=random
    )
    held = []
    for i, row in enumerate(rows.tolist()):
        places, speaking, differing, usual = compared[i]
        held.append(
            {
                "values": values.of(row, places),
                "speaking": speaking,
                "usual": {
                    name: text
                    for place, like in usual.items()
                    for name, text in values.of(like, [place]).items()
                },
                "compared": [
                    view.label(like) | _beside(like, places, cells, values, i)
                    for like, cells in zip(nearest[i], differing, strict=True)
                ],
            }
        )
    return held


def _beside(
    row: int, places: list[int], differing: set[int], values: RowValues, example: int
) -> dict[str, Any]:
    """A near row to show beside an example: cells of the same columns, or a picture."""
    cells = values.of(row, places)
    names = zip(places, cells, strict=True)
    # Pictures in files take time to read; beyond the first examples few will be looked at.
    is_pictured = values.pixels is not None or example < COMPARED_PICTURES
    return {
        "values": cells,
        "differs": [name for place, name in names if place in differing],
        "image": values.picture(row) if is_pictured else None,
    }


def nearest_of_each(
    inputs: Inputs, rows: np.ndarray, other: np.ndarray, *, n_jobs: int | None = None
) -> list[list[int]]:
    """For each of ``rows`` the nearest row labelled ``other``, then the nearest with its own label.

    Rows that were not audited have none, nor has anything without features.
    """
    if inputs.X is None:
        return [[] for _ in rows]
    codes = inputs.codes[inputs.audited]
    at, is_audited = inputs.places_of(rows)
    at = at[is_audited]
    found = np.full((len(rows), 2), -1)
    for side, wanted in enumerate((other[is_audited], codes[at])):
        near = nearest_labelled(inputs.X, codes, at, wanted, n_jobs=n_jobs)
        found[is_audited, side] = np.where(near < 0, -1, inputs.audited[near])
    return [[near for near in pair if near >= 0] for pair in found.tolist()]


def nearest_labelled(
    X: np.ndarray,
    codes: np.ndarray,
    rows: np.ndarray,
    wanted: np.ndarray,
    *,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The row nearest to each of ``rows`` among others labelled ``wanted``; -1 if there is none.

    Examples
    --------
    >>> X, codes = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0, 1, 1, 0])
    >>> nearest_labelled(X, codes, np.array([0, 0, 2]), np.array([1, 0, 1]))
    array([1, 3, 1])
    """
    found = np.full(len(rows), -1)
    for label in np.unique(wanted):
        members = np.flatnonzero(codes == label)
        asking = np.flatnonzero(wanted == label)
        k = min(2, len(members))
        if not k:
            continue
        near = members[nearest_in(X[members], X[rows[asking]], k, n_jobs=n_jobs)[1]]
        is_other = near != rows[asking, None]
        first = near[np.arange(len(near)), is_other.argmax(axis=1)]
        found[asking] = np.where(is_other.any(axis=1), first, -1)
    return found


def compare_rows(
    columns: Sequence[Column],
    is_used: Sequence[bool],
    codes: np.ndarray,
    rows: np.ndarray,
    other: np.ndarray,
    nearest: Sequence[Sequence[int]],
    *,
    random: np.random.Generator,
) -> list[tuple[list[int], int, list[set[int]], dict[int, int]]]:
    """Compare ``rows`` with both classes; costs a sort of 20,000 rows at most for each column.

    Parameters
    ----------
    columns : sequence of Column
        Those of the table.
    is_used : sequence of bool
        Whether models looked at the column. Others never speak: identifiers, and columns that
        look made from the label.
    codes, other : arrays of shape (n,) and of the shape of ``rows``
        Labels, and the class that speaks against the label of each of ``rows``.
    rows : array
        The examples.
    nearest : sequence of sequences of int
        The rows that each example is shown beside.
    random : Generator
        Draws the rows that frequencies are taken from, if there are too many.

    Returns
    -------
    list of tuples
        For each of ``rows``: its columns in the order to read them in; how many of the first speak
        against the label; for each of its nearest rows the columns in which it differs; and for a
        column that speaks a row of the same label with the usual value.
    """
    if not len(columns):
        return [([], 0, [set() for _ in near], {}) for near in nearest]
    pairs = [(i, near) for i, found in enumerate(nearest) for near in found]
    which, beside = np.array(pairs, dtype=int).reshape(-1, 2).T
    kept, counted = _draw_rows(codes, np.union1d(rows, beside), random)
    at = np.searchsorted(kept, rows)
    near = np.searchsorted(kept, beside)
    weights = np.zeros((len(rows), len(columns)))
    unequal = np.zeros((len(near), len(columns)), dtype=bool)
    is_text = np.zeros(len(columns), dtype=bool)
    usual: list[dict[int, int]] = [{} for _ in rows]
    for j, column in enumerate(columns):
        cells = Cells(column.take(kept))
        is_text[j] = cells.is_text
        unequal[:, j] = cells.differ(at[which], near)
        if is_used[j]:
            weights[:, j] = evidence(cells.bins, codes[kept], at, other, counted)
        speaks = np.flatnonzero(weights[:, j] >= np.log(SPEAKS))
        for label in np.unique(codes[rows[speaks]]):
            like = np.flatnonzero(counted & (codes[kept] == label))
            typical = kept[cells.find_typical(like)]
            for i in speaks[codes[rows[speaks]] == label]:
                usual[i][j] = int(typical)
    return [
        (
            *_columns_in_order(weight, is_text),
            [set(np.flatnonzero(u).tolist()) for u in unequal[which == i]],
            usual[i],
        )
        for i, weight in enumerate(weights)
    ]


def _draw_rows(
    codes: np.ndarray, needed: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to look at in their order, and which of them are labelled, drawn and not just needed."""
    n = len(codes)
    drawn = np.arange(n) if n <= EVIDENCE_ROWS else random.choice(n, EVIDENCE_ROWS, replace=False)
    kept = np.union1d(drawn, needed)
    return kept, np.isin(kept, drawn) & (codes[kept] >= 0)


def _columns_in_order(weight: np.ndarray, is_text: np.ndarray) -> tuple[list[int], int]:
    """Columns that speak, the weightiest first; then texts; then others as the table has them."""
    speaks = weight >= np.log(SPEAKS)
    order = np.lexsort((-weight * speaks, ~is_text, ~speaks))[:EXAMPLE_COLUMNS]
    return order.tolist(), int(speaks[order].sum())


def evidence(
    bins: np.ndarray,
    codes: np.ndarray,
    rows: np.ndarray,
    other: np.ndarray,
    counted: np.ndarray,
) -> np.ndarray:
    """The weight of evidence of one column for each of ``rows`` (Good, 1950).

    It is the logarithm of how many times as frequent the row's value is among rows of the class
    ``other`` as among the other rows of its own label,

        log (k_o / n_o + s / N) - log (k_l / n_l + s / N),    N = n_o + n_l,

    with ``k`` of the ``n`` rows of a class holding the value. Smoothing adds ``s`` rows with the
    value that are shared between the classes by their sizes, so that a value nobody else has says
    nothing, and one that few have says little.

    Parameters
    ----------
    bins : array of shape (n,)
        What each row holds in the column.
    codes, other : arrays of shape (n,) and of the shape of ``rows``
        Labels, and the class that each of ``rows`` is weighed against its label for; where both
        are the same the evidence is zero.
    rows : array
        The rows to weigh.
    counted : bool array of shape (n,)
        Rows that frequencies are taken from.

    Returns
    -------
    array of the shape of ``rows``

    References
    ----------
    I. J. Good (1950). Probability and the Weighing of Evidence. Griffin, London.

    Examples
    --------
    >>> fur, pets = np.array([1, 1, 1, 1, 0, 0, 0]), np.array([0, 1, 1, 1, 0, 0, 0])
    >>> all_rows = np.ones(7, dtype=bool)
    >>> evidence(fur, pets, np.array([0]), np.array([1]), all_rows).round(2)
    array([0.79])
    """
    own = codes[rows]
    itself = counted[rows]
    sizes = np.bincount(codes[counted], minlength=max(codes.max(), other.max(initial=0)) + 1)
    n_own = np.maximum(sizes[own] - itself, 1)
    n_other = np.maximum(sizes[other], 1)
    with_value = _pair_counter(codes[counted], bins[counted], int(bins.max()) + 2)
    smoothing = EVIDENCE_SMOOTHING / (n_own + n_other)
    for_own = (with_value(own, bins[rows]) - itself) / n_own + smoothing
    for_other = with_value(other, bins[rows]) / n_other + smoothing
    return np.where(other == own, 0.0, np.log(for_other) - np.log(for_own))


def _pair_counter(
    first: np.ndarray, second: np.ndarray, width: int
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A function that tells how often a pair occurs; a table of all pairs might not fit.

    The second of a pair is from -1 to ``width`` - 2.
    """
    known = np.sort(first * width + second)

    def count(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        wanted = a * width + b
        return np.searchsorted(known, wanted, "right") - np.searchsorted(known, wanted, "left")

    return count
