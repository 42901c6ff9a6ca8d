"""Extreme learning machines for classes, which check the labels, and for numbers."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted

from .._blocks import blocks, map_blocks
from .._crossfit import make_folds
from .._detector import DetectorMixin
from .._random import LARGEST_SEED
from .._validation import (
    check_alpha,
    check_choice,
    check_count,
    check_data,
    check_labelled,
    check_labels,
    check_no_missing_labels,
    check_rows,
    check_sample_weight,
)
from .._warn import warn_user
from . import _ridge
from ._hidden_layer import (
    ACTIVATIONS,
    FLOATS,
    RBF,
    HiddenLayer,
    HiddenRows,
    make_generator,
)

RIDGE_RULES = ("press", "gcv", "kfold")
SELECTIONS = ("first", "lars")
DEPENDENT = 1e-10  # what is left of a unit, of length one, that others can replace
EVERY_SIZE = 50  # sizes up to here are all compared, larger ones in steps of a twentieth
LOG_TEMPERATURES = (np.log(1e-3), np.log(1e3))
ENOUGH = 5_000_000  # scores to fit a temperature to; of more than that, evenly spaced rows do


class BaseELM(BaseEstimator):
    """An extreme learning machine, but for the coding of its target."""

    def __init__(
        self,
        *,
        n_hidden: int = 1000,
        activation: str = "erf",
        weight_distribution: str = "normal",
        weight_scale: float | str = 1.0,
        gamma: float | None = None,
        alpha: float | str = "press",
        alphas: Any = None,
        fit_intercept: bool = True,
        cv: Any = None,
        block_size: int = 8192,
        unit_selection: str | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.activation = activation
        self.weight_distribution = weight_distribution
        self.weight_scale = weight_scale
        self.gamma = gamma
        self.alpha = alpha
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.block_size = block_size
        self.unit_selection = unit_selection
        self.random_state = random_state

    def _fit_output_layer(
        self,
        X: np.ndarray,
        T: np.ndarray,
        codes: np.ndarray,
        weight: np.ndarray | None,
        groups: Any,
    ) -> tuple[np.ndarray | None, list[np.ndarray] | None]:
        """Fit the output layer; return out-of-sample predictions (None if not wanted) and folds."""
        alpha, alphas = self._check_alpha(groups is not None)
        random = make_generator(self.random_state)
        layer = self._draw(X, random)
        folds = make_held_out_folds(self.cv, X, codes, groups, random)
        rows = self._rows(layer, X, T, weight)
        if self.unit_selection is not None:
            layer = self._select_units(layer, rows, alpha, alphas)
            rows = self._rows(layer, X, T, weight)
        # Plain least squares and "kfold" need the sums of every fold, however small.
        large, small = _ridge.split_folds(folds or (), rows.m, all_large=alpha in (0, "kfold"))
        system, records = _ridge.sum_up(rows, large, small, fit_intercept=self.fit_intercept)
        model = self._solve(system, layer, alpha, alphas, records, rows)
        if self.cv is False:
            return None, None
        predictions, leverage, solved = _ridge.predict_outside(model, rows, records, large, small)
        if leverage is not None:
            self.leverage_ = leverage
            undefined = int(np.isnan(predictions).any(axis=1).sum())
            if undefined:
                warn_user(
                    f"{undefined} of {len(predictions)} rows cannot be predicted without "
                    "themselves: alpha is too small for so many hidden units. Raise alpha or lower "
                    "n_hidden."
                )
        if alpha == "kfold":
            self._keep_folds(layer, solved)
        return predictions, folds

    def _draw(self, X: np.ndarray, random: np.random.Generator) -> HiddenLayer:
        common: dict[str, Any] = {
            "n_hidden": self.n_hidden,
            "weight_scale": self.weight_scale,
            "random_state": random,
        }
        if check_choice("activation", self.activation, (*ACTIVATIONS, RBF)) == RBF:
            layer = HiddenLayer.draw_around_rows(X, gamma=self.gamma, **common)
        else:
            layer = HiddenLayer.draw(
                X.shape[1],
                activation=self.activation,
                weight_distribution=self.weight_distribution,
                **common,
            )
        self.hidden_weights_ = layer.weights
        self.hidden_bias_ = layer.bias
        self.gamma_ = layer.gamma
        # Without an intercept nothing would give the shift back.
        return layer.centered_on(X) if self.fit_intercept else layer

    def _select_units(
        self,
        layer: HiddenLayer,
        rows: HiddenRows,
        alpha: float | str,
        alphas: np.ndarray | None,
    ) -> HiddenLayer:
        """Keep the first units, as drawn or as ranked, that predict left-out rows best."""
        order = np.arange(rows.m)
        if check_choice("unit_selection", self.unit_selection, SELECTIONS) == "lars":
            root = 1.0 if rows.weight is None else np.sqrt(rows.weight)[:, None]
            order = rank_units(root * rows.take(), root * rows.target)
        if len(order) == 0:  # units that do not vary; the warning of the fit says so
            return layer
        self.sizes_, self.size_errors_ = _compare_sizes(
            layer, order, rows, alpha, alphas, fit_intercept=self.fit_intercept
        )
        self.units_ = order[: self.sizes_[self.size_errors_.argmin()]]
        self.hidden_weights_ = self.hidden_weights_[:, self.units_]
        self.hidden_bias_ = self.hidden_bias_[self.units_]
        return _take_units(layer, self.units_)

    def _rows(
        self, layer: HiddenLayer, X: np.ndarray, T: np.ndarray, weight: np.ndarray | None
    ) -> HiddenRows:
        size = check_count("block_size", self.block_size)
        return HiddenRows(layer, X, T, weight, block_size=size)

    def _check_alpha(self, grouped: bool = False) -> tuple[float | str, np.ndarray | None]:
        """``alpha`` and ``alphas``, when they make sense together with ``cv``."""
        alpha = _check_alpha_or_rule(self.alpha)
        if alpha == "kfold" and (self.cv is False or (self.cv is None and not grouped)):
            raise ValueError('alpha="kfold" needs folds to compare alphas on; pass cv=5.')
        return alpha, _check_alphas(self.alphas)

    def _solve(
        self,
        system: _ridge.RidgeSystem,
        layer: HiddenLayer,
        alpha: float | str,
        alphas: np.ndarray | None,
        records: Sequence[_ridge.GramRecord] = (),
        rows: HiddenRows | None = None,
    ) -> _ridge.RidgeModel:
        """Let a rule choose alpha where it is to; set what describes the output layer."""
        if system.mean_eigenvalue <= _ridge.CONSTANT * system.weight:
            warn_user(
                "the hidden units do not vary over the rows, so all rows are predicted alike; "
                "scale X (for instance with StandardScaler) or raise weight_scale."
            )
        if isinstance(alpha, str):
            alpha, tried = _ridge.choose_alpha(alpha, alphas, system, records, rows)
            for name, values in tried.items():
                setattr(self, f"{name}_", values)
        model = system.solved(alpha)
        self.alpha_ = alpha
        self.dof_ = model.degrees_of_freedom
        self.coef_ = model.coef
        self.intercept_ = model.intercept - _predict_shift(layer, model.coef)
        return model

    def _keep_folds(
        self, layer: HiddenLayer, outputs: Sequence[tuple[np.ndarray, np.ndarray]]
    ) -> None:
        """Set the output layers of the models without each fold, which "kfold" has all of."""
        self.fold_coef_ = np.stack([coef for coef, _ in outputs])
        self.fold_intercept_ = np.stack(
            [intercept - _predict_shift(layer, coef) for coef, intercept in outputs]
        )

    def _absorb(self, X: np.ndarray, T: np.ndarray, sample_weight: Any) -> None:
        """Add rows to the sums; the output layer waits until it is asked for."""
        self._check_alpha()  # and not only then
        if self.unit_selection is not None:
            raise ValueError(
                f"unit_selection={self.unit_selection!r} needs all rows at once; call fit, or pass "
                "unit_selection=None."
            )
        if not hasattr(self, "_record"):
            self._layer = self._draw(X, make_generator(self.random_state))
            self._record = _ridge.GramRecord.empty(len(self._layer.bias), T.shape[1])
        rows = self._rows(self._layer, X, T, check_sample_weight(sample_weight, len(X)))
        self._record = self._record.merge(_ridge.record_of(rows))
        if hasattr(self, "coef_"):
            del self.coef_  # out of date until _finalize

    def _finalize(self) -> None:
        """Solve for the output layer if rows have been added since the last time."""
        check_is_fitted(self, "hidden_weights_")
        if not hasattr(self, "coef_"):
            alpha, alphas = self._check_alpha()
            system = self._record.system(fit_intercept=self.fit_intercept)
            self._solve(system, self._layer, alpha, alphas)

    def _forget(self) -> None:
        """Drop what an earlier fit has learnt."""
        for name in [name for name in vars(self) if name.endswith("_") or name == "_record"]:
            delattr(self, name)

    def _start_anew_after_fit(self) -> None:
        if hasattr(self, "hidden_weights_") and not hasattr(self, "_record"):
            warn_user("fit keeps no sums that rows could be added to: partial_fit starts anew.")
            self._forget()

    def _scores(self, X: Any) -> np.ndarray:
        """Outputs for new rows, shape (n, q)."""
        self._finalize()
        X = check_rows(self, X, dtype=FLOATS, order="C")
        layer = HiddenLayer(
            self.hidden_weights_, self.hidden_bias_, self.activation, gamma=self.gamma_
        )

        def outputs(block: slice) -> np.ndarray:
            return layer(X[block]) @ self.coef_ + self.intercept_

        return map_blocks(outputs, blocks(len(X), self.block_size))


def rank_units(H: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Units in the order in which least-angle regression takes them up; dependent ones are left.

    The fit moves towards the least-squares fit on the units taken up so far, until another unit is
    as much correlated with the residuals as these, which all are alike. With several targets the
    correlation is the length of the vector of correlations (Similä and Tikka, 2007).
    """
    H = H - H.mean(axis=0)
    lengths = np.linalg.norm(H, axis=0)
    varying = np.flatnonzero(lengths > DEPENDENT * lengths.max(initial=0))
    H = H[:, varying] / lengths[varying]
    left = np.ones(len(varying), dtype=bool)
    basis = np.empty((len(H), min(len(H) - 1, len(varying))))
    residual = T - T.mean(axis=0)
    ahead = np.zeros_like(residual)  # from the fit to the least-squares fit
    order = list[int]()
    a = H.T @ residual
    entering = int((a**2).sum(axis=1).argmax()) if len(varying) else 0
    while left.any() and len(order) < basis.shape[1]:
        left[entering] = False
        taken = basis[:, : len(order)]
        q = H[:, entering]
        for _ in range(2):  # once more, for the digits that were lost
            q = q - taken @ (taken.T @ q)
        if np.linalg.norm(q) > DEPENDENT:
            q = q / np.linalg.norm(q)
            basis[:, len(order)] = q
            order.append(int(varying[entering]))
            ahead = ahead + np.outer(q, q @ residual)
        if left.any():
            step, entering = _find_next(H.T @ residual, H.T @ ahead, left)
            residual = residual - step * ahead
            ahead = (1 - step) * ahead
    return np.array(order, dtype=int)


