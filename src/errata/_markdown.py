r"""Markdown that shows other people's texts as they are, whatever they hold.

A label may hold bars, backticks, HTML, or the name of somebody who would get a message. In code all
of it is text; what would end the code, or the cell of a table, is written as entities.
"""

from collections.abc import Iterable, Sequence

from ._format import shortened, visible

_ENDS_CODE = "`|\\"
_MOST = 60  # characters of a cell


def as_code(text: str | None) -> str:
    r"""A text as code, on one line.

    >>> as_code("cat"), as_code(" a\nb "), as_code(None), as_code("@ada <b>")
    ('`cat`', '`a b`', '', '`@ada <b>`')
    >>> as_code("a|b")
    '<code>a&#124;b</code>'
    """
    line = visible(shortened(" ".join((text or "").split()), _MOST))
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
