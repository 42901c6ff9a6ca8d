import re
from types import SimpleNamespace

import numpy as np
import pytest

from auditing_cases import blobs
from errata.auditing.inputs import _features
from errata.auditing.inputs._features import as_floats, describe_leaks, find_leak
from errata.noise import flip_labels
from errata.tables._columns import Column

X, CLASSES = blobs(200)
LABELS = flip_labels(CLASSES, n_flips=20, random_state=0)[0]
NAMES = np.array(["ant", "bee", "cat"])
DAYS = np.array(["2024-01-01", "2024-02-01", "2024-03-01"])


def column(key, values):
    return Column(key, f"the {key}", np.asarray(values))


MEASURED = [column(j, x) for j, x in enumerate(X.T)]


def look(*more, labels=LABELS, columns=MEASURED, seed=0, **options):
    random = np.random.default_rng(seed)
    keys, note = find_leak([*columns, *more], labels, random=random, **options)
    if not keys:
        assert note == ""
        return None
    alone, rest = (float(share) / 100 for share in re.findall(r"([\d.]+)%", note))
    return SimpleNamespace(keys=keys, note=note, right_alone=alone, right_rest=rest)


def jitter(scale):
    return LABELS + scale * np.random.default_rng(0).normal(size=len(LABELS))


COPIES = {
    "numbers": LABELS,
    "words": NAMES[LABELS],
    "objects": NAMES[LABELS].astype(object),
    "other words": np.array(["yes", "no", "?"])[LABELS],
    "written numbers": np.array(["9", "10", "11"], dtype=object)[LABELS],
    "a little moved": jitter(1e-3),
    "moved more": jitter(0.05),
    "far from zero": LABELS + 1e9,
    "huge": 1e308 * (LABELS - 1.0),
    "a class missing": np.array([None, "bee", "cat"], dtype=object)[LABELS],
    "a number missing": np.array([np.nan, 1, 2])[LABELS],
    "infinite": np.array([np.inf, 1, 2])[LABELS],
    "days": DAYS.astype("M8[s]")[LABELS],
    "days, one missing": np.array(["NaT", *DAYS[1:]], dtype="M8[D]")[LABELS],
    "two codes for a class": LABELS + 3 * (np.arange(200) % 2),
}


@pytest.mark.parametrize("kind", COPIES)
def test_a_copy_of_the_labels_is_found(kind):
    leak = look(column("copy", COPIES[kind]))
    assert leak.keys == ["copy"]
    assert leak.note.startswith("Column 'the copy' alone gives the label of")
    assert leak.right_alone == 1
    assert 0.8 < leak.right_rest < 0.92  # a tenth of the labels is wrong


def test_copies_are_left_out_together():
    broken = np.r_[(LABELS[0] + 1) % 3, LABELS[1:]]
    leak = look(column("a", broken), column("b", NAMES[LABELS]))
    assert leak.keys == ["a", "b"]
    assert leak.right_alone == 1
    assert leak.right_rest < 0.92


def test_what_is_told_follows_from_the_seed():
    copy = column("copy", jitter(0.05))
    assert look(copy, seed=1) == look(copy, seed=1)


@pytest.mark.parametrize("labels", [CLASSES, LABELS], ids=["right", "noisy"])
def test_measurements_are_no_leak(labels):
    assert look(labels=labels) is None


def test_the_true_classes_are_no_leak_beside_noisy_labels():
    assert look(column("class", CLASSES)) is None


def test_a_copy_that_says_what_the_others_say_is_harmless():
    apart = [column(0, 9 * CLASSES + X[:, 0]), *MEASURED[1:]]
    assert look(column("copy", CLASSES), labels=CLASSES, columns=apart) is None


@pytest.mark.parametrize(("broken", "found"), [(1, True), (8, False)])
def test_one_cell_in_two_hundred_may_be_broken(broken, found):
    copy = LABELS.copy()
    copy[:broken] = (copy[:broken] + 1) % 3
    leak = look(column("copy", copy))
    assert (leak is not None) == found
    if leak:
        assert leak.right_alone == 0.995


@pytest.mark.parametrize(
    ("n", "mistakes", "found"), [(100, 4, False), (100, 5, True), (500, 9, False), (500, 10, True)]
)
def test_the_others_must_be_much_worse(monkeypatch, n, mistakes, found):
    monkeypatch.setattr(_features, "_mistakes_of_forest", lambda X, codes, seed: mistakes)
    labels = np.arange(n) % 2
    columns = [column("copy", labels), column("rest", np.arange(n) % 7)]
    leak = look(columns=columns, labels=labels)
    assert (leak is not None) == found
    if leak:
        assert leak.right_rest == 1 - mistakes / n


@pytest.mark.parametrize(
    ("broken", "mistakes", "found"), [([1], 5, False), ([1], 6, True), ([0, 1], 5, True)]
)
def test_the_others_are_compared_with_the_best_copy(monkeypatch, broken, mistakes, found):
    monkeypatch.setattr(_features, "_mistakes_of_forest", lambda X, codes, seed: mistakes)
    copies = [np.r_[(LABELS[:count] + 1) % 3, LABELS[count:]] for count in broken]
    leak = look(*(column(f"copy {j}", copy) for j, copy in enumerate(copies)))
    assert (leak is not None) == found
    if leak:
        assert leak.right_alone == 1 - min(broken) / 200


