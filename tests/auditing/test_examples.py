from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from auditing_cases import blobs, read_inputs
from errata import audit
from errata.auditing import _audit as audit_module
from errata.auditing.examples import _views
from errata.auditing.examples._examples import (
    COMPARED_PICTURES,
    _beside,
    describe_examples,
    example_rows,
    nearest_labelled,
    nearest_of_each,
)
from errata.auditing.examples._views import (
    Neighborhood,
    RowValues,
    View,
    most_probable_others,
    reasons_for,
)
from errata.auditing.inputs._features import check_pixels
from errata.auditing.inputs._inputs import Inputs
from errata.tables._pictures import get_picture_content

pytestmark = pytest.mark.usefixtures("few_trees")


def test_all_flagged_rows_and_some_more_come_worst_first():
    suspicion = np.random.default_rng(0).random(500)
    flagged = suspicion > 0.5
    rows = example_rows(suspicion, flagged)
    assert (np.diff(suspicion[rows]) <= 0).all()
    assert set(np.flatnonzero(flagged)) <= set(rows)
    assert len(example_rows(suspicion, suspicion > 2)) == 100
    assert len(example_rows(suspicion[:7], flagged[:7])) == 7


def told(n=240):
    """An audit of two classes that one column tells apart, and the rows labelled wrong."""
    rng = np.random.default_rng(0)
    truth = np.repeat(["ant", "bee"], n // 2)
    wrong = np.array([3, n - 5])
    labels = truth.copy()
    labels[wrong] = truth[[-1, 0]]
    size = np.where(truth == "ant", 0.0, 8.0) + rng.normal(size=n)
    table = {
        "noise": rng.normal(size=n),
        "copy": labels,
        "key": [f"k{i:05d}" for i in range(n)],
        "size": size,
    }
    found = audit(table, labels, estimator=GaussianNB(), self_check=False, random_state=0)
    return found, wrong


def test_examples_are_made_once_and_not_before_they_are_asked_for(monkeypatch):
    made = []

    def count(*args, **kwargs):
        made.append(args)
        return describe_examples(*args, **kwargs)

    monkeypatch.setattr(audit_module, "describe_examples", count)
    found, _ = told()
    assert not made
    assert found.examples is found.examples
    assert len(made) == 1


def test_an_example_has_its_values_and_those_of_the_nearest_rows():
    found, wrong = told()
    examples = {example["row"]: example for example in found.examples}
    for row in wrong.tolist():
        example = examples[row]
        assert list(example["values"]) == ["size", "noise", "copy", "key"]
        assert example["speaking"] == 1
        other, own = example["compared"]
        assert {other["label"], own["label"]} == {"ant", "bee"}
        assert own["label"] == example["label"]
        assert own["row"] != row
        assert list(other["values"]) == list(example["values"])
        assert "size" in own["differs"]
        assert "size" not in other["differs"]
        assert "copy" in other["differs"]


def test_examples_are_the_same_for_the_same_seed():
    assert told()[0].examples == told()[0].examples


def test_files_of_pictures_are_read_for_the_first_examples_only():
    values = SimpleNamespace(of=lambda row, places: {}, pixels=None, picture=lambda row: "read")
    shown = [_beside(0, [], set(), values, place)["image"] for place in (0, COMPARED_PICTURES)]
    assert shown == ["read", None]
    values.pixels = np.zeros((1, 4))  # which are in memory anyway
    assert _beside(0, [], set(), values, COMPARED_PICTURES)["image"] == "read"


X, CODES = blobs(60)


def test_the_nearest_others_come_in_order_with_their_distances():
    inputs = read_inputs(X, CODES)
    near, distances = (found[0] for found in Neighborhood(inputs).around(np.array([7, 0])))
    features = inputs.X[np.argsort(inputs.audited)]
    away = np.sqrt(((features - features[7]) ** 2).sum(axis=1))
    assert near.tolist() == np.argsort(away, kind="stable")[1:21].tolist()
    np.testing.assert_allclose(distances, away[near], rtol=1e-7, atol=1e-9)


def test_rows_are_those_of_the_table_where_some_were_not_audited():
    labels = CODES.copy()
    labels[0] = 9  # alone in its class
    alone, other = Neighborhood(read_inputs(X, labels)).around(np.array([0, 5]))[0]
    assert len(alone) == 0
    assert len(other) == 20
    assert not {0, 5} & set(other.tolist())
    whole = Neighborhood(read_inputs(X, CODES)).around(np.array([5]))[0][0]
    assert len(set(whole.tolist()) & set(other.tolist())) >= 17


def test_copies_of_a_row_are_its_neighbours_and_it_is_not():
    inputs = read_inputs(np.r_[X, X[:1], X[:1]], np.r_[CODES, 0, 0])
    assert Neighborhood(inputs).around(np.array([60]))[0][0][:2].tolist() == [0, 61]


def test_without_features_nothing_is_near():
    (near,), _ = Neighborhood(read_inputs(None, CODES)).around(np.array([3]))
    assert len(near) == 0


def test_only_places_become_those_of_the_table_and_no_cell_of_a_column_of_that_name():
    view = View(
        inputs=None, posterior=None, logs=None, models=(), predicted=None, rows=np.array([70, 30])
    )
    similar = [{"row": 0, "values": {"row": "0.5"}}]
    told = [{"row": 1, "values": {"row": "7"}, "similar": similar, "compared": None}]
    moved = [{"row": 70, "values": {"row": "0.5"}}]
    wanted = [{"row": 30, "values": {"row": "7"}, "similar": moved, "compared": None}]
    assert view.in_table(told) == wanted
    assert view.in_table({"row": [1, 0], "x": [0.1, 0.2]}) == {"row": [30, 70], "x": [0.1, 0.2]}


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


NAMES = ["ant", "bee", "cat"]


ROWS = np.arange(60)


def inputs(X=X):
    """What little of them reasons need."""
    return Inputs(None, None, CODES, np.array(NAMES), CODES, None, None, X, ROWS, None, [])


def reasons(prefers, *, X=X):
    models = [f"m{k}" for k in range(len(prefers))]
    predicted = np.tile(np.array(prefers)[:, None], 60)
    near = Neighborhood(inputs(X)).around(ROWS[:1])[0]
    return reasons_for(ROWS[:1], near, inputs(X), (CODES + 1) % 3, models, predicted)[0]


OWN, NEW, OTHER = CODES[0], (CODES[0] + 1) % 3, (CODES[0] + 2) % 3


def test_models_against_the_label_are_counted_and_named():
    new = NAMES[NEW]
    assert reasons([NEW, NEW])[0] == f"Both models predict {new}."
    assert reasons([NEW] * 7)[0] == f"All 7 models predict {new}."
    assert reasons([NEW])[0] == f"The only model, m0, predicts {new}."
    said = reasons([NEW, OWN, NEW, OTHER, OWN])[0]
    assert said == (
        f"2 of 5 models predict {new} (m0, m2); 2 predict the label and 1 predicts another class."
    )


def test_rows_that_all_models_agree_with_are_not_said_to_be_doubted():
    said = reasons([OWN, OWN])[0]
    assert said == f"No model predicts {NAMES[NEW]}; 2 predict the label."
    assert reasons([OWN])[0] == "The only model, m0, predicts the label."


def test_models_that_predict_a_third_class_are_not_passed_over():
    assert reasons([OTHER] * 3)[0] == (f"No model predicts {NAMES[NEW]}; 3 predict another class.")
    assert reasons([OTHER])[0] == f"The only model, m0, predicts {NAMES[OTHER]}."


def test_labels_of_the_nearest_rows_are_counted():
    around = np.argsort(((X - X[0]) ** 2).sum(axis=1))[1:21]
    own, new = (int(np.sum(CODES[around] == code)) or "none" for code in (OWN, NEW))
    are = "are" if new not in (1, "none") else "is"
    assert reasons([NEW])[1] == (
        f"Of its 20 nearest rows {new} {are} labelled {NAMES[NEW]}, {own} like this one."
    )


def test_without_features_models_are_all_there_is():
    assert len(reasons([NEW], X=None)) == 1


def test_a_row_of_a_class_of_its_own_is_said_to_be_alone():
    some = inputs()._replace(audited=ROWS[1:], X=X[1:])
    near = Neighborhood(some).around(ROWS[:2])[0]
    other = (CODES[1:] + 1) % 3
    said = reasons_for(ROWS[:2], near, some, other, ["m"], other[None])
    assert said[0] == ["It is the only row of its class."]
    assert said[1][0] == f"The only model, m, predicts {NAMES[other[0]]}."
    named = some._replace(labels=np.array(NAMES)[CODES])
    assert most_probable_others(named, other).tolist() == [
        NAMES[CODES[0]],
        *np.array(NAMES)[other],
    ]


PIXELS = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize("library", ["pandas", "polars", "dict"])
def test_cells_are_told_under_their_names_in_the_order_asked_for(library):
    columns = {"weight": [4.0, 31.123456789], "pet": ["cat", "x" * 3_000]}
    table = columns if library == "dict" else pytest.importorskip(library).DataFrame(columns)
    told = RowValues(table, None).of(1, [1, 0])
    assert list(told) == ["pet", "weight"]
    assert told["weight"] == "31.1235"
    assert len(told["pet"]) == 2_000
    assert told["pet"].endswith("…")


def test_columns_of_an_array_are_named_by_their_place():
    assert RowValues(PIXELS, None).of(1, [2]) == {"column 2": "6"}


def test_files_that_are_not_there_have_no_picture():
    values = RowValues({"file": ["a.png", "b.PNG"], "size": [1, 2]}, None)
    assert values.picture(0) is None
    assert values.of(1, [0, 1]) == {"file": "b.PNG", "size": "2"}


def test_a_column_of_file_names_is_found_wherever_it_is(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (2, 2)).save(tmp_path / "a.png")
    columns = {f"c{j}": [1] for j in range(40)} | {"file": [str(tmp_path / "a.png")]}
    assert RowValues(columns, None).picture(0).startswith("data:image/")


@pytest.mark.parametrize(
    "table",
    [PIXELS, sparse.csr_array(PIXELS), {f"p{j}": PIXELS[:, j].astype(str) for j in range(4)}],
    ids=["array", "sparse", "text"],
)
def test_rows_of_pixels_become_pictures(table):
    check_pixels(table, (2, 2))
    values = RowValues(table, (2, 2))
    assert values.picture(1).startswith("data:image/")
    assert values.columns == []
    with pytest.raises(ValueError, match="image_shape says 3 x 3 pixels, but the table has 4"):
        check_pixels(table, (3, 3))


def test_a_picture_within_a_cell_is_shown_and_named():
    picture = pytest.importorskip("PIL.Image").new("RGB", (2, 2))
    raw = get_picture_content(picture)
    for cell, name in (({"bytes": raw, "path": "a.png"}, "a.png"), (raw, ""), (picture, "")):
        values = RowValues({"photo": [cell, cell]}, None)
        assert values.file_name(0) is None
        assert values.drawn(0).startswith("data:image/png")
        assert values.picture(0) == values.drawn(0)
        assert values.of(0, [0]) == {"photo": name}


TOLD = {
    "label": CODES,
    "suggested": CODES,
    "p_wrong": np.linspace(0, 1, 60),
    "flagged": np.arange(60) > 50,
}


def test_every_row_has_its_place_and_the_worst_are_drawn_last():
    points = _views.draw_map(X, np.array([3, 1]), TOLD, 0)
    assert sorted(points["row"]) == list(range(60))
    assert points["row"][-2:] == [3, 1]
    assert {len(values) for values in points.values()} == {60}


def test_of_many_rows_the_worst_are_always_shown(monkeypatch):
    monkeypatch.setattr(_views, "MAP_POINTS", 10)
    points = _views.draw_map(X, np.array([3, 1]), TOLD, 0)
    assert len(points["row"]) == 10
    assert points["row"][-2:] == [3, 1]


def test_features_of_the_map_may_lie_in_any_order():
    order = np.random.default_rng(1).permutation(60)
    points = _views.draw_map(X[order], np.array([3, 1]), TOLD, 0, np.argsort(order))
    assert points == _views.draw_map(X, np.array([3, 1]), TOLD, 0)


def test_what_has_no_plane_has_no_map():
    assert _views.draw_map(None, np.array([0]), TOLD, 0) is None
    assert _views.draw_map(X[:, :1], np.array([0]), TOLD, 0) is None
