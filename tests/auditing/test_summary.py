import json
from dataclasses import replace

import numpy as np
import pytest


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
    found = (
        f"Of {check['injected']} errors we planted, {check['found']} are among the {check['top']} "
        "most suspicious rows"
    )
    assert check["lift"]
    assert check["sentence"] == (
        f"{found}; knowing the labels alone, {check['by_label']} would be."
    )
    assert len(check["rank"]) == len(check["recall"]) == len(check["label_recall"]) > 0


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ({"none": 1.0}, None),
        ({"none": 0.96, "boundary": 0.04}, None),
        ({"uniform": 0.5, "pattern": 0.5}, None),
        ({"uniform": 0.5, "boundary": 0.5}, None),  # 10% or 12%: not worth telling apart
        (
            {"none": 0.6, "boundary": 0.4},
            "The data leave open how many labels are wrong: none if the classes merely overlap, "
            "12% if they are wrong where classes meet.",
        ),
        (
            {"none": 0.2, "uniform": 0.6, "pattern": 0.2},
            "The data leave open how many labels are wrong: none if the classes merely overlap, "
            "12% if labels are wrong here and there.",
        ),
    ],
)
def test_what_the_data_leave_open_is_one_sentence(weights, sentence, flowers):
    rates = {"none": 0.0, "uniform": 0.1, "pattern": 0.2, "boundary": 0.12}
    told = [{"kind": kind, "weight": weights[kind], "rate": rates[kind]} for kind in weights]
    assert replace(flowers[0], hypotheses=told).summary()["alternatives"] == sentence


def test_what_cleaning_drops_is_what_the_rule_drops(flowers):
    audit, _ = flowers
    for p_wrong in (audit.p_wrong, np.full(150, 0.9)):  # in the second, classes must be spared
        some = replace(audit, p_wrong=p_wrong)
        cleaned = some.summary()["flagged"]["cleaned"]
        assert cleaned["threshold"] == 0.5
        assert cleaned["rows"] == np.sum(some.clean().did == "dropped") > 0
        assert cleaned["above"] == np.sum(p_wrong > 0.5)
    assert cleaned["rows"] <= 75 < cleaned["above"] == 150


def test_without_skill_nothing_is_cleaned(flowers):
    nothing = replace(flowers[0], has_skill=False).summary()["flagged"]["cleaned"]
    assert nothing["rows"] == nothing["above"] == 0


def test_stretches_are_told_of_recordings_alone(flowers, walks):
    assert flowers[0].summary()["stretches"] is None
    told = json.loads(json.dumps(walks[0].summary(), allow_nan=False))["stretches"]
    assert told["recordings"] == 6
    assert told["count"] == len(walks[0].stretches()) >= 5
    assert [trace["start"] for trace in told["worst"][:5]] == [
        int(row) for row in walks[0].stretches()["start"][:5]
    ]
