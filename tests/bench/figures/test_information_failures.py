import numpy as np
import pytest

from errata.bench.figures import plot_information_failures
from errata.feature_selection.information import failure_statistics, sample_discrete_features


@pytest.fixture(autouse=True)
def _matplotlib():
    pytest.importorskip("matplotlib", reason="the report extra is not installed")


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
