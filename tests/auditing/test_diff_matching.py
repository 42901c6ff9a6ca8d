from dataclasses import replace

import numpy as np
import pytest

import errata
from auditing_cases import QUICK, blobs
from errata.auditing.results._diff import match_rows
from errata.tables._digest import RowDigests

X, CODES = blobs(40)


@pytest.fixture(scope="module")
def audit():
    return errata.audit(X, CODES, estimators=QUICK, self_check=False, random_state=0)


def named(audit, names, column=None):
    return replace(audit, ids=np.array(names), about=audit.about | {"id": column})


def of_contents(audit, keys, columns):
    digests = RowDigests(columns, np.arange(len(keys)))
    return replace(audit, keys=np.array(keys, dtype=object), digests=digests)


def test_rows_are_found_by_their_ids_wherever_they_stand(audit):
    order = np.random.default_rng(0).permutation(40)
    found = match_rows(named(audit, np.arange(40)), named(audit, [f"{n}" for n in order]))
    assert found.by == "id"
    assert found.old_rows.tolist() == order.tolist()
    assert found.new_rows(40)[order].tolist() == list(range(40))


def test_rows_that_are_new_or_gone_have_no_place(audit):
    found = match_rows(named(audit, np.arange(40)), named(audit, np.arange(1, 41)))
    assert found.old_rows.tolist() == [*range(1, 40), -1]
    assert found.new_rows(40).tolist() == [-1, *range(39)]


def test_ids_that_stand_for_several_rows_are_taken_in_their_order_and_noted(audit):
    found = match_rows(named(audit, np.arange(40) // 2), named(audit, np.arange(40) // 2))
    assert found.old_rows.tolist() == list(range(40))
    assert found.notes == ["20 ids stand for several rows, which are matched in their order."]


def test_ids_of_different_columns_are_not_compared(audit):
    old, new = named(audit, np.arange(40), "tag"), named(audit, np.arange(40), "serial")
    assert match_rows(old, new).by == "place"


def test_an_index_names_rows_too(audit):
    pandas = pytest.importorskip("pandas")
    old, new = (
        replace(audit, index=pandas.Index(list(n), name="n")) for n in (range(40), "x" * 40)
    )
    assert match_rows(old, replace(old, index=old.index[::-1])).old_rows.tolist()[:2] == [39, 38]
    assert (match_rows(old, new).old_rows == -1).all()


def test_rows_are_found_by_their_contents_where_the_columns_are_the_same(audit):
    keys = [f"{n:016x}.0" for n in range(40)]
    old, new = of_contents(audit, keys, ["a", "b"]), of_contents(audit, keys[::-1], ["a", "b"])
    found = match_rows(old, new)
    assert (found.by, found.notes) == ("contents", [])
    assert found.old_rows.tolist() == list(range(39, -1, -1))
    assert match_rows(old, of_contents(audit, keys, ["a", "c"])).by == "place"


def test_places_are_the_last_resort_and_said_to_be(audit):
    old = replace(audit, keys=audit.row_keys())  # as an audit that was loaded
    shorter = replace(audit, p_wrong=audit.p_wrong[:30])
    found = match_rows(old, shorter)
    assert found.by == "place"
    assert "matched by their place" in found.notes[0]
    assert match_rows(shorter, old).old_rows.tolist() == [*range(30), *[-1] * 10]
