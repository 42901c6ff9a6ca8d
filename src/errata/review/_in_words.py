"""What a review has come to, in sentences: terminal and report say the same."""

from collections.abc import Iterator
from typing import Any

from .._format import count, listed, plural
from ._kinds import ReviewedKind

_STATES = ("ambiguous", "unusable", "disputed", "skipped")


def in_words(told: dict[str, Any], kind: ReviewedKind) -> Iterator[str]:
    """The summary of a review, line by line."""
    reviewers = [f"{name} {count(rows)}" for name, rows in told["reviewers"].items()]
    by = f"verdicts by {listed(reviewers)}" if reviewers else "no verdict yet"
    yield f"{told['file']}: {plural(told['events'], 'event')}; {by}."
    yield _rows(told["rows"], told["labels"], kind)
    yield _flagged(told["flagged"])
    if told["elsewhere"]:
        rows = f"{plural(told['elsewhere'], 'further row')} {_are(told['elsewhere'])}"
        yield f"{rows} not in this audit: changed since, or gone from the table."
    yield from map(_pair, told["agreement"])
    if told["disputed"]:
        yield f"They do not agree on: row {listed(told['disputed'])} (counted from 0)."
    if told["progress"] is not None:
        yield from map(_sentence, filter(None, told["progress"]["sentences"].values()))
    if told["certificate"] is not None:
        yield _sentence(told["certificate"]["sentence"])


def _rows(states: dict[str, int], labels: dict[str, int], kind: ReviewedKind) -> str:
    decided = states.get("decided", 0)
    found = f": {kind.counted(labels['wrong'])} wrong, {count(labels['right'])} right"
    blank = decided - labels["wrong"] - labels["right"]  # there was no label to be either
    found += f", {count(blank)} missing" if blank else ""
    parts = [f"{plural(decided, 'row')} decided{found if decided else ''}"]
    parts += [f"{count(states[state])} {state}" for state in _STATES if state in states]
    return "; ".join([parts[0], ", ".join(parts[1:])] if parts[1:] else parts) + "."


def _flagged(flagged: dict[str, int]) -> str:
    left = flagged["undecided"]
    return f"Of {plural(flagged['rows'], 'flagged row')}, {count(left)} {_are(left)} not decided."


def _pair(pair: dict[str, Any]) -> str:
    who = f"{pair['first']} and {pair['second']}"
    if not pair["rows"]:
        return f"{who} decided no row both."
    kappa = "" if pair["kappa"] is None else f" (kappa {pair['kappa']:.2f})"
    return f"{who} agree on {count(pair['alike'])} of {plural(pair['rows'], 'row')}{kappa}."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
