"""An audit of votes in words and numbers: what report, terminal and JSON tell besides classes."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._format import four_digits
from .._settings import MATRIX_UP_TO, SHOWN_ASKED, SHOWN_WORKERS
from .._shared_summary import rate_told
from .._summary import class_findings, summarise
from ._lists import by_accuracy, confused, in_asking_order, item_columns

if TYPE_CHECKING:
    from ._result import VoteAudit


def vote_findings(audit: "VoteAudit") -> dict[str, Any]:
    """What the answer is made from."""
    return class_findings(audit, audit.totals) | {
        "still_wrong": rate_told(audit.expected_wrong, len(audit)),
        "annotators": len(audit.workers),
    }


def summarise_votes(audit: "VoteAudit") -> dict[str, Any]:
    """See :meth:`errata.auditing.VoteAudit.summary`."""
    shared = audit.evidence["shared"] if len(audit.classes) <= MATRIX_UP_TO else None
    return summarise(audit) | {
        **vote_findings(audit),
        "votes": int(audit.n_votes.sum()),
        "workers": _workers(audit.workers),
        "guessing": sum(bool(worker["guessing"]) for worker in audit.workers),
        "shared": shared and np.round(shared, 4).tolist(),
        "asked": _asked(audit),
        "worth": _worth(audit),
    }


def _workers(workers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Annotators as they are drawn; of many, the best, the worst, and some in between."""
    ranked = by_accuracy(workers)
    shown = np.unique(np.linspace(0, len(ranked) - 1, min(len(ranked), SHOWN_WORKERS)).round())
    return [_worker(ranked[int(place)], int(place)) for place in shown]


def _worker(worker: dict[str, Any], place: int) -> dict[str, Any]:
    numbers = ("accuracy", "low", "high", "agreement")
    return {
        "rank": place + 1,
        "worker": str(worker["worker"]),
        "votes": int(worker["n_votes"]),
        **{name: four_digits(worker[name]) for name in numbers},
        "confuses": confused(worker["worst"]),
        "guessing": bool(worker["guessing"]),
    }


def _asked(audit: "VoteAudit") -> list[dict[str, Any]]:
    """The items of which another vote would tell most."""
    rows = in_asking_order(audit.ask, audit.n_votes)[:SHOWN_ASKED]
    columns = item_columns(audit, rows)
    return [
        {
            "row": int(row),
            "item": str(item),
            "votes": int(n),
            "agreement": None if np.isnan(agreement) else four_digits(agreement),
            "consensus": str(consensus),
            "p_consensus": four_digits(p),
            "gain": four_digits(gain),
        }
        for row, item, n, agreement, consensus, p, gain in zip(rows, *columns.values(), strict=True)
    ]


def _worth(audit: "VoteAudit") -> dict[str, Any]:
    """How much votes count: so many of them on one item are worth so many that err on their own."""
    given = float(audit.n_votes[audit.n_votes > 0].mean())
    weight = float(audit.evidence["vote_weight"])
    beta = audit.evidence["feature_weight"]
    return {"votes": given, "weight": weight, "features": None if beta is None else float(beta)}
