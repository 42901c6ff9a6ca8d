"""The selector on labels of which some are wrong: the parts work together."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from errata.feature_selection import MutualInformationSelector, mutual_information
from errata.feature_selection.label_noise import tolerant_mutual_information
from errata.noise import flip_labels


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X, flip_labels(y, 0.2, exact=True, random_state=0)[0]


def tolerant(**parameters):
    return MutualInformationSelector(label_noise="tolerant", random_state=0, **parameters)


def test_the_path_ends_where_memberships_of_all_columns_put_it(wine):
    X, labels = wine
    selector = tolerant(n_features_to_select=11).fit(X, labels)
    assert selector.memberships_.shape == (178, 3)
    np.testing.assert_allclose(selector.error_rates_, [0.2, 0.18, 0.23], rtol=0, atol=0.02)
    assert (
        selector.scores_[13]
        > 0.5
        > 0
        > MutualInformationSelector(13, random_state=0).fit(X, labels).scores_[13]
    )


def test_known_memberships_reach_the_criterion(wine):
    X, labels = wine
    given = np.eye(3)[labels] * 0.7 + 0.1
    selector = tolerant(n_features_to_select=2, search="forward").fit(X, labels, memberships=given)
    np.testing.assert_allclose(selector.memberships_, given, rtol=1e-12)


def test_memberships_of_all_columns_can_be_kept_along_the_path(wine):
    X, labels = wine
    kept, again = (tolerant(noise_refit=refit).fit(X, labels) for refit in (False, True))
    np.testing.assert_array_equal(kept.memberships_, again.memberships_)
    given = tolerant().fit(X, labels, memberships=kept.memberships_)
    assert kept.scores_ == pytest.approx(given.scores_, rel=1e-9)
    assert kept.scores_ != pytest.approx(again.scores_, rel=1e-3)
    # As the first step has all columns, it is the same.
    np.testing.assert_array_equal(kept.path_[12], again.path_[12])
    assert kept.scores_[12] == again.scores_[12]


def test_mutual_information_takes_memberships(wine):
    X, labels = wine
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    given = np.eye(3)[labels] * 0.7 + 0.1
    found = mutual_information(Z, labels, memberships=given, base=2)
    assert found == pytest.approx(tolerant_mutual_information(Z, given) / np.log(2), rel=1e-12)
