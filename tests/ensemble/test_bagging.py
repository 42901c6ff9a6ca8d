import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix
from scipy.stats import chisquare, ks_2samp
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs, make_moons
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, scale
from sklearn.tree import DecisionTreeClassifier

from ensemble.limited_random import LimitedRandom
from errata.datasets import make_twonorm
from errata.ensemble import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    HardnessBaggingClassifier,
    LogitBoostClassifier,
    RobustBoostClassifier,
    selection_probabilities,
)
from errata.ensemble import _bagging as local
from errata.ensemble._bagging import (
    REDRAWS,
    _draw_bags,
    _draw_orders,
    draw_bags,
    draw_by_weight,
    draw_uniformly,
    is_one_class,
    measure_hardness,
    vote_fractions,
)
from errata.hardness import InstanceHardness, NeighborDisagreement, k_disagreeing_neighbors
from errata.noise import flip_labels
from strategies import seeds

hardnesses = hnp.arrays(float, st.integers(1, 40), elements=st.floats(0, 1, width=16))


def alike(X, y):
    return np.zeros(len(y))


def test_probabilities_of_the_worked_example():
    # kDN of six points on a line, k = 2; linear: (1/6 + 1/2) / 3 and (1/6) / 3.
    h = [0.5, 0.5, 1, 0.5, 0.5, 1]
    linear = selection_probabilities(h)
    np.testing.assert_allclose(linear[[0, 2]], [2 / 9, 1 / 18], rtol=0, atol=1e-15)
    softmax = selection_probabilities(h, "softmax")
    np.testing.assert_allclose(softmax[[0, 2]], [0.191826, 0.116348], rtol=0, atol=1e-6)


@given(hardnesses, st.sampled_from(["linear", "softmax"]))
def test_probabilities_sum_to_one_and_fall_with_hardness(h, kind):
    p = selection_probabilities(h, kind)
    assert p.sum() == pytest.approx(1, abs=1e-12)
    assert p.min() > 0
    order = np.argsort(h)
    assert np.all(np.diff(p[order]) <= 1e-15)
    widest = np.e if kind == "softmax" else len(h) + 1
    assert p.max() / p.min() <= widest * (1 + 1e-9)


@given(st.integers(1, 50), st.floats(0, 1), st.sampled_from(["linear", "softmax"]))
def test_constant_hardness_draws_uniformly(n, h, kind):
    np.testing.assert_allclose(
        selection_probabilities(np.full(n, h), kind), 1 / n, rtol=0, atol=1e-15
    )


@given(hardnesses)
def test_a_lower_temperature_sharpens_the_softmax(h):
    warm, cold = (selection_probabilities(h, "softmax", temperature=t) for t in (1, 0.2))
    assert cold.max() >= warm.max() - 1e-12


def test_rows_are_drawn_with_their_probabilities():
    p = np.array([0.5, 0.2, 0.2, 0.1])
    bags = _draw_bags(p, np.arange(4) % 2, 500, 100, np.random.RandomState(0))
    counts = np.bincount(bags.ravel(), minlength=4)
    assert chisquare(counts, 50_000 * p).pvalue > 0.001


def test_a_bag_of_one_class_is_drawn_again():
    p = np.array([0.98, 0.02])
    bags = _draw_bags(p, np.array([0, 1]), 50, 3, np.random.RandomState(0))
    assert all(len(set(bag)) == 2 for bag in bags)


@pytest.mark.parametrize("rare", [1e-5, 1e-15])
def test_a_class_that_is_hardly_ever_drawn_is_in_every_bag_all_the_same(rare):
    X, y = np.arange(20.0)[:, None], np.r_[np.zeros(19, int), 1]
    random = LimitedRandom(0, 300)  # a hundred for all bags, two for each of them, some for members
    model = HardnessBaggingClassifier(n_estimators=30, hardness=alike, random_state=random)
    model.fit(X, y, sample_weight=np.r_[np.ones(19), rare])
    assert all(set(y[bag]) == {0, 1} for bag in model.estimators_samples_)


def test_weights_that_leave_one_class_are_not_drawn_again_in_vain():
    X, y = np.arange(20.0)[:, None], np.r_[np.zeros(19, int), 1]
    random = LimitedRandom(0, 6)  # the bags at once, and the seeds of each of the five
    model = HardnessBaggingClassifier(GaussianNB(), 5, hardness=alike, random_state=random)
    model.fit(X, y, sample_weight=y == 0)
    assert set(model.predict(X)) == {0}


