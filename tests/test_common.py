"""What every public estimator of errata promises, checked on every one of them.

Estimators are discovered: a new one is checked from the day it is exported.
"""

import copy
import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone, is_regressor
from sklearn.datasets import make_blobs
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

import errata
from errata.exceptions import ClassRetentionWarning
from public_estimators import (
    ESTIMATORS,
    answer,
    detectors,
    documented_attributes,
    fitted,
    parameter_names,
    planted,
    public_estimators,
    with_params,
)

# Checks of scikit-learn that an estimator cannot pass by its nature: {class name: {check: reason}}.
WEIGHTS_ARE_PROBABILITIES = "sample weights are probabilities of being drawn, not repeated rows"
DETECTOR_KNOWS_NO_WEIGHTS = "the detector takes repeated rows for neighbours, and takes no weights"
STOPS_EARLY = "LIBSVM stops within tol=1e-3 of the optimum, and the check asks for seven digits"
TIME_SERIES = {
    "check_methods_sample_order_invariance": "rows are a time series, in which the order counts",
    "check_methods_subset_invariance": "a row is judged by its neighbours in time",
}
LIKELIEST_PATH = TIME_SERIES | {
    "check_classifiers_train": "predict gives the likeliest path, not the likeliest classes",
}
SIGNAL_ALONE = "a signal alone is a column"
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "BaumWelchHMM": LIKELIEST_PATH,
    "SupervisedHMM": LIKELIEST_PATH,
    "TolerantHMM": LIKELIEST_PATH,
    "WaveletFeatures": TIME_SERIES
    | {"check_fit1d": SIGNAL_ALONE, "check_fit2d_predict1d": SIGNAL_ALONE},
    "ELMSVC": {"check_sample_weight_equivalence_on_dense_data": STOPS_EARLY},
    "ELMSVR": {"check_sample_weight_equivalence_on_dense_data": STOPS_EARLY},
    "SuspicionWeightedClassifier": {
        "check_sample_weight_equivalence_on_dense_data": DETECTOR_KNOWS_NO_WEIGHTS,
    },
    "ParallelPerceptronRegressor": {
        "check_sample_weight_equivalence_on_dense_data": (
            "equal for 200 epochs; then an activation next to zero changes sign by rounding"
        )
    },
    "RobustMixtureClassifier": {
        "check_sample_weight_equivalence_on_dense_data": (
            "scikit-learn's mixtures take no weights, so clusters count rows of any weight alike"
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
    "VotePeeler": "a stump names two classes at most, and here are three",
}

# Detectors that may choose among rows that are alike by their order.
MINDS_THE_ORDER = {
    "LabelNoiseMemberships": "the noise that tells equal rows apart is drawn row after row",
    "LinearProgramPeeler": "where many rows hold the margin down, the solver picks some of them",
    "AuditedClassifier": "an audit deals rows out to folds by where they stand",
    "TolerantHMM": "rows are a time series",
}

# Who acts on an audit flags what the audit flags, which draws the line itself.
WITHOUT_RULES = {"AuditedClassifier"}

# Filters that do not only leave rows out; their own tests ask for the same in their own way.
RELABELS = {
    "GeneralizedEditionFilter": "gives flagged rows the label that their neighbours share",
}


def each(attribute):
    return pytest.mark.parametrize("detector", detectors(attribute), ids=lambda e: type(e).__name__)


all_detectors = each("suspicion_")
ruled_detectors = pytest.mark.parametrize(
    "detector",
    [e for e in detectors() if type(e).__name__ not in WITHOUT_RULES],
    ids=lambda e: type(e).__name__,
)
label_detectors = each("suggested_")  # those that judge labels, not responses or whole rows
all_filters = each("sample_indices_")
all_estimators = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)


def test_estimators_are_found():
    assert "NeighborDisagreement" in {c.__name__ for c in public_estimators()}


@all_estimators
@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_docstring_says_whether_it_is_a_detector_and_a_filter(estimator):
    promises = {"suspicion_", "flagged_", "suggested_", "sample_indices_"}
    model = fitted(estimator, *planted())
    found = {name for name in promises if hasattr(model, name)}
    assert found == promises & documented_attributes(estimator)


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


@ruled_detectors
def test_contamination_flags_exactly_that_fraction_the_most_suspicious_first(detector):
    X, y = planted()
    for fraction in (0.0, 0.1, 0.258, 0.4):
        model = fitted(with_params(detector, contamination=fraction), X, y)
        assert model.flagged_.sum() == np.floor(fraction * len(y) + 0.5)
        if model.flagged_.any():
            assert model.suspicion_[model.flagged_].min() >= model.suspicion_[~model.flagged_].max()


