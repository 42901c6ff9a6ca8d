"""The result of an audit of votes: an audit of items, and what is known of those who voted."""

import os
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..._format import four_digits, instead
from ...audit_folder import open_rows, shifted
from ...audit_folder.decisions import Decisions
from ...tables import read_table, write_table
from ...tables._columns import column_array
from ...tables.stored._files import check_new_file
from .._settings import CLEAN_THRESHOLD, MATRIX_UP_TO
from ..results._audit import Audit
from ..results._base import Metrics, rate_metrics
from ..results._cleaning import Cleaned
from ..results._file_cleaning import (
    CleanedFile,
    Counts,
    describe_decided,
    describe_learnt,
    finish,
    weigh_decisions,
)
from ..results._rates_by import NoiseRate
from ..results._summary import describe_rate

# Cleaning. `python benchmarks/learning.py cleaning`
CONSENSUS_SURE = 0.5  # the same of several annotators' consensus: more likely than all others

SHOWN_WORKERS = 60  # annotators in a report
SHOWN_ASKED = 20  # items that need another vote

PLAIN = (
    "worker",
    "n_votes",
    "coverage",
    "accuracy",
    "low",
    "high",
    "agreement",
    "guessing",
    "reversed",
)

WORKERS = "workers.parquet"
PROBA = "proba {}"  # of each class, columns of the items


