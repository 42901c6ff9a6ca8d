import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import errata
from auditing_cases import QUICK, blobs


@pytest.fixture(scope="module")
def table():
    X, y = blobs(300, 3)
    labels, _ = errata.noise.flip_labels(y[:150], 0.25, random_state=0)
    return X[:150], labels, X[150:], y[150:]


class Recorder(ClassifierMixin, BaseEstimator):
    """Keeps what it is fitted to."""

    def fit(self, X, y, sample_weight=None):
        self.given_ = X, y, sample_weight
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def audited(action, classifier=None, **how):
    return errata.AuditedClassifier(classifier, action=action, estimators=QUICK, **how)


@pytest.mark.parametrize("action", ["soft", "drop", "relabel"])
def test_a_tree_learns_better_behind_an_audit(table, action):
    X, labels, X_test, y_test = table
    tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=0)
    plain = tree.fit(X, labels).score(X_test, y_test)
    behind = audited(action, tree, random_state=0).fit(X, labels).score(X_test, y_test)
    assert behind > plain + 0.1


def test_the_default_classifier_and_what_it_says_of_the_labels(table):
    X, labels, X_test, y_test = table
    model = audited("soft", random_state=0).fit(X, labels)
    assert model.score(X_test, y_test) > 0.95
    assert_array_equal(model.suspicion_, model.audit_.suspicion)
    assert_array_equal(model.flagged_, model.audit_.flagged)
    assert_array_equal(model.suggested_, model.audit_.suggested)
    assert_allclose(model.predict_proba(X_test).sum(axis=1), 1, rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def soft():
    """What a row counts as each class, (n, K), and the audit that says so."""
    X, y = blobs(240, 4)
    labels, _ = errata.noise.flip_labels(y, 0.15, random_state=0)
    model = audited("soft", Recorder(), random_state=0).fit(X, labels)
    given, classes, weights = model.classifier_.given_
    rows = (given[:, None] == X).all(axis=2).argmax(axis=1)
    counts = np.zeros((240, 4))
    counts[rows, classes] = weights
    assert (counts > 0).sum() == len(weights)
    return counts, model.audit_


def test_soft_rows_are_of_each_class_in_part(soft):
    counts, audit = soft
    assert audit.flagged.any()
    assert not audit.flagged.all()
    assert_allclose(counts.sum(axis=1), 1, rtol=0, atol=3e-3)  # less than 0.001 is left out
    own = counts[np.arange(240), audit._codes]
    assert_allclose(own, np.maximum(1 - audit.p_wrong, 1e-3), rtol=0, atol=1e-12)
    assert (counts[counts > 0] >= 1e-3).all()


def test_the_suggested_class_of_a_flagged_row_has_its_probability(soft):
    counts, audit = soft
    rows = np.flatnonzero(audit.flagged)
    assert_allclose(counts[rows, audit.suggested[rows]], audit.p_suggested[rows], rtol=0, atol=1e-7)


def test_elsewhere_wrong_labels_come_from_where_the_noise_model_says(soft):
    counts, audit = soft
    row = int(np.argmax(np.where(audit.flagged, 0, audit.p_wrong)))
    label = audit._codes[row]
    from_class = audit.prior * audit.transition[:, label]
    from_class[label] = 0
    wanted = audit.p_wrong[row] * from_class / from_class.sum()
    wanted[label] = 1 - audit.p_wrong[row]
    assert (wanted > 1e-3).sum() > 1
    assert_allclose(counts[row], np.where(wanted > 1e-3, wanted, 0), rtol=0, atol=1e-12)


def test_dropped_rows_are_not_learnt_from(table):
    X, labels, *_ = table
    model = audited("drop", Recorder(), random_state=0).fit(X, labels)
    given, classes, weights = model.classifier_.given_
    kept = model.audit_.clean("drop").kept
    assert 0 < kept.sum() < len(kept)
    assert_array_equal(given, X[kept])
    assert_array_equal(classes, labels[kept])
    assert weights is None


def test_weights_are_those_of_cleaning(table):
    X, labels, *_ = table
    model = audited("weight", Recorder(), random_state=0).fit(X, labels)
    cleaned = model.audit_.clean("weight")
    assert_array_equal(model.classifier_.given_[2], cleaned.weight[cleaned.kept])


def test_without_skill_the_labels_are_learnt_as_they_are():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 3)), random.integers(2, size=200)
    model = audited("soft", Recorder(), random_state=0).fit(X, y)
    assert not model.audit_.has_skill
    given, classes, weights = model.classifier_.given_
    assert_array_equal(given, X)
    assert_array_equal(classes, y)
    assert (weights == 1).all()


