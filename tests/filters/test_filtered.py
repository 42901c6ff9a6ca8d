import pickle

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from errata.datasets import load_dataset, make_twonorm
from errata.ensemble import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    RobustBoostClassifier,
)
from errata.exceptions import ClassRetentionWarning
from errata.filters import BoostPeeler, PeeledBoostClassifier
from errata.filters._linear_programs import margin_lines, widest_margin
from errata.filters._peeling import votes
from errata.noise import flip_labels
from long_servedio import clean_error


def noisy_twonorm(seed=0, n=150, noise=0.2):
    X, y = make_twonorm(n, random_state=seed)
    return X, flip_labels(y, noise, random_state=seed)[0]


def noisy_blobs(n=90, noise=0.1):
    X, y = make_blobs(n, centers=3, random_state=3)
    return X, flip_labels(y, noise, random_state=0)[0]


@pytest.mark.parametrize(
    "booster",
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
def test_any_booster_learns_from_what_is_left(booster, make):
    X, y = make()
    model = PeeledBoostClassifier(BoostPeeler(), booster).fit(X, y)
    peeler = BoostPeeler().fit(X, y)
    assert 0 < model.n_peeled_ == peeler.flagged_.sum()
    for name in ("suspicion_", "flagged_", "suggested_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(peeler, name))
    kept = peeler.sample_indices_
    alone = booster.fit(X[kept], y[kept])
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-12)


def test_nothing_to_peel_leaves_plain_adaboost():
    X, y = make_blobs(60, centers=2, random_state=0)
    model = PeeledBoostClassifier().fit(X, y)
    assert model.n_peeled_ == 0
    plain = DiscreteAdaBoostClassifier().fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("make", [noisy_twonorm, noisy_blobs])
def test_the_weights_of_the_program_can_be_kept(make):
    X, y = make()
    peeler = BoostPeeler("lp", noise_level=0.15, n_estimators_detect=25)
    model = PeeledBoostClassifier(peeler, final="lp").fit(X, y)
    kept = model.peeler_.sample_indices_
    detector = model.peeler_.booster_
    lines, _ = margin_lines(votes(detector, X[kept]), y[kept])
    widest = widest_margin(lines).margin
    assert model.booster_.margins(X[kept], y[kept]).min() == pytest.approx(widest, abs=1e-6)
    assert widest >= detector.margins(X[kept], y[kept]).min() - 1e-9
    assert model.booster_.estimator_weights_.sum() == pytest.approx(1, abs=1e-6)
    assert model.booster_.n_estimators_ == len(model.booster_.estimator_errors_)
    assert model.booster_.n_estimators_ <= detector.n_estimators_
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert model.score(X[kept], y[kept]) > 0.7


def test_the_program_has_weights_even_for_a_row_that_all_rules_get_wrong():
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]]), np.array([0, 0, 1, 1, 1, 1])
    peeler = BoostPeeler("lp", noise_level=0, n_estimators_detect=1)
    model = PeeledBoostClassifier(peeler, final="lp").fit(X, y)
    np.testing.assert_array_equal(model.predict(X), [0, 0, 0, 1, 1, 1])


def test_thresholds_are_chosen_by_cross_validation():
    X, y = noisy_twonorm(noise=0.3)
    grid = {"peeler__margin_threshold": [-0.5, 0.0, 0.2], "booster__n_estimators": [10, 20]}
    model = PeeledBoostClassifier(BoostPeeler(), DiscreteAdaBoostClassifier())
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    assert search.best_params_["peeler__margin_threshold"] in grid["peeler__margin_threshold"]
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    assert (
        search.best_estimator_.peeler_.margin_threshold
        == (search.best_params_["peeler__margin_threshold"])
    )
    assert model.peeler.margin_threshold == 0  # the given one is left alone


def test_words_are_as_good_as_numbers():
    X, y = noisy_blobs()
    names = np.array(["ant", "bee", "cat"])
    booster = DiscreteAdaBoostClassifier(n_estimators=10)
    numbers, words = (
        PeeledBoostClassifier(booster=booster).fit(X, labels) for labels in (y, names[y])
    )
    np.testing.assert_array_equal(words.predict(X), names[numbers.predict(X)])
    np.testing.assert_array_equal(words.suggested_, names[numbers.suggested_])
    for stage, other in zip(words.staged_predict(X), numbers.staged_predict(X), strict=True):
        np.testing.assert_array_equal(stage, names[other])


