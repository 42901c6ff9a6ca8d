import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import t as student
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import errata
from auditing_cases import QUICK, blobs
from engine_cases import two_workers
from errata.comparing import Competitor, default_competitors
from errata.comparing._result import compare_standing, describe_basis, write_advice

RIVALS = {
    "bayes": GaussianNB(),
    "neighbour": KNeighborsClassifier(1),
    "blind": DummyClassifier(),
}


@pytest.fixture(autouse=True)
def quick_audits(monkeypatch):
    """Audits by one model that fits within milliseconds."""
    for caller in ("comparing._compare", "comparing._competitors", "auditing._audited_classifier"):
        monkeypatch.setattr(f"errata.{caller}.audit", quick_audit)


def quick_audit(*args, **kwargs):
    return errata.audit(*args, **kwargs | {"estimators": QUICK})


@pytest.fixture(scope="module")
def table():
    X, y = blobs(160, 3)
    labels, _ = errata.noise.flip_labels(y, 0.2, random_state=1)
    return X, labels, y


@pytest.fixture
def found(table):
    X, labels, _ = table
    return errata.compare(X, labels, competitors=RIVALS, random_state=0)


def test_the_accuracy_is_that_on_the_class(table):
    X, _, y = table
    found = errata.compare(X, y, competitors=RIVALS, noise=0.2, random_state=0)
    rows = {row["name"]: row for row in found.summary()["competitors"]}
    for name in ("bayes", "neighbour"):  # a blind one agrees with labels as often as with classes
        row = rows[name]
        behind = row["clean_accuracy"] - row["agreement"]
        assert behind > 0.1
        assert abs(row["clean_accuracy"] - row["score"]) < behind / 3


def test_the_best_comes_first_and_is_told_beyond_chance(found):
    assert found.best == "bayes"
    assert found.table()["name"].tolist() == ["bayes", "neighbour", "blind"]
    assert found.table()["within_chance"].tolist() == [True, False, False]
    assert found.advice.startswith("Bayes has the highest estimated accuracy")
    assert found.advice.endswith("beyond chance.")
    assert repr(found) == f"<Comparison of 3: {found.advice}>"


def test_the_summary_is_valid_json(found):
    json.dumps(found.summary(), allow_nan=False)


def test_the_same_seed_gives_the_same_comparison(table, found):
    X, labels, _ = table
    again = errata.compare(X, labels, competitors=RIVALS, random_state=0, n_jobs=2)
    for metric in ("accuracy", "agreement"):
        assert_array_equal(again.scores[metric], found.scores[metric])


def test_where_the_columns_tell_nothing_agreement_decides():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 4)), random.integers(2, size=300)
    found = errata.compare(X, y, competitors=RIVALS, repetitions=1, random_state=0)
    assert found.score == "agreement"
    assert "accuracy" not in found.scores
    assert "nobody can say which labels are wrong" in found.summary()["basis"]


def test_where_every_label_is_known_the_classes_are_the_labels(table):
    X, labels, _ = table
    rivals = {"bayes": GaussianNB(), "blind": DummyClassifier()}
    scores = errata.compare(
        X, labels, competitors=rivals, known=[True] * 160, random_state=0
    ).scores
    assert_allclose(scores["accuracy"], scores["known_accuracy"], rtol=0, atol=1e-12)


def test_known_rows_are_scored_by_their_labels_and_get_no_noise(table):
    X, _, y = table
    known = np.arange(len(y)) < 60
    found = errata.compare(X, y, competitors=RIVALS, noise=0.3, known=known, random_state=0)
    bayes = found.table().set_index("name").loc["bayes"]
    assert bayes["known_accuracy"] > 0.95


def test_a_classifier_of_the_user_learns_from_the_table_as_it_was_given():
    X, y = blobs(120, 2)
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame(X, columns=list("abcd")).assign(place=["north", "south"] * 60)
    seen = []

    class Spy(GaussianNB):
        def fit(self, X, y):
            seen.append(list(X.columns))
            return super().fit(X[["a", "b"]], y)

        def predict(self, X):
            return super().predict(X[["a", "b"]])

    frame["label"] = np.where(y == 0, "cat", "dog")
    rivals = {"spy": Spy(), "logistic regression": None}
    errata.compare(frame, "label", competitors=rivals, cv=2, repetitions=1, random_state=0)
    assert seen == [["a", "b", "c", "d", "place"]] * 2


