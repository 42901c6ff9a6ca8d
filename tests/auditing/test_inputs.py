import numpy as np
import pytest
from scipy import sparse

from auditing_cases import blobs, read_inputs
from errata.auditing.inputs._inputs import check_pred_proba
from errata.auditing.inputs._labels import label_column

X, CODES = blobs(60)
NAMES = np.array(["ant", "bee", "cat"])


def prepared(table, y, embeddings=None, trust=()):
    return read_inputs(table, y, embeddings=embeddings, trust=trust)


def test_features_are_scaled():
    given = prepared(X, CODES)
    np.testing.assert_allclose(given.X.mean(axis=0), 0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(given.X.std(axis=0), 1, rtol=0, atol=1e-9)


@pytest.mark.parametrize("factor", [2.0**-660, 2.0**660])
def test_numbers_of_any_size_are_scaled_alike(factor):
    found = prepared(factor * X, CODES).X
    np.testing.assert_allclose(found, prepared(X, CODES).X, rtol=0, atol=1e-9)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array], ids=["matrix", "array"])
@pytest.mark.parametrize("d", [1, 2, 300])
def test_sparse_tables_become_a_few_axes(make, d):
    table = make(sparse.random(60, d, 0.5, random_state=0))
    assert prepared(table, CODES).X.shape == (60, {1: 1, 2: 2, 300: 59}[d])


@pytest.mark.parametrize("library", ["pandas", "polars", "dict"])
def test_a_named_column_is_taken_for_labels_and_out_of_the_table(library):
    columns = {f"x{j}": X[:, j] for j in range(4)} | {"pet": NAMES[CODES]}
    table = columns if library == "dict" else pytest.importorskip(library).DataFrame(columns)
    rest, labels = label_column(table, "pet")
    np.testing.assert_array_equal(labels, NAMES[CODES])
    assert list(rest if library == "dict" else rest.columns) == ["x0", "x1", "x2", "x3"]


def test_classes_of_one_row_are_kept_out_and_noted():
    labels = NAMES[CODES].copy()
    labels[5] = "yak"
    given = prepared(X, labels)
    assert 5 not in given.audited
    assert len(given.X) == 59
    assert given.notes == [
        "1 class has one row only (yak): such a label cannot be checked, it is kept."
    ]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (np.zeros(60), "groups holds one group only"),
        (np.zeros(3), "groups has 3 rows, but there are 60 labels"),
        ("patient", "groups must hold one value per row, .* pass a column and not its name"),
        ([None, *range(59)], r"groups is missing in 1 of the rows \(the first is row 0\)"),
    ],
)
def test_bad_groups_are_told(groups, message):
    with pytest.raises(ValueError, match=message):
        read_inputs(X, CODES, groups=groups)


@pytest.mark.parametrize(
    ("table", "y", "message"),
    [
        (X[:4], [0, 0, 1, 1], "4 rows are too few for an audit; 6 are the least"),
        (X, np.arange(60), "60 different labels in 60 rows; that looks like an identifier"),
        (X[:6], [0, 0, 0, 0, 0, 1], "only one class has two rows or more"),
        (X, CODES[:-1], "the table has 60 rows, but there are 59 labels"),
        (
            X,
            "pet",
            "no column 'pet' to take labels from; there are no columns with names",
        ),
        ({"a": [1]}, "pet", "there is no column 'pet' to take labels from; the only one is 'a'."),
    ],
)
def test_bad_tables_are_told(table, y, message):
    with pytest.raises(ValueError, match=message):
        prepared(table, y)


def test_embeddings_are_looked_at_instead_but_the_table_must_fit_too():
    assert prepared(X, CODES, X[:, :2]).X.shape == (60, 2)
    assert prepared(None, CODES, X[:, :2]).table is None
    with pytest.raises(ValueError, match="the table has 59 rows, but there are 60 labels"):
        prepared(X[:-1], CODES, X)


LEAKING = {f"x{j}": X[:, j] + 6 * np.random.default_rng(j).normal(size=60) for j in range(3)}
LEAKING["code"] = NAMES[CODES]


def test_a_column_that_holds_the_label_is_left_out_with_a_note():
    given = prepared(LEAKING, CODES)
    assert given.features.columns == ["x0", "x1", "x2"]
    assert list(given.model_table) == ["x0", "x1", "x2"]
    assert list(given.table) == list(LEAKING)
    assert "code" in given.notes[0]
    assert "trust=['code']" in given.notes[0]


