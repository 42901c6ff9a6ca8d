import numpy as np

from errata.auditing.votes import judge_votes, read_votes
from errata.auditing.votes._finding import grouped_weights
from vote_cases import crowd


def test_without_verdicts_the_mean_over_the_components_is_what_the_audit_says():
    found = judge_votes(read_votes(crowd()[0]))
    grouped = grouped_weights(found)
    assert grouped.kinds[:3] == ("votes as weighed", "votes worth less", "votes worth more")
    np.testing.assert_allclose(grouped.weights.sum(), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(grouped.p @ grouped.weights, found.p_wrong, rtol=0, atol=1e-5)


def test_votes_worth_less_make_more_labels_look_wrong():
    found = judge_votes(read_votes(crowd()[0]))
    rate = grouped_weights(found).p.mean(axis=0)
    assert rate[1] > rate[0]
