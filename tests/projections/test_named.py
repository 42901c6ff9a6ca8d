import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from errata.datasets import make_ringnorm, make_twonorm
from errata.projections._named import PROJECTIONS, make_projection


@pytest.mark.parametrize("name", PROJECTIONS)
def test_each_serves_a_tree_alone_in_a_pipeline(name):
    # Directions of curvature see nothing where classes differ by their mean only, as in twonorm.
    make = make_ringnorm if name in ("save", "phd") else make_twonorm
    X, y = make(300, random_state=0)
    X = X[:, :4]
    projection = make_projection(name, 2, seed=0)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = make_pipeline(StandardScaler(), projection, tree).fit(X[:150], y[:150])
    assert model[:-1].transform(X).shape[1] <= 2
    assert model.score(X[150:], y[150:]) > 0.65


def test_a_transformer_is_cloned_and_given_size_and_seed():
    pca = PCA()
    made = make_projection(pca, 2, seed=5)
    assert made is not pca
    assert (made.n_components, made.random_state) == (2, 5)
    assert pca.n_components is None
    scaler = make_projection(StandardScaler(), 2, seed=5)  # knows neither
    assert isinstance(clone(scaler), StandardScaler)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("tsne", "projection='tsne' is not known; choose from lda, nda"),
        (3, "projection=3 is not a projection"),
    ],
)
def test_what_is_not_a_projection_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        make_projection(wrong, None, seed=0)


@pytest.mark.parametrize("name", PROJECTIONS)
def test_a_seed_repeats(name):
    X, y = make_twonorm(60, random_state=0)
    first, second = (make_projection(name, None, seed=3).fit(X, y).transform(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)
