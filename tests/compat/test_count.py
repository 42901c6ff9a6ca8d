"""Counts of labels and classes, as cleanlab counts them; errata's own by default."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from errata.compat.cleanlab import count


def tied_rows(joint, labels):
    """Labels whose counts are rounded up or down by a draw, as remainders are equal."""
    tied = []
    for label, row in enumerate(joint):
        size = int((labels == label).sum())
        exact = [Fraction(int(cell) * size, int(row.sum())) for cell in row]
        falling = sorted((cell - cell.__floor__() for cell in exact), reverse=True)
        ups = size - sum(cell.__floor__() for cell in exact)
        if 0 < ups < len(row) and falling[ups - 1] == falling[ups]:
            tied.append(label)
    return tied


def test_the_joint_is_that_of_cleanlab(case):
    theirs = pytest.importorskip("cleanlab.count", reason="cleanlab is not installed")
    labels, pred_probs = case
    raw = count.compute_confident_joint(labels, pred_probs, calibrate=False)
    assert_array_equal(raw, theirs.compute_confident_joint(labels, pred_probs, calibrate=False))
    ours = count.compute_confident_joint(labels, pred_probs)
    expected = theirs.compute_confident_joint(labels, pred_probs)
    assert ours.dtype == expected.dtype
    certain = np.setdiff1d(np.arange(len(raw)), tied_rows(raw, labels))
    assert len(certain) > 0
    assert_array_equal(ours[certain], expected[certain])
    assert_array_equal(ours.sum(axis=1), np.bincount(labels))
    assert np.abs(ours - expected).max() <= 1


def test_the_rows_beside_the_diagonal_are_those_of_cleanlab(case):
    theirs = pytest.importorskip("cleanlab.count", reason="cleanlab is not installed")
    _, ours = count.compute_confident_joint(*case, return_indices_of_off_diagonals=True)
    _, expected = theirs.compute_confident_joint(*case, return_indices_of_off_diagonals=True)
    assert_array_equal(np.sort(ours), np.sort(expected))


@pytest.mark.parametrize("py_method", ["cnt", "eqn", "marginal", "marginal_ps"])
@pytest.mark.parametrize("calibrate", [False, True])
def test_the_noise_matrices_are_those_of_cleanlab(case, py_method, calibrate):
    theirs = pytest.importorskip("cleanlab.count", reason="cleanlab is not installed")
    labels, pred_probs = case
    joint = count.compute_confident_joint(labels, pred_probs, calibrate=calibrate)
    ours = count.estimate_latent(joint, labels, py_method=py_method)
    expected = theirs.estimate_latent(joint, labels, py_method=py_method)
    for matrix, wanted in zip(ours, expected, strict=True):
        assert_allclose(matrix, wanted, rtol=0, atol=1e-9)


def test_numbers_of_issues_are_those_of_cleanlab(case):
    theirs = pytest.importorskip("cleanlab.count", reason="cleanlab is not installed")
    labels, pred_probs = case
    ours = count.num_label_issues(labels, pred_probs, method="confident_learning")
    assert ours == theirs.num_label_issues(labels, pred_probs)
    joint = count.compute_confident_joint(labels, pred_probs, calibrate=False)
    settings = {"confident_joint": joint, "estimation_method": "off_diagonal_custom"}
    ours = count.num_label_issues(labels, pred_probs, method="confident_learning", **settings)
    expected = theirs.num_label_issues(labels, pred_probs, **settings)
    assert abs(ours - expected) <= len(tied_rows(joint, labels))
    settings = {"estimation_method": "off_diagonal_calibrated"}
    ours = count.num_label_issues(labels, pred_probs, method="confident_learning", **settings)
    expected = theirs.num_label_issues(labels, pred_probs, **settings)
    assert abs(ours - expected) <= len(tied_rows(joint, labels))


def test_the_joint_by_hand():
    labels = np.array([0, 0, 0, 1, 1])
    p = np.array([0.9, 0.9, 0.1, 0.1, 0.25])
    pred_probs = np.column_stack([p, 1 - p])
    # The last row reaches neither threshold.
    assert_allclose(count.get_confident_thresholds(labels, pred_probs), [1.9 / 3, 0.825])
    raw = count.compute_confident_joint(labels, pred_probs, calibrate=False)
    assert raw.tolist() == [[2, 1], [0, 1]]
    assert count.compute_confident_joint(labels, pred_probs).tolist() == [[2, 1], [0, 2]]
    joint = count.estimate_joint(labels, pred_probs, method="confident_learning")
    assert_allclose(joint, [[0.4, 0.2], [0, 0.4]])


def test_errata_counts_by_default(planted):
    labels, pred_probs, flipped = planted
    number = count.num_label_issues(labels, pred_probs)
    assert abs(number - flipped.sum()) < 0.5 * flipped.sum()
    joint = count.estimate_joint(labels, pred_probs)
    assert_allclose(joint.sum(axis=1), np.bincount(labels) / len(labels), rtol=1e-12)
    assert_allclose(len(labels) * (1 - joint.trace()), number, rtol=0.2)
    answer = count.estimate_py_and_noise_matrices_from_probabilities(labels, pred_probs)
    assert_allclose(answer[1].sum(axis=0), 1)
    assert_allclose(answer[2].sum(axis=0), 1)
    assert_allclose(answer[1] * answer[0], joint, atol=1e-12)


def test_a_classifier_is_cross_fitted():
    X, y = load_wine(return_X_y=True)
    settings = {"seed": 0, "method": "confident_learning"}
    noise, inverse = count.estimate_noise_matrices(X, y, GaussianNB(), **settings)
    assert_allclose(noise.sum(axis=0), 1)
    assert noise.diagonal().min() > 0.8
    theirs = pytest.importorskip("cleanlab.count", reason="cleanlab is not installed")
    expected = theirs.estimate_noise_matrices(X, y, GaussianNB(), seed=0)
    assert_allclose(noise, expected[0], rtol=0, atol=1e-9)
    assert_allclose(inverse, expected[1], rtol=0, atol=1e-9)


def test_what_cannot_be_counted_is_said():
    pred_probs = [[0.9, 0.1], [0.2, 0.8]]
    theirs = {"method": "confident_learning"}
    with pytest.raises(ValueError, match="'off_diagonal_custom' needs confident_joint"):
        count.num_label_issues(
            [0, 1], pred_probs, estimation_method="off_diagonal_custom", **theirs
        )
    with pytest.raises(ValueError, match="estimation_method='magic' must be 'off_diagonal'"):
        count.num_label_issues([0, 1], pred_probs, estimation_method="magic", **theirs)
    with pytest.raises(ValueError, match="py_method='magic' must be 'cnt'"):
        count.estimate_latent([[1, 0], [0, 1]], [0, 1], py_method="magic")
    with pytest.raises(ValueError, match="thresholds are for rows with one label"):
        count.compute_confident_joint([[0], [1]], pred_probs, thresholds=[0, 0], multi_label=True)
