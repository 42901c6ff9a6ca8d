"""The audit: one driver for every kind of label, and the options that all of them take."""

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property, partial
from importlib.metadata import version
from numbers import Integral
from typing import Any

import numpy as np

from .._compat import find_blas
from .._progress import Progress, count_within
from .._random import draw_seed
from .._validation import check_fraction
from .classes import Groups, beside_all, with_unforeseen
from .examples._examples import describe_examples, example_rows
from .examples._review import ForReview
from .examples._views import RowsView
from .inputs._features import check_pixels
from .inputs._inputs import names_by, row_index, row_names
from .inputs._labels import one_per_row
from .results._base import BaseAudit
from .results._flags import LEAST_FLAGGED, draw_flags

read_version = cache(version)  # of a package: its metadata takes milliseconds to read


@dataclass(frozen=True)
class Options:
    """The options of an audit; see :func:`errata.audit`."""

    estimator: Any = None
    pred_proba: Any = None
    predictions: Any = None
    embeddings: Any = None
    estimators: Sequence[Any] | None = None
    groups: Any = None
    sequence: Any = None
    wavelets: Any = None
    trust: Sequence[Any] = ()
    known: Any = None
    decisions: Any = None
    keys: Any = None
    ids: Any = None
    precision: float | None = None
    self_check: bool = True
    image_shape: tuple[int, ...] | None = None
    title: str | None = None
    drop: Sequence[Any] = ()
    random_state: Any = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        if self.precision is not None:
            check_fraction("precision", self.precision)

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> "Options":
        """The options among the arguments of a function."""
        return cls(**{f.name: arguments[f.name] for f in fields(cls) if f.name in arguments})

    @cached_property
    def seed(self) -> int:
        """Of every draw; drawn once from ``random_state``."""
        return draw_seed(self.random_state)


