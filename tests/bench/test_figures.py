import numpy as np
import pytest
from sklearn.base import clone

from errata.bench.figures import (
    make_mislabelled_extreme,
    make_outlying_cloud,
    make_outlying_line,
    make_outlying_sine,
    plot_information_failures,
    plot_mislabelled_extreme,
    plot_outlying_cloud,
    plot_outlying_line,
    plot_outlying_sine,
    plot_perceptron_categories,
    plot_regression_errors,
)
from errata.feature_selection.information import (
    failure_statistics,
    regression_error,
    sample_discrete_features,
)
from errata.tolerant import (
    ReinforcedKernelRidge,
    ReinforcedLinearRegression,
    ReinforcedLogisticRegression,
    ReinforcedPCA,
)


def test_features_bounds_and_failing_pairs_are_drawn():
    features = sample_discrete_features(100, random_state=0)
    ax = plot_information_failures(features)
    assert len(ax.collections[0].get_offsets()) == 200
    failing = failure_statistics(features.mutual_information, features.error).failing.sum()
    lines = {line.get_label(): line for line in ax.lines}
    assert len(lines["failing pair: taken"].get_xdata()) == failing
    taken, better = (lines[f"failing pair: {word}"].get_xydata() for word in ("taken", "better"))
    assert np.all(taken > better)  # more information, and more errors
    upper = np.interp(taken[:, 0], *lines["Hellman and Raviv, at most"].get_xydata().T)
    lower = np.interp(better[:, 0], *lines["Fano, at least"].get_xydata().T)
    assert np.all(taken[:, 1] <= upper)
    assert np.all(better[:, 1] >= lower - 1e-4)  # between two points of a convex curve


def test_a_picture_without_failures_has_no_pairs():
    ax = plot_information_failures(sample_discrete_features(50, random_state=0), min_loss=0.5)
    assert len(ax.lines) == 2
    assert ax.get_xlim() == (0, 1)


def test_a_sample_is_drawn_when_none_is_given():
    assert len(plot_information_failures().collections[0].get_offsets()) == 800


MAKERS = [make_outlying_line, make_outlying_sine, make_outlying_cloud, make_mislabelled_extreme]


@pytest.mark.parametrize("make", MAKERS)
def test_the_last_row_is_the_bad_one_and_draws_repeat(make):
    X, *_, bad = make(40, random_state=1)
    assert np.flatnonzero(bad).tolist() == [39]
    assert len(X) == 40
    np.testing.assert_array_equal(make(40, random_state=1)[0], X)
    here, there = (np.column_stack(make(40, random_state=seed)) for seed in (1, 2))
    assert not np.array_equal(here, there)


@pytest.mark.parametrize(
    ("make", "curve", "noise"),
    [
        (make_outlying_line, lambda x: 1 + 2 * x, 0.2),
        (make_outlying_sine, lambda x: np.sin(2 * np.pi * x), 0.1),
    ],
)
def test_rows_lie_around_their_curve_but_for_the_last(make, curve, noise):
    X, y, bad = make(10_001, random_state=0)
    residuals = y - curve(X[:, 0])
    # Four standard errors of a standard deviation estimated from 10 000 normal draws.
    assert residuals[~bad].std() == pytest.approx(noise, rel=4 / np.sqrt(2 * 10_000))
    assert abs(residuals[bad][0]) > 16 * noise


def test_the_cloud_has_the_axes_of_the_paper():
    X, bad = make_outlying_cloud(100_001, random_state=0)
    variances, axes = np.linalg.eigh(np.cov(X[~bad].T))
    np.testing.assert_allclose(variances, [0.04, 1.0], rtol=0.02)
    first = axes[:, 1] * np.sign(axes[0, 1])
    np.testing.assert_allclose(first, [np.cos(np.pi / 6), np.sin(np.pi / 6)], rtol=0, atol=0.01)
    np.testing.assert_allclose(X[~bad].mean(axis=0), [-0.5, 0.5], rtol=0, atol=0.02)


