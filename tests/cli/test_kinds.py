import pytest

from errata._kinds import CLASSES, NUMBERS, VOTES
from errata.cli._audit_kinds import find_kind


def test_the_kind_is_known_by_the_columns_that_are_named():
    assert find_kind({"label": None, "seed": 0}) is CLASSES
    assert find_kind({"label": "pet", "target": None, "trust": ("a",)}) is CLASSES
    assert find_kind({"label": None, "target": "price", "drop": ("a",)}) is NUMBERS
    assert find_kind({"label": "a", "item": "i", "worker": "w", "model": "m"}) is VOTES


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"target": "a", "label": "b"}, "--label does not go with --target"),
        ({"target": "a", "pixels": "2x2"}, "--pixels does not go with --target"),
        ({"target": "a", "item": "b"}, "--target, --item ask for different kinds of audits"),
        ({"item": "a", "label": "b"}, "--item needs --worker beside it: an audit of votes"),
        ({"worker": "a", "item": "b"}, "--item needs --label beside it"),
    ],
)
def test_options_that_do_not_go_together_are_refused(asked, sentence):
    with pytest.raises(ValueError, match=sentence):
        find_kind(asked)
