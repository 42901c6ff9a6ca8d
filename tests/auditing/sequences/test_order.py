"""An audit of recordings says the same in any order and under any names, and up to rounding."""

import numpy as np
import pytest

import errata
from auditing.recordings_cases import steady, with_wrong_stretches
from errata.auditing import sequences
from errata.auditing.sequences import read_recordings
from errata.sequence import WaveletFeatures


def short(n_recordings=3, seed=0):
    """Recordings of 40 to 60 rows, some labels of which are wrong; classes overlap."""
    X, labels, names = steady(n_recordings, 60, 12, random_state=seed)
    labels, _ = with_wrong_stretches(labels, [5, 70, 150], rows=6)
    random = np.random.default_rng(seed)
    kept = np.tile(np.arange(60), n_recordings) < 40 + np.repeat(
        random.permutation(20)[:n_recordings], 60
    )
    X = np.c_[X + random.normal(size=X.shape), random.normal(size=len(X))]
    return X[kept], labels[kept], names[kept]


def coarse():
    """Three switches: many rows are equal, and two columns hold the same cells elsewhere."""
    X, labels, names = short(6, seed=3)
    switches = np.c_[X[:, 0] > 3, X[:, 1] < -1].astype(float)
    return np.c_[switches, np.roll(switches[:, 0], 9)], labels, names


def repeated():
    """A signal that is there twice, labelled otherwise."""
    X, labels, names = short(5, seed=4)
    again = names == names[0]
    others = np.where(labels[again] == "rest", "walk", labels[again])
    return np.r_[X, X[again]], np.r_[labels, others], np.r_[names, np.full(again.sum(), "again")]


