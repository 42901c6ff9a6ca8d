"""Cards: all that a person wants to see of a row to decide on its label, one JSON text each."""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._format import shorten
from ..._validation import is_missing
from ...tables._columns import Column, is_arrow, numbers, times, words_of
from .._settings import SIMILAR_ROWS
from ._views import Neighborhood, RowsView, RowValues

if TYPE_CHECKING:
    from .._audit import Options

# What is shown, which decides about no number.
SPEAKS = 2.0  # times as frequent in the other class: from there on a column speaks

EVIDENCE_BINS = 20  # ranges of equally many rows that numbers are counted in
FREE_TEXT = 40  # characters of a column's distinct words on the mean: such a column is to be read
CARD_SAMPLE = 2_000  # rows that spreads come from
CARD_CLASSES = 10  # the most probable
CARD_COLUMNS = 8  # that stand out
CARD_TEXT = 2**20  # characters
STANDS_OUT = 0.1  # how much more a row differs from its neighbours than they among themselves

__all__ = ["CardMaker", "plain"]


class CardMaker:
    """Makes cards of rows; holds what is the same for all of them."""

    def __init__(
        self,
        *,
        view: RowsView,
        table: Any,
        ids: np.ndarray | None,
        keys: Callable[[np.ndarray], np.ndarray],
        p_wrong: np.ndarray,
        options: "Options",
    ) -> None:
        self.view = view
        self.inputs = view.inputs
        self.values = RowValues(table, options.image_shape)
        used = view.inputs.used
        self.is_used = [used is None or column.key in used for column in self.values.columns]
        self.neighborhood = Neighborhood(view.inputs, n_jobs=options.n_jobs)
        self.suggested = view.others
        self.ids = ids
        self.keys = keys
        self.p_wrong = p_wrong
        self.random = np.random.default_rng(options.seed)

    def cards(self, rows: np.ndarray, *, with_neighbors: bool) -> list[dict[str, Any]]:
        """The cards of these rows, in this order."""
        near = similar = [np.empty(0, dtype=np.intp)] * len(rows)
        away = [np.empty(0)] * len(rows)
        if with_neighbors:
            near, away = self.neighborhood.around(rows)
            similar = [around[:SIMILAR_ROWS].astype(np.intp) for around in near]
        columns = {
            "row": rows.tolist(),
            "id": [None] * len(rows) if self.ids is None else map(str, self.ids[rows].tolist()),
            "key": self.keys(rows).tolist(),
            "label": _plain(self.inputs.labels[rows]),
            "suggested": _plain(self.suggested[rows]),
            "p_wrong": _four_digits(self.p_wrong[rows]).tolist(),
            "classes": self._classes(rows),
            "reasons": self.view.reasons(rows, near),
            **self._held(rows, similar, away),
        }
        cards = [
            dict(zip(columns, told, strict=True)) for told in zip(*columns.values(), strict=True)
        ]
        show = self.values
        for card, told in zip(cards, self.view.more(rows), strict=True):
            card |= told
            card["image"] = show.drawn(card["row"]) if show.has_pictures else None
            card["picture"] = show.file_name(card["row"]) if show.has_pictures else None
        return cards

    def _classes(self, rows: np.ndarray) -> list[list[list[Any]]]:
        """The most probable classes of each row and their probabilities; none if not audited."""
        classes, p, is_known = self.view.likely(rows)
        names = np.array([plain(name) for name in classes], dtype=object)
        top = np.argsort(-p, axis=1, kind="stable")[:, :CARD_CLASSES]
        likely = _four_digits(np.take_along_axis(p, top, axis=1))
        found = iter(np.stack([names[top], likely], axis=2, dtype=object).tolist())
        return [next(found) if known else [] for known in is_known]

    def _held(
        self, rows: np.ndarray, near: Sequence[np.ndarray], away: Sequence[np.ndarray]
    ) -> dict[str, list[Any]]:
        """The cells of each row and of those like it, and the columns in which it stands out."""
        columns = self.values.columns
        names = [column.name for column in columns]
        places = self._places(rows, near)
        usual = [names[j] for j in self._usual_places]
        texts = [texts_of(column, rows) for column in columns]
        values = (
            [dict(zip(names, held, strict=True)) for held in zip(*texts, strict=True)]
            if columns
            else [{} for _ in rows]
        )
        beside: list[list[dict[str, str]]] = [[{} for _ in around] for around in near]
        have_near = [i for i, held in enumerate(beside) if held]
        for j, column in enumerate(columns if have_near else ()):
            asking = [i for i in have_near if j in places[i]]
            if not asking:
                continue
            wanted = np.concatenate([near[i] for i in asking])
            cells = [held for i in asking for held in beside[i]]
            for held, text in zip(cells, texts_of(column, wanted), strict=True):
                held[column.name] = text
        return {
            "values": values,
            "speaking": [
                usual if of_row is self._usual_places else [names[j] for j in of_row]
                for of_row in places
            ],
            "similar": list(map(self._similar, near, away, beside)),
        }

    def _places(self, rows: np.ndarray, near: Sequence[np.ndarray]) -> list[list[int]]:
        """The columns of each row that are read first, whether it has neighbours or not."""
        found = [self._usual_places] * len(rows)
        counts = np.array([len(around) for around in near])
        for count in np.unique(counts[counts > 1]):  # others have nothing to stand out from
            some = np.flatnonzero(counts == count).tolist()
            shown = np.stack([near[i] for i in some])
            columns = self.values.columns
            told = standing_out(columns, self.is_used, rows[some], shown, self.random)
            for i, places in zip(some, told, strict=True):
                found[i] = places
        return found

    @cached_property
    def _usual_places(self) -> list[int]:
        """The columns of a row that nothing is known to be near of."""
        any_row = np.zeros(1, dtype=np.intp)
        nothing = np.empty((1, 0), dtype=np.intp)
        columns = self.values.columns
        return standing_out(columns, self.is_used, any_row, nothing, self.random)[0]

    def _similar(
        self, near: np.ndarray, away: np.ndarray, held: list[dict[str, str]]
    ) -> list[dict[str, Any]] | None:
        """The nearest rows whatever their label; None where they were not looked for."""
        if not len(near):
            return None
        return [
            {
                "row": row,
                "label": plain(self.inputs.labels[row]),
                "distance": round(distance, 4),
                "values": cells,
                "image": self.values.drawn(row),
            }
            for row, distance, cells in zip(near.tolist(), away.tolist(), held, strict=False)
        ]


