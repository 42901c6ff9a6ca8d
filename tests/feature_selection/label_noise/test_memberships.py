import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ortho_group
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score

from errata.exceptions import SuspicionWarning
from errata.feature_selection import LabelNoiseMemberships
from errata.feature_selection.label_noise import tolerant_mutual_information
from errata.noise import flip_labels
from strategies import seeds

AS_IT_IS = {"standardize": False, "jitter": 0}
LINE = np.array([0, 1, 2.1, 3.3, 4.6, 20, 21, 22.1, 23.3, 24.6])[:, None]
ONE_WRONG = np.array([0, 0, 1, 0, 0, 1, 1, 1, 1, 1])


def test_two_groups_with_one_wrong_label():
    # Worked out apart from this code, step by step.
    model = LabelNoiseMemberships(2, **AS_IT_IS).fit(LINE, ONE_WRONG)
    assert model.converged_
    assert model.n_iter_ == len(model.log_likelihood_) == 7
    np.testing.assert_allclose(
        model.log_likelihood_[:3], [-3.071296, -2.892892, -2.598131], rtol=0, atol=1e-5
    )
    assert model.memberships_[2, 0] == pytest.approx(0.748491, abs=1e-5)
    np.testing.assert_allclose(model.error_rates_, [0.168479, 0], rtol=0, atol=1e-5)
    assert tolerant_mutual_information(LINE, model.memberships_, 2) == pytest.approx(
        0.572493, abs=1e-5
    )
    np.testing.assert_array_equal(np.flatnonzero(model.flagged_), [2])
    np.testing.assert_array_equal(model.suggested_, np.repeat([0, 1], 5))


def test_the_first_round():
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = LabelNoiseMemberships(2, max_iter=1, **AS_IT_IS).fit(LINE, ONE_WRONG)
    assert not model.converged_
    assert model.memberships_[2, 0] == pytest.approx(0.381050, abs=1e-5)
    np.testing.assert_allclose(model.error_rates_, [0.178973, 0.166731], rtol=0, atol=1e-5)
    assert model.class_prior_[0] == pytest.approx(0.356519, abs=1e-5)