@pytest.mark.parametrize("estimator", [None, GaussianNB()], ids=["perceptrons", "naive Bayes"])
def test_bags_that_keep_holding_one_class_become_constants(estimator):
    X, y = np.arange(20.0)[:, None], np.r_[np.zeros(19, int), 1]
    weight = np.r_[np.ones(19), 0]  # the second class is never drawn
    model = HardnessBaggingClassifier(
        estimator, 5, hardness=alike, random_state=0
    ).fit(X, y, sample_weight=weight)  # fmt: skip
    assert set(model.predict(X)) == {0}
    assert [member.predict(X[:1]).tolist() for member in model.estimators_] == [[0]] * 5


@pytest.mark.parametrize("estimator", [None, DecisionTreeClassifier(max_depth=3)])
def test_classes_missing_from_a_bag_are_never_voted_for_by_it(estimator):
    X, y = make_blobs(60, centers=4, random_state=0)
    rare = np.flatnonzero(y == 3)
    keep = np.r_[np.flatnonzero(y != 3), rare[:1]]
    model = HardnessBaggingClassifier(estimator, 30, hardness=alike, random_state=0)
    model.fit(X[keep], y[keep])
    for member, bag in zip(model.estimators_, model.estimators_samples_, strict=True):
        assert set(member.predict(X)) <= set(y[keep][bag])
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, rtol=0, atol=1e-12)


def test_members_are_perceptrons_that_agree_with_the_vote():
    X, y = load_iris(return_X_y=True)
    model = HardnessBaggingClassifier(n_estimators=15, random_state=0).fit(X, y)
    assert all(isinstance(member, Perceptron) for member in model.estimators_)
    votes = np.array([member.predict(X) for member in model])
    shares = np.stack([(votes == c).mean(axis=0) for c in range(3)], axis=1)
    np.testing.assert_allclose(model.predict_proba(X), shares, rtol=0, atol=1e-12)


def test_members_of_a_two_class_pool_agree_with_the_vote():
    X, y = load_breast_cancer(return_X_y=True)
    model = HardnessBaggingClassifier(n_estimators=9, random_state=0).fit(X, y)
    share = np.mean([member.predict(X) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], share, rtol=0, atol=1e-12)


def test_constant_hardness_is_bagging():
    # Accuracies over 30 seeds come from one distribution (two-sample Kolmogorov-Smirnov).
    X, y = load_iris(return_X_y=True)
    train = np.arange(150) % 2 == 0
    perceptron = Perceptron(max_iter=5, tol=None)

    def accuracies(make):
        return [
            make(seed).fit(X[train], y[train]).score(X[~train], y[~train]) for seed in range(30)
        ]

    ours = accuracies(
        lambda seed: HardnessBaggingClassifier(perceptron, 10, hardness=alike, random_state=seed)
    )
    theirs = accuracies(lambda seed: BaggingClassifier(perceptron, 10, random_state=seed))
    assert ks_2samp(ours, theirs).pvalue > 0.01


def test_linear_hardness_beats_bagging_under_heavy_noise():
    # Published for this set: 95.7 against 92.7 at 20 % noise, 81.6 against 75.8 at 40 %.
    X, y = load_breast_cancer(return_X_y=True)

    def accuracy(hardness, seed):
        order = np.random.RandomState(seed).permutation(len(y))
        train, test = order[:400], order[400:]
        noisy, _ = flip_labels(y[train], 0.35, random_state=seed)
        bagging = HardnessBaggingClassifier(hardness=hardness, random_state=seed)
        return make_pipeline(MinMaxScaler(), bagging).fit(X[train], noisy).score(X[test], y[test])

    gains = [accuracy("kdn", seed) - accuracy(alike, seed) for seed in range(10)]
    assert np.mean(gains) > 0.02


def test_suspicion_is_the_hardness_and_comes_from_any_measure():
    X, y = load_iris(return_X_y=True)
    kdn = NeighborDisagreement(n_neighbors=7).fit(X, y)
    model = HardnessBaggingClassifier(n_neighbors=7, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.suspicion_, kdn.suspicion_)
    np.testing.assert_array_equal(model.suggested_, kdn.suggested_)
    other = HardnessBaggingClassifier(hardness=NeighborDisagreement(n_neighbors=7), random_state=0)
    np.testing.assert_array_equal(other.fit(X, y).hardness_, kdn.suspicion_)


