"""Noise rates by annotator, source, month or site: values as they come, and the sentence."""

import datetime

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import errata
from errata.auditing import NoiseRate
from errata.auditing.results._rates_by import Doubted, rates_by, who_stands_out


def by(values, p_wrong=None, rows=None):
    n = len(values)
    p_wrong = np.full(n, 0.1) if p_wrong is None else p_wrong
    rows = np.ones(n, dtype=bool) if rows is None else rows
    doubted = Doubted.among(rows, p_wrong, p_wrong > 0.5, np.zeros(n, dtype=int))
    mean = float(p_wrong.mean())
    return rates_by(values, n, doubted, NoiseRate(mean, mean / 2, 2 * mean))


def noisy(values, value, seed=0):
    """Rows of one value look wrong far more often."""
    random = np.random.default_rng(seed)
    is_wrong = random.random(len(values)) < np.where(np.asarray(values) == value, 0.4, 0.03)
    return np.where(is_wrong, 0.97, 0.01)


def test_the_noisiest_value_comes_first_and_stands_out():
    values = ["ann", "bob", "cay", "dan"] * 100
    found = by(values, noisy(values, "cay"))
    assert found["value"][0] == "cay"
    assert found["chance"][0] < 1e-6 < found["chance"][1]
    assert found["rate"][0] > 0.3
    assert (found["rows"] == 100).all()
    flagged = noisy(values, "cay") > 0.5
    assert found["flagged"][0] == flagged[2::4].sum()
    sentence = who_stands_out(found)
    assert sentence.startswith("cay (")
    assert "stands out; elsewhere " in sentence
    assert sentence.endswith("one of 4 values would look so in fewer than 1 of 100 such tables.")


def test_nobody_stands_out_where_all_are_alike():
    values = ["ann", "bob"] * 200
    assert who_stands_out(by(values, noisy(values, None))) is None


def test_missing_values_are_a_value():
    found = by([None, "a", float("nan"), "a"] * 10)
    assert sorted(found["value"]) == ["(missing)", "a"]


def test_only_rows_whose_label_may_be_wrong_count():
    rows = np.arange(40) % 4 != 0
    assert by(["a", "b", "a", "b"] * 10, rows=rows)["rows"].sum() == 30


@pytest.mark.parametrize("kind", ["text", "datetime", "numpy"])
def test_many_days_become_months(kind):
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=d) for d in range(100)] * 3
    values = {"text": [str(day) for day in days], "datetime": days}.get(kind)
    if values is None:
        values = np.array(days, dtype="M8[ns]")
    found = by(values)
    assert sorted(found["value"]) == ["2024-01", "2024-02", "2024-03", "2024-04"]
    assert found["rows"].sum() == 300


def test_identifiers_are_refused():
    with pytest.raises(ValueError, match="100 values in 100 rows are too many to compare"):
        by([f"id{i}" for i in range(100)])


def test_one_value_a_row():
    nobody = Doubted.among(np.ones(4, dtype=bool), *[np.zeros(4)] * 3)
    with pytest.raises(ValueError, match="3 values for 4 rows; give one a row"):
        rates_by(["a", "b", "c"], 4, nobody, NoiseRate(0.1, 0.0, 0.2))


def test_an_audit_leaves_out_what_is_known_and_remembers_what_has_a_name():
    X, y = load_iris(return_X_y=True)
    known = np.arange(150) % 3 == 0
    audit = errata.audit(X, y, known=known, estimators=[GaussianNB()], self_check=False)
    site = np.where(np.arange(150) < 75, "north", "south")
    found = audit.rates_by(site)
    assert found["rows"].sum() == 100
    assert audit._doubted().strata.tolist() == y[~known].tolist()  # compared within each label
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
