import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import errata
from auditing.large_tables import (
    FLIPPED,
    HOW,
    LEARNT,
    TABLE,
    N,
    assert_same,
    equal_cuts,
    in_memory,
    lower_limits,
    write,
)
from errata._random import draw_seed
from errata.auditing._learning import rows_to_learn_from
from errata.auditing.stored import _audit
from errata.auditing.stored._audit import TableColumns, parse_memory

pytest.importorskip("pyarrow", reason="the tables extra is not installed")
parquet = pytest.importorskip("pyarrow.parquet")
pandas = pytest.importorskip("pandas")
pytestmark = pytest.mark.usefixtures("low_limits")


def stored(source, tmp_path, **options):
    return errata.audit(source, "pet", **{"out": tmp_path / "pets.audit"} | HOW | options)


def test_most_rows_are_not_learnt_from_and_wrong_labels_are_found_all_the_same():
    found = in_memory()
    assert len(found) == N > 3 * LEARNT
    assert np.mean(FLIPPED[found.flagged]) > 0.65
    assert np.mean(found.flagged[FLIPPED]) > 0.8
    assert found.noise_rate.low <= FLIPPED.mean() <= found.noise_rate.high


@pytest.mark.parametrize(
    "cuts",
    [
        pytest.param([0, N], id="one file"),
        pytest.param([0, 1, 700, 701, 1_500, 1_501, 2_999, N], id="7 uneven files"),
        pytest.param(equal_cuts(40), id="40 files"),
    ],
)
def test_any_cut_of_the_table_gives_the_same_audit(cuts, tmp_path):
    folder = write(tmp_path / "pets", cuts)
    assert_same(stored(folder, tmp_path), in_memory())


@pytest.mark.parametrize("exact", [10**6, N - 1], ids=["in memory", "on disk"])
def test_any_kind_of_source_gives_the_same_audit(exact, tmp_path, monkeypatch):
    lower_limits(monkeypatch, exact=exact)
    wanted = in_memory()
    groups = write(tmp_path / "groups", [0, N], row_group_size=130)
    assert_same(stored(groups, tmp_path), wanted)
    pandas.DataFrame(TABLE).to_csv(tmp_path / "pets.csv.gz", index=False)
    assert_same(stored(tmp_path / "*.csv.gz", tmp_path), wanted)
    polars = pytest.importorskip("polars")
    assert_same(stored(polars.LazyFrame(TABLE), tmp_path), wanted)
    dataset = pytest.importorskip("pyarrow.dataset").dataset(groups)
    assert_same(stored(dataset, tmp_path), wanted)


def test_of_a_small_table_all_rows_are_learnt_from(tmp_path, monkeypatch):
    lower_limits(monkeypatch, learnt=N)
    wanted = in_memory()
    found = stored(write(tmp_path / "pets", [0, 1_000, N]), tmp_path)
    assert_same(found, wanted)
    assert found.examples == wanted.examples


def test_examples_are_shown_among_drawn_rows_by_their_places_in_the_table(tmp_path):
    wanted = in_memory()
    found = stored(write(tmp_path / "pets", [0, 1_000, N]), tmp_path)
    rows = [example["row"] for example in found.examples]
    assert rows == [example["row"] for example in wanted.examples]
    assert rows == np.argsort(-found.suspicion, kind="stable")[: len(rows)].tolist()
    for example in found.examples[:20]:
        assert example["label"] == TABLE["pet"][example["row"]]
        assert example["values"]["fur"] == TABLE["fur"][example["row"]]
        for other in (*example["similar"], *example["compared"]):
            assert other["label"] == TABLE["pet"][other["row"]]
    assert "nearest rows among 900 drawn ones" in found.examples[0]["reasons"][1]
    assert len(found._points["row"]) == len(set(found._points["row"]))
    place = {row: at for at, row in enumerate(found._points["row"])}
    assert found._points["p_wrong"][place[rows[0]]] == pytest.approx(
        found.p_wrong[rows[0]], abs=1e-3
    )


def test_an_audit_in_parts_can_be_reviewed(tmp_path):
    found = stored(write(tmp_path / "pets", [0, 1_000, N]), tmp_path)
    wanted = in_memory()
    wanted.save(tmp_path / "wanted.audit")
    assert found._for_review is not None
    one, other = (
        parquet.read_table(tmp_path / name / "cards.parquet").to_pydict()
        for name in ("pets.audit", "wanted.audit")
    )
    assert one["row"] == other["row"]
    components = [
        parquet.read_table(tmp_path / name / "components.parquet").to_pandas().to_numpy()
        for name in ("pets.audit", "wanted.audit")
    ]
    np.testing.assert_allclose(*components, rtol=0, atol=1e-6)