def _four_digits(p: np.ndarray) -> np.ndarray:
    """As :func:`four_digits`, of all cards at once."""
    return np.minimum(p.astype(float).round(4), 0.9999)


def _plain(labels: np.ndarray) -> list[Any]:
    """Labels as Python's own values, which those of an array of numbers or text are already."""
    return list(map(plain, labels.tolist())) if labels.dtype == object else labels.tolist()


def plain(label: Any) -> Any:
    """A label as Python's own value, which JSON can hold."""
    return label.item() if isinstance(label, np.generic) else label


def texts_of(column: Column, rows: np.ndarray) -> list[str]:
    """The cells of some rows as text, whole; nothing where one is missing."""
    cells = column.array(rows)
    if cells.dtype.kind in "biu":  # there may be millions of them, so they are not asked one by one
        return list(map(str, cells.tolist()))
    if cells.dtype.kind == "f":
        is_double = cells.dtype == float
        texts = list(map(repr, cells.tolist())) if is_double else cells.astype(str).tolist()
        for missing in np.flatnonzero(np.isnan(cells)):
            texts[missing] = ""
        return texts
    return [cell if _is_plain(cell) else _as_text(cell) for cell in cells]


def _is_plain(cell: Any) -> bool:
    return isinstance(cell, str) and len(cell) <= CARD_TEXT


def _as_text(cell: Any) -> str:
    return "" if is_missing(cell) else shorten(str(cell), CARD_TEXT)


def standing_out(
    columns: Sequence[Column],
    is_used: Sequence[bool],
    rows: np.ndarray,
    near: np.ndarray,
    random: np.random.Generator,
) -> list[list[int]]:
    """For each row the places of eight columns at most, to be read first.

    Those in which it differs more from its neighbours than these do among themselves come first,
    then texts, then others as the table has them. So an identifier, which differs from row to row,
    does not stand out, and a fever among the healthy does.

    Parameters
    ----------
    columns, is_used
        Columns of the table, and whether models looked at them. Others never stand out.
    rows, near : arrays of shape (m,) and (m, k)
        Rows, and their neighbours: none (k = 0) where none are known.
    random : Generator
        Draws the rows that tell how far the values of a column are spread.
    """
    if not len(columns):
        return [[] for _ in rows]
    n = len(columns[0].values)
    drawn = random.choice(n, min(n, CARD_SAMPLE), replace=False)
    kept = np.unique(np.r_[drawn, rows, near.ravel()])
    at = np.searchsorted(kept, rows)
    beside = np.searchsorted(kept, near)
    scores = np.zeros((len(rows), len(columns)))
    is_text = np.zeros(len(columns), dtype=bool)
    for j, column in enumerate(columns):
        cells = Cells(column.take(kept))
        is_text[j] = cells.is_text
        if is_used[j] and near.shape[1] > 1:
            scores[:, j] = cells.compare(at, beside)
    return [_in_order(score, is_text) for score in scores]


