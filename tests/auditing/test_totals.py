import pickle
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from auditing.made_audits import class_audit
from errata.auditing._settings import CLEAN_THRESHOLD
from errata.auditing.results._flags import LEAST_FLAGGED, Totals

K = 3
rows = st.tuples(
    st.integers(-1, K - 1), st.integers(0, K - 1), st.floats(0, 1), st.booleans(), st.booleans()
)


def columns(drawn):
    codes, suggested, p_wrong, flagged, known = (np.array(c) for c in zip(*drawn, strict=True))
    labelled = codes >= 0
    return {
        "codes": codes,
        "suggested": suggested,
        "p_wrong": np.where(labelled, p_wrong, 0.0),
        "flagged": flagged & labelled,
        "known": known & labelled,
        "p_elsewhere": p_wrong / 2,
    }


@given(st.lists(rows, min_size=1, max_size=60), st.integers(1, 5))
def test_totals_of_parts_add_up_to_those_of_all_rows(drawn, n_parts):
    all_rows = columns(drawn)
    cuts = np.linspace(0, len(drawn), n_parts + 1).astype(int)
    parts = [
        Totals.of(K, **{name: column[start:stop] for name, column in all_rows.items()})
        for start, stop in pairwise(cuts)
    ]
    together, whole = reduce(add, pickle.loads(pickle.dumps(parts))), Totals.of(K, **all_rows)
    for name, expected in vars(whole).items():
        if name == "confusion":
            assert together.confusion == expected
        else:
            np.testing.assert_allclose(getattr(together, name), expected, rtol=1e-12, atol=1e-12)


@given(st.lists(rows, min_size=1, max_size=60))
def test_they_are_what_the_rows_say(drawn):
    given_rows = columns(drawn)
    totals, codes, p_wrong = Totals.of(K, **given_rows), given_rows["codes"], given_rows["p_wrong"]
    flagged = given_rows["flagged"]
    assert totals.n == len(drawn)
    assert totals.labelled == totals.histogram.sum() == np.sum(codes >= 0)
    assert totals.n_flagged == flagged.sum() == totals.flagged_histogram.sum()
    assert totals.known == given_rows["known"].sum()
    assert totals.above.sum() == np.sum(p_wrong > CLEAN_THRESHOLD)
    assert totals.near_borders == np.sum(given_rows["p_elsewhere"][flagged] < LEAST_FLAGGED)
    np.testing.assert_allclose(totals.wrong.sum(), p_wrong.sum(), rtol=1e-12, atol=0)
    for (label, suggested), count in totals.confusion.items():
        here = flagged & (codes == label) & (given_rows["suggested"] == suggested)
        assert count == here.sum() > 0
    assert sum(totals.confusion.values()) == flagged.sum()


@given(st.lists(rows, min_size=1, max_size=60))
def test_as_many_rows_are_dropped_as_cleaning_drops(drawn):
    given_rows = columns(drawn)
    codes, p_wrong = given_rows["codes"], given_rows["p_wrong"]
    if (codes < 0).all():
        return
    labels = np.where(codes < 0, None, codes)
    audit = class_audit(labels, labels, p_wrong, p_wrong, np.arange(K))
    assert Totals.of(K, **given_rows).dropped == np.sum(~audit.clean("drop").kept)
