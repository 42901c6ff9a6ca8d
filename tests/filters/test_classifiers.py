import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from ensemble.long_servedio import clean_error
from errata.datasets import load_dataset, make_twonorm
from errata.ensemble import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    RobustBoostClassifier,
)
from errata.exceptions import ClassRetentionWarning
from errata.filters import (
    Cleaner,
    CrossValFilter,
    DetectorFilter,
    FilteredClassifier,
    LabelDeletionClassifier,
    MarginPeeler,
    SuspicionWeightedClassifier,
    WeightPeeler,
)
from errata.hardness import NeighborDisagreement
from errata.noise import flip_labels
from filters.peeling_cases import noisy_blobs, noisy_twonorm


def peeled(**parameters):
    return FilteredClassifier(MarginPeeler(**parameters), DiscreteAdaBoostClassifier())


@pytest.mark.parametrize(
    "classifier",
    [
        DiscreteAdaBoostClassifier(n_estimators=20),
        LogitBoostClassifier(n_estimators=20),
        GentleBoostClassifier(n_estimators=20),
        RobustBoostClassifier(n_estimators=20),
        LogisticRegression(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("make", [noisy_twonorm, noisy_blobs])
def test_any_classifier_learns_from_what_is_left(classifier, make):
    X, y, _ = make()
    model = FilteredClassifier(MarginPeeler(), classifier).fit(X, y)
    peeler = MarginPeeler().fit(X, y)
    kept = peeler.sample_indices_
    assert 0 < model.n_removed_ == len(y) - len(kept)
    for name in ("suspicion_", "flagged_", "suggested_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(peeler, name))
    alone = classifier.fit(X[kept], y[kept])
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-12)


def test_any_filter_is_followed():
    X, y, _ = noisy_blobs()
    detector = NeighborDisagreement()
    flagged = detector.fit(X, y).flagged_
    removed = FilteredClassifier(DetectorFilter(detector), KNeighborsClassifier(1)).fit(X, y)
    assert removed.n_removed_ == flagged.sum() > 0
    relabelled = FilteredClassifier(Cleaner(detector, "relabel"), KNeighborsClassifier(1))
    relabelled.fit(X, y)
    assert relabelled.n_removed_ == 0
    np.testing.assert_array_equal(relabelled.predict(X), detector.suggested_)
    half = SelfTrainingClassifier(LogisticRegression())
    unlabelled = FilteredClassifier(Cleaner(detector, "unlabel"), half).fit(X, y)
    np.testing.assert_array_equal(unlabelled.classes_, [0, 1, 2])
    assert (unlabelled.classifier_.labeled_iter_ > 0).sum() > 0


def test_a_detector_that_is_not_a_filter_is_told_how_to_become_one():
    X, y, _ = noisy_blobs()
    model = FilteredClassifier(NeighborDisagreement(), LogisticRegression())
    with pytest.raises(TypeError, match=r"pass DetectorFilter\(NeighborDisagreement\(...\)\)"):
        model.fit(X, y)


def test_a_sampler_of_imbalanced_learn_is_a_filter_too():
    under_sampling = pytest.importorskip("imblearn.under_sampling", reason="not installed")
    X, y, _ = noisy_blobs()
    sampler = under_sampling.EditedNearestNeighbours()
    model = FilteredClassifier(sampler, LogisticRegression()).fit(X, y, np.ones(90))
    assert model.n_removed_ == 90 - len(sampler.fit_resample(X, y)[1]) > 0
    assert not hasattr(model, "suspicion_")


class WithoutTheLastClass(BaseEstimator):
    """A filter that leaves out a class altogether."""

    def fit_resample(self, X, y):
        self.classes_ = np.unique(y)
        self.sample_indices_ = np.flatnonzero(y < self.classes_[-1])
        return X[self.sample_indices_], y[self.sample_indices_]


def test_the_classes_are_those_of_the_classifier():
    X, y, _ = noisy_blobs()
    model = FilteredClassifier(WithoutTheLastClass(), LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(model.classes_, [0, 1])
    assert model.predict_proba(X).shape[1] == len(model.classes_)


def test_nothing_to_peel_leaves_plain_adaboost():
    X, y = make_blobs(60, centers=2, random_state=0)
    model = peeled().fit(X, y)
    assert model.n_removed_ == 0
    plain = DiscreteAdaBoostClassifier().fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


def test_thresholds_are_chosen_by_cross_validation():
    X, y, _ = noisy_twonorm(noise=0.3)
    grid = {"filter__threshold": [-0.2, 0.0, 0.5], "classifier__n_estimators": [10, 20]}
    model = peeled()
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    chosen = search.best_params_["filter__threshold"]
    assert search.best_estimator_.filter_.threshold == chosen
    assert model.filter.threshold is None  # the given one is left alone


def test_words_are_as_good_as_numbers():
    X, y, _ = noisy_blobs()
    names = np.array(["ant", "bee", "cat"])
    numbers, words = (peeled().fit(X, labels) for labels in (y, names[y]))
    np.testing.assert_array_equal(words.predict(X), names[numbers.predict(X)])
    np.testing.assert_array_equal(words.suggested_, names[numbers.suggested_])
    for stage, other in zip(words.staged_predict(X), numbers.staged_predict(X), strict=True):
        np.testing.assert_array_equal(stage, names[other])


@pytest.mark.parametrize(
    "classifier", [DiscreteAdaBoostClassifier(), SGDClassifier(random_state=0)]
)
def test_weights_reach_filter_and_classifier(classifier):
    # SGDClassifier has other things than weights in third place.
    X, y, _ = noisy_twonorm(n=80)
    counts = np.random.RandomState(0).randint(1, 3, size=80)
    model = FilteredClassifier(MarginPeeler(), classifier).fit(X, y, counts)
    peeler = MarginPeeler().fit(X, y, counts)
    np.testing.assert_array_equal(model.suspicion_, peeler.suspicion_)
    kept = peeler.sample_indices_
    alone = classifier.fit(X[kept], y[kept], sample_weight=counts[kept])
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_weights_that_nobody_takes_are_refused():
    X, y, _ = noisy_blobs()
    model = FilteredClassifier(DetectorFilter(NeighborDisagreement()), KNeighborsClassifier())
    with pytest.raises(TypeError, match="got sample_weight, which its parts do not take"):
        model.fit(X, y, np.ones(len(y)))


@pytest.mark.parametrize(("for_filter", "for_classifier"), [(True, True), (True, False)])
def test_routed_weights_reach_those_that_ask_for_them(for_filter, for_classifier):
    X, y, _ = noisy_twonorm(n=80)
    counts = np.random.RandomState(0).randint(1, 4, size=80)
    with config_context(enable_metadata_routing=True):
        peeler = MarginPeeler().set_fit_request(sample_weight=for_filter)
        booster = DiscreteAdaBoostClassifier().set_fit_request(sample_weight=for_classifier)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        both = FilteredClassifier(peeler, booster).set_score_request(sample_weight=True)
        pipeline = make_pipeline(scaler, both)
        search = GridSearchCV(pipeline, {"filteredclassifier__filter__threshold": [0.0]}, cv=2)
        model = search.fit(X, y, sample_weight=counts).best_estimator_[-1]
        X = StandardScaler().fit_transform(X)
        peeler.fit(X, y, counts)
        kept = peeler.sample_indices_
        weights = counts[kept] if for_classifier else None
        alone = booster.fit(X[kept], y[kept], sample_weight=weights)
    np.testing.assert_array_equal(model.suspicion_, peeler.suspicion_)
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_only_what_the_classifier_can_do_is_offered():
    X, y, _ = noisy_twonorm(n=60)
    model = FilteredClassifier(MarginPeeler(), LinearSVC()).fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "staged_predict")
    assert model.decision_function(X).shape == (60,)


def test_dataframes_reach_the_parts_as_they_came():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X, y, _ = noisy_blobs()
    frame = pandas.DataFrame(X, columns=["a", "b"])
    model = FilteredClassifier(DetectorFilter(NeighborDisagreement()), LogisticRegression())
    model.fit(frame, pandas.Series(y))
    assert list(model.classifier_.feature_names_in_) == list(model.feature_names_in_) == ["a", "b"]


def test_a_class_never_disappears():
    X, y = make_blobs(60, centers=3, random_state=0)
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        model = peeled(threshold=-2, max_fraction=None).fit(X, y)
    assert model.n_removed_ == 54
    assert model.predict_proba(X).shape == (60, 3)


def test_models_survive_pickling():
    X, y, _ = noisy_twonorm(n=80)
    model = peeled().fit(X, y)
    revived = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(revived.decision_function(X), model.decision_function(X))


def test_one_class_is_not_enough():
    with pytest.raises(ValueError, match="holds one class only"):
        peeled().fit(np.ones((60, 2)), np.zeros(60))


def twonorm_error(model, seed, noise, n=180):
    X, y = make_twonorm(n + 1000, random_state=seed)
    noisy, _ = flip_labels(y[:n], noise, random_state=seed)
    return 1 - model.fit(X[:n], noisy).score(X[n:], y[n:])


def test_margin_peeling_takes_back_what_noise_costs_adaboost():
    # Published for twonorm with 20 % of noise: 21.4 against 15.6; in our own runs 21.6 and 15.9.
    pairs = [
        (twonorm_error(DiscreteAdaBoostClassifier(), seed, 0.2), twonorm_error(peeled(), seed, 0.2))
        for seed in range(10)
    ]
    plain, after = np.mean(pairs, axis=0)
    assert plain == pytest.approx(0.214, abs=0.03)
    assert after == pytest.approx(0.156, abs=0.03)
    assert plain - after > 0.03


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "peeler", "published"),
    [
        (0.0, None, 0.066),
        (0.1, None, 0.144),
        (0.2, None, 0.214),
        (0.1, MarginPeeler(), 0.097),
        (0.2, MarginPeeler(), 0.156),
        (0.1, WeightPeeler(), 0.104),
        (0.2, WeightPeeler(), 0.180),
    ],
)
def test_errors_on_twonorm_are_the_published_ones(noise, peeler, published):
    # Martinez and Gray, 100 runs; ours agree within about a point. The other peelers do not.
    booster = DiscreteAdaBoostClassifier()
    model = booster if peeler is None else FilteredClassifier(peeler, booster)
    errors = [twonorm_error(model, seed, noise) for seed in range(100)]
    assert np.mean(errors) == pytest.approx(published, abs=0.018)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["glass_window", "ionosphere"])
