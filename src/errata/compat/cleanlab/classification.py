"""Learn from labels of which some are wrong: leave these out, and fit again."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import has_fit_parameter

from . import count
from ._inputs import audit_labels, check_labels, check_method, warn_unused
from .filter import find_label_issues, mask_of, rank_flagged
from .rank import get_label_quality_scores

__all__ = ["CleanLearning"]

POSTERIOR_OPTIONS = ("frac_noise", "num_to_remove_per_class", "min_examples_per_class")


class CleanLearning(BaseEstimator):
    """A classifier that leaves out labels that are probably wrong.

    Do not use it for new code: :class:`errata.AuditedClassifier` brings models of its own, and
    can relabel and weigh rows as well as drop them.

    Parameters
    ----------
    clf : classifier with ``predict_proba``, optional
        By default scikit-learn's logistic regression. It is fitted in place.
    seed : int, optional
        Fix it to get the same folds again.
    cv_n_folds : int, default=5
        Number of folds for the probabilities.
    converge_latent_estimates : bool, default=False
        See :func:`errata.compat.cleanlab.count.estimate_latent`.
    pulearning : int, optional
        A label that is always right: its rows are never flagged.
    find_label_issues_kwargs : dict, optional
        Arguments of :func:`errata.compat.cleanlab.filter.find_label_issues`.
    label_quality_scores_kwargs : dict, optional
        Arguments of :func:`errata.compat.cleanlab.rank.get_label_quality_scores`.
    verbose, low_memory : bool, default=False
        Accepted; nothing is printed, and memory is as low as it gets.
    method : {"posterior", "confident_learning"}, default="posterior"
        Whether errata's posterior decides, or the rules of Northcutt et al. (2021).

    Attributes
    ----------
    label_issues_df : pandas.DataFrame
        What :meth:`find_label_issues` returned.
    label_issues_mask : array of bool of shape (n,)
        Its column ``is_label_issue``.
    noise_matrix : array of shape (K, K)
        P(label | class), rows are labels.
    inverse_noise_matrix : array of shape (K, K)
        P(class | label), rows are classes.
    confident_joint : array of shape (K, K)
        Counts of label and class.
    py : array of shape (K,)
        Frequencies of the classes.
    ps : array of shape (K,)
        Frequencies of the labels.

    Examples
    --------
    >>> from errata.compat.cleanlab.classification import CleanLearning
    >>> from errata.noise import flip_labels
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> model = CleanLearning(GaussianNB(), seed=0).fit(X, labels)
    >>> issues = model.get_label_issues()
    >>> list(issues.columns)
    ['is_label_issue', 'label_quality', 'given_label', 'predicted_label', 'sample_weight']
    >>> round(model.score(X, y), 2)
    0.96
    """

    def __init__(
        self,
        clf=None,
        *,
        seed=None,
        cv_n_folds=5,
        converge_latent_estimates=False,
        pulearning=None,
        find_label_issues_kwargs=None,
        label_quality_scores_kwargs=None,
        verbose=False,
        low_memory=False,
        method="posterior",
    ):
        self.clf = LogisticRegression() if clf is None else clf
        self.seed = seed
        self.cv_n_folds = cv_n_folds
        self.converge_latent_estimates = converge_latent_estimates
        self.pulearning = pulearning
        self.find_label_issues_kwargs = find_label_issues_kwargs
        self.label_quality_scores_kwargs = label_quality_scores_kwargs
        self.verbose = verbose
        self.low_memory = low_memory
        self.method = method

    def find_label_issues(
        self,
        X: Any = None,
        labels: Any = None,
        *,
        pred_probs: Any = None,
        thresholds: Any = None,
        noise_matrix: Any = None,
        inverse_noise_matrix: Any = None,
        save_space: bool = False,
        clf_kwargs: dict | None = None,
        validation_func: Any = None,
    ) -> Any:
        """Find the labels that are probably wrong.

        Parameters
        ----------
        X : array-like of shape (n, ...), optional
            What the classifier learns from; not needed with ``pred_probs``.
        labels : array-like of shape (n,)
            Integers from 0 to K - 1.
        pred_probs : array-like of shape (n, K), optional
            Out-of-sample probabilities; by default those of the classifier, cross-fitted.
        thresholds : array-like of shape (K,), optional
            See :func:`errata.compat.cleanlab.count.compute_confident_joint`.
        noise_matrix, inverse_noise_matrix : array-like of shape (K, K), optional
            Known rates of noise, for the weights of rows.
        save_space : bool, default=False
            Do not keep the table.
        clf_kwargs : dict, optional
            Passed to the classifier's ``fit``.
        validation_func : callable, optional
            Called with the rows and labels of the fold left out; returns further arguments of
            ``fit``.

        Returns
        -------
        pandas.DataFrame
            ``is_label_issue``, ``label_quality``, ``given_label``, ``predicted_label``.
        """
        check_method(self.method)
        import pandas

        if labels is None or (X is None and pred_probs is None):
            raise ValueError("pass labels, and X or pred_probs.")
        if pred_probs is None:
            pred_probs = count.cross_fit(
                self.clf,
                X,
                np.asarray(labels),
                cv_n_folds=self.cv_n_folds,
                seed=self.seed,
                clf_kwargs=clf_kwargs,
                validation_func=validation_func,
            )
        y, proba = check_labels(labels, pred_probs)
        k = proba.shape[1]
        self.ps = np.bincount(y, minlength=k) / len(y)
        options = dict(self.find_label_issues_kwargs or {})
        scoring = dict(self.label_quality_scores_kwargs or {})
        if self.method == "posterior":
            unused = {name: options.get(name) for name in ("filter_by", "confident_joint")}
            warn_unused(thresholds=thresholds, **unused)
            result = audit_labels(y, proba)
            self.confident_joint = count.count_joint(result, y, k)
            kept = {name: options[name] for name in POSTERIOR_OPTIONS if name in options}
            mask = mask_of(rank_flagged(result, y, **kept), len(y))
            quality = 1 - result.p_wrong
            if scoring.get("method", "posterior") != "posterior":
                quality = get_label_quality_scores(y, proba, **scoring)
        else:
            self.confident_joint = count.compute_confident_joint(y, proba, thresholds=thresholds)
            options = {"confident_joint": self.confident_joint, **options}
            options["return_indices_ranked_by"] = None
            mask = find_label_issues(y, proba, method=self.method, **options)
            scoring.setdefault("method", "self_confidence")
            quality = get_label_quality_scores(y, proba, **scoring)
        if self.pulearning is not None:
            mask = mask & (y != self.pulearning)
        self.py, self.noise_matrix, self.inverse_noise_matrix = count.estimate_latent(
            self.confident_joint,
            y,
            converge_latent_estimates=self.converge_latent_estimates,
        )
        if noise_matrix is not None:
            self.noise_matrix = np.asarray(noise_matrix, dtype=float)
        if inverse_noise_matrix is not None:
            self.inverse_noise_matrix = np.asarray(inverse_noise_matrix, dtype=float)
            if noise_matrix is None:
                joint = (self.inverse_noise_matrix * self.ps).T
                self.noise_matrix = joint / joint.sum(axis=0)
        small = np.int16 if k <= np.iinfo(np.int16).max else np.int64
        issues = pandas.DataFrame(
            {
                "is_label_issue": mask,
                "label_quality": quality,
                "given_label": y.astype(small),
                "predicted_label": proba.argmax(axis=1).astype(small),
            }
        )
        if not save_space:
            self.label_issues_df = issues
            self.label_issues_mask = mask
        return issues

    def fit(
        self,
        X: Any,
        labels: Any = None,
        *,
        pred_probs: Any = None,
        thresholds: Any = None,
        noise_matrix: Any = None,
        inverse_noise_matrix: Any = None,
        label_issues: Any = None,
        sample_weight: Any = None,
        clf_kwargs: dict | None = None,
        clf_final_kwargs: dict | None = None,
        validation_func: Any = None,
        y: Any = None,
    ) -> "CleanLearning":
        """Find wrong labels, leave them out, and fit the classifier to the others.

        Parameters
        ----------
        X : array-like of shape (n, ...)
            What the classifier learns from.
        labels, y : array-like of shape (n,)
            Integers from 0 to K - 1, by either name.
        pred_probs, thresholds, noise_matrix, inverse_noise_matrix, validation_func
            See :meth:`find_label_issues`.
        label_issues : pandas.DataFrame or array, optional
            What :meth:`find_label_issues` returned before, a mask, or indices; nothing is looked
            for then.
        sample_weight : array-like of shape (n,), optional
            Weights of rows. By default 1 / P(label | class), if the classifier takes weights.
        clf_kwargs, clf_final_kwargs : dict, optional
            Passed to every ``fit``, and to the last one only.

        Returns
        -------
        self
        """
        if labels is None:
            labels = y
        if labels is None:
            raise ValueError("pass labels.")
        labels = np.asarray(labels)
        weights = None
        if label_issues is None:
            self.find_label_issues(
                X,
                labels,
                pred_probs=pred_probs,
                thresholds=thresholds,
                noise_matrix=noise_matrix,
                inverse_noise_matrix=inverse_noise_matrix,
                clf_kwargs=clf_kwargs,
                validation_func=validation_func,
            )
            kept = ~self.label_issues_mask
            if sample_weight is None and has_fit_parameter(self.clf, "sample_weight"):
                right = np.maximum(self.noise_matrix.diagonal(), 1e-3)
                weights = np.where(kept, 1 / right[labels], 0.0)
                self.label_issues_df["sample_weight"] = weights
        else:
            kept = ~self._read_issues(label_issues, len(labels))
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=float)
        rows = np.flatnonzero(kept)
        options = {**(clf_kwargs or {}), **(clf_final_kwargs or {})}
        if weights is not None:
            options["sample_weight"] = weights[rows]
        X = X if hasattr(X, "shape") else np.asarray(X)
        self.clf = clone(self.clf).fit(count.take_rows(X, rows), labels[rows], **options)
        return self

    def _read_issues(self, label_issues: Any, n: int) -> np.ndarray:
        """Mask of the rows that the user says are wrong; a table is kept as ours."""
        if hasattr(label_issues, "columns"):
            if "is_label_issue" not in label_issues.columns:
                raise ValueError("label_issues must have a column is_label_issue.")
            self.label_issues_df = label_issues
            label_issues = label_issues["is_label_issue"].to_numpy()
        given = np.asarray(label_issues)
        mask = np.zeros(n, dtype=bool)
        if given.dtype == bool and given.shape != (n,):
            raise ValueError(f"label_issues must have a value for each of the {n} rows.")
        mask[given] = True
        self.label_issues_mask = mask
        return mask

    def get_label_issues(self) -> Any:
        """Return the table that :meth:`find_label_issues` made; None before.

        Returns
        -------
        pandas.DataFrame or None
        """
        return getattr(self, "label_issues_df", None)

    def save_space(self) -> None:
        """Forget the table of label issues."""
        for name in ("label_issues_df", "label_issues_mask"):
            if hasattr(self, name):
                delattr(self, name)

    def predict(self, *args: Any, **kwargs: Any) -> np.ndarray:
        """Predict classes by the fitted classifier.

        Parameters
        ----------
        *args, **kwargs
            Passed on.

        Returns
        -------
        array of shape (n,)
        """
        return self.clf.predict(*args, **kwargs)

    def predict_proba(self, *args: Any, **kwargs: Any) -> np.ndarray:
        """Predict probabilities by the fitted classifier.

        Parameters
        ----------
        *args, **kwargs
            Passed on.

        Returns
        -------
        array of shape (n, K)
        """
        return self.clf.predict_proba(*args, **kwargs)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score of the fitted classifier, its accuracy if it has none of its own.

        Parameters
        ----------
        X : array-like of shape (n, ...)
            Rows.
        y : array-like of shape (n,)
            Their classes.
        sample_weight : array-like of shape (n,), optional
            Weights of rows.

        Returns
        -------
        float
        """
        if not hasattr(self.clf, "score"):
            return accuracy_score(y, self.predict(X), sample_weight=sample_weight)
        if sample_weight is None:
            return self.clf.score(X, y)
        return self.clf.score(X, y, sample_weight=sample_weight)