def _in_order(score: np.ndarray, is_text: np.ndarray) -> list[int]:
    stands_out = score >= STANDS_OUT
    order = np.lexsort((-score * stands_out, ~is_text, ~stands_out))
    return order[:CARD_COLUMNS].tolist()


class Cells:
    """A column made comparable, from an Arrow array of text or a NumPy array.

    Attributes
    ----------
    values : array
        Numbers from -1 to 1, NaN for missing ones; or places of words, -1 for missing ones.
    bins : array
        What is counted: ranges of numbers, words, and missing cells.
    spread : float
        Of the numbers; nothing for words, which are equal or not.
    is_text : bool
        Whether it is to be read rather than counted.

    Examples
    --------
    >>> Cells(np.array(["b", "a", None, "b"], dtype=object)).values
    array([ 1,  0, -1,  1])
    """

    def __init__(self, cells: Any) -> None:
        is_time = not is_arrow(cells) and cells.dtype.kind in "mM"
        found = times(cells) if is_time else numbers(cells)
        self.are_words = found is None
        self.is_text = False
        self.spread = 0.0
        if found is None:
            codes, words = words_of(cells)
            self.values = codes
            self.bins = codes
            self.is_text = bool(words) and sum(map(len, words)) >= FREE_TEXT * len(words)
        else:
            self.values = _scale(found)
            self.bins = _ranges(self.values)
            self.spread = _spread(self.values)

    def differ(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Whether two rows hold different words, or numbers further apart than the spread.

        Examples
        --------
        >>> heights = Cells(np.array([1.0, 2.0, 3.0, 4.0, 9.0, np.nan]))
        >>> heights.differ(np.array([0, 0, 0]), np.array([1, 4, 5]))
        array([False,  True,  True])
        """
        a = self.values[rows]
        b = self.values[others]
        return (np.abs(a - b) > self.spread) | (np.isnan(a) != np.isnan(b))

    def measure(self, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
        """From 0 for the same to 1: a half for numbers as far apart as the column is spread."""
        a = self.values[rows]
        b = self.values[others]
        if self.are_words:
            return (a != b).astype(float)
        gap = np.abs(a - b)
        apart = np.divide(gap, gap + self.spread, out=np.zeros(len(gap)), where=gap > 0)
        return np.where(np.isnan(a) | np.isnan(b), np.isnan(a) != np.isnan(b), apart)

    def compare(self, at: np.ndarray, near: np.ndarray) -> np.ndarray:
        """How much rows differ from their neighbours on the mean, less what these do themselves."""
        away = np.mean([self.measure(at, others) for others in near.T], axis=0)
        pairs = combinations(near.T, 2)
        return away - np.mean([self.measure(one, other) for one, other in pairs], axis=0)

    def find_typical(self, rows: np.ndarray) -> int:
        """One of ``rows`` with the median of the numbers, or with the most frequent word."""
        values = self.values[rows]
        if self.are_words:
            words, counts = np.unique(values, return_counts=True)
            return int(rows[np.argmax(values == words[np.argmax(counts)])])
        order = np.argsort(values, kind="stable")  # missing ones come last
        n_known = max(1, int(np.sum(~np.isnan(values))))
        return int(rows[order[(n_known - 1) // 2]])


def _scale(found: np.ndarray) -> np.ndarray:
    """Numbers whose differences cannot overflow; infinite ones count as missing."""
    finite = np.where(np.isfinite(found), found, np.nan)
    return finite / max(np.nanmax(np.abs(finite), initial=0.0), np.finfo(float).tiny)


def _ranges(found: np.ndarray) -> np.ndarray:
    """Ranges that hold about as many rows each; a value that many rows have is one by itself."""
    present = ~np.isnan(found)
    if not present.any():
        return np.full(len(found), -1)
    levels = np.arange(1, EVIDENCE_BINS) / EVIDENCE_BINS
    edges = np.unique(np.quantile(found[present], levels, method="inverted_cdf"))
    return np.where(present, np.searchsorted(edges, found), -1)


def _spread(found: np.ndarray) -> float:
    """The standard deviation, or what the quartiles make of it if that is less but not nothing.

    Outliers widen the first, two heaps of values the second; both leave most rows as they are.
    """
    present = found[~np.isnan(found)]
    if not len(present):
        return 0.0
    plain = present.std()
    robust = np.ptp(np.quantile(present, [0.25, 0.75])) / 1.349
    return float(min(plain, robust) or plain)
