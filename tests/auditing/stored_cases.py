"""Judged rows of a large table, and the audit on disk that is made from them."""

from functools import reduce
from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from errata.auditing import Audit, NoiseRate
from errata.auditing.results._flags import Rows, draw_line
from errata.auditing.stored._audit import finish_part, merge_finished
from errata.auditing.stored._rows import StoredRows, part_path, write_judged

PETS = np.array(["ant", "bee", "cat", "dog"])
RATE = 0.125  # of wrong labels, where a row could not be audited


def judged_rows(n=600, *, n_classes=4, special=True, random_state=0):
    """Rows of which some have no label, a known one, or a class that is too rare."""
    random = np.random.default_rng(random_state)
    code = random.integers(n_classes, size=n)
    # Equal probabilities occur, and the first class is wrong more often than not.
    p_wrong = np.where(code == 0, 0.4, 0.0) + random.integers(12, size=n) / 20
    suspicion = np.clip(p_wrong + random.normal(0, 0.02, n), 0, 1)
    audited, known = np.ones(n, dtype=bool), None
    if special:
        code[random.random(n) < 0.1] = -1
        known = (random.random(n) < 0.1) & (code >= 0)
        audited = (code >= 0) & (random.random(n) < 0.98)
        p_wrong, suspicion = (np.where(known, 0.0, column) for column in (p_wrong, suspicion))
    other = (np.maximum(code, 0) + random.integers(1, n_classes, size=n)) % n_classes
    p_other = (p_wrong * random.choice([0.6, 0.95, 1.0], n)).astype(np.float32)
    p_other[code < 0] = random.random(np.sum(code < 0))
    return Rows(code, other, p_wrong, p_other, suspicion, p_wrong / 2, audited, known)


def some_judged(judged, rows):
    return judged.for_rows(rows)


def parts_of(n, cuts=()):
    return [SimpleNamespace(start=a, stop=b) for a, b in pairwise([0, *cuts, n])]


def finished(folder, judged, cuts=(), *, classes=PETS, has_skill=True):
    """All parts finished, one after the other; their rows are in ``folder / "rows"``."""
    for name in ("judged", "rows"):
        (folder / name).mkdir(exist_ok=True)
    parts = parts_of(len(judged.code), cuts)
    pieces = [some_judged(judged, slice(part.start, part.stop)) for part in parts]
    for part, piece in zip(parts, pieces, strict=True):
        write_judged(part_path(folder / "judged", part.start), piece)
    line = draw_line(sum(piece.ranking() for piece in pieces))
    line = line if has_skill else ((np.inf, np.inf), np.nan, np.nan)
    shared = (folder / "judged", folder / "rows", classes, line[0], RATE)
    return reduce(merge_finished, [finish_part(part, shared) for part in parts]), line


def stored_audit(folder, judged=None, cuts=(200, 201, 450), *, classes=PETS, has_skill=True):
    """The audit of these rows, which are in ``folder``."""
    judged = judged_rows() if judged is None else judged
    done, line = finished(folder, judged, cuts, classes=classes, has_skill=has_skill)
    totals, parts, _ = done
    stored = StoredRows(folder / "rows", parts, classes, totals)
    k = len(classes)
    return Audit(
        **stored.attributes(),
        noise_rate=NoiseRate(0.2, 0.1, 0.3),
        hypotheses=[{"kind": "uniform", "weight": 1.0, "rate": 0.2}],
        has_skill=has_skill,
        transition=np.eye(k),
        prior=np.full(k, 1 / k),
        classes=classes,
        models=[],
        self_check=None,
        expected_precision=line[1],
        expected_recall=line[2],
        _rule="The worst come first.",
        _about={"errata": "0", "title": "pets", "seed": 0, "features": 3, "label": "pet"},
    )
