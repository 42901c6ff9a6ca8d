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
from errata.feature_selection.label_noise import (
    estimate_error_rates,
    search_memberships,
    tolerant_mutual_information,
)
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


CODES = np.repeat([0, 1], 5)

HOW = {"least_members": 2, "max_iter": 10, "tol": 1e-3}


def script(*rounds):
    """Log-densities (of the two classes at every row) for one round after the other."""
    rest = iter(rounds)
    return lambda memberships: np.tile(next(rest), (len(memberships), 1))


def test_the_first_memberships_come_from_error_rates_and_label_frequencies():
    codes, seen = np.repeat([0, 1], [6, 2]), []

    def watch(memberships):
        seen.append(memberships)
        return np.zeros((8, 2))

    search_memberships(watch, codes, np.array([0.3, 0.3]), **HOW)
    # P(class 0 | label 0) = 0.7 * 0.75 / (0.7 * 0.75 + 0.3 * 0.25)
    np.testing.assert_allclose(seen[0][0], [0.875, 0.125], rtol=1e-12)
    np.testing.assert_allclose(seen[0][-1], [0.5625, 0.4375], rtol=1e-12)


def test_the_best_round_is_kept_and_not_the_last():
    best, history, converged, _ = search_memberships(
        script([-3, -3.0], [-1, -1.2], [-2, -2.0]), CODES, np.array([0.2, 0.2]), **HOW
    )
    assert converged
    assert len(history) == 3
    assert max(history) == history[1]
    # As if the search had ended there.
    second = search_memberships(
        script([-3, -3.0], [-1, -1.2]), CODES, np.array([0.2, 0.2]), **{**HOW, "max_iter": 2}
    )
    np.testing.assert_array_equal(best, second[0])


def test_a_fall_of_the_likelihood_ends_the_search_and_a_rise_does_not():
    rising = [[level, level] for level in (-5.0, -4.0, -3.0, -2.9999)]
    _, history, converged, _ = search_memberships(
        script(*rising), CODES, np.array([0.2, 0.2]), **HOW
    )
    assert converged
    assert len(history) == 4


def test_rounds_are_limited():
    _, history, converged, collapsed = search_memberships(
        script([-5, -5.0], [-4, -4.0]), CODES, np.array([0.2, 0.2]), **{**HOW, "max_iter": 2}
    )
    assert not converged
    assert not collapsed
    assert len(history) == 2


def test_a_round_that_empties_a_class_is_thrown_away():
    best, history, converged, collapsed = search_memberships(
        script([-3, -3.0], [-1, -9.0]), CODES, np.array([0.2, 0.2]), **HOW
    )
    assert collapsed
    assert not converged
    assert len(history) == 1
    assert best.sum(axis=0).min() >= 2


def test_labels_are_believed_when_the_first_round_empties_a_class():
    best, _, _, collapsed = search_memberships(
        script([-1, -9.0]), CODES, np.array([0.2, 0.2]), **HOW
    )
    assert collapsed
    np.testing.assert_array_equal(best, np.eye(2)[CODES])


def test_rows_at_which_no_class_has_a_density_keep_their_label():
    seen = []

    def densities(memberships):
        seen.append(memberships)
        found = np.zeros((10, 2))
        found[3] = -np.inf
        return found

    search_memberships(densities, CODES, np.array([0.2, 0.2]), **{**HOW, "max_iter": 2})
    np.testing.assert_array_equal(seen[1][3], [1, 0])


