import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import errata
from errata.auditing.inputs._labels import (
    are_among,
    classes_of,
    codes_among,
    codes_of,
    has_label,
    labels_or_none,
    without_rare,
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
    assert classes.dtype.kind == {"text": "O", "numbers": "f", "yes or no": "b"}[kind]
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
