import numpy as np
import pytest

from errata.elm._checks import check_alpha, check_alphas, check_weights


@pytest.mark.parametrize("alpha", ["press", "gcv", "kfold", 0, 1, 0.5, np.float32(2)])
def test_ridges_and_rules_pass(alpha):
    assert check_alpha(alpha) == alpha


@pytest.mark.parametrize("alpha", [-1, np.inf, np.nan, None, True, [1.0]])
def test_what_is_no_ridge_is_refused(alpha):
    with pytest.raises(ValueError, match="must be a number of at least 0"):
        check_alpha(alpha)


def test_ridges_are_sorted_and_counted_once():
    assert check_alphas(None) is None
    assert check_alphas([10, 0.1, 1, 10]).tolist() == [0.1, 1, 10]


@pytest.mark.parametrize("alphas", [[0.0, 1.0], [-1.0]])
def test_ridges_to_choose_from_are_positive(alphas):
    with pytest.raises(ValueError, match="alphas must be positive, but"):
        check_alphas(alphas)


def test_no_weights_stay_none():
    assert check_weights(None, 3) is None
    assert check_weights([1, 0, 2], 3).tolist() == [1, 0, 2]