class Problem(ABC):
    """A kind of label: how it is read, what is wrong, and what is said of a row.

    What is judged are rows, or cells where a row has several labels; ``p_wrong``, ``suspicion`` and
    ``doubtful`` have one entry for each. :func:`run_audit` calls the methods in their order.
    """

    reading = "reading the table"
    finding = ""  # what is said before it begins
    injecting = "planting errors and looking for them"
    listed = "rows whose label is wrong"  # what the list of flags holds
    no_flags = "the columns do not tell the labels apart"  # why there may be none
    draw = staticmethod(draw_flags)
    may_be_reviewed = True
    has_neighbors = True  # not in recordings, where a row like others is nothing unusual
    has_map = False
    can_ask_again = False  # whether models can be asked about single rows
    shown: RowsView  # all rows as a person sees them; of a large table there is none

    options: Options
    index: Any = None  # that of a dataframe, unless it merely counts the rows
    ids: np.ndarray | None = None  # what the user calls the rows
    has_skill: bool
    p_wrong: np.ndarray
    suspicion: np.ndarray
    doubtful: np.ndarray  # bool: may be wrong, and could be judged
    flagged: np.ndarray
    expected_precision: float = float("nan")
    expected_recall: float = float("nan")

    @abstractmethod
    def read(self) -> None:
        """Read and check all that the user passes."""

    @abstractmethod
    def find(self, progress: Progress) -> None:
        """Fit the models, and find what is wrong."""

    def name_rows(self, table: Any, n: int) -> None:
        """Take over what rows are called, and raise now what would be raised at the end."""
        options = self.options
        self.index = row_index(table)
        self.ids = None if options.ids is None else one_per_row("ids", options.ids, n)
        if options.image_shape is not None:
            check_pixels(table, options.image_shape)

    @cached_property
    def row_names(self) -> np.ndarray | None:
        """The ids of the rows; without any, what the index of the dataframe calls them."""
        if self.ids is not None or self.index is None:
            return self.ids
        return names_by(self.index)

    def about(self, table: Any, n_features: int, label: Any = None) -> dict[str, Any]:
        """Facts for the report about the data, of which so many columns were looked at."""
        frame = type(table).__module__.partition(".")[0]
        seed = self.options.random_state
        return {
            "errata": read_version("errata"),
            "title": self.options.title or "audit",
            "label": label if isinstance(label, str) else None,
            "seed": int(seed) if isinstance(seed, Integral) else None,
            "features": n_features,
            "dataframe": "polars" if frame == "polars" else "pandas",
        }

    def inject(self, progress: Progress) -> Any:
        """Inject errors into a copy of the labels, and look for them in the same way."""
        return None

    @property
    def can_inject(self) -> bool:
        """Whether there is anything to be found."""
        return self.has_skill

    def flag(self) -> None:
        """Draw flags among what may be wrong."""
        self.flagged = np.zeros(self.doubtful.shape, dtype=bool)
        if self.has_skill:
            doubtful: Any = self.doubtful
            if doubtful.ndim == 1 and doubtful.all():
                doubtful = slice(None)  # all rows are not copied
            self.flagged[doubtful], self.expected_precision, self.expected_recall = self.draw(
                self.p_wrong[doubtful], self.suspicion[doubtful], self.options.precision
            )

    @property
    def rule(self) -> str:
        """By which flags are drawn."""
        if not self.has_skill:
            return f"Nothing is flagged, as {self.no_flags}."
        precision = self.options.precision
        if precision is not None:
            return f"The list is as long as keeps {precision:.0%} of it expected to be wrong."
        return (
            f"The list has the largest expected F1 score among {self.listed} with a probability of "
            f"{LEAST_FLAGGED:.0%} or more."
        )

    @abstractmethod
    def result(self, check: Any) -> BaseAudit:
        """The audit as the user gets it, but for what is told of single rows."""

    @abstractmethod
    def keep_view(self, result: Any) -> None:
        """Keep the rows as a person sees them, labels as text, with reasons, as ``shown``."""

    def show(self, result: Any) -> None:
        """Add examples, which are described when they are first asked for, and a map."""
        self.keep_view(result)
        rows = self.choose_examples(result)
        names = self.names_of(rows)
        view = cache(partial(self.look, rows))
        flagged = vars(result)["flagged"]
        options = self.options
        result._describe = lambda: describe_examples(view(), rows, flagged, names, options)
        if self.has_map:
            result._points = view().draw_points(rows, flagged, options.seed)

    def look(self, rows: np.ndarray) -> RowsView:
        """A view that holds some rows of the table at least."""
        return self.shown

    def choose_examples(self, result: Any) -> np.ndarray:
        """The rows that are worth showing."""
        return example_rows(result.suspicion, result.flagged, self.reviewed)

    def names_of(self, rows: np.ndarray) -> np.ndarray | None:
        """The names of some rows; None where they have none."""
        return None if self.row_names is None else self.row_names[rows]

    def group_hypotheses(self, result: Any) -> Groups:
        """Probabilities of every row under each hypothesis, for a review that reweighs them."""
        p_wrong = result._p_row  # all that is kept of them, and none
        groups, weights = beside_all((), np.empty(0))
        return groups, weights, with_unforeseen(np.empty((len(p_wrong), 0)), p_wrong)

    @property
    def reviewed(self) -> np.ndarray:
        """Whether what is recorded of each row may be wrong."""
        return self.doubtful


def run_audit(problem: Problem, options: Options, progress: Progress) -> Any:
    """Audit a table: read, find, self-check, flags, result.

    BLAS computes in one thread: its threads wait for each other where matrices are small, and the
    digits take six times as long with two.
    """
    with find_blas().limit(limits=1):
        started = time.perf_counter()
        problem.options = options
        if problem.reading:
            progress(problem.reading)
        problem.read()
        if problem.finding:
            progress(problem.finding)
        problem.find(progress)
        is_checked = options.self_check and problem.can_inject
        progress(problem.injecting if is_checked else "summing up")
        check = problem.inject(count_within("self-check", progress)) if is_checked else None
        problem.flag()
        result = problem.result(check)
        problem.show(result)
        if problem.may_be_reviewed:
            result._for_review = ForReview(problem, seconds=time.perf_counter() - started)
        if options.keys is not None:
            result._keys = row_names(options.keys, len(result))
        return result
