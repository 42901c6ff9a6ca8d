"""For a review: cards to decide by, rows drawn by known probabilities, hypotheses to reweigh.

Nothing of it is computed before an audit is saved.
"""

import shutil
import time
from collections.abc import Iterator
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._engine import release_memory
from ..._format import instead
from ...audit_folder import (
    CARDS,
    COMPONENTS,
    GOLD_CARDS,
    ROWS,
    Components,
    draw_piles,
    gather_components,
    read_components,
    write_cards,
    write_components,
)
from ...tables import read_table
from ...tables._columns import column_array, take_table_rows
from .._settings import LEARN_ROWS
from ._cards import CardMaker
from ._explanations import Explainer, RowExplanation
from ._issues import ISSUES, find_issues
from ._views import RowsView, View

if TYPE_CHECKING:
    from .._audit import Problem
    from ..results._audit import AuditRows
    from ..results._base import BaseAudit

CARDS_AT_ONCE = 1_000  # made at a time
MOST_LOOKED_AT = 3_000  # rows whose label is certain, that those which test are drawn from
CARD_TIME = 0.02  # of the audit's time, to look for neighbours beyond the first thousand cards
MOST_CARDS = 50_000  # rows that a review has cards of

ISSUE = "issue {}"  # columns on disk
TOLD = ("components", "piles")  # what a review needs besides its files

MOST_GOLD = 300  # rows
DOUBTED = 0.25  # of them, at most: right labels that look wrong, which come first


class StoredReview:
    """Files for a review, in the folder of an audit that was loaded; ``numbers`` tell of them."""

    def __init__(self, source: Path, numbers: dict[str, Any]) -> None:
        self.source = source
        self.told = {name: numbers[name] for name in TOLD}

    def write(self, folder: Path, audit: "BaseAudit") -> dict[str, Any]:
        """Copy the files to where the audit is saved again."""
        for name in (CARDS, COMPONENTS, GOLD_CARDS):
            if name != GOLD_CARDS or (self.source / name).exists():
                shutil.copyfile(self.source / name, folder / name)
        return self.told

    def components(self, audit: "BaseAudit") -> tuple[Components, np.ndarray] | None:
        """Groups of noise hypotheses, and what each says of every row; None without any."""
        if self.told["components"] is None:
            return None
        p = read_components(self.source / COMPONENTS)
        return Components.from_dict(self.told["components"]), p

    def find_issues(self, audit: "AuditRows") -> dict[str, np.ndarray] | None:
        """The issues that were found before the audit was saved; None without any."""
        if not audit._about.get("issues"):
            return None
        rows = read_table(self.source / ROWS)
        names = {name: ISSUE.format(name) for name in ISSUES}
        return {n: column_array(rows, c) for n, c in names.items() if c in rows.column_names}


