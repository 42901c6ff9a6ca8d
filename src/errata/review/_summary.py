"""The state of a review, as a dict that is valid JSON, in sentences, and as a proof."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from .._format import count, join_names, plural
from .._kinds import Kind
from ..audit_folder import COMPONENTS, read_components
from ..audit_folder.decisions import Decisions, RowVerdict, as_text, differ
from .exporting import Audited
from .inference import (
    Components,
    GoldAnswers,
    certificate_sentence,
    certify,
    evidence_of,
    gold_sentence,
    progress,
    read_answers,
    sentences,
    update,
)
from .inference._certificate import find_answers
from .inference._progress import find_drawn_rows, find_seen_rows

_OPINIONS = ("decided", "ambiguous", "unusable")

_STATES = ("ambiguous", "unusable", "disputed", "skipped")


def review_summary(
    decisions: Decisions, audited: Audited, folder: Path, *, fixed: int | None = None
) -> dict[str, Any]:
    """All there is to tell about decisions and the audit in a folder.

    ``fixed`` is a number of verdicts on rows drawn by lot that was fixed before the first of them;
    by default the certificate holds whenever one stops.
    """
    verdicts = decisions.verdicts()
    rows = {key: row for row, key in enumerate(audited.keys)}
    here = {rows[key]: verdict for key, verdict in verdicts.items() if key in rows}
    pairs = decisions.agreement()
    if not audited.kind.review.by_chance:  # kappa means nothing then
        pairs = [pair | {"kappa": None} for pair in pairs]
    wrong = list(_judge_rows(audited, here).values())
    answers = read_answers(decisions.tests(), _find_certain(audited))
    flagged = np.flatnonzero(audited.flagged).tolist()
    settled = sum(_is_settled(here.get(row)) for row in flagged)
    numbers = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    summary = {
        "file": str(decisions.path),
        "about": decisions.about,
        "events": sum(1 for _ in decisions.events()),
        "reviewers": _count_sorted(name for _, name in decisions.by_reviewer()),
        "rows": _count_sorted(verdict.state for verdict in here.values()),
        "labels": {"wrong": sum(wrong), "right": len(wrong) - sum(wrong)},
        "flagged": {"rows": len(flagged), "undecided": len(flagged) - settled},
        "elsewhere": len(verdicts) - len(here),
        "agreement": pairs,
        "disputed": sorted(row for row, verdict in here.items() if verdict.state == "disputed"),
        "gold": [_summarise_gold(answer) for answer in answers],
        "progress": _summarise_progress(audited, here, folder, numbers),
        "certificate": _summarise_certificate(audited, here, numbers, fixed, answers),
    }
    return summary | {"sentences": list(describe_summary(summary, audited.kind))}


def _count_sorted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _judge_rows(audited: Audited, here: Mapping[int, RowVerdict]) -> dict[int, bool]:
    """Whether the label is wrong, of decided rows that have one."""
    judged = {row: is_wrong(audited, row, verdict) for row, verdict in here.items()}
    return {row: wrong for row, wrong in judged.items() if wrong is not None}


def _find_certain(audited: Audited) -> dict[str, str]:
    """The labels that were certain before, as text by the keys of their rows."""
    known = [] if audited.known is None else np.flatnonzero(audited.known).tolist()
    return {audited.keys[row]: as_text(audited.labels[row]) for row in known}


def _summarise_gold(answers: GoldAnswers) -> dict[str, Any]:
    """How often a reviewer was right where the label was certain, in numbers and a sentence."""
    low, high = answers.interval
    numbers = asdict(answers) | {"rows": answers.rows, "low": low, "high": high}
    return {"numbers": numbers, "sentence": gold_sentence(answers)}


def _summarise_certificate(
    audited: Audited,
    here: Mapping[int, RowVerdict],
    numbers: dict[str, Any],
    fixed: int | None,
    answers: list[GoldAnswers],
) -> dict[str, Any] | None:
    """The proof by rows drawn by lot, in numbers and a sentence; None before the first of them."""
    if numbers.get("piles") is None:
        return None
    drawn = find_drawn_rows(numbers["piles"], here.get, audited.fingerprint)
    found = certify(
        drawn,
        audited.suspicion,
        audited.flagged,
        {
            row: is_wrong(audited, row, verdict)
            for row, verdict in here.items()
            if verdict.state != "seen"
        },
        p_wrong=audited.p_wrong,
        known=audited.known,
        unlabelled=np.array([label is None for label in audited.labels]),
        fixed=fixed,
        answers=find_answers(answers, drawn, here.get),
    )
    sentence = certificate_sentence(found, audited.kind.review.nouns)
    return {"numbers": found._asdict(), "sentence": sentence} if sentence else None


def _summarise_progress(
    audited: Audited, here: Mapping[int, RowVerdict], folder: Path, numbers: dict[str, Any]
) -> dict[str, Any] | None:
    """How good the list was and what is left, in numbers and sentences."""
    if numbers.get("components") is None:  # of recordings, whose rows are not judged one by one
        return None
    if not numbers.get("has_skill", True):  # what models expect means nothing then
        return None
    components = Components.from_dict(numbers["components"])
    p = read_components(folder / COMPONENTS)
    # Rows that were certain before the audit are no part of its components.
    known = np.zeros(len(p), dtype=bool) if audited.known is None else audited.known
    here = {row: verdict for row, verdict in here.items() if not known[row]}
    judged = _judge_rows(audited, here)
    unsure = [
        row
        for row, verdict in here.items()
        if verdict.state in ("ambiguous", "unusable") and audited.labels[row] is not None
    ]
    rows = np.array([*judged, *unsure], dtype=np.intp)
    evidence = evidence_of(
        components,
        p[rows],
        np.array([judged.get(row, False) for row in rows.tolist()], dtype=bool),
        audited.flagged[rows],
        audited.p_wrong[rows],
        unsure=np.arange(len(rows)) >= len(judged),
    )
    ahead = _find_ahead(audited, here)
    now = update(components, evidence)
    spot = _count_spot(audited, here, numbers["piles"]["spot"])
    state = progress(now, evidence, now.p_wrong(p[ahead], True), spot=spot)
    return {"numbers": state, "sentences": sentences(state)}


def _find_ahead(audited: Audited, here: Mapping[int, RowVerdict]) -> np.ndarray:
    """Flagged rows without a verdict, the most suspicious first."""
    flagged = np.flatnonzero(audited.flagged)
    order = flagged[np.argsort(-audited.p_wrong[flagged], kind="stable")]
    return np.array([row for row in order if not _is_settled(here.get(row))], dtype=np.intp)


def _count_spot(
    audited: Audited, here: Mapping[int, RowVerdict], pile: list[int]
) -> tuple[int, int, int]:
    """Others in the spot pile, as far as it was gone through: wrong, looked at, not told."""
    drawn = find_seen_rows(pile, "spot", here.get, audited.fingerprint)
    judged = [is_wrong(audited, row, here[row]) for row in drawn if not audited.flagged[row]]
    return judged.count(True), len(judged), judged.count(None)


def _is_settled(verdict: RowVerdict | None) -> bool:
    return verdict is not None and verdict.state in _OPINIONS


def describe_summary(summary: dict[str, Any], kind: Kind) -> Iterator[str]:
    """The summary of a review, line by line."""
    reviewers = [f"{name} {count(rows)}" for name, rows in summary["reviewers"].items()]
    by = f"verdicts by {join_names(reviewers)}" if reviewers else "no verdict yet"
    yield f"{summary['file']}: {plural(summary['events'], 'event')}; {by}."
    yield _describe_rows(summary["rows"], summary["labels"], kind)
    left = summary["flagged"]["undecided"]
    flagged = plural(summary["flagged"]["rows"], "flagged row")
    yield f"Of {flagged}, {count(left)} {_are(left)} not decided."
    if summary["elsewhere"]:
        rows = f"{plural(summary['elsewhere'], 'further row')} {_are(summary['elsewhere'])}"
        yield f"{rows} not in this audit: changed since, or gone from the table."
    yield from map(describe_pair, summary["agreement"])
    yield from (f"{gold['sentence']}." for gold in summary["gold"])
    if summary["disputed"]:
        yield f"They do not agree on: row {join_names(summary['disputed'])} (counted from 0)."
    if summary["progress"] is not None:
        yield from map(_make_sentence, filter(None, summary["progress"]["sentences"].values()))
    if summary["certificate"] is not None:
        yield _make_sentence(summary["certificate"]["sentence"])


def _describe_rows(states: dict[str, int], labels: dict[str, int], kind: Kind) -> str:
    decided = states.get("decided", 0)
    wrong = plural(labels["wrong"], kind.review.noun, kind.review.nouns)
    found = f": {wrong} wrong, {count(labels['right'])} right"
    blank = decided - labels["wrong"] - labels["right"]  # there was no label to be either
    found += f", {count(blank)} missing" if blank else ""
    parts = [f"{plural(decided, 'row')} decided{found if decided else ''}"]
    parts += [f"{count(states[state])} {state}" for state in _STATES if state in states]
    return "; ".join([parts[0], ", ".join(parts[1:])] if parts[1:] else parts) + "."


def describe_pair(pair: dict[str, Any]) -> str:
    """How far two reviewers agree."""
    who = f"{pair['first']} and {pair['second']}"
    if not pair["rows"]:
        return f"{who} decided no row both."
    kappa = "" if pair["kappa"] is None else f" (kappa {pair['kappa']:.2f})"
    return f"{who} agree on {count(pair['alike'])} of {plural(pair['rows'], 'row')}{kappa}."


def _make_sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def is_wrong(audited: Audited, row: int, verdict: RowVerdict) -> bool | None:
    """Whether the label is wrong; None where nobody could say, or there is no label."""
    if verdict.class_text is None or audited.labels[row] is None:
        return None
    return differ(as_text(audited.labels[row]), verdict.class_text)
