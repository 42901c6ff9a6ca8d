import numpy as np
import pytest

from errata.review import as_text, from_text

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
