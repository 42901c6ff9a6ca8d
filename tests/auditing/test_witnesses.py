import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from auditing_cases import blobs
from errata.auditing import (
    Boosting,
    Bumps,
    Case,
    Given,
    Linear,
    Model,
    Neighbors,
    Trees,
    default_witnesses,
)
from errata.auditing import _witnesses as module
from errata.auditing._witnesses import certain_or_uniform, cross_fitted

X, CODES = blobs(60)
QUICK = [
    Bumps("bumps", 1.0, n_hidden=20),
    Trees("trees", True, 20, 1),
    Trees("forest", False, 20, 1),
    Neighbors("near", 5),
    Linear("line"),
    Model(LogisticRegression(), X, np.arange(3)),
]
GROUPS = np.arange(60) // 2
each = pytest.mark.parametrize("witness", QUICK, ids=lambda witness: witness.name)


def assert_probabilities(proba, n, n_classes):
    assert proba.shape == (n, n_classes)
    assert proba.min() >= 0
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-6)


@each
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "in groups"])
def test_witnesses_give_probabilities_and_know_separated_classes(witness, groups):
    proba = witness.testify(Case(X, CODES, 3, groups))
    assert_probabilities(proba, 60, 3)
    assert np.mean(proba.argmax(axis=1) == CODES) > 0.9


@each
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "in groups"])
def test_a_class_that_no_row_has_gets_nothing_or_little(witness, groups):
    codes = np.where(CODES == 1, 0, CODES)  # planting errors may empty a class
    proba = witness.testify(Case(X, codes, 3, groups))
    assert_probabilities(proba, 60, 3)
    assert proba[:, 1].mean() < 0.1


@each
def test_no_row_is_judged_by_its_own_label(witness):
    before = witness.testify(Case(X, CODES, 3))
    for row in (0, 7):
        codes = CODES.copy()
        codes[row] = (codes[row] + 1) % 3
        after = witness.testify(Case(X, codes, 3))
        assert abs(after[row, CODES[row]] - before[row, CODES[row]]) < 0.2  # its folds may change


@each
def test_rows_of_a_group_do_not_testify_about_each_other(witness):
    # Rows that come five times over, with labels drawn at random for all five together.
    random = np.random.default_rng(3)
    copies, rows = random.normal(size=(24, 6)), np.arange(24).repeat(5)
    codes = random.integers(2, size=24)[rows]
    if isinstance(witness, Model):
        witness = Model(witness.estimator, copies[rows], np.arange(2))
    together = Case(copies[rows], codes, 2, rows)
    assert np.mean(witness.testify(together).argmax(axis=1) == codes) < 0.75
    if not isinstance(witness, Model | Linear):  # too stiff to learn rows by heart
        alone = Case(copies[rows], codes, 2)
        assert np.mean(witness.testify(alone).argmax(axis=1) == codes) > 0.8


@pytest.mark.parametrize("witness", QUICK[:4], ids=lambda witness: witness.name)
def test_six_rows_and_equal_rows_are_no_trouble(witness):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few = Case(X[:6], np.array([0, 0, 0, 1, 1, 1]), 2)
        assert_probabilities(witness.testify(few), 6, 2)
        equal = Case(np.zeros((8, 3)), np.arange(8) % 2, 2)
        assert_probabilities(witness.testify(equal), 8, 2)


def test_many_rows_are_left_out_in_folds_and_trees_grown_from_some(monkeypatch):
    monkeypatch.setattr(module, "LEAVE_ONE_OUT", 30)
    monkeypatch.setattr(module, "TREE_ROWS", 55)
    for witness in QUICK[:3]:
        assert_probabilities(witness.testify(Case(X, CODES, 3)), 60, 3)
        assert_probabilities(witness.testify(Case(X, CODES, 3, GROUPS)), 60, 3)


def test_no_more_folds_than_rows_of_the_largest_class():
    assert len(Case(X[:6], np.array([0, 0, 0, 1, 1, 1]), 2).splits(5)) == 3


