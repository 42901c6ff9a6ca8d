import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import differential_entropy

from errata.feature_selection.information import (
    failure_statistics,
    information_gap_needed,
    make_noisy_sine,
    regression_entropy,
    regression_error,
    regression_scale,
)

SHAPES = {
    "uniform": {},
    "laplace": {},
    "gaussian": {},
    "student": {"df": 2.3},
    "two_gaussians": {"ratio": 3.0},
}

DISTRIBUTIONS = {
    "uniform": lambda s: stats.uniform(-s / 2, s),
    "laplace": lambda s: stats.laplace(scale=s),
    "gaussian": lambda s: stats.norm(scale=s),
    "student": lambda s: stats.t(2.3, scale=s),
}


# At H = 0: closed forms, evaluated independently.
@pytest.mark.parametrize(
    ("family", "df", "mse", "mae"),
    [
        ("uniform", None, 0.083333, 0.250000),
        ("laplace", None, 0.067668, 0.183940),
        ("gaussian", None, 0.058550, 0.193065),
        ("student", 2.3, 0.176109, 0.192469),
        ("student", 3, 0.086437, 0.187167),
        ("student", 5, 0.064301, 0.186405),
        ("student", 30, 0.058654, 0.191520),
    ],
)
def test_errors_at_entropy_zero_and_above(family, df, mse, mae):
    assert regression_error(0, family, df=df) == pytest.approx(mse, abs=1e-6)
    assert regression_error(0, family, "mae", df=df) == pytest.approx(mae, abs=1e-6)
    h = np.array([-1, 0.1, 2])
    np.testing.assert_allclose(
        regression_error(h, family, df=df), mse * np.exp(2 * h), rtol=1e-5, atol=0
    )
    np.testing.assert_allclose(
        regression_error(h, family, "mae", df=df), mae * np.exp(h), rtol=1e-5, atol=0
    )


@pytest.mark.parametrize(
    ("family", "df", "scale"),
    [
        ("uniform", None, 1.105171),
        ("laplace", None, 0.203285),
        ("gaussian", None, 0.267419),
        ("student", 2.3, 0.167501),
        ("student", 5, 0.217077),
        ("student", 30, 0.258582),
    ],
)
def test_scales_of_the_figures(family, df, scale):
    assert regression_scale(0.1, family, df=df) == pytest.approx(scale, abs=1e-6)


@pytest.mark.parametrize("family", DISTRIBUTIONS)
@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_entropy_and_errors_are_those_of_the_distribution(family, scale):
    distribution, shape = DISTRIBUTIONS[family](scale), SHAPES[family]
    entropy = regression_entropy(scale, family, **shape)
    assert entropy == pytest.approx(distribution.entropy(), abs=1e-9)
    mse, mae = (regression_error(entropy, family, c, **shape) for c in ("mse", "mae"))
    assert mse == pytest.approx(distribution.var(), rel=1e-9)
    # 20 is beyond the support, or far into the tails, which are heavy for 2.3 degrees.
    tail = scale * 1e7 if family == "student" else 20 * scale
    knots = np.append(0, np.geomspace(1e-3 * scale, tail, 60))
    mean = 2 * sum(stats_quad(distribution, a, b) for a, b in itertools.pairwise(knots))
    assert mae == pytest.approx(mean, rel=1e-6)


