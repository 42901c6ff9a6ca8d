"""The audit of a table, in memory or not, and a classifier that learns from what it finds."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from .._progress import Progress, open_progress
from .._random import clone_keeping_seeds, draw_seed
from .._routing import takes_sample_weight
from .._validation import as_column, check_choice, check_data, check_no_missing_labels, check_rows
from ..filters._base import PartPredicts
from ..tables._columns import as_table
from ..tables.stored._sources import is_stored
from ._in_memory import Asked, audit_in_memory
from ._settings import LEAST_CLASS_WEIGHT
from .models._default import KernelAndTrees
from .results._audit import Audit
from .results._cleaning import ACTIONS
from .stored._audit import Storing, audit_stored

LEARNT = ("soft", *(action for action in ACTIONS if action != "unlabel"))


def audit(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    pred_proba: Any = None,
    embeddings: Any = None,
    estimators: Sequence[Any] | None = None,
    groups: Any = None,
    sequence: Any = None,
    wavelets: Any = None,
    trust: Sequence[Any] = (),
    known: Any = None,
    decisions: Any = None,
    keys: Any = None,
    ids: Any = None,
    precision: float | None = None,
    self_check: bool = True,
    image_shape: tuple[int, ...] | None = None,
    title: str | None = None,
    drop: Sequence[Any] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
    out: str | os.PathLike | None = None,
    memory: int | str | None = None,
    engine: Any = None,
    resume: bool = True,
) -> Audit:
    """Find out which labels are wrong, how many, which way, and how sure that is.

    Several quick models of different kinds give each row's label a probability without having
    learnt from that row. A posterior over noise hypotheses turns these into the probability that
    the label is wrong. Where the columns do not tell the labels apart, it says so and flags
    nothing. Then errors are injected into a copy of the labels and looked for in the same way,
    which shows how far the answer can be trusted on this very table.

    Parameters
    ----------
    X : table of shape (n, d)
        A pandas or polars dataframe, an Arrow table, a ``Dataset`` of Hugging Face, a mapping of
        names to columns, an array, a sparse matrix. Numbers, categories, text, dates, pictures (or
        names of their files) and missing cells are accepted. None when ``pred_proba`` is
        all there is. A table that is larger than memory is given as a path (a file, a folder of
        Parquet files, a pattern such as ``"visits-*.csv.gz"``), a list of paths, a
        ``pyarrow.dataset``, a dask dataframe or a polars ``LazyFrame``, and is read in parts; then
        ``y``, ``groups``, ``known``, ``ids`` and each of ``pred_proba`` are names of its columns,
        and ``out`` must be given.
    y : array-like of shape (n,) or str
        The labels, or the name of their column in ``X``. Where one is missing (None, NaN), the row
        teaches nothing and gets the most probable class as ``suggested``.
    estimator : classifier with ``predict_proba``, optional
        A model of yours, cross-fitted to ``X`` as you gave it, with your labels, and pooled with
        the other models.
    pred_proba : array-like or dataframe of shape (n, K), optional
        Out-of-fold probabilities of the labels by a model of yours, pooled with the others. The
        columns of an array are in the order of the sorted labels, those of a dataframe are matched
        to the labels by name. Rows whose sum is off by at most 2 % are divided by it.
    embeddings : array-like of shape (n, d), optional
        What models should look at instead of ``X``.
    estimators : sequence of classifiers or of (name, classifier) pairs, optional
        Models to use in place of errata's own, cross-fitted to errata's features of ``X`` (numeric,
        scaled); empty for none but ``estimator`` and ``pred_proba``. An
        :class:`errata.auditing.OutOfFoldModel` may stand for a classifier.
    groups : array-like of shape (n,), optional
        Rows of one group (a patient, a document) are never predicted from each other. Copies of
        a row are found and treated so without being named.
    sequence : array-like of shape (n,) or str, optional
        For rows that follow each other in time: the recording that each row belongs to, or the
        name of that column in ``X``. Rows of one recording are taken in the order of the table.
        Hidden Markov models then stand for errata's own models, a recording is read by models that
        were fitted to others (or to other parts, where there are fewer than five), and
        :meth:`Audit.stretches` tells from where to where labels are wrong. Only columns of numbers
        are looked at.
    wavelets : errata.sequence.WaveletFeatures, optional
        With ``sequence``: models look at these features of the signals instead of the signals.
    trust : sequence of column names or positions, optional
        Columns that were measured independently of the label. A column that alone gives nearly
        every label, when the others cannot, looks made from the label and is left out unless it is
        named here.
    known : array-like of bool of shape (n,) or str, optional
        Rows whose label is certain, or the name of a column of ``X`` that says so (1 or 0, true or
        false, yes or no). They teach like any others but are never flagged, and nothing is learnt
        about the noise from them.
    decisions : Decisions or path, optional
        What people decided about the rows in a review. The classes they gave replace the labels and
        are known; rows they found unusable are left out as if they had no label; which labels were
        wrong also tells what the noise is like.
    keys : array-like of str of shape (n,), optional
        What decisions know the rows by, see :func:`errata.tables.row_keys`; by default their
        places, as "row.12".
    ids : array-like of shape (n,), optional
        What to call the rows in reports; by default what the index of a pandas dataframe does.
    precision : float, optional
        Flag as many rows as keep this fraction of them expected to be wrong. By default as many as
        promise the largest F1 score.
    self_check : bool, default=True
        Whether to inject errors and look for them. It about doubles the time; above 10,000 rows it
        is done on 5,000 of them.
    image_shape : tuple of int, optional
        For rows that are pixels: height and width, to show them.
    title : str, optional
        How reports call the data.
    drop : sequence, default=()
        Columns of ``X`` that are no features.
    random_state : int, RandomState or None
        Fix it to get the same audit again.
    n_jobs : int, optional
        Threads for forests and neighbours, -1 for all.
    progress : bool or callable, optional
        True shows on a terminal or in a notebook what is being done. A function is called with a
        few words at every stage; of a table that is read in parts, with an object whose text they
        are after every part.
    out : path, optional
        For a table that is read in parts: the folder that the audit is saved to when it is whole.
        What is finished before is kept beside it, in a folder that ends in ``.unfinished``.
    memory : int or str, optional
        For a table that is read in parts: how much memory may be used, in bytes or as in "2GB". It
        decides how many rows are read at a time, and about no result.
    engine : distributed.Client or str, optional
        For a table that is read in parts: the Dask cluster whose workers read them, or the address
        of its scheduler; this process by default.
    resume : bool, default=True
        For a table that is read in parts: whether to go on with an unfinished audit of it.

    Returns
    -------
    Audit
        ``p_wrong``, ``suggested``, ``flagged``, ``noise_rate`` and more, with ``clean``, ``report``
        and ``save``.

    Notes
    -----
    Models learn from 200,000 rows, which are drawn if there are more; all others are judged by what
    was learnt. Time grows linearly with the rows, memory stays within a few times the table plus
    O(n K) for K classes, and for a table that is read in parts within what one part takes. Wrong
    labels near the border between classes look like classes that overlap: no method can tell them
    apart from labels alone, and the interval of the noise rate is the wider for it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import errata
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 100]] = 2, 0                      # a setosa and a virginica change places
    >>> result = errata.audit(X, y, self_check=False, random_state=0)
    >>> sorted(int(row) for row in result.suspicion.argsort()[::-1][:2])
    [3, 100]
    >>> result.suggested[[3, 100]].tolist()
    [0, 2]
    """
    asked = Asked(
        estimator=estimator,
        pred_proba=pred_proba,
        embeddings=embeddings,
        estimators=estimators,
        groups=groups,
        sequence=sequence,
        wavelets=wavelets,
        trust=trust,
        known=known,
        decisions=decisions,
        keys=keys,
        ids=ids,
        precision=precision,
        self_check=self_check,
        image_shape=image_shape,
        title=title,
        drop=drop,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    X = as_table(X)
    if not is_stored(X):
        _check_not_stored(out, memory, engine)
        with open_progress(progress) as tell:
            return audit_in_memory(X, y, asked, tell)
    if out is None:
        raise ValueError("a table that is read in parts needs a folder for the audit: pass out.")
    storing = Storing(Path(out), memory, engine, resume)
    with open_progress(progress) as tell:
        return audit_stored(X, y, asked, storing, tell)


def _check_not_stored(out: Any, memory: Any, engine: Any) -> None:
    for name, value in (("out", out), ("memory", memory), ("engine", engine)):
        if value is not None:
            raise ValueError(
                f"{name}={value!r} is for tables that are read in parts, but X is in memory; pass "
                "the path of a file or folder instead, or a dask dataframe."
            )


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
        self.audit_.for_review = None  # it holds the table, which a fitted classifier should not
        self.classes_ = self.audit_.classes
        self.suspicion_, self.flagged_ = self.audit_.suspicion, self.audit_.flagged
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
        labels = np.eye(len(found.classes))[found.codes]
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
    codes, n_classes, rows = audit.codes, len(audit.classes), np.arange(len(audit))
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
