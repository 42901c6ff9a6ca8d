"""Labels that may be one are named wherever labels enter, and nothing is merged."""

import numpy as np
import pytest

import errata
from auditing.large_tables import HOW, TABLE, N, equal_cuts, write
from cli.command_line import invoke

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
