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

from errata.exceptions import ClassRetentionWarning, SuspicionWarning
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
from filters.neighbor_cases import PLANTED, TINY_X, TINY_Y, two_clusters

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


def test_planted_errors_on_a_line_are_flagged_and_corrected():
    editor = EditedNeighborsFilter(n_neighbors=3).fit(TINY_X, TINY_Y)
    expected = np.full(10, 1 / 3)
    expected[PLANTED] = 1
    np.testing.assert_allclose(editor.suspicion_, expected, rtol=0, atol=1e-15)
    assert np.flatnonzero(editor.flagged_).tolist() == PLANTED
    assert editor.suggested_[PLANTED].tolist() == [0, 1]
    assert editor.sample_indices_.tolist() == [0, 1, 3, 4, 5, 6, 7, 9]


def test_a_tie_keeps_the_label():
    # The neighbours of the row at 0 carry three labels, one of them its own.
    X, y = [[0.0], [1.0], [-1.1], [1.2]], [0, 0, 1, 2]
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        editor = EditedNeighborsFilter(n_neighbors=3).fit(X, y)
    assert editor.suspicion_[0] == 0.5
    assert not editor.flagged_[0]


@pytest.mark.parametrize("k", [1, 3, 5])
def test_imbalanced_learn_agrees_once_it_is_told_wilson_s_rule(k):
    imblearn = pytest.importorskip(
        "imblearn.under_sampling", reason="imbalanced-learn is not installed"
    )
    peer = imblearn.EditedNearestNeighbours(sampling_strategy="all", kind_sel="mode", n_neighbors=k)
    blobs = make_blobs(200, centers=2, cluster_std=4, random_state=0)
    for X, y in [(TINY_X, TINY_Y), blobs]:
        peer.fit_resample(X, y)
        ours = EditedNeighborsFilter(n_neighbors=k).fit(X, y)
        np.testing.assert_array_equal(ours.sample_indices_, np.sort(peer.sample_indices_))


def test_worked_example_on_a_line():
    # Flagged are the errors at 2 and 8, and the rows they are nearest to.
    editor = AllNeighborsFilter(n_neighbors=3).fit(TINY_X, TINY_Y)
    expected = [1 / 2, 1 / 2, 1, 1, 1 / 2, 1 / 3, 1 / 3, 1, 1, 1]
    np.testing.assert_allclose(editor.suspicion_, expected, rtol=0, atol=1e-15)
    assert np.flatnonzero(editor.flagged_).tolist() == [2, 3, 7, 8, 9]


@pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_it_flags_what_any_number_of_neighbours_flags(k):
    X, y = make_blobs(90, centers=4, cluster_std=4, random_state=0)
    sizes = [EditedNeighborsFilter(n_neighbors=j) for j in range(1, k + 1)]
    each = [size.fit(X, y) for size in sizes]
    ours = AllNeighborsFilter(n_neighbors=k).fit(X, y)
    np.testing.assert_array_equal(ours.suspicion_, np.max([e.suspicion_ for e in each], axis=0))
    np.testing.assert_array_equal(ours.flagged_, np.any([e.flagged_ for e in each], axis=0))


def noisy_blobs(seed, rate=0.35):
    X, y = make_blobs(200, centers=3, cluster_std=2, random_state=seed)
    return X, flip_labels(y, rate, random_state=seed)[0]


def test_planted_errors_on_a_line_go_in_one_round():
    editor = RepeatedEditedFilter(n_neighbors=3).fit(TINY_X, TINY_Y)
    assert editor.history_ == [2, 0]
    assert editor.n_iter_ == 2
    assert np.flatnonzero(editor.flagged_).tolist() == PLANTED
    np.testing.assert_array_equal(editor.suspicion_, np.isin(np.arange(10), PLANTED))
    assert editor.suggested_[PLANTED].tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(5))
