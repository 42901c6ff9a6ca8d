import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

from errata.exceptions import SuspicionWarning
from errata.feature_selection import MutualInformationSelector, mutual_information
from errata.feature_selection.label_noise import (
    LabelNoiseMemberships,
    TolerantInformation,
    tolerant_mutual_information,
)
from errata.noise import flip_labels
from strategies import seeds

LINE = np.array([0.0, 1, 3, 7, 8, 10])[:, None]

SOFT = np.array([0.9, 0.8, 0.6, 0.3, 0.1, 0.2])

SOFT = np.column_stack([SOFT, 1 - SOFT])

PRINTED = {"self_count": True, "slack": 0.0}  # as in the paper

ignore_small_classes = pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")


def kth_logs(X, k):
    """Logarithm of twice the distance to the k-th other row."""
    squares = np.square(X[:, None] - X).sum(axis=2)
    return np.log(2) + 0.5 * np.log(np.sort(squares, axis=1)[:, k])


def entropy(X, k):
    """Kozachenko and Leonenko, but for the volume of the ball."""
    return digamma(len(X)) - digamma(k) + X.shape[1] * kth_logs(X, k).mean()


def by_labels(X, codes, k, of_class=entropy):
    groups = [X[codes == y] for y in np.unique(codes)]
    return entropy(X, k) - sum(len(g) / len(X) * of_class(g, min(k, len(g) - 1)) for g in groups)


@st.composite
def labelled(draw, least=2):
    random = np.random.RandomState(draw(seeds))
    sizes = draw(st.lists(st.integers(least, 9), min_size=2, max_size=4))
    codes = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return random.normal(size=(len(codes), draw(st.integers(1, 4)))) + codes[:, None], codes


@ignore_small_classes
@given(labelled(), st.integers(1, 3))
def test_hard_memberships_give_the_information_of_labels(data, k):
    X, codes = data
    found = tolerant_mutual_information(X, np.eye(codes.max() + 1)[codes], k)
    assert found == pytest.approx(by_labels(X, codes, k), abs=1e-12)


@ignore_small_classes
@given(labelled(least=3))
def test_as_printed_each_class_looks_at_one_neighbour_less(data):
    X, codes = data
    found = tolerant_mutual_information(X, np.eye(codes.max() + 1)[codes], 3, **PRINTED)
    expected = by_labels(X, codes, 3, of_class=lambda g, k: entropy(g, 2) - 1 / 2)
    assert found == pytest.approx(expected, abs=1e-12)


@ignore_small_classes
@pytest.mark.parametrize(
    ("how", "expected"),
    [({}, 0.112397082464), ({"slack": 0.0}, -0.206523284676), (PRINTED, 0.779143756038)],
)
def test_six_soft_rows(how, expected):
    # Worked out apart from this code.
    assert tolerant_mutual_information(LINE, SOFT, 2, **how) == pytest.approx(expected, abs=1e-9)


def test_ten_rows_one_of_them_wrong():
    # Worked out apart from this code, as is the first example of the memberships.
    x = np.array([0, 1, 2.1, 3.3, 4.6, 20, 21, 22.1, 23.3, 24.6])[:, None]
    clean, noisy = np.repeat([0, 1], 5), [0, 0, 1, 0, 0, 1, 1, 1, 1, 1]
    found = [tolerant_mutual_information(x, np.eye(2)[y], 2) for y in (clean, noisy)]
    np.testing.assert_allclose(found, [0.745634920635, 0.237473680215], rtol=0, atol=1e-9)


@ignore_small_classes
def test_a_class_of_one_row_is_left_out():
    codes = np.array([0, 0, 0, 1, 1, 1, 2])
    X = np.append(LINE, [[4.0]], axis=0)
    with pytest.warns(SuspicionWarning, match="1 row alone in a class"):
        found = tolerant_mutual_information(X, np.eye(3)[codes], 2)
    assert found == pytest.approx(by_labels(LINE, codes[:6], 2), abs=1e-12)


def test_classes_smaller_than_the_neighbourhood_are_told():
    with pytest.warns(SuspicionWarning, match="2 classes have no more than n_neighbors=3 rows"):
        tolerant_mutual_information(LINE, np.eye(2)[[0, 0, 0, 1, 1, 1]], 3)


@ignore_small_classes
def test_more_neighbours_than_rows_are_cut():
    with pytest.warns(SuspicionWarning, match="n_neighbors=8 asks for more neighbours"):
        found = tolerant_mutual_information(LINE, SOFT)
    assert found == tolerant_mutual_information(LINE, SOFT, 5)


