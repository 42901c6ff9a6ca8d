import numpy as np
import pytest

from elm.naive_ridge import ridge, smoother
from errata.elm._ridge import CholeskyFactor, GramRecord, RidgeSystem, SpectralFactor

OPTIONS = [
    {"fit_intercept": intercept, "weight": weight}
    for intercept in (True, False)
    for weight in (None, np.random.RandomState(1).random_sample(40))
]


def some_rows(m, n=40, q=2):
    random = np.random.RandomState(0)
    return random.normal(1, 1, size=(n, m)), random.normal(size=(n, q))


def make_system(H, T, *, weight, fit_intercept):
    if len(H) < H.shape[1]:
        return RidgeSystem.from_rows(H, T, weight, fit_intercept=fit_intercept)
    return GramRecord.from_block(H, T, weight).system(fit_intercept=fit_intercept)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("m", [5, 40, 60], ids=["tall", "square", "wide"])
@pytest.mark.parametrize("alpha", [0.01, 1.0, 30.0])
def test_models_equal_least_squares_on_the_rows(m, alpha, options):
    H, T = some_rows(m)
    model = make_system(H, T, **options).solved(alpha)
    coef, intercept = ridge(H, T, alpha, **options)
    np.testing.assert_allclose(model.coef, coef, rtol=0, atol=1e-11)
    np.testing.assert_allclose(model.intercept, intercept, rtol=0, atol=1e-11)
    np.testing.assert_allclose(model.predict(H), H @ coef + intercept, rtol=0, atol=1e-11)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("m", [5, 60], ids=["tall", "wide"])
def test_the_smoother_and_its_trace_are_those_of_the_rows(m, options):  # C6: trace(S) = df
    H, T = some_rows(m)
    model = make_system(H, T, **options).solved(0.5)
    Z = model.whiten(H.copy())
    weight = 1 if options["weight"] is None else options["weight"]
    expected = smoother(H, 0.5, **options)
    np.testing.assert_allclose((model.system.base + Z @ Z.T) * weight, expected, rtol=0, atol=1e-12)
    assert model.degrees_of_freedom == pytest.approx(np.trace(expected), rel=1e-12)


@pytest.mark.parametrize("alpha", [1e-4, 1e-2, 1.0, 10.0, 1e3])
def test_the_eigenvalues_and_cholesky_agree(alpha):  # C6
    H, T = some_rows(6)
    system = GramRecord.from_block(H, T).system()
    model = system.solved(alpha)
    spectral = SpectralFactor(*system.spectrum, alpha)
    assert isinstance(model.factor, CholeskyFactor)
    np.testing.assert_allclose(spectral.solve(system.cross), model.coef, rtol=1e-10, atol=1e-13)
    assert spectral.effective_units == pytest.approx(model.factor.effective_units, rel=1e-12)
    row = H - system.hidden_mean
    np.testing.assert_allclose(
        (spectral.whiten(row) ** 2).sum(axis=1),
        (model.factor.whiten(row.copy()) ** 2).sum(axis=1),
        rtol=1e-11,
        atol=0,
    )


def test_no_ridge_is_least_squares_of_smallest_norm():  # C8: lambda -> 0, m < n equals lstsq
    H, T = some_rows(6)
    Hc, Tc = H - H.mean(axis=0), T - T.mean(axis=0)
    expected = np.linalg.lstsq(Hc, Tc, rcond=None)[0]
    system = GramRecord.from_block(H, T).system()
    np.testing.assert_allclose(system.solved(0).coef, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(system.solved(1e-12).coef, expected, rtol=1e-9, atol=1e-11)


def test_no_ridge_on_a_singular_gram_matrix_is_the_pseudo_inverse():
    H, T = some_rows(4)
    H = np.column_stack([H, H[:, :2]])  # rank four, six units
    found = GramRecord.from_block(H, T).solve(0)[0]
    expected = np.linalg.lstsq(H - H.mean(axis=0), T - T.mean(axis=0), rcond=None)[0]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


def test_a_ridge_below_the_rounding_of_a_singular_gram_matrix_falls_back_on_eigenvalues():
    H, T = some_rows(4)
    H = 1e4 * np.column_stack([H, H, H])
    model = GramRecord.from_block(H, T).system().solved(1e-9)
    assert isinstance(model.factor, SpectralFactor)
    fitted = ridge(H, T, 0.0)
    np.testing.assert_allclose(model.predict(H), H @ fitted[0] + fitted[1], rtol=0, atol=1e-6)


def test_a_ridge_that_rounding_swallows_is_none():
    H, T = some_rows(4)
    record = GramRecord.from_block(np.column_stack([H, H[:, :2] - H[:, 2:]]), T)
    np.testing.assert_allclose(record.solve(1e-18)[0], record.solve(0)[0], rtol=0, atol=1e-12)


def test_a_vanishing_ridge_on_few_rows_approaches_the_solution_of_smallest_norm():
    H, T = some_rows(60)
    expected = np.linalg.lstsq(H - H.mean(axis=0), T - T.mean(axis=0), rcond=None)[0]
    for alpha in (0, 1e-12, 1e-30):
        model = make_system(H, T, weight=None, fit_intercept=True).solved(alpha)
        np.testing.assert_allclose(model.coef, expected, rtol=0, atol=1e-11)


def test_mean_eigenvalue_is_the_mean_variance_times_the_number_of_rows():
    for m in (5, 60):
        H, T = some_rows(m)
        system = make_system(H, T, weight=None, fit_intercept=True)
        assert system.mean_eigenvalue == pytest.approx(40 * H.var(axis=0).mean(), rel=1e-12)