def test_a_filter_that_several_share_runs_once_a_fold(table, monkeypatch):
    X, labels, _ = table
    calls = []
    monkeypatch.setattr(
        "errata.comparing._competitors.audit",
        lambda *args, **kwargs: calls.append(1) or quick_audit(*args, **kwargs),
    )
    names = ["logistic regression after audit", "SVM after audit"]
    errata.compare(X, labels, competitors=names, cv=2, repetitions=1, random_state=0)
    assert len(calls) == 2


def test_cleaning_never_sees_test_rows(table, monkeypatch):
    X, labels, _ = table
    sizes = []
    monkeypatch.setattr(
        errata.comparing._competitors.AuditFilter,
        "fit_resample",
        lambda self, X, y: sizes.append(len(y)) or (X, y),
    )
    names = ["SVM", "SVM after audit"]
    errata.compare(X, labels, competitors=names, cv=4, repetitions=1, random_state=0)
    assert sizes == [120] * 4


def test_groups_are_tested_together(table):
    X, labels, y = table
    groups = np.arange(len(y)) % 8
    seen = []

    class Spy(GaussianNB):
        def predict(self, X):
            seen.append(set(X[:, -1].astype(int).tolist()))
            return super().predict(X)

    X = np.c_[X, groups]
    errata.compare(
        X,
        labels,
        competitors={"spy": Spy(), "blind": DummyClassifier()},
        groups=groups,
        cv=4,
        repetitions=1,
        random_state=0,
    )
    assert [len(part) for part in seen] == [2] * 4
    assert set.union(*seen) == set(range(8))


