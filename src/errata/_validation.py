"""The one place where X, y, labels and the parameters of estimators are checked."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ._format import count, join_names, shorten

MISSING_WORDS = ("", "nan", "na", "n/a", "null")  # in any case; "none" may well be a class
MANY_NUMBERS = 30  # different numbers from which they may be a measurement
MANY_FRACTIONS = 10  # the same for numbers with fractions; grades and ratings are as many
FAR_FROM_ONE = 2.0**100  # beyond (or below one over it) single precision and squares soon end
FEW_ROWS = 10  # of each number on average, below which many of them are taken for one


# Labels and the rows that carry them: what they may be, and the codes that stand for them.


def check_labels(y: Any, *, name: str = "y", min_classes: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted distinct labels of ``y`` and, for each row, the index of its label.

    Numbers, strings and booleans are accepted; missing labels, measurements (floats that are not
    whole numbers) and labels of several kinds at once are not.
    """
    y = as_column(y, name=name)
    if y.ndim != 1:
        raise ValueError(f"{name} must hold one label per row, but {_describe_non_column(y)}.")
    if len(y) == 0:
        raise ValueError(f"{name} is empty; errata needs at least one labelled row.")
    if y.dtype.kind in "mM":
        raise ValueError(_describe_objects(y, name))
    # First, as np.unique fails on None and takes NaN for a class.
    check_no_missing_labels(y, name=name)
    try:
        classes, codes = encode_labels(y)
    except TypeError as error:  # str and int do not compare
        kinds = ", ".join(sorted({type(label).__name__ for label in y.tolist()}))
        raise ValueError(
            f"{name} mixes labels of several kinds ({kinds}); convert them to one, "
            "for instance with astype(str)."
        ) from error
    if y.dtype.kind not in "biu" or 2 * len(classes) > len(y):  # else it is slow and says nothing
        _check_classes(y, name)
    if len(classes) < min_classes:
        raise ValueError(
            f"{name} holds one class only ({classes[0]}); at least {min_classes} are needed "
            "to tell a wrong label from a right one."
        )
    return classes, codes


def are_floats(whole: Any) -> bool:
    """Whether floats can hold all of these whole numbers, as they do up to 2**53.

    Examples
    --------
    >>> are_floats(np.array([-3, 2**53])), are_floats(np.array([3, 2**53 + 1]))
    (True, False)
    """
    return len(whole) == 0 or bool(whole.min() >= -(2**53) and whole.max() <= 2**53)


