import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from errata.feature_selection import MutualInformationSelector, SelectionPathDisplay
from errata.noise import flip_labels

plt = pytest.importorskip("matplotlib.pyplot", reason="the path is drawn with it")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def display(scores, errors, chosen=1):
    return SelectionPathDisplay(
        sizes=np.arange(1, len(scores) + 1), scores=scores, standard_errors=errors,
        chosen_size=chosen,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("scores", "errors", "smallest"),
    [
        ([0.2, 0.5, 0.6, 0.4], [9, 9, 0.15, 9], 2),
        ([0.2, 0.5, 0.6, 0.4], [9, 9, 0.05, 9], 3),
        ([0.2, 0.5, 0.6, 0.4], [9, 9, np.nan, 9], 3),
        ([-0.2, -0.1], [0.0, 0.1], 1),
    ],
)
def test_the_smallest_size_within_one_error_of_the_best(scores, errors, smallest):
    assert display(scores, errors).one_error_size == smallest


def test_what_is_drawn():
    drawn = display([0.2, 0.5, 0.6, 0.4], [0.1, 0.1, 0.2, 0.1], chosen=3).plot()
    np.testing.assert_array_equal(drawn.line_.get_xydata()[:, 1], [0.2, 0.5, 0.6, 0.4])
    np.testing.assert_allclose(
        drawn.band_.get_paths()[0].get_extents().intervaly, [0.1, 0.8], rtol=0, atol=1e-12
    )
    assert set(drawn.chosen_.get_xdata()) == {3}
    texts = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert texts[2:] == ["chosen: 3", "within one error of the best: 2"]
    assert all(tick == round(tick) for tick in drawn.ax_.get_xticks())


def test_axes_may_be_given():
    _, ax = plt.subplots()
    drawn = display([0.2, 0.5], [0.1, 0.1]).plot(ax=ax)
    assert drawn.ax_ is ax
    assert drawn.figure_ is ax.figure


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = X[:, [0, 6, 9, 2]]
    return X, flip_labels(y, 0.2, random_state=0)[0]


def test_the_path_of_a_selector(wine):
    selector = MutualInformationSelector(search="forward", random_state=0).fit(*wine)
    path, scores = dict(selector.path_), dict(selector.scores_)
    drawn = SelectionPathDisplay.from_estimator(selector, *wine, n_draws=5, random_state=0)
    assert drawn.chosen_size == selector.n_features_
    np.testing.assert_array_equal(drawn.sizes, [1, 2, 3, 4])
    np.testing.assert_array_equal(drawn.scores, list(scores.values()))
    assert (drawn.standard_errors > 0).all()
    assert (drawn.standard_errors < 0.5).all()
    assert drawn.ax_.get_ylabel() == "mutual information (nats)"
    assert (selector.path_, selector.scores_) == (
        path,
        scores,
    )


def test_numeric_targets_and_pairs(wine):
    X = wine[0]
    selector = MutualInformationSelector(
        2, criterion="mrmr", search="forward", target="numeric", random_state=0
    ).fit(X[:, :3], X[:, 3])
    drawn = SelectionPathDisplay.from_estimator(
        selector, X[:, :3], X[:, 3], n_draws=3, random_state=0
    )
    np.testing.assert_array_equal(drawn.sizes, [1, 2])
    assert drawn.ax_.get_ylabel() == "relevance less redundancy (nats)"


