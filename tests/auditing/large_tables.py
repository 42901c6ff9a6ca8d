"""Tables that are large beside the few rows that tests let an audit learn from."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import errata
from errata.noise import flip_labels

N = 3_000
LEARNT = 900
HOW = {"estimators": [GaussianNB()], "self_check": False, "random_state": 0}
PETS = np.array(["ant", "bee", "cat"], dtype=object)


def lower_limits(monkeypatch, learnt=LEARNT, exact=10**6):
    """Let an audit learn from fewer rows, and hold the results of fewer in memory."""
    for module in ("classes._audit", "_learning", "stored._audit"):
        monkeypatch.setattr(f"errata.auditing.{module}.LEARN_ROWS", learnt)
    for module in ("classes._problem", "stored._audit"):
        monkeypatch.setattr(f"errata.auditing.{module}.EXACT_ROWS", exact)


def mixed_table(n=N, *, seed=0):
    """Columns of numbers, words, dates and gaps with labels, and which of these are wrong."""
    random = np.random.default_rng(seed)
    codes = random.integers(3, size=n)
    size = 5.0 * codes + random.normal(size=n)
    size[random.random(n) < 0.05] = np.nan
    words = np.array(["grey", "brown", "white"], dtype=object)
    fur = words[np.where(random.random(n) < 0.7, codes, random.integers(3, size=n))]
    born = np.datetime64("2020-01-01") + random.integers(500, size=n) + 200 * codes
    table = {
        "size": size,
        "legs": random.normal(size=n) + np.array([6.0, 4.0, 2.0])[codes],
        "fur": fur,
        "born": born.astype("datetime64[D]").astype(str).astype(object),
        "visits": random.integers(9, size=n),
    }
    labels, flipped = flip_labels(PETS[codes], 0.1, random_state=seed)
    return table | {"pet": labels.astype(object)}, flipped


TABLE, FLIPPED = mixed_table()


def write(folder, cuts, table=TABLE, **options):
    """A folder of Parquet files with the rows between each two cuts."""
    arrow, parquet = map(pytest.importorskip, ("pyarrow", "pyarrow.parquet"))
    folder.mkdir()
    whole = arrow.table(table)
    for number, (start, stop) in enumerate(pairwise(cuts)):
        piece = whole.slice(start, stop - start)
        parquet.write_table(piece, folder / f"part-{number}.parquet", **options)
    return folder


def equal_cuts(n_files):
    """Where to cut the table for so many files of about equal length."""
    return np.linspace(0, N, n_files + 1).astype(int).tolist()


def in_memory(table=TABLE, **options):
    """The audit of the table as a dataframe, which that of its parts should equal."""
    frame = pytest.importorskip("pandas").DataFrame(table)
    return errata.audit(frame, "pet", **HOW | options)


def assert_same(found, wanted):
    """Whether two audits say the same of all rows and of the noise."""
    np.testing.assert_allclose(found.p_wrong, wanted.p_wrong, rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.suspicion, wanted.suspicion, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(found.flagged, wanted.flagged)
    np.testing.assert_array_equal(found.suggested, wanted.suggested)
    np.testing.assert_array_equal(found.labels, wanted.labels)
    assert found.noise_rate == pytest.approx(wanted.noise_rate, abs=1e-6)
    np.testing.assert_allclose(found.transition, wanted.transition, rtol=0, atol=1e-6)
    assert found.notes == wanted.notes
    assert found._rule == wanted._rule
