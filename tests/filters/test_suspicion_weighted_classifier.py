import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from errata.ensemble import DiscreteAdaBoostClassifier
from errata.filters import CrossValFilter, MarginPeeler, SuspicionWeightedClassifier
from errata.filters._classifiers import compute_trust
from errata.hardness import NeighborDisagreement
from errata.noise import flip_labels

X, Y = make_blobs(120, centers=3, cluster_std=2.0, random_state=1)
LABELS, FLIPPED = flip_labels(Y, 0.2, random_state=0)
KDN = NeighborDisagreement(n_neighbors=10)
WEIGHTS = np.random.RandomState(0).choice([1.0, 3.0], size=120)


def test_rows_weigh_one_minus_their_suspicion():
    model = SuspicionWeightedClassifier(GaussianNB(), KDN).fit(X, LABELS)
    weights = np.maximum(1 - KDN.fit(X, LABELS).suspicion_, 1e-3)
    np.testing.assert_array_equal(model.weights_, weights)
    alone = GaussianNB().fit(X, LABELS, sample_weight=weights)
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_nobody_weighs_less_than_the_least():
    np.testing.assert_array_equal(
        compute_trust(np.array([1.0, 0.5, 0]), np.zeros(3, int), 0.1), [0.1, 0.5, 1]
    )


def test_a_class_that_would_be_forgotten_is_not():
    weights = compute_trust(np.array([1.0, 1.0, 0.3, 1.0]), np.array([0, 1, 1, 2]), 0.01)
    np.testing.assert_allclose(weights, [1.0, 0.01, 0.7, 1.0], rtol=0, atol=1e-12)


def test_the_user_s_weights_are_multiplied():
    model = SuspicionWeightedClassifier(GaussianNB(), KDN)
    plain = model.fit(X, LABELS).weights_
    np.testing.assert_allclose(model.fit(X, LABELS, WEIGHTS).weights_, plain * WEIGHTS)


def test_weights_reach_the_detector_where_it_takes_them():
    booster = DiscreteAdaBoostClassifier(n_estimators=10)
    model = SuspicionWeightedClassifier(GaussianNB(), booster).fit(X, LABELS, WEIGHTS)
    np.testing.assert_array_equal(model.suspicion_, booster.fit(X, LABELS, WEIGHTS).suspicion_)


def test_routed_weights_reach_those_that_ask_for_them():
    with config_context(enable_metadata_routing=True):
        booster = DiscreteAdaBoostClassifier(n_estimators=10).set_fit_request(sample_weight=False)
        asking = GaussianNB().set_fit_request(sample_weight=True)
        model = SuspicionWeightedClassifier(asking, booster).fit(X, LABELS, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(model.suspicion_, booster.fit(X, LABELS).suspicion_)
    np.testing.assert_allclose(
        model.weights_, WEIGHTS * np.maximum(1 - model.suspicion_, 1e-3), rtol=1e-12
    )


def test_a_pipeline_weighs_rows_where_its_last_step_asks_for_weights():
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.raises(
        TypeError, match="Pipeline takes no sample_weight, so that suspicion cannot"
    ):
        SuspicionWeightedClassifier(pipeline, KDN).fit(X, LABELS)
    with config_context(enable_metadata_routing=True):
        pipeline[0].set_fit_request(sample_weight=False)
        pipeline[1].set_fit_request(sample_weight=True)
        model = SuspicionWeightedClassifier(pipeline, KDN).fit(X, LABELS)
        alone = pipeline.fit(X, LABELS, sample_weight=model.weights_)
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_words_are_as_good_as_numbers():
    names = np.array(["cat", "ant", "bee"])
    numbers, words = (
        SuspicionWeightedClassifier(GaussianNB(), KDN).fit(X, y) for y in (LABELS, names[LABELS])
    )
    np.testing.assert_array_equal(words.predict(X), names[numbers.predict(X)])
    np.testing.assert_array_equal(words.weights_, numbers.weights_)


def test_cross_validation_is_the_default_detector():
    model = SuspicionWeightedClassifier(GaussianNB()).fit(X, LABELS)
    assert isinstance(model.detector_, CrossValFilter)
    assert model.weights_[FLIPPED].mean() < 0.4 < model.weights_[~FLIPPED].mean()


def test_the_least_weight_is_tuned_by_a_grid_search():
    model = SuspicionWeightedClassifier(LogisticRegression(), KDN)
    search = GridSearchCV(model, {"min_weight": [0.001, 1.0]}, cv=3).fit(X, LABELS)
    assert len(set(search.cv_results_["mean_test_score"])) > 1


def test_what_cannot_be_weighed_is_refused():
    with pytest.raises(TypeError, match="KNeighborsClassifier takes no sample_weight, so that"):
        SuspicionWeightedClassifier(KNeighborsClassifier(), KDN).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"of MarginPeeler goes from -.* between 0 and 1"):
        SuspicionWeightedClassifier(GaussianNB(), MarginPeeler()).fit(X, LABELS)
    with pytest.raises(ValueError, match="min_weight=0 must be a finite number above 0"):
        SuspicionWeightedClassifier(GaussianNB(), KDN, min_weight=0).fit(X, LABELS)
    with pytest.raises(ValueError, match="every row of the class 2 has a sample_weight of zero"):
        SuspicionWeightedClassifier(GaussianNB(), KDN).fit(X, LABELS, LABELS < 2)
