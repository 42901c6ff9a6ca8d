"""The sections of a page, in their order: another one is a template and a line in such a list."""

from collections.abc import Callable
from typing import Any, NamedTuple


def _always(view: dict[str, Any]) -> bool:
    return True


def _with_skill(view: dict[str, Any]) -> bool:
    return view["has_skill"]


def _in_time(view: dict[str, Any]) -> bool:
    return view["has_skill"] and bool(view["stretches"])


def _with_rows(view: dict[str, Any]) -> bool:
    return view["has_skill"] and not view["stretches"]


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


def shown_sections(sections: list[Section], view: dict[str, Any]) -> list[Section]:
    """Those that have something to show."""
    return [section for section in sections if section.is_shown(view)]
