from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR

from errata.bench import Bench, Cell, get_experiment, load_published, run_experiment
from errata.bench._experiment import load_complete
from errata.bench.experiments._elm_kernels import (
    GAUSSIAN,
    LARGE,
    RBF,
    SIGMAS,
    TUNED,
    VARIANCES,
    GramSearch,
    collect_curves,
    compute_drawn_units,
    compute_gaussian,
    compute_infinite_units,
    compute_relative_error,
    elm,
    make_powers_of_ten,
    make_svm_methods,
    make_svr_methods,
    measure_outer_fold,
    plot_svm_kernels,
    plot_svr_kernels,
    search,
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


def published_intervals():
    """The published interval of the accuracy with 1000 units, for each data set."""
    return {
        row["dataset"]: (row["ci_low"], row["ci_high"])
        for row in load_published("frenay_2013_tables")
        if row["method"] == LARGE and row["metric"] == "test_accuracy_percent"
    }


def test_names_of_classifiers_agree_with_the_published_table():
    experiment = get_experiment("elm-svm")
    rows = [row for row in experiment.published.rows() if row["metric"] in experiment.metrics]
    ours = {(d, m) for d in experiment.datasets for m in (RBF, TUNED, LARGE)}
    assert ours <= {(row["dataset"], row["method"]) for row in rows}
    assert set(experiment.datasets) == set(published_intervals())


def test_grids_are_the_published_ones():
    methods = get_experiment("elm-svm").methods
    assert (len(methods[RBF].kernels), len(methods[RBF].grid["C"])) == (36, 21)
    assert len(methods[LARGE].grid["C"]) == 26
    assert [k.keywords["n_hidden"] for k in methods[TUNED].kernels][-1] == 10_000


def fake_results():
    rows = []
    for dataset in ("Bupa", "Ion"):
        for method in make_svm_methods(1, (0.1, 1.0), (10, 100)):
            rows += [
                {"dataset": dataset, "noise_level": None, "method": method, "repetition": fold,
                 "test_accuracy_percent": 80.0 + fold}
                for fold in range(3)
            ]  # fmt: skip
    return rows


def test_curves_are_means_over_folds_against_the_kernel_parameter():
    found = collect_curves(fake_results(), "ELM p=", "test_accuracy_percent")
    assert found == {"Bupa": {10.0: 81.0, 100.0: 81.0}, "Ion": {10.0: 81.0, 100.0: 81.0}}


def test_the_figure_of_classifiers_is_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    (path,) = plot_svm_kernels(fake_results(), tmp_path)
    assert path.stat().st_size > 10_000


def accuracies(tmp_path, data_folder, datasets, methods):
    """Mean accuracy over the ten outer folds of each data set with each method."""
    whole = get_experiment("elm-svm")
    some = {name: whole.datasets[name] for name in datasets}
    experiment = replace(whole, datasets=some, methods=methods)
    results = run_experiment(experiment, tmp_path, folder=data_folder, n_jobs=-1)
    return {
        (dataset, method): np.mean(
            [
                row["test_accuracy_percent"]
                for row in results
                if (row["dataset"], row["method"]) == (dataset, method)
            ]
        )
        for dataset in datasets
        for method in methods
    }


@pytest.mark.slow
def test_a_thousand_units_reach_the_published_accuracies(tmp_path, data_folder):  # U2
    method = {
        LARGE: search(
            [partial(compute_drawn_units, n_hidden=1000)], make_powers_of_ten(-1, 4, 1), cv=5
        )
    }
    intervals = published_intervals()
    found = accuracies(tmp_path, data_folder, intervals, method)
    for dataset, (low, high) in intervals.items():
        assert low - 3 <= found[dataset, LARGE] <= high + 3, dataset


@pytest.mark.slow
def test_accuracy_is_flat_in_the_number_of_units(tmp_path, data_folder):  # U4
    C = make_powers_of_ten(-1, 4, 1)
    methods = {
        f"ELM p={p}": search([partial(compute_drawn_units, n_hidden=p)], C, cv=5)
        for p in (30, 300, 1000, 3000)
    }
    found = accuracies(tmp_path, data_folder, ["Ion"], methods)
    many = [found["Ion", f"ELM p={p}"] for p in (300, 1000, 3000)]
    assert max(many) - min(many) <= 3
    assert found["Ion", "ELM p=30"] < min(many)


def published():
    """Published errors in the units of the target."""
    rows = get_experiment("elm-svr").published.rows()
    return {(r["dataset"], r["method"]): r["mean"] * VARIANCES[r["dataset"]] / 100 for r in rows}


# Table 2 of the paper, the cells of Stock and CPU put where recomputing them says they belong.
@pytest.mark.parametrize(
    ("dataset", "method", "expected"),
    [
        ("Stock", GAUSSIAN, 4.2e-1),
        ("Stock", elm(0.1), 6.8e-1),
        ("Stock", elm(1), 4.3e-1),
        ("Stock", elm(10), 3.5e-1),
        ("Stock", elm(100), 3.6e-1),
        ("Stock", elm(1000), 3.8e-1),
        ("CPU", elm(0.1), 3.0e3),
        ("CPU", elm(1), 3.9e3),
        ("Cancer", elm(0.01), 1.0e3),
        ("Abalone", elm(0.1), 4.5),
    ],
)
def test_damaged_rows_of_the_tables_are_aligned(dataset, method, expected):
    assert published()[dataset, method] == pytest.approx(expected, rel=1e-12)


def test_cells_that_could_be_in_two_places_are_not_compared():
    cells = set(published())
    assert ("Abalone", elm(1)) not in cells
    assert ("CPU", elm(0.001)) not in cells
    assert ("CPU", elm(100)) not in cells
    assert ("Stock", elm(0.01)) not in cells


def test_names_of_regressions_agree_with_the_published_table():
    experiment = get_experiment("elm-svr")
    assert {d for d, _ in published()} == set(experiment.datasets) == set(VARIANCES)
    assert {m for _, m in published()} <= set(experiment.methods)
    assert {elm(s) for s in SIGMAS} <= set(experiment.methods)


def test_grids_lie_within_the_published_ones():
    gaussian = get_experiment("elm-svr").methods[GAUSSIAN]
    assert {kernel.keywords["gamma"] for kernel in gaussian.kernels} <= set(
        make_powers_of_ten(-3, 0, 0.5)
    )
    assert set(gaussian.grid["C"]) <= set(make_powers_of_ten(-2, 6, 0.5))
    assert 1e-5 < min(gaussian.grid["epsilon"]) < max(gaussian.grid["epsilon"]) < 10


def test_errors_are_in_percent_of_the_variance():
    y = np.array([0.0, 2.0, 4.0])
    assert compute_relative_error(y[:1], np.array([1.0]), y) == {
        "test_mse_percent": pytest.approx(100 / np.var(y))
    }


@pytest.mark.parametrize("name", VARIANCES)
def test_variances_are_those_of_the_data(data_folder, name):
    _, y = load_complete(get_experiment("elm-svr").datasets[name], data_folder)
    assert np.var(y) == pytest.approx(VARIANCES[name], rel=1e-3)


def test_the_figure_of_regressions_is_drawn(tmp_path):
    pytest.importorskip("matplotlib", reason="the report extra is not installed")
    methods = make_svr_methods((1,), (0.1,), (0.1,), SIGMAS)
    results = [
        {"dataset": "CPU", "noise_level": None, "method": method, "repetition": 0,
         "test_mse_percent": 10.0 + i}
        for i, method in enumerate(methods)
    ]  # fmt: skip
    (path,) = plot_svr_kernels(results, tmp_path)
    assert path.stat().st_size > 10_000


@pytest.mark.slow
def test_stock_does_not_mind_the_spread_once_large_enough(tmp_path, data_folder):  # U3
    sigmas = (0.01, 1, 10, 100)
    methods = make_svr_methods((1, 10, 100, 1000), (0.03, 0.1), (0.1,), sigmas)
    whole = get_experiment("elm-svr")
    experiment = replace(
        whole,
        datasets={"Stock": "reg_stock"},
        methods={elm(s): methods[elm(s)] for s in sigmas},
    )
    results = run_experiment(experiment, tmp_path, folder=data_folder, n_jobs=-1)

    def error(sigma_w):
        found = [r["test_mse_percent"] for r in results if r["method"] == elm(sigma_w)]
        return np.mean(found) * VARIANCES["Stock"] / 100

    for sigma_w in (1, 10, 100):
        assert 0.3 <= error(sigma_w) <= 0.5
    assert error(0.01) > 3