def encode_labels(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted distinct labels, and for each row the index of its label.

    As ``np.unique`` with ``return_inverse``, but whole numbers that are close together are counted.

    Examples
    --------
    >>> encode_labels(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1]))
    """
    if y.dtype.kind != "i" or not len(y) or int(y.max()) - int(y.min()) >= len(y):
        return np.unique(y, return_inverse=True)
    lowest = y.min()
    above = y.astype(np.intp) - int(lowest)
    is_there = np.bincount(above) > 0
    classes = (np.flatnonzero(is_there) + lowest).astype(y.dtype)
    return classes, above if is_there.all() else (np.cumsum(is_there) - 1)[above]


def check_known_labels(y: Any, classes: np.ndarray) -> np.ndarray:
    """Return the codes of labels that must all be among the ``classes`` of a fitted estimator."""
    labels, codes = check_labels(y)
    unknown = np.setdiff1d(labels, classes)
    if len(unknown):
        raise ValueError(f"y holds {unknown.tolist()[0]!r}, a label that was not there in fit.")
    return np.searchsorted(classes, labels)[codes]


def as_column(y: Any, *, name: str = "y") -> np.ndarray:
    """Labels as an array; a table of one column is as good as a column."""
    y = np.ma.filled(y.astype(object), np.nan) if isinstance(y, np.ma.MaskedArray) else y
    try:
        column = np.asarray(y)
    except ValueError as error:  # lists of several lengths
        raise ValueError(
            f"{name} must hold one label per row, but some rows have several or none; errata "
            "judges one label at a time."
        ) from error
    if column.dtype.kind == "U" and column.ndim == 1 and any(map(is_missing, y)):
        column = np.array(y, dtype=object)  # NumPy makes the text "nan" of what is missing
    if column.dtype.kind == "f" and np.isnan(column).any() and np.nanmax(abs(column)) >= 2**53:
        # And floats of whole numbers that no float can hold.
        cells = y.to_pylist() if hasattr(y, "to_pylist") else list(y)
        if any(isinstance(cell, Integral) for cell in cells):
            column = np.array([None if is_missing(cell) else int(cell) for cell in cells])
    return column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column


def _describe_non_column(y: np.ndarray) -> str:
    """Name what somebody may have passed instead of a column."""
    if y.ndim == 0:
        return f"it is {y.item()!r}; pass a list or an array"
    hint = "pass one of its columns, or argmax(axis=1) of columns that are 0 and 1 for each class"
    return f"its shape is {y.shape}; {hint if y.ndim == 2 else 'pass a single column'}"


def _check_classes(y: np.ndarray, name: str) -> None:
    """Raise what scikit-learn raises about labels, in a sentence if they are measurements."""
    try:
        check_classification_targets(y)
    except ValueError as error:
        if y.dtype.kind == "O":
            raise ValueError(_describe_objects(y, name)) from error
        if y.dtype.kind != "f":
            raise
        odd = y[np.flatnonzero(y % 1)[0]]
        # It begins with the words that scikit-learn's estimator checks look for.
        raise ValueError(
            f"Unknown label type: {name} holds numbers with fractions such as {odd:g}, which "
            "measure something; sort them into classes, or pass them as text if they are names."
        ) from error


def _describe_objects(y: np.ndarray, name: str) -> str:
    """A sentence about labels that are neither text nor whole numbers nor booleans."""
    odd = next((label for label in y.tolist() if not isinstance(label, str | bool)), y[0])
    if y.dtype.kind in "mM":
        what = "dates" if y.dtype.kind == "M" else "durations"
    else:
        what = f"labels of the type {type(odd).__name__} ({shorten(str(odd), 40)})"
    # It begins with the words that scikit-learn's estimator checks look for.
    return (
        f"Unknown label type: {name} holds {what}; text, whole numbers of up to 64 bits and "
        "booleans are understood. Pass them as text if they name classes."
    )


def check_no_missing_labels(y: np.ndarray, *, name: str = "y") -> None:
    """Raise when a label is None, NaN, NaT or pandas' NA."""
    if y.dtype.kind in "OfcmM":  # integers, booleans and fixed strings have no missing value
        missing = np.flatnonzero([is_missing(label) for label in y])
        if len(missing):
            rows = "row" if len(missing) == 1 else "rows"
            raise ValueError(
                f"{name} contains NaN or None: {len(missing)} {rows} without a label "
                f"(the first is row {missing[0]}); drop these rows or label them."
            )


def is_missing(value: Any, *, text: bool = False) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA; of a ``text`` file, also a word for that.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "NaN", 0, [])]
    [True, True, False, False, False]
    >>> [is_missing(cell, text=True) for cell in ("", " ", "NaN", "n/a", "none")]
    [True, True, True, True, False]
    """
    if isinstance(value, str):
        return text and value.strip().lower() in MISSING_WORDS
    if value is None:
        return True
    if isinstance(value, list | tuple | dict | set | np.ndarray):
        return False  # an array would not compare to one yes or no
    same = value == value  # NaN and NaT differ from themselves; pandas' NA will not say
    return not (isinstance(same, bool | np.bool_) and bool(same))


def check_labelled(
    estimator: Any, X: Any, y: Any, *, min_classes: int = 1, **checks: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Validate what a detector or classifier is fitted on; return X and the codes of the labels.

    Sets ``classes_``, ``n_features_in_`` and, for dataframes, ``feature_names_in_``. ``checks``
    goes to scikit-learn's ``validate_data``.
    """
    if y is None:
        # The words that scikit-learn's estimator checks look for.
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    X, y = check_data(estimator, X, y, **checks)
    estimator.classes_, codes = check_labels(y, min_classes=min_classes)
    return X, codes


def check_rows(estimator: Any, X: Any, **checks: Any) -> Any:
    """Validate the rows that a fitted estimator is to predict or transform."""
    check_is_fitted(estimator)
    return check_data(estimator, X, reset=False, **checks)


