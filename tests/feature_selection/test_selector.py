import warnings

import numpy as np
import pytest
from joblib import Memory
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from errata.exceptions import SuspicionWarning
from errata.feature_selection import MutualInformationSelector, mutual_information


def exclusive_or(seed, n=400):
    X = np.random.RandomState(seed).uniform(-1, 1, size=(n, 6))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize(
    "how", [{}, {"search": "forward", "start_size": 2}, {"search": "floating", "start_size": 2}]
)
def test_columns_that_need_each_other_are_found(how):
    for seed in range(5):
        selector = MutualInformationSelector(2, random_state=0, **how).fit(*exclusive_or(seed))
        np.testing.assert_array_equal(selector.get_support(indices=True), [0, 1])


@pytest.mark.parametrize("criterion", ["mi", "risk_count", "risk_soft"])
@pytest.mark.parametrize("search", ["backward", "forward", "floating"])
def test_every_search_keeps_the_whole_path(criterion, search):
    X, y = load_iris(return_X_y=True)
    selector = MutualInformationSelector(criterion=criterion, search=search, random_state=0)
    selector.fit(X, y)
    assert list(selector.path_) == list(selector.scores_) == [1, 2, 3, 4]
    assert all(len(subset) == size for size, subset in selector.path_.items())
    size = max(selector.scores_, key=selector.scores_.get)
    np.testing.assert_array_equal(selector.get_support(indices=True), selector.path_[size])
    assert selector.n_features_ == size
    assert (selector.ranking_ == 1).sum() == size
    np.testing.assert_array_equal(selector.transform(X), X[:, selector.path_[size]])


def test_scores_are_those_of_the_standardised_columns():
    X, y = load_wine(return_X_y=True)
    selector = MutualInformationSelector(5, jitter=0).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for size in (5, 13):
        np.testing.assert_allclose(
            selector.scores_[size],
            mutual_information(Z[:, selector.path_[size]], y),
            rtol=0,
            atol=1e-10,
        )


def test_searches_stop_at_the_size_that_is_asked_for():
    X, y = load_wine(return_X_y=True)
    backward = MutualInformationSelector(9, random_state=0).fit(X, y)
    assert list(backward.path_) == [9, 10, 11, 12, 13]
    np.testing.assert_array_equal(np.sort(backward.ranking_), [1] * 9 + [2, 3, 4, 5])
    forward = MutualInformationSelector(0.2, search="forward", random_state=0).fit(X, y)
    assert list(forward.path_) == [1, 2]
    np.testing.assert_array_equal(np.sort(forward.ranking_), [1] * 2 + [2] * 11)


def test_the_same_seed_gives_the_same_path():
    X, y = load_wine(return_X_y=True)
    one, two = (MutualInformationSelector(random_state=3).fit(X, y) for _ in range(2))
    assert one.scores_ == two.scores_
    assert MutualInformationSelector(random_state=4).fit(X, y).scores_ != one.scores_


def test_words_and_dataframes():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    selector = MutualInformationSelector(2, random_state=0).set_output(transform="pandas")
    kept = selector.fit_transform(X, pandas.Series(names))
    assert list(kept.columns) == ["petal length (cm)", "petal width (cm)"]
    assert list(selector.feature_names_in_) == list(X.columns)
    assert list(selector.classes_) == ["setosa", "versicolor", "virginica"]
    plain = MutualInformationSelector(2, random_state=0).fit(X.to_numpy(), y.to_numpy())
    assert plain.scores_ == selector.scores_


def test_repeated_values_need_jitter():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="rows have as many equals"):
        MutualInformationSelector(1, jitter=0, n_neighbors=3).fit(X.round(), y)
    scores = MutualInformationSelector(1, random_state=0).fit(X.round(), y).scores_
    assert np.all(np.isfinite(list(scores.values())))


