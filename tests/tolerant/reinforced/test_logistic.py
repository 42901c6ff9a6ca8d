import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from errata.bench.figures import make_mislabelled_extreme
from errata.datasets import load_dataset
from errata.exceptions import SuspicionWarning
from errata.noise import flip_labels
from errata.tolerant import ReinforcedLogisticRegression, reinforcement_weights

penalties = pytest.mark.parametrize("penalty", ["l1", "l2"])
restless = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def overlapping(seed, n=80, n_classes=2):
    random = np.random.RandomState(seed)
    y = np.arange(n) % n_classes
    X = random.standard_normal((n, 3)) + 2 * np.eye(max(3, n_classes))[y][:, :3]
    return X, flip_labels(y, 0.1, random_state=seed)[0]


@penalties
@pytest.mark.parametrize("n_classes", [2, 3])
def test_b5_a_large_enough_reinforcement_is_the_plain_fit(penalty, n_classes):
    X, y = overlapping(0, n_classes=n_classes)
    plain = ReinforcedLogisticRegression(reinforcement=np.inf).fit(X, y)
    least = plain.log_likelihood_.min()
    log_alpha = -least + 1e-12 if penalty == "l1" else 2 * (-least + np.log(1e4))
    model = ReinforcedLogisticRegression(
        reinforcement_penalty=penalty, reinforcement=np.exp(log_alpha)
    ).fit(X, y)
    assert np.max(
        1
        - reinforcement_weights(
            plain.log_likelihood_, reinforcement=np.exp(log_alpha), reinforcement_penalty=penalty
        )
    ) <= (0 if penalty == "l1" else 1e-8)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=0, atol=1e-6)


@restless
@penalties
@pytest.mark.parametrize("l2", [1e-6, 1e-3, 1.0, 50.0])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_b6_the_objective_never_falls(penalty, l2, n_classes):
    for seed, log_alpha in [(0, 0.5), (1, 2.0), (2, 4.0)]:
        model = ReinforcedLogisticRegression(
            reinforcement_penalty=penalty, reinforcement=np.exp(log_alpha), C=1 / l2, tol=1e-7
        ).fit(*overlapping(seed, n_classes=n_classes))
        assert np.all(np.diff(model.objective_) >= -1e-10)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l2", [1e-3, 2.0])
def test_b9_an_infinite_reinforcement_is_the_weighted_regression_of_scikit_learn(n_classes, l2):
    X, y = overlapping(1, n_classes=n_classes)
    sample_weight = np.random.RandomState(0).uniform(size=len(y))
    for weights in (None, sample_weight):
        model = ReinforcedLogisticRegression(reinforcement=np.inf, C=1 / l2).fit(
            X, y, sample_weight=weights
        )
        other = LogisticRegression(C=1 / l2, solver="newton-cholesky", tol=1e-10)
        other.fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(model.coef_, other.coef_, rtol=0, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, other.intercept_, rtol=0, atol=1e-5)
        np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-5)
        np.testing.assert_allclose(
            model.decision_function(X), other.decision_function(X), rtol=0, atol=1e-4
        )


@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
@penalties
def test_b12_separable_classes_without_a_penalty(penalty):
    X = np.append(np.linspace(-3, -1, 10), np.linspace(1, 3, 10))[:, None]
    y = np.repeat(["ham", "spam"], 10)
    model = ReinforcedLogisticRegression(reinforcement_penalty=penalty, C=np.inf).fit(X, y)
    assert model.separable_
    assert np.all(np.isfinite(model.coef_))
    # All rows are as likely as can be, so that no weight stands out and nothing is flagged.
    np.testing.assert_allclose(model.weights_, 0.95, rtol=0, atol=1e-4)
    assert not model.flagged_.any()
    assert model.score(X, y) == 1


def test_b12_separation_without_a_penalty_is_told():
    X = np.append(np.linspace(-3, -1, 10), np.linspace(1, 3, 10))[:, None]
    with pytest.warns(SuspicionWarning, match="a plane separates the rows.*pass a finite C"):
        ReinforcedLogisticRegression(C=np.inf).fit(X, np.repeat([0, 1], 10))
    assert not ReinforcedLogisticRegression().fit(X, np.repeat([0, 1], 10)).separable_


