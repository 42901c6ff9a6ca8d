"""Learn from numbers of which some are wrong: leave these out, and fit again."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from ....auditing import audit_targets
from ..count import take_rows

__all__ = ["CleanLearning"]


class CleanLearning(BaseEstimator):
    """A regressor that leaves out targets that are probably wrong.

    There is no confident learning for numbers: errata's posterior always decides.

    Parameters
    ----------
    model : regressor, optional
        By default scikit-learn's linear regression. It is fitted in place.
    cv_n_folds : int, default=5
        Number of folds for the predictions.
    n_boot, include_aleatoric_uncertainty, verbose
        Accepted; the audit learns how far right targets spread around the predictions.
    seed : int, optional
        Fix it to get the same folds again.

    Attributes
    ----------
    label_issues_df : pandas.DataFrame
        What :meth:`find_label_issues` returned.
    label_issues_mask : array of bool of shape (n,)
        Its column ``is_label_issue``.

    Examples
    --------
    >>> from errata.compat.cleanlab.regression.learn import CleanLearning
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> y[7] = 1000
    >>> issues = CleanLearning(seed=0).find_label_issues(X, y)
    >>> list(issues.columns), int(issues["label_quality"].idxmin())
    (['is_label_issue', 'label_quality', 'given_label', 'predicted_label'], 7)
    """

    def __init__(
        self,
        model=None,
        *,
        cv_n_folds=5,
        n_boot=5,
        include_aleatoric_uncertainty=True,
        verbose=False,
        seed=None,
    ):
        self.model = LinearRegression() if model is None else model
        self.cv_n_folds = cv_n_folds
        self.n_boot = n_boot
        self.include_aleatoric_uncertainty = include_aleatoric_uncertainty
        self.verbose = verbose
        self.seed = seed

    def find_label_issues(
        self,
        X: Any,
        y: Any,
        *,
        uncertainty: Any = None,
        coarse_search_range: Any = (0.01, 0.05, 0.1, 0.15, 0.2),
        fine_search_size: int = 3,
        save_space: bool = False,
        model_kwargs: dict | None = None,
    ) -> Any:
        """Find the targets that are probably wrong.

        Parameters
        ----------
        X : array-like of shape (n, ...)
            What the model learns from.
        y : array-like of shape (n,)
            Numbers.
        uncertainty, coarse_search_range, fine_search_size
            Accepted; the audit searches for nothing.
        save_space : bool, default=False
            Do not keep the table.
        model_kwargs : dict, optional
            Passed to the model's ``fit``.

        Returns
        -------
        pandas.DataFrame
            ``is_label_issue``, ``label_quality``, ``given_label``, ``predicted_label``.
        """
        import pandas

        X = X if hasattr(X, "shape") else np.asarray(X)
        y = np.asarray(y, dtype=float)
        predictions = np.empty(len(y))
        folds = KFold(self.cv_n_folds, shuffle=True, random_state=self.seed)
        for train, test in folds.split(y):
            fitted = clone(self.model).fit(take_rows(X, train), y[train], **(model_kwargs or {}))
            predictions[test] = np.ravel(fitted.predict(take_rows(X, test)))
        result = audit_targets(None, y, predictions=predictions, self_check=False, random_state=0)
        issues = pandas.DataFrame(
            {
                "is_label_issue": result.flagged,
                "label_quality": 1 - result.p_wrong,
                "given_label": y,
                "predicted_label": predictions,
            }
        )
        if not save_space:
            self.label_issues_df = issues
            self.label_issues_mask = result.flagged
        return issues

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        label_issues: Any = None,
        sample_weight: Any = None,
        find_label_issues_kwargs: dict | None = None,
        model_kwargs: dict | None = None,
        model_final_kwargs: dict | None = None,
    ) -> "CleanLearning":
        """Find wrong targets, leave them out, and fit the model to the others.

        Parameters
        ----------
        X : array-like of shape (n, ...)
            What the model learns from.
        y : array-like of shape (n,)
            Numbers.
        label_issues : pandas.DataFrame or array of bool, optional
            What :meth:`find_label_issues` returned before, or a mask; nothing is looked for then.
        sample_weight : array-like of shape (n,), optional
            Weights of rows.
        find_label_issues_kwargs : dict, optional
            Arguments of :meth:`find_label_issues`.
        model_kwargs, model_final_kwargs : dict, optional
            Passed to every ``fit``, and to the last one only.

        Returns
        -------
        self
        """
        y = np.asarray(y, dtype=float)
        if label_issues is None:
            options = dict(find_label_issues_kwargs or {})
            options.setdefault("model_kwargs", model_kwargs)
            label_issues = self.find_label_issues(X, y, **options)
        if hasattr(label_issues, "columns"):
            self.label_issues_df = label_issues
            label_issues = label_issues["is_label_issue"]
        self.label_issues_mask = np.asarray(label_issues, dtype=bool)
        if self.label_issues_mask.shape != y.shape:
            raise ValueError(f"label_issues must have a value for each of the {len(y)} rows.")
        rows = np.flatnonzero(~self.label_issues_mask)
        options = {**(model_kwargs or {}), **(model_final_kwargs or {})}
        if sample_weight is not None:
            options["sample_weight"] = np.asarray(sample_weight, dtype=float)[rows]
        X = X if hasattr(X, "shape") else np.asarray(X)
        self.model = clone(self.model).fit(take_rows(X, rows), y[rows], **options)
        return self

    def get_label_issues(self) -> Any:
        """Return the table that :meth:`find_label_issues` made; None before.

        Returns
        -------
        pandas.DataFrame or None
        """
        return getattr(self, "label_issues_df", None)

    def predict(self, X: Any, *args: Any, **kwargs: Any) -> np.ndarray:
        """Predict numbers by the fitted model.

        Parameters
        ----------
        X : array-like of shape (n, ...)
            Rows.
        *args, **kwargs
            Passed on.

        Returns
        -------
        array of shape (n,)
        """
        return self.model.predict(X, *args, **kwargs)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Score of the fitted model.

        Parameters
        ----------
        X : array-like of shape (n, ...)
            Rows.
        y : array-like of shape (n,)
            Their targets.
        sample_weight : array-like of shape (n,), optional
            Weights of rows.

        Returns
        -------
        float
        """
        if sample_weight is None:
            return self.model.score(X, y)
        return self.model.score(X, y, sample_weight=sample_weight)