@pytest.mark.parametrize(("noise", "gain"), [(0.1, 0.02), (0.2, 0.04)])
def test_margin_peeling_helps_on_the_sets_of_the_paper(data_folder, name, noise, gain):
    # Martinez and Gray: a tree sets the labels, 60 % of the rows are for training. They publish
    # gains of 4.8 and 8.5 points on glass, 4.3 and 7.5 on ionosphere.
    X, y = load_dataset(name, folder=data_folder, return_X_y=True)
    y = DecisionTreeClassifier(min_samples_split=10, random_state=0).fit(X, y).predict(X)
    gains = []
    for seed in range(40):
        order = np.random.RandomState(seed).permutation(len(y))
        train, test = np.split(order, [round(0.6 * len(y))])
        noisy, _ = flip_labels(y[train], noise, random_state=seed)
        plain, after = (
            model.fit(X[train], noisy).score(X[test], y[test])
            for model in (DiscreteAdaBoostClassifier(), peeled())
        )
        gains.append(after - plain)
    assert np.mean(gains) > gain


def test_weight_peeling_learns_what_convex_boosters_cannot():
    # The rows of Long and Servedio, where AdaBoost errs on 27 %; see test_robustboost. Margins are
    # of little help there: every margin is contaminated, and peeling by them ends at 25 %.
    booster = DiscreteAdaBoostClassifier()
    weight = FilteredClassifier(WeightPeeler(), booster)
    assert max(clean_error(weight, seed) for seed in range(3)) < 0.03
    for seed in range(3):
        assert clean_error(peeled(), seed) < clean_error(booster, seed) - 0.005