def test_a_stopped_comparison_goes_on(table, found, tmp_path):
    X, labels, _ = table

    def run(bayes):
        return errata.compare(
            X, labels, competitors=RIVALS | {"bayes": bayes}, out=tmp_path, random_state=0
        )

    run(GaussianNB())
    lines = (tmp_path / "results.csv").read_text().splitlines(keepends=True)
    (tmp_path / "results.csv").write_text(
        "".join(lines[:8]) + lines[8][:10]
    )  # killed while writing
    progress = []
    again = errata.compare(
        X,
        labels,
        competitors=RIVALS,
        out=tmp_path,
        random_state=0,
        progress=lambda done, total: progress.append((done, total)),
    )
    assert progress[0] == (7, 30)
    assert progress[-1] == (30, 30)
    assert_array_equal(again.scores["accuracy"], found.scores["accuracy"])


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.mark.parametrize("kept", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_cluster_finds_the_same(table, found, client, tmp_path, kept):
    X, labels, _ = table
    seen = []
    there = errata.compare(
        X,
        labels,
        competitors=RIVALS,
        random_state=0,
        out=tmp_path if kept else None,
        engine=client,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(done, 30) for done in range(0, 31, 3)]
    for metric in ("accuracy", "agreement"):
        assert_array_equal(there.scores[metric], found.scores[metric])
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == (["manifest.json", "results.csv"] if kept else [])


def test_a_comparison_that_was_stopped_here_goes_on_there(table, found, client, tmp_path):
    X, labels, _ = table
    some = {"competitors": RIVALS, "out": tmp_path, "random_state": 0}
    errata.compare(X, labels, **some)
    lines = (tmp_path / "results.csv").read_text().splitlines(keepends=True)
    (tmp_path / "results.csv").write_text("".join(lines[:8]))
    again = errata.compare(X, labels, **some, engine=client.scheduler.address)
    assert_array_equal(again.scores["accuracy"], found.scores["accuracy"])
    kept = (tmp_path / "results.csv").read_text().splitlines(keepends=True)
    assert kept[:8] == lines[:8]  # seconds, too: nothing was measured again


def test_a_competitor_that_fails_on_a_worker_is_named(table, client, tmp_path):
    X, labels, _ = table
    rivals = {"bayes": GaussianNB(), "far": KNeighborsClassifier(10_000)}
    with pytest.raises(ValueError, match=r"far cannot learn from this table: .*n_neighbors"):
        errata.compare(X, labels, competitors=rivals, out=tmp_path, random_state=0, engine=client)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left in ([], ["manifest.json", "results.csv"])  # whether or not bayes was done before


def test_results_of_another_table_do_not_mix(table, tmp_path):
    X, labels, _ = table
    some = {"competitors": RIVALS, "out": tmp_path, "cv": 2, "repetitions": 1, "random_state": 0}
    errata.compare(X, labels, **some)
    with pytest.raises(ValueError, match="holds a run with another table"):
        errata.compare(X + 1, labels, **some)


@pytest.mark.parametrize("of_rows", ["known", "groups"])
def test_results_for_other_known_rows_or_groups_do_not_mix(table, tmp_path, of_rows):
    X, labels, _ = table
    some = {"competitors": RIVALS, "out": tmp_path, "cv": 2, "repetitions": 1, "random_state": 0}
    errata.compare(X, labels, **some, **{of_rows: np.arange(160) < 50})
    with pytest.raises(ValueError, match="holds a run with another table"):
        errata.compare(X, labels, **some, **{of_rows: np.arange(160) > 120})


def test_a_class_that_noise_has_wiped_out_is_predicted_by_nobody(table, monkeypatch):
    X, _, y = table
    monkeypatch.setattr(
        "errata.comparing._compare._inject_noise", lambda X, y, *_: np.where(y == 1, 2, y)
    )
    found = errata.compare(X, y, competitors=RIVALS, noise=0.3, repetitions=1, random_state=0)
    assert found.scores["clean_accuracy"].mean(axis=0).max() < 0.75  # of three classes, one is gone


def test_folds_without_a_known_row_do_not_count(table):
    X, labels, _ = table
    some = {"competitors": RIVALS, "repetitions": 1, "random_state": 0}
    found = errata.compare(X, labels, known=np.arange(160) < 3, **some)
    counted = ~np.isnan(found.scores["known_accuracy"][:, 0])
    assert 2 <= counted.sum() < 5
    expected = found.scores["known_accuracy"][counted].mean(axis=0)
    assert_array_equal(found.standing("known_accuracy").mean, expected)
    with pytest.raises(ValueError, match="metric='seconds' is not known; choose from accuracy"):
        found.standing("seconds")
    with pytest.raises(ValueError, match="was measured on 1 of the folds, and two are needed"):
        errata.compare(X, labels, known=np.arange(160) < 1, **some).standing("known_accuracy")


def test_many_rows_are_drawn_from(table):
    X, labels, _ = table
    found = errata.compare(
        X, labels, competitors=RIVALS, max_rows=90, cv=2, repetitions=1, random_state=0
    )
    assert found.about["rows"] == 90
    assert "90 of 160 rows were drawn at random." in found.notes


@pytest.mark.parametrize("kind", ["ncar", "nar", "nnar"])
def test_so_many_labels_are_made_wrong(kind):
    X, y = blobs(400, 3, d=2)
    labels = errata.comparing._compare._inject_noise(X / 3, y, None, 0.1, kind, 0)
    assert 0.05 < np.mean(labels != y) < 0.16


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"competitors": ["SWM"]}, "there is no competitor 'SWM'; choose from logistic"),
        ({"competitors": "SVM"}, "must be a list of names, or a mapping"),
        ({"competitors": ["SVM"]}, "SVM alone cannot be compared; name two competitors or more"),
        ({"competitors": RIVALS, "known": [2] * 160}, "known must hold True and False"),
        ({"competitors": RIVALS, "known": [1] * 3}, "known has 3 rows, the other argument 160"),
        ({"competitors": RIVALS, "noise": 0.1, "kind": "odd"}, "kind='odd'"),
        ({"competitors": RIVALS, "repetitions": 0}, "repetitions=0"),
    ],
)
def test_bad_input_gets_a_sentence(table, options, sentence):
    X, labels, _ = table
    with pytest.raises(ValueError, match=sentence):
        errata.compare(X, labels, **options)


def test_what_is_no_classifier_is_refused(table):
    X, labels, _ = table
    with pytest.raises(TypeError, match="scaler has no fit and predict"):
        errata.compare(X, labels, competitors={"scaler": StandardScaler(), "SVM": None})


