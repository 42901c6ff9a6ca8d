import ctypes
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_info, threadpool_limits

import errata
from auditing.large_tables import lower_limits
from auditing.recordings_cases import CLASSES, steady
from auditing_cases import QUICK, blobs
from errata import _validation
from errata._validation import check_labels
from errata.auditing.inputs import _duplicates
from errata.auditing.inputs import _labels as _audited_labels
from errata.auditing.models._default import Forest, NearestRows, RBFRidge
from errata.datasets import make_twonorm
from errata.noise import flip_labels

pytestmark = pytest.mark.usefixtures("few_trees")  # and the same is asked of audits with them
X, CODES = blobs(90)
NAMES = np.array(["ant", "bee", "cat"])
SEVERAL = [RBFRidge("RBF features", 1.0), Forest("trees", True, 10, 1), *QUICK]


def quick(table, y, **options):
    return errata.audit(
        table, y, **{"estimators": QUICK, "self_check": False, "random_state": 0} | options
    )


def assert_sound(audit):
    for values in (audit.p_wrong, audit.suspicion, audit.p_suggested):
        assert np.isfinite(values).all()
        assert values.min() >= 0
        assert values.max() <= 1
    rate = audit.noise_rate
    assert 0 <= rate.low <= rate.estimate <= rate.high <= 1
    np.testing.assert_allclose(audit.transition.sum(axis=1), 1, rtol=0, atol=1e-9)
    np.testing.assert_allclose(audit.prior.sum(), 1, rtol=0, atol=1e-6)
    assert set(audit.suggested) <= set(audit.classes)
    np.testing.assert_array_equal(audit.suggested[~audit.flagged], audit.labels[~audit.flagged])


def test_injected_errors_in_digits_are_found_counted_and_corrected():
    X, y = (part[:600] for part in load_digits(return_X_y=True))
    labels, flipped = flip_labels(y, 0.2, random_state=0)
    audit = errata.audit(X, labels, self_check=False, random_state=0)
    found = audit.flagged & flipped
    assert average_precision_score(flipped, audit.suspicion) > 0.9
    assert np.mean(audit.suggested[found] == y[found]) > 0.9
    assert found.sum() > 0.9 * flipped.sum()
    assert abs(audit.noise_rate.estimate - 0.2) < 0.03
    assert audit.noise_rate.low <= 0.2 <= audit.noise_rate.high


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_injected_errors_in_all_digits_are_found_and_the_check_knows(seed):
    X, y = load_digits(return_X_y=True)
    labels, flipped = flip_labels(y, 0.2, random_state=seed)
    audit = errata.audit(X, labels, random_state=seed)
    assert average_precision_score(flipped, audit.suspicion) > 0.98
    assert abs(audit.noise_rate.estimate - 0.2) < 0.03
    assert audit.self_check.average_precision > 0.98


@pytest.mark.parametrize(
    ("load", "most"), [(load_iris, 0.03), (load_wine, 0.01), (load_breast_cancer, 0.015)]
)
def test_little_is_wrong_with_clean_tables(load, most):
    audit = errata.audit(*load(return_X_y=True), self_check=False, random_state=0)
    assert audit.noise_rate.estimate < most
    assert audit.noise_rate.low == 0
    assert audit.flagged.mean() < 0.05
    assert np.mean(audit.p_wrong > 0.5) < 0.01


@pytest.mark.parametrize(
    "labels",
    [
        CODES,
        CODES.astype(np.int8),
        CODES.astype(float),
        CODES > 0,
        NAMES[CODES],
        NAMES[CODES].astype(object),
        NAMES[CODES].tolist(),
    ],
    ids=["int", "int8", "float", "bool", "str", "object", "list"],
)
def test_labels_of_any_kind_give_the_same_posterior(labels):
    audit = quick(X, labels)
    assert_sound(audit)
    if len(audit.classes) == 3:
        np.testing.assert_array_equal(audit.p_wrong, quick(X, CODES).p_wrong)
    assert audit.suggested.dtype == np.asarray(labels).dtype