def test_what_only_the_last_part_holds_is_treated_as_in_memory(tmp_path):
    table = {name: np.array(column, dtype=object) for name, column in TABLE.items()}
    drawn = np.sort(np.random.default_rng(0).choice(N, LEARNT, replace=False))
    last = np.setdiff1d(np.arange(2_900, N), drawn)
    table["visits"] = table["visits"].astype(float)
    table["legs"] = table["legs"].astype(str).astype(object)
    table["legs"][last[0]] = "many"  # a word in a column of numbers
    table["pet"][last[1]] = "dodo"  # a class of one row
    table["same"] = np.ones(N)
    wanted = in_memory(table)
    found = stored(write(tmp_path / "pets", [0, 2_900, 2_900, N], table), tmp_path)
    assert_same(found, wanted)
    assert found.classes.tolist() == ["ant", "bee", "cat", "dodo"]
    assert found.suggested[last[1]] == "dodo"
    assert any("'dodo'" in note or "dodo" in note for note in found.notes)
    assert any("1 of 'legs'" in note for note in found.notes)
    assert any("'same'" in note for note in found.notes)


def test_conflicting_copies_are_found_across_parts(tmp_path, monkeypatch):
    table = {name: np.array(column) for name, column in TABLE.items()}
    for name in table:
        if name != "pet":
            table[name][2_000:2_090] = table[name][:90]
    labels = table["pet"].astype(object)
    labels[2_000:2_090] = np.where(labels[:90] == "ant", "bee", "ant")
    table["pet"] = labels
    wanted = [[row, 2_000 + row] for row in range(90)]
    for exact in (10**6, N - 1):
        lower_limits(monkeypatch, exact=exact)
        found = stored(write(tmp_path / f"pets{exact}", [0, 1_200, N], table), tmp_path)
        planted = [group.tolist() for group in found.duplicates]
        assert [group for group in planted if len(group) == 2 and group[1] >= 2_000] == wanted


def test_no_group_is_predicted_by_models_that_learnt_from_it(tmp_path):
    # Labels are drawn by group, and columns tell the group alone: whoever has learnt from rows of a
    # group knows all its labels.
    random = np.random.default_rng(0)
    group = random.integers(150, size=N)
    place, pets = random.normal(size=(150, 2)), np.array(["ant", "bee"], dtype=object)
    table = {
        "x": place[group, 0],
        "y": place[group, 1],
        "owner": group,
        "pet": pets[random.integers(2, size=150)[group]],
    }
    folder = write(tmp_path / "pets", [0, 1_200, N], table)
    how = {"estimators": [KNeighborsClassifier(1)]}
    alone = stored(folder, tmp_path, **how | {"drop": ["owner"]})
    assert alone.models[0]["agreement"] > 0.95
    grouped = stored(folder, tmp_path, groups="owner", **how)
    assert grouped.models[0]["agreement"] < 0.65
    assert not grouped.has_skill


def test_rows_without_a_label_get_the_most_probable_class(tmp_path):
    table = TABLE | {"pet": TABLE["pet"].copy()}
    blank = np.arange(0, N, 9)
    table["pet"][blank] = None
    found = stored(write(tmp_path / "pets", [0, 1_200, N], table), tmp_path)
    wanted = in_memory(table)
    assert_same(found, wanted)
    np.testing.assert_allclose(found.p_suggested, wanted.p_suggested, rtol=0, atol=1e-5)
    assert np.mean(found.suggested[blank] == TABLE["pet"][blank]) > 0.8


def test_known_labels_are_never_flagged(tmp_path):
    table = TABLE | {"sure": (np.arange(N) % 3 == 0).astype(int)}
    folder = write(tmp_path / "pets", [0, 1_200, N], table)
    found = stored(folder, tmp_path, known="sure")
    assert not found.flagged[::3].any()
    assert found.flagged.sum() > 100
    np.testing.assert_array_equal(found.p_wrong[::3], 0)


@pytest.mark.parametrize("exact", [10**6, N - 1], ids=["in memory", "on disk"])
def test_known_labels_narrow_the_interval_as_in_memory(exact, tmp_path, monkeypatch):
    lower_limits(monkeypatch, exact=exact)
    # More often among rows that were not drawn, so that fractions of these and of all rows differ.
    drawn = np.isin(np.arange(N), rows_to_learn_from(N, draw_seed(0)))
    sure = np.random.default_rng(1).random(N) < np.where(drawn, 0.2, 0.6)
    table = TABLE | {"sure": sure.astype(int)}
    found = stored(write(tmp_path / "pets", [0, 1_200, N], table), tmp_path, known="sure")
    wanted = in_memory(table, known="sure")
    assert_same(found, wanted)
    assert found.noise_rate.high < 0.8 * in_memory().noise_rate.high