class ForReview:
    """Files for a review, to be made from the problem, whose audit took so many ``seconds``.

    ``table`` is the one whose cells are shown; None for that of the inputs.
    """

    def __init__(self, problem: "Problem", seconds: float, table: Any = None) -> None:
        self.problem: Any = problem
        self.seconds = seconds
        self.table = table

    def showing(self, table: Any) -> "ForReview":
        """The same with the cells of another table, which may have columns that no model saw."""
        return ForReview(self.problem, self.seconds, table)

    @cached_property
    def explainer(self) -> Explainer | None:
        """Of single rows, where models can be asked again."""
        return Explainer(self.problem.learnt) if self.problem.can_ask_again else None

    def explain(self, audit: "AuditRows", row: Any) -> RowExplanation:
        """Why one row is doubted, by its place or its id."""
        if self.explainer is None:
            raise ValueError(
                "a row can be explained where it has one label and models learn from all rows: not "
                f"in recordings, votes, or tables of more than {LEARN_ROWS:,} rows."
            )
        names = self.problem.row_names
        place = chosen_row(row, len(audit), names)
        other = self.problem.look(np.array([place])).others[place]
        return self.explainer.explain(audit, place, names=names, other=other)

    def find_issues(self, audit: "AuditRows") -> dict[str, np.ndarray] | None:
        """Look for other issues of the table, where models learn from all of its rows."""
        if not self.problem.can_ask_again:
            return None
        learnt = self.problem.learnt
        issues, audit._about["issues"] = find_issues(learnt, has_skill=audit.has_skill)
        return issues

    def write(self, folder: Path, audit: "BaseAudit") -> dict[str, Any]:
        """Write the files to the folder of the audit; what is left is for its JSON file."""
        components, p = self.components(audit)
        write_components(folder / COMPONENTS, p)
        is_large = len(p) > LEARN_ROWS
        del p  # which is large, before there are cards
        if is_large:
            release_memory()
        seed = self.problem.options.seed
        random = np.random.default_rng(seed + 2)
        piles = draw_piles(audit.flagged, random, known=~self.problem.reviewed)
        write_cards(folder / CARDS, self._cards(audit, piles))
        gold = self._gold_cards(audit)
        if gold is not None:
            write_cards(folder / GOLD_CARDS, [gold])
        if is_large:
            release_memory()
        return {"components": components.as_dict(), "piles": piles | {"seed": seed}}

    def components(self, audit: "BaseAudit") -> tuple[Components, np.ndarray]:
        """Groups of noise hypotheses, and what each says of every row."""
        kinds, weights, p = self.problem.group_hypotheses(audit)
        doubtful: Any = self.problem.reviewed
        doubtful = slice(None) if doubtful.all() else doubtful  # all rows are not copied
        components = gather_components(
            kinds,
            weights,
            p[doubtful],
            audit.flagged[doubtful],
            float(audit._p_row.sum()),
        )
        return components, p

    def _cards(
        self, audit: "BaseAudit", piles: dict[str, Any]
    ) -> Iterator[tuple[np.ndarray, list[dict[str, Any]]]]:
        """Rows and their cards; neighbours are looked for as long as there is time."""
        rows = card_rows(audit.suspicion, audit.flagged, piles)
        view = self.problem.look(rows)
        maker = self._maker(audit, view)
        until = time.perf_counter() + CARD_TIME * self.seconds
        for start in range(0, len(rows), CARDS_AT_ONCE):
            part = rows[start : start + CARDS_AT_ONCE]
            is_time = start == 0 or time.perf_counter() < until
            with_neighbors = is_time and self.problem.has_neighbors
            cards = maker.cards(view.places(part), with_neighbors=with_neighbors)
            yield part, view.in_table(cards)

    def _gold_cards(self, audit: "BaseAudit") -> tuple[np.ndarray, list[dict[str, Any]]] | None:
        """Rows that test a reviewer, and their cards; None where no label is certain."""
        known = audit._known
        if known is None or not self.problem.has_neighbors or not audit.has_skill:
            return None
        random = np.random.default_rng(self.problem.options.seed + 3)
        rows = np.flatnonzero(known)
        if len(rows) > MOST_LOOKED_AT:
            rows = random.choice(rows, MOST_LOOKED_AT, replace=False)
        view = self.problem.look(rows)
        if not isinstance(view, View):
            return None
        least = float(audit.suspicion[audit.flagged].min(initial=np.inf))
        shown, places = draw_gold(view, view.places(rows), least, random)
        maker = self._maker(audit, shown)
        maker.p_wrong = shown.p_wrong
        cards = add_test(maker.cards(places, with_neighbors=True), shown, places, least)
        cards = shown.in_table(cards)
        return np.array([card["row"] for card in cards], dtype=np.intp), cards

    def _maker(self, audit: "BaseAudit", view: RowsView) -> CardMaker:
        table = view.inputs.table
        if self.table is not None:
            table = self.table if view.rows is None else take_table_rows(self.table, view.rows)
        names = self.problem.row_names
        return CardMaker(
            view=view,
            table=table,
            ids=None if names is None else view.of_all(names),
            keys=lambda rows: audit._row_keys(rows if view.rows is None else view.rows[rows]),
            p_wrong=view.of_all(audit._p_row),
            options=self.problem.options,
        )