@pytest.mark.parametrize("booster", [None, SGDClassifier(random_state=0)])
def test_weights_reach_peeler_and_booster(booster):
    # SGDClassifier has other things than weights in third place.
    X, y = noisy_twonorm(n=80)
    counts = np.random.RandomState(0).randint(1, 3, size=80)
    model = PeeledBoostClassifier(booster=booster).fit(X, y, counts)
    peeler = BoostPeeler().fit(X, y, counts)
    np.testing.assert_array_equal(model.suspicion_, peeler.suspicion_)
    kept = peeler.sample_indices_
    alone = DiscreteAdaBoostClassifier() if booster is None else booster
    alone.fit(X[kept], y[kept], sample_weight=counts[kept])
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_only_what_the_booster_can_do_is_offered():
    X, y = noisy_twonorm(n=60)
    model = PeeledBoostClassifier(booster=LinearSVC()).fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "staged_predict")
    assert model.decision_function(X).shape == (60,)
    kept = PeeledBoostClassifier(booster=LinearSVC(), final="lp").fit(X, y)
    assert kept.predict_proba(X).shape == (60, 2)


def test_a_class_never_disappears():
    X, y = make_blobs(60, centers=3, random_state=0)
    peeler = BoostPeeler(margin_threshold=2, max_peel_fraction=1)
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        model = PeeledBoostClassifier(peeler).fit(X, y)
    assert model.n_peeled_ == 54
    assert model.predict_proba(X).shape == (60, 3)


def test_models_survive_pickling():
    X, y = noisy_twonorm(n=80)
    model = PeeledBoostClassifier(final="lp").fit(X, y)
    revived = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(revived.decision_function(X), model.decision_function(X))


def test_bad_parameters_get_a_sentence():
    X, y = noisy_twonorm(n=60)
    with pytest.raises(ValueError, match="final='again' is not known; choose from refit, lp"):
        PeeledBoostClassifier(final="again").fit(X, y)
    with pytest.raises(ValueError, match="holds one class only"):
        PeeledBoostClassifier().fit(X, np.zeros(60))


def twonorm_error(model, seed, noise, n=180):
    X, y = make_twonorm(n + 1000, random_state=seed)
    noisy, _ = flip_labels(y[:n], noise, random_state=seed)
    return 1 - model.fit(X[:n], noisy).score(X[n:], y[n:])


def test_margin_peeling_takes_back_what_noise_costs_adaboost():
    # Published for twonorm with 20 % of noise: 21.4 against 15.6; in our own runs 21.6 and 15.9.
    pairs = [
        (twonorm_error(DiscreteAdaBoostClassifier(), seed, 0.2),
         twonorm_error(PeeledBoostClassifier(), seed, 0.2))
        for seed in range(10)
    ]  # fmt: skip
    plain, peeled = np.mean(pairs, axis=0)
    assert plain == pytest.approx(0.214, abs=0.03)
    assert peeled == pytest.approx(0.156, abs=0.03)
    assert plain - peeled > 0.03


@pytest.mark.slow
@pytest.mark.parametrize(
    ("noise", "method", "published"),
    [
        (0.0, None, 0.066),
        (0.1, None, 0.144),
        (0.2, None, 0.214),
        (0.1, "margin", 0.097),
        (0.2, "margin", 0.156),
        (0.1, "weight", 0.104),
        (0.2, "weight", 0.180),
    ],
)
def test_errors_on_twonorm_are_the_published_ones(noise, method, published):
    # Martinez and Gray, 100 runs; ours agree within about a point. The other two methods do not.
    model = (
        DiscreteAdaBoostClassifier()
        if method is None
        else PeeledBoostClassifier(BoostPeeler(method))
    )
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
        plain, peeled = (
            model.fit(X[train], noisy).score(X[test], y[test])
            for model in (DiscreteAdaBoostClassifier(), PeeledBoostClassifier())
        )
        gains.append(peeled - plain)
    assert np.mean(gains) > gain


def test_weight_peeling_learns_what_convex_boosters_cannot():
    # The rows of Long and Servedio, where AdaBoost errs on 27 %; see test_robustboost. Margins are
    # of little help there: every margin is contaminated, and peeling by them ends at 25 %.
    weight = PeeledBoostClassifier(BoostPeeler("weight"))
    assert max(clean_error(weight, seed) for seed in range(3)) < 0.03
    for seed in range(3):
        plain = clean_error(DiscreteAdaBoostClassifier(), seed)
        assert clean_error(PeeledBoostClassifier(), seed) < plain - 0.005
