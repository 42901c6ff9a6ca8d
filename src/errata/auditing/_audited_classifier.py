"""A classifier that learns from what an audit of its training labels finds."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from .._random import clone_keeping_seeds, draw_seed
from .._routing import takes_sample_weight
from .._validation import as_column, check_choice, check_data, check_no_missing_labels, check_rows
from ..filters._base import PartPredicts
from .classes._audit import audit
from .models._default import KernelAndTrees
from .results._audit import Audit

# Learning from an audit. `python benchmarks/learning.py tolerant`, the sets of its first list
LEAST_CLASS_WEIGHT = 1e-3  # probability of a class from which a row is learnt as of that class

LEARNT = ("soft", "drop", "relabel", "weight")


class AuditedClassifier(PartPredicts):
    """Audit the training rows, then fit a classifier to what their classes probably are.

    Reach for it when a tenth of the labels or more may be wrong and accuracy is what counts. It
    assumes what the audit assumes: errors are a minority in every class, and do not all gather
    where classes meet. Where the columns do not tell the labels apart, the classifier is fitted to
    the labels as they are. Costs one audit (:func:`errata.audit` without its self-check) and one
    fit, of at most twice the rows in most tables.

    Parameters
    ----------
    classifier : estimator, optional
        The classifier; the mean of a kernel logistic regression and of extremely randomised trees
        when not given.
    action : {"soft", "drop", "relabel", "weight"}, default="soft"
        What the classifier learns from. "soft": each row as often as it has probable classes,
        weighted by their probabilities. The others are those of :meth:`errata.Audit.clean`. "soft"
        and "weight" need a classifier that takes ``sample_weight``.
    estimators : sequence of classifiers, optional
        Models of the audit in place of errata's own; see :func:`errata.audit`.
    random_state : int, RandomState or None
        Seeds audit and classifier.
    n_jobs : int, optional
        Threads of the audit, -1 for all.

    Attributes
    ----------
    classifier_ : estimator
        As fitted.
    audit_ : Audit
        What was found among the training labels.
    suspicion_, flagged_, suggested_ : arrays of shape (n,)
        The audit's, for each training row: it draws the line itself (``audit_.rule``). For
        probabilities see ``audit_.p_wrong``.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    errata.filters.FilteredClassifier : leaves out what any other filter flags.
    errata.tolerant.NoiseModelClassifier : learns classes and noise in turns.

    Examples
    --------
    >>> import errata
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> labels, _ = errata.noise.flip_labels(y[::2], 0.2, random_state=0)
    >>> plain = DecisionTreeClassifier(random_state=0).fit(X[::2], labels)
    >>> tree = DecisionTreeClassifier(min_samples_leaf=3)
    >>> model = errata.AuditedClassifier(tree, random_state=0).fit(X[::2], labels)
    >>> bool(model.score(X[1::2], y[1::2]) > plain.score(X[1::2], y[1::2]) + 0.05)
    True
    """

    _predicts = "classifier"

    def __init__(
        self,
        classifier: Any = None,
        *,
        action: str = "soft",
        estimators: Sequence[Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.classifier = classifier
        self.action = action
        self.estimators = estimators
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, *, groups: Any = None) -> Self:
        """Audit the labels, and fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features, finite numbers.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        groups : array-like of shape (n,), optional
            Rows of one group (a patient, a document) do not vouch for each other in the audit. In a
            search or a pipeline they are metadata to be routed: ``set_fit_request(groups=True)``.
        """
        check_choice("action", self.action, LEARNT)
        X, y = check_data(self, X, y, dtype=float)  # the labels are for the audit to check
        check_no_missing_labels(as_column(y))  # it would do without some of them
        seed = draw_seed(self.random_state)
        model = self._unfitted(seed)
        self.audit_ = audit(
            X,
            y,
            estimators=self.estimators,
            groups=groups,
            self_check=False,
            random_state=seed,
            n_jobs=self.n_jobs,
        )
        # A fitted classifier should not hold the table: examples are made while it is there.
        self.audit_.examples = list(self.audit_.examples)
        self.audit_._for_review = None
        self.classes_ = self.audit_.classes
        self.suspicion_ = self.audit_.suspicion
        self.flagged_ = self.audit_.flagged
        self.suggested_ = self.audit_.suggested
        rows, classes, weights = material(self.audit_, self.action)
        weighted = {} if weights is None else {"sample_weight": weights}
        self.classifier_ = model.fit(X[rows], classes, **weighted)
        return self

    def _chosen(self) -> Any:
        return KernelAndTrees(n_jobs=self.n_jobs) if self.classifier is None else self.classifier

    def _unfitted(self, seed: int) -> Any:
        if self.action in ("soft", "weight") and not takes_sample_weight(self._chosen()):
            raise TypeError(
                f"{type(self.classifier).__name__}.fit takes no sample_weight, which "
                f'action="{self.action}" needs; choose another classifier, or action="drop".'
            )
        return clone_keeping_seeds(self._chosen(), seed)

    def _predictor(self) -> Any:
        return getattr(self, "classifier_", self._chosen())

    def _ask(self, method: str, X: Any) -> Any:
        return super()._ask(method, check_rows(self, X, dtype=float))


def material(found: Audit, action: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Rows to learn from (some more than once), their classes, and weights where they matter."""
    if action == "soft":
        labels = np.eye(len(found.classes))[found._codes]
        posterior = class_posterior(found) if found.has_skill else labels
        kept = (posterior > LEAST_CLASS_WEIGHT) | (labels > 0)  # lest a class be gone
        rows, codes = np.nonzero(kept)
        return rows, found.classes[codes], np.maximum(posterior[rows, codes], LEAST_CLASS_WEIGHT)
    cleaned = found.clean(action)
    rows = np.flatnonzero(cleaned.kept)
    return rows, cleaned.labels[rows], cleaned.weight[rows] if action == "weight" else None


def class_posterior(audit: Audit, known: np.ndarray | None = None) -> np.ndarray:
    """P(class = c) for each row, (n, K), columns in the order of ``audit.classes``.

    The label has what ``p_wrong`` leaves it. Of a flagged row the suggested class has
    ``p_suggested``, and other classes share the rest alike. Elsewhere ``p_wrong``, which is small
    there, goes to the classes that the noise model knows to be labelled so.

    Parameters
    ----------
    audit : Audit
        Of the table.
    known : array of bool of shape (n,), optional
        Rows whose label is certain.
    """
    codes = audit._codes
    n_classes = len(audit.classes)
    rows = np.arange(len(audit))
    posterior = audit.p_wrong[:, None] * _classes_of_wrong_labels(audit)[codes]
    flagged = np.flatnonzero(audit.flagged)
    rest = np.maximum(audit.p_wrong - audit.p_suggested, 0)[flagged] / max(n_classes - 2, 1)
    posterior[flagged] = rest[:, None]
    posterior[flagged, np.searchsorted(audit.classes, audit.suggested[flagged])] = (
        audit.p_suggested[flagged]
    )
    posterior[rows, codes] = 1 - audit.p_wrong
    if known is not None:
        posterior[known] = np.eye(n_classes)[codes[known]]
    return posterior


def _classes_of_wrong_labels(audit: Audit) -> np.ndarray:
    """P(class = c | label = l, the label is wrong), a row for each label."""
    joint = (audit.prior[:, None] * audit.transition).T  # labels, classes
    np.fill_diagonal(joint, 0)
    total = joint.sum(axis=1, keepdims=True)
    alike = (1 - np.eye(len(joint))) / max(len(joint) - 1, 1)
    return np.where(total > 1e-12, joint / np.where(total > 1e-12, total, 1), alike)
