import numpy as np
import pytest

from errata.review.inference import certify, draw_piles


class Case:
    """A table of 1,000 rows with 100 suspects, of which a part is wrong, as are 2 % of the rest."""

    def __init__(self, precision=0.8, seed=0):
        random = np.random.default_rng(seed)
        self.suspicion = np.where(np.arange(1000) < 100, 0.9, 0.01) + 1e-6 * random.random(1000)
        self.flagged = self.suspicion > 0.5
        self.wrong = random.random(1000) < np.where(self.flagged, precision, 0.02)
        self.piles = draw_piles(self.flagged, random)
        self.calibration = [row for row, _, _ in self.piles["calibration"]]

    def certify(self, rows, unknown=(), **given):
        verdicts = {int(row): bool(self.wrong[row]) for row in rows} | dict.fromkeys(unknown)
        return certify(self.piles, self.suspicion, self.flagged, verdicts, **given)


def test_nothing_is_certain_before_the_first_verdict():
    found = Case().certify([])
    assert (found.low, found.high, found.verdicts, found.listed) == (0.0, 1.0, 0, 0)


def test_more_verdicts_narrow_the_interval_around_the_truth():
    case = Case()
    reviews = [case.calibration[:20], case.calibration, case.calibration + case.piles["spot"]]
    found = [case.certify(rows) for rows in reviews]
    widths = [certificate.high - certificate.low for certificate in found]
    assert widths[0] > widths[1] > widths[2]
    assert [certificate.verdicts for certificate in found] == [20, 40, 340]
    assert all(c.low <= case.wrong.mean() <= c.high for c in found)
    assert all(c.low <= c.rate <= c.high for c in found)


def test_a_whole_table_decided_leaves_no_doubt():
    case = Case()
    found = case.certify(range(1000))
    assert found.low == found.rate == found.high == pytest.approx(case.wrong.mean())


def test_rows_that_were_known_before_are_right():
    case = Case()
    known = np.arange(1000) >= 500
    piles = draw_piles(case.flagged, np.random.default_rng(1), known=known)
    rows = [row for row, _, _ in piles["calibration"]] + piles["spot"]
    verdicts = {row: bool(case.wrong[row]) for row in rows}
    found = certify(piles, case.suspicion, case.flagged, verdicts, known=known)
    assert found.low <= np.mean(case.wrong & ~known) <= found.high < 0.2


def test_rows_without_a_label_are_no_part_of_the_noise_rate():
    case = Case()
    blank = np.arange(1000) >= 500
    piles = draw_piles(case.flagged, np.random.default_rng(1), known=blank)
    verdicts = {row: bool(case.wrong[row]) for row in range(500)}
    found = certify(piles, case.suspicion, case.flagged, verdicts, unlabelled=blank)
    assert found.low == found.high == pytest.approx(case.wrong[:500].mean(), rel=1e-12)


def test_only_rows_from_the_top_of_a_pile_are_a_sample():
    case = Case()
    gap = [row for row in case.calibration if row != case.calibration[0]]
    assert case.certify(gap).verdicts < len(gap)


def test_the_spot_pile_counts_when_the_calibration_pile_is_done():
    # Who could choose between two orders might look ahead in both.
    case = Case()
    assert case.certify(case.piles["spot"][:50]).verdicts == 0
    assert case.certify(case.calibration[:39] + case.piles["spot"][:50]).verdicts == 39
    assert case.certify(case.calibration + case.piles["spot"][:50]).verdicts == 90


def test_a_number_of_verdicts_fixed_in_advance_proves_more_and_nothing_before():
    case = Case()
    early = case.certify(case.calibration[:30], fixed=40)
    assert (early.verdicts, early.fixed) == (30, 40)
    assert early.low == np.mean(case.wrong[case.calibration[:30]]) * 30 / 1000  # those seen
    assert early.high > 0.97
    right = [row for row in case.piles["spot"] if not case.wrong[row]][:20]
    fixed = case.certify(case.calibration + right, fixed=40)
    same = case.certify(case.calibration, fixed=40)
    assert (fixed.low, fixed.high) == (same.low, same.high)
    assert fixed.low <= case.wrong.mean() <= fixed.high


def test_it_tells_how_many_more_verdicts_and_whether_the_audit_foretold_them():
    case = Case()
    assert case.certify(case.calibration[:19]).more is None
    few = case.certify(case.calibration)
    many = case.certify(case.calibration + case.piles["spot"])
    assert few.agrees
    assert many.more < few.more
    everything = {"p_wrong": np.where(case.flagged, 0.01, 0.99)}
    assert not case.certify(case.calibration + case.piles["spot"], **everything).agrees


def test_rows_that_nobody_could_tell_widen_the_interval():
    case = Case()
    sure = case.certify(case.calibration)
    others = [row for row in case.calibration if not case.flagged[row]][:5]
    unsure = case.certify(set(case.calibration) - set(others), unknown=others)
    assert unsure.verdicts == sure.verdicts
    assert unsure.high > sure.high
    assert unsure.low <= sure.low


def test_the_list_is_certified_if_it_is_good_and_only_then():
    good, bad = Case(precision=1.0), Case(precision=0.1)
    assert good.certify(good.calibration).listed == 100
    # Ten draws of ten are wrong; the whole list has 16/31 of alpha (with all of it, 71 rows).
    assert good.certify(good.calibration).list_low == 0.66
    assert bad.certify(bad.calibration).listed == 0
    assert good.certify(good.calibration, precision=0.99).listed == 0


def test_more_verdicts_of_an_even_list_certify_more_of_it():
    # The longest list must not get shorter by luck among its first rows.
    mean = {}
    for verdicts in (20, 40, 100):
        lengths = []
        for seed in range(20):
            case = Case(precision=0.75, seed=seed)
            piles = {"calibration": [[row, 0, ""] for row in np.flatnonzero(case.flagged)]}
            np.random.default_rng(seed).shuffle(piles["calibration"])
            case.piles = piles | {"spot": []}
            rows = [row for row, *_ in piles["calibration"][:verdicts]]
            lengths.append(case.certify(rows).listed)
        mean[verdicts] = np.mean(lengths)
    assert mean[20] + 10 < mean[40]
    assert mean[40] + 10 < mean[100] == 100  # all are decided


def test_certified_lists_are_as_precise_as_certified():
    held = []
    for seed in range(200):
        case = Case(precision=0.45, seed=seed)
        listed = case.certify(case.calibration).listed
        top = np.argsort(-case.suspicion)[:listed]
        held.append(not listed or case.wrong[top].mean() >= 0.5)
    assert np.mean(held) >= 0.95
