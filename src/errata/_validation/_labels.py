"""Labels and the rows that carry them: what they may be, and the codes that stand for them."""

from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from .._format import count, listed

MISSING_WORDS = ("", "nan", "na", "n/a", "null")  # in any case; "none" may well be a class

MANY_NUMBERS = 30  # different numbers from which they may be a measurement
MANY_FRACTIONS = 10  # the same for numbers with fractions; grades and ratings are as many
FEW_ROWS = 10  # of each number on average, below which many of them are taken for one


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
    try:
        column = np.asarray(y)
    except ValueError as error:  # lists of several lengths
        raise ValueError(
            f"{name} must hold one label per row, but some rows have several or none; errata "
            "judges one label at a time."
        ) from error
    if column.dtype.kind == "U" and column.ndim == 1 and any(map(is_missing, y)):
        column = np.array(y, dtype=object)  # NumPy makes the text "nan" of what is missing
    return column[:, 0] if column.ndim == 2 and column.shape[1] == 1 else column


def _describe_non_column(y: np.ndarray) -> str:
    """What somebody may have passed instead of a column."""
    if y.ndim == 0:
        return f"it is {y.item()!r}; pass a list or an array"
    hint = "pass one of its columns, or argmax(axis=1) of columns that are 0 and 1 for each class"
    return f"its shape is {y.shape}; {hint if y.ndim == 2 else 'pass a single column'}"


def _check_classes(y: np.ndarray, name: str) -> None:
    """Raise what scikit-learn raises about labels, in a sentence if they are measurements."""
    try:
        check_classification_targets(y)
    except ValueError as error:
        if y.dtype.kind != "f":
            raise
        odd = y[np.flatnonzero(y % 1)[0]]
        # It begins with the words that scikit-learn's estimator checks look for.
        raise ValueError(
            f"Unknown label type: {name} holds numbers with fractions such as {odd:g}, which "
            "measure something; sort them into classes, or pass them as text if they are names."
        ) from error


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
    says so, instead of scikit-learn's paragraph.
    """
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
    """Whether no estimator would refuse or convert ``X``; else it goes through its front door."""
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
    some = listed((f"{number:g}" for number in numbers), most=3).partition(" and ")[0]
    raise ValueError(
        f"{name} holds {count(len(numbers))} different numbers in {count(n)} rows ({some}, ...), "
        "which looks like a continuous measurement and not like classes: use errata.audit_targets, "
        "or --target on the command line. If they are the names of classes, put a letter in front "
        "of them."
    )


def describe_measurement(classes: Any) -> list[str]:
    """A sentence about labels that are many numbers, which may be classes all the same."""
    numbers = parse_numbers(classes)
    if numbers is None:
        return []
    if len(numbers) <= (MANY_FRACTIONS if np.any(numbers % 1) else MANY_NUMBERS):
        return []
    return [
        f"The labels are {count(len(numbers))} different numbers and were taken for classes. If "
        "they measure something, near numbers are no errors of labelling: name another column, or "
        "sort the numbers into classes such as low and high."
    ]


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
