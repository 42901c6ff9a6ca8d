import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import average_precision_score
from sklearn.tree import DecisionTreeClassifier

from errata.ensemble import (
    AveBoostClassifier,
    DiscreteAdaBoostClassifier,
    MadaBoostClassifier,
    ORBoostClassifier,
)
from errata.ensemble.boosting._adaboost import (
    CappedDistribution,
    Distribution,
    DroppingDistribution,
    compute_averaged_step,
    compute_samme_weight,
)
from errata.ensemble.boosting._base import predict_codes
from errata.exceptions import SuspicionWarning
from errata.noise import flip_labels
from strategies import seeds

LINE = np.arange(10.0)[:, None]

LABELS = np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])

MISLABELLED = np.where(np.arange(10) == 1, 0, LABELS)


def overlapping(n=80, d=3, n_classes=2, seed=0):
    """Classes that no stump separates, in single precision as scikit-learn's trees want it."""
    random = np.random.RandomState(seed)
    codes = np.r_[np.arange(n_classes), random.randint(n_classes, size=n - n_classes)]
    X = random.normal(size=(n, d)) + codes[:, None] * random.normal(size=d)
    return X.astype(np.float32).astype(float), codes


def best_stump(X, codes, weights, n_classes):
    """All cuts of all features tried: the stump of least Gini impurity, as a function of rows."""
    best = (np.inf, None)
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for threshold in (values[:-1] + values[1:]) / 2:
            left = X[:, feature] <= threshold
            impurity, leaves = 0.0, []
            for side in (left, ~left):
                held = np.bincount(codes[side], weights[side], n_classes)
                impurity += held.sum() - (held**2).sum() / held.sum()
                heavy = np.flatnonzero(held >= held.max() - 1e-12)
                leaves.append(heavy[-1] if n_classes == 2 else heavy[0])
            if impurity < best[0] - 1e-12:
                best = (impurity, (feature, threshold, *leaves))
    feature, threshold, low, high = best[1]
    return lambda Z: np.where(Z[:, feature] <= threshold, low, high)


def plain_adaboost(X, codes, n_classes, n_rounds):
    """SAMME as it is printed; for two classes with half of its coefficients."""
    weights = np.full(len(X), 1 / len(X))
    rules, alphas, distributions = [], [], []
    for _ in range(n_rounds):
        rule = best_stump(X, codes, weights, n_classes)
        wrong = rule(X) != codes
        error = weights[wrong].sum()
        if error == 0 or error >= 1 - 1 / n_classes - 1e-12:
            break
        alpha = np.log((1 - error) / error) + np.log(n_classes - 1)
        distributions.append(weights)
        weights = weights * np.exp(alpha * wrong)
        weights = weights / weights.sum()
        rules.append(rule)
        alphas.append(alpha / 2 if n_classes == 2 else alpha)
    return rules, np.array(alphas), distributions


def test_the_worked_example():
    # Ten points on a line, minimum-error stumps; fractions worked out by hand.
    model = DiscreteAdaBoostClassifier(n_estimators=3, criterion="error").fit(LINE, LABELS)
    np.testing.assert_allclose(model.estimator_errors_, [0.3, 3 / 14, 2 / 11], rtol=0, atol=1e-12)
    cuts = [term.estimator.thresholds[0] for term in model._terms]
    assert cuts == [2.5, 8.5, 5.5]
    alphas = [0.4236489, 0.6496415, 0.7520387]
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(model.predict(LINE), LABELS)
    margins = np.repeat([0.175997, 0.288192, 0.535811, 0.175997], [3, 3, 3, 1])
    np.testing.assert_allclose(model.margins(LINE, LABELS), margins, rtol=0, atol=1e-6)


def test_the_worked_example_with_a_wrong_label():
    model = DiscreteAdaBoostClassifier(n_estimators=3, criterion="error").fit(LINE, MISLABELLED)
    np.testing.assert_allclose(model.estimator_errors_, [0.3, 2 / 7, 0.275], rtol=0, atol=1e-12)
    assert [term.estimator.thresholds[0] for term in model._terms] == [5.5, 2.5, 8.5]
    a, b, c = 0.379948, 0.290593, 0.329459
    margins = [a, -a, a, b, b, b, c, c, c, a]
    np.testing.assert_allclose(model.margins(LINE, MISLABELLED), margins, rtol=0, atol=1e-6)