def test_probabilities_may_be_columns(tmp_path):
    random = np.random.default_rng(0)
    codes = np.searchsorted(["ant", "bee", "cat"], TABLE["pet"])
    proba = random.dirichlet(np.ones(3), N) * 0.3
    proba[np.arange(N), codes] += 0.7
    table = TABLE | {f"p{j}": proba[:, j] for j in range(3)}
    names = ["p0", "p1", "p2"]
    found = stored(write(tmp_path / "pets", [0, 1_200, N], table), tmp_path, pred_proba=names)
    wanted = in_memory(TABLE, pred_proba=proba)
    assert_same(found, wanted)


def test_rounded_probabilities_are_made_to_sum_to_one_in_parts_too(tmp_path):
    random = np.random.default_rng(0)
    codes = np.searchsorted(["ant", "bee", "cat"], TABLE["pet"])
    proba = random.dirichlet(np.ones(3), N) * 0.3
    proba[np.arange(N), codes] += 0.7
    rounded = proba * random.uniform(0.985, 1.001, (N, 1))
    table = TABLE | {f"p{j}": rounded[:, j] for j in range(3)}
    names = ["p0", "p1", "p2"]
    found = stored(write(tmp_path / "pets", [0, 1_200, N], table), tmp_path, pred_proba=names)
    assert_same(found, in_memory(TABLE, pred_proba=rounded))
    assert any("made to sum to one" in note for note in found.notes)
    exact = in_memory(TABLE, pred_proba=proba)
    np.testing.assert_allclose(found.p_wrong, exact.p_wrong, rtol=0, atol=1e-9)


class Frequencies:
    name = "frequencies"

    def out_of_fold_proba(self, data):
        return np.tile(np.bincount(data.codes) / len(data.codes), (len(data.codes), 1))


def test_a_model_of_the_user_sees_columns_by_name_in_rows_it_did_not_learn_from():
    frame = pandas.DataFrame({name: TABLE[name] for name in ("fur", "legs", "size")})
    by_name = ColumnTransformer([("legs", "passthrough", ["legs"])])
    found = errata.audit(
        frame,
        TABLE["pet"],
        estimator=make_pipeline(by_name, GaussianNB()),
        **HOW | {"estimators": []},
    )
    assert found.models[0]["name"] == "your model"
    assert np.mean(FLIPPED[found.flagged]) > 0.5


def test_a_model_of_another_kind_must_predict_other_rows(tmp_path):
    folder = write(tmp_path / "pets", [0, N])
    with pytest.raises(ValueError, match="cross_fit"):
        stored(folder, tmp_path, estimators=[Frequencies()])
    assert not (tmp_path / "pets.audit").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"memory": "100MB"}, r"memory='100MB' is too little for a table of 6 columns; \d+ MB are"),
        ({"memory": "much"}, "is not a size"),
        ({"out": None}, "needs a folder for the audit: pass out"),
        ({"embeddings": np.ones((N, 2))}, "embeddings needs a table in memory"),
        ({"groups": np.arange(N)}, "groups must be the name of a column"),
        ({"groups": "ownr"}, "there is no column 'ownr' in the table"),
        ({"drop": ["furr"]}, "there is no column 'furr' in the table; did you mean 'fur'"),
    ],
)
def test_what_cannot_be_done_is_said(options, sentence, tmp_path):
    folder = write(tmp_path / "pets", [0, N])
    with pytest.raises(ValueError, match=sentence):
        stored(folder, tmp_path, **options)


def test_tables_in_memory_have_no_parts():
    with pytest.raises(ValueError, match="out='x' is for tables that are read in parts"):
        in_memory(out="x")


def test_a_measurement_is_no_label(tmp_path):
    folder = write(tmp_path / "pets", [0, 1_000, N])
    with pytest.raises(ValueError, match=r"different labels|continuous measurement"):
        errata.audit(folder, "size", out=tmp_path / "pets.audit", **HOW)


