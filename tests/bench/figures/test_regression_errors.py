import numpy as np
import pytest

from errata.bench.figures import plot_regression_errors
from errata.feature_selection.information import regression_error


@pytest.fixture(autouse=True)
def _matplotlib():
    pytest.importorskip("matplotlib", reason="the report extra is not installed")


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