def check_data(estimator: Any, X: Any, y: Any = "no_validation", **checks: Any) -> Any:
    """Validate ``X``, and ``y`` if given, as scikit-learn's ``validate_data`` does.

    Missing values pass where the estimator's tags say that it takes them; elsewhere one sentence
    says so, instead of scikit-learn's paragraph. With ``y_numeric`` yes and no become 1 and 0, and
    words are refused: scikit-learn lets both through in an array of NumPy.
    """
    if checks.get("y_numeric"):
        y = _targets(estimator, y)
    if get_tags(estimator).input_tags.allow_nan:
        checks = {"ensure_all_finite": "allow-nan", **checks}
    try:
        return validate_data(estimator, X, y, **checks)
    except ValueError as error:
        if "does not accept missing values" not in str(error):
            raise
        raise ValueError(
            f"Input X contains NaN, but {type(estimator).__name__} does not accept missing values; "
            "impute them first, for instance with sklearn.impute.SimpleImputer."
        ) from None


def _targets(estimator: Any, y: Any) -> Any:
    """The targets as numbers, where they are yes and no, text or objects."""
    if y is None or np.asarray(y).dtype.kind not in "bOU":
        return y
    try:
        return np.asarray(y, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{type(estimator).__name__} predicts numbers, but y holds text or other objects."
        ) from error


def bring_near_one(X: Any) -> Any:
    """Features times a power of two, where squares of the largest would vanish or overflow.

    For those who look at rows in ``fit`` alone: by a power of two nothing is rounded, and whatever
    compares rows with each other finds the same. Trees of scikit-learn hold single precision.

    Examples
    --------
    >>> bring_near_one(np.array([[1.0, -2.0]])), bring_near_one(np.array([[0.0, 3 * 2.0**-600]]))
    (array([[ 1., -2.]]), array([[0.  , 0.75]]))
    """
    cells = X.data if hasattr(X, "tocsr") else X
    if cells.dtype.kind != "f" or not cells.size:
        return X
    largest = float(max(-np.fmin.reduce(cells, axis=None), np.fmax.reduce(cells, axis=None)))
    if not 0 < largest < np.inf or 1 / FAR_FROM_ONE <= largest <= FAR_FROM_ONE:
        return X
    near = X.copy()
    np.ldexp(cells, -int(np.frexp(largest)[1]), out=near.data if hasattr(X, "tocsr") else near)
    return near


def fit_to_codes(estimator: Any, X: Any, codes: np.ndarray, **fit_params: Any) -> Any:
    """Fit to rows and labels that have passed the checks already; return the estimator.

    ``X`` and ``codes`` are what :func:`check_labelled` gives, or some of their rows, and weights
    have been checked, too. Estimators of errata have ``_fit_codes`` next to ``fit`` and are spared
    the checks. Any other estimator, and one that gets further metadata, is fitted by ``fit``.
    """
    sizes = np.bincount(codes)
    present = np.flatnonzero(sizes)
    plain = _is_plain(estimator, X) and fit_params.keys() <= {"sample_weight"}
    # One class is left to ``fit``, as it may be too few: the estimator says so in its own words.
    if not hasattr(estimator, "_fit_codes") or len(present) < 2 or not plain:
        return estimator.fit(X, codes, **fit_params)
    # What ``check_labelled`` would have set.
    estimator.classes_ = present
    estimator.n_features_in_ = X.shape[1]
    if len(present) < len(sizes):
        codes = np.searchsorted(present, codes)
    return estimator._fit_codes(X, codes, **fit_params)


def _is_plain(estimator: Any, X: Any) -> bool:
    """Whether no estimator would refuse or convert ``X``; else its own checks are called."""
    if not (isinstance(X, np.ndarray) and X.dtype == np.float64 and X.flags.c_contiguous):
        return False
    # NaN and infinity survive a sum, which is quicker than looking at each value; a sum that
    # overflows costs a check and nothing else.
    return bool(get_tags(estimator).input_tags.allow_nan or np.isfinite(X.sum()))


