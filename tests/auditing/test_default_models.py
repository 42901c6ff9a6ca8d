import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from auditing_cases import CODES, GROUPS, X, blobs
from errata.auditing import TrainingData, default_models
from errata.auditing.models import _default
from errata.auditing.models._default import (
    CrossFitted,
    Forest,
    GradientBoosting,
    LinearModel,
    NearestRows,
    RBFRidge,
)

QUICK = [
    RBFRidge("RBF features", 1.0, n_hidden=20),
    Forest("trees", True, 20, 1),
    Forest("forest", False, 20, 1),
    NearestRows("near", 5),
    LinearModel("line"),
    CrossFitted("yours", LogisticRegression(), X, np.arange(3)),
]
each = pytest.mark.parametrize("model", QUICK, ids=lambda model: model.name)


def assert_probabilities(proba, n, n_classes):
    assert proba.shape == (n, n_classes)
    assert proba.min() >= 0
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-6)


@each
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "in groups"])
def test_modeles_give_probabilities_and_know_separated_classes(model, groups):
    proba = model.out_of_fold_proba(TrainingData(X, CODES, 3, groups))
    assert_probabilities(proba, 60, 3)
    assert np.mean(proba.argmax(axis=1) == CODES) > 0.9


@each
@pytest.mark.parametrize("groups", [None, GROUPS], ids=["alone", "in groups"])
def test_a_class_that_no_row_has_gets_nothing_or_little(model, groups):
    codes = np.where(CODES == 1, 0, CODES)  # planting errors may empty a class
    proba = model.out_of_fold_proba(TrainingData(X, codes, 3, groups))
    assert_probabilities(proba, 60, 3)
    assert proba[:, 1].mean() < 0.1


@each
def test_no_row_is_predicted_from_its_own_label(model):
    before = model.out_of_fold_proba(TrainingData(X, CODES, 3))
    for row in (0, 7):
        codes = CODES.copy()
        codes[row] = (codes[row] + 1) % 3
        after = model.out_of_fold_proba(TrainingData(X, codes, 3))
        assert abs(after[row, CODES[row]] - before[row, CODES[row]]) < 0.2  # its folds may change


@each
def test_rows_of_a_group_are_not_predicted_from_each_other(model):
    # Rows that come five times over, with labels drawn at random for all five together.
    random = np.random.default_rng(3)
    copies, rows = random.normal(size=(24, 6)), np.arange(24).repeat(5)
    codes = random.integers(2, size=24)[rows]
    if isinstance(model, CrossFitted):
        model = replace(model, table=copies[rows], classes=np.arange(2))
    together = TrainingData(copies[rows], codes, 2, rows)
    assert np.mean(model.out_of_fold_proba(together).argmax(axis=1) == codes) < 0.75
    if not isinstance(model, CrossFitted | LinearModel):  # too stiff to memorise rows
        alone = TrainingData(copies[rows], codes, 2)
        assert np.mean(model.out_of_fold_proba(alone).argmax(axis=1) == codes) > 0.8


@pytest.mark.parametrize("model", QUICK[:4], ids=lambda model: model.name)
def test_six_rows_and_equal_rows_are_no_trouble(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few = TrainingData(X[:6], np.array([0, 0, 0, 1, 1, 1]), 2)
        assert_probabilities(model.out_of_fold_proba(few), 6, 2)
        equal = TrainingData(np.zeros((8, 3)), np.arange(8) % 2, 2)
        assert_probabilities(model.out_of_fold_proba(equal), 8, 2)


def test_many_rows_are_left_out_in_folds_and_trees_grown_from_some(monkeypatch):
    monkeypatch.setattr(_default, "LEAVE_ONE_OUT", 30)
    monkeypatch.setattr(_default, "TREE_ROWS", 55)
    for model in QUICK[:3]:
        assert_probabilities(model.out_of_fold_proba(TrainingData(X, CODES, 3)), 60, 3)
        assert_probabilities(model.out_of_fold_proba(TrainingData(X, CODES, 3, GROUPS)), 60, 3)


@each
def test_a_fold_that_takes_a_class_away_leaves_those_who_know_the_other(model):
    codes = (CODES > 0).astype(int)
    if isinstance(model, CrossFitted):
        model = replace(model, table=X, classes=np.arange(2))
    data = TrainingData(X, codes, 2, codes)
    proba = model.out_of_fold_proba(data)
    assert_probabilities(proba, 60, 2)
    assert (proba.argmax(axis=1) != codes).mean() > 0.9


@pytest.mark.parametrize("n", [10, 10_000, 1_000_000])
def test_there_are_several_models_with_names_of_their_own(n):
    names = [model.name for model in default_models(n, 3)]
    assert len(set(names)) == len(names) >= 3


def test_boosting_is_used_where_rows_are_many_and_classes_few():
    def boosted(n, n_classes):
        return any(isinstance(m, GradientBoosting) for m in default_models(n, n_classes))

    assert boosted(10_000, 2)
    assert not boosted(500, 2)
    assert not boosted(10_000, 26)


def test_boosting_knows_separated_classes():
    many, codes = blobs(400)
    proba = GradientBoosting("boosting").out_of_fold_proba(TrainingData(many, codes, 3))
    assert_probabilities(proba, 400, 3)
    assert np.mean(proba.argmax(axis=1) == codes) > 0.9


def test_boosting_of_many_rows_takes_a_class_of_two():
    random = np.random.default_rng(0)
    codes = np.r_[2, 2, random.integers(2, size=12_598)]
    data = TrainingData(random.normal(size=(12_600, 1)), codes, 3)
    assert_probabilities(GradientBoosting("boosting").out_of_fold_proba(data), 12_600, 3)


def test_groups_choose_the_ridge_by_their_folds():
    # Near-copies of 60 rows: by single rows nearly no ridge is best, by groups a real one.
    random = np.random.default_rng(0)
    codes = random.integers(2, size=60)
    centers = random.normal(size=(60, 4)) + 0.7 * codes[:, None]
    rows = np.arange(60).repeat(5)
    table = centers[rows] + 1e-4 * random.normal(size=(300, 4))
    model = RBFRidge("RBF features", 1.0)
    own = np.arange(300), codes[rows]
    apart = model.out_of_fold_proba(TrainingData(table, codes[rows], 2))[own]
    together = model.out_of_fold_proba(TrainingData(table, codes[rows], 2, rows))[own]
    assert np.log(apart).mean() > -0.1  # it has seen the copies
    assert -0.75 < np.log(together).mean() < -0.3  # better than nothing, and not overconfident
