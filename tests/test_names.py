import pytest

from errata._format import instead


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("Pet", ["pet", "weight"], "did you mean 'pet'?"),
        ("weihgt", ["pet", "weight", "height"], "did you mean 'weight' or 'height'?"),
        ("zebra", ["pet", "weight"], "the columns are pet, weight."),
        ("zebra", ["pet"], "the only one is 'pet'."),
        ("pet", ["weight^pet"], "if it should be several, separate them by , ; | or tabs."),
        ("pet", [], "there are no columns with names."),
        (3, [1, 2], "the columns are 1, 2."),
    ],
)
def test_a_name_that_is_not_there_gets_a_hint(name, known, hint):
    assert instead(name, known).endswith(hint)


def test_what_the_names_stand_for_can_be_said():
    assert instead("q", ["cat", "dog"], what="classes") == "the classes are cat, dog."