def noisy_rows(n=60, p=4, seed=0):
    """Two columns that tell three classes, and others that do not."""
    random = np.random.RandomState(seed)
    classes = np.arange(n) % 3
    X = random.normal(size=(n, p))
    X[:, :2] += 3 * random.normal(size=(3, 2))[classes]
    return X, flip_labels(classes, 0.15, random_state=random)[0]


def memberships_on(X, codes):
    return LabelNoiseMemberships(standardize=False, jitter=0).fit(X, codes).memberships_


def test_a_backward_step_scores_all_candidates_by_memberships_of_the_subset():
    X, codes = noisy_rows()
    subset = [3, 0, 1]
    gamma = memberships_on(X[:, [0, 1, 3]], codes)
    found = TolerantInformation(X, codes).scores_without(subset)
    expected = [tolerant_mutual_information(X[:, s], gamma) for s in ([0, 1], [1, 3], [0, 3])]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_forward_steps_score_by_memberships_of_all_columns():
    X, codes = noisy_rows()
    gamma = memberships_on(X, codes)
    criterion = TolerantInformation(X, codes, refit=False)
    np.testing.assert_allclose(criterion.memberships, gamma, rtol=0, atol=1e-12)
    expected = [tolerant_mutual_information(X[:, s], gamma) for s in ([1, 0], [1, 2])]
    np.testing.assert_allclose(criterion.scores_with([1], [0, 2]), expected, rtol=0, atol=1e-9)
    without = criterion.scores_without([1, 2, 0])
    np.testing.assert_allclose(without[1:], expected, rtol=0, atol=1e-9)
    assert criterion.score([1, 0]) == pytest.approx(expected[0], abs=1e-9)
    first = tolerant_mutual_information(X[:, [2]], gamma)
    assert criterion.scores_with([], [2])[0] == pytest.approx(first, abs=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_subset_is_scored_by_its_own_memberships():
    X, codes = noisy_rows()
    own = tolerant_mutual_information(X[:, [0]], memberships_on(X[:, [0]], codes))
    assert TolerantInformation(X, codes).score([0]) == pytest.approx(own, abs=1e-9)


def test_no_column_tells_nothing():
    X, codes = noisy_rows()
    criterion = TolerantInformation(X, codes, refit=False)
    assert criterion.score([]) == 0
    np.testing.assert_array_equal(criterion.scores_without([2]), [0])


def test_known_memberships_are_used_as_they_are():
    X, codes = noisy_rows()
    gamma = 0.6 * np.eye(3)[codes] + 0.4 * np.random.RandomState(0).dirichlet(np.ones(3), size=60)
    criterion = TolerantInformation(X, codes, memberships=gamma)
    np.testing.assert_allclose(criterion.memberships, gamma, rtol=1e-12)
    expected = tolerant_mutual_information(X[:, :2], gamma)
    assert criterion.score([0, 1]) == pytest.approx(expected, abs=1e-9)
    wrong = gamma[codes != 1, 1].sum() / gamma[:, 1].sum()
    assert criterion.error_rates[1] == pytest.approx(wrong, rel=1e-12)


def test_parameters_of_the_noise_hold_for_the_information_too():
    X, codes = noisy_rows()
    noise = {"n_neighbors": 4, **PRINTED}
    gamma = LabelNoiseMemberships(standardize=False, jitter=0, **noise).fit(X, codes).memberships_
    found = TolerantInformation(X, codes, 6, noise).score(range(4))
    expected = tolerant_mutual_information(X, gamma, 6, **PRINTED)
    assert found == pytest.approx(expected, abs=1e-9)


def test_memberships_of_a_subset_are_estimated_once(monkeypatch):
    runs = []
    estimate = LabelNoiseMemberships._estimate

    def count(self, X, *args):
        runs.append(X.shape[1])
        return estimate(self, X, *args)

    monkeypatch.setattr(LabelNoiseMemberships, "_estimate", count)
    X, codes = noisy_rows()
    criterion = TolerantInformation(X, codes)
    criterion.score(range(4))
    criterion.scores_without([0, 1, 2, 3])
    criterion.scores_without([2, 1, 0])
    criterion.score([0, 1, 2])
    assert runs == [4, 3]


@ignore_small_classes
def test_a_row_alone_in_its_class_keeps_its_label():
    X, codes = noisy_rows()
    codes = np.append(codes, 3)
    X = np.append(X, [[9.0, 9, 9, 9]], axis=0)
    criterion = TolerantInformation(X, codes)
    np.testing.assert_array_equal(criterion.memberships[-1], [0, 0, 0, 1])
    gamma = memberships_on(X[:-1], codes[:-1])
    assert criterion.score(range(4)) == pytest.approx(
        tolerant_mutual_information(X[:-1], gamma), abs=1e-9
    )


def test_trouble_is_told_once_for_all_subsets():
    X, codes = noisy_rows()
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        criterion = TolerantInformation(X, codes, noise_params={"max_iter": 1})
    criterion.scores_without([0, 1])  # warnings are errors in this suite


def test_threads_make_no_difference():
    X, codes = noisy_rows()
    alone, shared = (TolerantInformation(X, codes, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(alone.scores_without(range(4)), shared.scores_without(range(4)))


@ignore_small_classes
def test_memberships_are_made_to_sum_to_one():
    printed = np.where(SOFT == 0.9, 0.8999999, SOFT)
    exact = printed / printed.sum(axis=1, keepdims=True)
    found, expected = (tolerant_mutual_information(LINE, m, 2) for m in (printed, exact))
    assert found == pytest.approx(expected, abs=1e-14)
    assert found != tolerant_mutual_information(LINE, SOFT, 2)


@pytest.mark.parametrize(
    ("memberships", "message"),
    [
        ([[0.5, 0.6], [1, 0]], r"^memberships\[0\] = \[0.5, 0.6\] are not probabilities"),
        ([[1, 0], [1.5, -0.5]], r"^memberships\[1\] = .* none may be negative"),
        ([[1, 0], [np.nan, 1]], r"^memberships\[1\] = \[nan, 1.0\]"),
        ([[1, 0]], r"a row for each of the 2 rows .* the shape is \(1, 2\)"),
        ([[1, 0, 0], [0, 1, 0]], r"a column for each class, 2; the shape is \(2, 3\)"),
        ([1, 0], r"the shape is \(2,\)"),
    ],
)
def test_what_is_no_membership_is_refused(memberships, message):
    with pytest.raises(ValueError, match=message):
        mutual_information([0.0, 1.0], [0, 1], memberships=memberships)


def test_what_rows_have_of_a_class_without_density_goes_to_their_other_classes():
    soft = np.array([[0.6, 0.2, 0.2], [0.8, 0.2, 0], [0.2, 0.8, 0], [0, 1, 0], [1, 0, 0]])
    without = np.array([[0.75, 0.25], [0.8, 0.2], [0.2, 0.8], [0, 1], [1, 0]])
    found, expected = (tolerant_mutual_information(LINE[:5], m, 1) for m in (soft, without))
    assert found == pytest.approx(expected, abs=1e-12)


def test_one_class_is_too_few():
    with pytest.raises(ValueError, match="fewer than two classes have two rows"):
        tolerant_mutual_information(LINE[:4], np.eye(2)[[0, 0, 0, 1]], 1)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_blocks_make_no_difference(monkeypatch, n_jobs):
    X, codes = noisy_rows()
    gamma = 0.6 * np.eye(3)[codes] + 0.4 * np.random.RandomState(0).dirichlet(np.ones(3), size=60)
    whole = TolerantInformation(X, codes, memberships=gamma).scores_without(range(4))
    monkeypatch.setattr("errata.feature_selection.label_noise.HELD", 50)
    cut = TolerantInformation(X, codes, memberships=gamma, n_jobs=n_jobs)
    np.testing.assert_array_equal(cut.scores_without(range(4)), whole)


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


def test_mutual_information_as_printed(wine):
    # Equations 18 and 19 by the letter: a row is its own first neighbour, and k members are asked.
    X, labels = wine
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    gamma = 0.6 * np.eye(3)[labels] + 0.4 * np.random.RandomState(0).dirichlet(np.ones(3), 178)
    distances = np.linalg.norm(Z[:, None] - Z, axis=2)
    order = np.argsort(distances, axis=1)
    total = gamma.sum(axis=0)
    n, d = Z.shape
    information = digamma(n) - digamma(8) + d * np.log(np.sort(distances, axis=1)[:, 8]).mean()
    for i, s in np.ndindex(n, 3):
        cumulated = np.cumsum(gamma[order[i], s])
        last = np.argmax(cumulated >= 8)
        radius = distances[i, order[i, last]]
        inside = digamma(cumulated[last]) - digamma(total[s]) - d * np.log(radius)
        information += gamma[i, s] * inside / n
    found = mutual_information(Z, labels, memberships=gamma, slack=0, self_count=True)
    assert found == pytest.approx(information, abs=1e-9)
    assert found != pytest.approx(mutual_information(Z, labels, memberships=gamma), abs=0.05)


def test_a_row_that_is_its_own_neighbour_needs_another_one():
    with pytest.raises(ValueError, match="n_neighbors=1 must be a whole number at least 2"):
        tolerant_mutual_information(LINE, SOFT, 1, self_count=True)
    with pytest.raises(ValueError, match="slack=2 must be a number between 0 and 1"):
        tolerant_mutual_information(LINE, SOFT, 2, slack=2)
