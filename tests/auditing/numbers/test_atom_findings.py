import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import errata
from auditing.target_cases import QUICK
from errata.auditing.numbers import check_targets, find_wrong_targets
from errata.auditing.results._flags import draw_flags


def spoilt(n=350, seed=0):
    """Amounts that are 0 in a third of the rows, told by one column but for some."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    none = random.random(n) < 1 / (1 + np.exp(1.5 - 3 * X[:, 5]))
    return X, np.where(none, 0, 20 + 4 * X[:, :3].sum(axis=1) + random.normal(size=n))


def flagged(found):
    return draw_flags(found.p_wrong, found.suspicion).flagged


AWKWARD = {
    "zeros": lambda f, r: np.where(r.random(len(f)) < 0.3 * (f > 0), 0, np.exp(f / 2)),
    "cut at zero": lambda f, r: np.maximum(0, f + r.normal(size=len(f))),
    "capped": lambda f, r: np.minimum(f + r.normal(size=len(f)), 2),
    "rounded": lambda f, r: 4 * np.round((f + r.normal(size=len(f))) / 4),
    "ratings": lambda f, r: np.clip(np.round(5 + f + r.normal(size=len(f))), 1, 10),
    "long tails": lambda f, r: f + r.standard_t(3, size=len(f)),
    "counts": lambda f, r: r.poisson(np.exp(0.5 + f / 4)).astype(float),
}


@pytest.mark.parametrize("shape", AWKWARD)
def test_right_targets_of_any_shape_are_hardly_flagged(shape):
    fractions = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        X = random.normal(size=(350, 5))
        y = AWKWARD[shape](2 * X[:, 0] + X[:, 1] - X[:, 2], random)
        found = find_wrong_targets(X, y, brought=QUICK, seed=seed)
        fractions.append(flagged(found).mean())
        assert found.noise_rate.low == 0
    assert np.mean(fractions) <= 0.01  # half of what a single table was allowed


def test_errors_are_found_among_zeros_and_among_the_others():
    X, y = spoilt()
    zero = y == 0
    wrong = np.zeros(350, dtype=bool)
    sure = 3 * X[:, 5] - 1.5
    wrong[np.argsort(sure)[:4]] = True  # amounts beyond doubt, recorded as 0
    noisy = np.where(wrong, 0.0, y)
    gross = np.flatnonzero(~zero & ~wrong)[:10]
    noisy[gross] *= 4
    wrong[gross] = True
    found = find_wrong_targets(X, noisy, brought=QUICK)
    assert average_precision_score(wrong, found.suspicion) > 0.8
    assert flagged(found)[gross].all()
    lost = np.flatnonzero(wrong & (noisy == 0))
    assert (found.predicted[lost] > 10).all()
    assert (found.error_kind[lost] == "swap").all()
    assert found.noise_rate.low < wrong.mean() < found.noise_rate.high


def test_what_is_expected_is_an_atom_where_that_is_likeliest():
    X, y = spoilt()
    y[:2] = np.nan
    found = find_wrong_targets(X, y, brought=QUICK)
    at_zero = found.predicted == 0
    assert np.mean(at_zero[2:] == (y[2:] == 0)) > 0.8
    assert (found.low <= found.predicted).all()
    assert (found.predicted <= found.high).all()
    told = np.isfinite(y)
    assert np.mean((found.low <= y)[told] & (y <= found.high)[told]) > 0.85
    assert (found.p_wrong[:2] == 0).all()
    assert (found.score[:2] == 0).all()
    assert (found.score[at_zero & (y == 0)] == 0).all()
    (note,) = [note for note in found.notes if note.startswith("Many rows share 0 (3")]
    assert "judged on its own" in note


def test_certain_targets_are_believed_whatever_they_hold():
    X, y = spoilt()
    row = int(X[:, 5].argmin())
    y[row] = 0
    found = find_wrong_targets(X, y, brought=QUICK, known=np.arange(350) == row)
    assert found.p_wrong[row] == 0
    assert found.suspicion[row] == found.suspicion.min()


def test_planted_errors_are_looked_for_among_atoms_too():
    X, y = spoilt()
    found = find_wrong_targets(X, y, brought=QUICK)
    check = check_targets(X, y, found, brought=QUICK)
    assert check.lift
    assert check.found > check.by_value + 3


def test_an_audit_is_told_of_atoms():
    X, y = spoilt()
    audit = errata.audit_targets(
        X,
        y.round(1),
        self_check=False,
        estimators=[],
        random_state=0,
        predictions=20 + 4 * X[:, :3].sum(axis=1),
    )
    assert any(note.startswith("Many rows share 0") for note in audit.notes)
    assert audit.flagged.mean() < 0.02
