"""What all measures of hardness do with tables and labels they cannot judge."""

import inspect

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

from errata import hardness
from errata.hardness import ClassBalance, ClassLikelihood, ClassLikelihoodDifference, MinorityValue
from strategies import label_arrays

MEASURES = [
    thing()
    for thing in (getattr(hardness, name) for name in hardness.__all__)
    if inspect.isclass(thing) and hasattr(thing, "fit")
]

every_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)

X = np.random.RandomState(0).poisson(2.0, size=(40, 3)).astype(float)

Y = np.arange(40) % 2


def fitted(measure, X, y):
    measure = clone(measure)
    if "random_state" in measure.get_params():
        measure.set_params(random_state=0)
    return measure.fit(X, y)


def test_there_are_fifteen():
    assert len(MEASURES) == 15


@every_measure
def test_one_class_gets_a_sentence(measure):
    with pytest.raises(ValueError, match="y holds one class only"):
        fitted(measure, X, np.zeros(40))


def with_value(value):
    table = X.copy()
    table[3, 1] = value
    return table


@every_measure
def test_infinite_values_are_refused(measure):
    with pytest.raises(ValueError, match="contains infinity"):
        fitted(measure, with_value(np.inf), Y)


TAKE_MISSING = {
    "DisjunctSize",
    "DisjunctClassPercentage",
    "TreeDepth",
    "MinorityValue",
    "ClassBalance",
}


@every_measure
def test_missing_values_are_taken_where_the_tags_say_so_and_refused_elsewhere(measure):
    takes = get_tags(measure).input_tags.allow_nan
    assert takes == (type(measure).__name__ in TAKE_MISSING)
    if takes:
        suspicion = fitted(measure, with_value(np.nan), Y).suspicion_
        assert np.all((suspicion >= 0) & (suspicion <= 1))
    else:
        with pytest.raises(
            ValueError, match=rf"contains NaN, but {type(measure).__name__} does not"
        ):
            fitted(measure, with_value(np.nan), Y)


@every_measure
def test_sparse_matrices_give_the_same_answer_or_are_refused(measure):
    if get_tags(measure).input_tags.sparse:
        dense, sparse = fitted(measure, X, Y), fitted(measure, csr_matrix(X), Y)
        np.testing.assert_allclose(sparse.suspicion_, dense.suspicion_, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(sparse.suggested_, dense.suggested_)
    else:
        with pytest.raises(TypeError, match=r"[Ss]parse"):
            fitted(measure, csr_matrix(X), Y)


@every_measure
@pytest.mark.filterwarnings("ignore::errata.exceptions.SuspicionWarning")
@pytest.mark.parametrize("case", ["constant", "three rows", "one lonely row"])
def test_hardness_is_from_0_to_1_on_degenerate_tables(measure, case):
    table, y = {
        "constant": (np.ones((20, 2)), np.arange(20) % 2),
        "three rows": (np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])),
        "one lonely row": (X, np.r_[1, np.zeros(39, dtype=int)]),
    }[case]
    suspicion = fitted(measure, table, y).suspicion_
    assert suspicion.shape == y.shape
    assert np.all((suspicion >= 0) & (suspicion <= 1))


@every_measure
def test_a_share_is_flagged_exactly(measure):
    assert fitted(clone(measure).set_params(contamination=0.2), X, Y).flagged_.sum() == 8


@every_measure
def test_a_threshold_is_obeyed(measure):
    model = fitted(clone(measure).set_params(threshold=0.45), X, Y)
    np.testing.assert_array_equal(model.flagged_, model.suspicion_ > 0.45)


@every_measure
def test_what_it_costs_is_written_down(measure):
    assert "osts" in measure.__doc__


def measure(detector, y):
    """What a measure of the sizes of classes says of the rows."""
    return detector().fit(np.zeros((len(y), 1)), y).suspicion_


SIZE_MEASURES = [MinorityValue, ClassBalance]