def test_repeated_values_of_one_column_among_others_need_jitter():
    X = np.random.RandomState(0).normal(size=(60, 2))
    target = np.where(np.arange(60) % 2 == 0, 3.0, X[:, 0])
    X[:, 1] = np.arange(60) % 2
    for search in ("forward", "backward"):
        selector = MutualInformationSelector(1, jitter=0, search=search, target="numeric")
        with pytest.raises(ValueError, match=r"^30 rows have as many equals, target included"):
            selector.fit(X, target)


def test_small_classes():
    X, y = load_iris(return_X_y=True)
    few = np.r_[0:50, 50:100, 100:102]
    with pytest.warns(SuspicionWarning, match="other rows in 1 class"):
        selector = MutualInformationSelector(random_state=0).fit(X[few], y[few])
    assert np.all(np.isfinite(list(selector.scores_.values())))
    with pytest.warns(SuspicionWarning, match="1 row alone in a class"):
        MutualInformationSelector(random_state=0).fit(X[few[:-1]], y[few[:-1]])


def test_constant_columns_come_last():
    X, y = load_iris(return_X_y=True)
    X = np.insert(X, [0, 2], 7.0, axis=1)
    with pytest.warns(SuspicionWarning, match="2 columns of X with a single value"):
        selector = MutualInformationSelector(2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(selector.ranking_, [4, 3, 2, 4, 1, 1])
    assert max(selector.path_) == 4
    with pytest.warns(SuspicionWarning, match="2 columns of X with a single value"):
        selector = MutualInformationSelector(5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(selector.get_support(indices=True), [0, 1, 2, 4, 5])


def test_constant_columns_alone_are_refused():
    with pytest.raises(ValueError, match="every column of X is constant"):
        MutualInformationSelector().fit(np.ones((6, 2)), [0, 1] * 3)


def test_more_columns_than_rows():
    rng = np.random.RandomState(0)
    y = np.arange(30) % 2
    X = rng.normal(size=(30, 50))
    X[:, 7] += 4 * y
    selector = MutualInformationSelector(1, random_state=0, search="forward").fit(X, y)
    np.testing.assert_array_equal(selector.get_support(indices=True), [7])
    assert len(MutualInformationSelector(45, random_state=0).fit(X, y).path_) == 6


def test_threads_change_nothing():
    X, y = load_wine(return_X_y=True)
    one = MutualInformationSelector(9, random_state=0).fit(X, y)
    two = MutualInformationSelector(9, random_state=0, n_jobs=2).fit(X, y)
    assert one.scores_ == two.scores_


def test_a_grid_search_over_sizes_searches_once_for_each_fold(tmp_path):
    X, y = load_iris(return_X_y=True)
    steps = []
    selector = MutualInformationSelector(
        memory=Memory(tmp_path, verbose=0), progress=lambda *step: steps.append(step)
    )
    grid = GridSearchCV(
        make_pipeline(selector, KNeighborsClassifier()),
        {"mutualinformationselector__n_features_to_select": [1, 2, 3]},
        cv=2,
        refit=False,
    )
    grid.fit(X, y)
    assert steps == 2 * [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_memory_is_a_folder_too(tmp_path):
    X, y = load_iris(return_X_y=True)
    first = MutualInformationSelector(2, memory=str(tmp_path)).fit(X, y)
    again = MutualInformationSelector(3, memory=str(tmp_path)).fit(X, y)
    assert first.scores_ == again.scores_  # without a seed: it was kept
    assert (first.n_features_, again.n_features_) == (2, 3)
    other = MutualInformationSelector(3, memory=str(tmp_path)).fit(X[1:], y[1:])
    assert other.scores_ != first.scores_


def test_progress_is_told():
    steps = []
    X, y = load_iris(return_X_y=True)
    MutualInformationSelector(2, progress=lambda *step: steps.append(step)).fit(X, y)
    assert steps == [(0, 2), (1, 2), (2, 2)]


def test_numbers_with_fractions_are_no_classes():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(
        ValueError, match="criterion='risk_count' is not known; choose from mi, mrm"
    ):
        MutualInformationSelector(criterion="risk_count").fit(X, X[:, 0] + 0.05)
    with pytest.raises(ValueError, match="numbers with fractions"):
        MutualInformationSelector(target="class").fit(X, X[:, 0] + 0.05)
    with pytest.raises(ValueError, match="criterion='risk_count' is not known"):
        MutualInformationSelector(criterion="risk_count", target="numeric").fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"criterion": "mse"}, "criterion='mse' is not known; choose from mi, risk_count"),
        ({"search": "both"}, "search='both' is not known"),
        ({"target": "word"}, "target='word' is not known"),
        ({"label_noise": "yes"}, "label_noise='yes' is not known; choose from tolerant"),
        ({"label_noise": "tolerant", "criterion": "risk_soft"}, "not criterion='risk_soft'"),
        ({"n_features_to_select": 5}, "must be a whole number between 1 and 4"),
        ({"n_features_to_select": 1.5}, "must be a number between 0 and 1"),
        ({"n_features_to_select": "all"}, "choose from auto"),
        ({"start_size": 2}, "start_size=2 is for searches that add columns"),
        ({"start_size": 4, "search": "forward"}, "must be a whole number between 1 and 3"),
        (
            {"start_size": 2, "search": "forward", "n_features_to_select": 1},
            "n_features_to_select=1 must be a whole number between 2 and 4",
        ),
        ({"jitter": -1}, "jitter=-1 must be a number between 0 and inf"),
        ({"n_neighbors": 0}, "n_neighbors=0 must be a whole number at least 1"),
    ],
)
def test_parameters_that_make_no_sense(parameters, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        MutualInformationSelector(**parameters).fit(X, y)


def test_memberships_are_for_noisy_labels():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match='memberships are for label_noise="tolerant"'):
        MutualInformationSelector().fit(X, y, memberships=np.eye(3)[y])