def test_weights_multiply_the_probabilities():
    X, y = load_iris(return_X_y=True)
    weight = np.r_[np.zeros(10), np.ones(140)]
    model = HardnessBaggingClassifier(random_state=0).fit(X, y, sample_weight=weight)
    assert not model.sample_probabilities_[:10].any()
    assert min(bag.min() for bag in model.estimators_samples_) >= 10
    np.testing.assert_allclose(model.sample_probabilities_.sum(), 1, rtol=0, atol=1e-12)


def test_out_of_bag_votes_come_from_members_that_did_not_see_the_row():
    X, y = load_iris(return_X_y=True)
    model = HardnessBaggingClassifier(n_estimators=10, oob_score=True, random_state=0).fit(X, y)
    row = 7
    out = [i for i, bag in enumerate(model.estimators_samples_) if row not in bag]
    votes = [model.estimators_[i].predict(X[[row]])[0] for i in out]
    expected = np.bincount(votes, minlength=3) / len(votes)
    np.testing.assert_allclose(model.oob_decision_function_[row], expected, rtol=0, atol=1e-12)
    assert 0.5 < model.oob_score_ <= 1


def test_a_row_in_every_bag_has_no_out_of_bag_vote():
    X, y = load_iris(return_X_y=True)
    one = HardnessBaggingClassifier(n_estimators=1, oob_score=True, random_state=0).fit(X, y)
    seen = np.isin(np.arange(150), one.estimators_samples_[0])
    np.testing.assert_array_equal(np.isnan(one.oob_decision_function_).all(axis=1), seen)


def test_weighted_votes_favour_members_that_do_well_out_of_bag():
    X, y = load_iris(return_X_y=True)
    model = HardnessBaggingClassifier(voting="weighted", random_state=0).fit(X, y)
    assert np.ptp(model.estimator_weights_) > 0
    votes = np.array([member.predict(X) for member in model.estimators_])
    weighted = [(model.estimator_weights_[:, None] * (votes == c)).sum(axis=0) for c in range(3)]
    expected = np.stack(weighted, axis=1) / model.estimator_weights_.sum()
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=0, atol=1e-12)


def test_weights_of_votes_are_accuracies_out_of_bag_as_laplace_would_guess_them():
    # The rule of succession, (right + 1) / (judged + 2), counted row by row.
    X, y = load_iris(return_X_y=True)
    model = HardnessBaggingClassifier(n_estimators=8, voting="weighted", random_state=0).fit(X, y)
    for member, bag, weight in zip(
        model.estimators_, model.estimators_samples_, model.estimator_weights_, strict=True
    ):
        left_out = [row for row in range(150) if row not in set(bag.tolist())]
        right = sum(member.predict(X[[row]])[0] == y[row] for row in left_out)
        assert weight == pytest.approx((right + 1) / (len(left_out) + 2), rel=1e-12)


def test_a_member_that_has_seen_every_row_counts_as_one_that_guesses():
    # Both bags that hold two rows of two classes hold all rows: nothing is known of the members.
    model = HardnessBaggingClassifier(GaussianNB(), 3, hardness=alike, voting="weighted")
    model.fit([[0.0], [1.0]], [0, 1])
    assert model.estimator_weights_.tolist() == [0.5, 0.5, 0.5]
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[1, 0]], rtol=0, atol=1e-12)


