import numpy as np
import pytest
from sklearn.datasets import load_iris

from errata.bench._experiment import Bench, Cell
from errata.bench.experiments import _noisy_selection
from errata.bench.experiments._noisy_selection import (
    METRICS,
    AfterAudit,
    AfterCleaning,
    ByMemberships,
    DrawnSplit,
    FromLabels,
    NoisySelection,
    clone_with_one_seed,
    compute_error,
)
from errata.exceptions import SuspicionWarning
from errata.feature_selection import LabelNoiseMemberships, MutualInformationSelector
from errata.filters import Cleaner
from errata.noise import flip_labels

BENCH = Bench(None, seed=0)
PLAIN = MutualInformationSelector()
IRIS = DrawnSplit("iris", None, None, 3)


@pytest.fixture
def split():
    return IRIS.split()


def test_seventy_percent_train_on_standardised_rows(split):
    assert len(split.X) == 105
    assert len(split.X_test) == 45
    both = np.vstack([split.X, split.X_test])
    np.testing.assert_allclose(both.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(both.std(axis=0), 1, rtol=1e-12)


def test_a_subset_is_judged_with_its_columns_alone():
    assert compute_error(IRIS, (2, 3)) < 10 < compute_error(IRIS, (1,))


def test_all_levels_and_methods_see_the_same_rows_and_what_a_level_flips_the_next_flips():
    seen = []

    class Spy(FromLabels):
        def fit(self, X, labels, classes):
            seen.append((X, labels != classes))
            return super().fit(X, labels, classes)

    measure = NoisySelection()
    for level, method in ((0.1, "one"), (0.2, "two")):
        measure(Cell("Iris", level, method, 0), Spy(PLAIN), "iris", BENCH)
    (X, few), (X_again, many) = seen
    np.testing.assert_array_equal(X, X_again)
    assert few.sum() == 11  # exactly: 10 % of 105, half a row rounded up
    assert many.sum() == 21
    assert (many | ~few).all()


def test_errors_by_size_end_with_the_last_column():
    cell = Cell("Iris", 0.2, "BW-N", 0)
    found = NoisySelection()(cell, FromLabels(PLAIN), "iris", BENCH)
    assert list(found) == list(METRICS)
    errors = [found[f"error_of_{size}"] for size in range(1, 6)]
    assert np.isfinite(errors[:4]).all()
    assert np.isnan(errors[4])
    assert np.isnan(found["error_rate_percent"])
    assert found["rows"] == 150
    assert found["imbalance"] == 0


def test_with_all_columns_all_methods_are_the_same():
    last = [
        NoisySelection()(Cell("Iris", 0.2, name, 0), method, "iris", BENCH)["error_of_4"]
        for name, method in (("C", FromLabels(PLAIN, clean=True)), ("N", FromLabels(PLAIN)))
    ]
    assert last[0] == last[1]


def test_a_column_that_is_constant_in_training_is_in_the_last_subset(tmp_path):
    X, y = load_iris(return_X_y=True)
    rare = np.zeros(len(X))
    seed = BENCH.seed_of("Rare", 0)
    rare[np.random.RandomState(seed).permutation(len(X))[-1]] = 1  # a test row
    lines = [",".join(map(str, (*row, r, c))) for row, r, c in zip(X, rare, y, strict=True)]
    (tmp_path / "rare.csv").write_text("\n".join(["a,b,c,d,e,label", *lines]), encoding="utf-8")
    with pytest.warns(SuspicionWarning, match="single value"):
        found = NoisySelection()(
            Cell("Rare", 0.0, "BW-N", 0), FromLabels(PLAIN), "rare", BENCH._replace(folder=tmp_path)
        )
    assert np.isfinite([found[f"error_of_{size}"] for size in range(1, 6)]).all()


def test_tolerant_selection_tells_how_many_labels_are_wrong():
    tolerant = FromLabels(MutualInformationSelector(label_noise="tolerant"))
    found = NoisySelection()(Cell("Wine", 0.2, "LNT-BW", 0), tolerant, "wine", BENCH)
    assert 15 < found["error_rate_percent"] < 25
    plain = NoisySelection()(Cell("Wine", 0.2, "BW-N", 0), FromLabels(PLAIN), "wine", BENCH)
    assert found["information"] > plain["information"] + 0.5


def test_only_the_clean_search_sees_clean_labels(split):
    labels, _ = flip_labels(split.codes, 0.2, random_state=0)
    clean = FromLabels(PLAIN.set_params(random_state=0), clean=True)
    on_noisy = clean.fit(split.X, labels, split.codes).selector_.scores_
    on_clean = clean.fit(split.X, split.codes, split.codes).selector_.scores_
    assert on_noisy == on_clean
    noisy = FromLabels(PLAIN).fit(split.X, labels, split.codes).selector_
    assert noisy.scores_[4] < on_clean[4] - 0.3


def test_what_a_cleaner_flags_is_not_searched(split):
    labels, _ = flip_labels(split.codes, 0.2, random_state=0)
    method = AfterCleaning(PLAIN, Cleaner(LabelNoiseMemberships()))
    cleaned = clone_with_one_seed(method, 0).fit(split.X, labels, split.codes).selector_
    kept = clone_with_one_seed(FromLabels(PLAIN), 0).fit(split.X, labels, split.codes).selector_
    assert cleaned.scores_[4] > kept.scores_[4] + 0.5


def test_memberships_of_all_columns_are_kept_on_every_subset(split):
    labels, _ = flip_labels(split.codes, 0.2, random_state=0)
    tolerant = MutualInformationSelector(label_noise="tolerant", random_state=0)
    detector = LabelNoiseMemberships(random_state=0)
    found = ByMemberships(tolerant, detector).fit(split.X, labels, split.codes).selector_
    expected = detector.fit(split.X, labels).memberships_
    np.testing.assert_allclose(found.memberships_, expected, rtol=1e-12)


class FakeAudit:
    """Flags the first two rows."""

    def __init__(self, labels):
        self.flagged = np.arange(len(labels)) < 2


def test_an_audit_removes_rows_or_gives_memberships(split, monkeypatch):
    n_classes = 3
    memberships = np.full((105, n_classes), 1 / n_classes)
    monkeypatch.setattr(_noisy_selection, "audit", lambda X, y, **_: FakeAudit(y))
    monkeypatch.setattr(_noisy_selection, "class_posterior", lambda _: memberships)
    seen = []

    class Selector(MutualInformationSelector):
        def fit(self, X, y, memberships=None):
            seen.append((X, y, memberships))
            return self

    AfterAudit(Selector()).fit(split.X, split.codes, split.codes)
    AfterAudit(Selector(), posterior=True).fit(split.X, split.codes, split.codes)
    (without, labels, nothing), (everything, _, given) = seen
    np.testing.assert_array_equal(without, split.X[2:])
    np.testing.assert_array_equal(labels, split.codes[2:])
    assert nothing is None
    np.testing.assert_array_equal(everything, split.X)
    assert given is memberships


def test_one_seed_for_all_parts():
    method = clone_with_one_seed(AfterCleaning(PLAIN, Cleaner(LabelNoiseMemberships())), 3)
    assert method.selector.random_state == method.cleaner.detector.random_state is not None
    assert (
        method.selector.random_state
        == clone_with_one_seed(FromLabels(PLAIN), 3).selector.random_state
    )
