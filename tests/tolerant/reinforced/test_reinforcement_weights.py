import numpy as np
import pytest

from errata.tolerant import reinforcement_weights

P = np.array([0.01, 0.1, 0.5, 0.8, 1.0])


def test_a_number_is_the_constant_of_the_paper():
    # (12) and (17) by hand: min(1, 5 p) and 2z / (z + sqrt(z² + 4)) with z = p sqrt(9).
    weights = reinforcement_weights(np.log(P), reinforcement=5)
    np.testing.assert_allclose(weights, [0.05, 0.5, 1, 1, 1], rtol=1e-12)
    z = 3 * P
    weights = reinforcement_weights(np.log(P), reinforcement=9, reinforcement_penalty="l2")
    np.testing.assert_allclose(weights, 2 * z / (z + np.sqrt(z**2 + 4)), rtol=1e-12)
    assert reinforcement_weights(np.log(P), reinforcement=np.inf).tolist() == [1] * 5


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_auto_reaches_the_mean_weight(penalty):
    how = {"reinforcement_penalty": penalty, "mean_weight": 0.7}
    assert reinforcement_weights(np.log(P), **how).mean() == pytest.approx(0.7, abs=1e-9)
    counts = np.array([3, 1, 0, 2, 1])
    weights = reinforcement_weights(np.log(P), sample_weight=counts, **how)
    assert np.average(weights, weights=counts) == pytest.approx(0.7, abs=1e-9)
    assert reinforcement_weights(np.log(P)).mean() == pytest.approx(0.95, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"log_p": [0.0, np.nan]}, r"log_p\[1\] = nan is not the logarithm of a probability"),
        ({"log_p": [np.inf]}, r"log_p\[0\] = inf"),
        ({"log_p": []}, r"one number per row, but its shape is \(0,\)"),
        ({"log_p": [[0.0]]}, r"its shape is \(1, 1\)"),
        ({"reinforcement": np.nan}, "reinforcement=nan must be a number above 0"),
        ({"reinforcement": 0}, "reinforcement=0 must be a number above 0"),
        ({"reinforcement_penalty": "l3"}, "reinforcement_penalty='l3' is not known; choose from"),
        ({"sample_weight": [1, 2, 3]}, r"one number for each of the 2 rows.*\(3,\)"),
        ({"sample_weight": [1, -1]}, r"sample_weight\[1\] = -1.0 is not a weight; .* at least 0"),
        ({"sample_weight": [1, np.nan]}, r"sample_weight\[1\] = nan"),
        ({"sample_weight": [0, 0]}, "sample_weight is zero everywhere"),
    ],
)
def test_bad_input_gets_a_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        reinforcement_weights(**({"log_p": [0.0, -1.0]} | arguments))


@pytest.mark.parametrize("mean_weight", [0, 1, 1.5, -0.1, np.nan, "most", None])
def test_a_mean_weight_outside_0_and_1_gets_a_sentence(mean_weight):
    with pytest.raises(ValueError, match=r"mean_weight=.* must be"):
        reinforcement_weights([0.0, -1.0], mean_weight=mean_weight)