X, Y = make_blobs(120, centers=3, cluster_std=2.0, random_state=1)

LABELS, FLIPPED = flip_labels(Y, 0.2, random_state=0)

NAMES = np.array(["cat", "ant", "bee"])

KDN = NeighborDisagreement(n_neighbors=10)


class Accuser(BaseEstimator):
    """Flags the rows it is told, and is more suspicious the later they come."""

    def __init__(self, rows):
        self.rows = rows

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.suspicion_ = np.linspace(0, 1, len(y))
        self.flagged_ = np.isin(np.arange(len(y)), self.rows)
        self.suggested_ = np.asarray(y)
        return self


def test_flagged_labels_are_deleted_and_their_rows_stay():
    model = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS)
    flagged = KDN.fit(X, LABELS).flagged_
    np.testing.assert_array_equal(model.deleted_, flagged)
    expected = SelfTrainingClassifier(GaussianNB(), threshold=0.75)
    expected.fit(X, np.where(flagged, -1, LABELS))
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    assert model.score(X, Y) > GaussianNB().fit(X, LABELS).score(X, Y) - 0.01


def test_it_is_unlabelling_and_learning_from_both_kinds():
    half = SelfTrainingClassifier(GaussianNB(), threshold=0.75)
    recipe = FilteredClassifier(Cleaner(KDN, "unlabel"), half).fit(X, LABELS)
    model = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS)
    np.testing.assert_array_equal(model.predict_proba(X), recipe.predict_proba(X))