def test_errors_are_those_of_new_samples():
    def sample(seed, n=150):
        random = np.random.RandomState(seed)
        y = np.repeat([0, 1], n // 2)
        return random.normal(size=(n, 3)) + np.outer(y, [2, 1, 0]), y

    selectors = [MutualInformationSelector(random_state=0).fit(*sample(seed)) for seed in range(30)]
    scores = np.array([list(selector.scores_.values()) for selector in selectors])
    errors = [
        SelectionPathDisplay.from_estimator(
            selectors[seed], *sample(seed), random_state=0
        ).standard_errors
        for seed in range(6)
    ]
    # A deviation of 30 numbers is known to 13 %, the mean of six of 20 to 7 %.
    ratio = np.mean(errors, axis=0) / scores.std(axis=0, ddof=1)
    assert (ratio > 0.7).all()
    assert (ratio < 1.5).all()


def test_bad_input(wine):
    X, y = wine
    with pytest.raises(NotFittedError, match="not fitted yet"):
        SelectionPathDisplay.from_estimator(MutualInformationSelector(), X, y)
    selector = MutualInformationSelector(random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="n_draws=1 must be a whole number at least 2"):
        SelectionPathDisplay.from_estimator(selector, X, y, n_draws=1)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SelectionPathDisplay.from_estimator(selector, X, y[:-1])


class Means(BaseEstimator):
    """A selector whose score of size m is the mean of column m; halves stop at two sizes."""

    criterion = "mi"
    n_features_ = 1

    def __init__(self, progress=None):
        self.progress = progress

    def fit(self, X, y):
        assert self.progress is None
        X = np.asarray(X)
        assert len(np.unique(X[:, 0])) == len(X) == len(y)
        self.scores_ = {1: X[:, 0].mean(), 2: X[:, 1].mean()}
        self.drawn.append((np.array(y), self.scores_))
        return self


@pytest.fixture
def means():
    """A selector of numbers, whose clones note what they are fitted to."""

    class Noting(Means):
        drawn = []  # noqa: RUF012 - shared on purpose

    return Noting()


def draw(selector, X, y, **how):
    """The display of halves, and what was fitted to them, the selector's own fit left out."""
    selector.drawn.clear()
    return SelectionPathDisplay.from_estimator(selector, X, y, random_state=0, **how)


def test_halves_spread_as_new_samples_would(means):
    X = np.random.RandomState(0).normal(scale=[1, 3], size=(200, 2))
    selector = means.fit(X, X[:, 0]).set_params(progress=print)
    # The deviation of 1000 numbers is known to 1 / sqrt(2000) = 2 %.
    truth = X.std(axis=0, ddof=1) / np.sqrt(200)
    found = draw(selector, X, X[:, 0], n_draws=1000).standard_errors
    np.testing.assert_allclose(found, truth, rtol=0.08)


def test_errors_are_deviations_over_halves(means):
    X = np.random.RandomState(0).normal(size=(20, 2))
    selector = means.fit(X, X[:, 0])
    found = draw(selector, X, X[:, 0], n_draws=2).standard_errors
    (_, first), (_, second) = means.drawn
    expected = [abs(first[size] - second[size]) / np.sqrt(2) for size in (1, 2)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_sizes_that_a_search_did_not_come_to_have_no_error(means):
    X = np.arange(12.0).reshape(6, 2)
    selector = means.fit(X, X[:, 0])
    selector.scores_ = {2: 0.0, 7: 1.0}
    found = draw(selector, X, X[:, 0], n_draws=3).standard_errors
    assert np.isfinite(found[0])
    assert np.isnan(found[1])


def test_classes_keep_their_shares(means):
    y = np.repeat(["often", "rarely", "thrice", "once"], [20, 8, 3, 1])
    X = np.random.RandomState(0).normal(size=(32, 2))
    selector = means.fit(X, y)
    selector.classes_ = np.unique(y)
    draw(selector, X, y, n_draws=10)
    assert len(means.drawn) == 10
    for labels, _ in means.drawn:
        drawn = dict(zip(*np.unique(labels, return_counts=True), strict=True))
        assert drawn == {"often": 10, "rarely": 4, "thrice": 2, "once": 1}


@pytest.mark.parametrize("table", [np.asarray, "DataFrame"])
def test_halves_of_classes_repeat_with_their_seed(means, table):
    if table == "DataFrame":
        table = pytest.importorskip("pandas", reason="pandas is not installed").DataFrame
    X, y = np.random.RandomState(0).normal(size=(32, 2)), np.repeat(["a", "b"], 16)
    selector = means.fit(X, y)
    selector.classes_ = np.unique(y)
    found = draw(selector, table(X), y, n_draws=4).standard_errors
    assert len({scores[1] for _, scores in means.drawn}) == 4
    with parallel_config("threading"):  # processes take long to start
        again = draw(selector, table(X), y, n_draws=4, n_jobs=2).standard_errors
    np.testing.assert_array_equal(found, again)
