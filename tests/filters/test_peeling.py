import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_blobs
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from errata import _validation
from errata.ensemble import DiscreteAdaBoostClassifier
from errata.exceptions import ClassRetentionWarning
from errata.filters import LinearProgramPeeler, MarginPeeler, WeightPeeler
from errata.filters._peeling import (
    compute_mean_vote,
    compute_mean_weight,
    compute_misclassification_rate,
    make_margin_lines,
    solve_widest_margin,
)
from filters.peeling_cases import (
    LINE,
    MISLABELLED,
    PEELERS,
    agreements,
    noisy_blobs,
    noisy_twonorm,
    peel_line,
    quick_peeler,
)
from strategies import seeds

each = pytest.mark.parametrize("name", PEELERS)


@pytest.mark.parametrize("name", ["margin", "misclassification", "vote"])
def test_three_rounds_find_the_wrong_label_of_the_worked_example(name):
    peeler = peel_line(name, 3)
    np.testing.assert_array_equal(np.flatnonzero(peeler.flagged_), [1])
    np.testing.assert_array_equal(peeler.sample_indices_, np.delete(np.arange(10), 1))
    assert peeler.suggested_[1] == 1
    assert peeler.suspicion_.argmax() == 1


@given(st.sampled_from(["margin", "misclassification", "weight", "vote"]), seeds)
@settings(max_examples=12)
def test_looser_rules_flag_more(name, seed):
    X, y, _ = noisy_twonorm(seed, n=80)
    parameter, values = {
        "margin": ("threshold", [0.3, 0.1, 0.0, -0.1]),
        "misclassification": ("threshold", [0.7, 0.55, 0.5, 0.45]),
        "vote": ("contamination", [0.01, 0.1, 0.2, 0.4]),
        "weight": ("significance", [0.001, 0.02, 0.1, 0.3]),
    }[name]
    masks = [quick_peeler(name, **{parameter: value}).fit(X, y).flagged_ for value in values]
    for strict, loose in itertools.pairwise(masks):
        assert not (strict & ~loose).any()


@each
def test_exchanging_the_labels_changes_nothing(name):
    X, y, _ = noisy_twonorm(0)
    straight, swapped = (quick_peeler(name).fit(X, labels) for labels in (y, 1 - y))
    np.testing.assert_allclose(straight.suspicion_, swapped.suspicion_, rtol=0, atol=1e-7)
    np.testing.assert_array_equal(straight.flagged_, swapped.flagged_)
    np.testing.assert_array_equal(straight.suggested_, 1 - swapped.suggested_)
    values = [
        solve_widest_margin(make_margin_lines(peeler.booster_._staged_codes(X), labels)[0])[0]
        for peeler, labels in ((straight, y), (swapped, 1 - y))
    ]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


@each
def test_three_classes_are_peeled_through_samme(name):
    X, y, flipped = noisy_blobs()
    peeler = quick_peeler(name, n_estimators=10).fit(X, y)
    assert roc_auc_score(flipped, peeler.suspicion_) > 0.9
    assert set(peeler.suggested_) <= {0, 1, 2}
    assert (peeler.suggested_[peeler.flagged_] != y[peeler.flagged_]).all()
    np.testing.assert_array_equal(peeler.suggested_[~peeler.flagged_], y[~peeler.flagged_])


@pytest.mark.parametrize("min_per_class", [1, 2, 5])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_class_disappears(min_per_class, n_classes):
    X, y = make_blobs(60, centers=n_classes, random_state=0)
    peeler = MarginPeeler(threshold=-2, max_fraction=None, min_per_class=min_per_class)
    with pytest.warns(ClassRetentionWarning, match=f"fewer than {min_per_class} rows"):
        peeler.fit(X, y)
    assert peeler.flagged_.all()
    assert np.bincount(y[peeler.sample_indices_]).tolist() == [min_per_class] * n_classes


