"""Ten audits whose numbers must not change while code is moved; a change detector, not a truth.

`python tests/test_same_numbers.py` writes them anew. They are compared to 1e-9 where they were
written by the same code for matrix products, and to 1e-3 elsewhere.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_friedman1, make_multilabel_classification
from threadpoolctl import threadpool_info

import errata
from auditing_cases import small_forests
from errata.datasets import make_activity
from errata.review import Decisions, Event, as_text

KEPT = Path(__file__).with_suffix(".json")
NAMES = np.array(["ann", "ben", "cas"])


def classes(seed=0, rows=90):
    X, y = load_iris(return_X_y=True)
    chosen = np.random.default_rng(seed).permutation(150)[:rows]
    labels, _ = errata.noise.flip_labels(NAMES[y[chosen]], 0.1, random_state=seed)
    return X[chosen], labels


def in_memory(folder):
    X, labels = load_wine(return_X_y=True)
    labels, _ = errata.noise.flip_labels(labels, 0.1, random_state=0)
    return errata.audit(X, labels, random_state=0)


def stored(folder):
    X, labels = classes()
    path = Path(folder) / "table.csv"
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X, labels, strict=True)]
    path.write_text("\n".join(["a,b,c,d,label", *lines]) + "\n", encoding="utf-8")
    out = Path(folder) / "table.audit"
    return errata.audit(str(path), "label", out=out, self_check=False, random_state=0)


def with_copies(folder):
    X, labels = classes(1)
    X, labels = np.r_[X, X[:30]], np.r_[labels, labels[:30]]
    return errata.audit(X, labels, self_check=False, random_state=0)


def with_groups(folder):
    X, labels = classes(2)
    groups = np.arange(90) // 3
    return errata.audit(X, labels, groups=groups, self_check=False, random_state=0)


def with_verdicts(folder):
    X, labels = classes(3)
    path = Path(folder) / "verdicts.decisions"
    with Decisions(path) as decisions:
        for row, label in enumerate(map(as_text, labels[:10].tolist())):
            decisions.record(
                Event(
                    reviewer="ann",
                    row=row,
                    row_key=f"row.{row}",
                    kind="label",
                    class_text=label,
                    label=label,
                    suggested=label,
                    p_wrong=0.5,
                    audit="5f0c",
                )
            )
    return errata.audit(X, labels, decisions=path, self_check=False, random_state=0)


def numbers(folder):
    X, y = make_friedman1(80, n_features=6, noise=1, random_state=0)
    y[:4] += 20
    return errata.audit_targets(X, y, random_state=0)


def crowd(rows=60):
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, size=rows)
    item, worker = (part.ravel() for part in np.meshgrid(np.arange(rows), np.arange(5)))
    wrong = random.random(len(item)) < 0.1 + 0.1 * worker
    answer = np.where(wrong, random.integers(0, 3, size=len(item)), truth[item])
    return truth, {"item": item, "worker": worker, "label": NAMES[answer]}


def votes(folder):
    return errata.audit_votes(crowd()[1], random_state=0)


def votes_with_a_table(folder):
    truth, told = crowd()
    X = np.random.default_rng(1).normal(size=(60, 3)) + 2 * np.eye(3)[truth]
    return errata.audit_votes(told, X=X, random_state=0)


def several_labels(folder):
    X, Y = make_multilabel_classification(80, n_features=6, n_classes=3, random_state=0)
    return errata.audit_multilabel(X, Y, self_check=False, random_state=0)


def a_sequence(folder):
    X, labels, lengths = make_activity(6, duration=30.0, random_state=0)
    record = np.repeat(np.arange(len(lengths)), lengths)
    return errata.audit(X, labels, sequence=record, self_check=False, random_state=0)


AUDITS = {
    audit.__name__: audit
    for audit in (
        in_memory,
        stored,
        with_copies,
        with_groups,
        with_verdicts,
        numbers,
        votes,
        votes_with_a_table,
        several_labels,
        a_sequence,
    )
}


def told(audit):
    """The numbers of an audit that a user reads."""
    rate = audit.expected_wrong if isinstance(audit, errata.VoteAudit) else audit.noise_rate
    return {
        "p_wrong": np.asarray(audit.p_wrong, dtype=float).ravel().tolist()[:300],
        "flagged": np.flatnonzero(np.asarray(audit.flagged).ravel()).tolist()[:300],
        "rate": list(rate),
    }


def products():
    """The code that multiplies matrices here."""
    return sorted({str(each.get("architecture")) for each in threadpool_info()})


@pytest.mark.parametrize("name", AUDITS)
def test_an_audit_says_what_it_said(name, tmp_path, few_trees):
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    now, then = told(AUDITS[name](tmp_path)), kept[name]
    close = 1e-9 if kept["products"] == products() else 1e-3
    np.testing.assert_allclose(now["p_wrong"], then["p_wrong"], rtol=0, atol=close)
    np.testing.assert_allclose(now["rate"], then["rate"], rtol=0, atol=close)
    assert now["flagged"] == then["flagged"]


if __name__ == "__main__":
    found = {}
    for name, audit in AUDITS.items():
        with small_forests(), tempfile.TemporaryDirectory() as folder:
            found[name] = told(audit(folder))
    KEPT.write_text(json.dumps({"products": products(), **found}) + "\n", encoding="utf-8")
