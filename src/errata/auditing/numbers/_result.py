"""The result of an audit of numeric targets, its summary, and slips that explain errors."""

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...audit_folder.decisions import Decisions
from ...tables._columns import column_array
from .._settings import CLEAN_THRESHOLD
from ..results._base import BaseAudit
from ..results._cleaning import Cleaned, Scores, clean_audit
from ..results._file_cleaning import Counts, describe_new_rows
from ..results._summary import draw_histogram, findings
from ._finding import TargetSelfCheck
from ._inputs import Digits, give_numbers, read_targets, write_numbers

TARGET_POINTS = 1_500  # drawn of an audit of numeric targets, the flagged ones first
BAND_POINTS = 24  # of the band that right targets lie in

UNEVEN = 0.5  # from here on it is worth a word that noise varies between rows

# The simpler ones first: of two that explain a number, the first is named.
SLIPS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "sign": lambda wrong: -wrong,
    "x10": lambda wrong: wrong / 10,
    "/10": lambda wrong: wrong * 10,
    "x100": lambda wrong: wrong / 100,
    "/100": lambda wrong: wrong * 100,
    "x1000": lambda wrong: wrong / 1000,
    "/1000": lambda wrong: wrong * 1000,
    "x2.54": lambda wrong: wrong / 2.54,
    "/2.54": lambda wrong: wrong * 2.54,
}

WORDS = {
    "sign": "a lost or added minus sign",
    "x10": "a factor of ten",
    "/10": "a factor of ten",
    "x100": "a factor of a hundred",
    "/100": "a factor of a hundred",
    "x1000": "a factor of a thousand",
    "/1000": "a factor of a thousand",
    "x2.54": "inches and centimetres confused",
    "/2.54": "inches and centimetres confused",
}


