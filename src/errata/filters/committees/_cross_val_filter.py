"""Cross-validation: distrust the labels that a model fitted to the other rows finds unlikely."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from ..._margins import probability_margin
from ..._validation import check_choice
from .._base import Verdict
from ._base import Question, check_gives_proba
from ._cross_validation import CrossValidatedFilter
from ._scores import SCORES


class CrossValFilter(CrossValidatedFilter):
    """Flag the rows to which a classifier, fitted to the others, would give another label.

    The oldest of the model-based filters and the first to try: whatever classifier predicts the
    labels well finds wrong ones well. It assumes that errors do not follow a pattern that the
    classifier can learn; where all rows of a region are wrong alike it believes them. Not for data
    on which the classifier is poor (then most of what it flags is right), nor as a detector of
    outliers. Costs ``cv`` fits of the classifier and O(n K) memory for K classes.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``, optional
        Fitted anew for every fold; a random forest of 100 trees when not given.
    cv : int, splitter or "insample", default=5
        Number of stratified folds, or any splitter of scikit-learn that tests each row once; more
        folds train on more rows and cost more. A class with fewer rows than folds lowers their
        number. "insample" predicts the rows that the classifier was fitted to: of use with
        classifiers that cannot memorise them, such as pruned trees.
    criterion : {"self_confidence", "margin", "surprise", "entropy"}, default="self_confidence"
        What the suspicion is, see Notes. It orders the rows; which are flagged does not depend on
        it unless ``threshold`` or ``contamination`` is given.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. When neither this nor ``contamination`` is given,
        rows are flagged for which another class is likelier than the label.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    n_jobs : int, optional
        Number of fits at a time, -1 for as many as there are cores.
    random_state : int, RandomState or None, default=None
        Decides on the folds, and on what a classifier whose ``random_state`` is None draws.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        The score; 0 for a row whose label is too rare to be learned without it. It orders rows and
        is no probability of being mislabelled.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The likeliest class where a row is flagged, its label elsewhere.
    proba_ : array of shape (n, n_classes)
        The probabilities that it is drawn from.
    sample_indices_ : array of int
        The rows that are left.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    VotingFilter : several classifiers, one vote each.
    errata.hardness.InstanceHardness : the mean over a pool of classifiers.

    Notes
    -----
    With p(q) the probability of class q for a row, l its label and K classes, the scores are
    "self_confidence": 1 - p(l); "margin": (max p(q) - p(l) + 1) / 2 over the other classes q;
    "surprise": -log p(l), which has no upper bound; "entropy": 1 - H(p) / log K where another class
    is likelier than l, else 0. The first two are one minus the scores of those names in cleanlab.

    Gamberger et al. [1]_ used ten folds. Sun et al. [2]_ relabel where the entropy is low:
    ``Cleaner(CrossValFilter(criterion="entropy", threshold=0.5), action="relabel")``. Robust C4.5
    [3]_ prunes, leaves out what the tree gets wrong, and begins again:
    ``Cleaner(CrossValFilter(DecisionTreeClassifier(ccp_alpha=0.01), cv="insample"), max_iter=50)``.

    References
    ----------
    .. [1] Gamberger, Lavrac and Groselj. Experiments with noise filtering in a medical domain.
       ICML, 1999.
    .. [2] Sun, Zhao, Wang and Chen. Identifying and correcting mislabeled training instances.
       Future Generation Communication and Networking, 2007.
    .. [3] John. Robust decision trees: removing outliers from databases. KDD, 1995.

    Examples
    --------
    A tenth of the wine's labels are changed:

    >>> from sklearn.datasets import load_wine
    >>> from errata.filters import CrossValFilter
    >>> from errata.noise import flip_labels
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> filter_ = CrossValFilter(random_state=0)
    >>> X_left, y_left = filter_.fit_resample(X, labels)
    >>> int(flipped.sum()), int(filter_.flagged_.sum()), int(flipped[filter_.flagged_].sum())
    (18, 21, 18)
    >>> bool((filter_.suggested_ == y)[flipped].all())
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        cv: Any = 5,
        criterion: str = "self_confidence",
        threshold: float | None = None,
        contamination: float | None = None,
        min_per_class: int = 2,
        max_fraction: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.criterion = criterion
        self.threshold = threshold
        self.contamination = contamination
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        return [RandomForestClassifier() if self.estimator is None else self.estimator]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("criterion", self.criterion, tuple(SCORES))
        check_gives_proba(self._members()[0])

    def _judge(self, question: Question) -> Verdict:
        (proba,), lacking = self._predict(question, self._members())
        self.proba_ = proba / proba.sum(axis=1, keepdims=True)
        suspicion = SCORES[self.criterion](self.proba_, question.codes)
        contradicted = probability_margin(self.proba_, question.codes) > 0.5
        return Verdict(
            np.where(lacking, 0.0, suspicion), self.proba_.argmax(axis=1), contradicted & ~lacking
        )
