from types import SimpleNamespace

import pytest

from errata.auditing import NoiseRate
from errata.cli._endings import fail_above, fail_on_new


def audit(*rate, has_skill=True):
    found = {"kind": "classes", "has_skill": has_skill}
    return SimpleNamespace(noise_rate=NoiseRate(*rate), has_skill=has_skill, summary=lambda: found)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (audit(0.06, 0, 0.2), "Too many labels are wrong: 6.0%, more than --fail-above 5.0%.\n"),
        (audit(0.05, 0, 0.2), None),
        (
            audit(0.0, 0, 0.2, has_skill=False),
            "Whether more than --fail-above 5.0% of the labels are wrong cannot be judged.\n",
        ),
        (audit(0.2, 0, 0.05, has_skill=False), None),
    ],
)
def test_a_rate_above_the_limit_or_unknown_ends_with_one(found, said, capsys):
    fail_above(found, None)
    if said is None:
        fail_above(found, 0.05)
    else:
        with pytest.raises(SystemExit, match="1"):
            fail_above(found, 0.05)
        assert capsys.readouterr().err == said


def test_rows_newly_flagged_beyond_the_limit_end_with_one(capsys):
    found = SimpleNamespace(kind="votes", newly_flagged=[{}, {}])
    for most in (None, 2):
        fail_on_new(found, most)
    with pytest.raises(SystemExit, match="1"):
        fail_on_new(found, 1)
    assert capsys.readouterr().err == "2 items are newly flagged, more than --fail-on-new 1.\n"
