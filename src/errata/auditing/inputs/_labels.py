"""Labels: which rows have one, the classes they name, those known to be right, and spellings."""

import re
import unicodedata
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..._format import count, instead, plural, shorten
from ..._validation import (
    are_floats,
    as_column,
    check_labels,
    check_no_measurement,
    encode_labels,
    is_missing,
)
from ...tables._columns import column_array, column_names, without_columns
from .._settings import FEWEST_ROWS, MOST_CLASSES

MOST_SPELLINGS = 4  # groups of labels that a note tells
MOST_CHARACTERS = 40  # of each label

# Letters of other alphabets that are drawn as Latin ones are, and dashes and quotation marks that
# stand for those of a keyboard. Small Greek letters are names of their own (alpha is not
# a), but for the one that is drawn as o.
_LOOK_ALIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаесіјѕорухԁԛԝ"  # noqa: RUF001 - Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο"  # noqa: RUF001 - Greek
    "‐‒–—−’‘ʼ“”",  # noqa: RUF001
    "ABESIJKMHOPCTYXaecijsopyxdqwABEZHIKMNOPTYXo-----'''\"\"",
)
_MEANT = ("<super>", "<sub>", "<fraction>")  # 10² is not 102
_SELECTORS = re.compile("[\ufe00-\ufe0f]")  # say how the character before is drawn
_WHOLE = re.compile(r"([+-]?\d+)\.0+")

YES_OR_NO = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def labels_or_none(y: np.ndarray) -> np.ndarray:
    """Labels in which whatever stands for a missing one is None, or NaN among numbers."""
    if y.ndim != 1 or y.dtype.kind != "O":
        return y
    missing = np.array([is_missing(label) for label in y], dtype=bool)
    if not missing.any():
        return y
    present = np.array(y[~missing].tolist())
    if present.dtype.kind == "f" or (present.dtype.kind in "iu" and are_floats(present)):
        labels = np.full(len(y), np.nan)
        labels[~missing] = present
        return labels
    y = y.copy()
    y[missing] = None
    return y


def has_label(labels: np.ndarray) -> np.ndarray:
    """Whether each row has a label, of what :func:`labels_or_none` gives."""
    if labels.dtype.kind == "O":
        return np.array([label is not None for label in labels.tolist()], dtype=bool)
    return np.ones(len(labels), dtype=bool) if labels.dtype.kind != "f" else ~np.isnan(labels)


def fill_with_none(labels: np.ndarray) -> np.ndarray:
    """Labels as objects, with None where there is none, and whole numbers as these.

    Examples
    --------
    >>> fill_with_none(np.array([3.0, np.nan]))
    array([3, None], dtype=object)
    """
    labelled = has_label(labels)
    filled = np.full(len(labels), None, dtype=object)
    filled[labelled] = take_given(labels)
    return filled


def codes_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The place of each label among the sorted classes, -1 where a row has none."""
    labelled = has_label(labels)
    if labelled.all():
        return np.searchsorted(classes, labels)
    codes = np.full(len(labels), -1)
    codes[labelled] = np.searchsorted(classes, labels[labelled])
    return codes


def are_among(codes: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Whether each code is among those that are ``present``.

    Examples
    --------
    >>> are_among(np.array([3, -1, 2]), present=np.array([1, 3]))
    array([ True, False, False])
    """
    if present.max() != len(present) - 1:
        return np.isin(codes, present)
    return (codes >= 0) & (codes < len(present))


