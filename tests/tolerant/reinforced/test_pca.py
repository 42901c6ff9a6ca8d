import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA

from errata.bench.figures import make_outlying_cloud
from errata.exceptions import SuspicionWarning
from errata.tolerant import ReinforcedPCA, reinforcement_weights

penalties = pytest.mark.parametrize("penalty", ["l1", "l2"])
restless = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def cloud(seed, n=60, d=5):
    random = np.random.RandomState(seed)
    X = random.standard_normal((n, 3)) @ random.standard_normal((3, d))
    X += 0.3 * random.standard_normal((n, d)) + 2
    X[:3] += 8 * random.standard_normal((3, d))
    return X


@penalties
def test_b5_a_large_enough_reinforcement_is_the_plain_fit(penalty):
    X = cloud(0)
    plain = ReinforcedPCA(2, reinforcement=np.inf).fit(X)
    least = plain.log_likelihood_.min()
    log_alpha = -least + 1e-12 if penalty == "l1" else 2 * (-least + np.log(1e4))
    first = reinforcement_weights(
        plain.log_likelihood_, reinforcement=np.exp(log_alpha), reinforcement_penalty=penalty
    )
    assert np.max(1 - first) <= (0 if penalty == "l1" else 1e-8)
    model = ReinforcedPCA(2, reinforcement_penalty=penalty, reinforcement=np.exp(log_alpha)).fit(X)
    np.testing.assert_allclose(model.components_, plain.components_, rtol=0, atol=1e-6)


@restless
@penalties
@pytest.mark.parametrize("q", [1, 3, 5])
@pytest.mark.parametrize("log_alpha", [4.0, 8.0, 12.0])
def test_b6_the_objective_never_falls(penalty, q, log_alpha):
    for seed in range(3):
        model = ReinforcedPCA(
            q, reinforcement_penalty=penalty, reinforcement=np.exp(log_alpha), tol=1e-7
        )
        model.fit(cloud(seed))
        assert np.all(np.diff(model.objective_) >= -1e-10)


@pytest.mark.parametrize("q", [1, 3])
def test_b9_an_infinite_reinforcement_is_the_pca_of_scikit_learn(q):
    X = cloud(1)
    n = len(X)
    model = ReinforcedPCA(q, reinforcement=np.inf).fit(X)
    other = PCA(q).fit(X)
    np.testing.assert_allclose(np.abs(model.components_), np.abs(other.components_), rtol=1e-8)
    # scikit-learn divides by n - 1; with its variances taken to n, its density is the same.
    other.explained_variance_ *= (n - 1) / n
    other.noise_variance_ *= (n - 1) / n
    np.testing.assert_allclose(model.explained_variance_, other.explained_variance_, rtol=1e-10)
    assert model.noise_variance_ == pytest.approx(other.noise_variance_, rel=1e-10)
    np.testing.assert_allclose(model.score_samples(X), other.score_samples(X), rtol=1e-8)
    np.testing.assert_allclose(model.get_covariance(), other.get_covariance(), rtol=1e-8)
    np.testing.assert_allclose(np.abs(model.transform(X)), np.abs(other.transform(X)), rtol=1e-7)
    assert model.score(X) == pytest.approx(other.score(X), rel=1e-8)


@pytest.mark.parametrize("q", [2, 5])
def test_the_density_is_that_of_the_covariance_matrix(q):
    X = cloud(2)
    model = ReinforcedPCA(q).fit(X)
    expected = multivariate_normal(model.mean_, model.get_covariance()).logpdf(X)
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-9)
    np.testing.assert_allclose(model.log_likelihood_, expected, rtol=1e-9)


def test_all_the_axes_are_the_weighted_covariance():
    X = cloud(3)
    model = ReinforcedPCA(5, tol=1e-9).fit(X)
    covariance = np.cov(X.T, aweights=model.weights_, ddof=0)
    np.testing.assert_allclose(model.get_covariance(), covariance, rtol=1e-6)
    assert model.noise_variance_ == 0
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, rtol=1e-10)


def test_axes_point_to_the_side_of_their_largest_entry():
    components = ReinforcedPCA(4).fit(cloud(4)).components_
    largest = np.abs(components).argmax(axis=1)
    assert np.all(components[np.arange(4), largest] > 0)
    np.testing.assert_allclose(components @ components.T, np.eye(4), rtol=0, atol=1e-12)


@penalties
def test_t4_the_cloud_with_an_outlier(penalty):
    plain = []
    for seed in range(20):
        X, outlying = make_outlying_cloud(random_state=seed)
        model = ReinforcedPCA(reinforcement_penalty=penalty).fit(X)
        assert model.weights_[outlying][0] < 1e-6
        assert model.suspicion_.argmax() == 49
        assert 0.01 <= model.noise_variance_ <= 0.06  # the truth is 0.04
        plain.append(ReinforcedPCA(reinforcement=np.inf).fit(X).noise_variance_)
    assert np.mean(plain) == pytest.approx(0.13, abs=0.02)


def test_a_large_table_is_not_factorised_in_full(monkeypatch):
    X = cloud(5, n=80, d=12)
    whole = ReinforcedPCA(2).fit(X)
    monkeypatch.setattr("errata.tolerant.reinforced._pca.MAX_FULL_SIDE", 5)
    part = ReinforcedPCA(2).fit(X)
    np.testing.assert_allclose(part.components_, whole.components_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(part.weights_, whole.weights_, rtol=0, atol=1e-8)


def test_more_features_than_rows():
    X = np.random.RandomState(0).standard_normal((15, 40))
    model = ReinforcedPCA(2).fit(X)
    assert np.all(np.isfinite(model.log_likelihood_))
    assert model.transform(X).shape == (15, 2)
    assert model.get_feature_names_out().tolist() == ["reinforcedpca0", "reinforcedpca1"]


def test_more_axes_than_the_rows_span_are_cut_with_a_warning():
    flat = np.random.RandomState(0).standard_normal((30, 2)) @ np.ones((2, 4)) + 1
    with pytest.warns(SuspicionWarning, match="n_components=3 asks for more axes.*using 1"):
        model = ReinforcedPCA(3).fit(flat)
    assert model.n_components_ == 1
    assert np.all(np.isfinite(model.log_likelihood_))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_components": 0}, "n_components=0 must be a whole number between 1 and 5"),
        ({"n_components": 6}, "n_components=6 must be a whole number between 1 and 5"),
        ({"reinforcement": -1}, "reinforcement=-1 must be a number above 0"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        ReinforcedPCA(**parameters).fit(cloud(0))


def test_rows_that_are_all_the_same_get_a_sentence():
    with pytest.raises(ValueError, match="all the rows of X are the same"):
        ReinforcedPCA().fit(np.ones((5, 3)))


def test_columns_far_from_zero_keep_their_digits():
    far = cloud(0) + 1e8
    model, expected = (ReinforcedPCA(2).fit(X) for X in (far, far - 1e8))
    np.testing.assert_allclose(model.components_, expected.components_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.mean_, expected.mean_ + 1e8, rtol=1e-15)
