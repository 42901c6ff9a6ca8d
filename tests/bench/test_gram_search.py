from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR

from errata.bench import Bench, Cell
from errata.bench._experiment import load_complete
from errata.bench.experiments._elm_kernels import (
    GramSearch,
    compute_drawn_units,
    compute_gaussian,
    compute_infinite_units,
    make_powers_of_ten,
    measure_outer_fold,
)
from errata.elm import ELMFeatures, asymptotic_elm_kernel

C = (0.1, 1, 10, 100)


def test_the_search_is_that_of_scikit_learn_without_its_repeated_gram_matrices():
    X, y = make_moons(150, noise=0.3, random_state=0)
    kernels = [partial(compute_gaussian, gamma=gamma) for gamma in (0.1, 1, 10)]
    ours = GramSearch(
        SVC(kernel="precomputed"), kernels, {"C": C}, scaler=StandardScaler(), cv=5, random_state=0
    ).fit(X[:100], y[:100])
    theirs = GridSearchCV(
        make_pipeline(StandardScaler(), SVC()),
        {"svc__gamma": (0.1, 1, 10), "svc__C": C},
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
    ).fit(X[:100], y[:100])
    chosen = theirs.cv_results_["mean_test_score"].reshape(4, 3)  # C by gamma
    places = chosen[
        C.index(ours.parameters_["C"]), (0.1, 1, 10).index(ours.kernel_.keywords["gamma"])
    ]
    assert places == chosen.max()
    refit = make_pipeline(
        StandardScaler(), SVC(gamma=ours.kernel_.keywords["gamma"], **ours.parameters_)
    )
    np.testing.assert_array_equal(
        ours.predict(X[100:]), refit.fit(X[:100], y[:100]).predict(X[100:])
    )


def test_targets_are_standardised_and_errors_in_their_own_units():
    random = np.random.RandomState(0)
    X = random.normal(size=(80, 2))
    y = 1000 + 50 * np.sin(2 * X[:, 0])
    search = GramSearch(
        SVR(kernel="precomputed"),
        [partial(compute_infinite_units, weight_scale=1.0)],
        {"C": (1, 100), "epsilon": (0.01, 0.1)},
        scaler=StandardScaler(),
        cv=4,
        random_state=0,
    ).fit(X, y)
    assert search.parameters_ == {"C": 100, "epsilon": 0.01}
    assert np.abs(search.predict(X) - y).max() < 5


def test_kernels_are_what_they_are_called():
    X, Z = np.random.RandomState(0).normal(size=(2, 5, 3))
    np.testing.assert_array_equal(
        partial(compute_gaussian, gamma=0.3)(X, Z, 0), rbf_kernel(X, Z, gamma=0.3)
    )
    np.testing.assert_array_equal(
        partial(compute_infinite_units, weight_scale=2.0)(X, Z, 0),
        asymptotic_elm_kernel(X, Z, weight_scale=2.0),
    )
    published = ELMFeatures(
        n_hidden=7, activation="logistic", weight_distribution="uniform", random_state=5
    ).fit(X)
    np.testing.assert_allclose(
        partial(compute_drawn_units, n_hidden=7)(X, Z, 5),
        published.transform(X) @ published.transform(Z).T,
        rtol=0,
        atol=1e-15,
    )


def test_repetitions_are_the_folds_of_one_cross_validation():
    seen = []

    def score(y_test, predicted, y):
        seen.append(len(y_test))
        assert len(y) == 150
        return {"n": 1.0}

    search = GramSearch(
        SVC(kernel="precomputed"),
        [partial(compute_gaussian, gamma=0.1)],
        {"C": (1,)},
        scaler=MinMaxScaler(),
        cv=2,
    )
    measure = partial(measure_outer_fold, score=score, n_splits=5)
    for fold in range(5):
        measure(Cell("Iris", None, "rbf", fold), search, "iris", Bench(None, seed=0))
    assert seen == [30] * 5


def test_folds_are_the_same_for_all_methods_and_cover_every_row():
    tested = []

    def score(y_test, predicted, y):
        tested.append(y_test)
        return {"n": 1.0}

    def search(gamma):
        return GramSearch(
            SVC(kernel="precomputed"),
            [partial(compute_gaussian, gamma=gamma)],
            {"C": (1,)},
            scaler=MinMaxScaler(),
            cv=2,
        )

    measure, bench = partial(measure_outer_fold, score=score, n_splits=3), Bench(None, seed=0)
    for gamma in (0.1, 1.0):
        for fold in range(3):
            measure(Cell("Wine", None, f"{gamma}", fold), search(gamma), "wine", bench)
    for first, second in zip(tested[:3], tested[3:], strict=True):
        np.testing.assert_array_equal(first, second)
    _, y = load_complete("wine", None)
    np.testing.assert_array_equal(np.sort(np.concatenate(tested[:3])), np.sort(y))


@pytest.mark.parametrize(
    ("bounds", "count", "ends"),
    [
        ((-1, 3, 0.2), 21, (0.1, 1000)),
        ((-5, 2, 0.2), 36, (1e-5, 100)),
        ((-1, 4, 0.2), 26, (0.1, 1e4)),
        ((-2, 6, 0.5), 17, (0.01, 1e6)),
        ((-5, 1, 0.5), 13, (1e-5, 10)),
    ],
)
def test_grids_have_the_sizes_of_the_papers(bounds, count, ends):
    values = make_powers_of_ten(*bounds)
    assert len(values) == count
    assert (values[0], values[-1]) == ends


def test_regressions_are_cut_without_regard_to_the_target():
    from errata.bench.experiments._elm_kernels import _make_folds

    assert isinstance(_make_folds(SVR(), 10, 0), KFold)
    assert isinstance(_make_folds(SVC(), 10, 0), StratifiedKFold)


def test_a_search_on_some_rows_still_fits_all_of_them():
    X, y = make_moons(150, noise=0.3, random_state=0)
    kernels = [partial(compute_gaussian, gamma=gamma) for gamma in (0.1, 1, 10)]
    search = GramSearch(
        SVC(kernel="precomputed"),
        kernels,
        {"C": C},
        scaler=StandardScaler(),
        cv=3,
        search_rows=60,
        random_state=0,
    ).fit(X, y)
    refit = make_pipeline(
        StandardScaler(), SVC(gamma=search.kernel_.keywords["gamma"], **search.parameters_)
    )
    np.testing.assert_array_equal(search.predict(X), refit.fit(X, y).predict(X))
