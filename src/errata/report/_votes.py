"""What the page of an audit of votes shows besides what that of an audit of classes does."""

from typing import Any

from .._format import count, plural
from ._classes import MOST_CLASSES, build_class_view, draw_fractions

METHOD = (
    "How often each annotator is right with each class was learnt from the votes of all others, "
    "and the probability of each class computed from the votes of the item, each weighed by its "
    "annotator."
)
WITH_TABLE = (
    " Models of the table, which predicted every item without having been fitted to it, say how "
    "probable each class is before anybody votes."
)
CLEANING = (
    "writes the items with their label: the consensus where the majority is probably wrong; an "
    "item without one is left out"
)
IN_FULL = 0.95  # weight of a vote from which it is said to count in full


def build_vote_view(summary: dict[str, Any]) -> dict[str, Any]:
    """What the templates show of votes: what follows from the summary."""
    return build_class_view(summary) | {
        "matrix": None,  # how labels go wrong is what the shared confusion tells
        "shared_matrix": _draw_shared(summary),
        "workers": [_draw_worker(worker) for worker in summary["workers"]],
        "worker_lead": describe_workers(summary),
        "worth_told": describe_worth(summary["worth"]),
        "beside": "who voted what",
        "cleaning": CLEANING,
        "method": METHOD + (WITH_TABLE if summary["worth"]["features"] is not None else ""),
    }


def _draw_shared(summary: dict[str, Any]) -> dict[str, Any] | None:
    if summary["shared"] is None or len(summary["classes"]) > MOST_CLASSES:
        return None
    return draw_fractions(summary["classes"], summary["shared"])


def _draw_worker(worker: dict[str, Any]) -> dict[str, Any]:
    """An annotator with the places of dot and interval, in percent of the axis."""
    low = 100 * worker["low"]
    high = 100 * worker["high"]
    return worker | {
        "dot": round(100 * worker["accuracy"], 1),
        "start": round(low, 1),
        "length": round(high - low, 1),
    }


def describe_workers(summary: dict[str, Any]) -> str:
    """How many annotators are shown, and how many may be guessing.

    >>> describe_workers({"annotators": 200, "workers": [{}] * 60, "guessing": 3})
    'The most accurate first; 60 of 200 annotators are shown. 3 of all may be guessing: their \
votes tell hardly more than chance would.'
    """
    shown = len(summary["workers"])
    guessing = summary["guessing"]
    lead = "The most accurate first"
    if shown < summary["annotators"]:
        lead += f"; {count(shown)} of {count(summary['annotators'])} annotators are shown"
    if not guessing:
        return f"{lead}."
    who = f"{count(guessing)} of all"
    votes = "its votes tell" if guessing == 1 else "their votes tell"
    return f"{lead}. {who} may be guessing: {votes} hardly more than chance would."


def describe_worth(worth: dict[str, Any]) -> str:
    """How much votes count, in words.

    >>> describe_worth({"votes": 20.0, "weight": 0.3, "features": None})
    '20 votes on an item here are worth about 6 that err on their own: annotators err on the same \
items.'
    >>> describe_worth({"votes": 1.0, "weight": 1.0, "features": 0.0})
    'Every vote counts in full. The table tells nothing that votes do not.'
    """
    given = max(round(worth["votes"]), 1)
    weight = worth["weight"]
    features = worth["features"]
    told = "Every vote counts in full."
    if weight < IN_FULL:
        worth_of = round(given * weight, 0 if given * weight >= 3 else 1)
        told = (
            f"{plural(given, 'vote')} on an item here {'is' if given == 1 else 'are'} worth about "
            f"{count(worth_of)} that err on their own: annotators err on the same items."
        )
    if features is None:
        return told
    if features == 0:
        return f"{told} The table tells nothing that votes do not."
    return f"{told} What models say of an item from the table counts with a weight of {features:g}."
