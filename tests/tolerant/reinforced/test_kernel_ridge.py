import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics.pairwise import rbf_kernel

from errata.bench.figures import make_outlying_sine
from errata.tolerant import ReinforcedKernelRidge

penalties = pytest.mark.parametrize("penalty", ["l1", "l2"])
restless = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def problem(seed, n=25):
    random = np.random.RandomState(seed)
    X = random.uniform(size=(n, 2))
    y = np.sin(5 * X[:, 0]) + X[:, 1] + 0.1 * random.standard_normal(n)
    y[0] += 3
    return X, y, random.uniform(0.05, 1, n)


def printed_system(K, y, w, alpha):
    """(57) as it stands in (3.46), with the inverse of the weights; its gamma is 1 / alpha."""
    n = len(y)
    M = np.zeros((n + 1, n + 1))
    M[0, 1:] = M[1:, 0] = 1
    M[1:, 1:] = K + np.diag(1 / w) * alpha
    solution = np.linalg.solve(M, np.append(0, y))
    return solution[1:], solution[0]


def fit_plainly(K, y, w, alpha, **parameters):
    """The weighted fit by itself: with an infinite reinforcement no row loses weight."""
    model = ReinforcedKernelRidge(
        kernel="precomputed", alpha=alpha, reinforcement=np.inf, **parameters
    )
    return model.fit(K, y, sample_weight=w)


@pytest.mark.parametrize("alpha", [10.0, 0.1, 1e-4])
def test_b8_the_stable_form_solves_the_printed_system(alpha):
    X, y, w = problem(0)
    K = rbf_kernel(X, gamma=10)
    model = fit_plainly(K, y, w, alpha)
    expected, bias = printed_system(K, y, w, alpha)
    largest = np.abs(expected).max()
    np.testing.assert_allclose(model.dual_coef_, expected, rtol=0, atol=1e-10 * largest)
    assert model.intercept_ == pytest.approx(bias, abs=1e-10)


def test_b8_a_weight_of_zero_is_a_row_left_out():
    X, y, w = problem(1)
    K = rbf_kernel(X, gamma=10)
    w[[3, 7]] = 0
    kept = w > 0
    model = fit_plainly(K, y, w, 0.1)
    without = fit_plainly(K[np.ix_(kept, kept)], y[kept], w[kept], 0.1)
    assert model.dual_coef_[3] == model.dual_coef_[7] == 0
    np.testing.assert_allclose(model.dual_coef_[kept], without.dual_coef_, rtol=0, atol=1e-12)
    assert model.intercept_ == pytest.approx(without.intercept_, abs=1e-12)


def test_b8_identities_of_the_solution():
    X, y, w = problem(2)
    K = rbf_kernel(X, gamma=10)
    model = fit_plainly(K, y, w, 0.1)
    assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-10)
    residuals = y - model.predict(K)
    np.testing.assert_allclose(model.dual_coef_, 10 * w * residuals, rtol=0, atol=1e-10)


def test_left_out_residuals_are_those_of_explicit_refits():
    X, y, w = problem(3)
    w[5] = 0
    K = rbf_kernel(X, gamma=10)
    model = fit_plainly(K, y, w, 0.02, residuals="loo")
    residuals = np.empty(len(y))
    for i in range(len(y)):
        kept = np.arange(len(y)) != i
        without = fit_plainly(K[np.ix_(kept, kept)], y[kept], w[kept], 0.02)
        residuals[i] = y[i] - without.predict(K[[i]][:, kept])[0]
    scale = np.sqrt(w @ residuals**2 / w.sum())
    assert model.scale_ == pytest.approx(scale, rel=1e-9)
    expected = norm.logpdf(residuals, scale=scale)
    np.testing.assert_allclose(model.log_likelihood_, expected, rtol=0, atol=1e-8)


@restless
@penalties
@pytest.mark.parametrize("alpha", [2.0, 0.1])
@pytest.mark.parametrize("log_alpha", [0.0, 2.0, 4.0])
def test_b6_the_joint_objective_never_falls(penalty, alpha, log_alpha):
    for seed in range(3):
        X, y, _ = problem(seed)
        model = ReinforcedKernelRidge(
            reinforcement=np.exp(log_alpha),
            reinforcement_penalty=penalty,
            alpha=alpha,
            scale_update="joint",
            tol=1e-7,
        ).fit(X, y)
        assert np.all(np.diff(model.objective_) >= -1e-10)


@penalties
def test_b7_another_unit_of_y_changes_no_weight(penalty):
    X, y, _ = problem(4)
    metres = ReinforcedKernelRidge(reinforcement_penalty=penalty).fit(X, y)
    millimetres = ReinforcedKernelRidge(reinforcement_penalty=penalty).fit(X, 1000 * y)
    np.testing.assert_allclose(millimetres.weights_, metres.weights_, rtol=0, atol=1e-10)


