import numpy as np

from auditing_cases import blobs
from errata.auditing.examples._views import Neighborhood, View
from errata.auditing.inputs._inputs import read_inputs

X, CODES = blobs(60)


def test_the_nearest_others_come_in_order_with_their_distances():
    inputs = read_inputs(X, CODES)
    near = Neighborhood(inputs).around(np.array([7, 0]))[0]
    features = inputs.X[np.argsort(inputs.audited)]
    away = np.sqrt(((features - features[7]) ** 2).sum(axis=1))
    assert near.rows.tolist() == np.argsort(away, kind="stable")[1:21].tolist()
    np.testing.assert_allclose(near.distances, away[near.rows], rtol=1e-7, atol=1e-9)


def test_rows_are_those_of_the_table_where_some_were_not_audited():
    labels = CODES.copy()
    labels[0] = 9  # alone in its class
    alone, other = Neighborhood(read_inputs(X, labels)).around(np.array([0, 5]))
    assert len(alone.rows) == 0
    assert len(other.rows) == 20
    assert not {0, 5} & set(other.rows.tolist())
    whole = Neighborhood(read_inputs(X, CODES)).around(np.array([5]))[0].rows
    assert len(set(whole.tolist()) & set(other.rows.tolist())) >= 17


def test_copies_of_a_row_are_its_neighbours_and_it_is_not():
    inputs = read_inputs(np.r_[X, X[:1], X[:1]], np.r_[CODES, 0, 0])
    assert Neighborhood(inputs).around(np.array([60]))[0].rows[:2].tolist() == [0, 61]


def test_without_features_nothing_is_near():
    (near,) = Neighborhood(read_inputs(None, CODES)).around(np.array([3]))
    assert len(near.rows) == 0


def test_only_places_become_those_of_the_table_and_no_cell_of_a_column_of_that_name():
    view = View(inputs=None, posterior=None, logs=None, models=(), rows=np.array([70, 30]))
    similar = [{"row": 0, "values": {"row": "0.5"}}]
    told = [{"row": 1, "values": {"row": "7"}, "similar": similar, "compared": None}]
    moved = [{"row": 70, "values": {"row": "0.5"}}]
    wanted = [{"row": 30, "values": {"row": "7"}, "similar": moved, "compared": None}]
    assert view.in_table(told) == wanted
    assert view.in_table({"row": [1, 0], "x": [0.1, 0.2]}) == {"row": [30, 70], "x": [0.1, 0.2]}
