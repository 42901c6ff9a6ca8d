"""Rows that a person wants to see, why they are suspicious, and the rows around them.

Of a large table these are looked at among the drawn rows: their cells and features are at hand.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.decomposition import PCA

from ..._format import four_digits, shorten
from ..._neighbors import NeighborIndex
from ...audit_folder import pixels_uri, thumbnail_uri
from ...tables._columns import Column, column_names, columns_of, is_arrow
from ...tables._pictures import get_picture_content, get_picture_name, has_pictures
from .._settings import NEIGHBORS, SIMILAR_ROWS
from ..classes import Posterior, group_hypotheses
from ..inputs._features import as_pixels
from ..inputs._inputs import Inputs, for_all_rows
from ..inputs._labels import codes_among, label_text

EXAMPLE_TEXT = 2_000  # characters of a cell
MAP_POINTS = 3_000
MAP_FITTED_ROWS = 20_000

ALONE = "It is the only row of its class."


@dataclass(frozen=True, kw_only=True)
class RowsView(ABC):
    """Some rows of a table, or all, whoever gave them their labels."""

    inputs: Inputs
    audit: Any = None  # what a kind has found, where its view only puts that into words
    rows: np.ndarray | None = None  # their places in the table; None for all

    n_similar: ClassVar[int] = SIMILAR_ROWS  # rows beside an example
    has_pictures: ClassVar[bool] = True

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Where rows of the table are in the view."""
        if self.rows is None:
            return rows
        return self._order[np.searchsorted(self.rows, rows, sorter=self._order)]

    @cached_property
    def _order(self) -> np.ndarray:
        return np.argsort(np.asarray(self.rows))

    def of_all(self, values: np.ndarray) -> np.ndarray:
        """Values of all rows of the table, for those in the view."""
        return values if self.rows is None else values[self.rows]

    def in_table(self, told: Any) -> Any:
        """Put places in the table for those in the view; a list is changed."""
        if self.rows is None or not told:
            return told
        if not isinstance(told, list):
            return told | {"row": self.rows[told["row"]].tolist()}
        rows = self.rows[[each["row"] for each in told]].tolist()
        for each, row in zip(told, rows, strict=True):
            each["row"] = row
            for key in ("similar", "compared"):
                if each.get(key):
                    self.in_table(each[key])
        return told

    def draw_points(
        self, rows: np.ndarray, flagged: np.ndarray, seed: int
    ) -> dict[str, Any] | None:
        """A map of the data in which ``rows`` are; None without features, or where some have none.

        ``flagged`` has an entry for each row of the table.
        """
        inputs = self.inputs
        if inputs.X is None or len(inputs.audited) < len(inputs.codes):
            return None
        flagged = self.of_all(flagged)
        codes = {
            "label": inputs.codes,
            "suggested": np.where(flagged, self.other_codes, inputs.codes),
            "p_wrong": self.p_wrong,
            "flagged": flagged,
        }
        at = np.argsort(inputs.audited)  # in any order, they are all rows
        return self.in_table(draw_map(inputs.X, self.places(rows), codes, seed, at))

    @property
    @abstractmethod
    def others(self) -> np.ndarray:
        """The most probable other class of each row in the view."""

    @property
    def other_codes(self) -> np.ndarray:
        """The same as codes, where labels are classes."""
        raise NotImplementedError

    @property
    def p_wrong(self) -> np.ndarray:
        """The probability that labels of the view are wrong, where they are classes."""
        raise NotImplementedError

    @abstractmethod
    def reasons(self, rows: np.ndarray, near: Sequence[np.ndarray]) -> list[list[str]]:
        """Sentences about rows of the view, given those around them."""

    def label(self, row: int) -> dict[str, Any]:
        """A row, and what is recorded of it as text."""
        return {"row": row, "label": label_text(self.inputs.labels[row])}

    def judged(self, row: int) -> dict[str, Any]:
        """The same, and what the audit says about it."""
        return self.label(row) | {
            "suggested": label_text(self.others[row]),
            "p_wrong": four_digits(self.p_wrong[row]),
        }

    def likely(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Names of the classes, their probabilities in rows where these are known, and which."""
        return np.empty(0), np.empty((0, 0)), np.zeros(len(rows), dtype=bool)

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """Further entries of a card, of each row."""
        return [{} for _ in rows]


@dataclass(frozen=True, kw_only=True)
class View(RowsView):
    """Rows with one label each, and what is known of them."""

    posterior: Posterior  # of the audited ones
    logs: np.ndarray  # (K, audited)
    models: Sequence[str]  # names
    predicted: np.ndarray  # (models, audited), the code that each finds most probable

    @cached_property
    def p_wrong(self) -> np.ndarray:
        """As above, of rows that were not audited, too."""
        p_wrong = for_all_rows(self.inputs, self.posterior.p_wrong, self.posterior.rate)
        return np.where(self.inputs.doubtful, p_wrong, 0.0)

    @property
    def other_codes(self) -> np.ndarray:
        """The most probable other class of each row in the view, as codes."""
        return for_all_rows(self.inputs, self.inputs.present[self.posterior.other], 0)

    @cached_property
    def others(self) -> np.ndarray:
        """The most probable other class of each row in the view."""
        return most_probable_others(self.inputs, self.posterior.other)

    def reasons(self, rows: np.ndarray, near: Sequence[np.ndarray]) -> list[list[str]]:
        """Sentences about rows of the view, given those around them."""
        return reasons_for(
            rows, near, self.inputs, self.posterior.other, self.models, self.predicted
        )

    def likely(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probabilities of the classes, of those rows that were audited."""
        at = self._at[rows]
        is_audited = at >= 0
        p = self.posterior.classes_of(self.logs, self._audited_codes, at[is_audited]).T
        return self.inputs.classes[self.inputs.present], p, is_audited

    @cached_property
    def _at(self) -> np.ndarray:
        """The place of each row among the audited ones, -1 where it is none."""
        return self.inputs.places_of(np.arange(len(self.inputs.codes)))[0]

    @cached_property
    def _audited_codes(self) -> np.ndarray:
        return self.inputs.audited_codes

    def with_labels(self, rows: np.ndarray, codes: np.ndarray) -> "View":
        """The same with other labels, given as codes among ``present``; no label is certain then.

        The noise is what it was: labels are judged by it, and teach nothing.
        """
        inputs = self.inputs
        at, _ = inputs.places_of(rows)
        found = self.posterior.rule.judge(self.logs[:, at], codes)
        changed = {}
        for name in ("p_wrong", "suspicion", "other", "p_other", "p_elsewhere"):
            values = getattr(self.posterior, name).copy()
            values[at] = getattr(found, name)
            changed[name] = values
        labels = inputs.labels.copy()
        labels[rows] = inputs.classes[inputs.present[codes]]
        new_codes = inputs.codes.copy()
        new_codes[rows] = inputs.present[codes]
        shown = inputs._replace(
            labels=labels, codes=new_codes, known=None, class_order=inputs.present
        )
        return replace(self, inputs=shown, posterior=self.posterior._replace(**changed))

    def suspicion(self, rows: np.ndarray) -> np.ndarray:
        """The ranking of some audited rows of the view."""
        return self.posterior.suspicion[self.inputs.places_of(rows)[0]]

    def hypotheses(self, rows: np.ndarray) -> np.ndarray:
        """The probability under each group of hypotheses that labels of audited rows are wrong."""
        at, _ = self.inputs.places_of(rows)
        some = self.posterior.for_rows(at)
        return group_hypotheses(some, self.logs[:, at], self.inputs.audited_codes[at])


def draw_map(
    X: np.ndarray | None,
    worst: np.ndarray,
    codes: dict[str, np.ndarray],
    seed: int,
    at: np.ndarray | None = None,
) -> dict[str, Any] | None:
    """Coordinates of the worst rows and of as many others as make up 3,000 points.

    ``codes`` holds what each point tells: label, suggested, p_wrong and flagged. Features of a row
    are where ``at`` says, so that those of few are copied; at the place of the row by default.
    """
    if X is None or min(X.shape) < 2:
        return None
    at = np.arange(len(X)) if at is None else at
    random = np.random.default_rng(seed)
    others = np.setdiff1d(np.arange(len(X)), worst)
    count = min(len(others), max(0, MAP_POINTS - len(worst)))
    rows = np.concatenate([random.choice(others, count, replace=False), worst[:MAP_POINTS]])
    axes = PCA(2, svd_solver="randomized", random_state=seed)
    if len(X) <= MAP_FITTED_ROWS:
        axes.fit(X[at])
    else:
        axes.fit(X[at[random.choice(len(X), MAP_FITTED_ROWS, replace=False)]])
    x, y = axes.transform(X[at[rows]]).T.round(3)
    return {
        "x": x.tolist(),
        "y": y.tolist(),
        "row": rows.tolist(),
        "label": codes["label"][rows].tolist(),
        "suggested": codes["suggested"][rows].tolist(),
        "p_wrong": codes["p_wrong"][rows].round(3).tolist(),
        "flagged": codes["flagged"][rows].astype(int).tolist(),
    }


def inputs_to_show(
    table: Any,
    labels: np.ndarray,
    X: np.ndarray | None,
    audited: np.ndarray,
    *,
    used: list[Any] | None = None,
    classes: np.ndarray | None = None,
    codes: np.ndarray | None = None,
) -> Inputs:
    """Inputs to show rows of another kind; ``X`` are the features of ``audited`` ones."""
    return Inputs(
        table=table,
        model_table=None,
        labels=labels,
        classes=np.empty(0, dtype=object) if classes is None else classes,
        codes=np.zeros(len(labels), dtype=np.intp) if codes is None else codes,
        features=None,
        used=used,
        X=X,
        audited=audited,
        groups=None,
        notes=[],
    )


def reasons_for(
    rows: np.ndarray,
    near: Sequence[np.ndarray],
    inputs: Inputs,
    other: np.ndarray,
    models: Sequence[str],
    predicted: np.ndarray,
) -> list[list[str]]:
    """Sentences about rows of the table, which may hold more than were audited.

    ``near`` are the rows around each of them; ``other`` and what each of the ``models``
    ``predicted`` have an entry for each audited row.
    """
    place = np.full(len(inputs.codes), -1)
    place[inputs.audited] = np.arange(len(inputs.audited))
    at = place[rows]
    codes = codes_among(inputs.codes, inputs.present)  # others mean nothing
    names = inputs.classes[inputs.present]
    among = "" if inputs.drawn is None else f" among {len(inputs.drawn):,} drawn ones"
    predictions = predicted[:, at].T.tolist()
    sentences: dict[tuple[int, ...], str] = {}  # few, of many rows
    reasons = []
    for i, (new, label) in enumerate(zip(other[at].tolist(), codes[rows].tolist(), strict=True)):
        if at[i] < 0:
            reasons.append([ALONE])
            continue
        key = (new, label, *predictions[i])
        if key not in sentences:
            sentences[key] = _describe_predictions(predictions[i], new, label, names, models)
        nearby = labels_nearby(near[i], label, new, codes, names, among)
        reasons.append([sentences[key], *nearby])
    return reasons


def most_probable_others(inputs: Inputs, other: np.ndarray) -> np.ndarray:
    """The class that speaks most against each label, which is what reasons are about.

    A row that is not flagged has no suggestion; its own label in that place would contradict the
    reasons beside it.
    """
    found = inputs.labels.copy()
    found[inputs.audited] = inputs.classes[inputs.present][other]
    return found


def _describe_predictions(
    predicted: list[int], new: int, label: int, classes: Sequence[Any], models: Sequence[str]
) -> str:
    """Count which models predict the other class, the label, or neither."""
    against = [name for name, code in zip(models, predicted, strict=True) if code == new]
    own = predicted.count(label)
    total = len(models)
    rest = len(models) - len(against) - own
    if total == 1:
        said = "the label" if own else classes[predicted[0]]
        return f"The only model, {models[0]}, predicts {said}."
    if len(against) == total:
        return f"{'Both' if total == 2 else f'All {total}'} models predict {classes[new]}."
    first = f"No model predicts {classes[new]}"
    if against:
        names = ", ".join(against)
        first = (
            f"{len(against)} of {total} models {_predict(len(against))} {classes[new]} ({names})"
        )
    others = ((own, "the label"), (rest, "another class"))
    said = [f"{number} {_predict(number)} {what}" for number, what in others if number]
    return f"{first}; {' and '.join(said)}."


def _predict(models: int) -> str:
    return "predicts" if models == 1 else "predict"


def labels_nearby(
    near: np.ndarray,
    own: int,
    new: int,
    codes: np.ndarray,
    classes: Sequence[Any] | np.ndarray,
    among: str = "",
    rows: str = "rows",
) -> list[str]:
    """How many rows around it carry the other label, and how many its own."""
    if not len(near):
        return []
    for_new = int(np.sum(codes[near] == new))
    for_own = int(np.sum(codes[near] == own))
    are = "is" if for_new < 2 else "are"
    # Its own label is not repeated: among labels that are numbers, "0 0" says nothing.
    return [
        f"Of its {len(near)} nearest {rows}{among} {for_new or 'none'} {are} labelled "
        f"{classes[new]}, {for_own or 'none'} like this one."
    ]


class RowValues:
    """Cells of a table of any kind, as text; none of a sparse one, nor of rows of pixels."""

    def __init__(self, table: Any, image_shape: tuple[int, ...] | None) -> None:
        self.image_shape = image_shape
        self.pixels = None if image_shape is None else as_pixels(table)
        columns = name_columns(table) if image_shape is None else []
        self._pictures = next(filter(has_pictures, columns), None)
        self.columns = [_name_pictures(c) if has_pictures(c) else c for c in columns]

    @property
    def has_pictures(self) -> bool:
        """Whether rows have a picture."""
        return self.pixels is not None or self._pictures is not None

    def of(self, row: int, places: list[int]) -> dict[str, str]:
        """The cells of the row in some of the columns."""
        chosen = (self.columns[place] for place in places)
        return {column.name: _as_text(column.cell(row)) for column in chosen}

    def picture(self, row: int) -> str | None:
        """A picture of the row: its pixels, or the picture that a cell is or names."""
        name = self.file_name(row)
        return self.drawn(row) if name is None else thumbnail_uri(Path(name))

    def drawn(self, row: int) -> str | None:
        """A picture that is in the row itself: its pixels, or what a cell holds."""
        if self.pixels is not None and self.image_shape is not None:
            return pixels_uri(self.pixels[row].reshape(self.image_shape))
        cell = self._picture(row)
        return (
            None
            if cell is None or isinstance(cell, str)
            else thumbnail_uri(get_picture_content(cell))
        )

    def file_name(self, row: int) -> str | None:
        """The picture file that the row names, where a column holds such names."""
        cell = self._picture(row)
        return cell if isinstance(cell, str) else None

    def _picture(self, row: int) -> Any:
        return None if self._pictures is None else self._pictures.cell(row)


def _name_pictures(column: Column) -> Column:
    """A column of pictures with their names for cells."""
    if is_arrow(column.values):
        return column
    names = np.empty(len(column.values), dtype=object)
    names[:] = [get_picture_name(cell) for cell in column.values.tolist()]
    return column._replace(values=names)


def name_columns(table: Any) -> list[Column]:
    """The columns of a table of any kind by the names that a person knows them by."""
    if isinstance(table, np.ndarray):
        return [column._replace(name=f"column {column.key}") for column in columns_of(table)]
    return columns_of(table) if column_names(table) else []


def _as_text(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return shorten(str(value), EXAMPLE_TEXT)


class Neighborhood:
    """The audited rows of a table, to find those around some of them."""

    def __init__(self, inputs: Inputs, *, n_jobs: int | None = None) -> None:
        self.inputs = inputs
        self.n_jobs = n_jobs
        self._index: NeighborIndex | None = None  # made for as many rows as are asked for first

    def around(self, rows: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The twenty nearest other rows of each of ``rows``, and how far away they are.

        The nearest come first; distances are those in scaled features. A row that was not audited
        has none. Costs O(len(rows) n d) where there are many features.
        """
        near = [np.empty(0, dtype=np.intp)] * len(rows)
        away = [np.empty(0)] * len(rows)
        at, is_audited = self.inputs.places_of(rows)
        asking = np.flatnonzero(is_audited)
        if self.inputs.X is None or len(self.inputs.X) < 3 or not len(asking):
            return near, away
        k = min(NEIGHBORS, len(self.inputs.audited) - 1)
        at = at[asking]
        if self._index is None:
            self._index = NeighborIndex(self.inputs.X, n_jobs=self.n_jobs, n_points=len(at))
        distances, places = self._index.find(self._index.X[at], k + 1)
        for i, row, found, distance in zip(asking, at, places, distances, strict=True):
            is_other = found != row
            near[i] = self.inputs.audited[found[is_other][:k]]
            away[i] = distance[is_other][:k]
        return near, away