def test_an_audit_that_was_stopped_goes_on_after_the_last_finished_part(tmp_path, monkeypatch):
    folder = write(tmp_path / "pets", equal_cuts(10))
    judged, judge_part = [], _audit.judge_part

    def stops(part, shared):
        if len(judged) == 4:
            raise OSError("the power is gone")
        judged.append(part.start)
        return judge_part(part, shared)

    monkeypatch.setattr(_audit, "judge_part", stops)
    with pytest.raises(OSError, match=r"judging, .*part-4.parquet, .*the power is gone"):
        stored(folder, tmp_path)
    unfinished = tmp_path / "pets.audit.unfinished"
    assert unfinished.is_dir()
    assert not (tmp_path / "pets.audit").exists()
    with pytest.raises(ValueError, match="unfinished work on something else"):
        stored(folder, tmp_path, random_state=1)

    def goes_on(part, shared):
        judged.append(part.start)
        return judge_part(part, shared)

    monkeypatch.setattr(_audit, "judge_part", goes_on)
    monkeypatch.setattr(_audit, "Learnt", None)  # it is not learnt again
    found = stored(folder, tmp_path)
    assert judged == sorted(set(judged))
    assert len(judged) == 10
    assert not unfinished.exists()
    monkeypatch.undo()
    lower_limits(monkeypatch)
    assert_same(found, in_memory())
    monkeypatch.setattr(_audit, "Learnt", None)
    with pytest.raises(TypeError):  # an audit that begins anew learns
        stored(folder, tmp_path, resume=False)


KILLED = """
import sys
import pytest
import errata
from errata._engine import Stage
from auditing.large_tables import HOW, lower_limits

def wait_in_the_middle(told):
    if isinstance(told, Stage) and told.name == "judging" and told.done >= 300:
        print("ready", flush=True)
        sys.stdin.read()

lower_limits(pytest.MonkeyPatch())
errata.audit(sys.argv[1], "pet", out=sys.argv[2], progress=wait_in_the_middle, **HOW)
"""


def test_an_audit_that_was_killed_goes_on(tmp_path):
    folder = write(tmp_path / "pets", equal_cuts(60))
    out, env = tmp_path / "pets.audit", dict(os.environ)
    tests, src = Path(__file__).parents[1], Path(errata.__file__).parents[1]
    env["PYTHONPATH"] = os.pathsep.join([str(tests), str(src), env.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder), str(out)],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    judged = tmp_path / "pets.audit.unfinished" / "work" / "judged"
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not out.exists()
    starts = [path.stem.split("-")[1] for path in judged.parent.glob("judging-*.pickle")]
    kept = {judged / f"part-{int(start):012d}.parquet" for start in starts}
    times = {path.name: path.stat().st_mtime_ns for path in kept}
    seen = {}

    def look(stage):
        if str(stage).startswith("judging: 3,000"):
            seen.update({path.name: path.stat().st_mtime_ns for path in kept})

    found = errata.audit(folder, "pet", out=out, progress=look, **HOW)
    assert_same(found, in_memory())
    assert len(times) >= 4
    assert seen == times  # no finished part was judged again
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pets", "pets.audit"]


def test_rows_of_a_part_get_probabilities_that_sum_to_one():
    pyarrow = pytest.importorskip("pyarrow")
    part = pyarrow.table({"x": [0.0, 1.0], "pet": ["a", "b"], "p": [0.7, 0.2], "q": [0.29, 0.8]})
    columns = TableColumns(part.column_names, "pet", pred_proba=["p", "q"])
    rows = columns.rows(part, np.array(["a", "b"]))
    np.testing.assert_allclose(rows.pred_proba, [[0.7 / 0.99, 0.29 / 0.99], [0.2, 0.8]])


@pytest.mark.parametrize(
    ("size", "n_bytes"),
    [
        ("2GB", 2 * 10**9),
        ("500MB", 500 * 10**6),
        ("1.5 GiB", 3 << 29),
        (" 64 kib ", 1 << 16),
        ("3t", 3 * 10**12),
        ("12", 12),
        ("100 b", 100),
        (1 << 30, 1 << 30),
        (1.5e9, 1_500_000_000),
    ],
)
def test_sizes_as_people_write_them(size, n_bytes):
    assert parse_memory(size) == n_bytes


@pytest.mark.parametrize("size", ["", "lots", "2 GB!", "2XB", "-1GB", None, True, float("nan")])
def test_nonsense_gets_a_sentence(size):
    with pytest.raises(ValueError, match=r'is not a size; write it as in "2GB" or in bytes'):
        parse_memory(size)


@pytest.mark.parametrize("size", ["0", 0, -5, "0.1"])
def test_no_memory_is_too_little(size):
    with pytest.raises(ValueError, match="is no memory at all"):
        parse_memory(size)
