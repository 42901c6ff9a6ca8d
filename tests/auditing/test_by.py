"""Noise rates by annotator, source, month or site: values as they come, and the sentence."""

import datetime

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import errata
from auditing.made_audits import target_audit
from errata.auditing import NoiseRate


def by(values, p_wrong=None, rows=None):
    """The rates of rows that all have a target, or those that ``rows`` says; and the sentence."""
    n = len(p_wrong) if p_wrong is not None else len(values)
    p_wrong = np.full(n, 0.1) if p_wrong is None else p_wrong
    targets = np.where(np.ones(n, dtype=bool) if rows is None else rows, 1.0, np.nan)
    audit = target_audit(targets, np.ones(n), p_wrong)
    audit.flagged = p_wrong > 0.5
    mean = float(p_wrong.mean())
    audit.noise_rate = NoiseRate(mean, mean / 2, 2 * mean)
    found = audit.rates_by(values, name="who")
    return found, audit._about["by"]["sentence"]


def noisy(values, value, seed=0):
    """Rows of one value look wrong far more often."""
    random = np.random.default_rng(seed)
    is_wrong = random.random(len(values)) < np.where(np.asarray(values) == value, 0.4, 0.03)
    return np.where(is_wrong, 0.97, 0.01)


def test_the_noisiest_value_comes_first_and_stands_out():
    values = ["ann", "bob", "cay", "dan"] * 100
    found, sentence = by(values, noisy(values, "cay"))
    assert found["value"][0] == "cay"
    assert found["chance"][0] < 1e-6 < found["chance"][1]
    assert found["rate"][0] > 0.3
    assert (found["rows"] == 100).all()
    flagged = noisy(values, "cay") > 0.5
    assert found["flagged"][0] == flagged[2::4].sum()
    assert sentence.startswith("cay (")
    assert "stands out; elsewhere " in sentence
    assert sentence.endswith("one of 4 values would look so in fewer than 1 of 100 such tables.")


def test_nobody_stands_out_where_all_are_alike():
    values = ["ann", "bob"] * 200
    assert by(values, noisy(values, None))[1] is None


def test_missing_values_are_a_value():
    found, _ = by([None, "a", float("nan"), "a"] * 10)
    assert sorted(found["value"]) == ["(missing)", "a"]


def test_only_rows_whose_label_may_be_wrong_count():
    rows = np.arange(40) % 4 != 0
    assert by(["a", "b", "a", "b"] * 10, rows=rows)[0]["rows"].sum() == 30


@pytest.mark.parametrize("kind", ["text", "datetime", "numpy"])
def test_many_days_become_months(kind):
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=d) for d in range(100)] * 3
    values = {"text": [str(day) for day in days], "datetime": days}.get(kind)
    if values is None:
        values = np.array(days, dtype="M8[ns]")
    found, _ = by(values)
    assert sorted(found["value"]) == ["2024-01", "2024-02", "2024-03", "2024-04"]
    assert found["rows"].sum() == 300


def test_identifiers_are_refused():
    with pytest.raises(ValueError, match="100 values in 100 rows are too many to compare"):
        by([f"id{i}" for i in range(100)])


def test_one_value_a_row():
    with pytest.raises(ValueError, match="3 values for 4 rows; give one a row"):
        by(["a", "b", "c"], np.zeros(4))


def test_an_audit_leaves_out_what_is_known_and_remembers_what_has_a_name():
    X, y = load_iris(return_X_y=True)
    known = np.arange(150) % 3 == 0
    audit = errata.audit(X, y, known=known, estimators=[GaussianNB()], self_check=False)
    site = np.where(np.arange(150) < 75, "north", "south")
    found = audit.rates_by(site)
    assert found["rows"].sum() == 100
    assert audit._doubted()[3].tolist() == y[~known].tolist()  # compared within each label
    assert audit.summary()["by"] is None
    audit.rates_by(site, name="site")
    assert [value["value"] for value in audit.summary()["by"]["values"]] == found["value"].tolist()


def test_without_skill_there_are_no_rates():
    random = np.random.default_rng(0)
    audit = errata.audit(
        random.normal(size=(200, 2)),
        random.integers(2, size=200),
        estimators=[GaussianNB()],
        self_check=False,
    )
    with pytest.raises(ValueError, match="the noise of single values cannot be told either"):
        audit.rates_by(np.arange(200) % 2)
