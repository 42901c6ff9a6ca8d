"""What may be wrong with sequences, and the sentence that each of them gets."""

import numpy as np
import pytest

from errata.exceptions import SuspicionWarning
from errata.sequence import BaumWelchHMM, SupervisedHMM, TolerantHMM
from sequence.hidden_chains import gaussian_chain

X, CLASSES = gaussian_chain(120)
models = pytest.mark.parametrize("model", [SupervisedHMM, BaumWelchHMM, TolerantHMM])


def fit(model=SupervisedHMM, X=X, y=CLASSES, lengths=None, **params):
    params = {"n_components": 1, "n_init": 1, "random_state": 0, **params}
    return model(**params).fit(X, y, lengths)


def with_value(value):
    spoilt = X.copy()
    spoilt[17, 1] = value
    return spoilt


@models
@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"y": np.zeros(120)}, r"y holds one class only \(0.0\); a model of sequences needs two"),
        ({"y": np.full(120, -1)}, r"y holds no label \(120 labels are -1, which stands for a mis"),
        ({"y": np.repeat([-1, 1], 60)}, r"\(60 labels are -1.*if it is a class, pass another mis"),
        ({"y": None}, "requires y to be passed, but the target y is None"),
        ({"X": with_value(np.nan)}, "contains NaN, .* The first such row is row 17"),
        ({"X": with_value(np.inf)}, "contains infinity .* The first such row is row 17"),
        ({"lengths": [60, 61]}, "lengths sum to 121, but there are 120 samples"),
        ({"lengths": [120, 0]}, "lengths must hold whole numbers above 0"),
        ({"lengths": [60.5, 59.5]}, "lengths must hold whole numbers above 0"),
        ({"transitions": [0, 1]}, "name the cycle 0, 1, but the classes are 0, 1, 2; name each"),
        ({"transitions": np.ones((2, 2))}, r"a mask of shape \(3, 3\) of True and False, one row"),
        ({"transitions": np.full((3, 3), 0.3)}, r"a mask of shape \(3, 3\) of True and False"),
        ({"transitions": np.diag([1, 1, 0])}, "nothing may follow the class 2; allow it itself"),
        ({"n_components": 0}, "n_components=0 must be a whole number at least 1"),
        ({"n_init": 0}, "n_init=0 must be a whole number at least 1"),
        ({"max_iter": 0}, "max_iter=0 must be a whole number at least 1"),
        ({"tol": np.nan}, "tol=nan must be a number between -inf and inf"),
        ({"init_scale": 0}, "init_scale=0 must be a finite number above 0"),
        ({"reg_covar": -1}, "reg_covar=-1 must be a number between 0 and inf"),
        ({"transmat_prior": -1}, "transmat_prior=-1 must be a number between 0 and inf"),
        ({"startprob": "last"}, "startprob='last' is not known; choose from frequency, first"),
        ({"X": np.ones((120, 2)), "reg_covar": 0}, "covariance of the class 0, 1, 2 is singular"),
    ],
)
def test_bad_input_gets_a_sentence(model, how, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(model, **how)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"p_e": 1.5}, "p_e=1.5 must be a number between 0 and 1"),
        ({"noise": "loud"}, "noise='loud' is not known; choose from per_state, shared, full"),
        ({"implementation": "fast"}, "implementation='fast' is not known; choose from log, scal"),
        (
            {"threshold": 0.5, "contamination": 0.1},
            "threshold=0.5 and contamination=0.1 are two rules; pass at most one of them",
        ),
    ],
)
def test_bad_parameters_of_the_tolerant_model_get_a_sentence(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        fit(TolerantHMM, **how)


@models
def test_a_class_of_one_sample_and_starving_mixtures_are_told(model):
    y = CLASSES.copy()
    y[50] = 3
    with pytest.warns(SuspicionWarning, match="the class 3 has one sample only"):
        fit(model, y=y, noise="fixed") if model is TolerantHMM else fit(model, y=y)
    with pytest.warns(SuspicionWarning, match="120 labelled samples starve 3 mixtures of 50 comp"):
        fit(model, n_components=50, reg_covar=1.0)


@models
def test_constant_columns_and_single_samples_are_no_trouble(model):
    wide = np.column_stack([X, np.ones(120)])
    fitted = fit(model, X=wide, lengths=[1, 1, 118])
    plain = fit(model, lengths=[1, 1, 118])
    np.testing.assert_array_equal(fitted.predict(wide, [1, 119]), plain.predict(X, [1, 119]))
    assert np.isfinite(fitted.score_samples(wide, [1, 119])).all()


@models
def test_labels_may_be_words_with_a_word_for_none(model):
    words = np.array(["ant", "bee", "cat"])[CLASSES].astype(object)
    missing = np.arange(120) % 10 == 0
    codes = np.where(missing, -1, CLASSES)
    for stands_for_none in ("?", None):
        words[missing] = stands_for_none
        named = fit(model, y=words, missing_label=stands_for_none)
        np.testing.assert_array_equal(named.classes_, ["ant", "bee", "cat"])
        np.testing.assert_array_equal(named.means_, fit(model, y=codes).means_)


def test_samples_without_a_label_teach_a_supervised_model_nothing():
    y = CLASSES.copy()
    y[100:] = -1
    spoilt = X.copy()
    spoilt[100:] = spoilt[:20]
    one, other = fit(y=y), fit(X=spoilt, y=y)
    np.testing.assert_allclose(one.means_, other.means_, rtol=0, atol=1e-3)
    np.testing.assert_array_equal(one.transmat_, other.transmat_)


def test_a_class_that_was_never_labelled_is_not_known():
    assert fit(y=np.where(CLASSES == 2, -1, CLASSES)).classes_.tolist() == [0, 1]