def stats_quad(distribution, low, high):
    """Integral of x p(x) by Gauss and Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    x = (high - low) / 2 * nodes + (high + low) / 2
    edge = distribution.support()[1]
    if low < edge < high:  # a jump is no polynomial
        return stats_quad(distribution, low, edge)
    return (high - low) / 2 * np.sum(weights * x * distribution.pdf(x))


def test_two_gaussians_are_as_equations_13_and_14_have_them():
    s1, h = 0.2, 0.1
    s2 = np.exp(2 * h) / (2 * np.pi * np.e * s1)
    ratio = s2 / s1
    assert regression_entropy(s1, "two_gaussians", ratio=ratio) == pytest.approx(h, abs=1e-12)
    mse = (s1**2 + np.exp(4 * h) / (4 * np.pi**2 * np.e**2 * s1**2)) / 2
    mae = (s1 + np.exp(2 * h) / (2 * np.pi * np.e * s1)) / np.sqrt(2 * np.pi)
    assert regression_error(h, "two_gaussians", ratio=ratio) == pytest.approx(mse, rel=1e-12)
    assert regression_error(h, "two_gaussians", "mae", ratio=ratio) == pytest.approx(mae, rel=1e-12)


@pytest.mark.parametrize("family", SHAPES)
@given(scale=st.floats(1e-3, 1e3))
def test_scale_and_entropy_are_inverse(family, scale):
    entropy = regression_entropy(scale, family, **SHAPES[family])
    assert regression_scale(entropy, family, **SHAPES[family]) == pytest.approx(scale, rel=1e-12)


@given(st.floats(2.01, 1e6), st.floats(0.01, 100), st.floats(-3, 3))
def test_no_error_leaves_the_admissible_region(df, ratio, entropy):
    lower = {
        "mse": np.exp(2 * entropy) / (2 * np.pi * np.e),
        "mae": np.exp(entropy) / (2 * np.e),
    }
    for criterion, least in lower.items():
        for family, shape in SHAPES.items():
            given_shape = {"df": df} if "df" in shape else {"ratio": ratio} if shape else {}
            found = regression_error(entropy, family, criterion, **given_shape)
            assert found >= least * (1 - 1e-9)


def test_infinitely_many_degrees_of_freedom_are_gaussian_and_many_nearly_so():
    for criterion in ("mse", "mae"):
        gauss = regression_error(0.1, "gaussian", criterion)
        assert regression_error(0.1, "student", criterion, df=np.inf) == pytest.approx(gauss, 1e-14)
        # The difference falls with 1/df: nothing is lost to rounding on the way.
        df = np.geomspace(500, 1e14, 300)
        off = np.abs(regression_error(0.1, "student", criterion, df=df) / gauss - 1)
        assert np.all(off < 1 / df + 1e-14)


def test_closed_form_and_series_of_student_meet():
    at = [999.999999, 1000.000001]
    for value in (
        regression_scale(0.1, "student", df=at),
        regression_error(0.1, "student", df=at),
        regression_error(0.1, "student", "mae", df=at),
    ):
        assert value[0] == pytest.approx(value[1], rel=1e-11)


def test_mean_absolute_errors_are_least_near_four_degrees_of_freedom():
    df = np.linspace(1.5, 30, 28_501)
    mae = regression_error(0, "student", "mae", df=df)
    assert df[mae.argmin()] == pytest.approx(3.99, abs=0.01)
    assert mae.min() == pytest.approx(0.186046, abs=1e-6)


@pytest.mark.parametrize(("criterion", "gap"), [("mse", 0.50376), ("mae", 0.03201)])
def test_mutual_information_fails_below_the_gap_and_not_above(criterion, gap):
    heavy, light = regression_error(0, "student", criterion, df=[2.3, 5])
    found = information_gap_needed(heavy, light, criterion=criterion)
    assert found == pytest.approx(gap, abs=1e-5)
    assert information_gap_needed(light, heavy, criterion=criterion) == 0
    for factor, fails in [(0.99, True), (1.01, False)]:
        entropies = np.array(
            [[0.2, 0.2 - factor * gap]]
        )  # the second is selected, with heavy tails
        errors = regression_error(entropies, "student", criterion, df=[5, 2.3])
        assert failure_statistics(-entropies, errors).failing.all() == fails


@pytest.mark.parametrize("family", SHAPES)
def test_within_one_family_and_shape_nothing_fails(family):
    entropies = np.random.default_rng(0).normal(size=(1000, 2))
    for criterion in ("mse", "mae"):
        errors = regression_error(entropies, family, criterion, **SHAPES[family])
        assert not failure_statistics(-entropies, errors).failing.any()


def test_what_has_no_finite_error_or_no_sense_is_refused():
    with pytest.raises(ValueError, match=r"df=2 leaves no finite mse for family='student'"):
        regression_error(0, "student", df=[3, 2])
    with pytest.raises(ValueError, match="df=1 leaves no finite mae"):
        regression_error(0, "student", "mae", df=1)
    with pytest.raises(ValueError, match="family='student' needs df"):
        regression_entropy(1, "student")
    with pytest.raises(ValueError, match="df belongs to family='student', not to 'gaussian'"):
        regression_entropy(1, "gaussian", df=3)
    with pytest.raises(ValueError, match="ratio=-1 must be above 0"):
        regression_scale(1, "two_gaussians", ratio=-1)
    with pytest.raises(ValueError, match="family='cauchy' is not known"):
        regression_scale(1, "cauchy")
    with pytest.raises(ValueError, match="criterion='rmse' is not known"):
        regression_error(0, "uniform", "rmse")
    with pytest.raises(ValueError, match="scale must be above 0"):
        regression_entropy(0, "uniform")
    with pytest.raises(ValueError, match="must be errors above 0"):
        information_gap_needed(1.0, 0.0)


CASES = {
    "uniform": {},
    "laplace": {},
    "gaussian": {},
    "student": {"df": 5.0},
    "two_gaussians": {"ratio": 4.0},
}


@pytest.mark.parametrize("family", CASES)
def test_errors_have_the_entropy_asked_for_and_the_errors_that_follow(family):
    X, y = make_noisy_sine(40_000, family=family, entropy=0.1, **CASES[family], random_state=0)
    error = y - np.sin(X[:, 0])
    # Rows of the two Gaussians are told apart by their sign: H(Y|X) is the mean of both.
    halves = [error[X[:, 0] < 0], error[X[:, 0] >= 0]]
    assert np.mean([differential_entropy(half) for half in halves]) == pytest.approx(0.1, abs=0.02)
    mse, mae = (regression_error(0.1, family, c, **CASES[family]) for c in ("mse", "mae"))
    assert np.mean(error**2) == pytest.approx(mse, rel=0.06)
    assert np.mean(np.abs(error)) == pytest.approx(mae, rel=0.02)


def test_infinitely_many_degrees_of_freedom_are_drawn_as_gauss():
    student = make_noisy_sine(50, family="student", df=np.inf, random_state=0)
    gauss = make_noisy_sine(50, family="gaussian", random_state=0)
    np.testing.assert_allclose(student[1], gauss[1], rtol=0, atol=1e-12)


def test_draws_repeat_and_x_covers_one_period():
    X, y = make_noisy_sine(1000, random_state=1)
    np.testing.assert_array_equal(make_noisy_sine(1000, random_state=1)[1], y)
    assert X.shape == (1000, 1)
    assert np.abs(X).max() == pytest.approx(np.pi, abs=0.05)


def test_a_number_of_rows_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="n_samples=0 must be a whole number at least 1"):
        make_noisy_sine(0)
