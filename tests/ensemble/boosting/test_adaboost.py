import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_blobs
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from errata.ensemble import DiscreteAdaBoostClassifier
from errata.ensemble.boosting._base_learners import predict_codes
from errata.exceptions import SuspicionWarning
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
