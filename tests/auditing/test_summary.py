import json

import numpy as np


def test_the_summary_adds_up_and_is_valid_json(flowers):
    audit, _ = flowers
    told = json.loads(json.dumps(audit.summary(), allow_nan=False))
    flagged = int(audit.flagged.sum())
    assert told["rows"] == sum(row["rows"] for row in told["per_class"]) == 150
    assert told["flagged"]["count"] == sum(row["flagged"] for row in told["per_class"]) == flagged
    assert sum(pair["count"] for pair in told["confusion"]) == flagged
    assert all(pair["label"] != pair["suggested"] for pair in told["confusion"])
    assert sum(told["histogram"]["counts"]) == 150
    assert sum(told["histogram"]["flagged"]) == flagged
    rate = told["noise_rate"]
    assert rate["count_low"] <= rate["count"] <= rate["count_high"]
    assert rate["count"] == round(audit.p_wrong.sum())
    expected = sum(row["expected_wrong"] for row in told["per_class"])
    np.testing.assert_allclose(expected, audit.p_wrong.sum(), rtol=0, atol=0.02)


def test_the_check_is_told_in_a_sentence(flowers):
    check = flowers[0].summary()["self_check"]
    assert check["sentence"] == (
        f"Of {check['planted']} errors we planted, {check['found']} are among the {check['top']} "
        "most suspicious rows."
    )
