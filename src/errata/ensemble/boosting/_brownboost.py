"""BrownBoost: boosting on a budget of time, in which rows that stay wrong are given up.

With ``s`` of the time ``c`` left, a row of margin ``m`` has the weight ``exp(-(m + s)² / c)`` and
the potential ``1 - erf((m + s) / √c)``. A step ``(ds, dt)`` moves ``m' = m + ds u`` and
``s' = s - dt``, u being how right the estimator is on each row, such that

- the estimator has no correlation left: ``sum u exp(-(m' + s')² / c) = 0``;
- the mean potential stays: ``sum erf((m' + s') / √c) = sum erf((m + s) / √c)``.

For a given ``dt`` the first holds where ``ds`` makes the potential least; that least grows with
``dt``, so that a single ``dt`` keeps the potential.
"""

from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import erf, erfinv

from ..._validation import check_fraction
from . import _base

DONE = 1e-6  # of the time: with less left, boosting is over
STUCK = 1e-10  # and so it is when no time passes
LONGEST = 6.0  # no step ds is longer, in units of √c


class BrownBoostClassifier(_base.BoostedClassifier):
    """BrownBoost: weights follow a window of the margin, which moves on as time runs out.

    Rows that base estimators get right lose weight, as in AdaBoost; so do those that stay far on
    the wrong side when little time is left, which are taken for noise. ``error_goal`` says how much
    may be given up; with a small goal time passes slowly, and fifty rounds are much like those of
    AdaBoost. :class:`RobustBoostClassifier` is its author's later version. More than two classes
    are boosted one against the rest, an extension. In a trial on small sets with a fifth of the
    labels wrong it was as accurate as :class:`MadaBoostClassifier` on two classes (80.6 and 81.0 %)
    and the most accurate of our boosters of stumps on more (74.2 %, LogitBoost 71.1). Costs
    O(T D n d) for T rounds of trees of depth D on n rows of d features, and some two thousand
    evaluations of the error function a row and round for the step.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=50
        Number of rounds at most; boosting ends when its time runs out.
    error_goal : float, default=0.05
        Fraction of training labels that may stay wrong, which sets the time:
        ``error_goal = 1 - erf(√c)``. Larger gives up more rows, sooner.
    max_depth : int, default=1
        Depth of the trees, at most 12; 1 are stumps.
    criterion : "gini" or "error", default="gini"
        What a cut of a tree makes as small as possible.
    hardness : "kdn", detector or callable, optional
        Start from weights that fall with the hardness of a row, as in
        :class:`RobustBoostClassifier`.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (a negative average margin) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` and a ``hardness`` that draw; the compiled trees do not.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        (1 - m) / 2, m being the margin averaged over all rounds. A score from 0 to 1, not a
        probability.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the class decided on for those, the label itself elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    start_weights_ : array of shape (n,)
        The distribution that boosting started from.
    n_estimators_ : int
        Number of rounds.
    total_time_ : float
        The time c.
    time_left_ : float, or array of shape (n_classes,) for more than two classes
        What is left of it; 0 if it ran out.

    References
    ----------
    .. [1] Freund. An adaptive version of the boost by majority algorithm. Machine Learning 43,
       2001.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.ensemble import BrownBoostClassifier
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(300, random_state=0)
    >>> labels, wrong = flip_labels(y, 0.1, random_state=0)
    >>> booster = BrownBoostClassifier(error_goal=0.2).fit(X, labels)
    >>> booster.score(X, y) > booster.score(X, labels) > 0.8
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        error_goal: float = 0.05,
        max_depth: int = 1,
        criterion: str = "gini",
        hardness: Any = None,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.error_goal = error_goal
        self.max_depth = max_depth
        self.criterion = criterion
        self.hardness = hardness
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _boost(
        self, learner: _base.BaseLearner, codes: np.ndarray, weights: np.ndarray
    ) -> list[_base.Term]:
        goal = check_fraction("error_goal", self.error_goal, low=1e-6, high=0.999)
        self.total_time_ = float(erfinv(1 - goal) ** 2)
        self._left: list[np.ndarray] = []  # before each round and at the end, of each boost

        def boost(y: np.ndarray) -> _base.Steps:
            steps, left = boost_on_budget(
                self.total_time_, learner, y, weights, n_rounds=self.n_estimators
            )
            self._left.append(left)
            return steps

        terms = _base.boost_one_vs_rest(boost, codes, len(self.classes_))
        reached = np.array([left[-1] for left in self._left])
        self.time_left_ = float(reached[0]) if len(reached) == 1 else reached
        return terms

    def _weigh(self, decision: np.ndarray, codes: np.ndarray, stage: int) -> np.ndarray:
        agreement = _base.measure_agreement(decision, codes)
        weights = np.zeros(agreement.shape)
        for k, left in enumerate(self._left):
            if stage < len(left) - 1:  # else this class has come to its end
                weights[:, k] = np.exp(-((agreement[:, k] + left[stage]) ** 2) / self.total_time_)
        return weights


def boost_on_budget(
    c: float, learner: _base.BaseLearner, y: np.ndarray, start: np.ndarray, *, n_rounds: int
) -> tuple[_base.Steps, np.ndarray]:
    """Base estimators with their values for both classes; the time left before each, at the end."""
    codes = (y > 0).astype(int)
    m = np.zeros(len(y))
    left = [c]
    steps: _base.Steps = []
    for _ in range(n_rounds):
        w = start * np.exp(-((m + left[-1]) ** 2) / c)
        if w.sum() <= 0:
            break
        base = learner.classify(codes, 2, w / w.sum())
        u = y * (2 * base.outputs - 1)
        if w @ u <= 0:
            break
        ds, dt = solve_step(m, u, start, left[-1], c)
        m = m + ds * u
        left.append(max(left[-1] - dt, 0.0))
        steps.append((base, ds * np.array([-1.0, 1.0])))
        if left[-1] <= DONE * c or dt < STUCK * c:
            break
    if not steps:  # not even the first is better than guessing
        steps = [(_base.make_constant_base(int(start @ y >= 0), codes), np.array([-1.0, 1.0]))]
        left.append(c)
    return steps, np.array(left)


def solve_step(
    m: np.ndarray, u: np.ndarray, start: np.ndarray, left: float, c: float
) -> tuple[float, float]:
    """``ds`` and ``dt`` from margins ``m``; all time goes where the potential allows it."""
    before = start @ erf((m + left) / np.sqrt(c))

    def gain(dt: float) -> float:
        return find_best(m + left - dt, u, start, c)[1] - before

    if gain(left) >= 0:
        return find_best(m, u, start, c)[0], left
    dt = brentq(gain, 0.0, left, xtol=1e-12 * c)
    return find_best(m + left - dt, u, start, c)[0], dt


def find_best(place: np.ndarray, u: np.ndarray, start: np.ndarray, c: float) -> tuple[float, float]:
    """The ``ds`` with the largest ``sum erf((place + ds u) / √c)``, and it, by finer grids."""
    low = 0.0
    high = LONGEST * np.sqrt(c)
    for _ in range(7):
        grid = np.linspace(low, high, 25)
        values = erf((place + grid[:, None] * u) / np.sqrt(c)) @ start
        # The first of equals: the potential can be flat, and rounding must not decide.
        best = int((values >= values.max() - 1e-12 * start.sum()).argmax())
        low = grid[max(best - 1, 0)]
        high = grid[min(best + 1, len(grid) - 1)]
    return float(grid[best]), float(values[best])
