import tracemalloc

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import make_moons
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from errata.noise import flip_labels
from errata.tolerant import RobustDiscriminantAnalysis
from tolerant.gaussian_classes import EM8, three_classes, two_classes


def exact(**parameters):
    return RobustDiscriminantAnalysis(shrinkage=0, tol=1e-13, max_iter=5000, **parameters)


def test_the_first_round_by_hand():
    with pytest.warns(ConvergenceWarning, match="had not settled after max_iter=1"):
        model = exact(prior_strength=0).set_params(max_iter=1).fit(*EM8)
    assert model.objective_[0] == pytest.approx(-21.197882, abs=1e-5)
    first = [0.978112, 0.952358, 0.930410, 0.358513, 0.100583, 0.069590, 0.444568, 0.021888]
    own = np.where(EM8[1] == 0, first, 1 - np.array(first))
    np.testing.assert_allclose(model.suspicion_, 1 - own, atol=1e-5)


@pytest.mark.parametrize(("init_error", "first"), [(0.2, -21.197882), (0.05, -21.001902)])
def test_the_optimum_by_hand_from_two_starts(init_error, first):
    model = exact(prior_strength=0, init_error=init_error).fit(*EM8)
    assert model.objective_[0] == pytest.approx(first, abs=1e-5)
    assert model.objective_[-1] == pytest.approx(-18.977597, abs=1e-5)
    expected = [[0.750556, 0.249444], [0.249816, 0.750184]]
    np.testing.assert_allclose(model.noise_transition_, expected, atol=1e-5)
    np.testing.assert_allclose(model.means_[:, 0], [-1.875458, 1.872669], atol=1e-5)
    np.testing.assert_allclose(model.covariance_, [[0.550387]], atol=1e-5)
    np.testing.assert_allclose(model.priors_[0], 0.499628, atol=1e-5)
    np.testing.assert_allclose(model.error_rates_, [0.249444, 0.249816], atol=1e-5)


def test_the_optimum_with_a_prior_by_hand():
    model = exact().fit(*EM8)
    expected = [[0.767092, 0.232908], [0.233205, 0.766795]]
    np.testing.assert_allclose(model.noise_transition_, expected, atol=1e-5)
    assert model.objective_[-1] == pytest.approx(-20.997904, abs=1e-5)
    assert np.flatnonzero(model.suspicion_ > 0.99).tolist() == [3, 6]
    assert np.flatnonzero(model.flagged_).tolist() == [3, 6]
    assert model.suggested_.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_contamination_can_be_estimated_as_suspicions_are_probabilities():
    model = exact(contamination="estimate").fit(*EM8)
    assert model.flagged_.sum() == np.floor(model.suspicion_.sum() + 0.5)


@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_without_noise_it_is_linear_discriminant_analysis(make):
    X, y, *_ = make(0, n=300, n_test=10)
    k = y.max() + 1
    model = exact(transition=np.eye(k), learn_transition=False).fit(X, y)
    plain = LinearDiscriminantAnalysis(solver="lsqr", store_covariance=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=0, atol=1e-8)
    np.testing.assert_array_equal(model.suspicion_, 0)


def test_weights_count_rows():
    X, y, *_ = two_classes(0, n=100, n_test=10)
    weights = np.random.default_rng(0).integers(1, 4, 100)
    weighted = exact().fit(X, y, sample_weight=weights)
    repeated = exact().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6)


def test_noise_by_class_turns_the_offset_of_a_discriminant_and_not_its_direction():
    X, y, classes, *_ = two_classes(0, n=50_000, n_test=10)
    noisy, clean = (
        LinearDiscriminantAnalysis().fit(X, y),
        LinearDiscriminantAnalysis().fit(X, classes),
    )
    a, b = noisy.coef_[0], clean.coef_[0]
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert np.degrees(np.arccos(cosine)) < 3
    shift = -noisy.intercept_ / np.linalg.norm(a) + clean.intercept_ / np.linalg.norm(b)
    assert shift[0] == pytest.approx(-0.70, abs=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_kernel_features_bend_the_boundary(seed):
    X, classes = make_moons(600, noise=0.15, random_state=seed)
    y, _ = flip_labels(classes, transition=[[0.65, 0.35], [0.05, 0.95]], random_state=seed)

    def score(model):
        kernel = make_pipeline(
            StandardScaler(), Nystroem(n_components=100, random_state=0), model
        ).fit(X[:300], y[:300])
        return kernel.score(X[300:], classes[300:])

    robust = score(RobustDiscriminantAnalysis(shrinkage=0.1))
    assert robust >= 0.93
    linear = RobustDiscriminantAnalysis().fit(X[:300], y[:300]).score(X[300:], classes[300:])
    assert robust > linear + 0.05


def test_a_class_that_runs_empty_stops_the_rounds():
    X, y, *_ = two_classes(0, n=100, n_test=10)
    X, y = np.vstack([X, [[0.0, 0.0]]]), np.append(y, 2)
    with pytest.warns(ConvergenceWarning, match="less than one row is left of the class 2"):
        model = RobustDiscriminantAnalysis().fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_few_rows_for_full_covariances_are_reported():
    X, y, *_ = two_classes(0, n=12, n_test=10)
    with pytest.warns(ConvergenceWarning, match='covariance="full" wants 5 rows of each class'):
        RobustDiscriminantAnalysis("full").fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"covariance": "tied"}, "covariance='tied' is not known; choose from shared, full, diag"),
        ({"shrinkage": 2}, "shrinkage=2 must be a number between 0 and 1"),
    ],
)
def test_wrong_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        RobustDiscriminantAnalysis(**parameters).fit(*EM8)