def _find_next(a: np.ndarray, b: np.ndarray, left: np.ndarray) -> tuple[float, int]:
    """How far to go until another unit has as large a correlation, and which.

    Correlations with the residuals are ``a - step b``, and ``(1 - step) a`` of units taken up,
    whose length is ``c``: the first root of ``|a - step b|² = (1 - step)² c²``.
    """
    c_squared = (a[~left] ** 2).sum(axis=1).max()
    square = (b**2).sum(axis=1) - c_squared
    half = (a * b).sum(axis=1) - c_squared
    constant = np.minimum((a**2).sum(axis=1) - c_squared, 0.0)
    root = np.sqrt(np.maximum(half**2 - square * constant, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of two ways to write the root, the one that adds numbers of equal sign.
        steps = np.where(half > 0, (half + root) / square, constant / (half - root))
    steps = np.where(left, np.nan_to_num(steps, nan=1.0), np.inf)
    return float(np.clip(steps.min(), 0.0, 1.0)), int(steps.argmin())


def _compare_sizes(
    layer: HiddenLayer,
    order: np.ndarray,
    rows: HiddenRows,
    alpha: float | str,
    alphas: np.ndarray | None,
    *,
    fit_intercept: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Sizes of networks of the first units, and the squared leave-one-out error of each.

    Where a rule is to choose alpha, each size has its own, by the least error.
    """
    sizes = list(range(1, min(EVERY_SIZE, len(order)) + 1))
    while sizes and sizes[-1] < len(order):
        sizes.append(min(len(order), sizes[-1] + max(1, sizes[-1] // 20)))
    errors = []
    for size in sizes:
        some = HiddenRows(
            _take_units(layer, order[:size]),
            rows.X,
            rows.target,
            rows.weight,
            block_size=rows.block_size,
        )
        system, _ = _ridge.sum_up(some, fit_intercept=fit_intercept)
        if isinstance(alpha, str):
            grid = _ridge.GRID * (system.mean_eigenvalue or 1.0) if alphas is None else alphas
            errors.append(float(_ridge.compute_press(system, some, grid).min()))
        else:
            outside, _ = _ridge.predict_left_out(system.solved(alpha), some)
            squares = ((rows.target - outside) ** 2).sum(axis=1)
            error = squares.sum() if rows.weight is None else rows.weight @ squares
            errors.append(float(np.nan_to_num(error, nan=np.inf)))
    return np.array(sizes), np.array(errors)


def _take_units(layer: HiddenLayer, units: np.ndarray) -> HiddenLayer:
    """The layer with these units only."""
    shift = None if layer.shift is None else layer.shift[units]
    return layer._replace(
        weights=np.ascontiguousarray(layer.weights[:, units]), bias=layer.bias[units], shift=shift
    )


def _predict_shift(layer: HiddenLayer, coef: np.ndarray) -> Any:
    """The shift's part of the outputs: it keeps digits, and users see the units as they are."""
    return 0 if layer.shift is None else layer.shift @ coef


class ELMClassifier(ClassifierMixin, DetectorMixin, BaseELM):
    """Classify by ridge regression on random units, and check every label by a model without it.

    Reach for it to look through the labels of much data at the price of one linear fit: each row is
    scored by the model fitted to all other rows, or to the other folds, exactly and without fitting
    again. It assumes scaled features, not hundreds of them, and wrong labels that do not agree with
    each other: many wrong labels side by side are learnt like right ones. Leave-one-out scores
    scatter with fewer than some 50 rows, and results vary with the draw of the hidden layer:
    compare several seeds. Takes O(n m²) time and O(m² K) memory for m units and K folds.

    Parameters
    ----------
    n_hidden : int, default=1000
        Number m of hidden units. It may exceed the number of rows: alpha, not the number of
        units, keeps the model simple.
    activation : {"erf", "tanh", "logistic", "rbf"}, default="erf"
        What a unit does to its weighted sum. "rbf" takes RBF features instead, centred on rows
        drawn from X, at most as many as there are rows.
    weight_distribution : {"normal", "uniform"}, default="normal"
        Hidden weights and biases are drawn from N(0, s²) or from U(-3 s, 3 s), s being
        ``weight_scale``.
    weight_scale : float or "auto", default=1.0
        Scale s of the hidden weights; larger makes rougher borders. "auto" is 1 / sqrt(1 + d), for
        many features. RBF features are narrower by it, see ``gamma``.
    gamma : float, optional
        Of RBF features, ``exp(-gamma |x - z|²)``. When not given it is the square of
        ``weight_scale`` divided by the median squared distance between rows.
    alpha : float, "press", "gcv" or "kfold", default="press"
        L2 strength, as in :class:`sklearn.linear_model.Ridge`; larger makes smoother borders, 0 is
        plain least squares of smallest norm. "press" takes the alpha with the smallest squared
        leave-one-out error, "gcv" approximates
        that without a second pass over the rows (weights count rows there: their mean should be
        one), "kfold" does the same for the folds of ``cv``.
    alphas : array-like, optional
        Values of alpha to choose from. By default 49 between 1e-8 and 1e4 times the mean eigenvalue
        of the Gram matrix, and four decades beyond when the best lies at an end.
    fit_intercept : bool, default=True
        Whether to learn an intercept, which is not penalised. Scores of a row sum to one with it.
    cv : int, splitter, iterable of (train, test), False or None, default=None
        How labels are checked: None leaves out one row at a time (one group, where ``fit`` gets
        ``groups``), a number (stratified folds) or a splitter leaves out folds, False does not
        check them (a plain fit). Rows that depend on each other in time need folds that keep them
        together.
    block_size : int, default=8192
        Rows whose hidden activations are held at once.
    unit_selection : {"first", "lars"}, optional
        Keep the first units only, in the order drawn or in that of least-angle regression, as many
        as have the smallest squared leave-one-out error; all activations are held at once then.
        "lars" with ``alpha=0`` is OP-ELM, with "press" TROP-ELM [3]_. A network of few units is
        quick to apply; as a rule it predicts no better than all units and a well chosen alpha.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. With neither this nor ``contamination``, a row is
        flagged if another class scores higher than its label.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState, Generator or None
        Draws the hidden layer and deals out folds.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Probability of any class but the label, by the model that did not see the row.
        Calibrated as a forecast of labels, and made for ranking: it counts honest overlap of the
        classes too, so it is not the probability that the label is wrong.
    flagged_ : array of bool of shape (n,)
        Rows flagged as mislabelled.
    suggested_ : array of shape (n,)
        The class with the highest score where a row is flagged, its own label elsewhere.
    margin_ : array of shape (n,)
        Score of the label less the highest score of another class; below zero, that class is more
        likely.
    loo_predictions_ : array of shape (n, n_classes)
        Scores of each row by the model fitted to all others (``cv=None``).
    oof_predictions_ : array of shape (n, n_classes)
        Scores of each row by the model fitted to the other folds (with folds).
    temperature_ : float or None
        What out-of-sample scores are divided by to become probabilities, see Notes; None when
        there are none.
    leverage_ : array of shape (n,)
        How far each row decides its own fitted value, from near 0 to 1 (``cv=None``).
    coef_ : array of shape (n_hidden, n_classes)
        Output weights.
    intercept_ : array of shape (n_classes,)
    fold_coef_ : array of shape (n_folds, n_hidden, n_classes)
        Output weights of the model without each fold, where "kfold" chose alpha;
        ``fold_intercept_`` are its intercepts.
    hidden_weights_ : array of shape (d, n_hidden)
    hidden_bias_ : array of shape (n_hidden,)
    gamma_ : float
        Of the RBF features; zero for the other activations.
    alpha_ : float
        The L2 strength used.
    dof_ : float
        Effective number of parameters, the trace of the smoother.
    alphas_ : array of shape (n_alphas,)
        Values that were compared; their errors are in ``press_``, ``gcv_`` or ``kfold_``.
    units_, sizes_, size_errors_ : arrays
        With ``unit_selection``: which of the units drawn were kept, numbers of units compared, and
        the squared leave-one-out error of each.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    Targets are one for the label and zero for the other classes. With A = Hc'Hc + alpha I on
    centred activations Hc, row i has the leverage s_i = 1/n + h_i' A⁻¹ h_i, and the model without
    it scores (t^_i - s_i t_i) / (1 - s_i). For folds, the sums of the rows outside a fold are the
    sums of the other folds. Both are equal to fitting again, to rounding; alpha itself is chosen
    once, on all rows. An alpha so small that the Gram matrix is singular in floating point is
    handled by its eigenvalues. Where it lets a row decide its own fitted value, digits of the
    leave-one-out score are lost as 1 - s_i falls; below 1e-12 the score is NaN, and a warning says
    so.

    Probabilities are softmax(score / temperature), the temperature being the one at which the
    out-of-sample scores make the labels most likely [2]_. They forecast labels, mistakes included.

    References
    ----------
    .. [1] Huang, Zhu and Siew. Extreme learning machine: theory and applications.
       Neurocomputing 70, 2006.
    .. [2] Guo, Pleiss, Sun and Weinberger. On calibration of modern neural networks. ICML 2017;
       the smoothing of labels is Platt's (1999).
    .. [3] Miche, van Heeswijk, Bas, Simula and Lendasse. TROP-ELM: a double-regularized ELM using
       LARS and Tikhonov regularization. Neurocomputing 74, 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from errata.elm import ELMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 100]] = 2, 0  # a setosa and a virginica change places
    >>> model = ELMClassifier(n_hidden=200, random_state=0).fit(scale(X), y)
    >>> model.suspicion_.argsort()[::-1][:2].tolist()
    [100, 3]
    >>> model.suggested_[[100, 3]].tolist()
    [2, 0]
    """

    def __init__(
        self,
        *,
        n_hidden: int = 1000,
        activation: str = "erf",
        weight_distribution: str = "normal",
        weight_scale: float | str = 1.0,
        gamma: float | None = None,
        alpha: float | str = "press",
        alphas: Any = None,
        fit_intercept: bool = True,
        cv: Any = None,
        block_size: int = 8192,
        unit_selection: str | None = None,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_hidden=n_hidden,
            activation=activation,
            weight_distribution=weight_distribution,
            weight_scale=weight_scale,
            gamma=gamma,
            alpha=alpha,
            alphas=alphas,
            fit_intercept=fit_intercept,
            cv=cv,
            block_size=block_size,
            unit_selection=unit_selection,
            random_state=random_state,
        )
        self.threshold = threshold
        self.contamination = contamination

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> "ELMClassifier":
        """Fit to the labels ``y`` and check each of them by the other rows.

        A weight of two counts like two copies, except that a row is left out with all its weight.
        Rows of one of the ``groups``, shape (n,), are left out together: with ``cv=None`` one group
        at a time, with a number of folds or a splitter by folds that keep groups together.
        """
        self._forget()
        X, codes = check_labelled(
            self, X, y, min_classes=2, dtype=FLOATS, order="C", ensure_min_samples=2
        )
        return self._fit_codes(X, codes, sample_weight, groups)

    def _fit_codes(
        self, X: np.ndarray, codes: np.ndarray, sample_weight: Any = None, groups: Any = None
    ) -> "ELMClassifier":
        """Fit to rows and labels that have passed the checks."""
        weight = check_sample_weight(sample_weight, len(codes))
        T = encode_one_hot(codes, len(self.classes_))
        scores, folds = self._fit_output_layer(X, T, codes, weight, groups)
        self.temperature_: float | None = None
        if scores is not None:
            warn_of_rare_classes(codes, self.classes_, folds, weight)
            setattr(self, "loo_predictions_" if folds is None else "oof_predictions_", scores)
            self._check_labels(fill_undefined(scores), codes, weight)
        return self

    def _check_labels(
        self, scores: np.ndarray, codes: np.ndarray, weight: np.ndarray | None
    ) -> None:
        temperature = self.temperature_ = fit_temperature(scores, codes, weight)
        suspicion, self.margin_, suggested = score_labels(scores, codes, temperature)
        self._conclude(suspicion, codes, suggested)
        if self.threshold is None and self.contamination is None:
            self.flagged_ = suggested != codes
            self.suggested_ = self.classes_[suggested]

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> "ELMClassifier":
        """Add rows; the output layer is solved for at the next prediction.

        The rows are not kept, so labels are not checked, and an alpha that is to be chosen is
        chosen by "gcv". The first call names all ``classes`` that will ever come.
        """
        known = self._check_classes(classes)
        self._start_anew_after_fit()
        X, y = check_data(self, X, y, dtype=FLOATS, order="C", reset=not hasattr(self, "_record"))
        check_no_missing_labels(y)
        codes = np.searchsorted(known, y)
        unknown = known[np.minimum(codes, len(known) - 1)] != y
        if unknown.any():
            raise ValueError(
                f"y holds the label {y[unknown].tolist()[0]!r}, which is not among the classes "
                f"named in the first call of partial_fit ({', '.join(map(repr, known.tolist()))})."
            )
        self.classes_ = known
        self.temperature_ = None
        self._absorb(X, encode_one_hot(codes, len(known)), sample_weight)
        return self

    def _check_classes(self, classes: Any) -> np.ndarray:
        if classes is None:
            if hasattr(self, "classes_"):
                return self.classes_
            raise ValueError("the first call of partial_fit needs classes, all that will come.")
        named = check_labels(classes, name="classes", min_classes=2)[0]
        if hasattr(self, "_record") and not np.array_equal(named, self.classes_):
            raise ValueError(
                f"classes={named.tolist()!r} are not those of the first call of partial_fit, "
                f"{self.classes_.tolist()!r}; name all that will ever come in the first call."
            )
        return named

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores, shape (n, n_classes); for two classes, that of the second less the first."""
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, shape (n, n_classes).

        Scores divided by ``temperature_`` under a softmax, which the out-of-sample scores have
        calibrated. After ``cv=False`` or ``partial_fit`` there are none: then scores are cut to
        [0, 1] and made to sum to one, and are not calibrated.
        """
        scores = self._scores(X)
        return compute_probabilities(scores, self.temperature_)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class with the highest score."""
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]


def score_labels(
    scores: np.ndarray, codes: np.ndarray, temperature: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Suspicion, margin and suggested code of each row, by scores of models that never saw it."""
    own = np.zeros(scores.shape, dtype=bool)
    own[np.arange(len(codes)), codes] = True
    # The sum over the others, and not one minus the own: it keeps the order of the trusted rows.
    suspicion = np.where(own, 0, softmax(scores / temperature, axis=1)).sum(axis=1)
    best_other = np.where(own, -np.inf, scores).max(axis=1)
    margin = scores[own] - best_other
    suggested = np.where(margin < 0, np.where(own, -np.inf, scores).argmax(axis=1), codes)
    return np.minimum(suspicion, 1), margin, suggested


def fit_temperature(scores: np.ndarray, codes: np.ndarray, weight: np.ndarray | None) -> float:
    """The temperature at which softmax(scores / temperature) makes the labels most likely.

    As Platt does, one label in n + 2 is taken to be another: without a single error to learn from,
    the most likely temperature would be zero, and every probability 0 or 1. A weight counts rows,
    but no row for less than one, so that weights which sum to one may be given, too.
    """
    step = -(-scores.size // ENOUGH)  # rounded up
    scores = scores[::step]
    codes = codes[::step]
    n, q = scores.shape
    w = np.ones(n) if weight is None else weight[::step]
    smooth = 1 / (max(w.sum(), np.count_nonzero(w)) + 2)
    # Softmax does not mind what is added to a row; at most zero, no power overflows. Transposed,
    # so that the sums over the few classes run along whole columns.
    below_best = np.ascontiguousarray((scores - scores.max(axis=1, keepdims=True)).T)
    own = below_best[codes, np.arange(n)]
    expected = (1 - smooth) * own + smooth * (below_best.sum(axis=0) - own) / (q - 1)

    def slope(log_temperature: float) -> float:
        """Derivative of the log loss by the inverse temperature."""
        powers = np.exp(below_best / np.exp(log_temperature))
        means = np.einsum("cn,cn->n", powers, below_best) / powers.sum(axis=0)
        return float(w @ (means - expected))

    low, high = LOG_TEMPERATURES
    if slope(low) <= 0:
        return float(np.exp(low))
    if slope(high) >= 0:
        return float(np.exp(high))
    return float(np.exp(brentq(slope, low, high, xtol=1e-10)))


def compute_probabilities(scores: np.ndarray, temperature: float | None) -> np.ndarray:
    """Softmax at a temperature; without one, scores cut to [0, 1] and made to sum to one."""
    if temperature is not None:
        return softmax(scores / temperature, axis=1)
    cut = np.clip(scores, 0, 1)
    total = cut.sum(axis=1, keepdims=True)
    return np.divide(cut, total, out=np.full_like(cut, 1 / cut.shape[1]), where=total > 0)


def encode_one_hot(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Targets of shape (n, n_classes): one for the row's class, zero for the others."""
    T = np.zeros((len(codes), n_classes))
    T[np.arange(len(codes)), codes] = 1
    return T


def fill_undefined(scores: np.ndarray) -> np.ndarray:
    """Scores in which a row that cannot be predicted without itself is left undecided."""
    undefined = np.isnan(scores).any(axis=1, keepdims=True)
    return np.where(undefined, 1 / scores.shape[1], scores)


def warn_of_rare_classes(
    codes: np.ndarray,
    classes: np.ndarray,
    folds: list[np.ndarray] | None,
    weight: np.ndarray | None = None,
) -> None:
    """Warn when a class has no row left to learn it from once a row, or a fold, is held out."""
    counted = np.ones(len(codes), dtype=bool) if weight is None else weight > 0

    def count(rows: Any) -> np.ndarray:
        return np.bincount(codes[rows][counted[rows]], minlength=len(classes))

    counts = count(slice(None))
    held_out = [np.minimum(counts, 1)] if folds is None else [count(fold) for fold in folds]
    unlearnt = classes[(counts == held_out).any(axis=0)]
    if len(unlearnt):
        names = ", ".join(repr(c) for c in unlearnt.tolist())
        warn_user(
            f"no row is left to learn class {names} from when its rows are held out, so each of "
            "them looks wrong; label more of them, merge the class with another or drop it."
        )


class ELMRegressor(RegressorMixin, BaseELM):
    """Non-linear regression at the price of a linear one, with its own exact cross-validation.

    A hidden layer of random units is drawn once; ridge regression learns the output layer, chooses
    its alpha and predicts every training row by a model that did not see it, all from one matrix of
    sums. Reach for it when data are many and features few and scaled. Speed is bought with some
    accuracy on some data, above all with hundreds of features, and results vary with the draw:
    report them over several seeds. Takes O(n m²) time and O(m² K) memory for m units, K folds.

    Parameters
    ----------
    n_hidden : int, default=1000
        Number m of hidden units. It may exceed the number of rows: alpha, not the number of
        units, keeps the model simple.
    activation : {"erf", "tanh", "logistic", "rbf"}, default="erf"
        What a unit does to its weighted sum. "rbf" takes RBF features instead, centred on rows
        drawn from X, at most as many as there are rows.
    weight_distribution : {"normal", "uniform"}, default="normal"
        Hidden weights and biases are drawn from N(0, s²) or from U(-3 s, 3 s), s being
        ``weight_scale``.
    weight_scale : float or "auto", default=1.0
        Scale s of the hidden weights; larger makes rougher functions. "auto" is 1 / sqrt(1 + d),
        for many features. RBF features are narrower by it, see ``gamma``.
    gamma : float, optional
        Of RBF features, ``exp(-gamma |x - z|²)``. When not given it is the square of
        ``weight_scale`` divided by the median squared distance between rows.
    alpha : float, "press", "gcv" or "kfold", default="press"
        L2 strength, as in :class:`sklearn.linear_model.Ridge`; larger makes smoother functions, 0
        is plain least squares of smallest norm. "press" takes the alpha with the smallest squared
        leave-one-out error, "gcv" approximates that without a second pass over the rows (weights
        count rows there: their mean should be one), "kfold" does the same for the folds of ``cv``.
    alphas : array-like, optional
        Values of alpha to choose from. By default 49 between 1e-8 and 1e4 times the mean eigenvalue
        of the Gram matrix, and four decades beyond when the best lies at an end.
    fit_intercept : bool, default=True
        Whether to learn an intercept, which is not penalised.
    cv : int, splitter, iterable of (train, test), False or None, default=None
        How training rows are predicted by models that did not see them: None leaves out one row at
        a time (one group, where ``fit`` gets ``groups``), a number or a splitter leaves out folds,
        False skips it (a plain fit). Rows that depend on each other in time need folds that keep
        them together.
    block_size : int, default=8192
        Rows whose hidden activations are held at once.
    unit_selection : {"first", "lars"}, optional
        Keep the first units only, in the order drawn or in that of least-angle regression, as many
        as have the smallest squared leave-one-out error; all activations are held at once then.
        "lars" with ``alpha=0`` is OP-ELM, with "press" TROP-ELM [2]_. A network of few units is
        quick to apply; as a rule it predicts no better than all units and a well chosen alpha.
    random_state : int, RandomState, Generator or None
        Draws the hidden layer and deals out folds.

    Attributes
    ----------
    loo_predictions_ : array of shape (n,) or (n, n_targets)
        Each row as predicted by the model fitted to all others (``cv=None``).
    oof_predictions_ : array of shape (n,) or (n, n_targets)
        Each row as predicted by the model fitted to the other folds (with folds).
    leverage_ : array of shape (n,)
        How far each row decides its own fitted value, from near 0 to 1 (``cv=None``).
    coef_ : array of shape (n_hidden, n_targets)
        Output weights.
    intercept_ : array of shape (n_targets,)
    fold_coef_ : array of shape (n_folds, n_hidden, n_targets)
        Output weights of the model without each fold, where "kfold" chose alpha;
        ``fold_intercept_`` are its intercepts.
    hidden_weights_ : array of shape (d, n_hidden)
    hidden_bias_ : array of shape (n_hidden,)
    gamma_ : float
        Of the RBF features; zero for the other activations.
    alpha_ : float
        The L2 strength used.
    dof_ : float
        Effective number of parameters, the trace of the smoother.
    alphas_ : array of shape (n_alphas,)
        Values that were compared; their errors are in ``press_``, ``gcv_`` or ``kfold_``.
    units_, sizes_, size_errors_ : arrays
        With ``unit_selection``: which of the units drawn were kept, numbers of units compared, and
        the squared leave-one-out error of each.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    With A = Hc'Hc + alpha I on centred activations Hc, row i has the leverage
    s_i = 1/n + h_i' A⁻¹ h_i, and the model without it predicts (t^_i - s_i t_i) / (1 - s_i). For
    folds, sums of the rows outside a fold are the sums of the other folds. Both are equal to
    fitting again, to rounding; alpha itself is chosen once, on all rows. An alpha so small that
    the Gram matrix is singular in floating point is handled by its eigenvalues. Where it lets a row
    decide its own fitted value, digits of the leave-one-out prediction are lost as 1 - s_i falls;
    below 1e-12 the prediction is NaN, and a warning says so.
    [1]_ describes extreme learning; the closed forms are ours.

    References
    ----------
    .. [1] Huang, Zhu and Siew. Extreme learning machine: theory and applications.
       Neurocomputing 70, 2006.
    .. [2] Miche, van Heeswijk, Bas, Simula and Lendasse. TROP-ELM: a double-regularized ELM using
       LARS and Tikhonov regularization. Neurocomputing 74, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.elm import ELMRegressor
    >>> x = np.linspace(-3, 3, 200)[:, None]
    >>> y = np.sinc(x[:, 0]) + np.random.RandomState(0).normal(scale=0.1, size=200)
    >>> model = ELMRegressor(n_hidden=100, random_state=0).fit(x, y)
    >>> error = np.sqrt(np.mean((y - model.loo_predictions_) ** 2))
    >>> f"off by {error:.2f} out of sample, of which 0.1 is noise"
    'off by 0.10 out of sample, of which 0.1 is noise'
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> "ELMRegressor":
        """Fit to targets ``y`` of shape (n,) or (n, n_targets).

        A weight of two counts like two copies, except that a row is left out with all its weight.
        Rows of one of the ``groups``, shape (n,), are left out together: with ``cv=None`` one group
        at a time, with a number of folds or a splitter by folds that keep groups together.
        """
        self._forget()
        X, T = self._check(X, y, ensure_min_samples=2)
        weight = check_sample_weight(sample_weight, len(T))
        codes = np.zeros(len(T), dtype=int)
        predictions, folds = self._fit_output_layer(X, T, codes, weight, groups)
        if predictions is not None:
            name = "loo_predictions_" if folds is None else "oof_predictions_"
            setattr(self, name, self._reshape(predictions))
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ELMRegressor":
        """Add rows; the output layer is solved for at the next prediction.

        The rows are not kept, so there are no out-of-sample predictions, and an alpha that is to be
        chosen is chosen by "gcv".
        """
        self._start_anew_after_fit()
        X, T = self._check(X, y, reset=not hasattr(self, "_record"))
        self._absorb(X, T, sample_weight)
        return self

    def _check(self, X: Any, y: Any, **checks: Any) -> tuple[np.ndarray, np.ndarray]:
        X, y = check_data(self, X, y, dtype=FLOATS, multi_output=True, y_numeric=True, **checks)
        self._one_output = y.ndim == 1
        return X, y.reshape(len(y), -1).astype(float)

    def _reshape(self, predictions: np.ndarray) -> np.ndarray:
        return predictions[:, 0] if self._one_output else predictions

    def predict(self, X: Any) -> np.ndarray:
        """Predict targets, in the shape that ``y`` had."""
        return self._reshape(self._scores(X))

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that there may be several targets."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _check_alpha_or_rule(alpha: Any) -> float | str:
    """Return the strength of an L2 penalty, or the name of the rule that is to choose it."""
    if isinstance(alpha, str):
        return check_choice("alpha", alpha, RIDGE_RULES)
    return check_alpha(alpha, otherwise=f" or one of {', '.join(RIDGE_RULES)}")


def _check_alphas(alphas: Any) -> np.ndarray | None:
    """Return the strengths to choose from in ascending order, or None."""
    if alphas is None:
        return None
    alphas = np.ravel(alphas)
    grid = np.unique(check_array(alphas, ensure_2d=False, dtype=float, input_name="alphas"))
    if grid[0] <= 0:
        raise ValueError(f"alphas must be positive, but {grid[0]:g} is among them.")
    return grid


def make_held_out_folds(
    cv: Any, X: np.ndarray, codes: np.ndarray, groups: Any, random: np.random.Generator
) -> list[np.ndarray] | None:
    """The rows of each fold, or None where rows are left out one by one or not at all.

    With ``groups`` and no ``cv`` each group is a fold.
    """
    if cv is False or (cv is None and groups is None):
        return None
    if groups is not None:
        groups = _check_groups(groups, len(codes))
    if cv is None:
        return [np.flatnonzero(groups == k) for k in range(groups.max() + 1)]
    seed = None
    if isinstance(cv, Integral):
        check_count("cv", cv, low=2, high=len(codes))
        seed = int(random.integers(LARGEST_SEED))
    folds = make_folds(cv, codes, X=X, groups=groups, random_state=seed)
    # The closed forms take a fold out of the sums over all rows, so nothing else may be left out.
    if any(len(train) == 0 or len(train) + len(test) < len(codes) for train, test in folds):
        raise ValueError(
            "cv must train on all the rows that a fold does not hold out; pass a number of folds "
            "or a splitter such as KFold, StratifiedKFold or GroupKFold."
        )
    return [np.sort(test) for _, test in folds]


def _check_groups(groups: Any, n: int) -> np.ndarray:
    """Number the groups from 0."""
    names, numbers = np.unique(np.asarray(groups), return_inverse=True)
    if numbers.shape != (n,):
        raise ValueError(
            f"groups must name the group of each of the {n} rows; its shape is {numbers.shape}."
        )
    if len(names) < 2:
        raise ValueError("all rows are of one group; at least two are needed to leave one out.")
    return numbers
