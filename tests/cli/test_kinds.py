import pytest

from errata.cli import _audit_kinds
from errata.cli._audit_kinds import CLASSES, AuditKind, kind_asked_for

NUMBERS = AuditKind("numbers", ("target",), (), run=CLASSES.run)
VOTES = AuditKind("votes", ("item", "worker", "label"), ("known",), run=CLASSES.run)


@pytest.fixture(autouse=True)
def other_kinds(monkeypatch):
    monkeypatch.setattr(_audit_kinds, "OTHERS", (NUMBERS, VOTES))


def test_the_kind_is_known_by_the_columns_that_are_named():
    assert kind_asked_for({"label": None, "seed": 0}) is CLASSES
    assert kind_asked_for({"label": "pet", "target": None, "trust": ("a",)}) is CLASSES
    assert kind_asked_for({"label": None, "target": "price", "drop": ("a",)}) is NUMBERS
    assert kind_asked_for({"label": "a", "item": "i", "worker": "w", "known": "k"}) is VOTES


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
        kind_asked_for(asked)
