import numpy as np
import pandas
import polars
import pyarrow
import pytest
from pyarrow import parquet
from scipy import sparse
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import errata
from auditing.large_tables import HOW, TABLE, N, equal_cuts, lower_limits, write
from auditing_cases import blobs, read_inputs
from cli.command_line import invoke
from errata.auditing.inputs._inputs import check_pred_proba, without_rare
from errata.auditing.inputs._labels import (
    are_among,
    classes_of,
    codes_among,
    codes_of,
    has_label,
    label_column,
    labels_from,
    labels_or_none,
)
from errata.tables import read_table

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
        (np.zeros((600, 2)), 7 * (np.arange(600) % 120), "120 different numbers in 600 rows"),
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
        ([{"a": 1.0}] * 60, r"pass a list of records as pandas\.DataFrame\(X\)"),
        (np.zeros(60, dtype=[("a", float)]), r"as pandas\.DataFrame\(X\)"),
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


BLANK = {
    "yes or no": np.array([False, None, True, None] * 3, dtype=object),
    "text": np.array(["a", None, "b", np.nan] * 3, dtype=object),
    "numbers": np.array([0.0, np.nan, 1.0, np.nan] * 3),
}


@pytest.mark.parametrize("kind", BLANK)
def test_rows_without_a_label_have_the_code_minus_one(kind):
    labels = labels_or_none(BLANK[kind])
    classes, codes = classes_of(labels, None)
    assert classes.tolist() == (["a", "b"] if kind == "text" else [0, 1])
    assert classes.dtype.kind == {"text": "O", "numbers": "i", "yes or no": "b"}[kind]
    assert codes.tolist() == [0, -1, 1, -1] * 3
    assert codes_of(labels, classes).tolist() == codes.tolist()
    assert has_label(labels).tolist() == [True, False] * 6
    assert without_rare(codes, classes)[0].tolist() == [0, 2, 4, 6, 8, 10]


HUGE = [2**53 + 1, None, 2**53, 2**53 + 1]  # floats make one class of them


@pytest.mark.parametrize(
    "column",
    [
        HUGE,
        [2**53 + 1, np.nan, 2**53, 2**53 + 1],
        pandas.Series(HUGE, dtype="Int64"),
        polars.Series(HUGE),
        pyarrow.chunked_array([HUGE]),
    ],
    ids=["list", "nan", "pandas", "polars", "arrow"],
)
def test_whole_numbers_that_no_float_holds_stay_apart_beside_gaps(column):
    in_table = None if isinstance(column, list) else "y"
    table = {"y": column, "x": column}
    for labels in (label_column(None, column)[1], label_column(table, in_table or column)[1]):
        classes, codes = classes_of(np.tile(labels, 4), None)
        assert (classes.dtype.kind, classes.tolist()) == ("i", [2**53, 2**53 + 1])
        assert codes.tolist() == [1, -1, 0, 1] * 4
        assert labels_from(codes[:4], classes, with_blanks=True).tolist() == HUGE


@pytest.mark.parametrize("where", ["in memory", "on disk"])
def test_an_audit_and_its_files_keep_such_numbers(where, tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(200, 2))
    labels = [None if row % 20 == 0 else 2**53 + int(sum(X[row]) > 0) for row in range(200)]
    table = tmp_path / "table.parquet"
    parquet.write_table(pyarrow.table({"x": X[:, 0], "z": X[:, 1], "y": labels}), table)
    how = {"estimator": GaussianNB(), "self_check": False, "random_state": 0}
    if where == "on disk":
        lower_limits(monkeypatch, exact=50)
        how |= {"memory": "1GB", "out": tmp_path / "table.audit"}
    audit = errata.audit_file(table, "y", **how)
    audit.save(tmp_path / "saved.audit")
    again = errata.Audit.load(tmp_path / "saved.audit")
    assert again.classes.tolist() == [2**53, 2**53 + 1]
    assert again.labels[:].tolist() == labels
    assert set(again.suggested[:].tolist()) == {2**53, 2**53 + 1}
    audit.clean_file(table, tmp_path / "clean.parquet", action="relabel", threshold=1)
    cleaned = read_table(tmp_path / "clean.parquet")["y"].to_pylist()
    assert [new for new, old in zip(cleaned, labels, strict=True) if old] == list(
        filter(None, labels)
    )


def test_what_the_user_gave_is_left_alone():
    given = BLANK["text"].copy()
    labels_or_none(given)
    assert given[3] is np.nan


def test_too_few_labels_are_said_to_be_too_few():
    labels = np.array(["a", "b", "a", "b", None, None, None, None], dtype=object)
    with pytest.raises(ValueError, match="4 labelled rows are too few for an audit; 6"):
        classes_of(labels, None)
    with pytest.raises(ValueError, match="y is empty"):
        classes_of(np.full(9, None), None)


