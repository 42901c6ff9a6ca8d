import inspect
import sys
from datetime import date

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

import errata
from auditing_cases import blobs
from errata._validation import (
    bring_near_one,
    check_alpha,
    check_choice,
    check_class_weights,
    check_count,
    check_fraction,
    check_hardness,
    check_labelled,
    check_labels,
    check_log_probabilities,
    check_log_reinforcement,
    check_mask,
    check_mean_weight,
    check_no_measurement,
    check_positive,
    check_prior,
    check_row_scores,
    check_row_weights,
    check_rows,
    check_sample_weight,
    check_significance,
    check_transition,
    encode_labels,
    fit_to_codes,
    is_missing,
)
from errata.auditing.inputs._inputs import note_measurement
from errata.filters import EditedNeighborsFilter, VotingFilter
from errata.hardness import InstanceHardness
from errata.noise import flip_labels


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        ([3, 1, 3], [1, 3], [1, 0, 1]),
        ([True, False], [False, True], [1, 0]),
        ([1.0, 0.0], [0.0, 1.0], [1, 0]),
        ([["x"], ["y"]], ["x", "y"], [0, 1]),
    ],
)
def test_labels_of_every_kind_are_encoded_in_sorted_order(y, classes, codes):
    found, encoded = check_labels(y)
    assert found.tolist() == classes
    assert encoded.tolist() == codes


@pytest.mark.parametrize(
    "y",
    [
        np.arange(-128, 128).astype(np.int8).repeat(2)[::-1],  # whose range has no int8
        np.array([9, 2, 9, 3, 2, 3, 3, 3]),
        np.array([0, 10**9]),
        np.array([-(2**63), 2**63 - 1]),
        np.array([3, 2**64 - 1, 3], dtype=np.uint64),
        np.array([], dtype=int),
        np.array(["b", "a"], dtype=object),
    ],
)
def test_distinct_labels_are_those_that_numpy_finds(y):
    (classes, codes), (expected, places) = encode_labels(y), np.unique(y, return_inverse=True)
    assert classes.dtype == expected.dtype
    assert codes.dtype == places.dtype
    assert classes.tolist() == expected.tolist()
    assert codes.tolist() == places.tolist()


@pytest.mark.parametrize("missing", [None, float("nan"), np.datetime64("NaT")])
def test_missing_labels_are_counted_and_located(missing):
    y = np.array(["a", missing, "b", missing], dtype=object)
    with pytest.raises(ValueError, match=r"2 rows without a label \(the first is row 1\)"):
        check_labels(y)


def test_the_missing_value_of_pandas_counts_as_missing():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    series = pandas.Series(["a", None, "b"], dtype="string")
    with pytest.raises(ValueError, match="1 row without a label"):
        check_labels(series)


def test_too_few_classes_are_named():
    with pytest.raises(ValueError, match=r"species holds one class only \(a\)"):
        check_labels(["a", "a"], name="species", min_classes=2)


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([], "y is empty"),
        (np.zeros((3, 2)), "one label per row, but its shape is"),
        (np.array(["a", 1, None], dtype=object)[:2], r"several kinds \(int, str\)"),
        ([0.5, 1.5, 2.5], "Unknown label type"),
    ],
)
def test_what_cannot_be_labels_gets_a_sentence(y, sentence):
    with pytest.raises(ValueError, match=sentence):
        check_labels(y)


@pytest.mark.parametrize("value", [True, 1.5, "3", None, 0, 11])
def test_counts_are_whole_numbers_in_range(value):
    with pytest.raises(ValueError, match="must be a whole number between 1 and 10"):
        check_count("n", value, high=10)
    assert check_count("n", np.int32(3), high=10) == 3


@pytest.mark.parametrize("value", [True, "0.5", None, -0.1, 1.1, float("nan")])
def test_fractions_are_numbers_in_range(value):
    with pytest.raises(ValueError, match="must be a number between 0 and 1"):
        check_fraction("rate", value)
    assert check_fraction("rate", np.float32(0.5)) == 0.5


@pytest.mark.parametrize("value", [True, "1", None, 0, -1, np.inf, np.nan])
def test_positive_numbers_are_finite(value):
    with pytest.raises(ValueError, match=r"C=.* must be a finite number above 0, or 'auto'\."):
        check_positive("C", value, otherwise=", or 'auto'")
    assert check_positive("C", 2) == 2.0


def test_choices_are_listed():
    with pytest.raises(ValueError, match="mode='c' is not known; choose from a, b"):
        check_choice("mode", "c", ("a", "b"))