@given(seeds, st.integers(2, 4))
@settings(max_examples=15)
def test_it_is_the_printed_algorithm(seed, n_classes):
    X, codes = overlapping(25, 2, n_classes, seed)
    rules, alphas, distributions = plain_adaboost(X, codes, n_classes, 6)
    if not rules:
        return
    model = DiscreteAdaBoostClassifier(n_estimators=6).fit(X, codes)
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=0, atol=1e-9)
    for term, rule in zip(model._terms, rules, strict=True):
        np.testing.assert_array_equal(predict_codes(term.estimator, X), rule(X))
    weights = list(model.staged_data_weights(X, codes))
    np.testing.assert_allclose(weights, distributions, rtol=0, atol=1e-9)
    new = np.random.RandomState(1).normal(size=(50, 2))
    votes = np.array([rule(new) for rule in rules])
    scores = np.stack([alphas @ (votes == k) for k in range(n_classes)], axis=1)
    decision = model.decision_function(new)
    expected = scores[:, 1] - scores[:, 0] if n_classes == 2 else scores
    np.testing.assert_allclose(decision, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("depth", [1, 2])
def test_it_agrees_with_scikit_learn(n_classes, depth):
    X, codes = overlapping(120, 4, n_classes)
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
    theirs = AdaBoostClassifier(tree, n_estimators=20, random_state=0).fit(X, codes)
    ours = DiscreteAdaBoostClassifier(n_estimators=20, max_depth=depth).fit(X, codes)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=0, atol=1e-9)
    factor = 2 if n_classes == 2 else 1  # alpha is half of SAMME's
    np.testing.assert_allclose(
        factor * ours.estimator_weights_, theirs.estimator_weights_, rtol=0, atol=1e-9
    )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_stump_of_scikit_learn_gives_the_same_ensemble(n_classes):
    X, codes = overlapping(n_classes=n_classes)
    stump = DecisionTreeClassifier(max_depth=1)
    ours, external = (
        DiscreteAdaBoostClassifier(e, n_estimators=15, random_state=0).fit(X, codes)
        for e in (None, stump)
    )
    new = np.random.RandomState(1).normal(size=(50, 3)).astype(np.float32).astype(float)
    np.testing.assert_allclose(
        external.decision_function(new), ours.decision_function(new), rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(external.suspicion_, ours.suspicion_, rtol=0, atol=1e-9)


@given(seeds)
@settings(max_examples=20)
def test_two_classes_by_samme_have_the_same_weights_and_margins(seed):
    X, codes = overlapping(40, 2, 2, seed)
    model = DiscreteAdaBoostClassifier(n_estimators=8).fit(X, codes)
    votes = np.array([predict_codes(term.estimator, X) for term in model._terms])
    alphas = 2 * model.estimator_weights_  # what SAMME would give them
    scores = np.stack([alphas @ (votes == k) for k in (0, 1)], axis=1) / alphas.sum()
    margins = np.where(codes == 1, scores[:, 1] - scores[:, 0], scores[:, 0] - scores[:, 1])
    np.testing.assert_allclose(model.margins(X, codes), margins, rtol=0, atol=1e-9)


@given(seeds, st.integers(2, 3), st.integers(1, 2))
@settings(max_examples=20)
def test_a_rule_is_worth_nothing_under_the_next_weights(seed, n_classes, depth):
    # After reweighing, the error of the rule is that of guessing; the weights sum to one.
    X, codes = overlapping(40, 2, n_classes, seed)
    model = DiscreteAdaBoostClassifier(n_estimators=8, max_depth=depth).fit(X, codes)
    weights = list(model.staged_data_weights(X, codes))
    for after, term in zip(weights[1:], model._terms, strict=False):
        error = after[predict_codes(term.estimator, X) != codes].sum()
        assert error == pytest.approx(1 - 1 / n_classes, abs=1e-9)
    np.testing.assert_allclose(np.sum(weights, axis=1), 1, rtol=0, atol=1e-12)
    assert np.mean(weights) == pytest.approx(1 / len(X), abs=1e-15)


@given(seeds)
@settings(max_examples=20)
def test_training_error_is_bounded(seed):
    X, codes = overlapping(40, 2, 2, seed)
    model = DiscreteAdaBoostClassifier(n_estimators=10).fit(X, codes)
    errors = model.estimator_errors_
    bound = np.prod(2 * np.sqrt(errors * (1 - errors))) if errors[0] > 0 else 0
    assert np.mean(model.predict(X) != codes) <= bound + 1e-12


@given(seeds)
@settings(max_examples=20)
def test_exchanging_the_labels_exchanges_the_predictions(seed):
    X, codes = overlapping(41, 3, 2, seed)
    weights = np.random.RandomState(seed).uniform(1, 2, 41)  # a tied leaf goes to one class
    straight, swapped = (
        DiscreteAdaBoostClassifier(n_estimators=10).fit(X, y, weights) for y in (codes, 1 - codes)
    )
    np.testing.assert_allclose(
        straight.margins(X, codes), swapped.margins(X, 1 - codes), rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(straight.suspicion_, swapped.suspicion_, rtol=0, atol=1e-9)
    decision = straight.decision_function(X)
    sure = np.abs(decision) > 1e-9
    np.testing.assert_array_equal(straight.predict(X)[sure], 1 - swapped.predict(X)[sure])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_after_one_round_the_probability_is_one_minus_the_error(n_classes):
    # The minimiser of SAMME's loss, see section 2.2 of Zhu et al.
    X, codes = overlapping(n_classes=n_classes)
    model = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, codes)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.max(axis=1), 1 - model.estimator_errors_[0], atol=1e-9)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-12)