def test_a_class_of_one_row_is_rare_however_many_have_no_label():
    codes = np.array([0, 0, 1, 1, 2, -1, -1])
    audited, (note,) = without_rare(codes, np.array(["a", "b", "c"]))
    assert audited.tolist() == [0, 1, 2, 3]
    assert "c" in note


@pytest.mark.parametrize("present", [[0, 1, 2], [0, 2], [1, 2], [3]])
def test_codes_are_looked_for_among_those_that_are_present(present):
    codes = np.array([2, -1, 0, 3, 1, 2])
    among = are_among(codes, np.array(present))
    assert among.tolist() == [code in present for code in codes]
    found = codes_among(codes[among], np.array(present))
    assert found.tolist() == [present.index(code) for code in codes[among]]


def test_a_gap_among_words_is_no_class_of_its_own():
    labels = ["cat", "dog"] * 20 + [float("nan"), None]
    found = errata.audit(
        np.random.default_rng(0).normal(size=(42, 2)),
        labels,
        estimators=[GaussianNB()],
        self_check=False,
        random_state=0,
    )
    assert found.classes.tolist() == ["cat", "dog"]
    assert any("2 rows have no label" in note for note in found.notes)


ONE = "these may be spellings of one label, but count as {} of their own. If they are one, write "
CYRILLIC_A = "\u0430"

SAME = [
    ("a", " a"),
    ("a", "a\t"),
    ("a", "A"),
    ("two words", "two  words"),
    ("cat", "cat\u200b"),
    ("cat", "\ufeffcat"),
    ("cat", f"c{CYRILLIC_A}t"),
    ("BOX", "\u0392\u039f\u03a7"),  # Greek
    ("caf\u00e9", "cafe\u0301"),
    ("file", "\ufb01le"),
    ("42", "\uff14\uff12"),
    ("t-shirt", "t\u2013shirt"),
    ("1", "1.0"),
    ("-3", "-3.00"),
    ("true", "True"),
    ("\u03a3\u03a9", "\u03c3\u03c9"),
]
DIFFERENT = [
    ("a+", "a-"),
    ("1", "10"),
    ("1", "-1"),
    ("1.1", "1.10"),
    ("1", "01"),
    ("C", "c++"),
    ("Iris-a", "Iris-b"),
    ("10\u00b2", "102"),
    ("\u03b1", "a"),
    ("cafe", "caf\u00e9"),
    ("newyork", "new york"),
    ("O", "0"),
    ("yes", "no"),
]


def two_blobs(n=60):
    random = np.random.default_rng(0)
    side = np.arange(n) % 2
    return random.normal(size=(n, 2)) + 5 * side[:, None], side


def audited(first, second, third="something else"):
    """The notes on a table of which 27 rows have one label and 3 the other."""
    X, side = two_blobs()
    y = np.where(side == 1, third, first).astype(object)
    y[:6:2] = second
    return errata.audit(X, y, self_check=False, random_state=0).notes


def spelling_notes(notes):
    return [note for note in notes if "spelling" in note]


@pytest.mark.parametrize(("first", "second"), SAME, ids=ascii)
def test_labels_that_may_be_one_are_told(first, second):
    found = errata.audit_votes(sixty_votes(first, second), random_state=0)
    assert len(found.classes) == 3  # nothing is merged
    (note,) = spelling_notes(found.notes)
    assert note.startswith("27 votes say ")
    assert " and 3 '" in note
    assert ONE.format("classes") in note


@pytest.mark.parametrize(("first", "second"), DIFFERENT, ids=ascii)
def test_labels_that_differ_are_let_alone(first, second):
    notes = errata.audit_votes(sixty_votes(first, second), random_state=0).notes
    assert not spelling_notes(notes)


def sixty_votes(first, second):
    """60 votes on 20 items: 27 for the first label, 3 for the second, the others for a third."""
    item, worker = np.divmod(np.arange(60), 3)
    label = np.where(item % 2 == 1, "something else", first).astype(object)
    label[[0, 7, 14]] = second
    return {"item": item, "worker": worker, "label": label}


def test_rows_are_counted_and_what_cannot_be_seen_is_written_out():
    (note,) = spelling_notes(audited("a", " a"))
    assert note.startswith("27 rows are labelled 'a' and 3 ' a': these may be")
    (note,) = spelling_notes(audited("cat", f"c{CYRILLIC_A}t"))
    assert note.startswith(r"27 rows are labelled 'cat' and 3 'c\u0430t': these")
    assert not spelling_notes(audited("a+", "a-"))


