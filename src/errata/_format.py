"""Numbers, lists, names and Markdown as text: one rule for audit, report and terminal.

Nothing heavy is imported here, as the command line needs it before anything else.

A label may hold bars, backticks, HTML, or the name of somebody who would get a message. In code all
of it is text; what would end the code, or the cell of a table, is written as entities.

Nothing heavy is imported here, as the command line needs it before anything else.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

# Control characters but for tab and line end; marks, overrides and isolates of direction, of which
# even the marks turn the numbers beside them around; what has no width; line ends that a terminal
# does not show as such; halves of characters, which nothing can show. The joiners U+200C and U+200D
# stay: Persian, Indian scripts and emoji are written with them, and they turn nothing around.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ud800-\udfff]|\r(?!\n)"
)

_LONG_NUMBER = re.compile(r"-?(0|[1-9]\d{0,5})\.\d{6,}(e-?\d+)?")
_ENDS_CODE = "`|\\"
_MOST = 60  # characters of a cell


def count(number: float) -> str:
    """A count with its thousands apart.

    >>> count(1797), count(21.3), count(412.7)
    ('1,797', '21.3', '413')
    """
    if number != int(number) and abs(number) < 100:
        return f"{number:,.1f}"
    return f"{round(number):,}"


def plural(number: int, noun: str, nouns: str | None = None) -> str:
    """A count with its noun.

    >>> plural(1, "row"), plural(0, "row"), plural(1797, "row"), plural(2, "class", "classes")
    ('1 row', '0 rows', '1,797 rows', '2 classes')
    """
    return f"{count(number)} {noun if number == 1 else nouns or noun + 's'}"


def percent(fraction: float | None) -> str:
    """A fraction in percent, as precise as it is worth; the report's script has the same rule.

    >>> [percent(fraction) for fraction in (0.087, 0.81, 0.0004, 0, 0.998, 1, None)]
    ['8.7%', '81%', '<0.1%', '0%', '>99%', '100%', 'unknown']
    """
    if fraction is None:
        return "unknown"
    if 0 < fraction < 0.001:
        return "<0.1%"
    if 0.995 <= fraction < 1:  # nearly all is not all
        return ">99%"
    # From 9.95% on, one decimal would round to "10.0%" next to "10%".
    return f"{fraction:.0%}" if fraction >= 0.0995 or fraction == 0 else f"{fraction:.1%}"


def probability(p: float) -> str:
    """A probability with two decimals, which is never said to be certain.

    >>> probability(0.871), probability(0.9999), probability(1), probability(0.0001)
    ('0.87', '>0.99', '>0.99', '<0.01')
    """
    if p >= 0.995:
        return ">0.99"
    return f"{p:.2f}" if p >= 0.005 else "<0.01"


def four_digits(p: float) -> float:
    """A probability to four digits, the last that mean anything, and never up to certainty.

    >>> four_digits(0.12345), four_digits(0.99999), four_digits(0.0)
    (0.1235, 0.9999, 0.0)
    """
    return min(round(float(p), 4), 0.9999)


def shorten(text: str, most: int) -> str:
    """Text of so many characters at most; what was cut ends in an ellipsis.

    >>> shorten("erratum", 7), shorten("erratum", 4)
    ('erratum', 'err…')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def join_names(names: Iterable[object], most: int = 20) -> str:
    """The first names of a list, and how many more there are.

    >>> join_names("abc"), join_names("abc", most=2), join_names([])
    ('a, b, c', 'a, b and 1 more', '')
    """
    texts = [str(name) for name in names]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {count(more)} more" if more > 0 else "")


def visible(text: Any) -> Any:
    r"""Text with what a reader cannot see, but page or terminal obey, written out.

    Labels, columns and file names are other people's texts. The report's script has the same rule.
    Markup, which is a kind of text, is ours and stays, as does what is no text.

    >>> print(visible("red \x1b[31m, turned \u202etxt.exe, caf\u00e9"))
    red \x1b[31m, turned \u202etxt.exe, café
    """
    if not isinstance(text, str) or hasattr(text, "__html__"):
        return text
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def size(n_bytes: float) -> str:
    """Bytes as people say them, rounded up.

    Examples
    --------
    >>> size(515_200_000), size(2_000_000_000)
    ('516 MB', '2.0 GB')
    """
    if n_bytes < 10**9:
        return f"{-(-n_bytes // 10**6):.0f} MB"
    return f"{-(-n_bytes // 10**8) / 10:.1f} GB"