def check_no_measurement(classes: Any, n: int, name: str) -> None:
    """Raise when the distinct labels of ``n`` rows look like a measurement, not like classes."""
    numbers = parse_numbers(classes)
    if numbers is None or not is_measurement(numbers, n):
        return
    some = join_names((f"{number:g}" for number in numbers), most=3).partition(" and ")[0]
    raise ValueError(
        f"{name} holds {count(len(numbers))} different numbers in {count(n)} rows ({some}, ...), "
        "which looks like a continuous measurement and not like classes: use errata.audit_targets, "
        "or --target on the command line. If they are the names of classes, put a letter in front "
        "of them."
    )


def is_measurement(numbers: np.ndarray, n: int) -> bool:
    """Whether so many numbers, each of so few rows, are hardly classes.

    Numbers with fractions are not, when there are many. Whole numbers that count from 0 or 1
    without a gap are what encoders of labels make, and pass.

    >>> is_measurement(np.linspace(36, 41, 51), 5000), is_measurement(np.arange(200), 1000)
    (True, False)
    >>> is_measurement(np.arange(18, 90), 500), is_measurement(np.arange(18, 90), 5000)
    (True, False)
    """
    if len(numbers) <= MANY_NUMBERS:
        return False
    if np.any(numbers % 1):
        return True
    encoded = numbers.min() in (0, 1) and np.ptp(numbers) == len(numbers) - 1
    return n < FEW_ROWS * len(numbers) and not encoded


def parse_numbers(classes: Any) -> np.ndarray | None:
    """The distinct labels as sorted numbers; None where one of them is a word or a code.

    >>> parse_numbers(["2.5", "1"]), parse_numbers(["01", "02"]), parse_numbers(["cat", "1"])
    (array([1. , 2.5]), None, None)
    """
    names = np.asarray(classes)
    if names.dtype.kind == "b" or any(_is_code(name) for name in names.tolist()):
        return None
    try:
        numbers = np.unique(names.astype(float))
    except (TypeError, ValueError):
        return None
    return numbers if np.all(np.isfinite(numbers)) else None


def _is_code(name: Any) -> bool:
    """Text such as 01234, in which the first nought belongs to a name."""
    return isinstance(name, str) and name[:1] == "0" and name[1:2].isdigit()


# Numbers and words: what the parameters of functions and estimators may be.


def check_count(name: str, value: Any, *, low: int = 1, high: int | None = None) -> int:
    """Return ``value`` as an int when it is a whole number in [low, high]."""
    # True is an Integral to Python, and a slip to us.
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        allowed = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name}={value!r} must be a whole number {allowed}.")
    return int(value)