@pytest.mark.parametrize("kind", ["category", "string", "object"])
def test_columns_of_pandas_are_labels(kind):
    pandas = pytest.importorskip("pandas")
    y = pandas.Series(NAMES[CODES], index=np.arange(90)[::-1]).astype(kind)
    np.testing.assert_array_equal(quick(X, y).p_wrong, quick(X, CODES).p_wrong)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_dataframes_are_audited_as_arrays_are_and_give_dataframes_back(library):
    frames = pytest.importorskip(library)
    columns = {f"x{j}": X[:, j] for j in range(4)} | {"pet": NAMES[CODES]}
    audit = quick(frames.DataFrame(columns), "pet")
    np.testing.assert_allclose(audit.p_wrong, quick(X, CODES).p_wrong, rtol=0, atol=1e-9)
    assert isinstance(audit.table(), frames.DataFrame)
    assert audit.examples[0]["values"].keys() == {"x0", "x1", "x2", "x3"}


def test_columns_of_a_text_file_are_audited_and_modelled():
    table = {f"x{j}": [f"{cell:.6f}" for cell in X[:, j]] for j in range(4)}
    audit = quick(table | {"pet": NAMES[CODES]}, "pet", estimator=LogisticRegression())
    assert_sound(audit)
    assert audit._about["label"] == "pet"


@pytest.mark.parametrize("n_classes", [2, 60, 100])
def test_few_and_many_classes(n_classes):
    audit = quick(*blobs(3 * n_classes, n_classes, random_state=1))
    assert_sound(audit)
    assert (audit.summary()["transition"] is None) == (n_classes > 50)


def test_six_rows_of_one_feature():
    table = [[0.0], [1.0], [2.5], [10.0], [11.0], [12.0]]
    for seed in range(10):
        assert_sound(errata.audit(table, list("aaabbb"), estimators=SEVERAL, random_state=seed))


def test_a_row_alone_in_its_class_is_kept_and_told():
    labels = NAMES[CODES].copy()
    labels[4] = "yak"
    audit = quick(X, labels, precision=0.0)
    assert_sound(audit)
    assert not audit.flagged[4]
    assert audit.suggested[4] == "yak"
    assert audit.p_wrong[4] == pytest.approx(audit.noise_rate.estimate, abs=1e-12)
    assert any("one row only (yak)" in note for note in audit.notes)
    assert audit.transition[3].tolist() == [0, 0, 0, 1]


def test_conflicting_duplicates_are_noted():
    doubled, labels = np.vstack([X, X[:1]]), np.r_[CODES, (CODES[0] + 1) % 3]
    audit = quick(doubled, labels)
    assert [rows.tolist() for rows in audit.duplicates] == [[0, 90]]
    assert audit.notes[-1].startswith("2 rows in 1 group are equal to each other")


@pytest.mark.parametrize("kind", ["soft", "at the label", "elsewhere", "uniform"])
def test_probabilities_are_enough(kind):
    proba = {
        "soft": np.random.default_rng(0).dirichlet(np.ones(3), 90),
        "at the label": np.eye(3)[CODES],
        "elsewhere": np.eye(3)[(CODES + 1) % 3],
        "uniform": np.full((90, 3), 1 / 3),
    }[kind]
    audit = errata.audit(None, CODES, pred_proba=proba, random_state=0)
    assert_sound(audit)
    assert audit._points is None
    assert "http://" not in audit.to_html()


