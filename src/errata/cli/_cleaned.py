"""What cleaning did to a table: counted over its rows, and told."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import errata

from .._format import count, plural
from ._console import say
from ._decided import decisions_for

CHANGES = ("dropped", "relabelled", "replaced", "unlabelled")
PEOPLE = ("relabelled", "replaced", "kept", "dropped")  # what they do to rows


class Counts(NamedTuple):
    """Rows, by what was done to them."""

    wrong: int  # above the threshold, and nobody decided about them
    labelled: Counter[str]  # with a label, and nobody decided about them
    blank: Counter[str]  # without one
    decided: Counter[str]  # by people
    kept: int

    @property
    def changed(self) -> bool:
        """Whether the table has become another."""
        return any(did[what] for did in self[1:4] for what in CHANGES)

    def plus(self, other: "Counts") -> "Counts":
        """The same of more rows."""
        return Counts(
            self.wrong + other.wrong,
            self.labelled + other.labelled,
            self.blank + other.blank,
            self.decided + other.decided,
            self.kept + other.kept,
        )


NOTHING = Counts(0, Counter(), Counter(), Counter(), 0)


def counts_of(cleaned: Any, p_wrong: Any, labelled: Any, threshold: float) -> Counts:
    """What was done to some rows; ``p_wrong`` and ``labelled`` are as the audit has them."""
    by_probability, did = ~cleaned.decided, cleaned.did
    return Counts(
        int(((p_wrong > threshold) & by_probability).sum()),
        Counter(did[by_probability & labelled].tolist()),
        Counter(did[by_probability & ~labelled].tolist()),
        Counter(did[cleaned.decided].tolist()),
        int(cleaned.kept.sum()),
    )


def beside_table(cleaned: Any, cells: list[Any], rows: list[int]) -> Any:
    """What was done to the table: an audit may have begun with the classes that people gave."""
    did = cleaned.did.astype("<U10")
    for row, cell in zip(rows, cells, strict=True):
        is_kept = cleaned.decided[row] and did[row] == "kept"
        if is_kept and errata.review.as_text(cleaned.labels[row]) != errata.review.as_text(cell):
            did[row] = "relabelled"
    return cleaned._replace(did=did)


def new_cells(cleaned: Any, cells: list[Any], rows: list[int]) -> list[Any]:
    """The column of labels: a cell stays as it was unless its label was changed."""
    new = [None if cell != cell else cell for cell in cells]  # NaN is a gap among numbers
    for place, row in enumerate(rows):
        if cleaned.did[row] in CHANGES:
            new[place] = errata.review.from_text(errata.review.as_text(cleaned.labels[row]))
    return new


def clean_with_people(
    audit: Any,
    folder: Path,
    use: str,
    how: dict[str, Any],
    beside: Callable[[Any], Any] = lambda cleaned: cleaned,
) -> tuple[Any, str | None]:
    """What ``clean`` gives with what people decided, and a sentence about that.

    ``beside`` says what was done to the table, where the audit began with what people gave.
    """
    with decisions_for(folder, audit, use) as decisions:
        undecided = "keep" if use == "only" else "act"
        cleaned = beside(audit.clean(**how, decisions=decisions, undecided=undecided))
        if decisions is None:
            return cleaned, None
        return cleaned, people(Counter(cleaned.did[cleaned.decided].tolist()), audit, decisions)


def people(did: Counter[str], audit: Any, decisions: Any) -> str | None:
    """What people decided, and what became of it; nothing where they have decided nothing yet."""
    done = [f"{count(did[what])} {what}" for what in PEOPLE if did[what]]
    if did["weighted"]:
        done.append(f"{count(did['weighted'])} ambiguous and kept")
    disputed = (errata.review.resolve(decisions, audit.row_keys()).kinds == "disputed").sum()
    if disputed:
        done.append(f"{count(disputed)} more disputed, as if undecided")
    return f"People decided {plural(did.total(), 'row')}: {', '.join(done)}." if done else None


def tell_of_blanks(did: Counter[str]) -> None:
    """Say how many rows without a label were given one, if there were any."""
    if did:
        filled = did["relabelled"]
        some = f"{count(filled) if filled else 'none'} got the suggested class"
        say(f"{plural(did.total(), 'row')} had no label; {some}.")


def outcome(counts: Counts, threshold: float, why_kept: str, judged: str = "label") -> str:
    """What became of the labels above the threshold, or whatever was judged, in one sentence."""
    wrong, did = counts.wrong, counts.labelled
    labels = f"{plural(wrong, judged)} {'is' if wrong == 1 else 'are'}"
    probably = f"wrong with a probability above {threshold:g}"
    if not wrong:
        return f"No {judged} is {probably}"
    done = [f"{count(did[what])} {what}" for what in CHANGES if did[what]]
    spared = wrong - sum(did[what] for what in CHANGES)
    if spared:
        done.append(f"{count(spared)} kept, as {why_kept}")
    return f"{labels} {probably}: {', '.join(done)}"
