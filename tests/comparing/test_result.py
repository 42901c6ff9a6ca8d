import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import t as student

from errata.comparing._result import compare_standing, describe_basis, write_advice


def row(name, score, within_chance=True, seconds=1.0):
    bounds = {"low": score - 0.03, "high": score + 0.03}
    return {
        "name": name,
        "score": score,
        "within_chance": within_chance,
        "seconds": seconds,
    } | bounds


def said(*rows, score="accuracy"):
    return write_advice({"competitors": list(rows), "score": score})


def test_those_within_chance_are_named_and_the_quickest_of_them():
    text = said(row("SVM", 0.9), row("forest", 0.89, seconds=0.1), row("tree", 0.6, False, 0.01))
    assert text == (
        "SVM has the highest estimated accuracy, 90.0% (87.0% to 93.0%); its lead over forest is "
        "within chance; forest is the quickest of them."
    )


def test_when_all_are_within_chance_nobody_is_listed():
    text = said(row("SVM", 0.9, seconds=0.1), row("forest", 0.89), row("tree", 0.88))
    assert text.endswith("but all 3 are within chance of it; it is also the quickest of them.")


def test_a_name_begins_the_sentence_with_a_capital():
    assert said(row("random forest", 0.9), row("tree", 0.1, False)).startswith("Random forest has")


def test_without_skill_agreement_is_not_called_accuracy():
    rows = [row("SVM", 0.9), row("tree", 0.1, False)]
    assert "highest agreement with the labels" in said(*rows, score="agreement")
    summary = {"score": "agreement", "noise_rate": {}}
    assert "nobody can say which labels are wrong" in describe_basis(summary)


def test_the_basis_tells_the_noise_rate():
    rate = {"estimate": 0.2, "low": 0.1, "high": 0.3}
    assert "About 20% of the labels are wrong (10% to 30%)" in describe_basis(
        {"score": "accuracy", "noise_rate": rate}
    )


def test_interval_and_p_value_by_hand():
    scores = np.array([[0.9, 0.8], [0.8, 0.7], [0.85, 0.81], [0.95, 0.81]])
    found = compare_standing(scores, test_fraction=0.2)
    inflation = 1 / 4 + 0.25  # Nadeau and Bengio: 1 / J + test rows / training rows
    error = np.sqrt(inflation * scores[:, 0].var(ddof=1))
    reach = student.ppf(0.975, 3) * error
    assert_allclose(found.mean, [0.875, 0.78], rtol=0, atol=1e-12)
    assert_allclose(found.low[0], 0.875 - reach, rtol=0, atol=1e-12)
    assert found.high[0] == 1.0  # clipped: 0.875 + reach is beyond
    difference = scores[:, 0] - scores[:, 1]
    statistic = difference.mean() / np.sqrt(inflation * difference.var(ddof=1))
    assert_allclose(found.p_value, [1, 2 * student.sf(statistic, 3)], rtol=0, atol=1e-12)
    assert_allclose(found.rank, [1, 2], rtol=0, atol=0)


def test_the_best_may_stand_anywhere_and_is_within_chance_of_itself():
    random = np.random.default_rng(0)
    scores = np.c_[random.normal(0.5, 0.01, 10), random.normal(0.9, 0.01, 10)]
    found = compare_standing(scores, 0.2)
    assert found.best == 1
    assert found.within_chance.tolist() == [False, True]


def test_two_that_are_always_the_same_are_within_chance():
    scores = np.repeat(np.random.default_rng(0).uniform(0.7, 0.8, (5, 1)), 2, axis=1)
    assert compare_standing(scores, 0.2).within_chance.all()


def test_a_difference_that_never_varies_is_beyond_chance():
    assert compare_standing(np.array([[0.9, 0.8]] * 5), 0.2).p_value[1] == 0


def test_chance_is_mistaken_for_a_difference_in_at_most_one_of_twenty():
    # Folds of one table have something in common, which the correction allows for.
    random, alarms = np.random.default_rng(0), 0
    for _ in range(400):
        common = random.normal(0, np.sqrt(0.2), 2)  # correlation of folds: test rows / all rows
        scores = 0.8 + 0.05 * (common + random.normal(0, np.sqrt(0.8), (10, 2)))
        alarms += (~compare_standing(scores, 0.2).within_chance).any()
    assert alarms / 400 < 0.08


@pytest.mark.parametrize("n_folds", [2, 10])
def test_more_competitors_need_clearer_differences(n_folds):
    random = np.random.default_rng(1)
    scores = np.c_[random.normal(0.9, 0.02, n_folds), random.normal(0.8, 0.02, (8, n_folds)).T]
    alone = compare_standing(scores[:, :2], 0.2).p_value[1]
    among = compare_standing(scores, 0.2).p_value[1]
    assert among >= alone