def test_values_by_hand():
    y = np.repeat([0, 1, 2], [6, 3, 1])
    np.testing.assert_allclose(
        measure(MinorityValue, y)[[0, 6, 9]], [0, 1 / 2, 5 / 6], rtol=0, atol=1e-15
    )
    # CB = share - 1/3, moved from [-1, 1] to [0, 1] and turned round.
    expected = [(1 - (share - 1 / 3)) / 2 for share in (0.6, 0.3, 0.1)]
    np.testing.assert_allclose(measure(ClassBalance, y)[[0, 6, 9]], expected, rtol=0, atol=1e-15)


@given(label_arrays())
def test_the_rarer_the_harder(y):
    assume(len(np.unique(y)) > 1)
    _, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    order = np.argsort(sizes[codes])
    for detector in SIZE_MEASURES:
        found = measure(detector, codes)
        assert np.all(np.diff(found[order]) <= 1e-15)
        assert np.all((found >= 0) & (found < 1))


@given(label_arrays())
def test_balance_averages_to_half_over_classes(y):
    _, first, codes = np.unique(y, return_index=True, return_inverse=True)
    assume(codes.max() > 0)
    assert measure(ClassBalance, codes)[first].mean() == pytest.approx(0.5, abs=1e-12)


@given(label_arrays())
def test_repeating_the_table_changes_nothing(y):
    codes = np.unique(y, return_inverse=True)[1]
    assume(codes.max() > 0)
    for detector in SIZE_MEASURES:
        np.testing.assert_allclose(
            measure(detector, np.tile(codes, 3)),
            np.tile(measure(detector, codes), 3),
            rtol=0,
            atol=1e-15,
        )


def test_equal_classes_are_equally_easy():
    y = np.tile([0, 1, 2], 4)
    assert not measure(MinorityValue, y).any()
    np.testing.assert_allclose(measure(ClassBalance, y), 0.5, rtol=0, atol=1e-15)


@pytest.mark.parametrize("detector", SIZE_MEASURES)
def test_detectors_ignore_features_and_doubt_nobody_unless_told(detector):
    X, y = np.random.RandomState(0).normal(size=(10, 2)), np.array([0] * 7 + [1] * 3)
    model = detector().fit(X, y)
    np.testing.assert_array_equal(model.suspicion_, measure(detector, y))
    np.testing.assert_array_equal(model.suspicion_, detector().fit(-X, y).suspicion_)
    assert not model.flagged_.any()
    told = detector(contamination=0.3).fit(X, y)
    np.testing.assert_array_equal(told.flagged_, y == 1)
    np.testing.assert_array_equal(told.suggested_, y)


BOTH = pytest.mark.parametrize("measure", [ClassLikelihood, ClassLikelihoodDifference])

tables = hnp.arrays(
    float, st.tuples(st.integers(6, 30), st.integers(1, 4)), elements=st.floats(-9, 9, width=16)
)


def naive_likelihoods(X, codes, smoothing):
    """Products of normal densities, feature by feature."""
    shares = np.ones((len(X), codes.max() + 1))
    for i, row in enumerate(X):
        for c in range(shares.shape[1]):
            for j, value in enumerate(row):
                inside = X[codes == c, j]
                sd = np.sqrt(inside.var() + smoothing * X[:, j].var())
                shares[i, c] *= norm.pdf(value, inside.mean(), sd)
    return shares / shares.sum(axis=1, keepdims=True)


def test_hardness_is_what_products_of_densities_leave_to_other_classes():
    X, y = load_iris(return_X_y=True)
    own = naive_likelihoods(X, y, 0.01)[np.arange(len(y)), y]
    np.testing.assert_allclose(ClassLikelihood().fit(X, y).suspicion_, 1 - own, rtol=0, atol=1e-12)


def test_hardness_is_that_of_naive_bayes_without_prior():
    X, y = load_iris(return_X_y=True)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)  # GaussianNB smooths by the largest variance
    model = GaussianNB(priors=np.full(3, 1 / 3), var_smoothing=0.05).fit(Z, y)
    own = model.predict_proba(Z)[np.arange(len(y)), y]
    found = ClassLikelihood(var_smoothing=0.05).fit(Z, y).suspicion_
    np.testing.assert_allclose(found, 1 - own, rtol=0, atol=1e-9)


