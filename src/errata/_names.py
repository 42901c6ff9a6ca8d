"""A name that is not there: what to say instead, and what was perhaps meant.

Nothing heavy is imported here, as the command line needs it before anything else.
"""

from collections.abc import Iterable
from difflib import get_close_matches

from ._format import listed


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
        return f"the {what} are {listed(names)}."
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