def test_probabilities_of_many_rows_are_judged_by_what_some_of_them_teach(monkeypatch):
    random = np.random.default_rng(0)
    classes = random.integers(3, size=3_000)
    scores = random.normal(size=(3_000, 3)) + 4 * np.eye(3)[classes]
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    labels, wrong = flip_labels(NAMES[classes], 0.1, random_state=0)
    labels = labels.astype(object)
    labels[-2:] = None
    whole = errata.audit(None, labels, pred_proba=proba, self_check=False, random_state=0)
    lower_limits(monkeypatch)
    audit = errata.audit(None, labels, pred_proba=proba, random_state=0)
    assert audit.noise_rate.estimate == pytest.approx(whole.noise_rate.estimate, abs=0.02)
    assert np.abs(audit.p_wrong - whole.p_wrong).mean() < 0.02
    assert audit.flagged[:-2][wrong[:-2]].mean() > 0.8
    assert audit.suggested[-2:].tolist() == NAMES[proba[-2:].argmax(axis=1)].tolist()
    check = audit.self_check
    assert check.found > 0.6 * check.injected
    planted = check.planted_rows
    assert np.all(audit.labels[planted] == audit.classes[check.planted_classes])


def test_a_model_of_the_user_is_named_so():
    audit = quick(X, NAMES[CODES], estimator=LogisticRegression(), estimators=[])
    assert [model["name"] for model in audit.models] == ["your model"]
    assert audit.models[0]["agreement"] > 0.9


def test_classifiers_are_pooled_in_place_of_our_own_and_beside_that_of_the_user():
    chosen = [GaussianNB(), ("trees", Forest("f", True, 10, 1)), ("line", LogisticRegression())]
    with pytest.raises(ValueError, match="estimators=Forest has no predict_proba"):
        quick(X, NAMES[CODES], estimators=chosen)
    audit = quick(X, NAMES[CODES], estimators=[chosen[0], chosen[2]], estimator=GaussianNB())
    assert [model["name"] for model in audit.models] == ["GaussianNB", "line", "your model"]
    assert min(model["agreement"] for model in audit.models) > 0.9
    assert_sound(audit)


@pytest.mark.parametrize("estimators", [None, QUICK])
def test_labels_are_checked_once(estimators, monkeypatch):
    calls = []

    def counted(*args, **options):
        calls.append(args)
        return check_labels(*args, **options)

    for module in (_audited_labels, _validation):
        monkeypatch.setattr(module, "check_labels", counted)
    errata.audit(X, NAMES[CODES], estimators=estimators, random_state=0)
    assert len(calls) == 1


def test_embeddings_are_looked_at_and_the_table_is_shown():
    table = {"name": [f"row {i}" for i in range(90)]}
    audit = quick(table, CODES, embeddings=X)
    np.testing.assert_array_equal(audit.p_wrong, quick(X, CODES).p_wrong)
    assert audit.examples[0]["values"]["name"] == f"row {audit.examples[0]['row']}"


def twice(n_copies=120, n=400, rate=0.15):
    """Two classes with wrong labels, some rows present twice with the labels they had."""
    X, y = make_twonorm(n, random_state=0)
    labels, wrong = flip_labels(y, rate, random_state=0)
    rows = np.r_[np.arange(n), np.arange(n_copies)]
    return X[rows], labels[rows], wrong[rows], np.bincount(rows)[rows] > 1


def test_wrong_labels_of_copies_are_found_as_well_as_others_and_copies_are_counted():
    X, labels, wrong, copied = twice()
    audit = errata.audit(X, labels, self_check=False, random_state=0)
    of_copies, of_others = audit.flagged[wrong & copied], audit.flagged[wrong & ~copied]
    assert of_copies.mean() > of_others.mean() - 0.1
    assert of_others.mean() > 0.7
    assert any("240 rows" in note for note in audit.notes)


def test_equal_rows_of_coarse_columns_tell_about_each_other():
    random = np.random.default_rng(0)
    cells = random.integers(2, size=(600, 4))
    codes = (random.random(600) < np.where(cells[:, 0] ^ cells[:, 1], 0.9, 0.1)).astype(int)
    audit = quick(cells.astype(float), codes, estimators=[Forest("trees", True, 60, 1)])
    assert not any("copies" in note for note in audit.notes)
    assert audit.models[0]["agreement"] > 0.85