def capitalise(text: str) -> str:
    """A text with a large first letter, all others as they are.

    >>> capitalise("values of GDP")
    'Values of GDP'
    """
    return text[:1].upper() + text[1:]


def number(value: float, digits: int = 3) -> str:
    """A number of any size in a few digits, its thousands apart.

    >>> number(5351.7), number(0.012345), number(-0.0), number(2.5e7, 2), number(1e-9)
    ('5,350', '0.0123', '0', '2.5e+07', '1e-09')
    """
    value = float(f"{value + 0.0:.{digits}g}")  # minus nought is nought
    plain = value == 0 or 1e-4 <= abs(value) < 1e7
    return f"{value:,.10g}" if plain else f"{value:.{digits}g}"


def round_cell(text: str) -> str:
    """A cell as people compare it: of a number with many digits six.

    >>> round_cell("1.522934745632535"), round_cell("12.25"), round_cell("0612345678.90")
    ('1.52293', '12.25', '0612345678.90')
    """
    return f"{float(text):.6g}" if _LONG_NUMBER.fullmatch(text) else text


def as_code(text: str | None) -> str:
    r"""A text as code, on one line.

    >>> as_code("cat"), as_code(" a\nb "), as_code(None), as_code("@ada <b>")
    ('`cat`', '`a b`', '', '`@ada <b>`')
    >>> as_code("a|b")
    '<code>a&#124;b</code>'
    """
    line = visible(shorten(" ".join((text or "").split()), _MOST))
    if not line:
        return ""
    if not any(mark in line for mark in _ENDS_CODE):
        return f"`{line}`"
    return f"<code>{''.join(map(_entity, line))}</code>"


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def as_prose(sentence: str) -> str:
    """A sentence that may name a column or a file: all of it text, and nobody is mentioned.

    >>> as_prose("12 ids in '<b>' and a_b, by @ada")
    "12 ids in '&#60;b&#62;' and a&#95;b, by @<!-- -->ada"
    """
    return "".join(map(_literal, visible(" ".join(sentence.split()))))


def _literal(character: str) -> str:
    # The host looks for names and numbers of issues in the page, where entities are letters again.
    return f"{character}<!-- -->" if character in "@#" else _entity(character)


def _entity(character: str) -> str:
    plain = character.isalnum() or character in " .,:;()%'\"?!-+="
    return character if plain else f"&#{ord(character)};"


def instead(name: object, known: Iterable[object], *, what: str = "columns") -> str:
    """The end of a sentence about an unknown name: those that look like it, or all there are.

    >>> instead("specis", ["weight", "species"])
    "did you mean 'species'?"
    >>> instead("pet", ["weight", "species"])
    'the columns are weight, species.'
    >>> instead("pet", ["weight^pet"])
    "the only one is 'weight^pet'; if it should be several, separate them by , ; | or tabs."
    """
    names = [str(each) for each in known]
    near = similar(str(name), names)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    if not names:
        return f"there are no {what} with names."
    if len(names) > 1:
        return f"the {what} are {join_names(names)}."
    several = "; if it should be several, separate them by , ; | or tabs"
    return f"the only one is {names[0]!r}{several if str(name) in names[0] else ''}."


def similar(name: str, known: Iterable[str]) -> list[str]:
    """Names that differ in case, or by a slip of the finger, the nearest first.

    >>> similar("Specis", ["species", "SPECIES", "weight"])
    ['species']
    """
    # Backwards, so that of names that differ only in case the first one stays.
    folded = {each.casefold(): each for each in reversed(list(known))}
    return [folded[match] for match in get_close_matches(name.casefold(), folded, n=3)]
