import numpy as np
import pytest
from imblearn.pipeline import make_pipeline as resampling_pipeline
from scipy.sparse import csr_matrix
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from errata.exceptions import SuspicionWarning
from errata.filters import DetectorFilter
from errata.noise import flip_labels
from errata.tolerant import NoiseModelClassifier
from strategies import SEEDS
from tolerant.gaussian_classes import EM8, TWO, two_classes


def logistic():
    return LogisticRegression(solver="newton-cholesky")


@pytest.mark.parametrize("estimator", [GaussianNB(), logistic()])
def test_without_noise_it_is_its_estimator(estimator):
    X, y, *_ = two_classes(0, n=200, n_test=10)
    weights = np.random.default_rng(0).uniform(0.5, 2, 200)
    model = NoiseModelClassifier(
        estimator, transition=np.eye(2), learn_transition=False, cross_fit=False
    ).fit(X, y, weights)
    plain = estimator.fit(X, y, weights)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(model.suspicion_, 0)
    assert model.n_iter_ == 2


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("estimator", "error"), [(GaussianNB(), 0.07), (logistic(), 0.09)])
def test_two_gaussian_classes_are_learnt_in_spite_of_noise(estimator, error, seed):
    X, y, _, X_test, y_test = two_classes(seed)
    model = NoiseModelClassifier(estimator, random_state=0).fit(X, y)
    assert np.abs(model.noise_transition_ - TWO).max() <= error
    np.testing.assert_allclose(model.noise_transition_.sum(axis=1), 1, rtol=1e-12)
    assert model.score(X_test, y_test) >= 0.92


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_forest_that_judges_its_own_rows_finds_nothing_wrong(seed):
    X, y = load_wine(return_X_y=True)
    labels, _ = flip_labels(y, 0.3, random_state=seed)

    def estimated_error(cross_fit):
        forest = RandomForestClassifier(10, random_state=seed)
        return (
            NoiseModelClassifier(forest, cross_fit=cross_fit, max_iter=5, random_state=seed)
            .fit(X, labels)
            .suspicion_.mean()
        )

    assert estimated_error(True) >= 5 * estimated_error(False)


def test_rows_of_a_group_are_held_out_together():
    X, y, *_ = two_classes(0, n=60, n_test=10)
    X, y, groups = np.repeat(X, 2, axis=0), np.repeat(y, 2), np.repeat(np.arange(60), 2)
    together = NoiseModelClassifier(logistic(), random_state=0).fit(X, y, groups=groups)
    apart = NoiseModelClassifier(logistic(), random_state=0).fit(X, y)
    np.testing.assert_allclose(together.suspicion_[::2], together.suspicion_[1::2], rtol=1e-9)
    assert not np.allclose(apart.suspicion_[::2], apart.suspicion_[1::2], rtol=1e-9)


def test_sparse_rows_are_as_good():
    X, y, *_ = two_classes(0, n=200, n_test=10)
    estimator = LogisticRegression(tol=1e-10)
    dense, sparse = (
        NoiseModelClassifier(estimator, cross_fit=False).fit(Z, y) for Z in (X, csr_matrix(X))
    )
    np.testing.assert_allclose(sparse.suspicion_, dense.suspicion_, rtol=1e-4, atol=1e-8)


def test_a_label_too_rare_to_be_learnt_is_not_judged():
    X, y, *_ = two_classes(0, n=60, n_test=10)
    X, y = np.vstack([X, [[9.0, 9.0]]]), np.append(y, 2)
    with pytest.warns(SuspicionWarning, match="1 rows have a label too rare"):
        model = NoiseModelClassifier(logistic(), random_state=0).fit(X, y)
    assert model.suspicion_[-1] < 1e-3
    assert not model.flagged_[-1]


def test_it_stops_when_the_matrix_does():
    X, y, *_ = two_classes(0, n=200, n_test=10)
    loose = NoiseModelClassifier(GaussianNB(), tol=0.05).fit(X, y)
    tight = NoiseModelClassifier(GaussianNB(), tol=1e-3).fit(X, y)
    assert loose.n_iter_ < tight.n_iter_
    with pytest.warns(ConvergenceWarning, match="had not settled after max_iter=2"):
        NoiseModelClassifier(GaussianNB(), max_iter=2, tol=0).fit(X, y)


def test_it_can_be_searched_and_filtered_by():
    X, y, *_ = two_classes(0, n=100, n_test=10)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), NoiseModelClassifier(GaussianNB())),
        {"noisemodelclassifier__estimator__var_smoothing": [1e-9, 1e-3]},
        cv=2,
        error_score="raise",
    ).fit(X, y)
    assert search.best_estimator_.predict(X).shape == (100,)
    cleaned = resampling_pipeline(
        DetectorFilter(NoiseModelClassifier(GaussianNB())), GaussianNB()
    ).fit(X, y)
    assert cleaned.score(X, y) > 0.5


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (Perceptron(), r"Perceptron has no predict_proba.*CalibratedClassifierCV\(Perceptron"),
        (LinearDiscriminantAnalysis(), r"LinearDiscriminantAnalysis\.fit takes no sample_weight"),
        (make_pipeline(StandardScaler(), GaussianNB()), "in place of its last step, around it"),
    ],
)
def test_estimators_that_will_not_do_get_a_sentence(estimator, sentence):
    with pytest.raises(TypeError, match=sentence):
        NoiseModelClassifier(estimator).fit(*EM8)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"cross_fit": "yes"}, "cross_fit='yes' must be True, False or \"auto\""),
        ({"prune_below": 2}, "prune_below=2 must be a number between 0 and 1"),
        ({"cv": 1, "cross_fit": True}, "cv=1 must be a whole number at least 2"),
    ],
)
def test_wrong_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        NoiseModelClassifier(GaussianNB(), **parameters).fit(*EM8)


def test_probabilities_that_are_no_numbers_get_a_sentence():
    with (
        np.errstate(all="ignore"),
        pytest.raises(ValueError, match="GaussianNB gives probabilities that are no numbers"),
    ):
        NoiseModelClassifier(GaussianNB()).fit(np.ones((10, 2)), [0, 1] * 5)
