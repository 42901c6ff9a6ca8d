"""Gates for pipelines: exit code 1 when more is wrong than was allowed."""

from typing import Any, NoReturn

from .._format import plural
from .._sentences import WORDS, wording
from ._console import say


def fail_above(found: Any, most: float | None) -> None:
    """End with exit code 1 where too many labels are wrong, or nobody knows how many."""
    if most is None:
        return
    rate, many = found.noise_rate, wording(found.found()).many
    # Without skill the estimate means nothing; a pipeline must not pass for lack of evidence.
    limit = f"more than --fail-above {most:.1%}"
    if not found.has_skill and rate.high > most:
        _fail(f"Whether {limit} of the {many} are wrong cannot be judged.")
    if found.has_skill and rate.estimate > most:
        _fail(f"Too many {many} are wrong: {rate.estimate:.1%}, {limit}.")


def fail_on_new(found: Any, most: int | None) -> None:
    """End with exit code 1 where too many rows are newly flagged."""
    new = len(found.newly_flagged)
    if most is not None and new > most:
        rows = f"{plural(new, WORDS[found.kind].row)} {'is' if new == 1 else 'are'}"
        _fail(f"{rows} newly flagged, more than --fail-on-new {most}.")


def _fail(why: str) -> NoReturn:
    say(why, err=True)
    raise SystemExit(1)
