import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from errata.stats import average_ranks

# Few different scores, hence many ties; whole numbers, so that transformations are exact.
tables = hnp.arrays(
    float, st.tuples(st.integers(1, 8), st.integers(2, 6)), elements=st.integers(-5, 5)
)


def naive_average_ranks(scores):
    """The definition: one plus those ahead, plus half of those level."""
    ahead = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    level = (scores[:, None, :] == scores[:, :, None]).sum(axis=2) - 1
    return (1 + ahead + level / 2).mean(axis=0)


def test_ranks_by_hand():
    # First row: 1, 3, 2. Second row: the best two share ranks 1 and 2.
    assert average_ranks([[0.9, 0.8, 0.85], [0.7, 0.6, 0.7]]).tolist() == [1.25, 3.0, 1.75]


@given(tables)
def test_average_ranks_follow_their_definition(scores):
    np.testing.assert_allclose(
        average_ranks(scores), naive_average_ranks(scores), rtol=0, atol=1e-12
    )


@given(tables)
def test_average_ranks_sum_to_what_is_to_be_shared(scores):
    k = scores.shape[1]
    np.testing.assert_allclose(average_ranks(scores).sum(), k * (k + 1) / 2, rtol=1e-12, atol=0)


@given(tables, st.randoms(use_true_random=False))
def test_average_ranks_follow_their_methods_when_these_are_permuted(scores, random):
    order = random.sample(range(scores.shape[1]), scores.shape[1])
    assert average_ranks(scores[:, order]).tolist() == average_ranks(scores)[order].tolist()


@given(tables)
def test_increasing_transformations_of_the_scores_change_nothing(scores):
    assert average_ranks(np.arctan(scores)).tolist() == average_ranks(scores).tolist()
    assert average_ranks(scores**3 + scores).tolist() == average_ranks(scores).tolist()


@given(tables)
def test_lower_is_better_equals_higher_is_better_of_the_negative(scores):
    lower = average_ranks(scores, higher_is_better=False)
    assert lower.tolist() == average_ranks(-scores).tolist()