def test_a_perfect_first_rule_is_all_there_is():
    model = DiscreteAdaBoostClassifier().fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    assert model.n_estimators_ == 1
    assert model.estimator_weights_.tolist() == [1]
    assert model.estimator_errors_.tolist() == [0]
    np.testing.assert_array_equal(model.margins([[0], [3]], ["a", "a"]), [1, -1])


@pytest.mark.parametrize(("on_perfect", "n_rounds"), [("drop", 1), ("keep", 2)])
def test_a_later_perfect_rule_is_dropped_or_kept(on_perfect, n_rounds):
    class Fickle(DummyClassifier):
        """Says 0 in its first fit, and the truth in the second."""

        def fit(self, X, y, sample_weight=None):
            calls.append(1)
            self.perfect_ = len(calls) > 1
            return super().fit(X, y, sample_weight)

        def predict(self, X):
            return X[:, 0].astype(int) if self.perfect_ else np.zeros(len(X), dtype=int)

    calls = []
    X, y = np.array([[0], [0], [1]]), [0, 0, 1]
    model = DiscreteAdaBoostClassifier(Fickle(), on_perfect=on_perfect).fit(X, y)
    assert model.n_estimators_ == n_rounds
    if on_perfect == "keep":
        cap = 0.5 * np.log((1 - 1e-12) / 1e-12)
        assert model.estimator_weights_[-1] == pytest.approx(cap, abs=1e-6)
        assert cap == pytest.approx(13.8, abs=0.02)


def test_no_base_estimator_at_all_is_the_commonest_class_with_a_warning():
    X, y = np.zeros((6, 1)), ["b", "b", "b", "a", "a", "a"]
    with pytest.warns(SuspicionWarning, match="no better than guessing") as caught:
        model = DiscreteAdaBoostClassifier().fit(X, y)
    assert caught[0].filename == __file__  # it points to the caller of fit
    assert set(model.predict(X)) == {"a"}
    assert model.estimator_weights_.tolist() == [1]
    assert model.estimator_errors_.tolist() == [0.5]
    assert next(iter(model.staged_data_weights(X, y))).tolist() == [1 / 6] * 6


@pytest.mark.parametrize(("n_right", "n_wrong"), [(5, 1), (8, 3), (10, 5)])
def test_a_rule_that_guesses_but_for_rounding_ends_the_rounds(n_right, n_wrong):
    # A feature of two values leaves one rule, and the next weights make its error one half.
    X = np.repeat([[0.0], [1.0]], n_right + n_wrong, axis=0)
    y = np.repeat([0, 1, 1, 0], [n_right, n_wrong, n_right, n_wrong])
    assert DiscreteAdaBoostClassifier(n_estimators=50).fit(X, y).n_estimators_ == 1


