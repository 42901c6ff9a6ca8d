import pickle

import numpy as np
import pytest

from errata.ensemble import DiscreteAdaBoostClassifier
from errata.filters import LinearProgramPeeler, maximize_margin
from errata.filters.peeling._linear_programs import make_margin_lines, solve_widest_margin
from filters.peeling_cases import noisy_blobs, noisy_twonorm


@pytest.mark.parametrize("make", [noisy_twonorm, noisy_blobs])
def test_the_least_margin_is_that_of_the_program(make):
    X, y, _ = make()
    peeler = LinearProgramPeeler(contamination=0.15, n_estimators=25)
    X_left, y_left = peeler.fit_resample(X, y)
    before = peeler.booster_.decision_function(X)
    model = maximize_margin(peeler.booster_, X_left, y_left)
    lines, _ = make_margin_lines(peeler.booster_._staged_codes(X_left), y_left)
    widest = solve_widest_margin(lines).margin
    assert model.margins(X_left, y_left).min() == pytest.approx(widest, abs=1e-6)
    assert widest >= peeler.booster_.margins(X_left, y_left).min() - 1e-9
    assert model.estimator_weights_.sum() == pytest.approx(1, abs=1e-6)
    assert model.n_estimators_ == len(model.estimator_errors_) <= peeler.booster_.n_estimators_
    places = {id(term.estimator): place for place, term in enumerate(peeler.booster_._terms)}
    kept = [places[id(term.estimator)] for term in model._terms]
    np.testing.assert_array_equal(model.estimator_errors_, peeler.booster_.estimator_errors_[kept])
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert model.score(X_left, y_left) > 0.7
    np.testing.assert_array_equal(peeler.booster_.decision_function(X), before)


def test_there_are_weights_even_for_a_row_that_all_base_estimators_get_wrong():
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]]), np.array(list("aabbbb"))
    booster = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y)
    np.testing.assert_array_equal(maximize_margin(booster, X, y).predict(X), list("aaabbb"))


def test_models_survive_pickling():
    X, y, _ = noisy_twonorm(n=80)
    model = maximize_margin(DiscreteAdaBoostClassifier(n_estimators=20).fit(X, y), X, y)
    revived = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(revived.decision_function(X), model.decision_function(X))


def test_as_many_labels_as_rows():
    X, y, _ = noisy_twonorm(n=80)
    booster = DiscreteAdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        maximize_margin(booster, X, y[1:])
