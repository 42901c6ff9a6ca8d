"""Keys that a person may change."""

import pytest

from errata.review.server._keys import KEYS, read_keys


def test_without_wishes_keys_are_as_documented():
    assert read_keys(None) == KEYS


def test_an_action_gets_another_key():
    assert read_keys("accept=Enter,keep=J")["keep"] == ("j",)
    assert read_keys("accept=Enter,keep=J")["accept"] == ("Enter",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("jump=j", "there is no action 'jump'"),
        ("keep=", "names no key for keep"),
        ("keep=3", "names no key for keep"),
        ("keep=u", "the key u would do two things, keep and undo"),
    ],
)
def test_keys_that_cannot_be_are_told(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_keys(text)
