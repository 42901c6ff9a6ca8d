"""CleanLearning: find wrong labels, leave them out, fit again."""

import inspect

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from errata.compat.cleanlab import regression
from errata.compat.cleanlab.classification import CleanLearning
from errata.noise import flip_labels


def noisy(load=load_wine, seed=0):
    X, y = load(return_X_y=True)
    labels, flipped = flip_labels(y, 0.1, random_state=seed)
    return X, y, labels, flipped


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_the_table_is_that_of_cleanlab(load):
    theirs = pytest.importorskip("cleanlab.classification", reason="cleanlab is not installed")
    X, _, labels, _ = noisy(load)
    ours = CleanLearning(GaussianNB(), seed=0, method="confident_learning")
    other = theirs.CleanLearning(GaussianNB(), seed=0, find_label_issues_kwargs={"n_jobs": 1})
    pd.testing.assert_frame_equal(
        ours.find_label_issues(X, labels), other.find_label_issues(X, labels)
    )
    ours.fit(X, labels)
    other.fit(X, labels)
    table = ours.get_label_issues()
    expected = other.get_label_issues()
    assert_array_equal(table.columns, expected.columns)
    assert_array_equal(table.dtypes, expected.dtypes)
    assert_allclose(table["sample_weight"], expected["sample_weight"], rtol=1e-9)
    assert_array_equal(ours.predict(X), other.predict(X))
    for name in ("noise_matrix", "inverse_noise_matrix", "py", "ps", "confident_joint"):
        assert_allclose(getattr(ours, name), getattr(other, name), rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("module", "ours", "name"),
    [
        ("cleanlab.classification", CleanLearning, "__init__"),
        ("cleanlab.classification", CleanLearning, "fit"),
        ("cleanlab.classification", CleanLearning, "find_label_issues"),
        ("cleanlab.regression.learn", regression.learn.CleanLearning, "__init__"),
        ("cleanlab.regression.learn", regression.learn.CleanLearning, "fit"),
        ("cleanlab.regression.learn", regression.learn.CleanLearning, "find_label_issues"),
    ],
)
def test_the_arguments_are_those_of_cleanlab(module, ours, name):
    theirs = pytest.importorskip(module, reason="cleanlab is not installed").CleanLearning
    expected = list(inspect.signature(getattr(theirs, name)).parameters)
    names = list(inspect.signature(getattr(ours, name)).parameters)
    assert names[: len(expected)] == expected
    assert set(names) - set(expected) <= {"method"}


def test_wrong_labels_are_left_out():
    X, y, labels, flipped = noisy(load_breast_cancer)
    model = CleanLearning(DecisionTreeClassifier(random_state=0), seed=0)
    model.fit(X, labels, pred_probs=_proba(X, labels))
    plain = DecisionTreeClassifier(random_state=0).fit(X, labels)
    assert model.score(X, y) > plain.score(X, y) + 0.03
    assert flipped[model.label_issues_mask].mean() > 0.7
    kept = model.get_label_issues()["sample_weight"] > 0
    assert_array_equal(kept, ~model.label_issues_mask)


def _proba(X, labels):
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return cross_val_predict(model, X, labels, cv=3, method="predict_proba")


def test_weights_are_left_out_where_the_model_takes_none():
    X, _, labels, _ = noisy()
    model = CleanLearning(KNeighborsClassifier(), seed=0).fit(X, labels)
    assert "sample_weight" not in model.get_label_issues()


@pytest.mark.parametrize("kind", ["table", "mask", "indices"])
def test_what_was_found_before_is_taken(kind):
    X, _, labels, flipped = noisy()
    given = {
        "table": pd.DataFrame({"is_label_issue": flipped}),
        "mask": flipped,
        "indices": np.flatnonzero(flipped),
    }[kind]
    model = CleanLearning(GaussianNB()).fit(X, labels, label_issues=given)
    expected = GaussianNB().fit(X[~flipped], labels[~flipped])
    assert_allclose(model.predict_proba(X), expected.predict_proba(X))


def test_a_label_that_is_always_right_is_never_flagged():
    X, _, labels, _ = noisy(load_breast_cancer)
    for method in ("posterior", "confident_learning"):
        issues = CleanLearning(GaussianNB(), seed=0, pulearning=1, method=method).find_label_issues(
            X, labels
        )
        flagged = issues["given_label"][issues["is_label_issue"]]
        assert set(flagged) == {0}


def test_dataframes_and_further_arguments_reach_the_model():
    X, _, labels, _ = noisy()
    seen = []

    class Spy(GaussianNB):
        def fit(self, X, y, sample_weight=None, note=None, last=None):
            seen.append((type(X).__name__, note, last))
            return super().fit(X, y, sample_weight)

    model = CleanLearning(Spy(), cv_n_folds=2)
    model.fit(
        pd.DataFrame(X),
        labels,
        clf_kwargs={"note": 1},
        clf_final_kwargs={"last": 2},
        validation_func=lambda X_val, y_val: {"last": len(y_val)},
    )
    assert seen == [("DataFrame", 1, 89), ("DataFrame", 1, 89), ("DataFrame", 1, 2)]


def test_it_can_be_cloned_and_forgets():
    X, _, labels, _ = noisy()
    model = clone(CleanLearning(GaussianNB(), seed=3, method="confident_learning"))
    assert (model.seed, model.method) == (3, "confident_learning")
    assert model.get_label_issues() is None
    model.find_label_issues(X, labels, save_space=True)
    assert model.get_label_issues() is None
    model.find_label_issues(X, labels)
    model.save_space()
    assert model.get_label_issues() is None


def test_known_rates_weigh_the_rows():
    X, _, labels, _ = noisy(load_breast_cancer)
    rates = np.array([[0.5, 0.2], [0.5, 0.8]])
    model = CleanLearning(GaussianNB(), seed=0).fit(X, labels, noise_matrix=rates)
    weights = model.get_label_issues()["sample_weight"].to_numpy()
    kept = ~model.label_issues_mask
    assert_allclose(weights[kept], np.where(labels == 0, 2, 1.25)[kept])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"label_issues": [True]}, "a value for each of the 150 rows"),
        ({"label_issues": pd.DataFrame({"x": [1]})}, "must have a column is_label_issue"),
        ({"labels": None}, "pass labels"),
    ],
)
def test_what_cannot_be_fitted_is_said(arguments, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        CleanLearning(GaussianNB()).fit(X, **{"labels": y, **arguments})