def codes_among(codes: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The place of each code among those that are ``present``, -1 where it is not one of them.

    Examples
    --------
    >>> codes_among(np.array([3, 1, 3, 2, -1]), present=np.array([3, 1]))
    array([ 0,  1,  0, -1, -1])
    """
    place = np.full(max(present.max(), codes.max(initial=-1)) + 2, -1)  # the last is that of -1
    place[present] = np.arange(len(present))
    return place[codes]


def labels_from(codes: np.ndarray, classes: np.ndarray, *, with_blanks: bool) -> np.ndarray:
    """The labels that have these codes, of the type that :func:`labels_or_none` gives.

    ``with_blanks`` says whether some row of the whole table has none, be it here or elsewhere.

    Examples
    --------
    >>> labels_from(np.array([1, -1]), np.array([3, 7]), with_blanks=True)
    array([ 7., nan])
    """
    if not with_blanks:
        return classes[codes]
    has_floats = classes.dtype.kind in "iu" and are_floats(classes)
    kind = float if has_floats or classes.dtype.kind == "f" else object
    blank = np.array([np.nan if kind is float else None], dtype=kind)
    return np.concatenate([classes.astype(kind), blank])[codes]


def label_column(table: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Table and labels; ``y`` may be the name of a column of the table."""
    if not isinstance(y, str):
        return table, labels_or_none(as_column(y))
    names = column_names(table)
    if y not in names:
        raise ValueError(missing_column(y, "to take labels from", names))
    return without_columns(table, [y]), labels_or_none(as_column(column_array(table, y)))


def classes_of(labels: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The distinct labels and their codes; numbers must not be a measurement, text is names."""
    name = f"column {y!r}" if isinstance(y, str) else "y"
    given = take_given(labels)
    if given.ndim == 1 and given.dtype.kind == "f":  # of fractions another sentence is told below
        check_no_measurement(encode_labels(given)[0], len(given), name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # many classes: check_enough says it better
        classes, codes = check_labels(given, name=name, min_classes=2)
    if given.dtype.kind in "iu":
        check_no_measurement(classes, len(given), name)
    check_enough(np.bincount(codes), "rows" if len(given) == len(labels) else "labelled rows")
    return classes, codes if len(given) == len(labels) else codes_of(labels, classes)


def take_given(labels: np.ndarray) -> np.ndarray:
    """The labels that there are, of the type that they had without gaps."""
    if labels.ndim != 1:
        return labels
    labelled = has_label(labels)
    if labelled.all():
        return labels
    given = labels[labelled]
    if len(given) > 0 and isinstance(given[0], bool | int | np.integer):
        plain = np.array(given.tolist())  # a gap had made objects of them
        return plain if plain.dtype.kind in "biu" else given
    return whole_numbers(given)  # and floats of whole numbers


def whole_numbers(given: np.ndarray) -> np.ndarray:
    """Floats that are whole numbers as integers, where they were floats for a gap alone.

    Examples
    --------
    >>> whole_numbers(np.array([3.0, 7.0])), whole_numbers(np.array([3.5]))
    (array([3, 7]), array([3.5]))
    """
    is_whole = given.dtype.kind == "f" and np.all((given % 1 == 0) & (np.abs(given) < 2**53))
    return given.astype(np.int64) if is_whole else given


def check_enough(sizes: np.ndarray, rows: str = "rows") -> None:
    """Raise when there is nothing to learn from classes of these sizes."""
    n = int(sizes.sum())
    if n < FEWEST_ROWS:
        raise ValueError(f"{n} {rows} are too few for an audit; {FEWEST_ROWS} are the least.")
    check_many_labels(len(sizes), n)
    if np.sum(sizes >= 2) < 2:
        raise ValueError("only one class has two rows or more; there is nothing to compare.")


def check_many_labels(k: int, n: int) -> None:
    """Raise when so many different labels cannot be classes."""
    if k > MOST_CLASSES or k > n / 2:
        raise ValueError(
            f"there are {k} different labels in {n} rows; that looks like an identifier or a "
            f"measurement, not like labels (at most {MOST_CLASSES}, with two rows each on average)."
        )


def take_known_column(table: Any, known: Any) -> tuple[Any, Any]:
    """The table without the column that ``known`` names, if it is a name, and its cells."""
    if not isinstance(known, str):
        return table, known
    names = column_names(table)
    if known not in names:
        raise ValueError(
            f"there is no column {known!r} that says which labels are known; "
            f"{instead(known, names)}"
        )
    return without_columns(table, [known]), column_array(table, known)


def read_known(known: Any, labelled: np.ndarray) -> np.ndarray | None:
    """Whether each label is certain; None where none is.

    Examples
    --------
    >>> read_known(["yes", "no", "1", "False", "0", "0", "0", "0"], np.ones(8, dtype=bool))[:4]
    array([ True, False,  True, False])
    """
    if known is None:
        return None
    mask = yes_or_no(one_per_row("known", known, len(labelled)))
    blank = np.flatnonzero(mask & ~labelled)
    if len(blank):
        raise ValueError(
            f"row {blank[0]} has no label, but known says that it is certain; give the label, or "
            "do not call it known."
        )
    left = int(np.sum(labelled & ~mask))
    if left < FEWEST_ROWS:
        raise ValueError(
            f"all but {left} of the labels are known; {FEWEST_ROWS} that are not are the least to "
            "audit."
        )
    return mask if mask.any() else None


def yes_or_no(cells: np.ndarray, name: str = "known") -> np.ndarray:
    """A mask of cells that may be booleans, numbers or text."""
    if cells.dtype == bool:
        return cells
    given = cells.tolist()
    whole = (int(c) if isinstance(c, float) and c.is_integer() else c for c in given)
    texts = [str(cell).strip().lower() for cell in whole]
    for row, word in enumerate(texts):
        if word not in YES_OR_NO:
            raise ValueError(
                f"{name} holds {given[row]!r} in row {row}; say 1 or 0, true or false, yes or no "
                "of every row."
            )
    return np.array([YES_OR_NO[word] for word in texts], dtype=bool)


def check_one_per_row(name: str, found: int, n: int, *, what: str = "labels") -> None:
    """Raise when there are more or fewer rows than labels, or whatever is audited."""
    if found != n:
        raise ValueError(f"{name} has {found} rows, but there are {n} {what}; give one for each.")


def one_per_row(name: str, values: Any, n: int) -> np.ndarray:
    """One value per row, for ``groups`` and ``ids``."""
    values = as_column(values)
    if values.ndim != 1:
        raise ValueError(
            f"{name} must hold one value per row, but its shape is {values.shape}; pass a column "
            "and not its name."
        )
    check_one_per_row(name, len(values), n)
    return values


def missing_column(name: Any, purpose: str, names: Sequence[Any]) -> str:
    """A sentence for a column that was named and is not there."""
    return f"there is no column {name!r} {purpose}; {instead(name, names)}"


def label_text(label: Any) -> str | None:
    """The text of a label; None for a missing one.

    Whole numbers are 1 and not 1.0: a column of them has floats as soon as one cell is empty.

    >>> [label_text(label) for label in ("cat", 1, 1.0, 2.5, float("nan"), None)]
    ['cat', '1', '1', '2.5', None, None]
    """
    if label is None or label != label:
        return None
    is_whole = isinstance(label, float | np.floating) and float(label).is_integer()
    return str(int(label) if is_whole else label)


def seen_text(text: str) -> str:
    r"""The visible part of a text: nothing without width, and no blanks but single ones inside.

    >>> seen_text("\u200b  two \t words\ufeff"), seen_text(" \xa0")
    ('two words', '')
    """
    if text.isascii():
        return " ".join(text.split())
    shown = (c for c in _SELECTORS.sub("", text) if unicodedata.category(c) != "Cf")
    return " ".join("".join(shown).split())


def notes_on_spellings(
    counts: Mapping[Any, int],
    *,
    row: tuple[str, str] = ("row is labelled", "rows are labelled"),
    classes: str = "classes",
) -> list[str]:
    """A sentence about labels that may be spellings of one; nothing is merged.

    Parameters
    ----------
    counts : mapping of labels to int
        How many rows have each.
    row : tuple of str
        What such a row does, of one and of several.
    classes : str
        What each spelling is by itself.

    Examples
    --------
    >>> notes_on_spellings({"a": 40, " a": 2, "a+": 9, "a-": 7})[0][:62]
    "40 rows are labelled 'a' and 2 ' a': these may be spellings of"
    """
    groups = spellings(counts)
    if not groups:
        return []
    parts = [_describe_spellings(group, counts, row) for group in groups[:MOST_SPELLINGS]]
    if len(groups) > len(parts):
        parts.append(f"and so with {plural(len(groups) - len(parts), 'other label')}")
    return [
        f"{'; '.join(parts)}: these may be spellings of one label, but count as {classes} of their "
        "own. If they are one, write them alike in the table and audit it again."
    ]


def spellings(labels: Iterable[Any]) -> list[list[str]]:
    r"""Group labels that may be one; labels that are not text are let alone.

    Compared without case, blanks around, and characters of no width, with compatible characters
    and look-alikes of other alphabets as those of a keyboard, and whole numbers without ``.0``.

    Examples
    --------
    >>> spellings(["1", "10", "1.0", "C", "c++", "Iris-a", "Iris-b", "no", "No\u200b"])
    [['1', '1.0'], ['No\u200b', 'no']]
    """
    group_of: dict[str, list[str]] = {}
    for label in sorted({label for label in labels if isinstance(label, str)}):
        known = {id(group_of[key]): group_of[key] for key in _keys(label) if key in group_of}
        group = [label, *(other for group in known.values() for other in group)]
        for other in group:
            group_of.update(dict.fromkeys(_keys(other), group))
    groups = {id(group): sorted(group) for group in group_of.values() if len(group) > 1}
    return sorted(groups.values())


def _keys(label: str) -> set[str]:
    """Two labels may be one if they have one of these in common."""
    text = seen_text(_compatible(label))
    whole = _WHOLE.fullmatch(text)
    if whole:
        text = whole[1]
    return {text.casefold(), text.translate(_LOOK_ALIKE).casefold()}


def _compatible(label: str) -> str:
    """Full-width, ligatures, italics and the like as plain characters."""
    if label.isascii():
        return label
    kept = (
        c if unicodedata.decomposition(c).startswith(_MEANT) else unicodedata.normalize("NFKC", c)
        for c in label
    )
    return unicodedata.normalize("NFC", "".join(kept))


def _describe_spellings(group: list[str], counts: Mapping[Any, int], row: tuple[str, str]) -> str:
    """How many rows have which spelling, the most frequent first."""
    first, *others = sorted(group, key=lambda label: (-counts[label], label))
    by_looks = len({seen_text(label).casefold() for label in group}) > 1
    rest = [f"{count(counts[label])} {_quote_label(label, by_looks)}" for label in others]
    parts = [f"{plural(counts[first], *row)} {_quote_label(first, by_looks)}", *rest]
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _quote_label(label: str, by_looks: bool) -> str:
    """A label in quotation marks; of labels that look alike, what differs is written out."""
    text = repr(shorten(label, MOST_CHARACTERS))
    if by_looks:
        text = "".join(ascii(c)[1:-1] if _is_look_alike(c) else c for c in text)
    return text


def _is_look_alike(character: str) -> bool:
    if character.isascii() or character == "…":  # which stands for what was cut
        return False
    plain = unicodedata.normalize("NFKC", character) == character
    return not plain or ord(character) in _LOOK_ALIKE or bool(unicodedata.combining(character))