@pytest.mark.parametrize("kind", ["lookup", "one column"])
def test_a_few_distinct_rows_are_no_copies(kind):
    random = np.random.default_rng(0)
    cells = random.integers(3, size=(400, 2)) if kind == "lookup" else np.arange(400)[:, None] % 2
    y = cells.sum(axis=1) % 3
    labels, wrong = flip_labels(y, 0.05, random_state=0)
    audit = errata.audit(cells.astype(float), labels, self_check=False, random_state=0)
    assert audit.has_skill
    assert audit.flagged[wrong].mean() > 0.8


def test_copies_that_link_all_groups_leave_the_groups_as_they_are():
    X, codes = blobs(200)
    for copy, row in zip((40, 80, 120, 160), range(4), strict=True):
        X[copy], codes[copy] = X[row], codes[row]
    groups = np.arange(200) // 40
    assert_sound(quick(X, codes, groups=groups, estimators=SEVERAL))


def test_given_probabilities_are_older_than_injected_errors_and_a_note_says_so():
    proba = np.full((90, 3), 0.1) + 0.7 * np.eye(3)[CODES]
    told = errata.audit(None, CODES, pred_proba=proba, random_state=0).notes
    assert any("have never seen" in note for note in told)
    assert not any("have never seen" in note for note in quick(X, CODES, self_check=True).notes)


@pytest.mark.parametrize("overlap", [True, False])
def test_notes_speak_of_overlap_where_there_is_some(overlap):
    random = np.random.default_rng(1)
    y = random.integers(2, size=500)
    X = random.normal(size=(500, 3)) + (1.2 if overlap else 8) * y[:, None] * [1, 0, 0]
    labels, _ = flip_labels(y, 0.1, random_state=0)
    audit = errata.audit(X, labels, self_check=False, random_state=0)
    assert audit.flagged.any()
    assert any("The classes overlap" in note for note in audit.notes) == overlap
    near = [note for note in audit.notes if "where classes meet" in note]
    assert len(near) <= 1


def test_a_copy_with_another_label_is_flagged_and_its_original_is_not():
    X, y = load_wine(return_X_y=True)
    rows, new = np.arange(0, 36, 6), np.arange(178, 184)
    table, labels = np.vstack([X, X[rows]]), np.r_[y, np.full(6, 2)]
    audit = errata.audit(table, labels, self_check=False, random_state=0)
    assert audit.flagged[new].all()
    assert not audit.flagged[rows].any()


