"""Numbers and lists as text: one rule for tables, audit, report and terminal.

Nothing heavy is imported here, as the command line needs it before anything else.
"""

import re
from collections.abc import Iterable

# Control characters but for tab and line end; marks, overrides and isolates of direction, of which
# even the marks turn the numbers beside them around; what has no width; line ends that a terminal
# does not show as such; halves of characters, which nothing can show. The joiners U+200C and U+200D
# stay: Persian, Indian scripts and emoji are written with them, and they turn nothing around.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ud800-\udfff]|\r(?!\n)"
)


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


def shortened(text: str, most: int) -> str:
    """Text of so many characters at most; what was cut ends in an ellipsis.

    >>> shortened("erratum", 7), shortened("erratum", 4)
    ('erratum', 'err…')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def listed(names: Iterable[object], most: int = 20) -> str:
    """The first names of a list, and how many more there are.

    >>> listed("abc"), listed("abc", most=2), listed([])
    ('a, b, c', 'a, b and 1 more', '')
    """
    texts = [str(name) for name in names]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {count(more)} more" if more > 0 else "")


def visible(text: str) -> str:
    r"""Text with what a reader cannot see, but page or terminal obey, written out.

    Labels, columns and file names are other people's texts. The report's script has the same rule.

    >>> print(visible("red \x1b[31m, turned \u202etxt.exe, caf\u00e9"))
    red \x1b[31m, turned \u202etxt.exe, café
    """
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


def capitalised(text: str) -> str:
    """A text with a large first letter, all others as they are.

    >>> capitalised("values of GDP")
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