def test_once_edited_nothing_is_left_to_edit(seed):
    X, y = noisy_blobs(seed)
    editor = RepeatedEditedFilter()
    X_left, y_left = editor.fit_resample(X, y)
    assert editor.n_iter_ > 2
    assert editor.history_[-1] == 0
    assert not EditedNeighborsFilter().fit(X_left, y_left).flagged_.any()
    np.testing.assert_array_equal(editor.flagged_, editor.suspicion_ > 0.5)
    assert len(X) - len(X_left) == sum(editor.history_) == editor.flagged_.sum()


@pytest.mark.parametrize("seed", range(3))
def test_a_cleaner_that_repeats_editing_says_the_same(seed):
    X, y = noisy_blobs(seed)
    editor = RepeatedEditedFilter(n_neighbors=5).fit(X, y)
    cleaner = Cleaner(EditedNeighborsFilter(n_neighbors=5), max_iter=100).fit(X, y)
    for name in ("suspicion_", "flagged_", "suggested_", "sample_indices_", "history_"):
        np.testing.assert_array_equal(getattr(editor, name), getattr(cleaner, name))


def test_rounds_can_be_limited():
    X, y = noisy_blobs(0)
    editor, once = RepeatedEditedFilter(max_iter=1).fit(X, y), EditedNeighborsFilter().fit(X, y)
    np.testing.assert_array_equal(editor.suspicion_, once.suspicion_)
    np.testing.assert_array_equal(editor.sample_indices_, once.sample_indices_)
    with pytest.raises(ValueError, match="max_iter=0 must be a whole number at least 1"):
        RepeatedEditedFilter(max_iter=0).fit(X, y)


def test_a_threshold_holds_in_every_round_and_a_fraction_at_the_end():
    X, y = noisy_blobs(1)
    strict = RepeatedEditedFilter(threshold=0.9).fit(X, y)
    np.testing.assert_array_equal(strict.flagged_, strict.suspicion_ > 0.9)
    assert strict.history_ != RepeatedEditedFilter().fit(X, y).history_
    part = RepeatedEditedFilter(contamination=0.1).fit(X, y)
    np.testing.assert_array_equal(part.suspicion_, RepeatedEditedFilter().fit(X, y).suspicion_)
    assert part.flagged_.sum() == 20


def test_classes_do_not_die_out():
    # Three scattered rows of class 1 among many of class 0.
    X = np.random.RandomState(0).normal(size=(50, 2))
    y = np.isin(np.arange(50), [0, 1, 2]).astype(int)
    editor = RepeatedEditedFilter()
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        _, y_left = editor.fit_resample(X, y)
    assert np.bincount(y_left).tolist() == [47, 2]
    assert editor.flagged_[:3].all()
    assert editor.history_ == [1, 0]


def test_it_ends_when_too_few_rows_are_left_to_vote():
    X, y = np.arange(8.0)[:, None], np.array([0, 1, 0, 1, 0, 1, 0, 1])
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        editor = RepeatedEditedFilter(n_neighbors=4, threshold=0.4).fit(X, y)
    assert editor.n_iter_ == 1
    assert len(editor.sample_indices_) == 4


# The neighbours of the row at 0 carry three labels; those of all others are clear.
DISPUTED_X = np.array([0, 1, -1.1, 1.2, 9, 9.1, 9.2, 9.3, -9, -9.1, -9.2, -9.3, 99, 99.1, 99.2])

DISPUTED_Y = np.array([0, 0, 1, 2, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2])


def four_noisy_blobs():
    X, y = make_blobs(60, centers=3, n_features=3, random_state=0)
    return X, flip_labels(y, n_flips=6, random_state=0)[0]


def test_planted_errors_on_a_line_are_relabelled_and_nothing_is_removed():
    editor = GeneralizedEditionFilter(n_neighbors=3, min_support=2)
    X_left, y_left = editor.fit_resample(TINY_X, TINY_Y)
    np.testing.assert_array_equal(X_left, TINY_X)
    np.testing.assert_array_equal(y_left, [0] * 5 + [1] * 5)
    assert np.flatnonzero(editor.relabelled_).tolist() == PLANTED
    assert np.flatnonzero(editor.flagged_).tolist() == PLANTED


