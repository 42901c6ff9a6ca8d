"""CleanLearning for numbers."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

from errata.compat.cleanlab.regression.learn import CleanLearning


def shuffled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.2 * rng.normal(size=400)
    wrong = np.zeros(400, dtype=bool)
    wrong[rng.choice(400, 30, replace=False)] = True
    given = y.copy()
    given[wrong] += rng.choice([-8, 8], 30)
    return X, y, given, wrong


def test_wrong_numbers_are_left_out():
    X, y, given, wrong = shuffled()
    model = CleanLearning(seed=0).fit(X, given)
    assert wrong[model.label_issues_mask].mean() > 0.95
    assert model.label_issues_mask[wrong].mean() > 0.95
    assert_allclose(model.model.coef_, [1, 2, 3], atol=0.05)
    assert model.score(X, y) > LinearRegression().fit(X, given).score(X, y)
    assert model.get_label_issues()["label_quality"].between(0, 1).all()


def test_columns_and_types_are_those_of_cleanlab():
    theirs = pytest.importorskip("cleanlab.regression.learn", reason="cleanlab is not installed")
    X, y = load_diabetes(return_X_y=True)
    ours = CleanLearning(seed=0).find_label_issues(X, y)
    expected = theirs.CleanLearning(seed=0).find_label_issues(X, y)
    assert_array_equal(ours.columns, expected.columns)
    assert_array_equal(ours.dtypes, expected.dtypes)
    assert_array_equal(ours["given_label"], expected["given_label"])


def test_what_was_found_before_is_taken():
    X, _, given, wrong = shuffled()
    expected = LinearRegression().fit(X[~wrong], given[~wrong]).predict(X)
    for issues in (wrong, pd.DataFrame({"is_label_issue": wrong})):
        model = CleanLearning().fit(X, given, label_issues=issues)
        assert_allclose(model.predict(X), expected)
    with pytest.raises(ValueError, match="a value for each of the 400 rows"):
        CleanLearning().fit(X, given, label_issues=[True])