def test_memory_is_that_of_rows_times_classes():
    X, y, *_ = three_classes(0, n=20_000, n_test=10)
    tracemalloc.start()
    with pytest.warns(ConvergenceWarning, match="had not settled"):
        RobustDiscriminantAnalysis(max_iter=3).fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * 8 * 20_000 * 3  # twenty arrays of rows times classes, whatever the rounds


def some_rows(seed=0, n=60, d=3):
    """Rows, labels and their weights."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) + np.array([5, -3, 100])
    return X, np.arange(n) % 2, random.uniform(0.2, 2, n)


def fit_as_labelled(X, y, weights, **how):
    """The model where every label is right: one Gaussian for the rows of each label."""
    model = RobustDiscriminantAnalysis(transition=0.0, learn_transition=False, **how)
    return model.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("covariance", ["shared", "full", "diag"])
def test_gaussians_are_those_of_the_definition(covariance):
    X, y, weights = some_rows()
    counts = weights[:, None] * np.eye(2)[y]
    found = fit_as_labelled(X, y, weights, covariance=covariance, shrinkage=0.0)
    each = [np.cov(X.T, aweights=w, ddof=0) for w in counts.T]
    shared = sum(S * w.sum() for S, w in zip(each, counts.T, strict=True)) / counts.sum()
    wanted = {"full": each, "shared": shared, "diag": np.diag(np.diag(shared))}[covariance]
    np.testing.assert_allclose(found.covariance_, wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.priors_, counts.sum(axis=0) / counts.sum(), rtol=1e-12)
    np.testing.assert_allclose(found.means_[0], np.average(X, axis=0, weights=counts[:, 0]))


@pytest.mark.parametrize("covariance", ["shared", "full", "diag"])
def test_probabilities_follow_from_the_densities_of_scipy(covariance):
    found = fit_as_labelled(*some_rows(), covariance=covariance, shrinkage=0.1)
    X = some_rows(1)[0]
    covariances = found.covariance_ if covariance == "full" else [found.covariance_] * 2
    joint = np.column_stack(
        [
            prior * multivariate_normal(mean, S).pdf(X)
            for prior, mean, S in zip(found.priors_, found.means_, covariances, strict=True)
        ]
    )
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.predict_proba(X), expected, rtol=1e-9)


def test_shrinkage_keeps_the_total_variance_and_ends_at_a_ball():
    found = [fit_as_labelled(*some_rows(), shrinkage=s).covariance_ for s in (0, 0.5, 1)]
    total = [np.trace(covariance) for covariance in found]
    np.testing.assert_allclose(total, total[0], rtol=1e-9)
    np.testing.assert_allclose(found[2], found[2][0, 0] * np.eye(3), atol=1e-12)


@pytest.mark.parametrize("column", [0.0, 7.0])
def test_a_constant_column_needs_shrinkage(column):
    X, y, weights = some_rows()
    X[:, 1] = column
    with pytest.raises(ValueError, match=r"covariance within classes is singular.*raise shrinkage"):
        fit_as_labelled(X, y, weights, shrinkage=0.0)
    assert np.isfinite(fit_as_labelled(X, y, weights, shrinkage=0.01).covariance_).all()


def test_columns_that_do_not_vary_at_all_are_refused():
    _, y, weights = some_rows()
    with pytest.raises(ValueError, match="covariance within classes is singular"):
        fit_as_labelled(np.ones((60, 3)), y, weights, shrinkage=0.1)