def test_a_model_of_the_user_sees_the_labels_as_the_user_writes_them():
    names = np.array(["ant", "bee", "cat"])
    model = LogisticRegression(class_weight={"ant": 1, "bee": 2, "cat": 1})
    proba = Model(model, X, names).testify(Case(X, CODES, 3))
    assert np.mean(proba.argmax(axis=1) == CODES) > 0.9


def test_cross_fitting_equals_fitting_by_hand():
    case = Case(X, CODES, 3, GROUPS)
    proba = cross_fitted(LogisticRegression(), X, case)
    for train, test in case.splits():
        by_hand = LogisticRegression().fit(X[train], CODES[train]).predict_proba(X[test])
        np.testing.assert_allclose(proba[test], by_hand, rtol=0, atol=1e-9)


def test_some_of_many_rows_are_fitted():
    sizes = []

    class Counting(LogisticRegression):
        def fit(self, table, labels):
            sizes.append(len(table))
            return super().fit(table, labels)

    cross_fitted(Counting(), X, Case(X, CODES, 3), most_rows=20)
    assert sizes == [20] * 5


@each
def test_a_fold_that_takes_a_class_away_leaves_those_who_know_the_other(witness):
    codes = (CODES > 0).astype(int)
    if isinstance(witness, Model):
        witness = Model(witness.estimator, X, np.arange(2))
    case = Case(X, codes, 2, codes)
    proba = witness.testify(case)
    assert_probabilities(proba, 60, 2)
    assert (proba.argmax(axis=1) != codes).mean() > 0.9


def test_some_rows_of_what_is_given():
    proba = np.eye(3)[CODES]
    np.testing.assert_array_equal(Given(proba).for_rows(np.array([4, 2])).proba, proba[[4, 2]])
    model = Model(LogisticRegression(), X, np.arange(3), "mine").for_rows(np.array([4, 2]))
    np.testing.assert_array_equal(model.table, X[[4, 2]])
    assert model.name == "mine"


def test_rows_nobody_knows_about_become_uniform():
    proba = certain_or_uniform(np.array([[0.0, 0.0], [np.nan, np.nan], [2.0, 2.0], [1.0, 0.0]]))
    np.testing.assert_array_equal(proba, [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [1.0, 0.0]])


@pytest.mark.parametrize("n", [10, 10_000, 1_000_000])
def test_the_jury_has_several_members_with_names_of_their_own(n):
    names = [witness.name for witness in default_witnesses(n, 3)]
    assert len(set(names)) == len(names) >= 3


def test_boosting_is_heard_where_rows_are_many_and_classes_few():
    def boosted(n, n_classes):
        return any(isinstance(w, Boosting) for w in default_witnesses(n, n_classes))

    assert boosted(10_000, 2)
    assert not boosted(500, 2)
    assert not boosted(10_000, 26)


def test_boosting_knows_separated_classes():
    many, codes = blobs(400)
    proba = Boosting("boosting").testify(Case(many, codes, 3))
    assert_probabilities(proba, 400, 3)
    assert np.mean(proba.argmax(axis=1) == codes) > 0.9


def test_boosting_of_many_rows_takes_a_class_of_two():
    random = np.random.default_rng(0)
    codes = np.r_[2, 2, random.integers(2, size=12_598)]
    case = Case(random.normal(size=(12_600, 1)), codes, 3)
    assert_probabilities(Boosting("boosting").testify(case), 12_600, 3)


def test_groups_choose_the_ridge_by_their_folds():
    # Near-copies of 60 rows: by single rows nearly no ridge is best, by groups a real one.
    random = np.random.default_rng(0)
    codes = random.integers(2, size=60)
    centers = random.normal(size=(60, 4)) + 0.7 * codes[:, None]
    rows = np.arange(60).repeat(5)
    table = centers[rows] + 1e-4 * random.normal(size=(300, 4))
    model = Bumps("RBF features", 1.0)
    own = np.arange(300), codes[rows]
    apart = model.testify(Case(table, codes[rows], 2))[own]
    together = model.testify(Case(table, codes[rows], 2, rows))[own]
    assert np.log(apart).mean() > -0.1  # it has seen the copies
    assert -0.75 < np.log(together).mean() < -0.3  # better than nothing, and not overconfident
