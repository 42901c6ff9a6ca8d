import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from errata.datasets import make_twonorm
from errata.ensemble import ParallelPerceptronClassifier
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