def test_error_rates_are_the_fraction_of_a_class_with_another_label():
    memberships = np.array([[1, 0, 0], [0.9, 0.1, 0], [0.1, 0.3, 0.6], [0, 0, 1]])
    codes = np.array([0, 0, 1, 2])
    np.testing.assert_allclose(
        estimate_error_rates(memberships, codes), [0.05, 0.25, 0.375], rtol=1e-12
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_error_rates_do_not_exceed_chance(n_classes):
    codes = np.arange(6) % n_classes
    rates = estimate_error_rates(np.eye(n_classes)[(codes + 1) % n_classes], codes)
    np.testing.assert_allclose(rates, 1 - 1 / n_classes, rtol=1e-12)


def test_a_class_that_nobody_is_in_errs_never():
    np.testing.assert_array_equal(
        estimate_error_rates(np.eye(3)[[0, 1, 1]], np.array([0, 1, 1])), 0
    )


def blobs(sizes, seed=0):
    random = np.random.RandomState(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return random.normal(size=(len(codes), 2)) + 6 * codes[:, None], codes


def test_small_classes_keep_their_labels_and_take_no_others():
    X, codes = blobs([20, 3, 20])
    X[1] = X[21]  # among the rows of the small class, by its label of the first
    X += np.random.RandomState(1).normal(scale=1e-3, size=X.shape)
    with pytest.warns(SuspicionWarning, match="no more than n_neighbors=3 rows have the label 'b'"):
        model = LabelNoiseMemberships(**AS_IT_IS).fit(X, np.array(["a", "b", "c"])[codes])
    np.testing.assert_array_equal(model.memberships_[:, 1], codes == 1)
    assert model.error_rates_[1] == 0
    np.testing.assert_allclose(model.class_prior_.sum(), 1, rtol=1e-12)
    assert model.class_prior_[1] == pytest.approx(3 / 43, rel=1e-12)


@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
def test_the_others_are_learnt_as_if_the_small_class_was_not_there():
    X, codes = blobs([20, 3, 20])
    codes[2] = 2
    found = LabelNoiseMemberships(**AS_IT_IS).fit(X, codes)
    rest = codes != 1
    alone = LabelNoiseMemberships(**AS_IT_IS).fit(X[rest], codes[rest])
    np.testing.assert_allclose(found.memberships_[rest][:, [0, 2]], alone.memberships_, rtol=1e-12)
    assert found.log_likelihood_ == alone.log_likelihood_


def test_labels_are_believed_when_fewer_than_two_classes_can_be_learnt():
    X, codes = blobs([20, 2])
    with pytest.warns(SuspicionWarning, match="too few to tell") as told:
        model = LabelNoiseMemberships(**AS_IT_IS).fit(X, codes)
    assert len(told) == 1
    np.testing.assert_array_equal(model.memberships_, np.eye(2)[codes])
    assert model.log_likelihood_ == []
    assert model.converged_


def test_starts_are_drawn_and_the_likeliest_is_kept(monkeypatch):
    starts, priors = [], []

    def scripted(densities, codes, error_rates, *, prior, **how):
        starts.append(error_rates)
        priors.append(prior)
        return np.eye(2)[codes], [[0.0, 5.0, 3.0][len(starts) - 1]], True, False

    monkeypatch.setattr("errata.feature_selection.label_noise.search_memberships", scripted)
    model = LabelNoiseMemberships(init_error=0.9, n_init=3, random_state=0).fit(*blobs([10, 10]))
    assert model.log_likelihood_ == [5]
    np.testing.assert_allclose(starts[0], 0.45, rtol=1e-12)  # cut: at 0.5 labels say nothing
    assert 0 < min(map(min, starts[1:])) < max(map(max, starts[1:])) < 0.45
    assert starts[1][0] != starts[1][1] != starts[2][0]
    np.testing.assert_allclose(np.sum(priors, axis=1), 1, rtol=1e-12)
    assert priors[0].tolist() == [0.5, 0.5]  # of the labels
    assert len({round(prior[0], 6) for prior in priors}) == 3


def test_a_search_starts_from_the_prior_it_is_given():
    seen = []

    def densities(gamma):
        seen.append(gamma)
        return np.zeros_like(gamma)

    prior = np.array([0.9, 0.1])
    search_memberships(densities, CODES, np.array([0.2, 0.2]), prior=prior, **HOW)
    row = int(np.flatnonzero(CODES == 1)[0])
    # Bayes: 0.9 x 0.2 against 0.1 x 0.8.
    np.testing.assert_allclose(seen[0][row], [0.18 / 0.26, 0.08 / 0.26], rtol=1e-12)


def test_no_class_is_left_with_fewer_rows_than_measure_its_density():
    # Nothing tells the classes apart: the larger one swallows the other round by round.
    random = np.random.RandomState(3)
    X, codes = random.normal(size=(60, 2)), np.repeat([0, 1], [52, 8])
    with pytest.warns(ConvergenceWarning, match="a class was losing nearly all of its rows"):
        model = LabelNoiseMemberships(tol=0.0, max_iter=200, **AS_IT_IS).fit(X, codes)
    assert not model.converged_
    assert model.memberships_.sum(axis=0).min() >= 3