def test_many_rounds_of_deep_trees_do_not_overflow():
    random = np.random.RandomState(0)
    X = random.normal(size=(150, 2))
    y = random.randint(2, size=150)
    X[75:], y[75:] = X[:75], 1 - y[:75]  # every row twice, with both labels
    X[0] += 1
    model = DiscreteAdaBoostClassifier(n_estimators=500, max_depth=6).fit(X, y)
    assert np.isfinite(model.suspicion_).all()
    weights = np.array(list(model.staged_data_weights(X, y)))
    assert np.isfinite(weights).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_are_repetitions_and_zeros_are_left_out(n_classes):
    X, codes = overlapping(60, 3, n_classes)
    counts = np.random.RandomState(0).randint(3, size=60)
    weighted = DiscreteAdaBoostClassifier(n_estimators=10).fit(X, codes, counts)
    repeated = DiscreteAdaBoostClassifier(n_estimators=10).fit(
        np.repeat(X, counts, axis=0), np.repeat(codes, counts)
    )
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), rtol=0, atol=1e-9
    )
    assert weighted.suspicion_.shape == (60,)
    given_weights = next(weighted.staged_data_weights(X, codes, counts))
    np.testing.assert_allclose(given_weights, counts / counts.sum(), rtol=0, atol=1e-15)


def test_a_smaller_rate_takes_smaller_steps():
    X, codes = overlapping()
    full, half = (
        DiscreteAdaBoostClassifier(n_estimators=5, learning_rate=rate).fit(X, codes)
        for rate in (1.0, 0.5)
    )
    assert half.estimator_weights_[0] == pytest.approx(full.estimator_weights_[0] / 2, abs=1e-12)
    second = list(half.staged_data_weights(X, codes))[1]
    wrong = predict_codes(half._terms[0].estimator, X) != codes
    assert second[wrong].sum() < 0.5


def test_flagged_errors_get_their_true_class_suggested():
    X, y = make_blobs(150, centers=3, random_state=3)
    noisy = y.copy()
    noisy[:9] = (y[:9] + 1) % 3
    model = DiscreteAdaBoostClassifier(max_depth=2, n_estimators=10).fit(X, noisy)
    found = np.flatnonzero(model.flagged_[:9])
    assert len(found) > 6
    np.testing.assert_array_equal(model.suggested_[found], y[found])


