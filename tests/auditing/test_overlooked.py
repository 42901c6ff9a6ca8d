"""Whose planted errors are overlooked: a site whose columns are noise, else nobody."""

import json

import numpy as np
import pytest
from scipy.stats import fisher_exact
from sklearn.naive_bayes import GaussianNB

import errata
from errata.auditing._self_check import correct_by_holm, count_found_by
from errata.report import render, summary_in_markdown


def audit_sites(seed, blind=None, *, n=500, apart=4):
    """Three classes that two columns tell apart, but for rows of the ``blind`` site."""
    random = np.random.default_rng(seed)
    y = random.integers(3, size=n)
    site = random.choice(["A", "B", "C", "D"], n)
    X = random.normal(size=(n, 2)) + apart * np.array([[0, 0], [1, 0], [0, 1]])[y]
    X[site == blind] = random.normal(size=(np.sum(site == blind), 2)) + 1.3
    result = errata.audit(X, y, estimators=[GaussianNB()], random_state=seed)
    return result, site, y


@pytest.fixture(scope="module")
def blind():
    return audit_sites(0, "B", n=1000)


def test_a_site_whose_columns_are_noise_is_named(blind):
    result, site, _ = blind
    check = result.self_check
    rates = result.rates_by(site, name="site").set_index("value")
    assert rates.index[rates["overlooked"] < 0.05].tolist() == ["B"]
    inside = site[check.planted_rows] == "B"
    assert rates["planted"]["B"] == inside.sum()
    assert rates["found"]["B"] == check.planted_found[inside].sum()
    assert rates["planted"].sum() == len(check.planted_rows) == check.injected
    assert rates["found"].sum() == check.planted_found.sum() == check.found
    told = result.summary()["overlooked"]["sentence"]
    assert told.startswith(
        f"Of {inside.sum()} errors planted in site B, {check.planted_found[inside].sum()} were "
        f"found, of {np.sum(~inside)} elsewhere {check.planted_found[~inside].sum()}"
    )
    assert f"Overlooked: {told}" in summary_in_markdown(result.summary())
    assert told in render(result.summary())


def test_planted_rows_are_known_by_label_and_class(blind):
    result, _, y = blind
    check = result.self_check
    np.testing.assert_array_equal(check.planted_classes, y[check.planted_rows])
    assert (check.planted_labels != check.planted_classes).all()
    values = result.summary()["overlooked"]["values"]
    for of, codes in (("with label", check.planted_labels), ("in class", check.planted_classes)):
        planted = [value["planted"] for value in values if value["of"] == of]
        assert planted == np.bincount(codes).tolist()


def test_it_is_written_and_read(blind, tmp_path):
    result, site, _ = blind
    result.rates_by(site, name="site")
    result.save(tmp_path / "sites.audit")
    again = errata.Audit.load(tmp_path / "sites.audit")
    assert again.summary()["overlooked"] == result.summary()["overlooked"]
    numbers = json.loads((tmp_path / "sites.audit" / "audit.json").read_text())
    assert numbers["self_check"]["planted_rows"] == result.self_check.planted_rows.tolist()
    worst = min(numbers["about"]["by"]["values"], key=lambda value: value["overlooked"])
    assert worst["value"] == "B"


def test_nobody_is_named_where_all_sites_are_alike():
    named = 0
    found = []
    for seed in range(20):
        result, site, _ = audit_sites(seed, apart=2)
        found.append(result.self_check.planted_found.mean())
        named += (result.rates_by(site)["overlooked"] < 0.05).any()
    assert named <= 1
    assert np.mean(found) < 0.9  # enough are missed for somebody to be named by mistake


def test_rows_of_a_table_with_missing_labels_keep_their_places():
    random = np.random.default_rng(0)
    y = random.integers(2, size=300).astype(float)
    X = random.normal(size=(300, 2)) + 4 * y[:, None]
    labels = np.where(np.arange(300) < 50, np.nan, y)
    result = errata.audit(X, labels, estimators=[GaussianNB()], random_state=0)
    check = result.self_check
    assert check.planted_rows.min() >= 50
    np.testing.assert_array_equal(result.classes[check.planted_classes], y[check.planted_rows])
    # What has one label is of the other class, and is not told twice.
    assert {value["of"] for value in result.summary()["overlooked"]["values"]} == {"with label"}


def test_rows_of_a_table_in_parts_keep_their_places(tmp_path):
    random = np.random.default_rng(0)
    y = random.integers(3, size=240)
    columns = np.column_stack([y + random.normal(scale=0.2, size=240), random.normal(size=240), y])
    (tmp_path / "parts").mkdir()
    for part, rows in enumerate(np.array_split(columns, 2)):
        path = tmp_path / "parts" / f"{part}.csv"
        lines = [f"{a:.3f},{b:.3f},k{c:.0f}" for a, b, c in rows]
        path.write_text("\n".join(["a,b,kind", *lines]) + "\n", encoding="utf-8")
    result = errata.audit(
        str(tmp_path / "parts"), "kind", out=tmp_path / "parts.audit", random_state=0
    )
    check = result.self_check
    np.testing.assert_array_equal(check.planted_classes, y[check.planted_rows])


def test_the_chance_is_that_of_fisher_and_holm():
    codes = np.repeat([0, 1, 2, 3], [40, 60, 80, 4])
    found = np.concatenate([np.arange(n) < k for n, k in ((40, 12), (60, 50), (80, 75), (4, 0))])
    told = count_found_by(codes, found, 4)
    assert told["planted"].tolist() == [40, 60, 80, 4]
    assert told["found"].tolist() == [12, 50, 75, 0]
    expected = fisher_exact([[12, 28], [125, 19]], alternative="less").pvalue
    np.testing.assert_allclose(told["overlooked"][0], expected, rtol=1e-9)
    assert told["overlooked"][3] == 1  # too few errors to tell
    chance = np.array([0.03, 0.01, 0.02, 0.001])
    corrected = correct_by_holm(chance, np.array([9, 9, 9, 4]))
    np.testing.assert_allclose(corrected, [0.04, 0.03, 0.04, 1], rtol=1e-12)