def test_a_class_that_is_too_small_is_told_and_kept():
    x = np.array([0.0, 1, 3, 7, 8, 10])[:, None]
    with pytest.warns(SuspicionWarning, match="n_neighbors=2 rows have the label 0"):
        model = LabelNoiseMemberships(2, **AS_IT_IS).fit(x, [0, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(model.memberships_.sum(axis=0), [2, 4])
    assert model.n_iter_ == 0
    assert not model.flagged_.any()


@pytest.mark.parametrize(
    ("load", "rates", "least_auc", "least_information", "most_of_labels"),
    [(load_iris, (0.13, 0.23), 0.97, 0.6, 0.1), (load_wine, (0.17, 0.24), 0.99, 0.8, 0.0)],
)
def test_a_fifth_of_wrong_labels_is_found(
    load, rates, least_auc, least_information, most_of_labels
):
    X, y = load(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    found = []
    for seed in range(8):
        Z = X + np.random.RandomState(seed).normal(scale=1e-3, size=X.shape)
        labels, wrong = flip_labels(y, 0.2, exact=True, random_state=seed)
        model = LabelNoiseMemberships(**AS_IT_IS).fit(Z, labels)
        informations = [
            tolerant_mutual_information(Z, g) for g in (np.eye(3)[labels], model.memberships_)
        ]
        auc = roc_auc_score(wrong, model.suspicion_)
        found.append([model.error_rates_.mean(), auc, *informations])
    rate, auc, of_labels, tolerant = np.mean(found, axis=0)
    assert rates[0] < rate < rates[1]
    assert auc > least_auc
    assert of_labels < most_of_labels
    assert tolerant > least_information


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_labels_without_errors_are_believed(load):
    X, y = load(return_X_y=True)
    model = LabelNoiseMemberships(random_state=0).fit(X, y)
    assert model.error_rates_.mean() < 0.01
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    by_labels = tolerant_mutual_information(Z, np.eye(3)[y])
    assert by_labels == pytest.approx(0.9937 if load is load_iris else 0.9427, abs=1e-4)
    assert tolerant_mutual_information(Z, model.memberships_) == pytest.approx(by_labels, abs=0.01)


def test_one_wrong_label_among_forty():
    # Frénay et al. (2014), sections 3.2 and 4.5: N(-1.5, 1) against N(1.5, 1), one label flipped.
    y = np.repeat([0, 1], 20)
    labels = np.where(np.arange(40) == 0, 1, y)
    found = []
    for seed in range(200):
        x = (np.random.default_rng(seed).normal(size=40) + 3 * y - 1.5)[:, None]
        model = LabelNoiseMemberships(**AS_IT_IS).fit(x, labels)
        memberships = (np.eye(2)[y], np.eye(2)[labels], model.memberships_)
        informations = [tolerant_mutual_information(x, g) for g in memberships]
        found.append([*informations, *model.error_rates_])
    clean, noisy, tolerant, of_first, of_second = np.mean(found, axis=0)
    assert clean == pytest.approx(0.571, abs=0.02)
    assert noisy == pytest.approx(0.518, abs=0.02)
    assert 0.01 < tolerant - noisy < 0.04
    assert of_first == pytest.approx(0.026, abs=0.01)
    assert of_second == pytest.approx(0.008, abs=0.01)


def clouds(seed, n=45, d=2, k=3):
    random = np.random.RandomState(seed)
    classes = np.arange(n) % k
    X = random.normal(size=(n, d)) + 3 * random.normal(size=(k, d))[classes]
    return X, flip_labels(classes, 0.2, random_state=random)[0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(seeds, st.booleans())
@settings(max_examples=25)
def test_memberships_and_rates_are_probabilities(seed, self_count):
    X, labels = clouds(seed)
    model = LabelNoiseMemberships(self_count=self_count, **AS_IT_IS).fit(X, labels)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1, rtol=0, atol=1e-9)
    assert model.memberships_.min() >= 0
    assert model.error_rates_.min() >= 0
    assert model.error_rates_.max() <= 2 / 3
    assert model.class_prior_.sum() == pytest.approx(1, abs=1e-12)
    own = model.memberships_[np.arange(len(labels)), labels]
    np.testing.assert_array_equal(model.label_confidence_, own)
    np.testing.assert_allclose(model.suspicion_, 1 - own, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(seeds)
@settings(max_examples=25)
def test_moving_turning_and_scaling_all_rows_changes_no_membership(seed):
    X, labels = clouds(seed)
    turned = 3 * X @ ortho_group.rvs(2, random_state=seed) + 5
    before = LabelNoiseMemberships(**AS_IT_IS).fit(X, labels)
    after = LabelNoiseMemberships(**AS_IT_IS).fit(turned, labels)
    np.testing.assert_allclose(after.memberships_, before.memberships_, rtol=0, atol=1e-7)
    # Densities of two features shrink by the square of the scale.
    np.testing.assert_allclose(
        after.log_likelihood_, np.array(before.log_likelihood_) - 2 * np.log(3), rtol=0, atol=1e-8
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@given(seeds)
@settings(max_examples=25)
def test_order_of_rows_and_names_of_classes_do_not_matter(seed):
    X, labels = clouds(seed)
    order = np.random.RandomState(seed).permutation(len(labels))
    names = np.array(["c", "a", "b"])
    before = LabelNoiseMemberships(**AS_IT_IS).fit(X, labels)
    after = LabelNoiseMemberships(**AS_IT_IS).fit(X[order], names[labels][order])
    np.testing.assert_allclose(
        after.memberships_[:, [2, 0, 1]], before.memberships_[order], rtol=0, atol=1e-7
    )


def test_copies_need_jitter():
    X, labels = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match="20 or more rows have as many equals"):
        LabelNoiseMemberships(jitter=0).fit(X, labels)
    assert np.isfinite(LabelNoiseMemberships(random_state=0).fit(X, labels).suspicion_).all()


def test_scales_do_not_matter_once_features_are_standardised():
    X, labels = clouds(0)
    small = LabelNoiseMemberships(jitter=0).fit(X * [1, 1e-3] + [0, 7], labels)
    np.testing.assert_allclose(
        small.memberships_, LabelNoiseMemberships(jitter=0).fit(X, labels).memberships_, atol=1e-7
    )


def test_the_sum_of_suspicions_may_draw_the_line():
    X, labels = clouds(1, n=120)
    model = LabelNoiseMemberships(contamination="estimate", random_state=0).fit(X, labels)
    assert model.flagged_.sum() == round(model.suspicion_.sum())


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("n_neighbors", 0, "n_neighbors=0 must be a whole number at least 1"),
        ("slack", 1.5, "slack=1.5 must be a number between 0 and 1"),
        ("init_error", -0.1, "init_error=-0.1 must be a number between 0 and 1"),
        ("n_init", 0, "n_init=0"),
        ("max_iter", 0, "max_iter=0"),
        ("tol", -1, "tol=-1"),
        ("jitter", -1, "jitter=-1"),
    ],
)
def test_parameters_are_checked(parameter, value, message):
    with pytest.raises(ValueError, match=message):
        LabelNoiseMemberships(**{parameter: value}).fit(LINE, ONE_WRONG)


def test_a_row_that_counts_itself_needs_another():
    with pytest.raises(ValueError, match="n_neighbors=1 must be a whole number at least 2"):
        LabelNoiseMemberships(1, self_count=True).fit(LINE, ONE_WRONG)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        LabelNoiseMemberships().fit(LINE, np.zeros(10, dtype=int))