def test_soft_votes_are_the_mean_of_the_members_probabilities():
    X, y = load_iris(return_X_y=True)
    model = HardnessBaggingClassifier(
        LogisticRegression(max_iter=500), 4, voting="soft", random_state=0
    ).fit(X, y)
    expected = np.mean([member.predict_proba(X) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_change_nothing(n_jobs):
    X, y = load_iris(return_X_y=True)
    alone = HardnessBaggingClassifier(random_state=3).fit(X, y).predict_proba(X)
    shared = HardnessBaggingClassifier(random_state=3, n_jobs=n_jobs).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(shared, alone)


def test_the_plain_twin_gives_the_same_pool(monkeypatch):
    X, y = np.round(load_iris(return_X_y=True)[0] * 8), load_iris().target
    fast = HardnessBaggingClassifier(n_estimators=4, random_state=0).fit(X, y).predict_proba(X)
    monkeypatch.setattr("errata._kernels.find_spec", lambda name: None)
    plain = HardnessBaggingClassifier(n_estimators=4, random_state=0).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(fast, plain)


def test_sparse_rows_are_accepted():
    X, y = load_iris(return_X_y=True)
    model = HardnessBaggingClassifier(n_estimators=5, random_state=0).fit(csr_matrix(X), y)
    assert model.score(csr_matrix(X), y) > 0.6


def test_it_works_in_a_pipeline_under_cross_validation():
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    model = make_pipeline(MinMaxScaler(), HardnessBaggingClassifier(random_state=0))
    assert cross_val_score(model, X, names).mean() > 0.8


def test_the_pool_can_be_handed_to_dynamic_selection():
    knora = pytest.importorskip(
        "deslib.des.knora_e", reason="DESlib is not installed", exc_type=ImportError
    )
    X, y = load_breast_cancer(return_X_y=True)

    def select_from(pool):
        return knora.KNORAE(pool).fit(X[300:400], y[300:400]).score(X[400:], y[400:])

    try:
        select_from(BaggingClassifier(Perceptron(), 10, random_state=0).fit(X[:300], y[:300]))
    except AttributeError as error:
        pytest.skip(f"DESlib does not run with this version of scikit-learn ({error})")
    pool = HardnessBaggingClassifier(n_estimators=10, random_state=0).fit(X[:300], y[:300])
    assert select_from(pool.estimators_) > 0.7


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators=0 must be a whole number at least 1"),
        ({"max_samples": 1.5}, r"max_samples=1.5 must be a number between 0 and 1"),
        ({"max_samples": 500}, "max_samples=500 must be a whole number between 1 and 150"),
        ({"voting": "loud"}, "voting='loud' is not known; choose from hard, soft, weighted"),
        ({"voting": "soft"}, "averages probabilities, and Perceptron has none"),
        ({"hardness": "depth"}, "hardness='depth' is not known; choose from kdn"),
        ({"hardness": lambda X, y: [1.0]}, r"one number per row, 150; its shape is \(1,\)"),
        ({"hardness": lambda X, y: 2.0 + 0 * y}, "hardness must lie between 0 and 1"),
        ({"probability": "cubic"}, "probability='cubic' is not known"),
        ({"probability": lambda h: 0 * h}, "not all of them zero"),
        ({"probability": "softmax", "temperature": 0}, "temperature=0 must be a number above 0"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=sentence):
        HardnessBaggingClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (np.zeros(150), "sample_weight is zero everywhere"),
        (-np.ones(150), "is not a weight"),
        (np.ones(3), r"its shape is \(3,\)"),
    ],
)
def test_bad_weights_get_a_sentence(weight, sentence):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=sentence):
        HardnessBaggingClassifier().fit(X, y, sample_weight=weight)


def test_competence_counts_the_nearest_rows_that_a_member_gets_right(monkeypatch):
    monkeypatch.setattr(local, "REGION", 2)
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    right = np.array([[1, 0, 1], [1, 0, 0], [0, 0, 1], [0, 0, 1]], dtype=bool)
    competence = local.LocalCompetence(X, right)
    np.testing.assert_array_equal(competence(np.array([[0.4], [10.6]])), [[2, 0, 1], [0, 0, 2]])


def test_members_count_alike_where_none_is_right():
    competence = local.LocalCompetence(np.zeros((3, 1)), np.zeros((3, 4), dtype=bool))
    np.testing.assert_array_equal(competence(np.ones((2, 1))), np.ones((2, 4)))


def test_batches_do_not_matter(monkeypatch):
    random = np.random.RandomState(0)
    X, right = random.normal(size=(50, 2)), random.rand(50, 9) < 0.5
    whole = local.LocalCompetence(X, right)(X)
    monkeypatch.setattr(local, "BATCH", 100)
    np.testing.assert_array_equal(local.LocalCompetence(X, right)(X), whole)