@pytest.mark.parametrize("value", [0, 1.0])
def test_a_significance_that_decides_beforehand_is_refused(value):
    with pytest.raises(ValueError, match=r"significance=.* decides everything beforehand"):
        check_significance("significance", value)
    assert check_significance("significance", 0.05) == 0.05


@pytest.mark.parametrize("alpha", [-1, np.inf, np.nan, None, True, [1.0]])
def test_what_is_not_a_strength_is_refused(alpha):
    with pytest.raises(ValueError, match=r"least squares\)\."):
        check_alpha(alpha)


@pytest.mark.parametrize("value", [0, 1])
def test_a_mean_weight_lies_between_0_and_1(value):
    with pytest.raises(ValueError, match=f"mean_weight={value} must be above 0 and below 1"):
        check_mean_weight(value)
    assert check_mean_weight(0.9) == 0.9


def test_reinforcement_is_a_positive_number_or_auto():
    assert check_log_reinforcement("auto") is None
    assert check_log_reinforcement(np.e) == 1.0
    for value in (0, "none", True, None):
        with pytest.raises(ValueError, match=f"reinforcement={value!r} must be a number above 0"):
            check_log_reinforcement(value)


def test_weights_are_one_for_each_row():
    assert check_row_weights("w", None, 3).tolist() == [1, 1, 1]
    assert check_row_weights("w", 2, 3).tolist() == [2, 2, 2]
    assert check_sample_weight(None, 3) is None
    assert check_sample_weight([1, 0, 2], 3).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 2], "one number for each of the 3 rows"),
        ([1, -1, 2], r"w\[1\] = -1.0 is not a weight; weights are finite numbers at least 0"),
        ([1, np.nan, 2], r"w\[1\] = nan is not a weight"),
        ([0, 0, 0], "w is zero everywhere"),
    ],
)
def test_what_are_not_weights_is_refused(weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        check_row_weights("w", weights, 3)


def test_a_class_without_weight_is_named():
    codes, classes = np.array([0, 0, 1]), np.array(["a", "b"])
    check_class_weights(codes, classes, np.array([0, 1, 1]))
    with pytest.raises(ValueError, match="every row of the class 'b' has a sample_weight of zero"):
        check_class_weights(codes, classes, np.array([1, 1, 0]))


def test_masks_are_yes_or_no_for_each_row():
    assert check_mask("m", [1, 0]).tolist() == [True, False]
    for mask, sentence in [
        ([2, 0], "True and False"),
        ([], "its shape is"),
        ([1, 0, 1], "m has 3 rows, the other argument 2"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            check_mask("m", mask, 2)


def test_scores_are_finite_numbers_for_each_row():
    assert check_row_scores("s", [1, 2]).tolist() == [1, 2]
    for scores, sentence in [
        ([1, np.inf], r"s\[1\] = inf is not finite"),
        ([[1]], "one number per row"),
        ([1, 2, 3], "s has 3 rows, the other argument 2"),
        ([0, 2], "s goes from 0 to 2; probabilities lie between 0 and 1"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            check_row_scores("s", scores, 2, probability=True)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, np.nan])
def test_hardness_lies_between_0_and_1(wrong):
    with pytest.raises(ValueError, match="hardness must lie between 0 and 1"):
        check_hardness([0.5, wrong], 2)
    assert check_hardness([0, 1], 2).tolist() == [0, 1]
    with pytest.raises(ValueError, match="its shape is"):
        check_hardness([0.5], 2)


def test_log_probabilities_may_be_minus_infinity():
    assert check_log_probabilities("log_p", [-np.inf, 0]).tolist() == [-np.inf, 0]
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"log_p\[0\] = .* is not the logarithm"):
            check_log_probabilities("log_p", [wrong, 0])
    with pytest.raises(ValueError, match="one number per row"):
        check_log_probabilities("log_p", [])


def test_transition_matrices_are_copied_and_checked():
    given = np.eye(2)
    assert check_transition(given) is not given
    for T, sentence in [
        (np.ones((2, 3)), r"but this one has shape \(2, 3\)"),
        ([[1.5, -0.5], [0, 1]], r"transition\[0, 1\] = -0.5 is not a probability"),
        ([[0.5, 0.4], [0, 1]], "row 0 of the transition matrix sums to 0.9"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            check_transition(T)


def test_class_fractions_are_made_to_sum_to_one():
    assert check_prior([1, 3], 2).tolist() == [0.25, 0.75]
    for prior, sentence in [([1], "expected 2 class fractions"), ([0, 0], "not all zero")]:
        with pytest.raises(ValueError, match=sentence):
            check_prior(prior, 2)


class Counting(BaseEstimator):
    """An estimator of errata's kind that notes which of its checks was used."""

    def fit(self, X, y):
        self.door_ = "front"
        return self._fit_codes(*check_labelled(self, X, y, accept_sparse="csr"))

    def _fit_codes(self, X, codes, sample_weight=None):
        self.door_ = getattr(self, "door_", "inner")
        self.codes_, self.weight_ = codes, sample_weight
        return self


X = np.random.RandomState(0).normal(size=(6, 2))


def test_errata_s_own_estimators_are_spared_the_checks():
    model = fit_to_codes(Counting(), X, np.array([0, 2, 2, 0, 2, 0]), sample_weight=np.ones(6))
    assert model.door_ == "inner"
    assert model.codes_.tolist() == [0, 1, 1, 0, 1, 0]  # a class that is absent has no code
    assert model.classes_.tolist() == [0, 2]
    assert model.n_features_in_ == 2
    assert model.weight_.tolist() == [1] * 6


@pytest.mark.parametrize(
    "rows", [X.astype(np.float32), np.asfortranarray(X), csr_matrix(X), X.tolist()]
)
def test_rows_that_may_be_refused_or_converted_go_through_the_common_checks(rows):
    assert fit_to_codes(Counting(), rows, np.arange(6) % 2).door_ == "front"


def test_missing_values_and_a_single_class_go_through_the_common_checks():
    holey = np.where(np.arange(12).reshape(6, 2) == 3, np.nan, X)
    with pytest.raises(ValueError, match="NaN"):
        fit_to_codes(Counting(), holey, np.arange(6) % 2)
    assert fit_to_codes(Counting(), X, np.zeros(6, dtype=int)).door_ == "front"


def test_other_estimators_are_fitted_as_usual():
    codes = np.array([0, 2, 2, 0, 2, 0])
    assert fit_to_codes(GaussianNB(), X, codes).classes_.tolist() == [0, 2]


def test_rows_are_checked_once_an_estimator_is_fitted():
    model = Counting().fit(X, np.arange(6) % 2)
    assert check_rows(model, X) is X
    with pytest.raises(ValueError, match="X has 1 features, but Counting is expecting 2"):
        check_rows(model, X[:, :1])


@pytest.fixture
def label_checks(monkeypatch):
    """A list that grows by one with every call of ``check_labels``, whoever calls it."""
    calls = []

    def counted(*args, **options):
        calls.append(args)
        return check_labels(*args, **options)

    for module in list(sys.modules.values()):
        if vars(module).get("check_labels") is check_labels and module.__name__ != __name__:
            monkeypatch.setattr(module, "check_labels", counted)
    return calls


def learners_of_labels():
    """Every public estimator that needs labels, with its defaults, and some with parts of ours."""
    packages = filter(inspect.ismodule, (getattr(errata, name) for name in errata.__all__))
    kinds = [getattr(package, name) for package in packages for name in package.__all__]
    for kind in kinds:
        if not (inspect.isclass(kind) and issubclass(kind, BaseEstimator)):
            continue
        if all(p.default is not p.empty for p in inspect.signature(kind).parameters.values()):
            tags = get_tags(kind())
            if tags.target_tags.required and tags.estimator_type != "regressor":
                yield kind()
    kdn = errata.hardness.NeighborDisagreement()
    yield errata.filters.DetectorFilter(kdn)
    yield errata.ensemble.GentleBoostClassifier(n_estimators=5, hardness=kdn)
    yield errata.ensemble.HardnessBaggingClassifier(
        errata.elm.ELMClassifier(n_hidden=20), n_estimators=5
    )
    yield errata.hardness.InstanceHardness([errata.elm.ELMClassifier(n_hidden=20)])


LABELLED = np.random.RandomState(0).normal(size=(60, 3))


LABELS = np.where(LABELLED[:, 0] + 0.3 * LABELLED[:, 1] > 0, "yes", "no")


@pytest.mark.usefixtures("few_trees")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", list(learners_of_labels()), ids=lambda e: repr(e)[:60])
def test_labels_are_checked_once_in_a_fit(estimator, label_checks):
    estimator.fit(LABELLED, LABELS)
    assert len(label_checks) == 1


def test_a_filter_and_its_classifier_check_labels_once_each(label_checks):
    boosted = errata.ensemble.GentleBoostClassifier(n_estimators=5)
    errata.filters.FilteredClassifier(errata.filters.MarginPeeler(), boosted).fit(LABELLED, LABELS)
    assert len(label_checks) == 2


@pytest.mark.usefixtures("few_trees")
def test_labels_are_checked_once_in_an_audit(label_checks):
    errata.audit(LABELLED, LABELS, random_state=0)
    assert len(label_checks) == 1


def test_missing_values_of_every_library_are_known():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert is_missing(pandas.NA)
    assert is_missing(pandas.NaT)
    assert is_missing(np.datetime64("NaT"))
    assert not is_missing([])
    assert not is_missing("")
    assert is_missing("", text=True)


DEGREES = np.round(np.linspace(36, 41, 51), 1)


def accepted(classes, n):
    """Whether labels pass, and whether a note doubts them."""
    check_no_measurement(classes, n, "y")
    return bool(note_measurement(classes))


@pytest.mark.parametrize(
    ("classes", "n"),
    [
        (np.random.default_rng(0).normal(size=465), 500),
        (DEGREES, 5_000),  # each a hundred times, and a measurement all the same
        ([str(degree) for degree in DEGREES], 5_000),  # as a text file has them
        (np.arange(18, 138), 1_000),  # 120 whole numbers, a few rows each
        ([str(year) for year in range(1_900, 2_020)], 1_000),
    ],
)
def test_many_numbers_are_a_measurement(classes, n):
    with pytest.raises(
        ValueError, match=r"the labels holds .* looks like a continuous measurement"
    ):
        check_no_measurement(classes, n, "the labels")


@pytest.mark.parametrize(
    ("classes", "n", "doubted"),
    [
        (np.arange(10), 1_797, False),
        (np.arange(100), 1_000, True),  # digits 00 to 99, or ages
        (np.arange(120), 500, True),  # as an encoder of labels numbers classes
        (np.random.default_rng(0).integers(10_000, 99_999, 40), 1_000, True),  # postal codes
        ([f"{code:05}" for code in range(120)], 600, False),  # with a nought, they are codes
        (np.arange(0.5, 5.5, 0.5), 200, False),  # ratings
        (np.arange(1, 6, 0.25), 500, True),
        ([f"c{number}" for number in range(200)], 600, False),
        ([True, False], 50, False),
        (["nan", "inf", *map(str, range(50))], 100, False),
        ([(1, 2), "a", 3], 100, False),
    ],
)
def test_numbers_may_be_classes(classes, n, doubted):
    classes = classes if len(classes) > 3 else np.array([*classes, None], dtype=object)[:-1]
    assert accepted(classes, n) == doubted


def test_the_sentence_says_what_was_seen_and_what_to_do():
    with pytest.raises(
        ValueError, match=r"holds 51 different numbers in 900 rows \(36, 36.1, 36.2"
    ) as caught:
        check_no_measurement(DEGREES, 900, "column 'fever'")
    for hint in ("column 'fever'", "use errata.audit_targets", "--target", "put a letter in front"):
        assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("y", "what"),
    [
        (np.array(["2024-01-01", "NaT"], dtype="M8[D]"), "holds dates;"),
        (np.array([1, 2], dtype="m8[s]"), "holds durations;"),
        ([date(2024, 1, 2), date(2024, 1, 3)], r"of the type date \(2024-01-02\);"),
        ([10**30, 10**30 + 1], "of the type int .10{30}"),
    ],
)
def test_what_is_no_label_is_called_by_its_name(y, what):
    with pytest.raises(ValueError, match=f"Unknown label type.*{what}.*Pass them as text"):
        check_labels(y)


@pytest.mark.parametrize("power", [-1060, -700, 700, 1018])
@pytest.mark.parametrize(
    "detector",
    [VotingFilter(random_state=0), InstanceHardness(random_state=0), EditedNeighborsFilter()],
    ids=lambda detector: type(detector).__name__,
)
def test_features_whose_squares_no_float_holds_are_judged_all_the_same(detector, power):
    X, codes = blobs(90)
    labels, flipped = flip_labels(codes, n_flips=6, random_state=0)
    found = clone(detector).fit(np.ldexp(X, power), labels)
    assert found.flagged_[flipped].all()
    assert found.flagged_.sum() <= 8


def test_only_numbers_far_from_one_are_brought_near():
    X = np.array([[1.0, np.nan, -(2.0**99)]])
    assert bring_near_one(X) is X
    assert bring_near_one(0 * X[:, :1]).tolist() == [[0.0]]
    far = csr_matrix(np.array([[0.0, 2.0**-500]]))
    np.testing.assert_array_equal(bring_near_one(far).toarray(), [[0, 0.5]])
    np.testing.assert_array_equal(bring_near_one(X * 2.0**50), np.ldexp(X, -100))
    assert far.max() == 2.0**-500
