import json
from dataclasses import replace
from numbers import Real

import pytest

import errata
from kind_cases import KINDS

OWN = {
    "classes": set(),
    "numbers": set(),
    "votes": {"still_wrong", "still_wrong_low", "still_wrong_high", "n_annotators"},
    "multilabel": {
        f"{name}{end}"
        for name in ("missing_rate", "wrongly_set_rate")
        for end in ("", "_low", "_high")
    },
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_folder_has_its_numbers_and_nothing_else(kind, audit_of):
    pytest.importorskip("pyarrow", reason="the tables extra is not installed")
    metrics = json.loads((audit_of(kind) / "metrics.json").read_text(encoding="utf-8"))
    assert all(isinstance(value, Real) for value in metrics.values())
    audit = errata.auditing.load_audit(audit_of(kind))
    assert audit.metrics() == metrics
    assert OWN[kind] <= set(metrics)
    assert metrics["noise_rate"] == pytest.approx(audit.noise_rate.estimate, abs=1e-5)
    assert metrics["noise_rate_low"] <= metrics["noise_rate"] <= metrics["noise_rate_high"]
    assert metrics["n_flagged"] == audit.flagged.sum()
    least, most = (metrics[f"expected_precision_{end}"] for end in ("low", "high"))
    assert least <= metrics["expected_precision"] <= most
    told = audit.noise_rate.range_of(audit.expected_precision)
    assert (least, most) == pytest.approx(told, abs=1e-4)
    assert metrics["n_rows"] == len(audit)
    assert ("self_check_average_precision" in metrics) == (kind != "votes")


def test_without_skill_the_rate_is_unknown(audit_of):
    audit = errata.auditing.load_audit(audit_of("classes"))
    metrics, blind = audit.metrics(), replace(audit, has_skill=False).metrics()
    assert set(metrics) - set(blind) == {"noise_rate", "expected_wrong"}
    assert (blind["has_skill"], blind["noise_rate_high"]) == (0, metrics["noise_rate_high"])


def test_what_is_unknown_is_left_out(audit_of):
    audit = errata.auditing.load_audit(audit_of("classes"))
    blind = replace(
        audit, expected_precision=float("nan"), expected_recall=float("nan"), self_check=None
    )
    gone = {name for name in audit.metrics() if name.startswith(("self_check", "expected_"))}
    assert set(blind.metrics()) == set(audit.metrics()) - gone | {"expected_wrong"}
