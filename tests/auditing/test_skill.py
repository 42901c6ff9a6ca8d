import numpy as np
import pytest

from errata.auditing.models._pooling import Skill, skill_of


def no_signal(seed, shares=(0.8, 0.15, 0.05), n=400):
    random = np.random.default_rng(seed)
    codes = random.choice(len(shares), n, p=shares)
    q = random.dirichlet(20 * np.array(shares), n)
    return np.log(q.T), codes


def test_probabilities_that_know_only_how_frequent_labels_are_have_no_skill():
    passed = sum(skill_of(*no_signal(seed)).enough for seed in range(60))
    assert passed <= 1


def test_the_same_probability_for_all_rows_has_no_skill():
    skill = skill_of(np.log(np.full((2, 50), 0.5)), np.arange(50) % 2)
    assert skill.z == 0
    assert skill.largest_frequency == 0.5


@pytest.mark.parametrize("sure", [0.7, 0.99])
def test_probabilities_that_know_the_label_have_skill(sure):
    codes = np.arange(60) % 3
    q = np.full((3, 60), (1 - sure) / 2)
    q[codes, np.arange(60)] = sure
    assert skill_of(np.log(q), codes).z == np.inf  # all rows gain the same
    q[:, 0] = 1 / 3
    assert 10 < skill_of(np.log(q), codes).z < np.inf


def test_a_few_rows_it_is_too_sure_of_do_not_hide_skill():
    # Plain gain in log loss is negative here: 5 % of the rows are contradicted with certainty.
    codes = np.arange(1000) % 2
    q = np.full((2, 1000), 1e-9)
    q[np.where(np.arange(1000) < 50, 1 - codes, codes), np.arange(1000)] = 1 - 1e-9
    assert np.mean(np.log(q[codes, np.arange(1000)] / 0.5)) < 0
    assert skill_of(np.log(q), codes).enough


def test_skill_begins_at_2_4_standard_errors():
    assert not Skill(2.39, 0.5).enough
    assert Skill(2.41, 0.5).enough


def test_rows_of_one_unit_count_once():
    # Labels that last do not make chance more than chance: 20 runs of 50 rows are 20 rows.
    def z(seed, with_units):
        logs, codes = no_signal(seed, shares=(0.5, 0.5), n=20)
        units = np.repeat(np.arange(20), 50)
        return skill_of(logs[:, units], codes[units], units if with_units else None).z

    assert sum(z(seed, with_units=False) >= 2.4 for seed in range(60)) > 10
    assert sum(z(seed, with_units=True) >= 2.4 for seed in range(60)) <= 2


def test_units_of_one_row_change_nothing():
    logs, codes = no_signal(0)
    by_units = skill_of(logs, codes, np.arange(len(codes)))
    assert by_units.z == pytest.approx(skill_of(logs, codes).z, rel=1e-12)


def test_a_row_told_fifty_times_has_the_skill_of_one():
    logs, codes = no_signal(3, shares=(0.5, 0.5), n=40)
    units = np.repeat(np.arange(40), 50)
    alone = skill_of(logs, codes).z
    assert abs(alone) > 0.1
    assert skill_of(logs[:, units], codes[units], units).z == pytest.approx(alone, rel=1e-9)
