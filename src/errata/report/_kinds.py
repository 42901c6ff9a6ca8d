"""The kinds of audits that there are pages of: what their summaries hold, and what is shown."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ._class_view import CLASS_KEYS, class_view
from ._multilabel import (
    MULTILABEL_KEYS,
    MULTILABEL_WORDS,
    multilabel_payload,
    multilabel_view,
)
from ._payload import CLASS_WORDS, payload
from ._sections import (
    CLASS_SECTIONS,
    MULTILABEL_SECTIONS,
    TARGET_SECTIONS,
    VOTE_SECTIONS,
    Section,
)
from ._targets import TARGET_KEYS, TARGET_WORDS, target_payload, target_view
from ._votes import VOTE_KEYS, vote_view

SHARED_KEYS = (
    *("errata", "title", "seed", "rows", "features", "has_skill", "noise_rate", "flagged"),
    *("notes", "models", "self_check", "examples", "by", "review"),
)


class PageKind(NamedTuple):
    """A kind of audit on a page."""

    name: str  # in the summary; a folder of templates has what its header says
    heading: str
    keys: tuple[str, ...]  # of its summary, besides those of every kind
    sections: list[Section]
    view: Callable[[dict[str, Any]], dict[str, Any]]  # summary to what its templates show
    payload: Callable[[dict[str, Any]], dict[str, Any]]  # summary to what the script works on
    predicted: str = "probabilities"  # what models give of each row
    score: str = "agreement"  # what is told of each model, and the heading above it
    score_heading: str = "Agrees with the label"
    list_words: dict[str, str] = CLASS_WORDS  # of the list of rows
    has_filters: bool = True  # of that list, by label and suggestion


CLASSES = PageKind("classes", "Label audit", CLASS_KEYS, CLASS_SECTIONS, class_view, payload)
VOTES = PageKind("votes", "Audit of votes", VOTE_KEYS, VOTE_SECTIONS, vote_view, payload)
NUMBERS = PageKind(
    *("numbers", "Target audit", TARGET_KEYS, TARGET_SECTIONS, target_view, target_payload),
    predicted="predictions",
    score="r2",
    score_heading="R², out of fold",
    list_words=TARGET_WORDS,
    has_filters=False,
)
MULTILABEL = PageKind(
    *("multilabel", "Audit of several labels a row", MULTILABEL_KEYS, MULTILABEL_SECTIONS),
    *(multilabel_view, multilabel_payload),
    list_words=MULTILABEL_WORDS,
    has_filters=False,
)
KINDS = {kind.name: kind for kind in (CLASSES, NUMBERS, VOTES, MULTILABEL)}
