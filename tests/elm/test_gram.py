import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elm.naive_ridge import ridge
from errata.elm._ridge import GramRecord, merge_records, sum_all_others
from strategies import seeds

FIELDS = GramRecord._fields


def some_rows(n=30, m=4, q=2, seed=0):
    random = np.random.RandomState(seed)
    H, T = random.normal(size=(n, m)), random.normal(size=(n, q))
    return H, T, random.random_sample(n)


def assert_equal_records(found, expected, *, rtol):
    for name in FIELDS:
        ours, theirs = getattr(found, name), getattr(expected, name)
        if name == "gram":
            ours, theirs = np.tril(ours), np.tril(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_record_holds_the_sums_it_says(weighted):
    H, T, w = some_rows()
    record = GramRecord.from_block(H, T, w if weighted else None)
    w = w if weighted else np.ones(30)
    expected = GramRecord(
        w.sum(), w @ H, w @ T, H.T @ (w[:, None] * H), H.T @ (w[:, None] * T), w @ T**2
    )
    assert_equal_records(record, expected, rtol=1e-12)


def test_one_target_may_come_as_a_vector():
    H, T, _ = some_rows(q=1)
    assert_equal_records(GramRecord.from_block(H, T[:, 0]), GramRecord.from_block(H, T), rtol=1e-15)


@given(seeds, st.lists(st.integers(0, 30), max_size=6), st.randoms(use_true_random=False))
def test_any_blocks_merged_in_any_order_are_one_block(seed, cuts, shuffler):  # C7
    H, T, w = some_rows(seed=seed)
    parts = [p for p in np.split(np.arange(30), sorted(cuts)) if len(p)]
    shuffler.shuffle(parts)
    records = [GramRecord.from_block(H[p], T[p], w[p]) for p in parts]
    assert_equal_records(merge_records(records), GramRecord.from_block(H, T, w), rtol=1e-12)


@given(st.integers(2, 9), seeds)
def test_left_out_is_the_record_of_all_other_rows(n_folds, seed):
    H, T, _ = some_rows(seed=seed)
    folds = [np.arange(k, 30, n_folds) for k in range(n_folds)]
    records = [GramRecord.from_block(H[f], T[f]) for f in folds]
    before = [np.copy(r.gram) for r in records]
    for fold, others in zip(folds, sum_all_others(records), strict=True):
        rest = np.setdiff1d(np.arange(30), fold)
        assert_equal_records(others, GramRecord.from_block(H[rest], T[rest]), rtol=1e-12)
    for record, gram in zip(records, before, strict=True):
        np.testing.assert_array_equal(record.gram, gram)


def test_downdating_takes_rows_out_again():
    H, T, w = some_rows()
    whole, part = GramRecord.from_block(H, T, w), GramRecord.from_block(H[20:], T[20:], w[20:])
    assert_equal_records(
        whole.downdated(part), GramRecord.from_block(H[:20], T[:20], w[:20]), rtol=1e-11
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_solve_equals_least_squares_on_the_rows(alpha, fit_intercept):
    H, T, w = some_rows()
    found = GramRecord.from_block(H, T, w).solve(alpha, fit_intercept=fit_intercept)
    expected = ridge(H, T, alpha, weight=w, fit_intercept=fit_intercept)
    np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[1], expected[1], rtol=0, atol=1e-12)


@given(seeds)
def test_squared_error_from_sums_equals_summed_residuals(seed):  # C5
    H, T, w = some_rows(seed=seed)
    random = np.random.RandomState(seed)
    coef, intercept = random.normal(size=(4, 2)), random.normal(size=2)
    residuals = T - H @ coef - intercept
    np.testing.assert_allclose(
        GramRecord.from_block(H, T, w).squared_error(coef, intercept),
        w @ residuals**2,
        rtol=1e-9,
        atol=0,
    )


def test_a_record_of_no_rows_cannot_be_solved():
    with pytest.raises(ValueError, match="weights sum to zero leaves nothing to solve"):
        GramRecord.empty(3, 1).solve(1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"H": [[np.nan], [1.0]]}, "Input H contains NaN"),
        ({"T": [np.inf, 1.0]}, "Input T contains infinity"),
        ({"T": [1.0]}, "inconsistent numbers of samples"),
        ({"sample_weight": [1, -1]}, r"sample_weight\[1\] = -1.0 is not a weight"),
        ({"sample_weight": [1]}, "one number for each of the 2 rows"),
    ],
)
def test_bad_rows_are_named(change, message):
    rows = {"H": [[0.0], [1.0]], "T": [0.0, 1.0]}
    assert GramRecord.from_block(**rows).weight == 2
    with pytest.raises(ValueError, match=message):
        GramRecord.from_block(**(rows | change))


@pytest.mark.parametrize("alpha", [-1.0, np.nan, np.inf, "press", None])
def test_bad_alphas_are_named(alpha):
    H, T, _ = some_rows()
    with pytest.raises(ValueError, match="must be a number of at least 0"):
        GramRecord.from_block(H, T).solve(alpha)
