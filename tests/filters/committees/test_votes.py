import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.filters.committees._base import ABSTAINS, count_votes, judge_by_votes, vote_line
from strategies import seeds


def judged(wrong):
    """Suspicions of rows labelled 0, from whether each of the voters is wrong about them."""
    ballots = np.where(np.array(wrong) == 1, 1, np.where(np.array(wrong) == 0, 0, ABSTAINS))
    return judge_by_votes(count_votes(ballots, 2), np.zeros(len(ballots), dtype=int))[0]


@pytest.mark.parametrize(
    ("vote", "flagged"),
    [("majority", [1, 1, 0, 0]), ("consensus", [1, 0, 0, 0]), (0.7, [1, 0, 0, 0])],
)
def test_three_voters_and_four_rows(vote, flagged):
    suspicion = judged([[1, 1, 1], [1, 0, 1], [0, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(suspicion, [1, 2 / 3, 0, 1 / 3], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(suspicion > vote_line(vote), np.array(flagged, dtype=bool))


def test_a_tie_keeps_the_label():
    assert not judged([[1, 0]])[0] > vote_line("majority")


def test_who_abstains_does_not_count():
    nobody = None
    np.testing.assert_array_equal(judged([[1, nobody, 1], [nobody] * 3]), [1.0, 0.0])


def test_equals_are_settled_for_the_label_or_else_the_first():
    votes = np.array([[2, 2, 1], [1, 2, 2], [0, 3, 1], [0, 0, 0]])
    np.testing.assert_array_equal(judge_by_votes(votes, np.array([1, 0, 0, 2]))[1], [1, 1, 1, 2])


@given(seeds, st.integers(1, 7), st.integers(2, 4))
def test_votes_are_counted_as_by_hand(seed, n_voters, n_classes):
    random = np.random.RandomState(seed)
    ballots = random.randint(ABSTAINS, n_classes, size=(12, n_voters))
    expected = [[sum(ballot == c) for c in range(n_classes)] for ballot in ballots]
    np.testing.assert_array_equal(count_votes(ballots, n_classes), expected)


@given(seeds, st.integers(1, 9))
def test_consensus_flags_no_more_than_seven_tenths_and_these_no_more_than_majority(seed, n_voters):
    random = np.random.RandomState(seed)
    codes, ballots = random.randint(3, size=20), random.randint(-1, 3, size=(20, n_voters))
    suspicion, _ = judge_by_votes(count_votes(ballots, 3), codes)
    most, more, all_ = (suspicion > vote_line(vote) for vote in ("majority", 0.7, "consensus"))
    assert (all_ <= more).all()
    assert (more <= most).all()
    cast = ballots != ABSTAINS
    unanimous = cast.any(axis=1) & ((ballots != codes[:, None]) | ~cast).all(axis=1)
    np.testing.assert_array_equal(all_, unanimous)


@pytest.mark.parametrize("vote", ["all", 0, 1, 1.5, None, True, np.nan])
def test_other_rules_are_refused(vote):
    with pytest.raises(ValueError, match=r"^vote=.* is not known; choose majority, consensus, or"):
        vote_line(vote)
