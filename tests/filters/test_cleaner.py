import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.datasets import make_blobs
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from errata.elm import ELMClassifier
from errata.ensemble import DiscreteAdaBoostClassifier, HardnessBaggingClassifier
from errata.exceptions import ClassRetentionWarning
from errata.filters import Cleaner, DetectorFilter, FilteredClassifier, MarginPeeler
from errata.hardness import ClassLikelihood, InstanceHardness, NeighborDisagreement
from errata.noise import flip_labels
from errata.tolerant import ReinforcedLinearRegression, ReinforcedLogisticRegression, ReinforcedPCA
from filters.peeling_cases import noisy_blobs
from strategies import seeds


class OneByOne(BaseEstimator):
    """Flags the rows that stand in its list, the first ``n`` of those still there."""

    def __init__(self, order, n=1, suggestion=None):
        self.order = order
        self.n = n
        self.suggestion = suggestion

    def fit(self, X, y):
        rank = {row: place for place, row in enumerate(self.order)}
        here = np.array([rank.get(int(row), len(self.order)) for row in np.asarray(X)[:, 0]])
        self.suspicion_ = -here.astype(float)
        self.flagged_ = (here < len(self.order)) & (here < np.sort(here)[self.n])
        self.suggested_ = np.array(y)
        if self.suggestion is not None:
            self.suggested_[self.flagged_] = self.suggestion
        return self


X = np.arange(10.0)[:, None]

Y = np.repeat([0, 1], 5)