def test_in_a_pipeline_with_neighbours():
    X, y = exclusive_or(0)
    model = Pipeline(
        [("select", MutualInformationSelector(random_state=0)), ("knn", KNeighborsClassifier())]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.fit(X, y).score(X, y) > 0.95


def test_the_smallest_of_the_best_sizes():
    X, y = load_iris(return_X_y=True)
    easy = y < 2  # no row is misjudged by the petals alone, nor by more columns
    selector = MutualInformationSelector(criterion="risk_count", random_state=0)
    selector.fit(X[easy], y[easy])
    best = [size for size, score in selector.scores_.items() if score == 0]
    assert len(best) > 1
    assert selector.n_features_ == min(best)


def test_ranks_are_steps_until_a_column_enters():
    X, y = load_wine(return_X_y=True)
    selector = MutualInformationSelector(3, search="forward", random_state=0).fit(X, y)
    whole = MutualInformationSelector(13, search="forward", random_state=0).fit(X, y)
    # A forward search did not come to the others; those that are kept are all the same.
    assert sorted(selector.ranking_) == [1] * 3 + [2] * 10
    assert set(whole.ranking_) == {1}
    backward = MutualInformationSelector(2, random_state=0).fit(X, y)
    for size in range(3, 14):
        (entering,) = set(backward.path_[size]) - set(backward.path_[size - 1])
        assert backward.ranking_[entering] == size - 1


def test_ranks_are_one_and_two_where_subsets_are_not_nested():
    X, y = load_iris(return_X_y=True)
    X = np.insert(X, 2, 7.0, axis=1)
    with pytest.warns(SuspicionWarning, match="1 column of X with a single value"):
        selector = MutualInformationSelector(2, search="floating", random_state=0).fit(X, y)
    assert sorted(selector.ranking_) == [1, 1, 2, 2, 3]
    assert selector.ranking_[2] == 3
