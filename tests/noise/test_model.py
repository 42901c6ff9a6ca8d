import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.noise import NoiseModel
from strategies import transitions

T = np.array([[0.8, 0.15, 0.05], [0.1, 0.9, 0], [0.05, 0.05, 0.9]])


def test_worked_example():
    # Computed by hand from the definitions.
    model = NoiseModel(T, prior=[0.5, 0.3, 0.2])
    assert model.error_rate == pytest.approx(0.15, abs=1e-12)
    np.testing.assert_allclose(model.error_rates, [0.2, 0.1, 0.1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.label_prior, [0.44, 0.355, 0.205], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        model.correct_prior(model.label_prior), [0.5, 0.3, 0.2], rtol=0, atol=1e-12
    )


def test_bross_example_of_a_small_class():
    # Bross 1954: a tenth of the rows and 5 % symmetric errors show as 14 % of the labels.
    model = NoiseModel.uniform(2, 0.05, prior=[0.1, 0.9])
    assert model.label_prior[0] == pytest.approx(0.14, abs=1e-12)
    np.testing.assert_allclose(model.correct_prior([14, 86]), [0.1, 0.9], rtol=0, atol=1e-12)
    # Fewer labels than the errors alone would give: the nearest possible fraction is zero.
    np.testing.assert_allclose(model.correct_prior([0.02, 0.98]), [0, 1], rtol=0, atol=1e-4)


@given(transitions(), st.integers(0, 2**31 - 1))
def test_probabilities_sum_to_one(transition, seed):
    prior = np.random.RandomState(seed).dirichlet(np.ones(len(transition)))
    model = NoiseModel(transition, prior=prior)
    assert model.joint.sum() == pytest.approx(1, abs=1e-12)
    assert model.label_prior.sum() == pytest.approx(1, abs=1e-12)
    backwards = model.class_given_label[:, model.label_prior > 0]
    np.testing.assert_allclose(backwards.sum(axis=0), 1, rtol=0, atol=1e-12)
    assert model.error_rate == pytest.approx(1 - np.trace(model.joint), abs=1e-12)


@given(transitions(), st.integers(0, 2**31 - 1))
def test_correct_prior_explains_the_labels(transition, seed):
    prior = np.random.RandomState(seed).dirichlet(np.ones(len(transition)))
    model = NoiseModel(transition, prior=prior)
    corrected = model.correct_prior(model.label_prior)
    np.testing.assert_allclose(corrected @ model.transition, model.label_prior, rtol=0, atol=1e-5)


def test_confusion_is_corrected_for_wrong_labels():
    confusion_with_classes = np.array([[40.0, 5, 1], [8, 30, 2], [2, 5, 7]])
    model = NoiseModel(T)
    np.testing.assert_allclose(
        model.correct_confusion(confusion_with_classes @ T), confusion_with_classes, atol=1e-9
    )
    small = model.correct_confusion([[0, 3, 0], [1, 0, 0], [0, 0, 1]])
    assert small.min() < 0
    assert model.correct_confusion([[0, 3, 0], [1, 0, 0], [0, 0, 1]], clip=True).min() == 0


def test_inverse_undoes_the_noise_and_says_when_it_cannot():
    np.testing.assert_allclose(NoiseModel(T).inverse @ T, np.eye(3), atol=1e-12)
    with pytest.raises(ValueError, match="some classes are labelled alike"):
        _ = NoiseModel([[0.5, 0.5], [0.5, 0.5]]).inverse


def test_uniform_noise_with_one_rate_per_class():
    model = NoiseModel.uniform(3, [0.2, 0, 0.4])
    expected = [[0.8, 0.1, 0.1], [0, 1, 0], [0.2, 0.2, 0.6]]
    np.testing.assert_allclose(model.transition, expected, atol=1e-15)


def test_pairwise_noise_confuses_the_listed_pairs_both_ways():
    model = NoiseModel.pairwise(4, [(0, 2)], 0.3)
    expected = np.eye(4)
    expected[[0, 2], [0, 2]] = 0.7
    expected[[0, 2], [2, 0]] = 0.3
    np.testing.assert_allclose(model.transition, expected, atol=1e-15)


def test_cyclic_noise_moves_to_the_next_class():
    model = NoiseModel.cyclic(3, 0.25)
    expected = [[0.75, 0.25, 0], [0, 0.75, 0.25], [0.25, 0, 0.75]]
    np.testing.assert_allclose(model.transition, expected, atol=1e-15)


def test_from_pairs_counts_what_happened():
    model = NoiseModel.from_pairs(["a", "a", "a", "b"], ["a", "a", "c", "b"])
    assert model.classes.tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(model.transition, [[2 / 3, 0, 1 / 3], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(model.prior, [0.75, 0.25, 0])
    assert model.error_rate == pytest.approx(0.25)


@given(transitions(n_classes=3), st.integers(0, 2**31 - 1))
@pytest.mark.filterwarnings("ignore::errata.exceptions.NoiseWarning")
def test_sampling_and_counting_is_a_round_trip(transition, seed):
    y = np.repeat([0, 1, 2], 2000)
    noisy, _ = NoiseModel(transition).sample(y, random_state=seed)
    counted = NoiseModel.from_pairs(y, noisy).transition
    np.testing.assert_allclose(counted, transition, rtol=0, atol=1 / 2000)


def test_repr_tells_the_size_and_the_rates():
    assert repr(NoiseModel(T)) == "NoiseModel(3 classes, error rates from 0.1 to 0.2)"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: NoiseModel([[1.0]]), "two at least"),
        (lambda: NoiseModel([[np.nan, 1], [0, 1]]), r"transition\[0, 0\] = nan"),
        (lambda: NoiseModel([[0.9, 0.2], [0, 1]]), "sums to 1.1"),
        (lambda: NoiseModel(T, prior=[1, 2]), "expected 3 class fractions"),
        (lambda: NoiseModel(T, prior=[1, -2, 2]), "non-negative"),
        (lambda: NoiseModel(T, classes=["a"]), "names 1 classes, but transition has 3 rows"),
        (lambda: NoiseModel(T, classes=["a", "b", "a"]), "names a class twice"),
        (lambda: NoiseModel.uniform(3, [0.1, 0.2]), "one for each of the 3 classes"),
        (lambda: NoiseModel(T).error_rate, "build the model with prior"),
        (lambda: NoiseModel.pairwise(3, [(0, 3)], 0.1), r"pair \(0, 3\) must name two different"),
        (lambda: NoiseModel.pairwise(3, [(0, 1), (0, 2)], 0.6), "class 0 is in so many pairs"),
        (lambda: NoiseModel.uniform(1, 0.1), "n_classes=1 must be a whole number at least 2"),
        (lambda: NoiseModel.cyclic(3, 7), "rate=7 must be a number between 0 and 1"),
        (lambda: NoiseModel.from_pairs([1, 2], [1]), "they must agree"),
    ],
)
def test_bad_models_get_a_sentence(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
