"""Other issues of a table, found where they are planted and not where there are none."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import rbf_kernel

import errata
from errata.auditing.examples._issues import value_rows
from errata.noise import flip_labels

COLUMNS = ["near_duplicate", "outlier", "ordered", "underperforming", "rare_class", "value"]


def clean_table(n=400, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(3, size=n)
    X = random.normal(size=(n, 5))
    X[:, :2] += 6 * np.eye(3)[codes][:, :2]
    table = pd.DataFrame(X, columns=list("abcde"))
    return table, np.array(["ash", "elm", "oak"])[codes]


def audit(table, labels, **options):
    return errata.audit(table, labels, self_check=False, random_state=0, **options)


def sentence(result, issue):
    return next(s["sentence"] for s in result.summary()["issues"] if s["issue"] == issue)


def test_a_table_without_issues_has_none():
    result = audit(*clean_table())
    found = result.issues()
    assert list(found.columns) == COLUMNS
    assert not found[COLUMNS[:-1]].to_numpy().any()
    assert [s["issue"] for s in result.summary()["issues"]] == [*COLUMNS[:-1], "columns", "value"]
    assert sentence(result, "columns") == "No column is empty or constant."


def test_copies_are_found():
    table, labels = clean_table()
    table.iloc[200:240] = table.iloc[:40].to_numpy() + 1e-9
    labels[200:240] = labels[:40]
    result = audit(table, labels)
    copies = np.r_[np.arange(40), np.arange(200, 240)]
    assert np.flatnonzero(result.issues()["near_duplicate"]).tolist() == copies.tolist()
    assert sentence(result, "near_duplicate").startswith("80 rows are equal to another row")


def test_far_rows_are_found_even_if_they_have_copies():
    table, labels = clean_table()
    table.loc[[7, 90, 91], "c"] = [60.0, -80.0, -80.0]
    found = audit(table, labels).issues()
    assert np.flatnonzero(found["outlier"]).tolist() == [7, 90, 91]


def test_outliers_need_enough_rows():
    table, labels = clean_table(60)
    table.loc[3, "c"] = 80.0
    result = audit(table, labels)
    assert not result.issues()["outlier"].any()
    assert sentence(result, "outlier") == "There are too few rows to tell outliers."


def test_an_order_by_a_column_is_found_and_one_by_label_is_not():
    table, labels = clean_table()
    by_label = np.argsort(labels, kind="stable")
    assert not audit(table.iloc[by_label], labels[by_label]).issues()["ordered"].any()
    by_column = np.argsort(table["d"].to_numpy())
    result = audit(table.iloc[by_column], labels[by_column])
    assert result.issues()["ordered"].all()
    assert "name it as a group" in sentence(result, "ordered")
    groups = np.arange(400) // 10
    grouped = audit(table.iloc[by_column], labels[by_column], groups=groups)
    assert not grouped.issues()["ordered"].any()


def test_rows_where_models_fail_are_found_by_their_column():
    table, labels = clean_table(1_500)
    fail = table["d"].to_numpy() > 1
    random = np.random.default_rng(1)
    labels[fail] = random.permutation(labels[fail])
    result = audit(table, labels)
    found = result.issues()["underperforming"].to_numpy()
    assert found.sum() > 100
    assert fail[found].mean() > 0.9
    assert "set apart by 'd'" in sentence(result, "underperforming")


def test_uniform_noise_is_no_group_where_models_fail():
    table, labels = clean_table(1_500)
    labels, _ = flip_labels(labels, 0.15, random_state=0)
    assert not audit(table, labels).issues()["underperforming"].any()


def test_rare_classes_and_columns_that_say_nothing_are_named():
    table, labels = clean_table()
    labels[:9] = "fir"
    table["f"] = 1
    table["g"] = np.nan
    result = audit(table, labels)
    assert np.flatnonzero(result.issues()["rare_class"]).tolist() == list(range(9))
    assert sentence(result, "rare_class").startswith("1 class (fir) has fewer than 10 rows")
    assert sentence(result, "columns") == (
        "Left out 'f': the same value in every row. Left out 'g': no value in any row."
    )


def test_a_class_of_ten_is_not_rare():
    table, labels = clean_table()
    labels[:10] = "fir"
    assert not audit(table, labels).issues()["rare_class"].any()


def test_rows_with_wrong_labels_are_worth_less():
    X, y = make_classification(600, 8, n_informative=5, class_sep=2, random_state=0)
    labels, wrong = flip_labels(y, 0.1, random_state=0)
    value = audit(X, labels).issues()["value"]
    assert roc_auc_score(wrong, -value) > 0.8
    assert value.median() > 0


def test_the_value_of_a_row_is_what_a_fit_without_it_loses():
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 3))
    codes = (X[:, 0] + 0.5 * random.normal(size=60) > 0).astype(int)
    half = np.arange(60) < 30
    p_right = random.uniform(size=60)
    values = value_rows(X, codes, half, p_right, np.random.default_rng(5))
    # What the function draws, and the penalty that it chooses, by brute force.
    centers = X[np.random.default_rng(5).choice(60, 15, replace=False)]
    squares = ((centers[:, None] - centers) ** 2).sum(axis=2)[np.triu_indices(15, 1)]
    H = np.c_[rbf_kernel(X, centers, gamma=1 / np.median(squares)), np.ones(60)]
    T = np.eye(2)[codes]
    gram = H[half].T @ H[half]
    ridges = np.linalg.eigvalsh(gram)[-1] * np.logspace(-6, 1, 15)

    def weights(rows, ridge):
        A = H[rows].T @ H[rows] + ridge * np.eye(16)
        return np.linalg.solve(A, H[rows].T @ T[rows])

    def errors(w, rows):
        return ((T[rows] - H[rows] @ w) ** 2).sum(axis=1)

    def cross_validation(ridge):
        trace = np.trace(np.linalg.solve(gram + ridge * np.eye(16), gram))
        return errors(weights(half, ridge), half).sum() / (1 - trace / 30) ** 2

    ridge = min(ridges, key=cross_validation)
    whole = errors(weights(half, ridge), ~half) @ p_right[~half]
    for row in (0, 11, 29):
        without = half & (np.arange(60) != row)
        lost = errors(weights(without, ridge), ~half) @ p_right[~half] - whole
        assert values[row] == pytest.approx(lost / (whole / p_right[~half].sum()), rel=1e-6)


def test_issues_are_saved_and_come_back_with_the_index(tmp_path):
    table, labels = clean_table()
    table.loc[7, "c"] = 80.0
    table.index = [f"row {place}" for place in range(400)]
    labels = labels.astype(object)
    labels[5] = None
    result = audit(table, labels)
    result.save(tmp_path / "table.audit")
    found = result.issues()
    assert found.index.equals(table.index)
    assert np.isnan(found["value"].iloc[5])
    loaded = errata.Audit.load(tmp_path / "table.audit")
    pd.testing.assert_frame_equal(loaded.issues(), found)
    assert loaded.summary()["issues"] == result.summary()["issues"]
    loaded.save(tmp_path / "again.audit")
    again = errata.Audit.load(tmp_path / "again.audit")
    pd.testing.assert_frame_equal(again.issues(), found)


def test_polars_gets_polars():
    table, labels = clean_table()
    found = audit(pl.from_pandas(table), labels).issues()
    assert isinstance(found, pl.DataFrame)
    assert found.columns == COLUMNS


def test_the_report_has_a_section():
    table, labels = clean_table()
    table.loc[7, "c"] = 80.0
    page = audit(table, labels).to_html()
    assert '<section id="issues"' in page
    assert "1 row is far from every class" in page


def test_where_there_are_no_columns_only_classes_are_told():
    _, labels = clean_table(100)
    proba = np.where(labels[:, None] == ["ash", "elm", "oak"], 0.9, 0.05)
    result = errata.audit(None, labels, pred_proba=proba, self_check=False)
    assert list(result.issues().columns) == ["near_duplicate", "rare_class"]


def test_without_skill_models_are_not_said_to_fail():
    table, _ = clean_table()
    labels = np.random.default_rng(1).integers(2, size=400)
    result = audit(table, labels)
    assert not result.has_skill
    found = result.issues()
    assert list(found.columns) == ["near_duplicate", "outlier", "ordered", "rare_class"]


def test_an_audit_that_let_go_of_its_table_says_so():
    result = audit(*clean_table())
    result._for_review = None
    with pytest.raises(ValueError, match="let go of their table"):
        result.issues()
    assert result.summary()["issues"] is None


def test_recordings_have_no_issues():
    X, y, lengths = errata.datasets.make_activity(2, duration=30, random_state=0)
    result = audit(X, y, sequence=np.repeat([0, 1], lengths))
    assert result.summary()["issues"] is None
    with pytest.raises(ValueError, match="not in recordings"):
        result.issues()