def test_the_action_can_be_searched_for(table):
    X, labels, *_ = table
    grid = {"action": ["soft", "drop"], "classifier__var_smoothing": [1e-9, 1e-3]}
    search = GridSearchCV(audited("soft", GaussianNB(), random_state=0), grid, cv=2)
    assert search.fit(X, labels).best_params_["action"] in ("soft", "drop")


def test_a_pipeline_of_named_columns_is_searched_copied_and_kept(table):
    pandas = pytest.importorskip("pandas")
    X, labels, X_test, y_test = table
    names = [f"c{j}" for j in range(X.shape[1])]
    frame, test = (pandas.DataFrame(part, columns=names) for part in (X, X_test))
    scaler = StandardScaler().set_output(transform="pandas")
    model = audited("soft", LogisticRegression(), random_state=0)
    pipe = make_pipeline(scaler, model)
    grid = {
        "auditedclassifier__action": ["soft", "drop", "relabel", "weight"],
        "auditedclassifier__classifier__C": [0.1, 10.0],
    }
    search = GridSearchCV(clone(pipe), grid, cv=2).fit(frame, labels)
    best = search.best_estimator_
    assert len(search.cv_results_["params"]) == 8
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    assert best[-1].feature_names_in_.tolist() == names
    assert best.score(test, y_test) > 0.9
    again = pickle.loads(pickle.dumps(search))
    assert_array_equal(again.predict(test), search.predict(test))
    with pytest.raises(ValueError, match="feature names"):
        best.predict(test[names[::-1]])


def test_tests_on_rows_that_are_trusted_score_on_the_class(table):
    X, labels, X_test, y_test = table
    rows, y = np.r_[X, X_test], np.r_[labels, y_test]
    known = np.arange(len(y)) >= len(labels)
    folds = StratifiedKFold(3, shuffle=True, random_state=0).split(rows, y)
    trusted = [(train, test[known[test]]) for train, test in folds]
    grid = {"action": ["drop", "weight"]}
    search = GridSearchCV(audited("drop", GaussianNB(), random_state=0), grid, cv=trusted)
    assert search.fit(rows, y).best_score_ > 0.95  # a quarter of the other labels is wrong


def test_groups_reach_the_audit_directly_and_by_routing(table, monkeypatch):
    X, labels, *_ = table
    groups, seen = np.arange(len(labels)) // 3, []
    plain = errata.audit

    def audit(*given, groups, **how):
        seen.append(groups)
        return plain(*given, groups=groups, **how)

    monkeypatch.setattr("errata.auditing._audited_classifier.audit", audit)
    model = audited("drop", GaussianNB(), random_state=0)
    model.fit(X, labels, groups=groups)
    assert_array_equal(seen[0], groups)
    with config_context(enable_metadata_routing=True):
        routed = clone(model).set_fit_request(groups=True)
        cross_validate(routed, X, labels, cv=GroupKFold(3), params={"groups": groups})
    assert [len(np.unique(part)) for part in seen[1:]] == [33, 33, 34]


def test_a_classifier_without_weights_is_refused_where_they_matter(table):
    X, labels, *_ = table
    with pytest.raises(TypeError, match='no sample_weight, which action="soft" needs'):
        audited("soft", KNeighborsClassifier()).fit(X, labels)
    audited("drop", KNeighborsClassifier(), random_state=0).fit(X, labels)


def test_unknown_actions_are_refused(table):
    X, labels, *_ = table
    with pytest.raises(ValueError, match="action='unlabel'"):
        audited("unlabel").fit(X, labels)


def test_probabilities_only_where_the_classifier_has_them():
    assert hasattr(errata.AuditedClassifier(GaussianNB()), "predict_proba")
    assert hasattr(errata.AuditedClassifier(), "predict_proba")
    assert not hasattr(errata.AuditedClassifier(), "decision_function")
    assert not hasattr(errata.AuditedClassifier(Recorder()), "predict_proba")
