import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from auditing_cases import draw_codes, symmetric
from errata.auditing import TrainingData
from errata.auditing._settings import CHECK_SAMPLE, CHECKED_ROWS
from errata.auditing.inputs import _duplicates
from errata.auditing.inputs._duplicates import (
    CHECK_MOMENTS,
    Ties,
    are_copies,
    conflicting_duplicates,
    copies_among,
    copies_note,
    copy_groups,
    duplicates_by_bits,
    group_vote,
    measure_unexplained,
)
from errata.auditing.sequences import gather_recordings
from strategies import seeds

KINDS = {
    "dense": np.asarray,
    "columns first": np.asfortranarray,
    "sparse matrix": sparse.csr_matrix,
    "sparse array": sparse.csr_array,
}


def naive_groups(X):
    """Rows by what is in them, in order of appearance."""
    groups = {}
    for row, cells in enumerate(X.tolist()):
        groups.setdefault(tuple(cells), []).append(row)
    return list(groups.values())


def numbered(groups, n):
    numbers = np.empty(n, dtype=int)
    for number, rows in enumerate(groups):
        numbers[rows] = number
    return numbers


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 20))
def test_equal_rows_with_different_labels_are_found(kind, n, d, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(1 + n // 3, d))[random.integers(1 + n // 3, size=n)]
    X[random.random(X.shape) < 0.2] = 0
    codes = random.integers(2, size=n)
    found = conflicting_duplicates(KINDS[kind](X), codes)
    expected = [rows for rows in naive_groups(X) if len(set(codes[rows])) > 1]
    assert [group.tolist() for group in found] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_whole_numbers_are_told_apart(kind):
    # Their bits end in dozens of zeros, of which a product of 64 bits keeps little else.
    X = np.random.default_rng(0).integers(4, size=(3_000, 6)).astype(float)
    codes = np.arange(3_000)
    found = conflicting_duplicates(KINDS[kind](X), codes)
    assert [g.tolist() for g in found] == [g for g in naive_groups(X) if len(g) > 1]


def test_both_zeros_are_equal():
    (group,) = conflicting_duplicates(np.array([[0.0, 1.0], [-0.0, 1.0]]), np.array([0, 1]))
    assert group.tolist() == [0, 1]


def test_a_cell_given_twice_counts_as_its_sum():
    twice = sparse.csr_array((np.ones(3), [0, 0, 0], [0, 2, 3]), shape=(2, 1))
    assert conflicting_duplicates(twice, np.array([0, 1])) == []
    twice.data[2] = 2
    assert len(conflicting_duplicates(twice, np.array([0, 1]))) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_rows_whose_bits_mix_alike_are_compared_in_full(kind, monkeypatch):
    monkeypatch.setattr(_duplicates, "mix_bits", lambda X: np.zeros(X.shape[0]))
    assert conflicting_duplicates(KINDS[kind]([[1.0, 2.0], [1.0, 3.0]]), np.array([0, 1])) == []


def scaled(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def normal(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@given(st.integers(2, 60), st.integers(1, 5), seeds)
def test_equal_rows_share_a_number(n, d, seed):
    X = np.random.default_rng(seed).integers(3, size=(n, d)).astype(float)
    np.testing.assert_array_equal(copy_groups(X), numbered(naive_groups(X), n))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [2, 3, 30])
@pytest.mark.parametrize("jitter", [1e-6, 1e-4])
def test_near_copies_share_a_number(d, jitter, dtype):
    X = normal(1_000, d)
    near = X[:200] + jitter * normal(200, d, seed=1)
    groups = copy_groups(scaled(np.r_[X, near]).astype(dtype))
    assert np.mean(groups[1_000:] == groups[:200]) > 0.98
    assert len(np.unique(groups[:1_000])) == 1_000


def test_a_pair_of_near_copies_is_no_crowd_in_a_small_table():
    X = normal(10, 3)
    X[9] = X[0] + 1e-5
    assert copy_groups(X).tolist() == [*range(9), 0]


def test_copies_of_near_copies_belong_to_them():
    X = normal(500, 3)
    X[499] = X[498] = X[0] + 1e-5
    groups = copy_groups(X)
    assert groups[0] == groups[498] == groups[499]
    assert len(np.unique(groups)) == 498


@pytest.mark.parametrize("jitter", [2e-3, 1e-2])
def test_rows_that_are_not_so_near_do_not(jitter):
    X = normal(1_000, 3)
    moved = X[:200] + jitter
    assert len(np.unique(copy_groups(np.r_[X, moved]))) == 1_200


@pytest.mark.parametrize("n", [100, 3_000, 20_000])
def test_a_single_continuous_column_holds_no_near_copies(n):
    assert len(np.unique(copy_groups(normal(n, 1)))) == n


def test_rows_on_a_line_are_a_crowd_in_any_number_of_columns():
    X = normal(3_000, 1) @ np.ones((1, 5))
    assert len(np.unique(copy_groups(X))) == 3_000


def test_equal_rows_in_a_crowd_share_a_number():
    X = normal(3_000, 1)
    X[2_000:] = X[:1_000]
    np.testing.assert_array_equal(copy_groups(X), np.r_[0:2_000, 0:1_000])


@pytest.mark.parametrize("d", [1, 3])
def test_a_huge_value_does_not_make_all_others_copies(d):
    X = normal(1_000, d)
    X[0] = 1e7
    assert len(np.unique(copy_groups(scaled(X)))) == 1_000


def test_long_tails_do_not_make_copies():
    X = np.random.default_rng(0).lognormal(0, 3, size=(2_000, 1))
    assert len(np.unique(copy_groups(scaled(X)))) == 2_000


def test_a_chain_is_not_followed():
    X = np.r_[normal(200, 3), [[9, 9, 9]] + 0.9e-3 * np.arange(4)[:, None]]
    assert len(np.unique(copy_groups(X))) == 204
    assert len(np.unique(copy_groups(X[:-1]))) == 201  # three links are within twice the distance


def test_groups_follow_the_rows():
    X = np.r_[normal(500, 3), normal(100, 3) + 1e-5 * normal(100, 3, seed=1)]
    order = np.random.default_rng(0).permutation(600)
    groups, moved = copy_groups(X)[order], copy_groups(X[order])
    assert len(np.unique(groups)) == 500
    pairs = np.unique(np.c_[groups, moved], axis=0)
    assert len(pairs) == 500


def test_rows_without_features_are_not_equal():
    assert copy_groups(np.empty((3, 0))).tolist() == [0, 1, 2]


def labelled_groups(seed, *, sizes, n_classes=3):
    """Groups of equal rows and what a good model says of them, the same for all rows of one."""
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    q = random.dirichlet(np.ones(n_classes), len(sizes))[groups]
    return groups, q, random


@pytest.mark.parametrize("seed", range(5))
def test_labels_that_vary_as_they_should_are_independent(seed):
    groups, q, random = labelled_groups(seed, sizes=np.arange(60) % 5 + 1)
    assert not are_copies(groups, draw_codes(q, random), q.T)


@pytest.mark.parametrize("later", [0, 5])
@pytest.mark.parametrize("seed", range(5))
def test_labels_that_vary_too_little_are_copied(seed, later):
    groups, q, random = labelled_groups(seed, sizes=np.arange(60) % 5 + 1)
    codes = draw_codes(q, random)[np.searchsorted(groups, groups)]
    codes[:later] = (codes[:later] + 1) % 3
    assert are_copies(groups, codes, q.T)


@pytest.mark.parametrize(("copied", "expected"), [(0.3, False), (0.7, True)])
def test_they_are_what_most_of_them_are(copied, expected):
    groups, q, random = labelled_groups(0, sizes=np.full(2_000, 2))
    codes = draw_codes(q, random)
    same = np.searchsorted(groups, groups)
    codes = np.where(groups < copied * 2_000, codes[same], codes)
    assert are_copies(groups, codes, q.T) == expected


def test_rows_that_agree_as_models_knew_count_as_copies():
    q = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert are_copies(np.zeros(2, dtype=int), np.zeros(2, dtype=int), q)


@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize("enough", [100, 10_000], ids=["of some groups", "of all"])
def test_copies_are_told_by_some_whole_groups(enough, copied, monkeypatch):
    monkeypatch.setattr(_duplicates, "ENOUGH_TO_TELL", enough)
    random = np.random.default_rng(0)
    equal = np.r_[np.arange(200).repeat(2), np.arange(200, 500)]
    codes = random.integers(2, size=700)
    codes[1:400:2] = codes[:400:2] if copied else codes[1:400:2]
    found = copies_among(TrainingData(random.normal(size=(500, 3))[equal], codes, 2), equal)
    assert (found is equal) == copied


def test_groups_that_tell_are_whole_and_those_of_several_rows_come_first(monkeypatch):
    monkeypatch.setattr(_duplicates, "ENOUGH_TO_TELL", 9)
    equal = np.array([0, 1, 1, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 4])
    rows = _duplicates._rows_of_some_groups(equal, np.random.default_rng(0))
    assert set(equal[rows]) > {1, 3, 4}
    assert np.isin(equal, equal[rows]).sum() == len(rows) == 9
    monkeypatch.setattr(_duplicates, "ENOUGH_TO_TELL", 5)  # one group would be most of them
    rows = _duplicates._rows_of_some_groups(equal, np.random.default_rng(0))
    np.testing.assert_array_equal(rows, np.arange(14))


def test_without_equal_rows_there_are_no_copies():
    alone, codes, q = np.arange(4), np.array([0, 1, 0, 1]), np.full((2, 4), 0.5)
    assert not are_copies(alone, codes, q)
    assert measure_unexplained(alone, codes, q) == 0
    assert np.isnan(group_vote(alone, codes, q, np.eye(2))).all()
    assert copies_note(alone) == ""


def test_a_large_group_counts_by_its_rows():
    # Of three pairs two differ, each weighing 1/2: O = 1. E is 3/2 times 1/2.
    fraction = measure_unexplained(
        np.zeros(3, dtype=int), np.array([0, 0, 1]), np.full((2, 3), 0.5)
    )
    assert fraction == pytest.approx(1 - 0.75, abs=1e-12)


def test_what_models_say_of_a_group_is_a_geometric_mean():
    # (0.9, 0.1) and (0.5, 0.5) have the mean (3, 1) / 4: O = 1, E = 1 - 10/16.
    q = np.array([[0.9, 0.5], [0.1, 0.5]])
    fraction = measure_unexplained(np.zeros(2, dtype=int), np.array([0, 1]), q)
    assert fraction == pytest.approx(10 / 16, abs=1e-12)


@pytest.mark.parametrize(("observed", "expected"), [(0, 0), (1, 0), (2, 0), (3, 1 / 3), (4, 0.5)])
def test_overlap_explains_as_many_conflicts_as_expected(observed, expected):
    groups, codes = np.repeat(np.arange(4), 2), np.zeros(8, dtype=int)
    codes[: 2 * observed : 2] = 1
    fraction = measure_unexplained(groups, codes, np.full((2, 8), 0.5))  # E = 2
    assert fraction == pytest.approx(expected, abs=1e-12)


def naive_vote(groups, codes, q, transition):
    transition = np.maximum(transition, 1e-3)
    vote = np.full(len(codes), np.nan)
    for group in set(groups.tolist()):
        rows = np.flatnonzero(groups == group)
        if len(set(codes[rows].tolist())) > 1:
            joint = np.prod(q[:, rows], axis=1) ** (1 / len(rows))
            joint = joint * np.prod(transition[:, codes[rows]], axis=1)
            vote[rows] = 1 - joint[codes[rows]] / joint.sum()
    return vote


@given(st.integers(2, 5), st.integers(1, 30), seeds)
def test_the_vote_equals_its_plain_twin(n_classes, n, seed):
    random = np.random.default_rng(seed)
    groups, codes = random.integers(1 + n // 3, size=n), random.integers(n_classes, size=n)
    q = random.dirichlet(np.ones(n_classes), n).T
    transition = random.dirichlet(np.full(n_classes, 0.1), n_classes)
    found = group_vote(groups, codes, q, transition)
    np.testing.assert_allclose(found, naive_vote(groups, codes, q, transition), rtol=0, atol=1e-9)


def test_the_majority_of_equal_rows_is_right():
    vote = group_vote(
        np.zeros(4, int), np.array([0, 0, 1, 0]), np.full((2, 4), 0.5), symmetric(2, 0.1)
    )
    np.testing.assert_allclose(vote, [1 / 82, 1 / 82, 81 / 82, 1 / 82], rtol=0, atol=1e-12)


def test_thousands_of_equal_rows_vote_without_underflow():
    codes = np.r_[np.zeros(3_000, int), 1]
    q = np.tile([[1.0], [0.0]], 3_001)
    vote = group_vote(np.zeros(3_001, int), codes, q.astype(np.float32), np.eye(2))
    np.testing.assert_allclose(vote, np.r_[np.zeros(3_000), 1], rtol=0, atol=1e-12)


def test_the_note_counts_rows_and_groups():
    assert copies_note(np.repeat(np.arange(1_200), 2)) == (
        "2,400 rows are equal to another row, or nearly (1,200 groups). They are left out "
        "together, so that copies cannot confirm each other's label."
    )
    assert copies_note(np.array([0, 1, 2, 1, 1])) == (
        "3 rows are equal, or nearly. They are left out together, so that copies cannot confirm "
        "each other's label."
    )


def cut(bits, codes, size=700):
    for start in range(0, len(bits), size):
        yield start, bits[start : start + size], codes[start : start + size]


@pytest.mark.parametrize(
    ("map_bits", "largest", "passes"),
    [(4, 4, 5_000), (12, 12, 20), (26, 30, 2), (12, 30, 2 * 5)],
    ids=["many rounds", "a few", "one", "a few as the bitmap grows"],
)
def test_rounds_find_what_sorting_finds(map_bits, largest, passes, monkeypatch):
    monkeypatch.setattr(_duplicates, "BITMAP_BITS", map_bits)
    monkeypatch.setattr(_duplicates, "LARGEST_BITMAP_BITS", largest)
    counted = []

    def pieces():
        counted.append(1)
        return cut(bits, codes)

    random = np.random.default_rng(0)
    bits = random.integers(2**64, size=5_000, dtype=np.uint64)
    bits[3_000:3_400] = bits[:400]
    bits[4_900] = bits[0]
    codes = random.integers(-1, 3, size=5_000)
    labelled = np.flatnonzero(codes >= 0)
    wanted = duplicates_by_bits(bits[labelled], codes[labelled], labelled)
    assert len(wanted) > 100
    found = _duplicates.find_repeated_rows(pieces, len(bits))
    assert list(map(list, found)) == list(map(list, wanted))
    assert len(counted) == passes


def test_no_more_rows_are_compared_than_fit(monkeypatch):
    monkeypatch.setattr(_duplicates, "MOST_REPEATED", 100)
    bits, codes = np.zeros(5_000, dtype=np.uint64), np.arange(5_000) % 2
    (group,) = _duplicates.find_repeated_rows(lambda: cut(bits, codes), len(bits))
    assert group.tolist() == list(range(100))


RANDOM = np.random.default_rng(0)


def test_rows_without_ties_are_counted_and_changed_one_by_one():
    ties, codes = Ties(), np.arange(10) % 2
    assert ties.evidence(codes) == {"equal": None, "units": None}
    assert ties.changed_together(codes) is None
    assert ties.some_rows(CHECKED_ROWS, RANDOM) is None
    rows = ties.some_rows(CHECKED_ROWS + 1, RANDOM)
    assert len(rows) == CHECK_SAMPLE
    assert (np.diff(rows) > 0).all()


def test_neighbours_in_time_are_counted_by_runs_and_changed_by_pieces():
    ties = Ties(recordings=gather_recordings(np.repeat(["a", "b"], 8))[0])
    codes = np.repeat([0, 1, 0, 1], [4, 4, 6, 2])
    assert ties.evidence(codes)["units"].tolist() == np.repeat(range(4), [4, 4, 6, 2]).tolist()
    pieces = ties.changed_together(codes)  # runs are 4 rows long on the mean, so 2 go together
    assert np.bincount(pieces).tolist() == [2] * 8
    assert all(len(set(codes[pieces == piece])) == 1 for piece in range(8))


def test_of_long_recordings_stretches_of_time_are_checked():
    n = CHECK_MOMENTS + 1_000
    ties = Ties(recordings=gather_recordings(np.arange(n) // (n // 2))[0])
    assert ties.some_rows(CHECK_MOMENTS, RANDOM) is None
    rows = ties.some_rows(n, RANDOM)
    assert len(rows) <= CHECK_MOMENTS
    assert np.mean(np.diff(rows) == 1) > 0.99
    assert len(ties.for_rows(rows).recordings.order) == len(rows)


def test_some_rows_keep_their_ties():
    groups = np.array([0, 0, 1, 1, 2])
    ties = Ties(equal=groups, copies=groups).for_rows(np.array([2, 3, 4]))
    assert ties.equal.tolist() == [0, 0, 1]
    assert ties.copies.tolist() == [0, 0, 1]
    assert ties.recordings is None
