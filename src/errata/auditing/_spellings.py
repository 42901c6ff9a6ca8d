"""Spellings of one label: names that a person may take for the same, and a computer does not."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from .._format import count, plural, shortened

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


def seen_text(text: str) -> str:
    r"""What is to be seen of a text: nothing without width, and no blanks but single ones inside.

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
    told = [_told(group, counts, row) for group in groups[:MOST_SPELLINGS]]
    if len(groups) > len(told):
        told.append(f"and so with {plural(len(groups) - len(told), 'other label')}")
    return [
        f"{'; '.join(told)}: these may be spellings of one label, but count as {classes} of their "
        "own. If they are one, write them alike in the table and audit it again."
    ]


def spellings(labels: Iterable[Any]) -> list[list[str]]:
    r"""Those of the labels that may be one, in groups; labels that are not text are let alone.

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
    kept = (c if _is_meant(c) else unicodedata.normalize("NFKC", c) for c in label)
    return unicodedata.normalize("NFC", "".join(kept))


def _is_meant(character: str) -> bool:
    return unicodedata.decomposition(character).startswith(_MEANT)


def _told(group: list[str], counts: Mapping[Any, int], row: tuple[str, str]) -> str:
    """How many rows have which spelling, the most frequent first."""
    first, *others = sorted(group, key=lambda label: (-counts[label], label))
    by_looks = len({seen_text(label).casefold() for label in group}) > 1
    rest = [f"{count(counts[label])} {_shown(label, by_looks)}" for label in others]
    told = [f"{plural(counts[first], *row)} {_shown(first, by_looks)}", *rest]
    return f"{', '.join(told[:-1])} and {told[-1]}"


def _shown(label: str, by_looks: bool) -> str:
    """A label in quotation marks; of labels that look alike, what differs is written out."""
    told = repr(shortened(label, MOST_CHARACTERS))
    if by_looks:
        told = "".join(ascii(c)[1:-1] if _is_look_alike(c) else c for c in told)
    return told


def _is_look_alike(character: str) -> bool:
    if character.isascii() or character == "…":  # which stands for what was cut
        return False
    plain = unicodedata.normalize("NFKC", character) == character
    return not plain or ord(character) in _LOOK_ALIKE or bool(unicodedata.combining(character))