def test_many_spellings_are_told_in_short():
    random = np.random.default_rng(0)
    X, _ = two_blobs(240)
    letters = np.array(list("abcdef"))[random.integers(6, size=240)]
    y = np.where(random.random(240) < 0.5, letters, np.char.upper(letters))
    (note,) = spelling_notes(errata.audit(X, y, self_check=False, random_state=0).notes)
    assert note.count("are labelled") == 4
    assert "and so with 2 other labels: these may be" in note


def test_labels_of_a_table_in_parts_are_counted_over_all_of_them(low_limits, tmp_path):
    pytest.importorskip("pyarrow", reason="the tables extra is not installed")
    pet = np.asarray(TABLE["pet"], dtype=object).copy()
    first = pet[0]
    spelled = np.flatnonzero(pet == first)[::40]
    pet[spelled] = f"{first} "
    folder = write(tmp_path / "pets", equal_cuts(5), TABLE | {"pet": pet})
    stored = errata.audit(folder, "pet", out=tmp_path / "pets.audit", **HOW)
    counts = f"{np.sum(pet == first):,} rows are labelled '{first}' and {len(spelled)} '{first} '"
    (note,) = spelling_notes(stored.notes)
    assert note.startswith(counts)
    assert len(pet) == N
    X = {name: column for name, column in TABLE.items() if name != "pet"}
    assert spelling_notes(errata.audit(X, pet, **HOW).notes) == [note]


def test_several_labels_a_row_are_told_by_the_names_of_their_columns():
    X, side = two_blobs()
    labels = {"cat": side, "Cat ": np.arange(60) % 3 == 0, "dog": 1 - side}
    columns = {name: column.astype(int) for name, column in labels.items()}
    table = {"a": X[:, 0], "b": X[:, 1]} | columns
    found = errata.audit_multilabel(table, list(labels), self_check=False, random_state=0)
    assert found.names == ["cat", "Cat ", "dog"]
    (note,) = spelling_notes(found.notes)
    assert note.startswith("30 rows have the label 'cat' and 20 'Cat ': " + ONE.format("labels"))


def test_terminal_and_report_tell_it(tmp_path):
    X, side = two_blobs()
    names = np.where(side == 1, "dog", "cat").astype(object)
    names[:6:2] = "cat "
    lines = [f"{a},{b},{name}" for (a, b), name in zip(X, names, strict=True)]
    path = tmp_path / "pets.csv"
    path.write_text("\n".join(["a,b,pet", *lines]))
    done = invoke("audit", path, "--label", "pet", "--no-self-check")
    assert done.exit_code == 0, done.output
    told = "27 rows are labelled 'cat' and 3 'cat '"
    assert told in " ".join(done.output.split())
    report = (tmp_path / "pets.audit" / "report.html").read_text(encoding="utf-8")
    assert "3 &#39;cat &#39;: these may be spellings" in report


@pytest.mark.parametrize("audit", [errata.audit, errata.audit_targets])
def test_labels_with_the_index_of_the_table_in_another_order_are_noted(audit):
    table = pandas.DataFrame(X)
    y = pandas.Series(X[:, 0].round(2) if audit is errata.audit_targets else CODES)
    shuffled = y.sample(frac=1, random_state=0)
    how = {"self_check": False, "random_state": 0}
    how["estimators"] = [LinearRegression() if audit is errata.audit_targets else GaussianNB()]
    said = "The index of y is that of the table in another order."
    for X_given, y_given, is_noted in [
        (table, shuffled, True),
        (table.loc[shuffled.index], shuffled, False),
        (table, y, False),
        (table, y.set_axis(range(1, 61)), False),
        (X, shuffled, False),
    ]:
        notes = audit(X_given, y_given, **how).notes
        assert any(note.startswith(said) for note in notes) == is_noted


def test_masked_cells_are_missing():
    how = {"self_check": False, "random_state": 0, "estimators": [GaussianNB()]}
    labels = np.ma.masked_array(CODES, mask=np.arange(60) == 7)
    masked = errata.audit(np.ma.masked_array(X, mask=X > 1), labels, **how)
    missing = errata.audit(
        np.where(X > 1, np.nan, X), np.where(np.arange(60) == 7, np.nan, CODES), **how
    )
    np.testing.assert_array_equal(masked.p_wrong, missing.p_wrong)
    np.testing.assert_array_equal(masked.labels, missing.labels)


def test_a_sparse_matrix_of_keys_is_a_table():
    audit = errata.audit(sparse.dok_matrix(X), CODES, self_check=False, estimators=[GaussianNB()])
    assert len(audit) == 60