def interleaved():
    X, labels, names = short(4, seed=5)
    rows = np.argsort(np.random.default_rng(0).permutation(len(X)) // 40, kind="stable")
    return X[rows], labels[rows], names[rows]


def gappy():
    X, labels, names = short(6, seed=6)
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    return X, labels, names


def leaking():
    """A column made from the label, and a signal that is there twice."""
    X, labels, names = short(3, seed=7)
    code = np.unique(labels, return_inverse=True)[1]
    return np.c_[X, X[:, :1], code == 0], labels, names


def with_a_rare_class():
    """A class that is left out, as one recording alone has it."""
    X, labels, names = short(7, seed=8)
    return X, np.where((names == "r3") & (labels == "rest"), "sleep", labels), names


TABLES = {
    "one": lambda: short(1),
    "two": lambda: short(2, seed=1),
    "three": lambda: short(3, seed=2),
    "eight": lambda: short(8),
    "coarse": coarse,
    "repeated": repeated,
    "interleaved": interleaved,
    "gappy": gappy,
    "leaking": leaking,
    "a rare class": with_a_rare_class,
}


@pytest.fixture(params=TABLES, ids=str)
def table(request):
    return TABLES[request.param]()


def audited(X, labels, names, **how):
    return errata.audit(X, labels, sequence=names, self_check=False, random_state=0, **how)


def last_first(names):
    """The rows with the last recording first, each in its own order."""
    first = np.unique(names, return_index=True)[1]
    number = np.unique(names, return_inverse=True)[1]
    return np.argsort(-first[number], kind="stable")


def assert_same(moved, found, rows):
    np.testing.assert_allclose(moved.p_wrong, found.p_wrong[rows], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(moved.flagged, found.flagged[rows])
    assert moved.noise_rate.estimate == pytest.approx(found.noise_rate.estimate, abs=1e-6)


def test_recordings_columns_and_names_may_be_permuted(table):
    X, labels, names = table
    found = audited(X, labels, names)
    columns = np.roll(np.arange(X.shape[1]), 1)
    classes = np.unique(labels)
    renamed = dict(zip(classes, np.roll(classes, 1).tolist(), strict=True))
    rows = last_first(names)
    moved = audited(
        X[np.ix_(rows, columns)],
        np.array([renamed[label] for label in labels[rows]]),
        np.char.add("x", names[rows]),
    )
    assert_same(moved, found, rows)
    assert moved.suggested.tolist() == [renamed[label] for label in found.suggested[rows]]


def seen(X, labels, names):
    """All that models are given."""
    given = read_recordings(X, labels, names)
    return given.X, given.audited_codes, given.groups, given.recordings.ends


def mirrored():
    """Recordings of one length that hold the same cells, and so do columns."""
    random = np.random.default_rng(0)
    signals = random.normal(size=(4, 30))
    X = np.concatenate([np.c_[x, x[::-1], np.roll(x, 7)] for x in [*signals, *signals[:, ::-1]]])
    labels = np.tile(np.repeat(list("abcddcba"), [4, 3, 5, 3, 3, 5, 3, 4]), 8)
    return X, labels, np.repeat([f"r{k}" for k in range(8)], 30)


def one_on():
    """One of three lamps is on, each as often: nothing but time tells columns apart."""
    _, labels, names = steady(6, 60)
    lamps = [np.random.default_rng(k).permutation(np.arange(60) % 3) for k in range(6)]
    return np.eye(3)[np.concatenate(lamps)], labels, names


SEEN = TABLES | {"of one length": steady, "mirrored": mirrored, "one on": one_on}


@pytest.mark.parametrize("name", SEEN)
def test_models_see_the_same_to_the_last_bit(name):
    X, labels, names = SEEN[name]()
    rows = last_first(names)
    classes, codes = np.unique(labels, return_inverse=True)
    moved = X[rows][:, ::-1], classes[::-1][codes[rows]], names[rows]
    for one, other in zip(seen(X, labels, names), seen(*moved), strict=True):
        np.testing.assert_array_equal(other, one)


def test_leaks_are_looked_for_in_the_same_rows(monkeypatch):
    X, labels, names = short(6, seed=13)
    orders = []
    monkeypatch.setattr(
        sequences, "find_leak", lambda *_, order, **how: orders.append(order) or ([], "")
    )
    rows = last_first(names)
    read_recordings(X, labels, names)
    read_recordings(X[rows], labels[rows], names[rows])
    np.testing.assert_array_equal(rows[orders[1]], orders[0])


def test_the_last_bits_of_signals_do_not_count(table):
    X, labels, names = table
    shift = np.random.default_rng(2).uniform(-1, 1, size=X.shape)
    found = audited(X, labels, names)
    shifted = audited(X * (1 + 1e-13 * shift), labels, names)
    np.testing.assert_allclose(shifted.p_wrong, found.p_wrong, rtol=0, atol=1e-3)
    np.testing.assert_array_equal(shifted.flagged, found.flagged)


def test_recordings_seen_through_wavelets_may_be_permuted():
    X, labels, names = short(3, seed=9)
    how = {"wavelets": WaveletFeatures(band=None, scales=(2, 4))}
    rows = last_first(names)
    found = audited(X, labels, names, **how)
    assert_same(audited(X[rows][:, ::-1], labels[rows], names[rows], **how), found, rows)


def test_what_is_known_tells_equal_recordings_apart():
    X, labels, names = short(2, seed=10)
    known = np.repeat([True, False], len(X))
    twice = np.r_[X, X], np.r_[labels, labels], np.r_[names, np.char.add("x", names)]
    rows = np.roll(np.arange(2 * len(X)), len(X))
    found = audited(*twice, known=known)
    assert_same(audited(*(each[rows] for each in twice), known=known[rows]), found, rows)


def test_the_self_check_of_recordings_may_be_permuted():
    X, labels, names = short(4, seed=11)
    rows = last_first(names)
    found = errata.audit(X, labels, sequence=names, random_state=0).self_check
    moved = errata.audit(X[rows], labels[rows], sequence=names[rows], random_state=0).self_check
    assert moved.found == found.found
    np.testing.assert_array_equal(rows[moved.planted_rows], found.planted_rows)


def test_a_correction_does_not_move_recordings_to_other_folds():
    X, labels, names = short(8, seed=12)
    corrected = labels.copy()
    corrected[20] = "rest" if labels[20] != "rest" else "walk"
    before, after = (read_recordings(X, y, names) for y in (labels, corrected))
    np.testing.assert_array_equal(after.audited, before.audited)
    np.testing.assert_array_equal(after.groups, before.groups)