def draw_gold(
    view: View, known: np.ndarray, least_flagged: float, random: np.random.Generator
) -> tuple[View, np.ndarray]:
    """Gold rows, whose label is certain, to test a reviewer: a view of them, and their places.

    Half of them are shown with their own label and half with another, as labels go wrong in this
    table. Either is judged as if nothing were certain, so that a card does not tell that it is a
    test.

    Parameters
    ----------
    view : View
        Rows of the table, gold ones among them.
    known : array of int
        Places of rows whose label is certain.
    least_flagged : float
        Suspicion from which rows are flagged.
    random : Generator
        Draws rows, and labels that are wrong.
    """
    known = random.permutation(known[view.inputs.places_of(known)[1]])
    at, _ = view.inputs.places_of(known)
    codes = view.inputs.audited_codes[at]
    doubted = view.with_labels(known, codes).suspicion(known) >= least_flagged
    n = min(len(known), MOST_GOLD)
    kept = np.flatnonzero(doubted)[: int(DOUBTED * n)]
    rest = np.setdiff1d(np.arange(len(known)), kept)[: n - len(kept)]
    planted = rest[: n // 2]
    shown = codes.copy()
    transition = view.posterior.transition
    for place in planted.tolist():
        chances = transition[codes[place]] + 1e-6
        chances[codes[place]] = 0.0
        shown[place] = random.choice(len(chances), p=chances / chances.sum())
    drawn = np.r_[kept, rest]
    return view.with_labels(known[drawn], shown[drawn]), known[drawn]


def add_test(
    cards: list[dict[str, Any]], view: View, rows: np.ndarray, least_flagged: float
) -> list[dict[str, Any]]:
    """Cards of gold rows, with what the page needs to place them among others."""
    hypotheses = view.hypotheses(rows).tolist()
    flagged = (view.suspicion(rows) >= least_flagged).tolist()
    return [
        card | {"flagged": is_flagged, "components": p}
        for card, is_flagged, p in zip(cards, flagged, hypotheses, strict=True)
    ]


def card_rows(suspicion: np.ndarray, flagged: np.ndarray, piles: dict[str, Any]) -> np.ndarray:
    """The flagged rows, the most suspicious first, then other rows of the piles, each once.

    Examples
    --------
    >>> suspicion, flagged = np.array([0.1, 0.8, 0.9, 0.2]), np.array([False, True, True, False])
    >>> card_rows(suspicion, flagged, {"calibration": [[2, 0.5, 0], [0, 0.1, 1]], "spot": [3, 0]})
    array([2, 1, 0, 3])
    """
    listed = np.flatnonzero(flagged)
    listed = listed[np.argsort(-suspicion[listed], kind="stable")][:MOST_CARDS]
    drawn = [*(row for row, *_ in piles["calibration"]), *piles["spot"]]
    return np.array(list(dict.fromkeys([*listed.tolist(), *drawn])), dtype=np.intp)


def chosen_row(row: Any, n: int, names: np.ndarray | None) -> int:
    """The place of the row that is meant: a whole number is a place, a text is an id.

    Examples
    --------
    >>> chosen_row(1, 3, None), chosen_row("b", 3, np.array(["a", "c", "b"]))
    (1, 2)
    """
    if isinstance(row, Integral) and not isinstance(row, bool):
        if not 0 <= int(row) < n:
            raise ValueError(f"there is no row {row}; the rows are 0 to {n - 1}.")
        return int(row)
    if names is None:
        raise ValueError(f"row={row!r} must be the place of a row, from 0; the audit has no ids.")
    places = np.flatnonzero(names.astype(str) == str(row))
    if len(places) != 1:
        told = f"{len(places)} rows are called" if len(places) else "no row is called"
        hint = "pass its place instead." if len(places) else instead(row, names, what="ids")
        raise ValueError(f"{told} {str(row)!r}; {hint}")
    return int(places[0])
