import numpy as np
from numpy.testing import assert_array_equal

from auditing_cases import blobs
from errata.auditing.examples._examples import nearest_labelled, nearest_of_each
from errata.auditing.inputs._inputs import read_inputs


def test_it_is_the_nearest_of_that_label_and_never_the_row_itself():
    X, codes = blobs(60)
    rows, wanted = np.arange(60), np.random.default_rng(0).integers(3, size=60)
    far = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(far, np.inf)
    far = np.where(codes[None] == wanted[:, None], far, np.inf)
    assert_array_equal(nearest_labelled(X, codes, rows, wanted), far.argmin(axis=1))


def test_copies_of_a_row_are_as_near_as_can_be():
    X, codes = np.zeros((3, 1)), np.array([0, 0, 1])
    assert_array_equal(nearest_labelled(X, codes, np.array([1]), np.array([0])), [0])


def test_where_nobody_has_the_label_there_is_none():
    X, codes = np.arange(3.0)[:, None], np.array([0, 0, 1])
    found = nearest_labelled(X, codes, np.array([0, 2]), np.array([2, 1]))
    assert_array_equal(found, [-1, -1])


def test_a_row_that_was_not_audited_stands_alone():
    X, codes = blobs(30)
    labels = np.array(["ant", "bee", "cat"])[codes]
    labels[4] = "dodo"
    inputs = read_inputs(X, labels)
    other = np.full(2, inputs.codes[labels == "bee"][0])
    alone, first = nearest_of_each(inputs, np.array([4, 5]), other)
    assert alone == []
    assert [labels[near] for near in first] == ["bee", labels[5]]
    assert 5 not in first
