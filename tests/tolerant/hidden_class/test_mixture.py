import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from errata.tolerant import RobustMixtureClassifier
from errata.tolerant.hidden_class._base import Labels, NoiseStep
from errata.tolerant.hidden_class._mixture import label_components
from strategies import SEEDS
from tolerant.gaussian_classes import two_classes

Q = np.array([[0.9, 0.1], [0.8, 0.2], [0.95, 0.05], [0.1, 0.9], [0.2, 0.8], [0.05, 0.95]])
LABELS = Labels(np.array([0, 0, 1, 1, 1, 0]), np.ones(6))


def test_the_labels_of_components_by_hand():
    with pytest.warns(ConvergenceWarning, match="had not settled"):
        first = label_components(Q, LABELS, 2, tol=0, max_iter=1).last.next_transition
    np.testing.assert_allclose(first, [[7 / 12, 5 / 12], [5 / 12, 7 / 12]], rtol=1e-12)
    limit = label_components(Q, LABELS, 2, tol=1e-10, max_iter=500)
    expected = [[0.631517, 0.368483], [0.368483, 0.631517]]
    np.testing.assert_allclose(limit.last.next_transition, expected, atol=1e-6)
    assert limit.log_likelihood[-1] == pytest.approx(-4.024146, abs=1e-6)


def test_every_start_ends_at_the_same_labels(monkeypatch):
    def from_random_start(seed):
        start = np.random.default_rng(seed).dirichlet(np.ones(2), 2)
        monkeypatch.setattr(
            "errata.tolerant.hidden_class._mixture.NoiseStep",
            lambda _, prior: NoiseStep(start, prior),
        )
        return label_components(Q, LABELS, 2, tol=1e-9, max_iter=500).last.next_transition

    np.testing.assert_allclose(from_random_start(0), from_random_start(1), rtol=0, atol=1e-6)


def test_a_component_without_rows_has_the_label_frequencies():
    empty = np.column_stack([Q, np.zeros(6)])
    labels = Labels(LABELS.codes, np.array([3.0, 1, 1, 1, 1, 1]))
    found = label_components(empty, labels, 2, tol=1e-9, max_iter=500).last.next_transition
    np.testing.assert_allclose(found[2], [5 / 8, 3 / 8], rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_gaussian_classes_are_learnt_in_spite_of_noise(seed):
    X, y, _, X_test, y_test = two_classes(seed)
    model = RobustMixtureClassifier(2, random_state=0).fit(X, y)
    assert model.score(X_test, y_test) >= 0.91
    right = np.sort(model.label_given_component_.max(axis=0))
    np.testing.assert_allclose(right, [0.7, 0.9], rtol=0, atol=0.05)


def test_the_number_of_components_is_chosen():
    X, y, *_ = two_classes(0, n=400, n_test=10)
    model = RobustMixtureClassifier(random_state=0).fit(X, y)
    assert model.mixture_.n_components == 2
    np.testing.assert_allclose(model.label_given_component_.sum(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=1e-9)


def test_rows_without_weight_have_no_say():
    X, y, *_ = two_classes(0, n=200, n_test=10)
    weights = (np.arange(200) < 150).astype(float)
    weighted = RobustMixtureClassifier(2, random_state=0).fit(X, y, weights)
    without = RobustMixtureClassifier(2, random_state=0).fit(X[:150], y[:150])
    np.testing.assert_allclose(weighted.predict_proba(X), without.predict_proba(X), rtol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_components": 0}, "n_components=0 must be a whole number at least 1"),
        ({"covariance_type": "round"}, "covariance_type='round' is not known; choose from full"),
        ({"reg_covar": -1}, "reg_covar=-1 must be a number between 0 and inf"),
        ({"contamination": "estimate"}, 'contamination="estimate" needs suspicions that are prob'),
    ],
)
def test_wrong_parameters_get_a_sentence(parameters, sentence):
    X, y, *_ = two_classes(0, n=50, n_test=10)
    with pytest.raises(ValueError, match=sentence):
        RobustMixtureClassifier(**{"n_components": 2, **parameters}).fit(X, y)


def test_a_row_without_weight_may_have_a_label_that_its_cluster_has_not():
    X = np.r_[np.linspace(-52, -48, 20), np.linspace(48, 52, 20)][:, None]
    y, weights = np.repeat([0, 1], 20), np.ones(40)
    y[0], weights[0] = 1, 0
    model = RobustMixtureClassifier(2, random_state=0).fit(X, y, sample_weight=weights)
    without = RobustMixtureClassifier(2, random_state=0).fit(X[1:], y[1:])
    np.testing.assert_allclose(model.log_likelihood_, without.log_likelihood_, rtol=1e-12)
    np.testing.assert_allclose(
        model.label_given_component_, without.label_given_component_, rtol=0, atol=1e-12
    )
    assert np.flatnonzero(model.flagged_).tolist() == [0]
