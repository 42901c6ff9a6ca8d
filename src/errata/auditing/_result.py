"""The result of an audit: one number per row, what it means, and what can be done about it."""

import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .._optional import require
from ..review.decisions import Decisions
from ..tables._digest import RowDigests
from ._audit_rows import AuditRows
from ._class_storage import class_columns, class_fields, class_numbers
from ._clean_parts import clean_stored
from ._cleaning import Cleaned, Scores, clean_labels
from ._decided import check_decided, decided_rows
from ._for_review import ForReview, StoredReview
from ._noise_rate import NoiseRate
from ._self_check import SelfCheck
from ._settings import CLEAN_THRESHOLD, RELABEL_SURE
from ._stored_rows import KNOWN, NAMES
from ._summary import class_findings, summarise
from ._when_asked import read_when_asked
from .sequences import Timeline, find_stretches


@read_when_asked(*NAMES, KNOWN)
@dataclass(eq=False, repr=False)
class Audit(AuditRows):
    """Which labels are wrong, how many, which way, and how sure we are.

    Made by :func:`errata.audit`. All arrays have one entry per row, in the order given. Those of a
    table of more than a million rows that was not in memory stay on disk: each is read whenever it
    is asked for, and :meth:`batches` gives some rows at a time.

    Attributes
    ----------
    labels : array of shape (n,)
        The labels that were audited; None, or NaN among numbers, where a row has none.
    suspicion : array of shape (n,)
        For ranking: higher = more likely mislabelled.
    p_wrong : array of shape (n,)
        Probability that the label is not the class, over all noise hypotheses; 0 where there is no
        label, as none can be wrong.
    suggested : array of shape (n,)
        The most probable other class of a flagged row, the most probable class of a row without a
        label; the label itself elsewhere.
    p_suggested : array of shape (n,)
        Probability of that class.
    flagged : array of bool of shape (n,)
        The rows worth a look, drawn by ``rule``.
    noise_rate : NoiseRate
        ``estimate``, ``low`` and ``high`` of the fraction of wrong labels. The estimate is the mean
        of ``p_wrong``, and what ``prior`` and ``transition`` imply.
    hypotheses : list of dict
        ``kind`` of noise ("none", "uniform", "pattern", "class to class", "boundary"), its
        ``weight`` in the posterior, and the ``rate`` if it were so.
    has_skill : bool
        Whether the columns tell the labels apart at all. If not, nothing is flagged.
    transition : array of shape (K, K)
        ``T[c, l] = P(label = l | class = c)``.
    prior : array of shape (K,)
        Expected fractions of the classes.
    classes : array of shape (K,)
        The distinct labels, sorted.
    models : list of dict
        ``name``, ``weight``, its share of the pool, and ``agreement``, the fraction of rows whose
        label it finds most probable.
    self_check : SelfCheck or None
        What became of errors that were injected on purpose.
    expected_precision, expected_recall : float
        Of the flagged rows, the fraction expected to be wrong; of the wrong, the fraction flagged.
    rule : str
        How the line between flagged rows and the rest was drawn.
    notes : list of str
        What the user should know: columns left out, rare classes, duplicates.
    duplicates : list of arrays
        Rows that are equal but carry different labels.
    examples : list of dict
        The most suspicious rows with values and reasons, the flagged ones and some more. Their
        ``suggested`` is the most probable other class, also of a row that is not flagged.
    points : dict or None
        A map of the data.
    about : dict
        Title, column names, seed, version.
    timeline : Timeline or None
        Of an audit of sequences: which ``recording`` each row belongs to, and its ``clock``.
    traces : list of dict
        Of an audit of sequences: the signal around the worst stretches.
    index : pandas.Index or None
        That of the dataframe, unless it merely counts the rows from 0.
    digests : RowDigests or None
        What ``errata clean`` knows the rows of a file by, in an audit that ``errata audit`` made.
    ids : array of shape (n,) or None
        What the rows are called, where the user said so; text in an audit that was loaded.
    keys : array of str of shape (n,) or None
        What decisions of people know the rows of a file by, whatever their labels become; see
        :meth:`row_keys`.
    known : array of bool of shape (n,) or None
        Labels that are certain, where there are any: ``p_wrong`` is 0 there, and they count as
        right in the noise rate.
    for_review : ForReview, StoredReview or None
        What :meth:`save` makes the cards of a review from. It holds the table and its features; set
        it to None to be rid of them.
    reviewed : dict or None
        What people have decided so far, once ``errata decisions --update`` has put it here.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 100]] = 2, 0                      # a setosa and a virginica change places
    >>> result = errata.audit(X, y, estimators=[GaussianNB()], random_state=0)
    >>> result.flagged[[3, 100]].tolist()
    [True, True]
    >>> bool(result.noise_rate.low < 2 / 150 < result.noise_rate.high)
    True
    """

    kind: ClassVar[str] = "classes"
    plain: ClassVar[tuple[str, ...]] = ("hypotheses", "points", "traces")
    per_row: ClassVar[tuple[str, ...]] = tuple(NAMES)
    listed: ClassVar[tuple[str, ...]] = ("label", "suggested", "p_wrong", "flagged")
    check_type: ClassVar[Any] = SelfCheck

    labels: np.ndarray
    suspicion: np.ndarray
    p_wrong: np.ndarray
    suggested: np.ndarray
    p_suggested: np.ndarray
    flagged: np.ndarray
    noise_rate: NoiseRate
    hypotheses: list[dict[str, Any]]
    has_skill: bool
    transition: np.ndarray
    prior: np.ndarray
    classes: np.ndarray
    models: list[dict[str, Any]]
    self_check: SelfCheck | None
    expected_precision: float
    expected_recall: float
    rule: str
    notes: list[str] = field(default_factory=list)
    duplicates: list[np.ndarray] = field(default_factory=list)
    examples: list[dict[str, Any]] = field(default_factory=list)
    points: dict[str, Any] | None = None
    timeline: Timeline | None = None
    traces: list[dict[str, Any]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)
    index: Any = None
    digests: RowDigests | None = None
    ids: np.ndarray | None = None
    keys: np.ndarray | None = None
    known: np.ndarray | None = None
    for_review: ForReview | StoredReview | None = None
    reviewed: dict[str, Any] | None = None

    def stretches(self) -> Any:
        """Stretches of wrong labels, the worst first, in an audit of sequences.

        A stretch is as many neighbouring rows of one recording as are flagged, carry one label and
        look like one other class. Stretches with the most rows expected to be wrong come first.

        Returns
        -------
        dataframe
            ``recording``; ``start`` and ``end``, the first and the last row of the stretch, counted
            from 0 in the table given, and when that was if a column is a clock; ``rows``, how many
            there are; ``label``, ``suggested``, and ``p_wrong``, the mean of that of its rows: the
            fraction of them that is expected to be wrong.
        """
        library = require(self.about.get("dataframe", "pandas"), extra="tables")
        return library.DataFrame(self.stretch_columns())

    def stretch_columns(self) -> dict[str, np.ndarray]:
        """One array per column of :meth:`stretches`."""
        if self.timeline is None:
            raise ValueError(
                "these rows were audited one by one; stretches are found where audit is told with "
                "sequence which rows follow each other."
            )
        return find_stretches(
            self.timeline,
            flagged=self.flagged,
            labels=self.labels,
            suggested=self.suggested,
            p_wrong=self.p_wrong,
        )

    def clean(
        self,
        action: str = "drop",
        *,
        threshold: float = CLEAN_THRESHOLD,
        sure: float = RELABEL_SURE,
        unsure: str = "keep",
        decisions: Decisions | str | os.PathLike | None = None,
        undecided: str = "act",
        ambiguous: str = "keep",
    ) -> Cleaned:
        """Say what to do with every row.

        Parameters
        ----------
        action : {"drop", "relabel", "weight", "unlabel"}, default="drop"
            Leave out the rows whose label is probably wrong; give them, and rows without a label,
            the suggested class where that is sure; count every row by the probability that its
            label is right; or take the label away, for learners that can do without.
        threshold : float, default=0.5
            Labels that are wrong with more than this probability are acted upon. It does not matter
            for weights.
        sure : float, default=0.8
            For "relabel": the suggested class must be at least so probable.
        unsure : {"keep", "drop"}, default="keep"
            For "relabel": what becomes of such rows without a sure class.
        decisions : Decisions or path, optional
            What people decided, which comes first: a class they gave is the label of its row, also
            if that is what it was and whatever the action; unusable rows are dropped.
        undecided : {"act", "keep"}, default="act"
            What becomes of rows that nobody decided, or about which people do not agree: the action
            as for any other row, or nothing.
        ambiguous : {"keep", "drop"}, default="keep"
            What becomes of rows that people found ambiguous: they stay as they are with a weight of
            one half, or go.

        Returns
        -------
        Cleaned
            ``kept``, ``labels``, ``weight``, ``did`` and ``decided``, one entry per row;
            ``apply(X)`` gives the rows that stay and their labels. No more than half of a class is
            dropped, nor its last two rows, but where people said so. Where the columns do not tell
            the labels apart, nothing is changed that nobody decided.
        """
        check_decided(undecided, ambiguous)
        act = partial(clean_labels, action=action, threshold=threshold, sure=sure, unsure=unsure)
        scores = Scores(self.labels, self.codes, self.suggested, self.p_wrong, self.p_suggested)
        scores = scores.believed(self.has_skill and undecided == "act")
        if decisions is None:
            return act(scores)
        keys, drop = self.row_keys(), ambiguous == "drop"
        people = decided_rows(decisions, keys, scores, self.classes, drop_ambiguous=drop)
        return people.over(act(people.undecided(scores)))

    def clean_rows(
        self,
        start: int,
        stop: int,
        action: str = "drop",
        *,
        threshold: float = CLEAN_THRESHOLD,
        sure: float = RELABEL_SURE,
        unsure: str = "keep",
    ) -> Cleaned:
        """Say what to do with the rows from ``start`` up to ``stop``, as :meth:`clean` does of all.

        For an audit on disk: how much of each class may be dropped is found out from all rows by
        the first call, and remembered.
        """
        options: dict[str, Any] = {"threshold": threshold, "sure": sure, "unsure": unsure}
        if self.stored is None:
            return Cleaned(*(column[start:stop] for column in self.clean(action, **options)))
        return clean_stored(self.stored, slice(start, stop), self.has_skill, action, **options)

    def further_lists(self) -> dict[str, dict[str, np.ndarray]]:
        """Of an audit of sequences: the stretches."""
        return {} if self.timeline is None else {"stretches": self.stretch_columns()}

    def found(self) -> dict[str, Any]:
        """The part of the summary that the first sentence is made from."""
        return class_findings(self, self.totals)

    def summary(self) -> dict[str, Any]:
        """All there is to tell, as a plain dict that is valid JSON."""
        return summarise(self)

    def recorded(self, rows: np.ndarray) -> np.ndarray:
        """The labels of some rows."""
        return vars(self)["labels"][rows]  # not all of them, which may be on disk

    def kept_numbers(self) -> dict[str, Any]:
        """What ``audit.json`` holds besides ``plain``, as JSON."""
        return class_numbers(self)

    def kept_columns(self) -> dict[str, Any]:
        """Columns on disk besides those of ``per_row``."""
        return class_columns(self)

    @classmethod
    def restored(
        cls, found: dict[str, Any], rows: dict[str, Any], *, table: Any, path: Path
    ) -> dict[str, Any]:
        """Attributes that are made anew from what is on disk."""
        return class_fields(found, rows, table=table, path=path)