@pytest.mark.parametrize("level", [0.0, 0.2])
def test_local_votes_bend_a_border_of_straight_members(level):
    X, y = make_moons(600, noise=0.1, random_state=0)
    labels, _ = flip_labels(y[:300], level, random_state=0)

    def accuracy(voting):
        base = Perceptron(max_iter=5, tol=None)
        model = HardnessBaggingClassifier(base, voting=voting, random_state=0)
        return model.fit(X[:300], labels).score(X[300:], y[300:])

    assert accuracy("local") > accuracy("hard") + 0.02


def visited(multipliers, offsets, n):
    """The places of a bag in the order of each pair of numbers."""
    return (multipliers[..., None] * np.arange(n) + offsets[..., None]) % n


@pytest.mark.parametrize("n", [1, 2, 6, 7, 30, 210])  # of 1 to 209, 48 share no factor with 210
@pytest.mark.parametrize("redraws", [0, 1, 100])
def test_every_order_visits_every_row_once_however_few_draws_are_left(monkeypatch, n, redraws):
    monkeypatch.setattr(local, "REDRAWS", redraws)
    random = LimitedRandom(0, redraws + 2)
    places = visited(*_draw_orders(8, 32, n, random), n)
    np.testing.assert_array_equal(np.sort(places), np.broadcast_to(np.arange(n), places.shape))


def test_orders_differ():
    multipliers, offsets = _draw_orders(4, 8, 101, np.random.RandomState(0))
    assert len(np.unique(np.column_stack([multipliers.ravel(), offsets.ravel()]), axis=0)) == 32


def drawn(p, codes, shape, random):
    return draw_bags(draw_by_weight(p, random), shape, p, codes, random)


@given(seeds, st.integers(2, 8), st.sampled_from([0.3, 1e-3, 1e-12, 1e-300, 5e-324]))
def test_two_classes_are_in_every_bag_however_rare_one_is(seed, size, rare):
    p = np.r_[np.full(9, (1 - rare) / 9), rare]
    codes = np.r_[np.zeros(9, int), 1]
    # Each time all bags at once; and two draws to mend each of five bags.
    random = LimitedRandom(seed, 1 + REDRAWS + 2 * 5)
    bags = drawn(p, codes, (5, size), random)
    assert bags.shape == (5, size)
    assert all(set(codes[bag]) == {0, 1} for bag in bags)


def test_a_mended_bag_gets_one_row_of_another_class_by_its_weight():
    p = np.r_[np.full(3, 1 / 3), np.array([3, 1, 0]) * 1e-15]
    codes = np.array([0, 0, 0, 1, 2, 1])
    bags = drawn(p, codes, (2000, 4), LimitedRandom(0, 1 + REDRAWS + 2 * 2000))
    assert ((codes[bags] > 0).sum(axis=1) == 1).all()
    # Three quarters of them are row 3, a quarter row 4; the row without weight never comes.
    counts = np.bincount(bags.ravel(), minlength=6)
    assert counts[5] == 0
    assert chisquare(counts[3:5], [1500, 500]).pvalue > 0.001
    places = np.nonzero(codes[bags] > 0)[1]
    assert chisquare(np.bincount(places, minlength=4)).pvalue > 0.001


def test_bags_are_distributed_as_if_drawn_until_two_classes_are_in():
    # Of three draws with probability 0.1, k hit with 3 over k times 0.1^k 0.9^(3 - k): 0.243 for
    # one and 0.027 for two, and bags with none or three are drawn again.
    p, codes = np.array([0.9, 0.1]), np.array([0, 1])
    bags = drawn(p, codes, (4000, 3), np.random.RandomState(0))
    counts = np.bincount(bags.sum(axis=1), minlength=4)
    assert counts[[0, 3]].tolist() == [0, 0]
    assert chisquare(counts[1:3], 4000 * np.array([0.9, 0.1])).pvalue > 0.001


@pytest.mark.parametrize(
    ("p", "size"), [(np.array([0.5, 0.5, 0.0]), 4), (np.array([0.4, 0.3, 0.3]), 1)]
)
def test_what_cannot_hold_two_classes_is_drawn_once(p, size):
    random = LimitedRandom(0, 1)
    bags = drawn(p, np.array([0, 0, 1]), (6, size), random)
    assert bags.shape == (6, size)


def test_weights_are_those_of_numpy():
    p = np.random.RandomState(1).dirichlet(np.ones(20))
    ours = draw_by_weight(p, np.random.RandomState(0))((3, 30))
    theirs = np.random.RandomState(0).choice(20, size=(3, 30), p=p)
    np.testing.assert_array_equal(ours, theirs)