@pytest.mark.parametrize("trust", [["copy"], ["the copy"], "copy", ("copy", 0)])
def test_trusted_columns_are_no_leak(trust):
    assert look(column("copy", LABELS), trust=trust) is None


def test_trusted_columns_are_part_of_the_rest():
    copies = column("copy", LABELS), column("measured", LABELS)
    assert look(*copies, trust=["measured"]) is None
    assert look(*copies, trust=[0]).keys == ["copy", "measured"]


def test_something_must_be_left():
    assert look(columns=[column("copy", LABELS)]) is None


def test_rare_classes_are_no_trouble():
    labels = LABELS.copy()
    labels[:3] = 3, 4, 4
    assert look(column("copy", labels), labels=labels).right_alone == 1
    assert look(labels=labels) is None


def test_classes_may_all_have_fewer_rows_than_there_are_folds():
    labels = np.arange(60) % 20
    columns = [column("copy", labels), column("rest", X[:60, 0])]
    assert look(columns=columns, labels=labels).keys == ["copy"]


def test_labels_that_all_differ_are_no_trouble():
    assert look(labels=np.arange(200)) is None


def test_large_tables_are_looked_at_in_part(monkeypatch):
    seen = []
    monkeypatch.setattr(
        _features, "_mistakes_of_forest", lambda X, codes, seed: seen.append(len(codes)) or 5_000
    )
    labels = np.repeat([0, 1], 10_000)
    columns = [column("copy", labels), column("rest", np.arange(20_000))]
    trusted = look(columns=columns, labels=labels, trust=["rest"])
    assert trusted.keys == ["copy"]
    assert seen == [5_000]


def test_trees_are_spared_what_cannot_hold_the_label(monkeypatch):
    monkeypatch.setattr(_features, "_mistakes_of_tree", None)
    random = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 500)  # sorted: rows that tie must not stay in this order
    columns = [column(j, random.integers(2 + j, size=1_500)) for j in range(20)]
    columns += [column(j, labels + random.normal(size=1_500)) for j in range(20)]
    assert look(columns=columns, labels=labels) is None


@pytest.mark.parametrize("n_classes", [2, 5, 40])
@pytest.mark.parametrize("seed", range(3))
def test_whatever_holds_the_label_is_shown_to_trees(n_classes, seed):
    random = np.random.default_rng(seed)
    codes = np.arange(1_000) % n_classes
    x = codes + 0.05 * random.normal(size=1_000)
    broken = random.choice(1_000, 5, replace=False)
    x[broken] = random.integers(n_classes, size=5)
    assert _features._sorts(x, codes)
    assert not _features._sorts(random.permutation(x), codes)


def test_a_mistake_may_leave_a_right_row_without_neighbours_of_its_label():
    codes = np.repeat([0, 1], 100)
    codes[98] = 1  # 0 0 1 0 1 1: the last 0 is right
    assert _features._sorts(np.arange(200), codes)
    codes[[93, 95]] = 1
    assert not _features._sorts(np.arange(200), codes)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([2.0, 4.0, np.nan, 3.0], [0, 1, -1, 0.5]),
        (["2", "10", "", "NA"], [0, 1, -1, -1]),
        (np.array(["2", 10, None, np.nan], dtype=object), [0, 1, -1, -1]),
        (["red", "blue", "green", "blue "], [1, 0, 0.5, 0]),
        ([True, False, True, True], [1, 0, 1, 1]),
        (np.array(["2024-01-01", "NaT", "2024-01-03", "2024-01-02"], "M8[D]"), [0, -1, 1, 0.5]),
        ([7, 7, 7, 7], [0, 0, 0, 0]),
        ([np.nan] * 4, [-1] * 4),
        ([-1e308, 1e308, 0, np.inf], [0, 1, 0.5, -1]),
        ([5e-324, 0, 0, 0], [1, 0, 0, 0]),
    ],
)
def test_cells_become_floats(cells, expected):
    np.testing.assert_allclose(as_floats(np.asarray(cells)), expected, rtol=0, atol=1e-6)


def test_the_note_names_the_column_and_the_way_out():
    assert describe_leaks([Column("class_id", "class_id", None)], 0.999, 0.88) == (
        "Column 'class_id' alone gives the label of 99.9% of the rows, the other columns of 88.0%. "
        "It looks made from the label and would hide every error, so it was left out. If it was "
        "measured independently, pass trust=['class_id'] (on the "
        "command line --trust)."
    )


def test_the_note_names_several_columns():
    assert describe_leaks([Column(j, f"x{j}", None) for j in (3, 7)], 1.0, 0.9) == (
        "Each of the columns 'x3', 'x7' gives the label of up to 100.0% of the rows, the other "
        "columns of 90.0%. They look made from the label and would hide every error, so they were "
        "left out. If they were measured independently, pass trust=[3, 7] (on the "
        "command line --trust)."
    )


def test_the_note_does_not_name_them_all():
    note = describe_leaks([Column(j, f"x{j}", None) for j in range(12)], 1.0, 0.9)
    assert "'x6', 'x7' and 4 more gives" in note
    assert "trust=[0, 1, 2, 3, 4, 5, 6, 7, ...]" in note


def test_a_copy_of_the_label_beside_pictures_is_found():
    alone = [column("copy", LABELS)]
    assert look(columns=alone) is None
    assert look(columns=alone, beside=X).keys == ["copy"]
    assert look(columns=[], beside=X) is None