@dataclass(eq=False, repr=False, kw_only=True)
class VoteAudit(Audit):
    """Which majority labels are wrong, who is unreliable, and which item needs another vote.

    Made by :func:`errata.audit_votes`. It is an :class:`errata.Audit` of items: all arrays have one
    entry per item, and ``labels`` are what most votes say. Further attributes are below.

    Attributes
    ----------
    items : array of shape (N,)
        The names of the items: as in ``X`` where there is one, sorted otherwise.
    labels : array of shape (N,)
        The label that most votes give, which is what is audited. Of labels with as many votes it is
        the one with more votes over all items, then the first; None, or NaN among numbers, where an
        item has no vote.
    proba : array of shape (N, K)
        Posterior probability of each class, columns as in ``classes``.
    consensus, p_consensus : arrays of shape (N,)
        The most probable class, and its probability.
    expected_wrong : NoiseRate
        Fraction of the items whose consensus is still wrong, with an interval.
    n_votes, agreement : arrays of shape (N,)
        Votes of each item, and the share of them that is for the majority (NaN without votes).
    ask : array of shape (N,)
        What one more vote would tell about the class of the item, in nats; see :meth:`next_items`.
    workers : list of dict
        Of each annotator ``worker``, ``n_votes``, their ``coverage`` of the items, ``accuracy``
        with ``low`` and ``high``, ``agreement`` with the majority, ``worst`` (the pair of class and
        label most often confused), ``confusion`` of shape (K, K), whether it may be ``guessing``,
        and whether it is ``reversed``: right less often than chance.
    evidence : dict
        How far votes are believed: ``vote_weight``, what each of several votes on an item counts;
        ``kappa_coin`` and ``kappa_matrix``, how alike annotators are; ``feature_weight``, how far
        the table is believed (None without one); ``shared``, P(vote | class) of an ordinary
        annotator.

    Examples
    --------
    >>> import numpy as np, errata
    >>> random = np.random.default_rng(0)
    >>> truth = random.integers(2, size=300)
    >>> right = random.random((300, 4)) < [0.95, 0.9, 0.8, 0.6]
    >>> votes = np.where(right, truth[:, None], 1 - truth[:, None])
    >>> result = errata.audit_votes(votes, random_state=0)
    >>> np.argsort([worker["accuracy"] for worker in result.workers]).tolist()
    [3, 2, 1, 0]
    >>> result.clean().labels.tolist() == result.consensus.tolist()
    True
    """

    kind: ClassVar[str] = "votes"
    _json_fields: ClassVar[tuple[str, ...]] = (*Audit._json_fields, "evidence")
    _row_columns: ClassVar[tuple[str, ...]] = (
        *Audit._row_columns,
        "items",
        "n_votes",
        "agreement",
        "ask",
    )

    items: np.ndarray
    proba: np.ndarray
    expected_wrong: NoiseRate
    n_votes: np.ndarray
    agreement: np.ndarray
    ask: np.ndarray
    workers: list[dict[str, Any]] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)

    @property
    def consensus(self) -> np.ndarray:
        """The most probable class of each item."""
        return self.classes[self.proba.argmax(axis=1)]

    @property
    def p_consensus(self) -> np.ndarray:
        """Probability of the consensus."""
        return self.proba.max(axis=1)

    def next_items(self, k: int = 20) -> np.ndarray:
        """The items of which one more vote would tell most, the best first."""
        return self.items[in_asking_order(self.ask, self.n_votes)[:k]]

    def clean(
        self,
        action: str = "relabel",
        *,
        threshold: float = CLEAN_THRESHOLD,
        sure: float = CONSENSUS_SURE,
        unsure: str = "drop",
        decisions: Decisions | str | os.PathLike | None = None,
        undecided: str = "act",
        ambiguous: str = "keep",
    ) -> Cleaned:
        """Say which label every item gets, as :meth:`errata.Audit.clean` does.

        By default, items whose majority label is probably wrong get the consensus where that is
        more likely than all other classes together, and are dropped where none is.

        Parameters
        ----------
        action : {"relabel", "drop", "weight", "unlabel"}, default="relabel"
            What becomes of items whose majority label is probably wrong.
        threshold : float, default=0.5
            Majority labels that are wrong with more than this probability are acted upon.
        sure : float, default=0.5
            For "relabel": the consensus must be more probable than this.
        unsure : {"drop", "keep"}, default="drop"
            For "relabel": what becomes of such items without a sure consensus.
        decisions, undecided, ambiguous
            As for :meth:`errata.Audit.clean`.

        Returns
        -------
        Cleaned
            ``kept``, ``labels``, ``weight``, ``did`` and ``decided``, one entry per item.
        """
        return super().clean(
            action,
            threshold=threshold,
            sure=sure,
            unsure=unsure,
            decisions=decisions,
            undecided=undecided,
            ambiguous=ambiguous,
        )

    def _clean_file(
        self, table: Any, out: Path, cleaning: dict[str, Any], *, force: bool
    ) -> CleanedFile:
        """The labels of the items, in a new file or beside the columns of their table."""
        votes = self._about.get("table")  # which must not be replaced
        source = None if table is None else Path(table)
        for file in (source, votes and Path(votes)):
            if file is not None:
                check_new_file(file, out, force=force)
        cleaned = self.clean(**cleaning)
        write_table(out, labelled_items(self, cleaned, source))
        odds = weigh_decisions(self, cleaning["decisions"])
        counts = Counts(cleaning["threshold"])
        counts.add(cleaned, shifted(self.p_wrong, odds), self._labelled)
        notes = describe_decided(counts.decided, self, cleaning["decisions"])
        if cleaning["undecided"] == "act":
            notes += describe_learnt(self, None, cleaning["decisions"], odds)
            why_kept = "the consensus is not sure, or a class would lose half"
            outcome = counts.describe_outcome(self, why_kept)
            notes.append(outcome.replace("; nothing changed", ""))  # the file is a new one
            notes += counts.describe_blanks()
        return finish(self, out, counts.kept, notes, [], row="item")

    def _columns(self) -> dict[str, np.ndarray]:
        """One array per column of the ranked table, in the order of the items."""
        columns = super()._columns()
        return columns | item_columns(self, columns["row"])

    def _ranked_columns(
        self, *, flagged: bool | None = None, most: int | None = None
    ) -> dict[str, np.ndarray]:
        """One array per column of :meth:`table`; of the ``most`` suspicious items only."""
        columns = super()._ranked_columns(flagged=flagged, most=most)
        return columns | item_columns(self, columns["row"])

    def worker_table(self) -> Any:
        """The annotators, the most accurate first: a polars dataframe for one, pandas otherwise.

        ``confuses`` is the class and the label that one mistakes for each other most often.
        """
        library = import_module(self._about.get("dataframe", "pandas"))
        return library.DataFrame(worker_columns(self.workers))

    def _further_lists(self) -> dict[str, dict[str, np.ndarray]]:
        """The annotators, and all items in the order in which another vote would tell most."""
        order = in_asking_order(self.ask, self.n_votes)
        lists = {"workers": worker_columns(self.workers), "ask": item_columns(self, order)}
        return {name: for_reading(columns) for name, columns in lists.items()}

    def _findings(self) -> dict[str, Any]:
        """The part of the summary that the first sentence is made from."""
        return super()._findings() | {
            "still_wrong": describe_rate(self.expected_wrong, len(self)),
            "annotators": len(self.workers),
        }

    def _details(self) -> dict[str, Any]:
        """Annotators, what their votes are worth, and where to ask for more."""
        shared = self.evidence["shared"] if len(self.classes) <= MATRIX_UP_TO else None
        weight = self.evidence["feature_weight"]
        return super()._details() | {
            "votes": int(self.n_votes.sum()),
            "workers": describe_workers(self.workers),
            "guessing": sum(bool(worker["guessing"]) for worker in self.workers),
            "shared": shared and np.round(shared, 4).tolist(),
            "asked": describe_asked(self),
            # So many votes on one item are worth so many that err on their own.
            "worth": {
                "votes": float(self.n_votes[self.n_votes > 0].mean()),
                "weight": float(self.evidence["vote_weight"]),
                "features": None if weight is None else float(weight),
            },
        }

    def metrics(self) -> Metrics:
        """As of any audit, and ``still_wrong``, the fraction of wrong labels after weighing."""
        annotators = {"n_annotators": len(self.workers)}
        return super().metrics() | rate_metrics("still_wrong", self.expected_wrong) | annotators

    def _kept_numbers(self) -> dict[str, Any]:
        """Entries of ``audit.json`` for votes alone, as JSON."""
        return super()._kept_numbers() | {
            "classes": self.classes.tolist(),
            "expected_wrong": list(self.expected_wrong),
        }

    def _kept_columns(self) -> dict[str, Any]:
        """Columns on disk besides those of ``per_row``."""
        proba = {PROBA.format(code): column for code, column in enumerate(self.proba.T)}
        return super()._kept_columns() | proba

    def _write_more(self, folder: Path) -> None:
        """Write what is told of annotators."""
        write_workers(folder, self.workers)

    @classmethod
    def _restored(
        cls, found: dict[str, Any], rows: dict[str, Any], *, table: Any, path: Path
    ) -> dict[str, Any]:
        """Attributes that are made anew from what is on disk."""
        classes = np.array(found["classes"])
        fields = super()._restored(found, rows, table=table, path=path)
        return fields | {
            "classes": classes,
            "proba": read_proba(table, len(classes)),
            "expected_wrong": NoiseRate(*found["expected_wrong"]),
            "workers": read_workers(path, len(classes)),
        }


