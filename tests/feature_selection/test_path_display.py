import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from errata.feature_selection import MutualInformationSelector, SelectionPathDisplay
from errata.feature_selection._path_display import score_halves
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


def test_errors_are_deviations_over_halves(wine):
    selector = MutualInformationSelector(random_state=0).fit(*wine)
    drawn = SelectionPathDisplay.from_estimator(selector, *wine, n_draws=2, random_state=0)
    first, second = score_halves(selector, *wine, [1, 2, 3, 4], 2, random_state=0, n_jobs=None)
    expected = np.abs(first - second) / np.sqrt(2)
    np.testing.assert_allclose(drawn.standard_errors, expected, rtol=0, atol=1e-12)


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
