"""Which words of a text none of the rows like it has."""

import re
from collections.abc import Iterable

_WORD = re.compile(r"\w{3,}")
MARKED_UP_TO = 20_000  # characters; who reads on does not need marks


def marked(text: str, others: Iterable[str]) -> list[tuple[str, bool]]:
    """The text in pieces, each with whether it is a word that no other text has.

    >>> marked("a red fox ran", ["the fox ran"])
    [('a ', False), ('red', True), (' fox ran', False)]
    """
    known = {word for other in others for word in _WORD.findall(other.casefold())}
    if not known:
        return [(text, False)]
    pieces, end = [], 0
    for found in _WORD.finditer(text, 0, MARKED_UP_TO):
        if found[0].casefold() not in known:
            pieces += [(text[end : found.start()], False), (found[0], True)]
            end = found.end()
    return [piece for piece in [*pieces, (text[end:], False)] if piece[0]]
