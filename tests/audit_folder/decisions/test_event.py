import numpy as np
import pytest

from decision_cases import said
from errata.review import as_text, from_text


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"kind": "maybe"}, "kind='maybe' is no verdict; choose from suggestion, label"),
        ({"kind": "undo"}, r"takes something back with undo\(\)"),
        ({"reviewer": " "}, "the name of the reviewer is empty"),
        ({"note": "x" * 4001}, "a note of 4,001 characters is too long; at most 4,000 fit"),
        ({"kind": "ambiguous", "class_text": '"dog"'}, "'ambiguous' takes no class, but got"),
        ({"kind": "other", "class_text": None}, "'other' needs a class, but got None"),
        ({"class_text": "dog"}, "'dog' is no label as JSON text"),
        ({"label": "cat"}, "'cat' is no label as JSON text"),
        ({"p_wrong": float("nan")}, "p_wrong=nan is no probability"),
        ({"p_wrong": 1.5}, r"p_wrong=1.5 is no probability"),
        ({"seconds": float("inf")}, "seconds=inf is not a number of seconds"),
        ({"at": "yesterday"}, "Invalid isoformat string: 'yesterday'"),
    ],
)
def test_what_cannot_be_meant_gets_a_sentence(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        said(**wrong).check()


def test_times_given_are_kept_in_utc():
    assert said(at="2026-01-01T01:00+01:00").check().at == "2026-01-01T00:00:00.000000Z"


def test_a_note_of_the_greatest_length_fits():
    assert len(said(note="x" * 4000).check().note) == 4000


def test_a_request_sent_again_says_the_same_though_it_took_longer():
    first = said(key="k", at="2026-01-01T00:00:00.000000Z")
    assert said(key="k", seconds=3.0, p_wrong=0.5).says_the_same(first)
    assert not said("label", key="k").says_the_same(first)
    assert not said(key="k", at="2026-01-02").says_the_same(first)


def test_an_event_as_a_dict_has_the_columns_of_the_table():
    fields = said().as_dict()
    assert fields["class"] == '"dog"'
    assert "class_text" not in fields


def test_years_keep_their_four_digits_to_sort():
    assert said(at="0099-01-01").check().at == "0099-01-01T00:00:00.000000Z"


LABELS = [1, 1.5, "1", True, "true", "", " ", None, "null", 0, False, "\ud800", "naïve", -3]


def test_labels_that_differ_stay_apart_and_come_back():
    texts = [as_text(label) for label in LABELS]
    assert len(set(texts)) == len(LABELS)
    back = [from_text(text) for text in texts]
    assert [(type(label), label) for label in back] == [(type(label), label) for label in LABELS]


@pytest.mark.parametrize(
    ("label", "text"),
    [
        (np.int64(3), "3"),
        (np.str_("cat"), '"cat"'),
        (np.bool_(True), "true"),
        (np.float64("nan"), "null"),
        (np.float64(2), "2"),  # as in a column of whole numbers with a gap
    ],
)
def test_scalars_of_numpy_are_what_they_hold(label, text):
    assert as_text(label) == text
