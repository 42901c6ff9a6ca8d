"""What all measures of hardness do with tables and labels they cannot judge."""

import inspect

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils import get_tags

from errata import hardness

MEASURES = [
    thing()
    for thing in (getattr(hardness, name) for name in hardness.__all__)
    if inspect.isclass(thing) and hasattr(thing, "fit")
]
every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)

X = np.random.RandomState(0).poisson(2.0, size=(40, 3)).astype(float)
Y = np.arange(40) % 2


def fitted(measure, X, y):
    measure = clone(measure)
    if "random_state" in measure.get_params():
        measure.set_params(random_state=0)
    return measure.fit(X, y)


def test_there_are_fourteen():
    assert len(MEASURES) == 14


@every_measure
def test_one_class_gets_a_sentence(measure):
    with pytest.raises(ValueError, match="y holds one class only"):
        fitted(measure, X, np.zeros(40))


def with_value(value):
    table = X.copy()
    table[3, 1] = value
    return table


@every_measure
def test_infinite_values_are_refused(measure):
    with pytest.raises(ValueError, match="contains infinity"):
        fitted(measure, with_value(np.inf), Y)


TAKE_MISSING = {
    "DisjunctSize",
    "DisjunctClassPercentage",
    "TreeDepth",
    "MinorityValue",
    "ClassBalance",
}


@every_measure
def test_missing_values_are_taken_where_the_tags_say_so_and_refused_elsewhere(measure):
    takes = get_tags(measure).input_tags.allow_nan
    assert takes == (type(measure).__name__ in TAKE_MISSING)
    if takes:
        suspicion = fitted(measure, with_value(np.nan), Y).suspicion_
        assert np.all((suspicion >= 0) & (suspicion <= 1))
    else:
        with pytest.raises(
            ValueError, match=rf"contains NaN, but {type(measure).__name__} does not"
        ):
            fitted(measure, with_value(np.nan), Y)


@every_measure
def test_sparse_matrices_give_the_same_answer_or_are_refused(measure):
    if get_tags(measure).input_tags.sparse:
        dense, sparse = fitted(measure, X, Y), fitted(measure, csr_matrix(X), Y)
        np.testing.assert_allclose(sparse.suspicion_, dense.suspicion_, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(sparse.suggested_, dense.suggested_)
    else:
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            fitted(measure, csr_matrix(X), Y)


@every_measure
@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
@pytest.mark.parametrize("case", ["constant", "three rows", "one lonely row"])
def test_hardness_is_from_0_to_1_on_degenerate_tables(measure, case):
    table, y = {
        "constant": (np.ones((20, 2)), np.arange(20) % 2),
        "three rows": (np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])),
        "one lonely row": (X, np.r_[1, np.zeros(39, dtype=int)]),
    }[case]
    suspicion = fitted(measure, table, y).suspicion_
    assert suspicion.shape == y.shape
    assert np.all((suspicion >= 0) & (suspicion <= 1))


@every_measure
def test_a_share_is_flagged_exactly(measure):
    assert fitted(clone(measure).set_params(contamination=0.2), X, Y).flagged_.sum() == 8


@every_measure
def test_a_threshold_is_obeyed(measure):
    model = fitted(clone(measure).set_params(threshold=0.45), X, Y)
    np.testing.assert_array_equal(model.flagged_, model.suspicion_ > 0.45)


@every_measure
def test_what_it_costs_is_written_down(measure):
    assert "osts" in measure.__doc__