def labelled_items(audit: "VoteAudit", cleaned: Cleaned, source: Path | None) -> dict[str, Any]:
    """Names and labels of the items that stay, or the rows of their table with the labels."""
    label = str(audit._about.get("label") or "label")
    if source is None:
        item = str(audit._about.get("item") or "item")
        labels = list_labels(cleaned.labels[cleaned.kept])
        return {item: audit.items[cleaned.kept], label: labels}
    name = audit._about.get("id")
    if name is None:
        raise ValueError("this audit does not say which column names the items of a table.")
    table = read_table(source)
    if name not in table.column_names:
        raise ValueError(f"{source} has no column {name!r}; {instead(name, table.column_names)}")
    if label in table.column_names:
        raise ValueError(f"{source} has a column {label!r} already; rename it for the labels.")
    index = {item: row for row, item in enumerate(audit.items.tolist())}
    items = column_array(table, name).tolist()
    unknown = [item for item in items if item not in index]
    if unknown:
        raise ValueError(f"{source} has the item {unknown[0]}, which was not audited.")
    rows = np.array([index[item] for item in items])
    stay = np.flatnonzero(cleaned.kept[rows])
    kept = table.take(stay)
    columns = dict(zip(kept.column_names, kept.columns, strict=True))
    return columns | {label: list_labels(cleaned.labels[rows[stay]])}


def list_labels(labels: np.ndarray) -> list[Any]:
    """Labels as a file holds them: None where there is none, whole numbers without a point.

    >>> list_labels(np.array([1.0, np.nan]))
    [1, None]
    """
    cells = [None if label is None or label != label else label for label in labels.tolist()]
    whole = all(cell is None or (isinstance(cell, float) and cell.is_integer()) for cell in cells)
    return [cell if cell is None or not whole else int(cell) for cell in cells]


