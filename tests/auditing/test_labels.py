import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import errata
from auditing.large_tables import HOW, TABLE, N, equal_cuts, write
from cli.command_line import invoke
from errata.auditing.inputs._inputs import without_rare
from errata.auditing.inputs._labels import (
    are_among,
    classes_of,
    codes_among,
    codes_of,
    has_label,
    labels_or_none,
)

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
