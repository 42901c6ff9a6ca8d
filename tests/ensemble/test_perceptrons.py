import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_iris, make_blobs
from sklearn.ensemble import AdaBoostClassifier
from sklearn.preprocessing import scale
from sklearn.tree import DecisionTreeClassifier

from ensemble.limited_random import LimitedRandom
from errata.datasets import make_threenorm, make_twonorm
from errata.ensemble import (
    NoiseReducingBoostClassifier,
    ParallelPerceptronClassifier,
    ParallelPerceptronRegressor,
)
from errata.exceptions import SuspicionWarning
from errata.noise import flip_labels


def noisy_twonorm(n=300, level=0.1, seed=0):
    X, y = make_twonorm(n, random_state=seed)
    return X, *flip_labels(y, level, random_state=seed)


def test_the_machine_is_the_vote_of_its_perceptrons():
    X, y, _ = noisy_twonorm()
    model = ParallelPerceptronClassifier(5, random_state=0).fit(X, y)
    votes = np.where(X @ model.coef_.T + model.intercept_ > 0, 1, -1).sum(axis=1)
    np.testing.assert_array_equal(model.predict(X), (votes > 0).astype(int))
    assert model.coef_.shape == (5, 20)
    lengths = (model.coef_**2).sum(axis=1) + model.intercept_**2
    np.testing.assert_allclose(lengths, 1, rtol=1e-12)


def test_categories_are_by_majority_beyond_the_margin():
    X, y, _ = noisy_twonorm()
    model = ParallelPerceptronClassifier(random_state=0).fit(X, y)
    signs = np.where(y == 1, 1, -1)[:, None]
    activations = (X @ model.coef_.T + model.intercept_) * signs
    np.testing.assert_allclose(model.activations_, activations, rtol=0, atol=1e-12)
    safe = (activations > model.margin_).sum(axis=1) >= 2
    noisy = (activations < -model.margin_).sum(axis=1) >= 2
    expected = np.where(safe, "safe", np.where(noisy, "noisy", "borderline"))
    np.testing.assert_array_equal(model.category_, expected)
    right = model.predict(X) == y
    assert right[safe].all()
    assert not right[noisy].any()


def test_noisy_rows_are_flagged_and_the_other_class_suggested():
    X, y, flipped = noisy_twonorm()
    model = ParallelPerceptronClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.flagged_, model.category_ == "noisy")
    np.testing.assert_array_equal(model.suggested_[model.flagged_], 1 - y[model.flagged_])
    np.testing.assert_allclose(model.suspicion_, expit(-model.activation_margins(X, y)))
    assert flipped[model.flagged_].mean() > 0.7


def test_clean_twonorm_is_learnt():
    X, y = make_twonorm(300, random_state=0)
    X_test, y_test = make_twonorm(2000, random_state=1)
    model = ParallelPerceptronClassifier(random_state=0).fit(X, y)
    assert model.score(X_test, y_test) > 0.96
    assert model.loss_curve_[-1] < model.loss_curve_[0]