def check_fraction(name: str, value: Any, *, low: float = 0.0, high: float = 1.0) -> float:
    """Return ``value`` as a float when it is a number in [low, high]."""
    # "not low <= x" and not "x < low": NaN, for which both are false, is refused.
    if not _is_number(value) or not low <= float(value) <= high:
        raise ValueError(f"{name}={value!r} must be a number between {low:g} and {high:g}.")
    return float(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return ``value`` when it is one of ``choices``."""
    if value not in choices:
        raise ValueError(f"{name}={value!r} is not known; choose from {', '.join(choices)}.")
    return value


def check_positive(name: str, value: Any, *, otherwise: str = "") -> float:
    """Return ``value`` as a float when it is finite and above 0; ``otherwise`` it may be more."""
    if not _is_number(value) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name}={value!r} must be a finite number above 0{otherwise}.")
    return float(value)


def check_significance(name: str, value: Any) -> float:
    """Return a significance level when it lies strictly between 0 and 1."""
    level = check_fraction(name, value)
    if level in (0.0, 1.0):
        raise ValueError(f"{name}={value!r} decides everything beforehand; 0.05 is customary.")
    return level


def check_alpha(alpha: Any, *, otherwise: str = "") -> float:
    """Return the strength of an L2 penalty; ``otherwise`` tells what else would have done."""
    if not _is_number(alpha) or not 0 <= float(alpha) < np.inf:
        raise ValueError(
            f"alpha={alpha!r} must be a number of at least 0 (0 for plain least squares)"
            f"{otherwise}."
        )
    return float(alpha)


def check_mean_weight(mean_weight: Any) -> float:
    """Return ``mean_weight`` when it is a fraction strictly between 0 and 1."""
    fraction = check_fraction("mean_weight", mean_weight)
    if not 0 < fraction < 1:
        raise ValueError(
            f"mean_weight={mean_weight!r} must be above 0 and below 1: it is the fraction of the "
            "rows that should support the model, 0.95 for instance."
        )
    return fraction


def check_log_reinforcement(reinforcement: Any) -> float | None:
    """Return the logarithm of ``reinforcement``; None for "auto"."""
    if isinstance(reinforcement, str) and reinforcement == "auto":
        return None
    if not (_is_number(reinforcement) and reinforcement > 0):
        raise ValueError(
            f"reinforcement={reinforcement!r} must be a number above 0, or "
            '"auto" to reach a mean weight of mean_weight.'
        )
    return math.log(reinforcement)  # next to log-likelihoods, reinforcements themselves underflow


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


# One number for each row: weights, masks, scores, probabilities.


def check_row_weights(name: str, value: Any, n: int, *, high: float = np.inf) -> np.ndarray:
    """Return one weight per row, in [0, high] and not all zero; ones when ``value`` is None."""
    if value is None:
        return np.ones(n)
    weights = np.asarray(value, dtype=float)
    if weights.ndim == 0:  # one number for all rows, as scikit-learn's estimators take it
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise ValueError(
            f"{name} must hold one number for each of the {n} rows, but its shape is "
            f"{weights.shape}."
        )
    # What is right, turned round: NaN is wrong by any comparison.
    wrong = ~(np.isfinite(weights) & (weights >= 0) & (weights <= high))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name}[{row}] = {weights[row]} is not a weight; weights are finite numbers "
            f"{'at least 0' if np.isinf(high) else f'between 0 and {high:g}'}."
        )
    if not weights.any():
        raise ValueError(f"{name} is zero everywhere; at least one row must count.")
    return weights


def check_lengths(lengths: Any, n: int) -> np.ndarray:
    """Return the lengths of sequences that hold ``n`` samples in all; one sequence when None."""
    if lengths is None:
        return np.array([n])
    values = np.atleast_1d(np.asarray(lengths))
    if values.ndim != 1 or values.dtype.kind not in "iu" or (values < 1).any():
        raise ValueError("lengths must hold whole numbers above 0, one for each sequence.")
    if values.sum() != n:
        raise ValueError(
            f"lengths sum to {values.sum()}, but there are {n} samples; they must agree: each "
            "sample belongs to one sequence."
        )
    return values.astype(np.intp)


def check_sample_weight(sample_weight: Any, n: int) -> np.ndarray | None:
    """Return one weight per row, or None where all rows count alike."""
    return None if sample_weight is None else check_row_weights("sample_weight", sample_weight, n)


def check_class_weights(codes: np.ndarray, classes: np.ndarray, weight: np.ndarray) -> None:
    """Raise when all rows of a class have weight zero, so that it would be forgotten."""
    empty = classes[np.bincount(codes, weights=weight, minlength=len(classes)) == 0]
    if len(empty):
        raise ValueError(
            f"every row of the class {empty.tolist()[0]!r} has a sample_weight of zero, so that it "
            "cannot be learnt; drop these rows or give them a weight."
        )


def check_mask(name: str, mask: Any, n: int | None = None) -> np.ndarray:
    """Return a mask of one yes or no per row; 0 and 1 are accepted."""
    values = np.asarray(mask)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must hold one yes or no per row; its shape is {values.shape}.")
    _check_length(name, len(values), n)
    if not np.all(np.isin(values, (0, 1))):
        raise ValueError(f"{name} must hold True and False (or 1 and 0) only.")
    return values.astype(bool)


def check_row_scores(
    name: str, scores: Any, n: int | None = None, *, probability: bool = False
) -> np.ndarray:
    """Return one finite number per row, in [0, 1] where it is a probability."""
    values = np.asarray(scores, dtype=float)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must hold one number per row; its shape is {values.shape}.")
    _check_length(name, len(values), n)
    if not np.all(np.isfinite(values)):
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{name}[{row}] = {values[row]} is not finite.")
    if probability and (values.min() < 0 or values.max() > 1):
        raise ValueError(
            f"{name} goes from {values.min():.3g} to {values.max():.3g}; "
            "probabilities lie between 0 and 1."
        )
    return values


def check_hardness(hardness: Any, n: int) -> np.ndarray:
    """Return how hard each of ``n`` rows is, in [0, 1]."""
    h = np.asarray(hardness, dtype=float)
    if h.shape != (n,):
        raise ValueError(f"hardness must be one number per row, {n}; its shape is {h.shape}.")
    if not np.all((h >= 0) & (h <= 1)):
        raise ValueError(
            "hardness must lie between 0 and 1; this one does not (or is nan): rescale it."
        )
    return h


def check_log_probabilities(name: str, value: Any) -> np.ndarray:
    """Return log-probabilities or log-densities, or name the first row that has none."""
    log_p = np.asarray(value, dtype=float)
    if log_p.ndim != 1 or len(log_p) == 0:
        raise ValueError(f"{name} must hold one number per row, but its shape is {log_p.shape}.")
    wrong = np.isnan(log_p) | (log_p == np.inf)
    # Minus infinity is accepted: it stands for a probability of zero.
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"{name}[{row}] = {log_p[row]} is not the logarithm of a probability or density; "
            "a model whose likelihood is infinite or undefined cannot be reinforced."
        )
    return log_p


def _check_length(name: str, found: int, n: int | None) -> None:
    if n is not None and found != n:
        raise ValueError(f"{name} has {found} rows, the other argument {n}; they must agree.")


# Tables of numbers: transition matrices, class fractions, class weights, scores of methods.


def check_transition(transition: Any) -> np.ndarray:
    """Return a (K, K) matrix of probabilities whose rows sum to one, or say what is wrong."""
    T = np.array(transition, dtype=float)  # a copy: whoever made it may change it later
    if T.ndim != 2 or T.shape[0] != T.shape[1] or len(T) < 2:
        raise ValueError(
            f"a transition matrix has one row and one column per class (two at least), "
            f"but this one has shape {T.shape}."
        )
    if not np.all(np.isfinite(T)) or T.min() < 0:
        row, column = np.argwhere(~(np.isfinite(T) & (T >= 0)))[0]
        raise ValueError(f"transition[{row}, {column}] = {T[row, column]} is not a probability.")
    # Rounding of sums is forgiven; digits that were cut off in print change the model.
    off = np.abs(T.sum(axis=1) - 1)
    if off.max() > 1e-8:
        row = int(off.argmax())
        raise ValueError(
            f"row {row} of the transition matrix sums to {T[row].sum():.6g}; "
            "each row holds the label probabilities of one class and must sum to 1."
        )
    return T


def check_prior(prior: Any, n_classes: int) -> np.ndarray:
    """Return fractions of the classes that sum to one, from fractions or counts."""
    fractions = np.asarray(prior, dtype=float)
    if fractions.shape != (n_classes,):
        raise ValueError(
            f"expected {n_classes} class fractions, but the shape is {fractions.shape}."
        )
    if not np.all(np.isfinite(fractions)) or fractions.min() < 0 or fractions.sum() == 0:
        raise ValueError("class fractions must be non-negative numbers, not all zero.")
    return fractions / fractions.sum()


def check_score_table(scores: Any, *, min_datasets: int = 1) -> np.ndarray:
    """Return ``scores`` as floats: one row per data set, one column per method, nothing missing."""
    try:
        table = np.asarray(scores, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "scores must hold numbers only; if a column names the data sets, "
            "drop it or make it the index."
        ) from error
    if table.ndim != 2:
        raise ValueError(
            f"scores must be a table with one row per data set and one column per method, "
            f"but its shape is {table.shape}."
        )
    n, k = table.shape
    if n < min_datasets:
        raise ValueError(f"scores has {n} data sets (rows); at least {min_datasets} are needed.")
    if k < 2:
        raise ValueError(f"scores has {k} methods (columns); at least 2 are needed.")
    _check_complete(table, getattr(scores, "columns", None))
    return table


def _check_complete(table: np.ndarray, columns: Any) -> None:
    cells = np.argwhere(~np.isfinite(table))
    if len(cells):
        row, column = cells[0]
        method = "" if columns is None else f" ({columns[column]})"
        raise ValueError(
            f"scores has {len(cells)} missing or infinite cells, the first in row {row}, "
            f"column {column}{method}; every method needs a score on every data set: "
            "complete the cell, or drop the row."
        )
