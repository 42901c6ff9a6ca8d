import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.feature_selection.information import discrete_information
from strategies import seeds

HALF = [0.5, 0.5]
ESANN_PRIOR = [0.316, 0.684]


@pytest.mark.parametrize(
    ("prior", "conditional", "error", "information"),
    [
        (HALF, [[0.287, 0.758], [0.713, 0.242]], 0.26450, 0.16696),
        # The paper prints 0.217, which takes 5e-5 where it prints 0.001: the next line.
        (HALF, [[0.627, 0.999], [0.373, 0.001]], 0.31400, 0.21298),
        (HALF, [[0.627, 1 - 5e-5], [0.373, 5e-5]], 0.31352, 0.21728),
        (ESANN_PRIOR, [[0.417, 0.104], [0.583, 0.896]], 0.25536, 0.08864),
        (ESANN_PRIOR, [[0.991, 0.479], [0.009, 0.521]], 0.31600, 0.23548),
    ],
)
def test_the_examples_of_the_papers(prior, conditional, error, information):
    found = discrete_information(prior, conditional)
    assert found.error == pytest.approx(error, abs=1e-4)
    assert found.mutual_information == pytest.approx(information, abs=1e-4)


def test_the_posteriors_of_the_papers_follow_from_the_same_tables():
    # Printed (.275 .725), (.746 .254) and (.385 .615), (.999 .001).
    for conditional, posteriors in [
        ([[0.287, 0.758], [0.713, 0.242]], [[0.2746, 0.7254], [0.7466, 0.2534]]),
        ([[0.627, 0.999], [0.373, 0.001]], [[0.3856, 0.6144], [0.9973, 0.0027]]),
    ]:
        of_value = np.mean(conditional, axis=1)
        expected = of_value @ (1 - np.max(posteriors, axis=1))
        assert discrete_information(HALF, conditional).error == pytest.approx(expected, abs=1e-4)
        logs = -(posteriors * np.log2(posteriors)).sum(axis=1)
        found = discrete_information(HALF, conditional).conditional_entropy
        assert found == pytest.approx(of_value @ logs, abs=5e-4)


def test_a_feature_that_tells_all_and_one_that_tells_nothing():
    prior = [0.2, 0.3, 0.5]
    all_, nothing = discrete_information(prior, np.stack([np.eye(3), np.full((3, 3), 1 / 3)])), 0
    h = -np.sum(prior * np.log2(prior))
    np.testing.assert_allclose(all_.mutual_information, [h, nothing], rtol=0, atol=1e-12)
    np.testing.assert_allclose(all_.error, [0, 0.5], rtol=0, atol=1e-12)
    assert np.all(all_.conditional_entropy >= 0)


@given(seeds, st.integers(2, 5), st.integers(2, 6))
def test_many_features_are_each_as_if_alone_and_names_do_not_matter(seed, n_classes, n_values):
    random = np.random.default_rng(seed)
    prior = random.dirichlet(np.ones(n_classes))
    tables = random.dirichlet(np.ones(n_values), size=(3, n_classes)).swapaxes(1, 2)
    together = discrete_information(prior, tables)
    classes, values = random.permutation(n_classes), random.permutation(n_values)
    for i, table in enumerate(tables):
        renamed = discrete_information(prior[classes], table[values][:, classes])
        np.testing.assert_allclose(renamed, [each[i] for each in together], rtol=0, atol=1e-12)


def test_tables_that_are_no_distributions_are_refused():
    with pytest.raises(ValueError, match="each column of conditional must hold probabilities"):
        discrete_information(HALF, [[0.3, 0.7], [0.4, 0.6]])
    with pytest.raises(ValueError, match="prior must hold probabilities that sum to 1"):
        discrete_information([0.5, np.nan], np.eye(2))
    with pytest.raises(ValueError, match=r"its shape is \(3, 3\) and prior has shape \(2,\)"):
        discrete_information(HALF, np.eye(3))
