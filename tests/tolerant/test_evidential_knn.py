import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.neighbors import KNeighborsClassifier

from errata.exceptions import SuspicionWarning
from errata.tolerant import EvidentialKNNClassifier
from strategies import SEEDS
from tolerant.gaussian_classes import TINY10, two_classes


def test_ten_rows_by_hand():
    model = EvidentialKNNClassifier(3).fit(*TINY10)
    np.testing.assert_allclose(1 / model.gamma_, [6.04, 5.3], rtol=1e-12)
    masses = model.predict_masses([[7.0]])
    np.testing.assert_allclose(masses, [[0.684116, 0.170382, 0.145502]], atol=1e-6)
    expected = [[0.756867, 0.243133], [0.600402, 0.399598]]
    np.testing.assert_allclose(model.predict_proba([[7.0], [2.0]]), expected, atol=1e-6)
    suspicion = [0.172452, 0.215770, 0.992426, 0.236764, 0.187585]
    suspicion += [0.144167, 0.126202, 0.269594, 0.992365, 0.456771]
    np.testing.assert_allclose(model.suspicion_, suspicion, atol=1e-6)
    assert np.flatnonzero(model.flagged_).tolist() == [2, 8]
    assert model.suggested_[[2, 8]].tolist() == [0, 1]


def test_masses_are_those_of_dempsters_rule():
    # Two neighbours at distances at which they leave 0.2 and 0.5 of doubt, a third class far away.
    distances = -np.log(np.array([0.8, 0.5]) / 0.95)
    X = np.array([[distances[0]], [-distances[1]], [9.0]])
    model = EvidentialKNNClassifier(2, gamma=1.0).fit(X, [0, 1, 2])
    raw = np.array([0.8 * 0.5, 0.5 * 0.2, 0, 0.1])
    np.testing.assert_allclose(model.predict_masses([[0.0]]), [raw / raw.sum()], rtol=1e-12)


def test_many_neighbours_do_not_underflow():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(1000, 2)), np.arange(1000) % 2
    masses = EvidentialKNNClassifier(900, gamma=1e-9).fit(X, y).predict_masses(X[:3])
    np.testing.assert_allclose(masses.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_clean_clusters_are_not_suspected(seed):
    random = np.random.default_rng(seed)
    y = np.arange(100) % 2
    X = random.normal(size=(100, 2)) + np.where(y, 10, -10)[:, None]
    assert not EvidentialKNNClassifier().fit(X, y).flagged_.any()


def test_a_copy_with_another_label_is_a_neighbour_and_a_row_is_not_its_own():
    X = np.array([[0.0], [0.0], [0.1], [5.0], [5.1], [5.2]])
    model = EvidentialKNNClassifier(1).fit(X, [0, 1, 1, 0, 0, 0])
    assert model.flagged_[[0, 1]].tolist() == [True, True]


@pytest.mark.parametrize("seed", range(3))
def test_under_noise_it_is_about_as_accurate_as_plain_neighbours(seed):
    X, y, _, X_test, y_test = two_classes(seed, n=500, n_test=2000)
    plain = KNeighborsClassifier(5).fit(X, y).score(X_test, y_test)
    assert abs(EvidentialKNNClassifier(5).fit(X, y).score(X_test, y_test) - plain) < 0.04


def test_far_from_all_rows_there_is_ignorance_alone():
    model = EvidentialKNNClassifier(3).fit(*TINY10)
    np.testing.assert_allclose(model.predict_masses([[1e4]]), [[0, 0, 1]], atol=1e-12)


def test_sparse_rows_are_as_good():
    X, y, *_ = two_classes(0, n=100, n_test=10)
    dense, sparse = (EvidentialKNNClassifier().fit(Z, y) for Z in (X, csr_matrix(X)))
    np.testing.assert_allclose(sparse.suspicion_, dense.suspicion_, rtol=1e-6)


def test_a_class_of_one_row_takes_the_distances_of_all():
    X = np.array([[0.0], [1.0], [3.0]])
    model = EvidentialKNNClassifier(1).fit(X, [0, 0, 1])
    np.testing.assert_allclose(model.gamma_, [1, 1 / 2], rtol=1e-12)  # mean of 1, 3 and 2


def test_rows_that_are_all_alike_have_a_scale_of_one():
    model = EvidentialKNNClassifier(1).fit(np.ones((4, 2)), [0, 0, 1, 1])
    np.testing.assert_array_equal(model.gamma_, 1)


def test_mean_distances_of_large_classes_are_sampled(monkeypatch):
    X, y, *_ = two_classes(0, n=600, n_test=10)
    exact = EvidentialKNNClassifier().fit(X, y).gamma_
    monkeypatch.setattr("errata.tolerant._evidential_knn.MOST_ROWS", 100)
    sampled = EvidentialKNNClassifier(random_state=0).fit(X, y).gamma_
    assert (sampled != exact).all()
    np.testing.assert_allclose(sampled, exact, rtol=0.2)


def test_more_neighbours_than_there_are_rows_are_cut_with_a_warning():
    with pytest.warns(SuspicionWarning, match=r"n_neighbors=10 .* other rows \(9\); using 9"):
        model = EvidentialKNNClassifier(10).fit(*TINY10)
    assert model.predict_masses([[7.0]]).shape == (1, 3)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"alpha": 1}, "alpha=1 must be above 0 and below 1: a neighbour that is right"),
        ({"alpha": 0}, "alpha=0 must be a finite number above 0"),
        ({"beta": 0}, "beta=0 must be a finite number above 0"),
        ({"gamma": -1}, "gamma=-1.0 must be a finite number above 0"),
        ({"gamma": [1, 2, 3]}, r"gamma has shape \(3,\), but there are 2 classes"),
        ({"n_neighbors": 0}, "n_neighbors=0 must be a whole number at least 1"),
    ],
)
def test_wrong_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        EvidentialKNNClassifier(**parameters).fit(*TINY10)