def test_hardness_by_hand():
    # Means 2 and 6; variances 8/3 and 1 % of the 20/3 over all. The row at 0 is 2 from its own mean
    # and 6 from the other, the rows at 4 are 2 from both.
    X, y = np.array([[0.0], [2], [4], [4], [6], [8]]), np.array([0, 0, 0, 1, 1, 1])
    variance = 8 / 3 + 0.01 * 20 / 3
    odds = np.exp((6**2 - 2**2) / (2 * variance))
    found = ClassLikelihood().fit(X, y).suspicion_[[0, 2, 3, 5]]
    expected = [1 / (1 + odds), 1 / 2, 1 / 2, 1 / (1 + odds)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@given(tables)
def test_both_are_the_same_for_two_classes(X):
    y = np.arange(len(X)) % 2
    first, second = ClassLikelihood().fit(X, y), ClassLikelihoodDifference().fit(X, y)
    np.testing.assert_allclose(first.suspicion_, second.suspicion_, rtol=0, atol=1e-9)


@given(tables)
def test_the_difference_is_the_milder_for_more_classes(X):
    # (1 - own + best other) / 2 <= 1 - own, as the others together have 1 - own.
    y = np.arange(len(X)) % 3
    first, second = ClassLikelihood().fit(X, y), ClassLikelihoodDifference().fit(X, y)
    assert np.all(second.suspicion_ <= first.suspicion_ + 1e-12)


@BOTH
def test_units_do_not_matter(measure):
    X, y = load_iris(return_X_y=True)
    other_units = X * [1e-6, 10, -3, 1e6] + [0, 5, 7, -1e6]
    np.testing.assert_allclose(
        measure().fit(other_units, y).suspicion_, measure().fit(X, y).suspicion_, rtol=0, atol=1e-6
    )


@BOTH
def test_repeating_the_table_changes_nothing_in_likelihood(measure):
    X, y = load_iris(return_X_y=True)
    once, twice = measure().fit(X, y), measure().fit(np.tile(X, (2, 1)), np.tile(y, 2))
    np.testing.assert_allclose(twice.suspicion_, np.tile(once.suspicion_, 2), rtol=0, atol=1e-9)


@BOTH
def test_constant_features_say_nothing(measure):
    X, y = load_iris(return_X_y=True)
    padded = np.c_[X, np.full(len(X), 7.0)]
    np.testing.assert_allclose(
        measure().fit(padded, y).suspicion_, measure().fit(X, y).suspicion_, rtol=0, atol=1e-9
    )


def test_without_any_information_all_classes_are_equally_likely():
    X, y = np.ones((9, 2)), np.arange(9) % 3
    np.testing.assert_allclose(ClassLikelihood().fit(X, y).suspicion_, 2 / 3, rtol=0, atol=1e-12)
    model = ClassLikelihoodDifference().fit(X, y)
    np.testing.assert_allclose(model.suspicion_, 1 / 2, rtol=0, atol=1e-12)
    assert not ClassLikelihoodDifference(threshold=0.5 + 1e-9).fit(X, y).flagged_.any()


def test_a_row_far_from_every_class_is_still_compared():
    X, y = (
        np.r_[np.linspace(-1, 1, 20), np.linspace(4, 6, 20), 1e5][:, None],
        np.r_[[0] * 20, [1] * 21],
    )
    assert np.isfinite(ClassLikelihood().fit(X, y).suspicion_).all()


@BOTH
@pytest.mark.parametrize("smoothing", [0, -1, 2, "much"])
def test_smoothing_is_a_share_above_zero(measure, smoothing):
    with pytest.raises(ValueError, match=r"var_smoothing=.* must be a number between 1e-09 and 1"):
        measure(var_smoothing=smoothing).fit([[0.0], [1.0]], [0, 1])