def test_the_criterion_matters():
    model = DiscreteAdaBoostClassifier(n_estimators=1, criterion="error").fit(LINE, LABELS)
    assert model.estimator_errors_[0] == pytest.approx(0.3, abs=1e-12)
    X, y = load_iris(return_X_y=True)
    gini = DiscreteAdaBoostClassifier(n_estimators=1).fit(X, y)
    error = DiscreteAdaBoostClassifier(n_estimators=1, criterion="error").fit(X, y)
    assert error.estimator_errors_[0] <= gini.estimator_errors_[0] + 1e-12


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_estimators": 0}, "n_estimators=0 must be a whole number at least 1"),
        ({"max_depth": 13}, "max_depth=13 must be a whole number between 1 and 12"),
        ({"learning_rate": 0}, "learning_rate=0 must be a number between"),
        ({"criterion": "entropy"}, "criterion='entropy' is not known; choose from gini, error"),
        ({"on_perfect": "cheer"}, "on_perfect='cheer' is not known; choose from drop, keep"),
        ({"threshold": 0.5, "contamination": 0.1}, "are two rules"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        DiscreteAdaBoostClassifier(**parameters).fit(LINE, LABELS)


VOTING = [
    DiscreteAdaBoostClassifier,
    MadaBoostClassifier,
    AveBoostClassifier,
    ORBoostClassifier,
]


def test_coefficients_of_samme():
    alphas = [compute_samme_weight(error, 3) for error in (0.1, 0.5, 2 / 3)]
    np.testing.assert_allclose(alphas, [2.890372, 0.693147, 0], rtol=0, atol=1e-6)
    assert compute_samme_weight(0.2, 2) == pytest.approx(0.5 * np.log(4), abs=1e-15)


def test_adaboost_gives_a_wrong_row_half_the_weight():
    # One of five rows is wrong: e = 0.2, a = log 4.
    step = 2 * compute_samme_weight(0.2, 2)
    assert step == pytest.approx(1.386294, abs=1e-6)
    moved = Distribution(np.full(5, 0.2), np.zeros(5, int)).after(np.array([1, 0, 0, 0, 0]), step)
    np.testing.assert_allclose(moved, [0.5, *[0.125] * 4], rtol=0, atol=1e-12)


def test_a_row_without_weight_never_gets_any():
    distribution = Distribution(np.array([0.0, 0.5, 0.5]), np.zeros(3, int))
    moved = distribution.after(np.array([1, 1, 0]), np.log(3))
    np.testing.assert_allclose(moved, [0, 0.75, 0.25], rtol=0, atol=1e-12)


@pytest.mark.parametrize("booster", VOTING)
def test_the_first_round_is_the_same_for_all(booster):
    X, y = np.arange(10.0)[:, None], np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    model = booster(n_estimators=3).fit(X, y)
    assert model.estimator_errors_[0] == pytest.approx(0.3, abs=1e-12)
    assert model._terms[0].estimator.thresholds[0] == 2.5


each = pytest.mark.parametrize(
    "booster", [MadaBoostClassifier, AveBoostClassifier, ORBoostClassifier]
)


@each
def test_trees_are_as_deep_as_the_classes_need(booster):
    X, y = load_iris(return_X_y=True)
    three, two = booster(n_estimators=3).fit(X, y), booster(n_estimators=3).fit(X, y == 1)
    stumps = booster(n_estimators=3, max_depth=1).fit(X, y == 1)
    assert [len(m._terms[0].estimator.features) for m in (three, two, stumps)] == [3, 1, 1]
    with pytest.raises(ValueError, match="max_depth=0 must be a whole number between 1 and 12"):
        booster(max_depth=0).fit(X, y)


@each
def test_probabilities_are_fractions_of_the_votes(booster):
    X, y = load_iris(return_X_y=True)
    for labels in (y, y == 1):
        model = booster(n_estimators=8, max_depth=1 + (labels is y)).fit(X, labels)
        votes = model._staged_codes(X)
        total = [((votes == k) * model.estimator_weights_).sum(axis=1) for k in range(3)]
        fractions = np.transpose(total) / model.estimator_weights_.sum()
        expected = fractions[:, : len(model.classes_)]
        np.testing.assert_allclose(model.predict_proba(X), expected, rtol=0, atol=1e-12)


@each
def test_a_base_estimator_without_error_is_kept_and_the_last(booster):
    model = booster().fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    assert model.n_estimators_ == 1
    odds = np.log((1 - 1e-10) / 1e-10)
    assert model.estimator_weights_[0] == pytest.approx(odds / 2, abs=1e-9)
    np.testing.assert_array_equal(model.margins([[0], [3]], ["a", "a"]), [1, -1])
    three = booster().fit([[0], [1], [2], [3], [4], [5]], ["a", "a", "b", "b", "c", "c"])
    assert three.estimator_weights_[0] == pytest.approx(odds + np.log(2), abs=1e-9)  # SAMME's


@each
def test_guessing_is_the_end_with_a_warning(booster):
    with pytest.warns(SuspicionWarning, match="no better than guessing") as caught:
        model = booster().fit(np.zeros((4, 1)), ["b", "b", "a", "a"])
    assert caught[0].filename == __file__
    assert model.estimator_weights_.tolist() == [1]


@each
def test_planted_errors_rank_high_on_two_classes(booster):
    for seed in range(5):
        X, y = make_blobs(300, centers=[[-2, 0], [2, 0]], random_state=seed)
        labels, flipped = flip_labels(y, 0.2, random_state=seed)
        assert average_precision_score(flipped, booster().fit(X, labels).suspicion_) > 0.75


def test_a_wrong_row_keeps_the_weight_that_it_had():
    # One of five rows is wrong: e = 0.2, a = log 4, right rows fall to one half.
    distribution = CappedDistribution(np.full(5, 0.2), np.zeros(5, int))
    moved = distribution.after(np.array([1, 0, 0, 0, 0]), np.log(4))
    np.testing.assert_allclose(moved, [1 / 3, *[1 / 6] * 4], rtol=0, atol=1e-12)


def test_weights_are_the_printed_formula():
    random = np.random.RandomState(0)
    start, codes = random.dirichlet(np.ones(8)), random.randint(3, size=8)
    start[0] = 0
    distribution, L = CappedDistribution(start, codes), np.zeros(8)
    for _ in range(6):
        outputs, a = random.randint(3, size=8), random.uniform(0.1, 2)
        L += a / 2 * (2 * (outputs != codes) - 1)
        expected = start * np.minimum(1, np.exp(L))
        moved = distribution.after(outputs, a)
        np.testing.assert_allclose(moved, expected / expected.sum(), rtol=0, atol=1e-12)


def test_weights_do_not_vanish_when_every_row_is_right_for_long():
    distribution, codes = CappedDistribution(np.full(3, 1 / 3), np.zeros(3, int)), np.zeros(3, int)
    for _ in range(200):
        moved = distribution.after(codes, 20.0)
    np.testing.assert_allclose(moved, [1 / 3] * 3, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("booster", "load", "n_train", "depth", "gain"),
    [
        (MadaBoostClassifier, load_breast_cancer, 300, 1, 0.03),
        (AveBoostClassifier, load_iris, 90, 2, 0.04),
    ],
)
def test_wrong_labels_harm_less_than_in_adaboost(booster, load, n_train, depth, gain):
    X, y = load(return_X_y=True)
    gains = []
    for seed in range(5):
        order = np.random.RandomState(seed).permutation(len(y))
        train, test = order[:n_train], order[n_train:]
        labels, _ = flip_labels(y[train], 0.3, random_state=seed)
        robust, plain = (
            b(n_estimators=50, max_depth=depth).fit(X[train], labels).score(X[test], y[test])
            for b in (booster, DiscreteAdaBoostClassifier)
        )
        gains.append(robust - plain)
    assert np.mean(gains) > gain


def printed_update(weights, wrong, t):
    """The average of the weights so far and AdaBoost's proposal."""
    e = weights[wrong].sum()
    proposal = np.where(wrong, weights / (2 * e), weights / (2 * (1 - e)))
    return (t * weights + proposal) / (t + 1)


def test_the_first_round_by_hand():
    # One of five rows is wrong: e = 0.2, gamma = (1.6 + 1) / (0.4 + 1).
    step = compute_averaged_step(0.2, 1)
    assert step == pytest.approx(np.log(0.8 / (0.2 * 1.857143)), abs=1e-6)
    assert step == pytest.approx(0.767255, abs=1e-6)
    moved = printed_update(np.full(5, 0.2), np.arange(5) == 0, 1)
    np.testing.assert_allclose(moved, [0.35, *[0.1625] * 4], rtol=0, atol=1e-12)


@given(st.floats(0.001, 0.499), st.integers(1, 500))
def test_a_vote_counts_the_log_ratio_of_the_factors(e, t):
    before = np.array([e, 1 - e])
    factors = printed_update(before, np.array([True, False]), t) / before
    assert compute_averaged_step(e, t) == pytest.approx(np.log(factors[0] / factors[1]), abs=1e-12)
    gamma = (2 * (1 - e) * t + 1) / (2 * e * t + 1)
    assert compute_averaged_step(e, t) == pytest.approx(np.log((1 - e) / (e * gamma)), abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_are_averaged_as_printed(n_classes):
    X, y = load_wine(return_X_y=True)
    labels, _ = flip_labels(y % n_classes, 0.2, random_state=0)
    model = AveBoostClassifier(n_estimators=8).fit(X, labels)
    weights, votes = np.full(len(y), 1 / len(y)), model._staged_codes(X).T
    for t, (found, vote) in enumerate(
        zip(model.staged_data_weights(X, labels), votes, strict=True)
    ):
        np.testing.assert_allclose(found, weights, rtol=0, atol=1e-12)
        weights = printed_update(weights, vote != labels, t + 1)


def test_a_first_vote_wrong_on_half_the_weight_stays_alone():
    X, y = load_digits(return_X_y=True)
    with pytest.warns(SuspicionWarning, match=r"a weighted error of 0\.\d\d, too much to boost"):
        model = AveBoostClassifier().fit(X, y)
    assert model.estimator_weights_.tolist() == [1]
    assert 0.5 <= model.estimator_errors_[0] < 0.9
    assert AveBoostClassifier(max_depth=5).fit(X, y).n_estimators_ == 50


def noisy(n_classes=2, rate=0.03):
    X, y = make_blobs(200, centers=n_classes, cluster_std=1, random_state=3)
    return X, *flip_labels(y, rate, random_state=0)


def test_a_row_of_twice_the_mean_weight_is_dropped():
    # One of five rows is wrong: AdaBoost gives it 0.5, more than 2 / 5.
    distribution = DroppingDistribution(np.full(5, 0.2), np.zeros(5, int), 2.0)
    moved = distribution.after(np.array([1, 0, 0, 0, 0]), np.log(4))
    np.testing.assert_allclose(moved, [0, *[0.25] * 4], rtol=0, atol=1e-12)
    again = distribution.after(np.array([1, 1, 0, 0, 0]), np.log(4))  # it does not come back
    np.testing.assert_allclose(again, [0, 0, *[1 / 3] * 3], rtol=0, atol=1e-12)
    assert distribution.dropped.tolist() == [True, True, False, False, False]


def test_no_class_is_dropped_as_a_whole():
    distribution = DroppingDistribution(np.full(5, 0.2), np.array([1, 0, 0, 0, 0]), 2.0)
    assert distribution.after(np.zeros(5, int), np.log(4)) is None
    assert not distribution.dropped.any()
    X, y = np.zeros((6, 1)), np.array([0, 0, 0, 0, 0, 1])
    X[2, 0] = 1  # so that the one row of class 1 can only be voted down
    assert ORBoostClassifier(weight_cap=1).fit(X, y).dropped_.sum() == 0


def test_without_a_cap_it_is_adaboost():
    X, labels, _ = noisy()
    model = ORBoostClassifier(weight_cap=np.inf).fit(X, labels, np.arange(200) % 3)
    plain = DiscreteAdaBoostClassifier(n_estimators=50).fit(X, labels, np.arange(200) % 3)
    np.testing.assert_allclose(
        model.decision_function(X), plain.decision_function(X), rtol=0, atol=1e-12
    )
    assert not model.flagged_.any()
    weights = [list(m.staged_data_weights(X, labels, np.arange(200) % 3)) for m in (model, plain)]
    np.testing.assert_allclose(*weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_dropped_rows_are_flagged_and_mostly_wrong(n_classes):
    X, labels, flipped = noisy(n_classes)
    model = ORBoostClassifier().fit(X, labels)
    np.testing.assert_array_equal(model.flagged_, model.dropped_)
    assert model.dropped_.sum() >= 4
    assert flipped[model.dropped_].mean() > 0.8
    *_, last = model.staged_data_weights(X, labels)
    assert set(np.flatnonzero(last == 0)) <= set(np.flatnonzero(model.dropped_))
    other = ORBoostClassifier(contamination=0.1).fit(X, labels)
    np.testing.assert_array_equal(other.dropped_, model.dropped_)
    assert other.flagged_.sum() == 20


def test_rows_without_weight_are_not_dropped_and_weights_are_repetitions():
    X, labels, _ = noisy()
    counts = np.arange(200) % 3
    weighted = ORBoostClassifier(weight_cap=5).fit(X, labels, counts)
    repeated = ORBoostClassifier(weight_cap=5).fit(
        np.repeat(X, counts, axis=0), np.repeat(labels, counts)
    )
    assert weighted.dropped_.any()
    np.testing.assert_array_equal(np.repeat(weighted.dropped_, counts), repeated.dropped_)
    assert not weighted.dropped_[counts == 0].any()


@pytest.mark.parametrize("cap", [0.5, "10", None])
def test_a_cap_is_a_number_of_at_least_one(cap):
    with pytest.raises(ValueError, match=r"weight_cap=.* must be a number between 1 and inf"):
        ORBoostClassifier(weight_cap=cap).fit([[0], [1]], [0, 1])