def by_accuracy(workers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The annotators, the most accurate first; of equals, those with more votes."""
    return sorted(workers, key=lambda worker: (-worker["accuracy"], -worker["n_votes"]))


def worker_columns(workers: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    """One array per column of the table of annotators."""
    ranked = by_accuracy(workers)
    confuses = np.array([confused(worker["worst"]) for worker in ranked], dtype=object)
    return {name: np.array([each[name] for each in ranked]) for name in PLAIN} | {
        "confuses": confuses
    }


def confused(worst: tuple[Any, Any] | None) -> str | None:
    """The pair of class and label that an annotator confuses most often, in words.

    Examples
    --------
    >>> confused(("cat", "dog"))
    'cat as dog'
    """
    return None if worst is None else f"{worst[0]} as {worst[1]}"


def in_asking_order(ask: np.ndarray, n_votes: np.ndarray) -> np.ndarray:
    """Items by what one more vote would tell, the most first; before all, those without any.

    Examples
    --------
    >>> in_asking_order(np.array([0.1, 0.3, 0.2]), np.array([5, 5, 0])).tolist()
    [2, 1, 0]
    """
    return np.lexsort((-ask, n_votes > 0))


def item_columns(audit: "VoteAudit", rows: np.ndarray) -> dict[str, np.ndarray]:
    """Columns of some items that only votes have."""
    proba = audit.proba[rows]
    return {
        "item": audit.items[rows],
        "n_votes": audit.n_votes[rows],
        "agreement": audit.agreement[rows],
        "consensus": audit.classes[proba.argmax(axis=1)],
        "p_consensus": proba.max(axis=1),
        "ask": audit.ask[rows],
    }


def for_reading(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Columns for a spreadsheet: four digits, as further ones say nothing, and 0 or 1.

    Examples
    --------
    >>> for_reading({"low": np.array([0.123456]), "guessing": np.array([True])})
    {'low': array([0.1235]), 'guessing': array([1])}
    """
    told = {}
    for name, cells in columns.items():
        cells = cells.astype(int) if cells.dtype.kind == "b" else cells
        told[name] = cells.round(4) if cells.dtype.kind == "f" else cells
    return told


def describe_workers(workers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Annotators as they are drawn; of many, the best, the worst, and some in between."""
    ranked = by_accuracy(workers)
    shown = np.unique(np.linspace(0, len(ranked) - 1, min(len(ranked), SHOWN_WORKERS)).round())
    return [
        {
            "rank": place + 1,
            "worker": str(ranked[place]["worker"]),
            "votes": int(ranked[place]["n_votes"]),
            **{
                name: four_digits(ranked[place][name])
                for name in ("accuracy", "low", "high", "agreement")
            },
            "confuses": confused(ranked[place]["worst"]),
            "guessing": bool(ranked[place]["guessing"]),
        }
        for place in shown.astype(int).tolist()
    ]


def describe_asked(audit: "VoteAudit") -> list[dict[str, Any]]:
    """The items of which another vote would tell most."""
    rows = in_asking_order(audit.ask, audit.n_votes)[:SHOWN_ASKED]
    columns = item_columns(audit, rows)
    return [
        {
            "row": int(row),
            "item": str(item),
            "votes": int(n),
            "agreement": None if np.isnan(agreement) else four_digits(agreement),
            "consensus": str(consensus),
            "p_consensus": four_digits(p),
            "gain": four_digits(gain),
        }
        for row, item, n, agreement, consensus, p, gain in zip(rows, *columns.values(), strict=True)
    ]


def write_workers(folder: Path, workers: list[dict[str, Any]]) -> None:
    """Write what is told of annotators, confusions included."""
    import pyarrow as arrow
    import pyarrow.parquet

    table = arrow.Table.from_pylist(
        [{name: _plain(value) for name, value in worker.items()} for worker in workers]
    )
    pyarrow.parquet.write_table(table, folder / WORKERS)


def _plain(value: Any) -> Any:
    """Lists of Python's own values; a matrix as one line after the other."""
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, np.generic):
        return value.item()
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def read_workers(path: Path, n_classes: int) -> list[dict[str, Any]]:
    """Read what :func:`write_workers` has written."""
    with open_rows(path / WORKERS) as file:
        return [_restored(worker, n_classes) for worker in file.read().to_pylist()]


def _restored(worker: dict[str, Any], n_classes: int) -> dict[str, Any]:
    confusion = worker["confusion"]
    worst = worker["worst"]
    return worker | {
        "confusion": confusion and np.reshape(confusion, (n_classes, n_classes)),
        "worst": worst and tuple(worst),
    }


def read_proba(table: Any, n_classes: int) -> np.ndarray:
    """The probabilities of the classes, from the columns of the items."""
    return np.stack([column_array(table, PROBA.format(code)) for code in range(n_classes)], axis=1)
