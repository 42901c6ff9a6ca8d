"""What all projections promise as transformers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from errata import projections
from errata.datasets import make_ringnorm, make_twonorm, make_xor
from errata.projections import (
    HiddenLayerProjection,
    KernelDiscriminantProjection,
    PrincipalHessianDirections,
    SlicedAverageVariance,
)

EVERY = [getattr(projections, name)() for name in projections.__all__]

every_projection = pytest.mark.parametrize("projection", EVERY, ids=lambda p: type(p).__name__)

X, Y = load_iris(return_X_y=True)


@every_projection
def test_columns_have_names_and_come_as_a_dataframe_when_asked_for(projection):
    pandas = pytest.importorskip("pandas")
    model = clone(projection).set_output(transform="pandas").fit(X, Y)
    frame = model.transform(X)
    assert isinstance(frame, pandas.DataFrame)
    stem = type(projection).__name__.lower()
    assert frame.columns.tolist() == [f"{stem}{i}" for i in range(frame.shape[1])]
    assert frame.columns.tolist() == model.get_feature_names_out().tolist()


@every_projection
def test_missing_values_are_refused_as_the_tags_say(projection):
    broken = X.copy()
    broken[3, 1] = np.nan
    assert not get_tags(projection).input_tags.allow_nan
    with pytest.raises(ValueError, match=f"contains NaN, but {type(projection).__name__} does not"):
        clone(projection).fit(broken, Y)
    with pytest.raises(ValueError, match="contains NaN"):
        clone(projection).fit(X, Y).transform(broken)


@every_projection
def test_one_label_is_too_few(projection):
    with pytest.raises(ValueError, match="one class only"):
        clone(projection).fit(X, np.zeros(len(X)))


@every_projection
def test_each_serves_a_tree_alone_in_a_pipeline(projection):
    # Directions of curvature see nothing where classes differ by their mean only, as in twonorm.
    curved = isinstance(projection, (SlicedAverageVariance, PrincipalHessianDirections))
    X, y = (make_ringnorm if curved else make_twonorm)(300, random_state=0)
    X = X[:, :4]
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    projection = seeded(projection).set_params(n_components=2)
    model = make_pipeline(StandardScaler(), projection, tree).fit(X[:150], y[:150])
    assert model[:-1].transform(X).shape[1] <= 2
    assert model.score(X[150:], y[150:]) > 0.65


def seeded(projection):
    seed = {"random_state": 0} if "random_state" in projection.get_params() else {}
    return clone(projection).set_params(**seed)


@every_projection
def test_a_seed_repeats(projection):
    X, y = make_twonorm(60, random_state=0)
    first, second = (seeded(projection).fit(X, y).transform(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def textbook(X, y, gamma, alpha):
    """Kernel Fisher discriminants of two classes by the n x n kernel matrix."""
    K = rbf_kernel(X, gamma=gamma)
    n = len(y)
    between, within = np.zeros((2, n, n))
    for c in (0, 1):
        K_c = K[:, y == c]
        fraction = K_c.shape[1] / n
        mean = K_c.mean(axis=1)
        between += fraction * np.outer(mean - K.mean(axis=1), mean - K.mean(axis=1))
        centred = K_c - mean[:, None]
        within += centred @ centred.T / n
    _, vectors = eigh(between, within + alpha * K + 1e-12 * np.eye(n))
    projected = (K - K.mean(axis=1)) @ vectors[:, -1]
    return projected - projected.mean()


def test_with_every_row_a_landmark_it_is_the_textbook_method():
    X, y = make_xor(40, random_state=0)
    model = KernelDiscriminantProjection(gamma=0.5, n_landmarks=40, alpha=1e-2, random_state=0)
    ours = model.fit_transform(X, y)[:, 0]
    expected = textbook(X, y, 0.5, 1e-2)
    assert abs(np.corrcoef(ours, expected)[0, 1]) == pytest.approx(1, abs=1e-6)


def test_one_direction_fewer_than_classes_and_no_more_landmarks_than_asked():
    X = np.random.RandomState(0).normal(size=(60, 3))
    model = KernelDiscriminantProjection(5, n_landmarks=10, random_state=0)
    assert model.fit_transform(X, np.arange(60) % 4).shape == (60, 3)
    assert model.components_.shape == (3, 10)


def test_gamma_follows_from_the_median_distance():
    model = KernelDiscriminantProjection().fit([[0.0], [1.0], [4.0]], [0, 1, 1])
    assert model.gamma_ == 1 / (2 * 3**2)
    assert KernelDiscriminantProjection().fit(np.ones((3, 1)), [0, 1, 1]).gamma_ == 1 / 2


def test_many_rows_are_projected_as_the_few_they_repeat():
    X, y = make_xor(40, random_state=0)
    few = KernelDiscriminantProjection(gamma=0.5, n_landmarks=40, random_state=0).fit(X, y)
    Z = few.transform(np.tile(X, (2, 1)))
    assert_allclose(Z[:40], Z[40:], atol=1e-9)


@pytest.mark.parametrize("parameter", ["gamma", "alpha", "n_landmarks"])
def test_negative_parameters_are_refused(parameter):
    with pytest.raises(ValueError, match=f"{parameter}=-1 must be"):
        KernelDiscriminantProjection(**{parameter: -1}).fit([[0.0], [1.0]], [0, 1])


def test_gamma_zero_is_refused():
    with pytest.raises(ValueError, match="gamma=0 must be a finite number above 0"):
        KernelDiscriminantProjection(gamma=0).fit([[0.0], [1.0]], [0, 1])


def test_the_last_layer_on_top_of_it_is_the_network():
    X, y = load_iris(return_X_y=True)
    X = scale(X)
    model = HiddenLayerProjection(n_components=3, random_state=0).fit(X, y)
    network = model.network_
    scores = model.transform(X) @ network.coefs_[1] + network.intercepts_[1]
    np.testing.assert_array_equal(scores.argmax(axis=1), network.predict(X))
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert_allclose(p / p.sum(axis=1, keepdims=True), network.predict_proba(X), atol=1e-9)


def test_as_many_units_as_features_and_a_seed_repeats():
    X, y = load_iris(return_X_y=True)
    Z = HiddenLayerProjection(random_state=1, max_iter=5).fit_transform(X, y)
    assert Z.shape == X.shape
    assert Z.min() >= 0
    assert Z.max() <= 1
    again = HiddenLayerProjection(random_state=1, max_iter=5).fit_transform(X, y)
    np.testing.assert_array_equal(Z, again)


def test_units_are_counted():
    with pytest.raises(ValueError, match="n_components=0 must be a whole number"):
        HiddenLayerProjection(0).fit([[0.0], [1.0]], [0, 1])
