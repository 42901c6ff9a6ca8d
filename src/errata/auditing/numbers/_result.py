"""The result of an audit of numeric targets: one number per row, and what should be done."""

import os
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...review.decisions import Decisions
from ...tables._columns import column_array
from ...tables._digest import RowDigests
from .._base import BaseAudit
from .._by import Doubted
from .._cleaning import Cleaned
from .._decided import check_decided
from .._noise_rate import NoiseRate
from .._settings import CLEAN_THRESHOLD
from .._stored_rows import KNOWN
from ._digits import Digits, digits_of
from ._findings import TargetSelfCheck
from ._target_cleaning import clean_targets, decided_targets
from ._target_summary import summarise_targets, target_findings


@dataclass(eq=False, repr=False)
class TargetAudit(BaseAudit):
    """Which numbers are wrong, how many, what they should be, and how sure we are.

    Made by :func:`errata.audit_targets`. All arrays have one entry per row, in the order given.

    Attributes
    ----------
    targets : array of shape (n,)
        The numbers that were audited; NaN where a row has none.
    suspicion : array of shape (n,)
        For ranking: higher = more likely wrong. The mean of the log odds of all hypotheses, which
        tells rows apart that ``p_wrong`` puts at 1.
    p_wrong : array of shape (n,)
        Probability that the target is wrong; 0 where there is none.
    flagged : array of bool of shape (n,)
        The rows worth a look, drawn by ``rule``.
    suggested : array of shape (n,)
        Of a flagged row, the target without the slip that ``hint`` names, or else what is
        predicted; so it is for a row without a target. It is written as the column is, with its
        digits and no sign that it never has. The target itself elsewhere.
    predicted : array of shape (n,)
        By the pool of models, none of which has learnt from the row.
    low, high : array of shape (n,)
        Nine tenths of right targets of such a row lie between.
    score : array of shape (n,)
        Residual over the local scale, with its sign.
    error_kind : array of str of shape (n,)
        What the target would be if it is wrong: "swap", the value of another row; "gross", far from
        all of them; "unclear".
    hint : array of str of shape (n,)
        A slip that explains the target of a flagged row: "x10", "/10", "x100", "/100", "x1000",
        "/1000", "sign", "x2.54", "/2.54"; empty where none does.
    local_scale : array of shape (n,)
        How far right targets of such rows spread.
    noise_rate : NoiseRate
        ``estimate``, ``low`` and ``high`` of the fraction of wrong targets.
    has_skill : bool
        Whether the columns predict the target at all. If not, nothing is flagged.
    models : list of dict
        ``name``, ``weight`` and ``r2``, out of fold on rows that are probably right.
    tail : float
        Degrees of freedom of Student's t that right residuals follow.
    scale : float
        How much noise varies between rows: 0 where it is even.
    on_log_scale : bool
        Whether residuals are differences of logarithms.
    self_check : TargetSelfCheck or None
        What became of errors that were planted on purpose.
    expected_precision, expected_recall : float
        Of the flagged rows, the fraction expected to be wrong; of the wrong, the fraction flagged.
    rule : str
        How the line between flagged rows and the rest was drawn.
    notes : list of str
        What the user should know: columns left out, capped values, rows without a target.
    examples : list of dict
        The most suspicious rows with values, reasons and the rows nearest to them.
    about : dict
        Title, column names, seed, version.
    index : pandas.Index or None
        That of the dataframe, unless it merely counts the rows from 0.
    digests : RowDigests or None
        What ``errata clean`` knows the rows of a file by, in an audit that ``errata audit`` made.
    ids : array of shape (n,) or None
        What the rows are called, where the user said so; text in an audit that was loaded.
    keys : array of str of shape (n,) or None
        What decisions of people know the rows by; see :meth:`row_keys`.
    known : array of bool of shape (n,) or None
        The targets that people gave, where the audit was made with decisions.
    for_review, reviewed
        As in :class:`errata.Audit`.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import make_friedman1
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = make_friedman1(200, n_features=6, noise=0.5, random_state=0)
    >>> y[7] *= 10
    >>> result = errata.audit_targets(
    ...     X, y, estimators=[RandomForestRegressor(50)], self_check=False, random_state=0
    ... )
    >>> int(result.suspicion.argmax()), bool(result.flagged[7])
    (7, True)
    """

    kind: ClassVar[str] = "numbers"
    plain: ClassVar[tuple[str, ...]] = ("tail", "scale", "on_log_scale")
    per_row: ClassVar[tuple[str, ...]] = (
        *("targets", "suspicion", "p_wrong", "flagged", "suggested", "predicted", "low", "high"),
        *("score", "error_kind", "hint", "local_scale"),
    )
    listed: ClassVar[tuple[str, ...]] = (
        *("target", "suggested", "low", "high", "p_wrong", "hint", "flagged"),
    )
    shown: ClassVar[tuple[str, ...]] = ("label", "suggested", "p_wrong", "hint")
    check_type: ClassVar[Any] = TargetSelfCheck

    targets: np.ndarray
    suspicion: np.ndarray
    p_wrong: np.ndarray
    flagged: np.ndarray
    suggested: np.ndarray
    predicted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    score: np.ndarray
    error_kind: np.ndarray
    hint: np.ndarray
    local_scale: np.ndarray
    noise_rate: NoiseRate
    has_skill: bool
    models: list[dict[str, Any]]
    tail: float
    scale: float
    on_log_scale: bool
    self_check: TargetSelfCheck | None
    expected_precision: float
    expected_recall: float
    rule: str
    notes: list[str] = field(default_factory=list)
    examples: list[dict[str, Any]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)
    index: Any = None
    digests: RowDigests | None = None
    ids: np.ndarray | None = None
    keys: np.ndarray | None = None
    known: np.ndarray | None = None
    for_review: Any = None
    reviewed: dict[str, Any] | None = None

    @property
    def has_target(self) -> np.ndarray:
        """Whether each row has a target."""
        return ~np.isnan(self.targets)

    @property
    def digits(self) -> Digits:
        """How the targets are written, by those that are not flagged."""
        return digits_of(self.targets[self.has_target & ~self.flagged])

    @property
    def expected(self) -> np.ndarray:
        """What would stand in place of each target: of rows that are not flagged, too."""
        return np.where(self.flagged, self.suggested, self.digits.write(self.predicted))

    def columns(self) -> dict[str, np.ndarray]:
        """One array per column of the ranked table, in the order of the rows given."""
        finer = self.digits.finer
        rounded = {name: finer(getattr(self, name)) for name in ("predicted", "low", "high")}
        columns = {"row": np.arange(len(self)), "target": self.targets}
        return columns | {name: getattr(self, name) for name in self.per_row[1:]} | rounded

    def clean(
        self,
        action: str = "drop",
        *,
        threshold: float = CLEAN_THRESHOLD,
        decisions: Decisions | str | os.PathLike | None = None,
        undecided: str = "act",
        ambiguous: str = "keep",
    ) -> Cleaned:
        """Say what to do with every row.

        Parameters
        ----------
        action : {"drop", "replace", "weight", "unlabel"}, default="drop"
            Leave out the rows whose target is probably wrong; give them the suggested one; count
            every row by the probability that its target is right; or take the target away. Where
            a regression shall be fitted to noisy or skewed targets, "weight" is the safest.
        threshold : float, default=0.5
            Targets that are wrong with more than this probability are acted upon. It does not
            matter for weights.
        decisions : Decisions or path, optional
            What people decided, which comes first: a number they gave stands, also if
            that is what the table says and whatever the action; unusable rows are dropped.
        undecided : {"act", "keep"}, default="act"
            What becomes of rows that nobody decided, or about which people do not agree: the action
            as for any other row, or nothing.
        ambiguous : {"keep", "drop"}, default="keep"
            What becomes of rows that people found ambiguous: they stay as they are with a weight of
            one half, or go.

        Returns
        -------
        Cleaned
            ``kept``, ``labels`` (the targets), ``weight``, ``did`` and ``decided``, one entry per
            row; ``apply(X)`` gives the rows that stay and their targets. No more than half of the
            rows are dropped, but where people said so. Where the columns do not predict the target,
            nothing is changed that nobody decided.
        """
        check_decided(undecided, ambiguous)
        p_wrong = (self.has_skill and undecided == "act") * self.p_wrong
        act = partial(clean_targets, action=action, threshold=threshold)
        if decisions is None:
            return act(self.targets, self.expected, p_wrong)
        people = decided_targets(
            decisions, self.row_keys(), self.targets, drop_ambiguous=ambiguous == "drop"
        )
        left = people.left
        done = act(people.labels[left], self.expected[left], people.doubts(p_wrong))
        return people.over(done, "replaced")

    def doubted(self) -> Doubted:
        """The targets, for :meth:`rates_by`."""
        alike, doubtful = np.zeros(len(self), dtype=np.intp), self.has_target
        doubtful = doubtful if self.known is None else doubtful & ~self.known
        return Doubted.among(doubtful, self.p_wrong, self.flagged, alike)

    def found(self) -> dict[str, Any]:
        """The part of the summary that the first sentence is made from."""
        return target_findings(self)

    def summary(self) -> dict[str, Any]:
        """All there is to tell, as a plain dict that is valid JSON."""
        return summarise_targets(self)

    def recorded(self, rows: np.ndarray) -> np.ndarray:
        """The targets of some rows."""
        return self.targets[rows]

    def kept_columns(self) -> dict[str, Any]:
        """Columns on disk besides those of ``per_row``."""
        return {} if self.known is None else {KNOWN: self.known}

    @classmethod
    def restored(
        cls, found: dict[str, Any], rows: dict[str, Any], *, table: Any, path: Path
    ) -> dict[str, Any]:
        """Attributes that are made anew from what is on disk."""
        return {KNOWN: column_array(table, KNOWN) if KNOWN in table.column_names else None}