def test_only_the_farthest_label_is_wrong():
    X, y, flipped = make_mislabelled_extreme(10_000, random_state=0)
    assert y.sum() == 4_999
    true = np.where(flipped, 1, y)
    assert X[flipped, 0] == X[true == 1].max()
    for c, mean in [(0, -2), (1, 2)]:
        assert X[true == c].mean() == pytest.approx(mean, abs=4 * 1.7 / np.sqrt(5_000))
        assert X[true == c].std() == pytest.approx(1.7, rel=0.04)


@pytest.mark.parametrize(("criterion", "least"), [("mse", "Gauss"), ("mae", "Laplace")])
def test_no_curve_enters_the_grey_region_and_one_is_its_border(criterion, least):
    ax = plot_regression_errors(criterion)
    curves = {line.get_label(): line.get_ydata() for line in ax.lines}
    assert len(curves) == 6
    assert all(np.all(errors >= curves[least] * (1 - 1e-12)) for errors in curves.values())
    border = ax.collections[0].get_paths()[0].vertices[:, 1].max()
    assert border == pytest.approx(curves[least].max())


def test_some_curves_may_be_chosen():
    ax = plot_regression_errors(curves=["Student, 5 degrees"])
    (line,) = ax.lines
    expected = regression_error(line.get_xdata(), "student", df=5)
    np.testing.assert_allclose(line.get_ydata(), expected, rtol=1e-12, atol=0)


def test_safe_noisy_and_borderline_rows_are_marked():
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    ax = plot_perceptron_categories(n_samples=200)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["wrong label", "safe", "borderline", "noisy"]
    wrong, *categories = ax.collections
    assert len(wrong.get_offsets()) == 20
    assert sum(len(marks.get_offsets()) for marks in categories) == 200
    assert len(ax.lines) == 3


MODELS = {
    plot_outlying_line: ReinforcedLinearRegression(),
    plot_outlying_sine: ReinforcedKernelRidge(gamma=10, alpha=0.1),
    plot_outlying_cloud: ReinforcedPCA(),
    plot_mislabelled_extreme: ReinforcedLogisticRegression(),
}
PLOTS = list(MODELS)


@pytest.fixture
def pyplot():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed").use("Agg")
    import matplotlib.pyplot as pyplot

    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_a_picture_has_the_truth_both_fits_and_rows_shaded_by_weight(pyplot, plot, penalty):
    ax = plot(clone(MODELS[plot]).set_params(reinforcement_penalty=penalty))
    named = [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    assert len(named) == 3
    assert named[-2:] == ["plain", "reinforced"]
    shades = ax.collections[-1].get_array()
    assert len(shades) in (30, 50)
    assert shades.argmin() == len(shades) - 1
    assert shades[-1] < 0.2
    assert np.mean(shades) == pytest.approx(0.95, abs=1e-6)
    assert ax.get_title().splitlines()[1].startswith(f"{penalty.upper()} penalty, reinforcement ")
    assert ax.get_xlabel()
    assert ax.get_ylabel()


@pytest.mark.parametrize("plot", PLOTS)
def test_an_infinite_reinforcement_lets_the_fits_coincide(pyplot, plot):
    ax = plot(clone(MODELS[plot]).set_params(reinforcement=np.inf))
    plain, reinforced = (
        next(line for line in ax.lines if line.get_label() == name)
        for name in ("plain", "reinforced")
    )
    np.testing.assert_array_equal(plain.get_ydata(), reinforced.get_ydata())
    assert ax.collections[-1].get_array().min() == 1


@pytest.mark.parametrize("plot", PLOTS)
def test_a_model_that_is_not_given_has_the_settings_of_the_paper(pyplot, plot):
    default, given = plot(), plot(MODELS[plot])
    assert default.get_title() == given.get_title()


def test_pictures_go_where_they_are_told(pyplot):
    figure, axes = pyplot.subplots(2, 2)
    for plot, ax in zip(PLOTS, axes.flat, strict=True):
        assert plot(ax=ax, random_state=1) is ax
    assert pyplot.get_fignums() == [figure.number]