def test_any_semi_supervised_classifier_will_do():
    spreading = LabelSpreading(kernel="knn", n_neighbors=7)
    model = LabelDeletionClassifier(LinearSVC(), KDN, semi_supervised=spreading).fit(X, LABELS)
    assert isinstance(model.estimator_, LabelSpreading)
    expected = LabelSpreading(kernel="knn", n_neighbors=7)
    expected.fit(X, np.where(model.deleted_, -1, LABELS))
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def test_without_flags_it_is_the_classifier():
    model = LabelDeletionClassifier(GaussianNB(), Accuser([])).fit(X, LABELS)
    assert isinstance(model.estimator_, GaussianNB)
    np.testing.assert_array_equal(model.predict(X), GaussianNB().fit(X, LABELS).predict(X))


def test_some_labels_of_every_class_stay():
    model = LabelDeletionClassifier(GaussianNB(), Accuser(range(120)), min_per_class=3)
    model.fit(X, LABELS)
    kept = np.flatnonzero(~model.deleted_)
    np.testing.assert_array_equal(np.bincount(LABELS[kept]), [3, 3, 3])
    assert kept.max() < 60  # the least suspicious ones
    assert model.flagged_.all()


def test_words_are_as_good_as_numbers_where_labels_are_deleted():
    numbers = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS)
    words = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, NAMES[LABELS])
    np.testing.assert_array_equal(words.classes_, np.sort(NAMES))
    np.testing.assert_array_equal(words.predict(X), NAMES[numbers.predict(X)])
    np.testing.assert_array_equal(words.suggested_, NAMES[numbers.suggested_])
    assert words.score(X, NAMES[Y]) == numbers.score(X, Y)


def test_a_label_of_minus_one_is_a_label():
    shifted = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS - 1)
    plain = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS)
    np.testing.assert_array_equal(shifted.predict(X), plain.predict(X) - 1)


def test_cross_validation_is_the_default_detector():
    model = LabelDeletionClassifier(GaussianNB()).fit(X, LABELS)
    assert isinstance(model.detector_, CrossValFilter)
    assert model.flagged_[FLIPPED].mean() > 0.7


def test_metadata_goes_to_the_detector():
    groups = np.repeat(np.arange(12), 10)
    detector = CrossValFilter(GaussianNB(), random_state=0)
    model = LabelDeletionClassifier(GaussianNB(), detector).fit(X, LABELS, groups=groups)
    np.testing.assert_array_equal(
        model.suspicion_, detector.fit(X, LABELS, groups=groups).suspicion_
    )
    with pytest.raises(TypeError, match="got sample_weight, which its parts do not take"):
        LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS, sample_weight=np.ones(120))


def test_the_detector_is_tuned_by_a_grid_search():
    model = LabelDeletionClassifier(LogisticRegression(), KDN)
    search = GridSearchCV(model, {"detector__contamination": [0.0, 0.3]}, cv=3).fit(X, LABELS)
    assert len(set(search.cv_results_["mean_test_score"])) > 1


