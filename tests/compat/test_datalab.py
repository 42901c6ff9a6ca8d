"""One table of issues."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import kneighbors_graph

from errata.compat import cleanlab as compat
from errata.compat.cleanlab import Datalab
from errata.noise import flip_labels

NAMES = np.array(["red", "rose", "white"])


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    labels, flipped = flip_labels(y, 0.1, random_state=0)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    pred_probs = compat.count.cross_fit(GaussianNB(), X, labels, cv_n_folds=5, seed=0)
    return X, labels, flipped, pred_probs


def lab_of(wine, **settings):
    X, labels, _, _ = wine
    table = pd.DataFrame(X).add_prefix("x").assign(colour=NAMES[labels])
    return Datalab(table, label_name="colour", **settings)


@pytest.mark.parametrize("given", ["pred_probs", "features", "knn_graph", "nothing"])
def test_wrong_labels_are_found_by_whatever_is_given(wine, given):
    X, _, flipped, pred_probs = wine
    lab = lab_of(wine)
    arguments = {
        "pred_probs": {"pred_probs": pred_probs},
        "features": {"features": X},
        "knn_graph": {"knn_graph": kneighbors_graph(X, 10, mode="distance")},
        "nothing": {},
    }[given]
    lab.find_issues(**arguments, issue_types={"label": {}})
    issues = lab.get_issues("label")
    assert list(issues.columns) == [
        "is_label_issue",
        "label_score",
        "given_label",
        "predicted_label",
    ]
    mask = issues["is_label_issue"].to_numpy()
    assert flipped[mask].mean() > 0.6
    assert mask[flipped].mean() > 0.6
    assert set(issues["predicted_label"]) == set(NAMES)


@pytest.mark.filterwarnings("ignore")  # of pandas, which its own calls raise
def test_the_tables_are_those_of_cleanlab(wine):
    theirs = pytest.importorskip("cleanlab", reason="cleanlab is not installed")
    pytest.importorskip("datasets", reason="cleanlab's Datalab needs datasets")
    X, labels, _, pred_probs = wine
    X = np.vstack([X, X[:3], X[:1] + 100 * np.eye(1, X.shape[1])])
    labels = np.r_[labels, labels[:3], 0]
    pred_probs = np.vstack([pred_probs, pred_probs[:3], pred_probs[:1]])
    table = pd.DataFrame({"colour": NAMES[labels]})
    kinds = ["null", "label", "outlier", "near_duplicate", "class_imbalance"]
    found = []
    for Lab, more in (
        (Datalab, {"method": "confident_learning"}),
        (theirs.Datalab, {"verbosity": 0}),
    ):
        lab = Lab(table, label_name="colour", **more)
        lab.find_issues(pred_probs=pred_probs, features=X, issue_types={kind: {} for kind in kinds})
        found.append(lab)
    ours, expected = found
    assert_array_equal(ours.get_issues().columns, expected.get_issues().columns)
    assert_array_equal(ours.get_issues().dtypes, expected.get_issues().dtypes)
    assert_array_equal(ours.get_issue_summary().columns, expected.get_issue_summary().columns)
    assert_array_equal(ours.labels, expected.labels)
    for kind in kinds:
        one = ours.get_issues(kind)
        other = expected.get_issues(kind)
        assert_array_equal(one.columns, other.columns)
        assert_array_equal(one[f"is_{kind}_issue"], other[f"is_{kind}_issue"], err_msg=kind)
    for kind in ("null", "label", "class_imbalance"):
        name = f"{kind}_score"
        assert_allclose(ours.get_issues()[name], expected.get_issues()[name], atol=1e-9)


@pytest.mark.parametrize("kind", ["mapping", "rows", "file"])
def test_data_come_in_many_forms(kind, wine, tmp_path):
    X, labels, _, pred_probs = wine
    names = NAMES[labels]
    file = tmp_path / "wine.csv"
    pd.DataFrame({"colour": names}).to_csv(file, index=False)
    data = {
        "mapping": {"X": X, "colour": names},
        "rows": [{"colour": name} for name in names],
        "file": str(file),
    }[kind]
    lab = Datalab(data, label_name="colour")
    lab.find_issues(pred_probs=pred_probs)
    assert lab.class_names == NAMES.tolist()
    assert_array_equal(lab.labels, labels)
    expected = compat.find_label_issues(labels, pred_probs)
    assert_array_equal(lab.get_issues("label")["is_label_issue"], expected)


def test_other_issues_are_found_by_their_rules():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    X[0] = X[1]
    X[2] = [40, 40]
    labels = np.r_[np.repeat(["a", "b"], 49), ["c", "c"]]
    lab = Datalab({"y": labels}, label_name="y")
    lab.find_issues(features=X, issue_types={"outlier": {}, "near_duplicate": {}})
    lab.find_issues(issue_types={"class_imbalance": {}})
    assert lab.get_issues("outlier")["outlier_score"].idxmin() == 2
    assert lab.get_issues()["is_outlier_issue"][2]
    duplicates = lab.get_issues("near_duplicate")
    assert duplicates["is_near_duplicate_issue"][[0, 1]].all()
    assert duplicates["near_duplicate_sets"][0].tolist() == [1]
    assert np.flatnonzero(lab.get_issues()["is_class_imbalance_issue"]).tolist() == [98, 99]
    assert lab.get_issue_summary("class_imbalance")["score"].tolist() == [0.02]
    lab.find_issues(issue_types={"class_imbalance": {"threshold": 0.05}})
    assert lab.get_issue_summary("class_imbalance")["num_issues"].tolist() == [0]
    assert len(lab.get_issue_summary()) == 3
    missing = np.array([[1, np.nan], [np.nan, np.nan], [1, 2]])
    lab = Datalab({"y": [0, 1, 1]}, label_name="y")
    lab.find_issues(features=missing, issue_types={"null": {}})
    assert lab.get_issues("null")["null_score"].tolist() == [0.5, 0, 1]
    assert lab.get_issues("null")["is_null_issue"].tolist() == [False, True, False]


def test_numbers_and_several_labels_are_audited_too():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = 3 * x + 0.1 * rng.normal(size=300)
    y[5] += 9
    lab = Datalab({"y": y}, task="regression", label_name="y")
    for arguments in ({"pred_probs": 3 * x}, {"features": x[:, None]}):
        lab.find_issues(**arguments, issue_types={"label": {}})
        assert lab.get_issues("label")["label_score"].idxmin() == 5
    labels = [["a", "b"], ["b"], ["a"], []] * 25
    pred_probs = np.array([[0.9, 0.9], [0.1, 0.9], [0.9, 0.1], [0.1, 0.1]] * 25)
    labels[3] = ["b"]
    lab = Datalab({"tags": labels}, task="multilabel", label_name="tags")
    lab.find_issues(pred_probs=pred_probs)
    issues = lab.get_issues("label")
    assert np.flatnonzero(issues["is_label_issue"]).tolist() == [3]
    assert issues["predicted_label"][3] == []


def test_the_report_is_printed(wine, capsys):
    X, _, _, pred_probs = wine
    lab = lab_of(wine)
    lab.find_issues(pred_probs=pred_probs, features=X)
    lab.report(num_examples=2)
    text = capsys.readouterr().out
    assert "178 rows." in text
    assert "label: Rows whose label is probably wrong." in text
    assert "class_imbalance" not in text
    lab.report(show_all_issues=True, show_summary_score=True, include_description=False)
    text = capsys.readouterr().out
    assert "class_imbalance" in text
    assert "score" in text
    assert "probably wrong" not in text


def test_what_cannot_be_done_is_said(wine):
    lab = lab_of(wine)
    with pytest.raises(ValueError, match="'non_iid' is no issue that is looked for; these are"):
        lab.find_issues(issue_types={"non_iid": {}})
    with pytest.raises(ValueError, match="'label' was not looked for; looked for was nothing"):
        lab.get_issues("label")
    with pytest.raises(ValueError, match="no column 'color'; the columns are x0"):
        Datalab(lab.data, label_name="color")
    with pytest.raises(ValueError, match="task='magic' is not known; choose from classification"):
        Datalab(lab.data, task="magic")
    with pytest.raises(ValueError, match="needs pred_probs or features"):
        lab_of(wine, method="confident_learning").find_issues()