@ruled_detectors
def test_threshold_flags_what_exceeds_it_and_not_what_equals_it(detector):
    X, y = planted()
    middle = np.sort(fitted(detector, X, y).suspicion_)[len(y) // 2]
    model = fitted(with_params(detector, threshold=middle), X, y)
    np.testing.assert_array_equal(model.flagged_, model.suspicion_ > middle)


@ruled_detectors
def test_threshold_and_contamination_are_two_rules(detector):
    assert parameter_names(detector, "threshold")
    both = with_params(detector, threshold=0.5, contamination=0.1)
    with pytest.raises(ValueError, match="are two rules; pass at most one of them"):
        both.fit(*planted())


@label_detectors
def test_suggestion_is_the_label_where_nothing_is_flagged_and_a_known_class_everywhere(detector):
    X, y = planted()
    model = fitted(detector, X, y)
    assert model.suggested_.shape == y.shape
    np.testing.assert_array_equal(model.suggested_[~model.flagged_], y[~model.flagged_])
    assert set(model.suggested_) <= set(y)


@all_detectors
def test_suspicion_follows_the_rows(detector):
    if reason := MINDS_THE_ORDER.get(type(detector).__name__):
        pytest.skip(reason)
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
    # An audit fits its noise model step by step, in the order of the classes.
    atol = 1e-6 if type(detector).__name__ == "AuditedClassifier" else 1e-8
    np.testing.assert_allclose(words.suspicion_, numbers.suspicion_, rtol=1e-6, atol=atol)
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
    np.testing.assert_array_equal(fitted(model, X, y).suspicion_, model.suspicion_)


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
def test_dataframes_are_accepted(detector, library):
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
    assert roc_auc_score(flipped, model.suspicion_) > 0.9


@all_filters
def test_filters_spare_every_class(detector):
    if reason := RELABELS.get(type(detector).__name__):
        pytest.skip(reason)
    X, y = planted()
    model = with_params(detector, threshold=-np.inf, max_fraction=None)
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        X_left, y_left = model.fit_resample(X, y)
    assert model.flagged_.all()
    np.testing.assert_array_equal(np.bincount(y_left), [2, 2, 2])
    assert (np.diff(model.sample_indices_) > 0).all()
    np.testing.assert_array_equal(X_left, X[model.sample_indices_])


@all_filters
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_filters_keep_dataframes(detector, library):
    if reason := RELABELS.get(type(detector).__name__):
        pytest.skip(reason)
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    X, y = planted()
    frame, labels = frames.DataFrame({f"x{j}": X[:, j] for j in range(3)}), frames.Series(y)
    model = with_params(detector, contamination=0.1)
    X_left, y_left = model.fit_resample(frame, labels)
    assert (type(X_left), type(y_left)) == (type(frame), type(labels))
    assert len(X_left) == len(y_left) == 54
    np.testing.assert_array_equal(X_left.to_numpy(), X[model.sample_indices_])
    np.testing.assert_array_equal(y_left.to_numpy(), y[model.sample_indices_])


def takers(name):
    found = [e for e in ESTIMATORS if has_fit_parameter(e, name)]
    return pytest.mark.parametrize("estimator", found, ids=lambda e: type(e).__name__)


def requesting(estimator, name):
    """A clone that asks for this metadata, or whose parts do where it has none of its own."""
    estimator = with_params(estimator, random_state=0)
    parts = [p for p in estimator.get_params(deep=False).values() if has_fit_parameter(p, name)]
    for part in parts or [estimator]:
        if name not in get_routing_for_object(part).consumes("fit", [name]):
            part.set_fit_request(**{name: True})
    return estimator


def check_routing(estimator, name, values):
    """What a pipeline and a grid search are given reaches the fit of the last step."""
    X, y = planted()
    alone = answer(fitted(estimator, X, y, **{name: values}), X)
    with config_context(enable_metadata_routing=True):
        pipeline = Pipeline(
            [("same", FunctionTransformer()), ("model", requesting(estimator, name))]
        )
        piped = pipeline.fit(X, y, **{name: values})["model"]
        search = GridSearchCV(pipeline, {}, cv=2, scoring=lambda *_: 0.0, error_score="raise")
        searched = search.fit(X, y, **{name: values}).best_estimator_["model"]
    np.testing.assert_array_equal(answer(piped, X), alone)
    np.testing.assert_array_equal(answer(searched, X), alone)
    without = answer(fitted(estimator, X, y), X)
    assert not np.array_equal(without, alone, equal_nan=True)  # else nothing is shown


@takers("sample_weight")
@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sample_weight_is_routed(estimator):
    weights = np.random.RandomState(0).choice([1, 2, 9], size=60)
    check_routing(estimator, "sample_weight", weights)


@takers("groups")
def test_groups_are_routed(estimator):
    check_routing(with_params(estimator, cv=3), "groups", np.repeat(np.arange(12), 5))


@all_estimators
@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_missing_values_are_accepted_or_refused_as_the_tags_say(estimator):
    X, y = planted()
    X[::7, 1] = np.nan
    if get_tags(estimator).input_tags.allow_nan:
        assert np.isfinite(answer(fitted(estimator, X, y), X)).all()
    else:
        sentence = r"^Input X contains NaN, but \w+ does not accept missing values; impute .*\.$"
        with pytest.raises(ValueError, match=sentence):
            fitted(estimator, X, y)


@pytest.mark.parametrize(
    "regressor", list(filter(is_regressor, ESTIMATORS)), ids=lambda e: type(e).__name__
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_regressor_takes_yes_and_no_for_one_and_zero_and_no_words(regressor):
    X, labels = planted(n_classes=2)
    y = labels == labels[0]
    found = [fitted(regressor, X, targets).predict(X) for targets in (y, y.astype(float))]
    np.testing.assert_array_equal(*found)
    with pytest.raises(ValueError, match="predicts numbers, but y holds text or other objects"):
        fitted(regressor, X, np.where(y, "yes", "no"))
