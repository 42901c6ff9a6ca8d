from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errata
from auditing_cases import CODES, GROUPS, QUICK, X
from errata.auditing import default_models
from errata.auditing.examples._explanations import ModelsByFold, NeighborsByFold
from errata.auditing.models._base import NewRows, TrainingData
from errata.auditing.models._default import NearestRows


def learnt(**how):
    how = {"estimators": QUICK, "self_check": False, "random_state": 0} | how
    return errata.audit(X, CODES, **how).for_review.explainer.learnt


def test_groups_stay_together():
    found = learnt(groups=GROUPS)
    folds, groups = ModelsByFold(found).folds, GROUPS[found.inputs.audited]
    assert all(len(set(folds[group == groups])) == 1 for group in np.unique(GROUPS))
    assert len(set(folds)) > 5


def test_neighbours_of_a_row_are_outside_its_fold():
    folds = np.arange(60) % 10
    data = TrainingData(X, CODES, n_classes=3, folds=folds, more_rows=True)
    rows = NewRows(X[[3, 13]], folds=np.array([3, 3]))
    told = NeighborsByFold(data, 5).predict_proba(rows)
    changed = np.where(folds == 3, 0, CODES)
    again = NeighborsByFold(replace(data, codes=changed), 5).predict_proba(rows)
    assert_allclose(again, told, rtol=0, atol=0)
    assert_allclose(told.sum(axis=1), 1, rtol=1e-12)


def test_every_default_model_can_be_asked(few_trees):
    found = learnt(estimators=None)
    asked = ModelsByFold(found)
    assert asked.names == [model.name for model in default_models(60, n_classes=3)]
    assert asked.unasked == []
    row = found.data.X[5]
    assert_allclose(asked.by_model(row, 5).sum(axis=1), 1, rtol=1e-5)
    assert asked.proba(row[None], 5)[0].argmax() == found.data.codes[5]


def test_a_model_of_the_users_own_table_is_named_but_not_asked():
    proba = np.eye(3)[CODES]
    found = ModelsByFold(learnt(estimator=GaussianNB(), pred_proba=proba))
    assert found.names == ["neighbours"]
    assert found.unasked == ["your model", "your probabilities"]


def test_no_model_has_learnt_from_the_row_it_is_asked_about():
    labels = np.random.default_rng(0).integers(2, size=60)  # which only memory can tell
    memory = [DecisionTreeClassifier(), NearestRows("nearest", 1)]
    found = errata.audit(X, labels, estimators=memory, self_check=False, random_state=0)
    explainer = found.for_review.explainer
    asked, rows = explainer.models, explainer.learnt.data.X
    told = [asked.by_model(rows[at], at)[:, labels[at]] for at in range(60)]
    assert np.max(np.mean(told, axis=0)) < 0.7