def test_a_competitor_that_fails_is_named(table):
    X, labels, _ = table
    rivals = {"broken": make_pipeline(GaussianNB(var_smoothing=-1)), "blind": DummyClassifier()}
    with pytest.raises(ValueError, match="broken cannot learn from this table"):
        errata.compare(X, labels, competitors=rivals, random_state=0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_default_competitor_learns(n_classes):
    X, y = blobs(100, n_classes)
    names = [name for name, c in default_competitors(n_classes).items() if c.filter is None]
    found = errata.compare(X, y, competitors=names, cv=2, repetitions=1, random_state=0)
    assert (found.scores["agreement"].mean(axis=0) > 0.8).all(), found.table()


def test_a_competitor_may_bring_a_filter(table):
    X, labels, _ = table
    filtered = Competitor(KNeighborsClassifier(1), errata.filters.MarginPeeler())
    rivals = {"plain": Competitor(KNeighborsClassifier(1)), "peeled": filtered}
    found = errata.compare(X, labels, competitors=rivals, random_state=0)
    assert found.best == "peeled"


def row(name, score, within_chance=True, seconds=1.0):
    bounds = {"low": score - 0.03, "high": score + 0.03}
    return {
        "name": name,
        "score": score,
        "within_chance": within_chance,
        "seconds": seconds,
    } | bounds


def said(*rows, score="accuracy"):
    return write_advice({"competitors": list(rows), "score": score})


def test_those_within_chance_are_named_and_the_quickest_of_them():
    text = said(row("SVM", 0.9), row("forest", 0.89, seconds=0.1), row("tree", 0.6, False, 0.01))
    assert text == (
        "SVM has the highest estimated accuracy, 90.0% (87.0% to 93.0%); its lead over forest is "
        "within chance; forest is the quickest of them."
    )


def test_when_all_are_within_chance_nobody_is_listed():
    text = said(row("SVM", 0.9, seconds=0.1), row("forest", 0.89), row("tree", 0.88))
    assert text.endswith("but all 3 are within chance of it; it is also the quickest of them.")


def test_a_name_begins_the_sentence_with_a_capital():
    assert said(row("random forest", 0.9), row("tree", 0.1, False)).startswith("Random forest has")


def test_without_skill_agreement_is_not_called_accuracy():
    rows = [row("SVM", 0.9), row("tree", 0.1, False)]
    assert "highest agreement with the labels" in said(*rows, score="agreement")
    summary = {"score": "agreement", "noise_rate": {}}
    assert "nobody can say which labels are wrong" in describe_basis(summary)


def test_the_basis_tells_the_noise_rate():
    rate = {"estimate": 0.2, "low": 0.1, "high": 0.3}
    assert "About 20% of the labels are wrong (10% to 30%)" in describe_basis(
        {"score": "accuracy", "noise_rate": rate}
    )


def test_interval_and_p_value_by_hand():
    scores = np.array([[0.9, 0.8], [0.8, 0.7], [0.85, 0.81], [0.95, 0.81]])
    found = compare_standing(scores, test_fraction=0.2)
    inflation = 1 / 4 + 0.25  # Nadeau and Bengio: 1 / J + test rows / training rows
    error = np.sqrt(inflation * scores[:, 0].var(ddof=1))
    reach = student.ppf(0.975, 3) * error
    assert_allclose(found.mean, [0.875, 0.78], rtol=0, atol=1e-12)
    assert_allclose(found.low[0], 0.875 - reach, rtol=0, atol=1e-12)
    assert found.high[0] == 1.0  # clipped: 0.875 + reach is beyond
    difference = scores[:, 0] - scores[:, 1]
    statistic = difference.mean() / np.sqrt(inflation * difference.var(ddof=1))
    assert_allclose(found.p_value, [1, 2 * student.sf(statistic, 3)], rtol=0, atol=1e-12)
    assert_allclose(found.rank, [1, 2], rtol=0, atol=0)


def test_the_best_may_stand_anywhere_and_is_within_chance_of_itself():
    random = np.random.default_rng(0)
    scores = np.c_[random.normal(0.5, 0.01, 10), random.normal(0.9, 0.01, 10)]
    found = compare_standing(scores, 0.2)
    assert found.best == 1
    assert found.within_chance.tolist() == [False, True]


def test_two_that_are_always_the_same_are_within_chance():
    scores = np.repeat(np.random.default_rng(0).uniform(0.7, 0.8, (5, 1)), 2, axis=1)
    assert compare_standing(scores, 0.2).within_chance.all()


def test_a_difference_that_never_varies_is_beyond_chance():
    assert compare_standing(np.array([[0.9, 0.8]] * 5), 0.2).p_value[1] == 0


def test_chance_is_mistaken_for_a_difference_in_at_most_one_of_twenty():
    # Folds of one table have something in common, which the correction allows for.
    random, alarms = np.random.default_rng(0), 0
    for _ in range(400):
        common = random.normal(0, np.sqrt(0.2), 2)  # correlation of folds: test rows / all rows
        scores = 0.8 + 0.05 * (common + random.normal(0, np.sqrt(0.8), (10, 2)))
        alarms += (~compare_standing(scores, 0.2).within_chance).any()
    assert alarms / 400 < 0.08


@pytest.mark.parametrize("n_folds", [2, 10])
def test_more_competitors_need_clearer_differences(n_folds):
    random = np.random.default_rng(1)
    scores = np.c_[random.normal(0.9, 0.02, n_folds), random.normal(0.8, 0.02, (8, n_folds)).T]
    alone = compare_standing(scores[:, :2], 0.2).p_value[1]
    among = compare_standing(scores, 0.2).p_value[1]
    assert among >= alone