def test_a_row_in_dispute_is_flagged_without_a_suggestion_and_left_out():
    editor = GeneralizedEditionFilter()
    editor.fit_resample(DISPUTED_X[:, None], DISPUTED_Y)
    assert editor.suspicion_[0] == 0.5
    assert editor.flagged_[0]
    assert editor.suggested_[0] == 0
    assert not editor.relabelled_[0]
    assert 0 not in editor.sample_indices_


@pytest.mark.parametrize(("k", "majority"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_support_is_a_majority_at_least_and_all_neighbours_at_most(k, majority):
    X, y = four_noisy_blobs()
    least = GeneralizedEditionFilter(n_neighbors=k, min_support=majority).fit(X, y)
    default = GeneralizedEditionFilter(n_neighbors=k).fit(X, y)
    np.testing.assert_array_equal(default.flagged_, least.flagged_)
    for wrong in (majority - 1, k + 1):
        sentence = f"min_support={wrong} must be a whole number between {majority} and {k}"
        with pytest.raises(ValueError, match=sentence):
            GeneralizedEditionFilter(n_neighbors=k, min_support=wrong).fit(X, y)


@pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")
def test_more_support_flags_more_and_relabels_less():
    X, y = make_blobs(150, centers=3, cluster_std=3, random_state=0)
    editors = [GeneralizedEditionFilter(n_neighbors=5, min_support=s).fit(X, y) for s in (3, 4, 5)]
    flagged, relabelled = (
        [getattr(e, a).sum() for e in editors] for a in ("flagged_", "relabelled_")
    )
    assert flagged == sorted(flagged)
    assert relabelled == sorted(relabelled, reverse=True)
    assert flagged[0] < flagged[-1]
    assert relabelled[0] > relabelled[-1]


@pytest.mark.parametrize("parameters", [{}, {"threshold": 0.6}, {"contamination": 0.25}])
def test_it_does_what_a_relabelling_cleaner_does(parameters):
    X, y = make_blobs(150, centers=4, cluster_std=3, random_state=0)
    editor = GeneralizedEditionFilter(**parameters)
    cleaner = Cleaner(GeneralizedEditionFilter(**parameters), action="relabel")
    for ours, theirs in zip(editor.fit_resample(X, y), cleaner.fit_resample(X, y), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(editor.relabelled_, cleaner.relabelled_)


def test_every_class_keeps_some_of_its_rows():
    X, y = four_noisy_blobs()
    editor = GeneralizedEditionFilter(threshold=-np.inf)
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        _, y_left = editor.fit_resample(X, y)
    assert editor.flagged_.all()
    kept = editor.sample_indices_
    np.testing.assert_array_equal(np.bincount(y[kept][~editor.relabelled_[kept]]), [2, 2, 2])
    assert (np.diff(kept) > 0).all()
    np.testing.assert_array_equal(y_left, np.where(editor.relabelled_, editor.suggested_, y)[kept])


def test_no_more_rows_are_touched_than_allowed():
    X, y = four_noisy_blobs()
    editor = GeneralizedEditionFilter(max_fraction=0.05).fit(X, y)
    assert editor.flagged_.sum() >= 6
    assert editor.relabelled_.sum() + len(y) - len(editor.sample_indices_) == 3


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_containers_are_kept(library):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    names = np.array(["ant", "bee", "cat"])[DISPUTED_Y]
    frame, labels = frames.DataFrame({"x": DISPUTED_X}), frames.Series(names)
    editor = GeneralizedEditionFilter()
    X_left, y_left = editor.fit_resample(frame, labels)
    assert (type(X_left), type(y_left)) == (type(frame), type(labels))
    expected = np.where(editor.relabelled_, editor.suggested_, names)[editor.sample_indices_]
    np.testing.assert_array_equal(y_left.to_numpy(), expected)
    assert editor.relabelled_.any()
    assert len(X_left) == len(editor.sample_indices_) < len(names)
    assert editor.fit_resample(DISPUTED_X[:, None].tolist(), names.tolist())[1] == expected.tolist()