def test_groups_and_copies_are_left_out_together():
    random = np.random.default_rng(0)
    rows = np.arange(40).repeat(4)
    cells, labels = random.normal(size=(40, 5))[rows], random.integers(2, size=40)[rows]
    near = [NearestRows("near", 3)]
    for options in ({}, {"groups": rows}, {"groups": np.arange(160) // 2}):
        found = quick(cells, labels, estimators=near, **options)
        assert found.models[0]["agreement"] < 0.7


def test_a_copy_of_the_label_is_left_out_and_errors_are_found():
    X, y = load_breast_cancer(return_X_y=True)
    labels, wrong = flip_labels(y, 0.1, random_state=0)
    audit = errata.audit(np.c_[X, labels], labels, self_check=False, random_state=0)
    assert audit.flagged[wrong].mean() > 0.8
    assert "Column 'x30' alone gives the label" in " ".join(audit.notes)
    trusting = quick(np.c_[X, labels], labels, trust=[30], estimators=[Forest("t", True, 50, 1)])
    assert trusting.flagged[wrong].mean() < 0.1


@pytest.mark.parametrize("shares", [(0.95, 0.05), (0.25, 0.25, 0.25, 0.25)])
def test_columns_that_tell_nothing_are_told_and_nothing_is_flagged(shares):
    random = np.random.default_rng(0)
    labels = random.choice(len(shares), 600, p=shares)
    audit = errata.audit(random.normal(size=(600, 5)), labels, random_state=0)
    assert not audit.has_skill
    assert not audit.flagged.any()
    assert audit.noise_rate.low == 0
    assert audit.noise_rate.high == pytest.approx(1 - np.bincount(labels).max() / 600)
    assert audit.notes[0].startswith("These columns do not tell the labels apart")
    assert "planted errors do not stand out" in audit.summary()["self_check"]["sentence"]
    assert audit.clean("drop", threshold=0.0).kept.all()


def test_a_rare_class_with_signal_is_audited():
    random = np.random.default_rng(0)
    y = (random.random(1000) < 0.03).astype(int)
    X = random.normal(size=(1000, 2)) + 5 * np.eye(2)[y]
    labels, wrong = flip_labels(y, 0.1, random_state=0)
    flagged = errata.audit(X, labels, self_check=False, random_state=0).flagged
    assert 2 * (flagged & wrong).sum() / (flagged.sum() + wrong.sum()) > 0.95
    assert errata.audit(X, y, self_check=False, random_state=0).flagged.sum() <= 2


def test_noise_from_class_to_class_is_counted():
    X, y = load_digits(return_X_y=True)
    rates = np.linspace(0.02, 0.38, 10)
    T = np.diag(1 - rates) + np.roll(np.diag(rates), 1, axis=1)
    labels, wrong = flip_labels(y, transition=T, random_state=0)
    audit = errata.audit(X, labels, self_check=False, random_state=0)
    assert abs(audit.noise_rate.estimate - wrong.mean()) < 0.03
    assert average_precision_score(wrong, audit.suspicion) > 0.95
    assert audit.hypotheses[0]["kind"] == "class to class"


def test_the_rate_is_that_of_prior_and_transition():
    audit = quick(X, (CODES + (np.arange(90) % 9 == 0)) % 3)
    implied = audit.prior @ (1 - np.diag(audit.transition))
    assert implied == pytest.approx(audit.noise_rate.estimate, abs=1e-6)
    assert audit.p_wrong.mean() == pytest.approx(audit.noise_rate.estimate, abs=1e-9)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_named_columns_of_probabilities_are_matched_to_labels(library):
    frames = pytest.importorskip(library)
    proba = np.full((90, 3), 0.1)
    proba[np.arange(90), CODES] = 0.8
    named = frames.DataFrame({name: proba[:, k] for k, name in [*enumerate(NAMES)][::-1]})
    audit = errata.audit(None, NAMES[CODES], pred_proba=named, self_check=False, random_state=0)
    straight = errata.audit(None, NAMES[CODES], pred_proba=proba, self_check=False, random_state=0)
    np.testing.assert_array_equal(audit.p_wrong, straight.p_wrong)
    names = {"cat": "cat", "bee": "bee", "ant": "eel"}
    wrong = frames.DataFrame({names[name]: named[name] for name in named.columns})
    with pytest.raises(ValueError, match=r"columns of pred_proba \(cat, bee, eel\) must be named"):
        errata.audit(None, NAMES[CODES], pred_proba=wrong)


@pytest.mark.parametrize("seed", [3, np.int64(3), np.random.RandomState(3), None])
def test_seeds_of_every_kind(seed):
    audit = quick(X, CODES, random_state=seed)
    assert audit._about["seed"] == (3 if isinstance(seed, int | np.integer) else None)


def test_a_seed_repeats_the_audit_with_any_number_of_threads():
    one, two = (
        errata.audit(X, CODES, self_check=False, random_state=1, n_jobs=jobs) for jobs in (1, 2)
    )
    np.testing.assert_allclose(one.p_wrong, two.p_wrong, rtol=0, atol=1e-9)


def test_inputs_are_left_alone():
    table, labels = X.copy(), CODES.copy()
    table.setflags(write=False)
    labels.setflags(write=False)
    errata.audit(table, labels, estimators=QUICK, random_state=0)
    np.testing.assert_array_equal(table, X)


def test_large_tables_are_checked_on_some_of_their_rows(monkeypatch):
    monkeypatch.setattr(_duplicates, "CHECKED_ROWS", 80)
    monkeypatch.setattr(_duplicates, "CHECK_SAMPLE", 60)
    groups, proba = np.arange(90) // 3, np.full((90, 3), 1 / 3)
    model = LogisticRegression()
    audit = quick(X, CODES, self_check=True, groups=groups, pred_proba=proba, estimator=model)
    assert_sound(audit)
    assert audit.self_check.injected <= 30


def test_progress_is_told():
    told = []
    quick(X, CODES, self_check=True, progress=told.append)
    assert told[0] == "reading the table"
    assert str(told[1]).startswith("fitting neighbours: 0 of ")
    assert "planting errors and looking for them" in told
    assert str(told[-1]).startswith("self-check, fitting neighbours: 0 of ")


def test_no_warning_of_ours_reaches_the_user_but_those_of_the_model_do():
    labels = NAMES[CODES].astype("U9")
    labels[:1], labels[1:3] = "alone", "pair"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grouped = {"groups": np.arange(40) // 10, "random_state": 0, "self_check": False}
        errata.audit(X[:40], labels[:40], **grouped)
        errata.audit(np.random.default_rng(0).normal(size=(30, 2)), CODES[:30], random_state=0)
    with pytest.warns(ConvergenceWarning):
        quick(X, CODES, estimator=LogisticRegression(max_iter=1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"precision": 2}, "precision=2 must be a number between 0 and 1"),
        ({"ids": [1, 2]}, "ids has 2 rows, but there are 90 labels"),
        ({"ids": "name"}, "ids must hold one value per row"),
        ({"image_shape": (8, 8)}, "image_shape says 8 x 8 pixels, but the table has 4 columns"),
        ({"pred_proba": np.ones(90)}, r"pred_proba must have the shape \(90, 3\)"),
        ({"pred_proba": np.ones((90, 3))}, "the rows of pred_proba do not sum to one"),
        ({"pred_proba": np.full((90, 3), np.nan)}, "numbers that are not probabilities"),
        ({"estimator": object()}, "estimator=object has no predict_proba"),
        ({"estimators": []}, "no model is left to check the labels"),
    ],
)
def test_bad_wishes_are_told_before_the_work(options, message):
    class Silent:
        name = "silent"

        def out_of_fold_proba(self, data):
            raise AssertionError("no model should have been fitted")

    with pytest.raises(ValueError, match=message):
        quick(X, CODES, **{"estimators": [Silent()]} | options)


def test_a_model_needs_a_table():
    with pytest.raises(ValueError, match="an estimator needs a table to learn from"):
        errata.audit(None, CODES, estimator=LogisticRegression())


def test_a_dataframe_library_that_is_gone_is_named():
    audit = quick(X, CODES)
    audit._about["dataframe"] = "no_such_library"
    with pytest.raises((ModuleNotFoundError, KeyError), match="no_such_library"):
        audit.table()


def test_stretches_of_recordings_are_found_counted_and_corrected(walks):
    audit, wrong = walks
    assert_sound(audit)
    assert np.mean(wrong[audit.flagged]) >= 0.9
    assert np.mean(audit.flagged[wrong]) >= 0.9
    assert audit.noise_rate.low <= wrong.mean() <= audit.noise_rate.high
    found = audit.stretches()
    assert set(found["start"][found["rows"] >= 8]) == {25, 165, 245, 405, 665}
    assert audit.self_check.lift
    assert audit.self_check.found > 0.8 * audit.self_check.injected
    assert "'t' rises from row to row" in audit.notes[-1]
    corrected = audit.clean("relabel", sure=0.5)
    assert np.mean((corrected.did == "relabelled")[wrong]) >= 0.8


def test_recordings_whose_labels_are_right_stay_as_they_are():
    X, labels, names = steady(random_state=1)
    audit = errata.audit(X, labels, sequence=names, self_check=False, random_state=0)
    assert audit.flagged.sum() <= 5
    assert audit.noise_rate.low < 0.005


@pytest.mark.parametrize("slow", [pytest.param(0.0, marks=pytest.mark.slow), 0.99])
def test_signals_that_know_nothing_flag_nothing_however_long_labels_last(slow):
    passed = 0
    for seed in range(4):
        _, labels, names = steady(run=30, random_state=seed)
        X = np.random.default_rng(seed).normal(size=(len(labels), 2))
        for row in range(1, len(X)):
            X[row] += slow * X[row - 1]
        audit = errata.audit(X, labels, sequence=names, self_check=False, random_state=seed)
        passed += audit.has_skill
        assert audit.flagged.sum() == 0 or audit.has_skill
        assert len(audit._stretch_columns()["start"]) == 0 or audit.has_skill
    assert passed == 0


def test_one_recording_is_learnt_from_its_other_parts():
    X, labels, names = steady(1, 600)
    labels[105:115] = "walk" if labels[105] != "walk" else "rest"
    audit = errata.audit(X, labels, sequence=names, self_check=False, random_state=0)
    assert audit.flagged[105:115].mean() >= 0.9
    assert audit.flagged.sum() <= 20


def test_other_models_may_read_recordings_too():
    X, labels, names = steady()
    audit = errata.audit(
        *(X, labels), sequence=names, estimators=QUICK, self_check=False, random_state=0
    )
    assert [model["name"] for model in audit.models] == ["neighbours"]
    assert audit.stretches() is not None


def test_probabilities_of_the_user_are_pooled_with_models_of_recordings():
    X, labels, names = steady(6, 60)
    proba = np.eye(3)[np.searchsorted(CLASSES, labels)] * 0.7 + 0.1
    audit = errata.audit(X, labels, sequence=names, pred_proba=proba, self_check=False)
    assert audit.models[-1]["name"] == "your probabilities"
    assert audit.models[-1]["agreement"] == 1


def test_a_recording_cannot_be_a_group_besides():
    with pytest.raises(ValueError, match="sequence and groups cannot both be given"):
        quick(X, CODES, sequence=CODES, groups=CODES)


def test_a_file_that_fits_is_read_at_once_and_a_missing_one_is_named(tmp_path):
    path = tmp_path / "table.csv"
    errata.tables.write_table(path, {"x": X[:, 0], "y": X[:, 1], "label": CODES})
    assert len(quick(path, "label")) == len(CODES)
    with pytest.raises(FileNotFoundError, match=r"no-such\.csv does not exist"):
        errata.audit(tmp_path / "no-such.csv", "label")


def blas_libraries():
    return [each for each in threadpool_info() if each["user_api"] == "blas"]


def assert_an_audit_takes_one_thread():
    def threads():
        return {each["num_threads"] for each in blas_libraries()}

    during = []
    with threadpool_limits(2, user_api="blas"):
        quick(X, CODES, progress=lambda stage: during.append(threads()))
        assert threads() == {2}
    assert len(during) > 1
    assert all(each == {1} for each in during)


def test_blas_computes_in_one_thread_while_an_audit_runs():
    assert_an_audit_takes_one_thread()


def test_a_blas_loaded_after_the_first_audit_takes_one_thread_too(tmp_path):
    assert_an_audit_takes_one_thread()
    before = blas_libraries()
    another = tmp_path / Path(before[0]["filepath"]).name
    shutil.copy(before[0]["filepath"], another)
    try:
        ctypes.CDLL(str(another))
    except OSError as error:
        pytest.skip(f"this BLAS cannot be loaded twice: {error}")
    assert len(blas_libraries()) == len(before) + 1
    assert_an_audit_takes_one_thread()