def test_one_round_of_removal_is_the_filter():
    X, y, _ = noisy_blobs()
    cleaner, once = Cleaner(NeighborDisagreement()), DetectorFilter(NeighborDisagreement())
    for ours, theirs in zip(cleaner.fit_resample(X, y), once.fit_resample(X, y), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for name in ("suspicion_", "flagged_", "suggested_", "sample_indices_"):
        np.testing.assert_array_equal(getattr(cleaner, name), getattr(once, name))
    assert cleaner.n_iter_ == 1
    assert cleaner.history_ == [once.flagged_.sum()]
    assert not cleaner.relabelled_.any()


def test_rounds_go_on_until_nothing_is_flagged():
    cleaner = Cleaner(OneByOne([3, 7, 1]), max_iter=50).fit(X, Y)
    assert cleaner.history_ == [1, 1, 1, 0]
    assert cleaner.n_iter_ == 4
    np.testing.assert_array_equal(cleaner.sample_indices_, [0, 2, 4, 5, 6, 8, 9])
    # Suspicion is that of the round in which a row went, else of the last one.
    np.testing.assert_array_equal(cleaner.suspicion_[[3, 7, 1, 0]], [0, -1, -2, -3])
    np.testing.assert_array_equal(np.flatnonzero(cleaner.flagged_), [1, 3, 7])
    assert Cleaner(OneByOne([3, 7, 1]), max_iter=2).fit(X, Y).history_ == [1, 1]


def test_quiet_rounds_end_it_when_patience_does():
    order = [0, 1, 5, 6]
    assert Cleaner(OneByOne(order), max_iter=9, tol=0.1).fit(X, Y).history_ == [1]
    patient = Cleaner(OneByOne(order), max_iter=9, tol=0.1, patience=3).fit(X, Y)
    assert patient.history_ == [1, 1, 1]
    assert Cleaner(OneByOne(order, n=2), max_iter=9, tol=0.1).fit(X, Y).history_ == [2, 2, 0]


def test_a_loud_round_makes_patience_start_anew():
    class Growing(OneByOne):
        def fit(self, X, y):
            self.n = {10: 1, 9: 2, 7: 1}.get(len(X), 1)
            return super().fit(X, y)

    detector = Growing([0, 1, 2, 5, 6], n=1)
    cleaner = Cleaner(detector, max_iter=9, tol=0.1, patience=2).fit(X, Y)
    assert cleaner.history_ == [1, 2, 1, 1]


def test_relabelled_rows_stay_and_those_without_another_label_go():
    detector = OneByOne([3, 7], n=2, suggestion=1)
    cleaner = Cleaner(detector, "relabel")
    X_left, y_left = cleaner.fit_resample(X, Y)
    np.testing.assert_array_equal(np.flatnonzero(cleaner.relabelled_), [3])
    np.testing.assert_array_equal(cleaner.sample_indices_, [0, 1, 2, 3, 4, 5, 6, 8, 9])
    np.testing.assert_array_equal(y_left, [0, 0, 0, 1, 0, 1, 1, 1, 1])
    np.testing.assert_array_equal(X_left[:, 0], cleaner.sample_indices_)
    assert cleaner.suggested_[3] == 1
    np.testing.assert_array_equal(np.flatnonzero(cleaner.flagged_), [3, 7])


def test_a_relabelled_row_keeps_what_was_said_of_it_then():
    class Once(OneByOne):  # flags row 3 as long as it carries the label 0
        def fit(self, X, y):
            super().fit(X, y)
            wrong = (np.asarray(X)[:, 0] == 3) & (y == 0)
            self.suspicion_ = np.where(wrong, 0.9, 0.2)
            self.flagged_ = wrong
            self.suggested_ = np.where(wrong, 1, y)
            return self

    cleaner = Cleaner(Once([]), "relabel", max_iter=5).fit(X, Y)
    assert cleaner.history_ == [1, 0]
    assert cleaner.suspicion_[3] == 0.9
    assert cleaner.suggested_[3] == 1
    assert cleaner.flagged_[3]


def test_max_iter_bounds_relabelling_in_circles():
    class Contrary(OneByOne):
        def fit(self, X, y):
            super().fit(X, y)
            self.flagged_ = np.asarray(X)[:, 0] == 3
            self.suggested_ = np.where(self.flagged_, 1 - y, y)
            return self

    for rounds, label in ((6, 0), (7, 1)):
        cleaner = Cleaner(Contrary([]), "relabel", max_iter=rounds)
        assert cleaner.fit_resample(X, Y)[1][3] == label
        assert cleaner.n_iter_ == rounds


@pytest.mark.parametrize("container", [np.asarray, list, "pandas", "polars"])
@pytest.mark.parametrize("action", ["relabel", "unlabel"])
def test_labels_change_in_the_container_they_came_in(container, action):
    if isinstance(container, str):
        library = pytest.importorskip(container, reason=f"{container} is not installed")
        container = library.Series
    labels = container(Y.tolist())
    if hasattr(labels, "iloc"):
        labels.index = labels.index * 10
    cleaner = Cleaner(OneByOne([3], suggestion=1), action)
    _, y_left = cleaner.fit_resample(X, labels)
    assert type(y_left) is type(labels)
    new = 1 if action == "relabel" else -1
    np.testing.assert_array_equal(np.asarray(y_left), [0, 0, 0, new, 0, 1, 1, 1, 1, 1])
    np.testing.assert_array_equal(np.asarray(labels), Y)
    np.testing.assert_array_equal(cleaner.sample_indices_, np.arange(10))
    if hasattr(labels, "iloc"):
        assert y_left.index.equals(labels.index)
        assert y_left.dtype == labels.dtype


def test_unlabelled_rows_are_not_judged_again():
    cleaner = Cleaner(OneByOne([3, 7]), "unlabel", max_iter=9)
    _, y_left = cleaner.fit_resample(X, Y)
    assert cleaner.history_ == [1, 1, 0]
    np.testing.assert_array_equal(np.flatnonzero(y_left == -1), [3, 7])
    assert len(cleaner.detector_.suspicion_) == 8


def test_the_least_suspicious_rows_of_a_class_are_given_back():
    cleaner = Cleaner(OneByOne([4, 3, 2, 1, 0], n=5))
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        cleaner.fit(X, Y)
    np.testing.assert_array_equal(cleaner.sample_indices_, [0, 1, 5, 6, 7, 8, 9])
    assert cleaner.history_ == [3]
    np.testing.assert_array_equal(np.flatnonzero(cleaner.flagged_), range(5))


def test_a_limit_keeps_the_most_suspicious_and_ends_it():
    cleaner = Cleaner(OneByOne([4, 5, 3, 6, 2], n=2), max_iter=9, max_fraction=0.3).fit(X, Y)
    assert cleaner.history_ == [2, 1]
    np.testing.assert_array_equal(cleaner.sample_indices_, [0, 1, 2, 6, 7, 8, 9])


@given(seeds, st.integers(2, 4), st.sampled_from(["remove", "relabel", "unlabel"]))
@settings(max_examples=15, deadline=None)
@pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")
def test_enough_rows_of_every_class_remain(seed, min_per_class, action):
    X, y = make_blobs([12, 6, 2], centers=None, cluster_std=5, random_state=seed)
    cleaner = Cleaner(
        NeighborDisagreement(n_neighbors=3), action, max_iter=5, min_per_class=min_per_class
    )
    _, left = cleaner.fit_resample(X, y)
    for label, size in enumerate((12, 6, 2)):
        assert (left == label).sum() >= min(min_per_class, size)
    assert (np.diff(cleaner.sample_indices_) > 0).all()


def test_weights_follow_the_rows():
    X, y, _ = noisy_blobs()
    counts = np.random.RandomState(0).randint(1, 4, size=len(y))
    booster = DiscreteAdaBoostClassifier(n_estimators=5, contamination=0.05)
    cleaner = Cleaner(booster, max_iter=2).fit(X, y, sample_weight=counts)
    first = DetectorFilter(booster).fit(X, y, sample_weight=counts).sample_indices_
    booster.fit(X[first], y[first], counts[first])
    np.testing.assert_array_equal(cleaner.detector_.suspicion_, booster.suspicion_)


def test_a_cleaner_stands_in_a_pipeline_of_imbalanced_learn_and_in_a_grid():
    imblearn = pytest.importorskip("imblearn.pipeline", reason="imbalanced-learn is not installed")
    X, y, _ = noisy_blobs(noise=0.2)
    cleaner = Cleaner(NeighborDisagreement(), "relabel")
    pipeline = imblearn.Pipeline([("clean", cleaner), ("model", KNeighborsClassifier(1))])
    grid = {"clean__action": ["remove", "relabel"], "clean__detector__n_neighbors": [3, 9]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert (
        search.best_score_ > GridSearchCV(KNeighborsClassifier(1), {}, cv=3).fit(X, y).best_score_
    )


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"action": "burn"}, "action='burn' is not known; choose from remove, relabel, unlabel"),
        ({"max_iter": 0}, "max_iter=0 must be a whole number at least 1"),
        ({"tol": -1}, "tol=-1 must be a number between 0 and 1"),
        ({"patience": 0}, "patience=0 must be a whole number at least 1"),
        ({"min_per_class": 0}, "min_per_class=0 must be a whole number at least 1"),
        ({"max_fraction": 2}, "max_fraction=2 must be a number between 0 and 1"),
    ],
)
def test_bad_parameters_get_a_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        Cleaner(NeighborDisagreement(), **parameters).fit(X, Y)