@pytest.mark.parametrize("n_rounds", [1, 3])
def test_no_more_than_the_fraction_is_left_out_in_all_rounds(n_rounds):
    X, y, _ = noisy_twonorm(0)
    peeler = MarginPeeler(threshold=-0.3, max_fraction=0.2, n_rounds=n_rounds).fit(X, y)
    assert len(peeler.sample_indices_) == 120
    assert peeler.flagged_.sum() > 30
    if n_rounds == 1:  # the most suspicious are
        gone = np.setdiff1d(np.arange(150), peeler.sample_indices_)
        assert peeler.suspicion_[gone].min() >= peeler.suspicion_[peeler.sample_indices_].max()


@pytest.mark.parametrize("name", ["margin", "weight", "linear_program"])
def test_rounds_of_peeling_go_on_with_what_is_left(name):
    X, y, _ = noisy_twonorm(0, noise=0.2)
    once, twice = (quick_peeler(name, n_rounds=r, max_fraction=0.9).fit(X, y) for r in (1, 2))
    assert not (once.flagged_ & ~twice.flagged_).any()
    left = once.sample_indices_
    again = quick_peeler(name, max_fraction=0.9).fit(X[left], y[left])
    np.testing.assert_array_equal(twice.flagged_[left], again.flagged_)
    np.testing.assert_allclose(twice.suspicion_[left], again.suspicion_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(twice.suspicion_[once.flagged_], once.suspicion_[once.flagged_] + 2)
    np.testing.assert_array_equal(twice.margins_, once.margins_)
    assert twice.suspicion_[twice.flagged_].min() > twice.suspicion_[~twice.flagged_].max()


def test_a_row_that_is_kept_for_its_class_is_judged_again():
    X, y, _ = noisy_twonorm(0, noise=0.2)
    peeler = MarginPeeler(threshold=-0.2, max_fraction=0.1, n_rounds=5).fit(X, y)
    last = MarginPeeler(threshold=-0.2).fit(X[peeler.sample_indices_], y[peeler.sample_indices_])
    np.testing.assert_array_equal(peeler.flagged_[peeler.sample_indices_], last.flagged_)
    assert (peeler.suggested_ != y).sum() == peeler.flagged_.sum()


def test_peeling_stops_when_nothing_is_left_to_peel():
    X, y = make_blobs(60, centers=2, random_state=0)
    peeler = MarginPeeler(n_rounds=1000).fit(X, y)
    assert not peeler.flagged_.any()
    assert len(peeler.sample_indices_) == 60


def test_detection_runs_short_for_margins_and_long_for_weights():
    assert {name: peeler().n_estimators for name, peeler in PEELERS.items()} == {
        "margin": 30, "misclassification": 30, "vote": 30, "weight": 300, "linear_program": 300
    }  # fmt: skip


@each
def test_any_base_estimator_will_do(name):
    X, y, _ = noisy_twonorm(0, n=80)
    X = X.astype(np.float32).astype(float)
    ours = quick_peeler(name, n_estimators=8).fit(X, y)
    stump = DecisionTreeClassifier(max_depth=1)
    external = quick_peeler(name, n_estimators=8, estimator=stump, random_state=0).fit(X, y)
    np.testing.assert_allclose(external.suspicion_, ours.suspicion_, rtol=0, atol=1e-7)
    np.testing.assert_array_equal(external.flagged_, ours.flagged_)


@each
def test_weights_are_where_boosting_starts(name):
    X, y, _ = noisy_twonorm(0, n=60)
    counts = np.random.RandomState(0).randint(1, 3, size=60)
    peeler = quick_peeler(name).fit(X, y, counts)
    booster = DiscreteAdaBoostClassifier(n_estimators=peeler.n_estimators).fit(X, y, counts)
    np.testing.assert_array_equal(peeler.margins_, booster.margins(X, y))


def test_the_ensemble_can_be_asked_in_the_words_of_the_table():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X, y, _ = noisy_twonorm(0, n=60)
    frame = pandas.DataFrame(X, columns=[f"x{j}" for j in range(20)])
    peeler = MarginPeeler().fit(frame, np.array(["no", "yes"])[y])
    assert set(peeler.booster_.predict(frame)) == {"no", "yes"}


def test_a_peeler_survives_pickling():
    X, y, _ = noisy_twonorm(0, n=60)
    peeler = MarginPeeler().fit(X, y)
    revived = pickle.loads(pickle.dumps(peeler))
    np.testing.assert_array_equal(revived.booster_.margins(X, y), peeler.margins_)


def test_missing_values_are_accepted_where_the_base_estimator_accepts_them():
    X, y, _ = noisy_twonorm(0, n=60)
    X[::7, 3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        MarginPeeler().fit(X, y)
    tree = DecisionTreeClassifier(max_depth=2)
    assert np.isfinite(MarginPeeler(tree).fit(X, y).suspicion_).all()
    # Estimating the contamination needs distances.
    with pytest.raises(ValueError, match="LinearProgramPeeler does not accept missing values"):
        LinearProgramPeeler(tree).fit(X, y)
    assert (
        LinearProgramPeeler(tree, n_estimators=5, contamination=0.1).fit(X, y).flagged_.sum() == 6
    )


class AlignedStump(ClassifierMixin, BaseEstimator):
    """A stump that wants to be told the first feature of each row once more."""

    def fit(self, X, y, sample_weight=None, first=None):
        np.testing.assert_array_equal(first, X[:, 0])
        self.tree_ = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y, sample_weight)
        return self

    def predict(self, X):
        return self.tree_.predict(X)


def test_metadata_follow_the_rows_to_the_base_estimator():
    X, y, _ = noisy_twonorm(0, noise=0.2)
    with config_context(enable_metadata_routing=True):
        stump = AlignedStump().set_fit_request(first=True)
        peeler = MarginPeeler(stump, n_estimators=5, n_rounds=2)
        peeler.fit(X, y, first=X[:, 0])
    stump = DecisionTreeClassifier(max_depth=1)
    plain = MarginPeeler(stump, n_estimators=5, n_rounds=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(peeler.suspicion_, plain.suspicion_, rtol=0, atol=1e-12)
    assert len(peeler.sample_indices_) < len(y)


@each
def test_labels_are_checked_once(name, monkeypatch):
    X, y, _ = noisy_twonorm(0, n=60)
    checked = []
    check = _validation.check_labels
    monkeypatch.setattr(
        _validation, "check_labels", lambda *a, **k: checked.append(1) or check(*a, **k)
    )
    clone(quick_peeler(name, n_rounds=3)).fit(X, y)
    assert len(checked) == 1


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("margin", {"n_estimators": 0}, "n_estimators=0 must be a whole number at least 1"),
        ("margin", {"max_depth": 0}, "max_depth=0 must be a whole number"),
        ("margin", {"criterion": "entropy"}, "criterion='entropy' is not known"),
        ("margin", {"threshold": np.nan}, "threshold=nan must be a number"),
        ("margin", {"contamination": 1.5}, "contamination=1.5 must be a number between 0 and 1"),
        ("vote", {"threshold": 0, "contamination": 0.1}, "two rules; pass at most one of them"),
        ("weight", {"significance": 0}, "significance=0 must be a number"),
        ("weight", {"scale": "median"}, "scale='median' is not known; choose from pooled, paper"),
        ("margin", {"n_rounds": 0}, "n_rounds=0 must be a whole number at least 1"),
        ("margin", {"max_fraction": -0.1}, "max_fraction=-0.1 must be a number between 0 and 1"),
        ("margin", {"min_per_class": 0}, "min_per_class=0 must be a whole number at least 1"),
    ],
)
def test_bad_parameters_get_a_sentence(name, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        PEELERS[name](**parameters).fit(LINE, MISLABELLED)


def test_one_class_is_not_enough():
    with pytest.raises(ValueError, match="holds one class only"):
        MarginPeeler().fit(LINE, np.zeros(10))


@given(seeds)
@settings(max_examples=15)
def test_margin_peeling_flags_the_training_errors(seed):
    X, y, _ = noisy_twonorm(seed)
    peeler = MarginPeeler(n_estimators=5).fit(X, y)
    decision = peeler.booster_.decision_function(X)
    sure = np.abs(decision) > 1e-9  # a decision of zero is not against the label
    np.testing.assert_array_equal(peeler.flagged_[sure], (peeler.booster_.predict(X) != y)[sure])
    np.testing.assert_allclose(peeler.suspicion_, -peeler.margins_, rtol=0, atol=1e-12)


def test_a_margin_that_is_zero_but_for_rounding_keeps_the_label():
    margins = np.array([-0.1, -5e-13, 0.0, 5e-13, 0.1])
    suspicion, native = MarginPeeler()._judge(None, None, None, margins)
    np.testing.assert_array_equal(suspicion, [0.1, 0, 0, 0, -0.1])
    assert native == 0


def test_margins_depend_on_the_number_of_rounds():
    # After ten rounds margins speak against row 2, not against the wrong label.
    np.testing.assert_array_equal(np.flatnonzero(peel_line("margin", 10).flagged_), [2])


def test_the_margin_threshold_of_the_paper_has_the_other_sign():
    X, y, _ = noisy_twonorm(0)
    peeler = MarginPeeler(threshold=-0.1).fit(X, y)
    np.testing.assert_array_equal(peeler.flagged_, peeler.margins_ < 0.1)


def test_half_of_the_noise_is_found_and_clean_rows_are_spared():
    # Published for twonorm with 20 % of noise, 180 rows: about half, at 5 % of clean rows.
    detected, false = [], []
    for seed in range(10):
        X, y, flipped = noisy_twonorm(seed, 180, 0.2)
        flagged = MarginPeeler().fit(X, y).flagged_
        detected.append(flagged[flipped].mean())
        false.append((flagged & ~flipped).mean())  # per row, as in the paper
    assert np.mean(detected) > 0.4
    assert np.mean(false) < 0.06


def test_accurate_rounds_count_more():
    # Two rounds are right on 3/4 of the rows, one on 1/4 only.
    agreement = np.array([[1, 1, 1], [1, -1, -1], [1, 1, -1], [-1, 1, -1]])
    expected = [0, 4 / 7, 1 / 7, 4 / 7]
    np.testing.assert_allclose(
        compute_misclassification_rate(agreement), expected, rtol=0, atol=1e-15
    )


def test_rounds_that_are_always_wrong_count_alike():
    np.testing.assert_array_equal(compute_misclassification_rate(-np.ones((4, 3))), 1)


@given(agreements())
def test_rates_keep_their_range(agreement):
    rate = compute_misclassification_rate(agreement)
    assert rate.min() >= 0
    assert rate.max() <= 1 + 1e-12


def test_the_worked_example():
    assert peel_line("misclassification", 3).suspicion_[1] == pytest.approx(0.631579, abs=1e-6)


@given(agreements())
def test_a_vote_counts_the_wrong_rounds(agreement):
    wrong = (agreement < 0).mean(axis=1)
    np.testing.assert_allclose(compute_mean_vote(agreement), 1 - 2 * wrong, rtol=0, atol=1e-15)


@given(seeds, st.integers(1, 12), st.integers(1, 12))
def test_with_rounds_of_equal_accuracy_a_vote_is_a_rate(seed, n, n_rounds):
    random = np.random.RandomState(seed)
    column = random.choice([-1, 1], n)
    agreement = np.stack([random.permutation(column) for _ in range(n_rounds)], axis=1)
    by_vote = compute_mean_vote(agreement) < 0
    np.testing.assert_array_equal(compute_misclassification_rate(agreement) > 0.5, by_vote)


def test_a_tie_of_the_rounds_keeps_the_label():
    peeler = peel_line("vote", 10)
    np.testing.assert_array_equal(peeler.suspicion_[[1, 2]], [0, 0])
    assert not peeler.flagged_.any()


def test_a_vote_is_a_margin_with_equal_weights():
    X, y, _ = noisy_twonorm(0)
    peeler = peel_line("vote", 9, X, y)
    agreement = np.where(peeler.booster_._staged_codes(X) == y[:, None], 1, -1)
    np.testing.assert_array_equal(peeler.flagged_, agreement.sum(axis=1) < 0)
    np.testing.assert_allclose(peeler.suspicion_, -agreement.mean(axis=1), rtol=0, atol=1e-15)


def test_a_vote_among_three_classes_asks_for_more_wrong_rounds_than_right_ones():
    X, y, _ = noisy_blobs()
    peeler = peel_line("vote", 30, X, y, max_depth=2)
    wrong = (peeler.booster_._staged_codes(X) != y[:, None]).sum(axis=1)
    np.testing.assert_array_equal(peeler.flagged_, wrong > peeler.booster_.n_estimators_ / 2)
    assert 0 < peeler.flagged_.sum() < len(y)


@given(seeds, st.integers(2, 20), st.integers(1, 10))
def test_the_line_for_mean_weights_is_its_formula(seed, n, n_rounds):
    D = np.random.RandomState(seed).dirichlet(np.ones(n), size=n_rounds)
    mean, pooled = compute_mean_weight(iter(D), significance=0.02, scale="pooled")
    np.testing.assert_allclose(mean, D.mean(axis=0), rtol=0, atol=1e-15)
    freedom = n * n_rounds - 1
    spread = np.sqrt(((D - 1 / n) ** 2).sum() / freedom)
    quantile = student.ppf(0.98, freedom)
    assert pooled == pytest.approx(1 / n + quantile * spread, abs=1e-12)
    _, paper = compute_mean_weight(iter(D), significance=0.02, scale="paper")
    assert paper == pytest.approx(1 / n + quantile * spread / np.sqrt(n_rounds), abs=1e-12)
    _, between = compute_mean_weight(iter(D), significance=0.02, scale="between")
    spread = D.mean(axis=0).std(ddof=1)
    assert between == pytest.approx(1 / n + student.ppf(0.98, n - 1) * spread, abs=1e-12)


def test_a_stricter_level_draws_a_higher_line():
    D = np.random.RandomState(0).dirichlet(np.ones(20), size=10)
    lines = [
        compute_mean_weight(iter(D), significance=s, scale="pooled")[1] for s in (0.1, 0.02, 0.001)
    ]
    assert lines[0] < lines[1] < lines[2]


@pytest.mark.parametrize(
    ("scale", "line", "flagged"),
    [("paper", 0.137423, [1, 2]), ("pooled", 0.218343, []), ("between", 0.206845, [])],
)
def test_mean_weights_of_the_worked_example(scale, line, flagged):
    peeler = peel_line("weight", 10, scale=scale)
    expected = np.repeat([0.193527, 0.145965, 0.121978, 0.077847, 0.061004], [1, 1, 2, 3, 3])
    rows = [1, 2, 0, 9, 6, 7, 8, 3, 4, 5]
    np.testing.assert_allclose(peeler.suspicion_[rows], expected, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(np.flatnonzero(peeler.flagged_), flagged)
    np.testing.assert_array_equal(peeler.flagged_, peeler.suspicion_ > line)


def test_mean_weights_start_from_those_of_the_user():
    X, y, _ = noisy_twonorm(0, n=60)
    counts = np.random.RandomState(0).randint(1, 5, size=60)
    peeler = WeightPeeler(n_estimators=5).fit(X, y, counts)
    rounds = list(peeler.booster_.staged_data_weights(X, y, counts))
    np.testing.assert_allclose(rounds[0], counts / counts.sum(), rtol=0, atol=1e-15)
    np.testing.assert_allclose(peeler.suspicion_, np.mean(rounds, axis=0), rtol=0, atol=1e-15)