def test_wrong_parameters_are_named():
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba; pass CalibratedClassifie"):
        LabelDeletionClassifier(LinearSVC(), KDN).fit(X, LABELS)
    with pytest.raises(ValueError, match="min_per_class=0 must be a whole number at least 1"):
        LabelDeletionClassifier(GaussianNB(), KDN, min_per_class=0).fit(X, LABELS)


WEIGHTS = np.random.RandomState(0).choice([1.0, 3.0], size=120)


def test_rows_weigh_one_minus_their_suspicion():
    model = SuspicionWeightedClassifier(GaussianNB(), KDN).fit(X, LABELS)
    weights = np.maximum(
        1 - KDN.fit(X, LABELS).suspicion_,
        1e-3,
    )
    np.testing.assert_array_equal(model.weights_, weights)
    alone = GaussianNB().fit(X, LABELS, sample_weight=weights)
    np.testing.assert_array_equal(
        model.predict_proba(X),
        alone.predict_proba(X),
    )


class Told(BaseEstimator):
    """A detector that is told how suspicious each row is, by its first feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.suspicion_ = X[:, 0]
        self.flagged_ = self.suspicion_ > 0.5
        self.suggested_ = y
        return self


def test_nobody_weighs_less_than_the_least():
    model = SuspicionWeightedClassifier(GaussianNB(), Told(), min_weight=0.1)
    suspicion = np.array([[1.0], [0.5], [0.0], [0.0]])
    np.testing.assert_array_equal(model.fit(suspicion, [0, 0, 0, 1]).weights_, [0.1, 0.5, 1, 1])


def test_a_class_that_would_be_forgotten_is_not():
    model = SuspicionWeightedClassifier(GaussianNB(), Told(), min_weight=0.01)
    suspicion = np.array([[1.0], [1.0], [0.3], [1.0]])
    weights = model.fit(suspicion, [0, 1, 1, 2]).weights_
    np.testing.assert_allclose(weights, [1.0, 0.01, 0.7, 1.0], rtol=0, atol=1e-12)


def test_the_user_s_weights_are_multiplied():
    model = SuspicionWeightedClassifier(GaussianNB(), KDN)
    plain = model.fit(X, LABELS).weights_
    np.testing.assert_allclose(
        model.fit(X, LABELS, WEIGHTS).weights_,
        plain * WEIGHTS,
    )


def test_weights_reach_the_detector_where_it_takes_them():
    booster = DiscreteAdaBoostClassifier(n_estimators=10)
    model = SuspicionWeightedClassifier(GaussianNB(), booster).fit(X, LABELS, WEIGHTS)
    np.testing.assert_array_equal(
        model.suspicion_,
        booster.fit(X, LABELS, WEIGHTS).suspicion_,
    )


def test_routed_weights_reach_those_that_ask_for_them_to_the_weighted_classifier():
    with config_context(enable_metadata_routing=True):
        booster = DiscreteAdaBoostClassifier(n_estimators=10).set_fit_request(sample_weight=False)
        asking = GaussianNB().set_fit_request(sample_weight=True)
        model = SuspicionWeightedClassifier(asking, booster).fit(
            X,
            LABELS,
            sample_weight=WEIGHTS,
        )
    np.testing.assert_array_equal(
        model.suspicion_,
        booster.fit(X, LABELS).suspicion_,
    )
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
        alone = pipeline.fit(
            X,
            LABELS,
            sample_weight=model.weights_,
        )
    np.testing.assert_array_equal(
        model.predict_proba(X),
        alone.predict_proba(X),
    )


def test_words_are_as_good_as_numbers_to_the_weighted_classifier():
    names = np.array(["cat", "ant", "bee"])
    numbers, words = (
        SuspicionWeightedClassifier(GaussianNB(), KDN).fit(X, y) for y in (LABELS, names[LABELS])
    )
    np.testing.assert_array_equal(
        words.predict(X),
        names[numbers.predict(X)],
    )
    np.testing.assert_array_equal(words.weights_, numbers.weights_)


def test_cross_validation_is_the_default_detector_to_the_weighted_classifier():
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
        SuspicionWeightedClassifier(GaussianNB(), KDN).fit(
            X,
            LABELS,
            LABELS < 2,
        )
