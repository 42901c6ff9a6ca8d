import numpy as np
import pytest
from numpy.testing import assert_allclose

from errata.auditing.examples import _explanations
from errata.auditing.examples._explanations import feature_places, leave_columns_out
from errata.tables import features_of


def logistic(weights):
    def proba(X):
        p = 1 / (1 + np.exp(-(X @ weights)))
        return np.column_stack([1 - p, p])

    return proba


ROW, OTHERS = np.array([1.0, 2.0, -1.0]), np.array([[0.0, 0.5, 3.0], [-1.0, -2.0, 1.0]])
SINGLE = [np.array([j]) for j in range(3)]


def test_the_equation_by_hand():
    proba = logistic(np.array([1.0, 1.0, 0.0]))
    against, p_label = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=0, other=1)
    p = np.mean(1 / (1 + np.exp([1 + 0.5, 1 - 2.0])))  # the second column left out
    assert_allclose(p_label[1], p, rtol=1e-12)
    assert_allclose(against[1], np.log(p / (1 - p)) + 3, rtol=1e-12)


def test_a_column_that_models_do_not_look_at_says_nothing():
    proba = logistic(np.array([1.0, -2.0, 0.0]))
    against, _ = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=1, other=0)
    assert against[2] == 0


def test_swapping_the_classes_turns_the_sign():
    proba = logistic(np.array([1.0, -2.0, 0.5]))
    one = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=1, other=0)[0]
    two = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=0, other=1)[0]
    assert_allclose(one, -two, rtol=1e-12)


def test_features_of_one_column_are_replaced_together():
    proba = logistic(np.array([1.0, -1.0, 0.0]))
    others = np.array([[5.0, 6.0, 0.0]])
    together, _ = leave_columns_out(proba, ROW, others, [np.array([0, 1])], label=1, other=0)
    assert_allclose(together, 0, rtol=0, atol=1e-12)  # 5 - 6 is what 1 - 2 is


@pytest.mark.parametrize("at_once", [1, 6, 12])
def test_columns_may_be_left_out_in_any_number_at_a_time(at_once, monkeypatch):
    proba = logistic(np.array([1.0, -2.0, 0.5]))
    whole = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=1, other=0)
    monkeypatch.setattr(_explanations, "EXPLAINED_NUMBERS", at_once)
    cut = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=1, other=0)
    assert_allclose(cut[0], whole[0], rtol=1e-12)


def test_places_of_features_of_a_table_and_of_an_array():
    table = {"weight": ["4", "31", "", "5"], "fur": ["grey", "brown", "brown", "white"]}
    features = features_of(table)
    assert [places.tolist() for places in feature_places(features.plan)] == [[0, 1], [2, 3, 4]]
    features = features_of(np.random.default_rng(0).normal(size=(9, 3)))
    assert [places.tolist() for places in feature_places(features.plan)] == [[0], [1], [2]]
