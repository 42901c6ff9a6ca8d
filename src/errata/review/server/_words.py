"""What the page says of labels, by what the audit is of."""

from typing import NamedTuple

SAID = {
    "suggestion": "accepted the suggestion",
    "ambiguous": "ambiguous",
    "unusable": "unusable",
    "skip": "skipped",
    "note": "noted",
    "undo": "undid",
    "redo": "redid",
}


class PageWords(NamedTuple):
    """What is asked, and what was said."""

    recorded: str  # what stands before the label
    keep: str
    kept: str  # in the history
    other: str
    question: str  # to the blind
    digits: str  # what they do, in the list of keys; empty where they do nothing
    typing: str
    next_likely: str = "Next likely"  # of a suggestion that is less probable than the label
    accept_other: str = "other"
    wrong: str = "Label wrong with probability"
    save: str = ""  # what the key that saves does, where there is something to choose first

    def said(self, kind: str) -> str:
        """What somebody did, by the kind of the event."""
        return {"label": self.kept, "other": self.other}.get(kind) or SAID[kind]


_CLASSES = PageWords(
    recorded="Label",
    keep="Keep label",
    kept="kept the label",
    other="chose another class",
    question="Which class is it?",
    digits="the class with that number",
    typing="type a class",
)
WORDS = {
    "classes": _CLASSES,
    "votes": _CLASSES,
    "numbers": PageWords(
        recorded="Recorded",
        keep="Keep number",
        kept="kept the number",
        other="typed another number",
        question="Which number is it?",
        digits="",
        typing="type a number",
        next_likely="Expected",
        accept_other="expected",
        wrong="Number wrong with probability",
    ),
    "multilabel": PageWords(
        recorded="Labels",
        keep="Keep labels",
        kept="kept the labels",
        other="chose other labels",
        question="Which labels does it have?",
        digits="set the label with that number, or take it away",
        typing="type a label to be set",
        next_likely="Next likely change",
        accept_other="change",
        wrong="A label wrong with probability",
        save="save the labels that are set, once one was changed",
    ),
}