def test_several_classes_are_learnt_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    X, names = scale(X), np.array(["setosa", "versicolor", "virginica"])[y]
    model = ParallelPerceptronClassifier(random_state=0).fit(X, names)
    assert model.score(X, names) > 0.9
    assert model.coef_.shape == (3, 3, 4)
    assert model.margin_.shape == (3,)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    # A machine on its own is the same as the one among others.
    alone = ParallelPerceptronClassifier(random_state=0).fit(X, (y == 2).astype(int))
    np.testing.assert_allclose(alone.coef_, model.coef_[2], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_perceptrons": 4}, "n_perceptrons=4 could vote in a tie; pass an odd number"),
        ({"n_perceptrons": 0}, "n_perceptrons=0 must be a whole number at least 1"),
        ({"learning_rate": 0.0}, "learning_rate=0.0 must be a number between"),
        ({"margin": -1.0}, "margin=-1.0 must be a number between"),
        ({"max_iter": 0}, "max_iter=0 must be a whole number"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    X, y, _ = noisy_twonorm(20)
    with pytest.raises(ValueError, match=sentence):
        ParallelPerceptronClassifier(**parameters).fit(X, y)


def test_margins_are_asked_for_labels_that_were_there_in_fit():
    model = ParallelPerceptronClassifier(random_state=0).fit([[0.0], [1.0]], ["a", "c"])
    with pytest.raises(ValueError, match="y holds 'b', a label that was not there in fit"):
        model.activation_margins([[0.0]], ["b"])


X = np.linspace(-1, 1, 100)[:, None]


def test_a_bent_function_is_followed():
    y = X[:, 0] ** 2
    model = ParallelPerceptronRegressor(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.6  # a straight line has 0


def test_outputs_are_votes_scaled_to_the_range_of_the_target():
    y = 10 + 5 * X[:, 0]
    model = ParallelPerceptronRegressor(4, random_state=0).fit(X, y)
    steps = set(np.round(model.predict(X), 9))
    assert steps <= {5.0, 7.5, 10.0, 12.5, 15.0}


def test_a_constant_target_is_given_back():
    model = ParallelPerceptronRegressor(2, random_state=0).fit(X, np.full(100, 3.0))
    assert np.abs(model.predict(X) - 3.0).max() <= 1.0
    assert model.score(X, np.full(100, 3.0)) <= 1


def test_rows_without_weight_do_not_count():
    y = X[:, 0].copy()
    y[-1] = 1000.0
    weights = np.r_[np.ones(99), 0.0]
    with_it = ParallelPerceptronRegressor(random_state=0).fit(X, y, sample_weight=weights)
    without = ParallelPerceptronRegressor(random_state=0).fit(X[:-1], y[:-1])
    np.testing.assert_array_equal(with_it.predict(X), without.predict(X))


def test_an_epsilon_beyond_one_gets_a_sentence():
    with pytest.raises(ValueError, match=r"epsilon=2.0 must be a number between 0 and 1"):
        ParallelPerceptronRegressor(epsilon=2.0).fit(X, X[:, 0])


def noisy(make=make_twonorm, n=270, level=0.2, seed=0):
    X, y = make(n, random_state=seed)
    return X, *flip_labels(y, level, random_state=seed)


def replay(model, X, y, mode):
    """The distribution after the last round, by the formulas of the paper."""
    d = np.full(len(y), 1 / len(y))
    for member, alpha, categories in zip(
        model.estimators_, model.estimator_weights_, model.category_history_, strict=True
    ):
        wrong = member.predict(X) != y
        error = d[wrong].sum()
        assert alpha == pytest.approx(0.5 * np.log((1 - error) / error))
        agreement = np.where(wrong, -1, 1)
        factor = -np.abs(categories) if mode == "nr" else 1
        d = d * np.exp(-alpha * factor * agreement)
        d /= d.sum()
    return d


@pytest.mark.parametrize("mode", ["nr", "adaboost"])
def test_weights_follow_the_formulas(mode):
    X, y, _ = noisy()
    model = NoiseReducingBoostClassifier(n_estimators=4, mode=mode, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.final_distribution_, replay(model, X, y, mode), rtol=1e-9)
    assert model.category_history_.shape == (len(model.estimators_), len(y))


def test_boosting_three_classes_is_samme():
    # scikit-learn's AdaBoost is SAMME: alpha = ln((1 - e) / e) + ln(K - 1), on wrong rows alone.
    X, y = make_blobs(150, centers=3, cluster_std=4, random_state=0)
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    ours = NoiseReducingBoostClassifier(stump, 10, mode="adaboost", random_state=0).fit(X, y)
    theirs = AdaBoostClassifier(stump, n_estimators=10, random_state=0).fit(X, y)
    assert theirs.estimator_errors_.max() > 0.6  # guessing is wrong about two rows of three
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    d = np.full(150, 1 / 150)
    for member, alpha in zip(theirs.estimators_, theirs.estimator_weights_, strict=True):
        d = d * np.where(member.predict(X) == y, 1, np.exp(alpha))
    np.testing.assert_allclose(ours.final_distribution_, d / d.sum(), rtol=1e-9)


def test_safe_rows_gain_and_noisy_rows_lose():
    X, y, _ = noisy()
    model = NoiseReducingBoostClassifier(n_estimators=1, random_state=0).fit(X, y)
    (categories,), d = model.category_history_, model.final_distribution_
    assert d[categories == 1].min() > d[categories == 0].max()
    assert d[categories == 0].min() > d[categories == -1].max()


def mean_accuracy(mode, make, level, seeds=3):
    found = []
    for seed in range(seeds):
        X, y, _ = noisy(make, level=level, seed=seed)
        X_test, y_test = make(1000, random_state=100 + seed)
        model = NoiseReducingBoostClassifier(mode=mode, random_state=seed).fit(X, y)
        found.append(model.score(X_test, y_test))
    return np.mean(found)


@pytest.mark.parametrize("make", [make_twonorm, make_threenorm])
@pytest.mark.parametrize("level", [0.2, 0.3])
def test_it_beats_boosting_by_four_points_under_noise(make, level):
    assert mean_accuracy("nr", make, level) > mean_accuracy("adaboost", make, level) + 0.04


def test_bagging_members_vote_alike():
    X, y, _ = noisy()
    model = NoiseReducingBoostClassifier(mode="bagging", random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.estimator_weights_, np.ones(10))
    votes = np.mean([member.predict(X) for member in model.estimators_], axis=0)
    np.testing.assert_array_equal(model.predict(X)[votes != 0.5], (votes > 0.5)[votes != 0.5])


def test_boosting_stops_before_a_member_without_error_decides_alone():
    X, y = make_twonorm(100, random_state=0)
    X = X + 10 * np.where(y == 1, 1, -1)[:, None]  # far apart
    stopped = NoiseReducingBoostClassifier(random_state=0).fit(X, y)
    clipped = NoiseReducingBoostClassifier(random_state=0, collapse="clip").fit(X, y)
    assert len(stopped.estimators_) == 1
    assert len(clipped.estimators_) == 10
    assert clipped.estimator_weights_[0] == pytest.approx(0.5 * np.log((1 - 1 / 200) * 200))


def test_any_learner_can_be_boosted_or_bagged_and_resampled():
    X, y, flipped = noisy()
    for mode in ("adaboost", "bagging"):
        model = NoiseReducingBoostClassifier(
            DecisionTreeClassifier(max_depth=2), mode=mode, sampling="resample", random_state=0
        ).fit(X, y)
        assert model.score(X, y) > 0.7
        assert model.suspicion_[flipped].mean() > model.suspicion_[~flipped].mean()


def few_against_many(n_many=95, n_few=5):
    X = np.random.RandomState(0).normal(size=(n_many + n_few, 3))
    return X, np.r_[np.zeros(n_many, int), np.ones(n_few, int)]


@pytest.mark.parametrize("mode", ["nr", "adaboost", "bagging"])
def test_drawing_ends_when_nearly_all_weight_is_on_one_class(mode):
    X, y = few_against_many()
    weight = np.where(y == 1, 1e-12, 1.0)
    # Ten members, five attempts each, at most 101 draws a bag, two to mend it and one for a seed.
    random = LimitedRandom(0, 10 * 5 * 104)
    model = NoiseReducingBoostClassifier(
        mode=mode, sampling="resample", collapse="clip", random_state=random
    ).fit(X, y, sample_weight=weight)
    assert all(len(member.classes_) == 2 for member in model.estimators_)
    assert np.isfinite(model.suspicion_).all()


def test_rows_that_lose_their_weight_do_not_keep_the_draw_from_ending():
    # Without weights given, ten rounds in favour of 95 safe rows are enough to drive five away.
    X, y = few_against_many()
    random = LimitedRandom(0, 10 * 5 * 104)
    model = NoiseReducingBoostClassifier(
        sampling="resample", collapse="clip", random_state=random
    ).fit(X, y)
    assert len(model.estimators_) == 10


def test_boosting_stops_when_one_class_has_lost_all_weight():
    # The least positive number times anything below a half is zero.
    X, y = few_against_many()
    weight = np.where(y == 1, 5e-322, 1.0)
    random = LimitedRandom(0, 200 * 5 * 104)
    model = NoiseReducingBoostClassifier(
        n_estimators=200, sampling="resample", collapse="clip", random_state=random
    ).fit(X, y, sample_weight=weight)
    assert 1 <= len(model.estimators_) < 200
    assert not model.final_distribution_[y == 1].any()
    assert model.final_distribution_.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    "how",
    [{"mode": "bagging"}, {"sampling": "resample"}, {"mode": "adaboost", "sampling": "resample"}],
)
def test_weights_that_leave_one_class_to_draw_get_a_sentence(how):
    X, y = few_against_many()
    model = NoiseReducingBoostClassifier(random_state=LimitedRandom(0, 1000), **how)
    with pytest.raises(ValueError, match=r"one class only \(no\).* another class a weight above"):
        model.fit(X, np.array(["no", "yes"])[y], sample_weight=y == 0)


def test_weights_of_one_class_that_members_are_given_make_them_constant():
    X, y = few_against_many()
    model = NoiseReducingBoostClassifier(random_state=0).fit(X, y, sample_weight=y == 0)
    assert set(model.predict(X)) == {0}


def test_a_hopeless_task_is_said_to_be_one():
    X, y = np.zeros((20, 2)), np.tile([0, 1], 10)
    with pytest.warns(SuspicionWarning, match="No base estimator is better than guessing"):
        model = NoiseReducingBoostClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) == 0.5


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"estimator": DecisionTreeClassifier()},
            "DecisionTreeClassifier has no method activation",
        ),
        ({"mode": "nb"}, "mode='nb' is not known; choose from nr, adaboost, bagging"),
        ({"sampling": "draw"}, "sampling='draw' is not known"),
        ({"collapse": "go"}, "collapse='go' is not known"),
        ({"n_estimators": 0}, "n_estimators=0 must be a whole number"),
    ],
)
def test_bad_parameters_get_a_sentence_in_noise_reducing(parameters, sentence):
    X, y, _ = noisy(n=20)
    with pytest.raises(ValueError, match=sentence):
        NoiseReducingBoostClassifier(**parameters).fit(X, y)


def test_members_are_parallel_perceptrons_unless_told_otherwise():
    X, y, _ = noisy(n=50)
    model = NoiseReducingBoostClassifier(ParallelPerceptronClassifier(5), 2, random_state=0)
    assert {m.n_perceptrons for m in model.fit(X, y).estimators_} == {5}


def test_a_base_estimator_that_only_guesses_is_tried_again():
    fits = []

    class Contrary(DecisionTreeClassifier):
        """Wrong about every row in its first two fits."""

        def fit(self, X, y, sample_weight=None):
            fits.append(1)
            return super().fit(X, 1 - y if len(fits) < 3 else y, sample_weight)

    X, y, _ = noisy_twonorm(60)
    model = NoiseReducingBoostClassifier(Contrary(), 1, mode="adaboost", random_state=0)
    np.testing.assert_array_equal(model.fit(X, y).predict(X), y)
    assert len(fits) == 3