@dataclass(eq=False, repr=False, kw_only=True)
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
        The rows worth a look; ``summary`` tells how the line was drawn.
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
        Whether the columns predict the target at all. If not, or where more than a third of the
        targets look wrong, it is False and nothing is flagged.
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
    notes : list of str
        What the user should know: columns left out, capped values, rows without a target.
    examples : list of dict
        The most suspicious rows with values, reasons and the rows nearest to them.

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
    _noun: ClassVar[str] = "target"
    _change: ClassVar[str] = "replace"
    _json_fields: ClassVar[tuple[str, ...]] = ("tail", "scale", "on_log_scale")
    _row_columns: ClassVar[tuple[str, ...]] = (
        "targets",
        "suspicion",
        "p_wrong",
        "flagged",
        "suggested",
        "predicted",
        "low",
        "high",
        "score",
        "error_kind",
        "hint",
        "local_scale",
    )
    _check_type: ClassVar[Any] = TargetSelfCheck

    targets: np.ndarray
    suggested: np.ndarray
    predicted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    score: np.ndarray
    error_kind: np.ndarray
    hint: np.ndarray
    local_scale: np.ndarray
    tail: float
    scale: float
    on_log_scale: bool

    @property
    def has_target(self) -> np.ndarray:
        """Whether each row has a target."""
        return ~np.isnan(self.targets)

    @property
    def _labelled(self) -> np.ndarray:
        """The same, as an audit of any kind calls it."""
        return self.has_target

    @property
    def digits(self) -> Digits:
        """How the targets are written, by those that are not flagged."""
        return Digits(self.targets[self.has_target & ~self.flagged])

    @property
    def expected(self) -> np.ndarray:
        """The number that would replace each target: of rows that are not flagged, too."""
        return np.where(self.flagged, self.suggested, self.digits.write(self.predicted))

    def _columns(self) -> dict[str, np.ndarray]:
        """One array per column of the ranked table, in the order of the rows given."""
        finer = self.digits.finer
        rounded = {name: finer(getattr(self, name)) for name in ("predicted", "low", "high")}
        columns = {"row": np.arange(len(self)), "target": self.targets}
        return columns | {name: getattr(self, name) for name in self._row_columns[1:]} | rounded

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
            that is what the table says and whatever the action; unusable rows are dropped. Other
            rows are acted upon by what their verdicts tell about these, as a review shows it.
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
        return clean_audit(
            self,
            action,
            threshold=threshold,
            blank=np.nan,
            decisions=decisions,
            undecided=undecided,
            ambiguous=ambiguous,
        )

    def _scores(self) -> Scores:
        """Labels and probabilities that cleaning goes by."""
        return Scores(self.targets, self._codes, self.expected, self.p_wrong)

    def _give(
        self, scores: Scores, rows: np.ndarray, texts: list[str]
    ) -> tuple[Scores, np.ndarray]:
        """Give rows the numbers that people typed; which of them are other ones."""
        targets, changed = give_numbers(scores.labels, rows, texts)
        return scores._replace(labels=targets), changed

    def _check_recorded(self, table: Path, now: Any, places: np.ndarray, rows: np.ndarray) -> None:
        """Raise when a row of a file has another target than it had."""
        _, targets, _ = read_targets(now, self._about["target"])
        targets = targets[places]
        changed = (targets != self.targets[rows]) & ~(np.isnan(targets) & ~self.has_target[rows])
        if changed.any():
            raise ValueError(describe_new_rows(table, places[changed]))

    def _write_labels(
        self, now: Any, rows: np.ndarray, cleaned: Cleaned
    ) -> tuple[Cleaned, dict[str, list[Any]]]:
        """The column of targets as it is in the new file."""
        target = self._about["target"]
        if self._known is not None:  # the audit may have begun with the numbers that people gave
            _, targets, _ = read_targets(now, target)
            is_other = targets != cleaned.labels[rows]
            given = cleaned.decided[rows] & (cleaned.did[rows] == "kept")
            did = cleaned.did.copy()
            did[rows[given & is_other]] = "replaced"
            cleaned = cleaned._replace(did=did)
        new = write_numbers(
            column_array(now, target).tolist(),
            np.isin(cleaned.did, ("replaced", "unlabelled"))[rows],
            cleaned.labels[rows],
            self.digits,
            typed=cleaned.decided[rows],
        )
        return cleaned, {target: new}

    def _describe_cleaned(
        self, counts: Counts, cleaned: Cleaned | None, odds: Any, cleaning: dict[str, Any]
    ) -> list[str]:
        """Sentences on what became of targets that are probably wrong."""
        return [counts.describe_outcome(self, "no more than half of the rows go", "target")]

    def _findings(self) -> dict[str, Any]:
        """The part of the summary that the first sentence is made from."""
        name = self._about["target"]
        noun = None if name is None else [f"value of {name}", f"values of {name}"]
        return findings(self, int(self.has_target.sum())) | {"noun": noun}

    def _details(self) -> dict[str, Any]:
        """Slips, the fit of the models, and how right targets spread."""
        unexplained = self.flagged & (self.hint == "")
        spread = np.quantile(self.local_scale, [0.1, 0.5, 0.9])
        return {
            "target": self._about["target"],
            "hints": describe_hints(self.hint[self.flagged]),
            "error_kinds": dict(Counter(self.error_kind[unexplained].tolist())),
            "histogram": draw_histogram(self),
            "points": choose_points(self),
            "band": draw_band(self),
            "noise": {
                "tail": self.tail,
                "on_log_scale": self.on_log_scale,
                "is_uneven": self.scale > UNEVEN,
                "local_scale": [float(f"{value:.4g}") for value in spread],
            },
        }


def choose_points(audit: "TargetAudit") -> dict[str, Any]:
    """Rows to draw: the flagged ones first, then others by lot, but the same ones every time."""
    there = np.flatnonzero(audit.has_target)
    lot = np.random.default_rng(0).random(len(there))
    order = there[np.lexsort((lot, ~audit.flagged[there]))][:TARGET_POINTS]
    names = {"target": audit.targets, "predicted": audit.predicted}
    names |= {"low": audit.low, "high": audit.high}
    return {
        "row": order.tolist(),
        "flagged": audit.flagged[order].tolist(),
        **{name: [float(f"{v:.6g}") for v in column[order]] for name, column in names.items()},
    }


def draw_band(audit: "TargetAudit") -> dict[str, list[float]]:
    """Along what is predicted, how far below and above it right targets reach: medians."""
    order = np.argsort(audit.predicted, kind="stable")
    parts = [part for part in np.array_split(order, BAND_POINTS) if len(part)]
    columns = {
        "predicted": audit.predicted,
        "below": audit.low - audit.predicted,
        "above": audit.high - audit.predicted,
    }
    return {
        name: [float(f"{np.median(column[part]):.6g}") for part in parts]
        for name, column in columns.items()
    }


def describe_hints(hints: np.ndarray) -> list[str]:
    """How many numbers look like which slip, the most frequent first.

    Examples
    --------
    >>> describe_hints(np.array(["x10", "", "/10", "sign"], dtype=object))
    ['2 look like a factor of ten', '1 looks like a lost or added minus sign']
    """
    found = Counter(WORDS[hint] for hint in hints.tolist() if hint)
    return [
        f"{number:,} {'looks' if number == 1 else 'look'} like {words}"
        for words, number in found.most_common()
    ]
