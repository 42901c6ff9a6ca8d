"""What all filters that look at neighbours have in common."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import scale
from sklearn.utils import get_tags

from errata.exceptions import SuspicionWarning
from errata.filters import (
    AllNeighborsFilter,
    Cleaner,
    CutEdgeFilter,
    EditedNeighborsFilter,
    FilteredClassifier,
    GeneralizedEditionFilter,
    ModeFilter,
    RepeatedEditedFilter,
)
from errata.metrics import filter_report
from errata.noise import boundary_flip_proba, flip_labels, reference_proba
from filters.neighbor_cases import TINY_X, TINY_Y, two_clusters

# Tables as small and as mixed as these have classes to be spared, which is shown elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")

FILTERS = [
    EditedNeighborsFilter(),
    RepeatedEditedFilter(),
    AllNeighborsFilter(),
    GeneralizedEditionFilter(),
    *(CutEdgeFilter(graph=graph) for graph in ("knn", "mutual_knn", "gabriel", "rng")),
    *(CutEdgeFilter(weights=weights) for weights in ("distance", "rank")),
    ModeFilter(),
    ModeFilter(max_iter=1),
]
each = pytest.mark.parametrize("filter_", FILTERS, ids=repr)


@each
def test_clean_clusters_are_left_alone(filter_):
    X, y = two_clusters()
    filter_ = clone(filter_).fit(X, y)
    assert not filter_.flagged_.any()
    np.testing.assert_array_equal(filter_.suggested_, y)
    np.testing.assert_array_equal(filter_.sample_indices_, np.arange(len(y)))


@each
def test_a_wrong_label_deep_inside_a_cluster_is_the_most_suspicious(filter_):
    X, y = two_clusters()
    deep = np.linalg.norm(X - X[y == 0].mean(axis=0), axis=1).argmin()
    labels = y.copy()
    labels[deep] = 1
    filter_ = clone(filter_).fit(X, labels)
    assert filter_.flagged_[deep]
    assert filter_.suspicion_[deep] == filter_.suspicion_.max()
    assert filter_.suggested_[deep] == 0


@each
def test_a_row_is_not_its_own_neighbour(filter_):
    # Each row thrice, once with label 0: if it asked itself it would find its label confirmed.
    X = np.repeat(10.0 * np.arange(20)[:, None], 3, axis=0)
    y = np.tile([0, 1, 1], 20)
    outvoted = clone(filter_).set_params(n_neighbors=2).fit(X, y)
    assert (outvoted.suspicion_[y == 0] > 0.5).all()


# Repeated, a lower threshold takes other rows away, and with them their votes.
@pytest.mark.parametrize(
    "filter_", [f for f in FILTERS if not isinstance(f, RepeatedEditedFilter)], ids=repr
)
def test_a_higher_threshold_never_adds_flags(filter_):
    X, y = make_blobs(90, centers=3, cluster_std=3, random_state=0)
    before = np.ones(len(y), dtype=bool)
    for threshold in np.linspace(-0.1, 1, 12):
        flagged = clone(filter_).set_params(threshold=threshold).fit(X, y).flagged_
        assert not (flagged & ~before).any()
        before = flagged


@each
def test_sparse_rows_and_other_metrics_are_accepted(filter_):
    X = np.random.RandomState(0).randint(6, size=(60, 3)).astype(float)
    y = (X[:, 0] > 2).astype(int)
    filter_ = clone(filter_).set_params(metric="manhattan")
    dense, sparse = filter_.fit(X, y).suspicion_, clone(filter_).fit(csr_array(X), y).suspicion_
    np.testing.assert_allclose(sparse, dense, rtol=0, atol=1e-12)


@each
def test_missing_values_pass_with_the_metric_that_knows_them(filter_):
    X, y = two_clusters(40)
    X[::5, 0] = np.nan
    filter_ = clone(filter_).set_params(metric="nan_euclidean")
    assert get_tags(filter_).input_tags.allow_nan
    assert np.isfinite(filter_.fit(X, y).suspicion_).all()


@each
@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        (TINY_X, np.zeros(10), "y holds one class only"),
        (np.where(TINY_X == 10, np.nan, TINY_X), TINY_Y, "Input X contains NaN, but .*; impute"),
    ],
)
def test_what_cannot_be_judged_gets_a_sentence(filter_, X, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        clone(filter_).fit(X, y)


@each
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"min_per_class": 0}, "min_per_class=0 must be a whole number at least 1"),
        ({"max_fraction": 2}, "max_fraction=2 must be a number between 0 and 1"),
        ({"contamination": "estimate"}, "needs suspicions that are probabilities"),
    ],
)
def test_bad_parameters_get_a_sentence(filter_, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        clone(filter_).set_params(n_neighbors=3, **parameters).fit(TINY_X, TINY_Y)


counting = pytest.mark.parametrize(
    "filter_", [f for f in FILTERS if getattr(f, "graph", "knn").endswith("knn")], ids=repr
)


@counting
def test_more_neighbours_than_rows_are_cut_with_a_warning(filter_):
    with pytest.warns(SuspicionWarning, match=r"more neighbours than there are other rows \(9\)"):
        clone(filter_).set_params(n_neighbors=10).fit(TINY_X, TINY_Y)
    with pytest.raises(ValueError, match="n_neighbors=0 must be a whole number at least 1"):
        clone(filter_).set_params(n_neighbors=0).fit(TINY_X, TINY_Y)


@each
def test_constant_columns_and_a_class_of_one_row_do_no_harm(filter_):
    X, y = two_clusters(40)
    y[0] = 2
    X = np.column_stack([X, np.ones(40)])
    filter_ = clone(filter_)
    _, y_left = filter_.fit_resample(X, y)
    assert filter_.flagged_[0]
    assert set(y_left) == {0, 1, 2}  # flagged, and spared as the only one of its class


@each
def test_filters_stand_in_pipelines_and_searches(filter_):
    imblearn = pytest.importorskip("imblearn.pipeline", reason="imbalanced-learn is not installed")
    X, y = make_blobs(200, centers=3, cluster_std=2, random_state=3)
    labels, _ = flip_labels(y, 0.2, random_state=0)
    pipeline = imblearn.Pipeline([("filter", clone(filter_)), ("model", LogisticRegression())])
    search = GridSearchCV(pipeline, {"filter__n_neighbors": [3, 5]}, cv=2).fit(X, labels)
    one = FilteredClassifier(search.best_estimator_["filter"], LogisticRegression()).fit(X, labels)
    np.testing.assert_array_equal(search.predict(X), one.predict(X))
    assert one.filter_.flagged_.any()


@each
def test_a_cleaner_can_repeat_them(filter_):
    X, y = make_blobs(120, centers=3, random_state=0)
    labels, flipped = flip_labels(y, 0.2, random_state=0)
    cleaner = Cleaner(clone(filter_), action="relabel", max_iter=3)
    _, y_left = cleaner.fit_resample(X, labels)
    assert np.mean(y_left != y[cleaner.sample_indices_]) < 0.6 * flipped.mean()


# Means over four data sets, by a reference implementation of its own: noise-elimination precision
# and average precision of each filter, for errors at random (10 %, 30 %) and near borders (10 %).
REFERENCE = {
    EditedNeighborsFilter: [(0.67, 0.80), (0.68, 0.75), (0.65, 0.69)],
    RepeatedEditedFilter: [(0.66, 0.81), (0.68, 0.79), (0.63, 0.70)],
    AllNeighborsFilter: [(0.42, 0.42), (0.50, 0.50), (0.47, 0.46)],
    GeneralizedEditionFilter: [(0.60, 0), (0.59, 0), (0.62, 0)],
    CutEdgeFilter: [(0.85, 0.97), (0.89, 0.95), (0.81, 0.83)],
}
SETS = (load_iris, load_wine, load_breast_cancer, load_digits)


def noisy_labels(X, y, seed):
    """Labels with the three kinds of noise, and where they are wrong."""
    yield flip_labels(y, 0.1, exact=False, random_state=seed)
    yield flip_labels(y, 0.3, exact=False, random_state=seed)
    proba = reference_proba(X, y, random_state=seed)
    others = np.where(np.arange(proba.shape[1]) == y[:, None], -1, proba)
    runner_up = np.eye(proba.shape[1])[others.argmax(axis=1)]
    near = boundary_flip_proba(proba, 0.1)
    yield flip_labels(y, flip_proba=near, target=runner_up, random_state=seed)


def test_planted_errors_are_found_as_well_as_by_the_reference():
    tables = [[part[:500] for part in load(return_X_y=True)] for load in SETS]
    tables = [(scale(X), y) for X, y in tables]
    for seed in range(5):
        found = {kind: np.zeros((3, 2)) for kind in REFERENCE}
        for X, y in tables:
            for noise, (labels, flipped) in enumerate(noisy_labels(X, y, seed)):
                for kind in REFERENCE:
                    filter_ = kind().fit(X, labels)
                    nep = filter_report(flipped, filter_.flagged_)["nep"]
                    ap = average_precision_score(flipped, filter_.suspicion_)
                    found[kind][noise] += np.array([nep, ap]) / len(tables)
        for kind, expected in REFERENCE.items():
            assert (found[kind] >= np.array(expected) - [0.10, 0.05]).all(), (kind, seed)