@penalties
def test_t2_the_sine_with_an_outlier(penalty):
    grid = np.linspace(0, 1, 200)[:, None]
    plain, reinforced = [], []
    for seed in range(20):
        X, y, outlying = make_outlying_sine(random_state=seed)
        for reinforcement, errors in [(np.inf, plain), ("auto", reinforced)]:
            model = ReinforcedKernelRidge(
                gamma=10, reinforcement_penalty=penalty, reinforcement=reinforcement
            ).fit(X, y)
            error = model.predict(grid) - np.sin(2 * np.pi * grid[:, 0])
            errors.append(np.sqrt(np.mean(error**2)))
        assert model.log_likelihood_.argmin() == model.suspicion_.argmax() == 29
        assert model.flagged_[outlying].all()
    # An independent prototype: 0.053 against 0.193.
    assert np.mean(reinforced) <= 0.5 * np.mean(plain)
    assert np.mean(reinforced) < 0.06


def test_a_free_curve_hides_outliers_from_its_own_residuals_and_not_from_left_out_ones():
    X, y, outlying = make_outlying_sine(random_state=0)
    X, y = X[~outlying], y[~outlying]
    y[14] = 2.0  # where the sine is 0
    free = {"gamma": 1000, "alpha": 1e-6, "reinforcement": np.inf}
    by_fit = ReinforcedKernelRidge(**free).fit(X, y)
    left_out = ReinforcedKernelRidge(**free, residuals="loo").fit(X, y)
    assert abs(by_fit.predict(X)[14] - 2.0) < 0.1
    assert by_fit.scale_ < 0.1 < 0.5 < left_out.scale_
    assert left_out.log_likelihood_.argmin() == 14


def test_any_kernel_will_do():
    X, y, _ = problem(0)
    by_name = ReinforcedKernelRidge(gamma=2.0).fit(X, y)
    by_function = ReinforcedKernelRidge(kernel=lambda A, B: rbf_kernel(A, B, gamma=2.0)).fit(X, y)
    given = ReinforcedKernelRidge(kernel="precomputed").fit(rbf_kernel(X, gamma=2.0), y)
    for other in (by_function, given):
        np.testing.assert_allclose(other.dual_coef_, by_name.dual_coef_, rtol=1e-10)
    new = np.random.RandomState(0).uniform(size=(4, 2))
    expected = by_name.predict(new)
    np.testing.assert_allclose(by_function.predict(new), expected, rtol=1e-10)
    np.testing.assert_allclose(given.predict(rbf_kernel(new, X, gamma=2.0)), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"alpha": 0}, "alpha=0 must be a finite number above 0"),
        ({"alpha": np.inf}, "alpha=inf must be a finite number above 0"),
        ({"residuals": "cv"}, "residuals='cv' is not known; choose from fit, loo"),
        ({"max_gram_bytes": 4999}, "25 rows takes 0 MB.*ReinforcedLinearRegression"),
        ({"kernel": lambda A, B: -np.eye(len(A))}, "the kernel is not an inner product"),
        ({"reinforcement": 0}, "reinforcement=0 must be a number above 0"),
        ({"mean_weight": 1}, "mean_weight=1 must be above 0 and below 1"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    X, y, _ = problem(0)
    with pytest.raises(ValueError, match=sentence):
        ReinforcedKernelRidge(**parameters).fit(X, y)


def test_a_gram_matrix_too_large_is_refused_before_it_is_made():
    X = np.zeros((9000, 1))
    with pytest.raises(ValueError, match=r"9000 rows takes 618 MB, more than.*\(512 MB\)"):
        ReinforcedKernelRidge().fit(X, X[:, 0])


@penalties
def test_b5_a_large_enough_reinforcement_is_the_plain_fit(penalty):
    X, y, _ = problem(0)
    plain = ReinforcedKernelRidge(reinforcement=np.inf).fit(X, y)
    least = plain.log_likelihood_.min()
    log_alpha = -least + 1e-12 if penalty == "l1" else 2 * (-least + np.log(1e4))
    model = ReinforcedKernelRidge(
        reinforcement=np.exp(log_alpha), reinforcement_penalty=penalty
    ).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, plain.dual_coef_, rtol=0, atol=1e-6)


def test_columns_far_from_zero_keep_their_digits():
    X, y, _ = problem(0)
    far = X + 1e8
    model, expected = (ReinforcedKernelRidge().fit(Z, y) for Z in (far, far - 1e8))
    np.testing.assert_allclose(model.dual_coef_, expected.dual_coef_, rtol=1e-9)
    np.testing.assert_allclose(model.predict(far), expected.predict(far - 1e8), rtol=1e-9)
