import numpy as np
import pytest
from sklearn.base import clone

from errata.bench.figures import (
    plot_mislabelled_extreme,
    plot_outlying_cloud,
    plot_outlying_line,
    plot_outlying_sine,
)
from errata.tolerant import (
    ReinforcedKernelRidge,
    ReinforcedLinearRegression,
    ReinforcedLogisticRegression,
    ReinforcedPCA,
)

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
