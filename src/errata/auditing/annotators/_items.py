"""Items: what a table tells of those that people voted on, its rows matched to them by name."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._format import listed
from ...tables._columns import column_array, column_names, count_rows, without_columns
from .._group_names import group_numbers
from .._inputs import check_pred_proba, features_without_leaks
from .._per_row import one_per_row
from .._row_index import row_index
from .._scaling import fit_scale
from ._votes import Votes

NOBODY_VOTED = (
    "{} no vote: {} a label from the table alone, {} never flagged, and {} first among those to "
    "ask about."
)


class Items(NamedTuple):
    """The items, in the order of the table where there is one."""

    votes: Votes  # items without a vote included
    table: Any = None  # a row for each item, without the column of their names; None for none
    model_table: Any = None  # the same without columns that look made from the label
    X: np.ndarray | None = None  # its scaled features
    used: list[Any] | None = None  # columns that these come from; None beside embeddings
    pred_proba: np.ndarray | None = None
    groups: np.ndarray | None = None  # the number of the group of each item
    index: Any = None  # that of the table, unless it merely counts its rows
    notes: Sequence[str] = ()

    @property
    def n_features(self) -> int:
        """How many columns were looked at."""
        return 0 if self.used is None else len(self.used)


def read_items(
    votes: Votes,
    table: Any,
    item: Any,
    *,
    embeddings: Any = None,
    pred_proba: Any = None,
    groups: Any = None,
    drop: Sequence[Any] = (),
    seed: int = 0,
    n_jobs: int | None = None,
) -> Items:
    """Find the row of each item, and turn the rows into features.

    Rows are known by the column ``item`` of the table, or else by their index, which of anything
    but a pandas dataframe is their place.
    """
    given = next((each for each in (table, embeddings, pred_proba) if each is not None), None)
    if given is None:
        _check_alone(groups, drop)
        return Items(votes)
    votes = votes.for_items(_names_of_rows(given, item, votes.items))
    table = _without(table, [name for name in (item,) if name in column_names(table)])
    table = _without(table, drop)
    n, source = len(votes.items), table if embeddings is None else embeddings
    every = np.arange(n)
    features, leaks = features_without_leaks(source, votes.majority, seed=seed, n_jobs=n_jobs)
    return Items(
        votes,
        table,
        model_table=_without(table, leaks) if embeddings is None else table,
        X=None if features is None else fit_scale(features.X, seed)[0],
        used=None if features is None or embeddings is not None else features.columns,
        pred_proba=None if pred_proba is None else check_pred_proba(pred_proba, votes.classes, n),
        groups=None if groups is None else group_numbers(one_per_row("groups", groups, n), every),
        index=row_index(table),
        notes=[*([] if features is None else features.notes), *_without_votes(votes)],
    )


def _without(table: Any, keys: Sequence[Any]) -> Any:
    return without_columns(table, keys) if len(keys) else table


def _check_alone(groups: Any, drop: Sequence[Any]) -> None:
    for name, value in (("groups", groups), ("drop", drop or None)):
        if value is not None:
            raise ValueError(f"{name} is for a table of the items, but no X was passed.")


def _names_of_rows(table: Any, item: Any, items: np.ndarray) -> np.ndarray:
    """What the rows of a table call their items, in the type that votes do."""
    if item in column_names(table):
        names = column_array(table, item)
    elif hasattr(table, "iloc") and hasattr(table, "index"):
        names = np.asarray(table.index)
    else:
        names = np.arange(count_rows(table))
    if _is_text(names) != _is_text(items):
        are = ["text" if _is_text(each) else "numbers" for each in (items, names)]
        raise ValueError(
            f"items are {are[0]} in the votes ({listed(items, most=3)}) and {are[1]} in the table "
            f"({listed(names, most=3)}); give the table a column {item!r} with the same names."
        )
    return names


def _is_text(names: np.ndarray) -> bool:
    return names.dtype.kind in "OU"


def _without_votes(votes: Votes) -> list[str]:
    blank = int(np.sum(votes.n_votes == 0))
    if not blank:
        return []
    if blank == 1:
        return [NOBODY_VOTED.format("1 item has", "it gets", "is", "comes")]
    return [NOBODY_VOTED.format(f"{blank:,} items have", "they get", "are", "come")]
