import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from errata.elm import ELMSVC, ELMFeatures, elm_kernel


def test_gram_matrix_and_features_are_one_model():  # C9
    X, y = make_moons(120, noise=0.25, random_state=0)
    X = scale(X)
    features = ELMFeatures(n_hidden=40, random_state=0).fit(X)
    by_gram = SVC(kernel="precomputed", tol=1e-10).fit(elm_kernel(X, features=features), y)
    by_features = SVC(kernel="linear", tol=1e-10).fit(features.transform(X), y)
    X_new = X + 0.05
    np.testing.assert_allclose(
        by_gram.decision_function(elm_kernel(X_new, X, features=features)),
        by_features.decision_function(features.transform(X_new)),
        rtol=0,
        atol=1e-8,
    )
    ours = ELMSVC(kernel="finite", n_hidden=40, tol=1e-10, random_state=0).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(X_new) * np.where(ours.classes_[1] == 1, 1, -1),
        by_features.decision_function(features.transform(X_new)),
        rtol=0,
        atol=1e-8,
    )


def test_three_named_classes():
    X, y = make_blobs(90, centers=3, random_state=0)
    names = np.array(["cat", "ant", "bee"])[y]
    for solver in ("gram", "linear"):
        model = ELMSVC(solver=solver, random_state=0).fit(scale(X), names)
        assert model.score(scale(X), names) > 0.9
        assert model.decision_function(scale(X)).shape == (90, 3)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="holds one class only"):
        ELMSVC().fit([[0.0], [1.0]], ["a", "a"])


def test_a_class_without_weight_is_refused():
    X, y = make_blobs(30, centers=3, random_state=0)
    with pytest.raises(ValueError, match="every row of the class 1 has a sample_weight of zero"):
        ELMSVC().fit(X, y, sample_weight=y != 1)