@pytest.mark.parametrize("labels", [Y.astype(str), Y - 1, Y.astype(np.uint8)])
def test_only_whole_numbers_can_be_unlabelled(labels):
    with pytest.raises(ValueError, match="needs whole numbers other than -1 as labels"):
        Cleaner(NeighborDisagreement(), "unlabel").fit(X, labels)


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


NEIGHBORS = DetectorFilter(NeighborDisagreement())  # takes sparse rows, not missing values

TREES = MarginPeeler(DecisionTreeClassifier(max_depth=1))  # takes missing values, not sparse rows


@pytest.mark.parametrize(
    ("estimator", "sparse", "missing"),
    [
        (NEIGHBORS, True, False),
        (Cleaner(NeighborDisagreement()), True, False),
        (DetectorFilter(ClassLikelihood()), False, False),
        (FilteredClassifier(NEIGHBORS, LogisticRegression()), True, False),
        (FilteredClassifier(TREES, LogisticRegression()), False, False),
        (FilteredClassifier(TREES, HistGradientBoostingClassifier()), False, True),
        (FilteredClassifier(NEIGHBORS, HistGradientBoostingClassifier()), False, False),
    ],
)
def test_what_all_parts_accept_is_accepted(estimator, sparse, missing):
    tags = get_tags(estimator)
    assert (tags.input_tags.sparse, tags.input_tags.allow_nan) == (sparse, missing)
    assert tags.target_tags.required
