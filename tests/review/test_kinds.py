import pytest

from errata.review._kinds import check_reviewable


def test_audits_of_other_kinds_are_not_decided_on_yet():
    check_reviewable("pets.audit", {"kind": "classes"})
    with pytest.raises(ValueError, match="an audit of numbers, and errata review decides on cl"):
        check_reviewable("homes.audit", {"kind": "numbers"})
