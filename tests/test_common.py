"""What every public estimator of errata promises, checked on every one of them.

Estimators are discovered: a new one is checked from the day it is exported.
"""

import copy
import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

import errata

# Checks of scikit-learn that an estimator cannot pass by its nature: {class name: {check: reason}}.
WEIGHTS_ARE_PROBABILITIES = "sample weights are probabilities of being drawn, not repeated rows"
STOPS_EARLY = "LIBSVM stops within tol=1e-3 of the optimum, and the check asks for seven digits"
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "ELMSVC": {"check_sample_weight_equivalence_on_dense_data": STOPS_EARLY},
    "ELMSVR": {"check_sample_weight_equivalence_on_dense_data": STOPS_EARLY},
    "ReinforcedKernelRidge": {
        "check_regressors_train": "it sets alpha=0.01, here so small that hardly a row has weight"
    },
    "ParallelPerceptronRegressor": {
        "check_sample_weight_equivalence_on_dense_data": (
            "equal for 200 epochs; then an activation next to zero changes sign by rounding"
        )
    },
    "HardnessBaggingClassifier": {
        "check_sample_weight_equivalence_on_dense_data": WEIGHTS_ARE_PROBABILITIES,
        "check_sample_weight_equivalence_on_sparse_data": WEIGHTS_ARE_PROBABILITIES,
    },
}


# Detectors whose suspicion says how hard a row is for a reason that wrong labels hardly change.
HARD_FOR_OTHER_REASONS = {
    "ClassBalance": "knows the sizes of the classes only",
    "MinorityValue": "knows the sizes of the classes only",
    "NoiseReducingBoostClassifier": "made for two classes; here are three in the plane",
    "TreeDepth": "says where borders are intricate; a wrong label is only a little deeper",
}


def public_estimators():
    """Every estimator class that some room of errata exports."""
    rooms = [getattr(errata, name) for name in errata.__all__]
    exported = [getattr(room, name) for room in rooms for name in getattr(room, "__all__", [])]
    classes = {c for c in exported if inspect.isclass(c) and issubclass(c, BaseEstimator)}
    return sorted(classes, key=lambda c: c.__name__)


ESTIMATORS = [c() for c in public_estimators()]


def planted(n_samples=60, n_classes=3, n_flips=6):
    """Separated blobs in which some labels are wrong."""
    X, y = make_blobs(n_samples, centers=n_classes, n_features=3, random_state=0)
    y_noisy, _ = errata.noise.flip_labels(y, n_flips=n_flips, random_state=0)
    return X, y_noisy


def fitted(estimator, X, y):
    estimator = clone(estimator)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    return estimator.fit(X, y)


def detectors(attribute):
    X, y = planted()
    return [e for e in ESTIMATORS if hasattr(fitted(e, X, y), attribute)]


def each(attribute):
    return pytest.mark.parametrize("detector", detectors(attribute), ids=lambda e: type(e).__name__)


all_detectors = each("suspicion_")
label_detectors = each("suggested_")  # those that judge labels, not responses or whole rows


def test_estimators_are_found():
    assert "NeighborDisagreement" in {c.__name__ for c in public_estimators()}


@parametrize_with_checks(
    ESTIMATORS,
    expected_failed_checks=lambda e: EXPECTED_FAILURES.get(type(e).__name__, {}),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@all_detectors
def test_suspicion_is_finite_and_one_per_row(detector):
    X, y = planted()
    model = fitted(detector, X, y)
    assert model.suspicion_.shape == y.shape
    assert np.all(np.isfinite(model.suspicion_))
    assert model.flagged_.shape == y.shape
    assert model.flagged_.dtype == bool


@label_detectors
def test_suggestion_is_the_label_where_nothing_is_flagged_and_a_known_class_everywhere(detector):
    X, y = planted()
    model = fitted(detector, X, y)
    assert model.suggested_.shape == y.shape
    np.testing.assert_array_equal(model.suggested_[~model.flagged_], y[~model.flagged_])
    assert set(model.suggested_) <= set(y)


@all_detectors
def test_suspicion_follows_the_rows(detector):
    X, y = planted()
    order = np.random.RandomState(1).permutation(len(y))
    straight, shuffled = fitted(detector, X, y), fitted(detector, X[order], y[order])
    np.testing.assert_allclose(
        shuffled.suspicion_, straight.suspicion_[order], rtol=1e-6, atol=1e-8
    )


@label_detectors
def test_suspicion_is_unchanged_when_classes_are_renamed(detector):
    X, y = planted()
    names = np.array(["gamma", "alpha", "beta"])  # another order once sorted
    numbers, words = fitted(detector, X, y), fitted(detector, X, names[y])
    np.testing.assert_allclose(words.suspicion_, numbers.suspicion_, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(words.suggested_, names[numbers.suggested_])


@all_detectors
def test_suspicion_repeats_under_a_seed(detector):
    X, y = planted()
    np.testing.assert_array_equal(
        fitted(detector, X, y).suspicion_, fitted(detector, X, y).suspicion_
    )


@all_detectors
def test_suspicion_survives_pickling_and_cloning(detector):
    X, y = planted()
    model = fitted(detector, X, y)
    revived = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(revived.suspicion_, model.suspicion_)
    assert not hasattr(clone(model), "suspicion_")
    np.testing.assert_array_equal(clone(model).fit(X, y).suspicion_, model.suspicion_)


@all_detectors
def test_inputs_are_left_alone(detector):
    X, y = planted()
    X_before, y_before = copy.deepcopy(X), copy.deepcopy(y)
    X.setflags(write=False)
    y.setflags(write=False)
    fitted(detector, X, y)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)


@all_detectors
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_dataframes_are_welcome(detector, library):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    X, y = planted()
    if hasattr(fitted(detector, X, y), "suggested_"):
        y = np.array(["gamma", "alpha", "beta"])[y]
    frame = frames.DataFrame({f"x{j}": X[:, j] for j in range(X.shape[1])})
    model = fitted(detector, frame, frames.Series(y))
    np.testing.assert_array_equal(model.suspicion_, fitted(detector, X, y).suspicion_)
    assert list(model.feature_names_in_) == ["x0", "x1", "x2"]


@label_detectors
def test_planted_errors_rank_above_the_rest(detector):
    if reason := HARD_FOR_OTHER_REASONS.get(type(detector).__name__):
        pytest.skip(reason)
    X, y = make_blobs(200, centers=3, random_state=3)
    y_noisy, flipped = errata.noise.flip_labels(y, 0.1, random_state=0)
    model = fitted(detector, X, y_noisy)
    assert errata.metrics.detection_auroc(model.suspicion_, flipped) > 0.9
