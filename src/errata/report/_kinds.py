"""The kinds of audits that there are pages of: what summaries hold, and the sections shown."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ._classes import CLASS_KEYS, CLASS_WORDS, class_view, payload
from ._multilabel import MULTILABEL_KEYS, MULTILABEL_WORDS, multilabel_payload, multilabel_view
from ._targets import TARGET_KEYS, TARGET_WORDS, target_payload, target_view
from ._votes import VOTE_KEYS, vote_view

SHARED_KEYS = (
    *("errata", "title", "seed", "rows", "features", "has_skill", "noise_rate", "flagged"),
    *("notes", "models", "self_check", "examples", "by", "review"),
)


def _always(view: dict[str, Any]) -> bool:
    return True


class Section(NamedTuple):
    """A template in ``sections/``, with its word in the bar at the top of the page."""

    name: str
    link: str = ""
    is_shown: Callable[[dict[str, Any]], bool] = _always
    is_minor: bool = False  # its link gives way on a phone
    place: str = ""  # the id of its element, where that is not its name

    @property
    def anchor(self) -> str:
        """The id of the section's element."""
        return self.place or self.name.replace("_", "-")


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


def _with_skill(view: dict[str, Any]) -> bool:
    return view["has_skill"]


def _in_time(view: dict[str, Any]) -> bool:
    return view["has_skill"] and bool(view["stretches"])


def _with_rows(view: dict[str, Any]) -> bool:
    return view["has_skill"] and not view["stretches"]


REVIEW = Section("review", "Review", lambda view: bool(view["review"]["so_far"]))
BY = Section("by", "By value", lambda view: bool(view["by"]), is_minor=True)
CLASS_SECTIONS = [
    Section("notes", is_shown=lambda view: bool(view["notes"] or view["duplicates"])),
    REVIEW,
    Section("self_check", "Self-check"),
    Section("classes", "Classes", _with_skill, is_minor=True),
    BY,
    Section("spread", is_shown=_with_skill),
    Section("map", "Map", lambda view: bool(view["map"])),
    Section("stretches", "Stretches", _in_time),
    Section("examples", "Rows", _with_rows),
    Section("method", "Method", is_minor=True),
]

CLASSES = PageKind("classes", "Label audit", CLASS_KEYS, CLASS_SECTIONS, class_view, payload)

VOTE_SECTIONS = [
    Section("notes", is_shown=lambda view: bool(view["notes"])),
    REVIEW,
    Section("examples", "Items", _with_skill),
    Section("annotators", "Annotators", _with_skill),
    Section("ask", "Ask next", _with_skill),
    Section("classes", "Classes", _with_skill, is_minor=True),
    BY,
    Section("spread", is_shown=_with_skill),
    Section("map", "Map", lambda view: bool(view["map"])),
    Section("method", "Method", is_minor=True),
]

VOTES = PageKind("votes", "Audit of votes", VOTE_KEYS, VOTE_SECTIONS, vote_view, payload)

TARGET_SECTIONS = [
    Section("notes", is_shown=lambda view: bool(view["notes"])),
    REVIEW,
    Section("target_check", "Self-check", _with_skill, place="self-check"),
    Section("fit", "Fit", _with_skill),
    Section("slips", is_shown=lambda view: bool(view["kinds_of_error"])),
    BY,
    Section("spread", is_shown=_with_skill),
    Section("examples", "Rows", _with_skill),
    Section("method", "Method", is_minor=True),
]

NUMBERS = PageKind(
    *("numbers", "Target audit", TARGET_KEYS, TARGET_SECTIONS, target_view, target_payload),
    predicted="predictions",
    score="r2",
    score_heading="R², out of fold",
    list_words=TARGET_WORDS,
    has_filters=False,
)

MULTILABEL_SECTIONS = [
    Section("notes", is_shown=lambda view: bool(view["notes"])),
    REVIEW,
    Section("cell_check", "Self-check", _with_skill, place="self-check"),
    Section("labels", "Labels", _with_skill),
    BY,
    Section("spread", is_shown=_with_skill),
    Section("examples", "Rows", _with_skill),
    Section("method", "Method", is_minor=True),
]

MULTILABEL = PageKind(
    *("multilabel", "Audit of several labels a row", MULTILABEL_KEYS, MULTILABEL_SECTIONS),
    *(multilabel_view, multilabel_payload),
    list_words=MULTILABEL_WORDS,
    has_filters=False,
)
KINDS = {kind.name: kind for kind in (CLASSES, NUMBERS, VOTES, MULTILABEL)}


def shown_sections(sections: list[Section], view: dict[str, Any]) -> list[Section]:
    """Those that have something to show."""
    return [section for section in sections if section.is_shown(view)]