@penalties
def test_t3_one_wrong_label(penalty):
    grid = np.linspace(-6, 6, 241)[:, None]

    def curve(X, y, **parameters):
        return ReinforcedLogisticRegression(**parameters).fit(X, y).predict_proba(grid)[:, 1]

    plain, reinforced = [], []
    for seed in range(20):
        X, y, flipped = make_mislabelled_extreme(random_state=seed)
        clean = curve(X, np.where(flipped, 1, y), reinforcement=np.inf)
        plain.append(np.mean(np.abs(curve(X, y, reinforcement=np.inf) - clean)))
        model = ReinforcedLogisticRegression(reinforcement_penalty=penalty).fit(X, y)
        reinforced.append(np.mean(np.abs(model.predict_proba(grid)[:, 1] - clean)))
        assert model.log_likelihood_.argmin() == model.suspicion_.argmax() == 29
        assert model.suggested_[29] == 1
    assert np.mean(reinforced) <= 0.03  # an independent prototype: 0.012 (L1), 0.006 (L2)
    assert np.mean(plain) == pytest.approx(0.075, abs=0.01)


@penalties
def test_t5_wrong_labels_of_wdbc_rank_first(penalty):
    X, y = load_dataset("wdbc", return_X_y=True)
    X = StandardScaler().fit_transform(X)
    reinforced, plain = [], []
    for seed in range(3):
        noisy, flipped = flip_labels(y, 0.1, random_state=seed)
        for reinforcement, found in [("auto", reinforced), (np.inf, plain)]:
            model = ReinforcedLogisticRegression(
                reinforcement_penalty=penalty, reinforcement=reinforcement, mean_weight=0.9, C=1
            )
            model.fit(X, noisy)
            found.append(roc_auc_score(flipped, -model.log_likelihood_))
    # An independent prototype: plain 0.988, L1 0.994, L2 0.991.
    assert np.mean(reinforced) >= 0.98
    assert np.mean(reinforced) >= np.mean(plain) - 0.005


def test_labels_are_words_numbers_and_more_than_two():
    X, y = overlapping(0, n_classes=3)
    words = np.array(["one", "two", "three"])[y]
    by_number, by_word = (ReinforcedLogisticRegression().fit(X, labels) for labels in (y, words))
    assert by_word.classes_.tolist() == ["one", "three", "two"]
    assert by_word.coef_.shape == (3, 3)
    translated = np.array(["one", "two", "three"])[by_number.predict(X)]
    np.testing.assert_array_equal(by_word.predict(X), translated)
    np.testing.assert_allclose(by_word.predict_proba(X).sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(
        np.log(by_word.predict_proba(X)), by_word.predict_log_proba(X), rtol=1e-10
    )


def test_one_class_gets_a_sentence():
    with pytest.raises(ValueError, match=r"one class only \(a\); at least 2 are needed"):
        ReinforcedLogisticRegression().fit([[0.0], [1.0]], ["a", "a"])


def test_a_class_without_weight_gets_a_sentence():
    X, y = overlapping(0)
    with pytest.raises(ValueError, match="no row of the class 1 keeps any weight"):
        ReinforcedLogisticRegression().fit(X, y, sample_weight=y == 0)


def test_a_class_that_loses_all_its_weight_stops_the_loop():
    # Three stray labels in the midst of the other class: each fit believes less in them.
    random = np.random.RandomState(0)
    X = random.standard_normal((60, 2))
    y = np.where(np.arange(60) < 3, "rare", "common")
    with pytest.warns(SuspicionWarning, match="no row of the class rare keeps any weight"):
        model = ReinforcedLogisticRegression(reinforcement=1, tol=0).fit(X, y)
    assert not model.converged_
    assert set(model.classes_) == {"rare", "common"}


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"C": -1.0}, "C=-1.0 must be a number between 0 and inf"),
        ({"C": 0}, "C=0 must be a number above 0"),
        ({"reinforcement": 0.0}, "reinforcement=0.0 must be a number above 0"),
        ({"mean_weight": 2}, "mean_weight=2 must be a number between 0 and 1"),
        ({"reinforcement_penalty": "elastic"}, "reinforcement_penalty='elastic' is not known"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        ReinforcedLogisticRegression(**parameters).fit(*overlapping(0))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_far_from_zero_keep_their_digits(n_classes):
    X, y = overlapping(0, n_classes=n_classes)
    far = X + 1e8
    model, expected = (ReinforcedLogisticRegression().fit(Z, y) for Z in (far, far - 1e8))
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(model.suggested_, expected.suggested_)
    assert model.score(far, y) == expected.score(far - 1e8, y)