@pytest.mark.parametrize("trust", [["code"], ("code",)])
def test_a_column_that_is_trusted_stays(trust):
    given = prepared(LEAKING, CODES, trust=trust)
    assert "code" in given.features.columns
    assert given.notes == []


def test_the_columns_of_an_array_are_trusted_by_position():
    array = np.column_stack([LEAKING["x0"], CODES, LEAKING["x1"]])
    assert prepared(array, CODES).model_table.shape == (60, 2)
    assert prepared(array, CODES, trust=[1]).model_table.shape == (60, 3)


@pytest.mark.parametrize(
    ("trust", "message"),
    [
        (["kode"], "there is no column 'kode' to trust; did you mean 'code'"),
        ("code", r"trust='code' must be a list of columns; pass \['code'\]"),
        (3, r"trust=3 must be a list of columns; pass \[3\]"),
    ],
)
def test_columns_to_trust_must_be_there(trust, message):
    with pytest.raises(ValueError, match=message):
        prepared(LEAKING, CODES, trust=trust)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.random.default_rng(0).normal(size=60), "y holds 60 different numbers in 60 rows"),
        (np.repeat([0.5, 1.5], 30), "y holds numbers with fractions such as 0.5, which measure"),
        (np.eye(2, dtype=int)[np.arange(60) % 2], r"shape is \(60, 2\); .*argmax\(axis=1\)"),
        (np.zeros((60, 2, 2)), r"shape is \(60, 2, 2\); pass a single column"),
        ([["a"], ["a", "b"]] * 30, "some rows have several or none"),
        (None, "y must hold one label per row, but it is None; pass a list or an array"),
    ],
)
def test_what_is_not_a_column_of_classes_is_told(y, message):
    with pytest.raises(ValueError, match=message):
        read_inputs(np.random.default_rng(1).normal(size=(60, 2)), y)


def test_a_column_of_measurements_is_called_by_its_name():
    table = {"weight": np.arange(60) % 7, "age": np.arange(60) + 0.5}
    with pytest.raises(ValueError, match="column 'age' holds 60 different numbers"):
        read_inputs(table, "age")


def test_many_numbers_that_may_be_classes_get_a_note():
    X, y = np.random.default_rng(0).normal(size=(400, 2)), np.arange(400) % 40
    assert "The labels are 40 different numbers" in read_inputs(X, y).notes[0]
    assert not read_inputs(X, y % 10).notes


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (["a text", "another"] * 30, r'pass texts as a column with a name, \{"text": X\}'),
        (np.arange(60.0), r"a single column is passed as reshape\(-1, 1\)"),
        (np.zeros((60, 3, 3)), r"as reshape\(len\(X\), -1\) does"),
    ],
)
def test_what_is_not_a_table_is_told(X, message):
    with pytest.raises(ValueError, match=message):
        read_inputs(X, np.arange(60) % 2)


def half_precision():
    """Probabilities as a file of 16 bits keeps them: some rows sum to less than one."""
    rng = np.random.default_rng(0)
    proba = rng.dirichlet([0.1] * 40, 300).astype(np.float16).astype(float)
    return proba * rng.uniform(0.985, 1.001, (300, 1))


def test_probabilities_that_nearly_sum_to_one_are_made_to():
    given = half_precision()
    notes = []
    proba = check_pred_proba(given, np.arange(40), 300, notes)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(proba, given / given.sum(axis=1, keepdims=True), rtol=1e-6)
    assert len(notes) == 1
    assert "sum to between 0.98" in notes[0]


def test_probabilities_that_sum_to_one_stay_as_they_are():
    given = np.random.default_rng(0).dirichlet([1] * 3, 50)
    notes = []
    assert np.array_equal(check_pred_proba(given, np.arange(3), 50, notes), given)
    assert notes == []


@pytest.mark.parametrize("factor", [0.97, 1.03])
def test_probabilities_that_do_not_sum_to_one_are_refused(factor):
    given = np.full((4, 2), 0.5)
    given[2] *= factor
    with pytest.raises(
        ValueError, match=r"do not sum to one, but to between (0.97|1) and (1|1.03)"
    ):
        check_pred_proba(given, np.arange(2), 4)