def test_even_draws_take_all_rows_alike():
    rows = draw_uniformly(5, np.random.RandomState(0))((100, 50))
    assert chisquare(np.bincount(rows.ravel(), minlength=5)).pvalue > 0.001


def test_of_one_class_looks_along_the_last_axis():
    assert is_one_class(np.array([[0, 0], [0, 1]])).tolist() == [True, False]
    assert is_one_class(np.array([2, 2, 2]))


BOOSTERS = [
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    GentleBoostClassifier,
    RobustBoostClassifier,
]


def noisy_twonorm(n=200, level=0.2, seed=0):
    X, y = make_twonorm(n, random_state=seed)
    return X, *flip_labels(y, level, random_state=seed)


def measured(hardness, X, y, **options):
    classes, codes = np.unique(y, return_inverse=True)
    return measure_hardness(
        hardness, X, codes, classes, random=np.random.RandomState(0), **options
    )[0]


def test_hardness_comes_from_neighbours_a_detector_or_a_function():
    X, y, _ = noisy_twonorm()
    by_neighbours = k_disagreeing_neighbors(X, y, 3)
    np.testing.assert_array_equal(measured("kdn", X, y, n_neighbors=3), by_neighbours)
    np.testing.assert_array_equal(
        measured(NeighborDisagreement(n_neighbors=3), X, y), by_neighbours
    )
    np.testing.assert_array_equal(measured(lambda X, y: y == y[0], X, y), y == y[0])
    assert measured(InstanceHardness(), X, y).min() >= 0


@pytest.mark.parametrize(
    ("hardness", "sentence"),
    [
        ("neighbours", "hardness='neighbours' is not known; choose from kdn"),
        (lambda X, y: y[:3], "hardness must be one number per row, 200"),
        (lambda X, y: 2.0 * np.ones(len(y)), "hardness must lie between 0 and 1"),
    ],
)
def test_what_is_no_hardness_gets_a_sentence(hardness, sentence):
    X, y, _ = noisy_twonorm()
    with pytest.raises(ValueError, match=sentence):
        DiscreteAdaBoostClassifier(n_estimators=2, hardness=hardness).fit(X, y)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_a_booster_with_hardness_starts_from_selection_probabilities(booster):
    X, y, _ = noisy_twonorm()
    p = selection_probabilities(k_disagreeing_neighbors(X, y, 5))
    eased = booster(n_estimators=10, hardness="kdn").fit(X, y)
    told = booster(n_estimators=10).fit(X, y, sample_weight=p)
    np.testing.assert_allclose(eased.start_weights_, p, rtol=1e-12)
    np.testing.assert_allclose(eased.decision_function(X), told.decision_function(X), rtol=1e-9)
    first = next(eased.staged_data_weights(X, y, eased.start_weights_))
    if booster is DiscreteAdaBoostClassifier:
        np.testing.assert_allclose(first, p, rtol=1e-12)


@pytest.mark.parametrize("booster", [DiscreteAdaBoostClassifier, GentleBoostClassifier])
def test_starting_from_hardness_helps_under_noise(booster):
    gains = []
    for seed in range(4):
        X, y, _ = noisy_twonorm(seed=seed)
        X_test, y_test = make_twonorm(2000, random_state=100 + seed)
        X, X_test = scale(X), scale(X_test)
        plain, eased = booster().fit(X, y), booster(hardness="kdn").fit(X, y)
        gains.append(eased.score(X_test, y_test) - plain.score(X_test, y_test))
    assert np.mean(gains) > 0.01


VOTES = np.array([[0, 1, 1, 2], [2, 2, 2, 2]])


def test_fractions_by_hand():
    np.testing.assert_array_equal(vote_fractions(VOTES, 3), [[0.25, 0.5, 0.25], [0, 0, 1]])
    weighted = vote_fractions(VOTES, 3, np.array([3.0, 1, 1, 0]))
    np.testing.assert_allclose(weighted, [[0.6, 0.4, 0], [0, 0, 1]], rtol=0, atol=1e-15)


def test_votes_that_do_not_count():
    counted = np.array([[True, True, False, False], [False] * 4])
    found = vote_fractions(VOTES, 3, counted=counted)
    np.testing.assert_array_equal(found, [[0.5, 0.5, 0], [np.nan] * 3])
