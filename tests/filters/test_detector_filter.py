import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from errata.elm import ELMClassifier
from errata.ensemble import DiscreteAdaBoostClassifier, HardnessBaggingClassifier
from errata.exceptions import ClassRetentionWarning
from errata.filters import DetectorFilter, MarginPeeler
from errata.hardness import ClassLikelihood, InstanceHardness, NeighborDisagreement
from errata.noise import flip_labels
from errata.tolerant import ReinforcedLinearRegression, ReinforcedLogisticRegression, ReinforcedPCA
from filters.peeling_cases import noisy_blobs

DETECTORS = [
    NeighborDisagreement(),
    InstanceHardness(random_state=0),
    DiscreteAdaBoostClassifier(),
    HardnessBaggingClassifier(random_state=0),
    ELMClassifier(random_state=0),
    ReinforcedLogisticRegression(),
    MarginPeeler(),
]
each = pytest.mark.parametrize("detector", DETECTORS, ids=lambda d: type(d).__name__)


@each
def test_what_a_detector_flags_is_left_out(detector):
    X, y, flipped = noisy_blobs(120)
    model = DetectorFilter(detector)
    X_left, y_left = model.fit_resample(X, y)
    detector.fit(X, y)
    for name in ("suspicion_", "flagged_", "suggested_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(detector, name))
    np.testing.assert_array_equal(model.sample_indices_, np.flatnonzero(~detector.flagged_))
    np.testing.assert_array_equal(X_left, X[model.sample_indices_])
    np.testing.assert_array_equal(y_left, y[model.sample_indices_])
    assert flipped[model.sample_indices_].mean() < flipped.mean()


def test_guards_keep_rows_and_flags_say_so():
    X, y = make_blobs([30, 4], centers=[[0, 0], [5, 5]], random_state=0)
    model = DetectorFilter(NeighborDisagreement(threshold=-1), min_per_class=3)
    with pytest.warns(ClassRetentionWarning, match="fewer than 3 rows"):
        model.fit(X, y)
    assert model.flagged_.all()
    assert np.bincount(y[model.sample_indices_]).tolist() == [3, 3]
    model.set_params(max_fraction=0.5)  # the small class is the most suspicious one
    with pytest.warns(ClassRetentionWarning, match="fewer than 3 rows"):
        model.fit(X, y)
    assert np.bincount(y[model.sample_indices_]).tolist() == [14, 3]


def test_a_fraction_of_the_rows_is_not_one_row_short_for_rounding():
    X, y = make_blobs(100, centers=2, random_state=0)
    assert 0.29 * len(y) < 29
    model = DetectorFilter(ClassLikelihood(threshold=-1), max_fraction=0.29).fit(X, y)
    assert len(model.sample_indices_) == 71


def test_rows_of_a_regression_and_rows_without_labels_are_filtered_too():
    random = np.random.RandomState(0)
    X = random.normal(size=(60, 2))
    y = X @ [1.0, 2.0] + 0.1 * random.normal(size=60)
    y[:3] += 20
    _, y_left = DetectorFilter(ReinforcedLinearRegression()).fit_resample(X, y)
    assert y_left.max() < 15
    X[:3] += [30, -30]
    outliers = DetectorFilter(ReinforcedPCA(n_components=1)).fit(X)
    assert not set(range(3)) & set(outliers.sample_indices_.tolist())
    assert not hasattr(outliers, "suggested_")


def test_sparse_rows_pass_where_the_detector_takes_them():
    X, y, _ = noisy_blobs()
    model = DetectorFilter(NeighborDisagreement())
    X_left, _ = model.fit_resample(sparse.csr_array(X), y)
    assert sparse.issparse(X_left)
    np.testing.assert_array_equal(X_left.toarray(), X[model.sample_indices_])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        DetectorFilter(ClassLikelihood()).fit(sparse.csr_array(X), y)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_container_is_kept(library):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    X, y, _ = noisy_blobs()
    names = np.array(["ant", "bee", "cat"])[y]
    frame, labels = frames.DataFrame({"a": X[:, 0], "b": X[:, 1]}), frames.Series(names)
    model = DetectorFilter(NeighborDisagreement())
    X_left, y_left = model.fit_resample(frame, labels)
    assert (type(X_left), type(y_left)) == (type(frame), type(labels))
    np.testing.assert_array_equal(X_left.to_numpy(), X[model.sample_indices_])
    np.testing.assert_array_equal(y_left.to_numpy(), names[model.sample_indices_])
    if library == "pandas":
        np.testing.assert_array_equal(y_left.index, model.sample_indices_)
        np.testing.assert_array_equal(X_left.index, model.sample_indices_)


def test_lists_come_back_as_lists():
    X, y, _ = noisy_blobs()
    model = DetectorFilter(NeighborDisagreement())
    X_left, y_left = model.fit_resample(X.tolist(), y.tolist())
    rows = model.sample_indices_
    assert (X_left, y_left) == (X[rows].tolist(), y[rows].tolist())


def test_weights_reach_a_detector_that_takes_them():
    X, y, _ = noisy_blobs()
    counts = np.random.RandomState(0).randint(1, 4, size=len(y))
    booster = DiscreteAdaBoostClassifier(n_estimators=5)
    model = DetectorFilter(booster).fit(X, y, sample_weight=counts)
    np.testing.assert_array_equal(model.suspicion_, booster.fit(X, y, counts).suspicion_)
    with pytest.raises(TypeError, match="got sample_weight, which its parts do not take"):
        DetectorFilter(NeighborDisagreement()).fit(X, y, sample_weight=counts)


@pytest.mark.parametrize("routing", [False, True])
def test_filters_stand_in_a_pipeline_of_imbalanced_learn(routing):
    imblearn = pytest.importorskip("imblearn.pipeline", reason="imbalanced-learn is not installed")
    X, y = make_blobs(400, centers=3, cluster_std=2, random_state=3)
    noisy, _ = flip_labels(y[:200], 0.3, random_state=0)
    with config_context(enable_metadata_routing=routing):
        for filter_, grid in (
            (MarginPeeler(), {"filter__threshold": [0.0, 0.2]}),
            (DetectorFilter(NeighborDisagreement()), {"filter__detector__n_neighbors": [3, 15]}),
        ):
            pipeline = imblearn.Pipeline([("filter", filter_), ("model", LogisticRegression())])
            search = GridSearchCV(pipeline, grid, cv=3).fit(X[:200], noisy)
            kept = search.best_estimator_["filter"].sample_indices_
            alone = LogisticRegression().fit(X[kept], noisy[kept])
            np.testing.assert_array_equal(search.predict(X[200:]), alone.predict(X[200:]))
            assert len(kept) < 200


def test_rows_kept_for_lack_of_budget_are_not_said_to_be_kept_for_their_class():
    X, y = np.arange(100.0)[:, None], np.arange(100) % 2
    filter_ = DetectorFilter(NeighborDisagreement(threshold=-1), max_fraction=0.29)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(filter_.fit_resample(X, y)[1]) == 71
