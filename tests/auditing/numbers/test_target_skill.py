import numpy as np
import pytest

from errata.auditing.numbers._finding import measure_skill
from strategies import SEEDS


def first_round(targets, predicted):
    """Residuals, and what is predicted of one row more."""
    return targets - predicted, np.r_[predicted, 0.0]


@pytest.mark.parametrize("seed", SEEDS)
def test_medians_of_skewed_targets_are_no_skill(seed):
    targets = np.random.default_rng(seed).exponential(size=2000)
    assert targets.mean() - np.median(targets) > 0.2
    assert measure_skill(*first_round(targets, np.full(2000, np.median(targets)))) < 2


def test_predictions_are():
    random = np.random.default_rng(0)
    truth = random.normal(size=200)
    assert measure_skill(*first_round(truth + random.normal(size=200), truth)) > 4


def test_rows_of_one_unit_count_once():
    random = np.random.default_rng(0)
    truth = random.normal(size=50)
    noisy = truth + 2 * random.normal(size=50)
    once = measure_skill(*first_round(noisy, truth))
    tenfold = first_round(np.repeat(noisy, 10), np.repeat(truth, 10))
    assert measure_skill(*tenfold) > 2 * once
    assert measure_skill(*tenfold, np.repeat(np.arange(50), 10)) == pytest.approx(once, rel=0.05)


def test_the_mean_itself_has_none():
    assert measure_skill(*first_round(np.zeros(10), np.zeros(10))) == 0
