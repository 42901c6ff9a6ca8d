import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsClassifier

from errata._crossfit import (
    FittedToCodes,
    draw_training_rows,
    encode_groups,
    find_not_learnable,
    make_folds,
    predict_out_of_fold,
    sort_by_content,
    warn_of_not_learnable,
)
from errata.exceptions import SuspicionWarning
from strategies import seeds


def table(n=30, n_classes=3, seed=0):
    X = np.random.RandomState(seed).normal(size=(n, 2))
    return X, np.arange(n) % n_classes


def assert_complete(folds, n):
    np.testing.assert_array_equal(np.sort(np.concatenate([t for _, t in folds])), np.arange(n))
    for train, test in folds:
        np.testing.assert_array_equal(np.sort(np.r_[train, test]), np.arange(n))


@given(st.integers(6, 40), st.integers(2, 8), st.booleans(), seeds)
def test_each_row_is_tested_once_by_those_that_have_not_seen_it(n, cv, by_content, seed):
    X, codes = table(n, 2)
    folds = make_folds(cv, codes, X=X, by_content=by_content, every_class=True, random_state=seed)
    assert_complete(folds, n)
    assert all(len(np.unique(codes[train])) == 2 for train, _ in folds)
    assert len(folds) == min(cv, n // 2)


def test_folds_are_those_of_scikit_learn():
    X, codes = table()
    expected = StratifiedKFold(5, shuffle=True, random_state=3).split(X, codes)
    for found, (train, test) in zip(make_folds(5, codes, random_state=3), expected, strict=True):
        np.testing.assert_array_equal(found[0], train)
        np.testing.assert_array_equal(found[1], test)


def test_folds_by_content_follow_the_rows():
    X, codes = table()
    order = np.random.RandomState(1).permutation(30)
    here = make_folds(5, codes, X=X, by_content=True, random_state=0)
    there = make_folds(5, codes[order], X=X[order], by_content=True, random_state=0)
    for (_, test), (_, moved) in zip(here, there, strict=True):
        assert set(test) == set(order[moved])


def test_a_rare_class_means_fewer_folds_where_all_must_test_it():
    assert len(make_folds(5, np.r_[[1] * 3, [0] * 17], every_class=True)) == 3
    assert len(make_folds(5, np.r_[1, [0] * 19], every_class=True)) == 2


def test_a_rare_class_is_otherwise_no_reason_for_fewer_folds():
    codes = np.r_[[1] * 2, [0] * 17]
    folds = make_folds(5, codes, random_state=0)
    assert len(folds) == 5
    assert not find_not_learnable(codes, folds).any()
    assert len(make_folds(5, np.r_[0, 0, 1, 1, 1])) == 3  # the largest class has no more rows


def test_codes_may_skip_a_class():
    assert len(make_folds(5, np.r_[[0] * 10, [2] * 10], every_class=True)) == 5


def test_labels_that_occur_once_get_a_sentence():
    with pytest.raises(ValueError, match="every label occurs once"):
        make_folds(5, np.arange(3))


def test_numbers_are_dealt_out_without_regard_to_their_values():
    y = np.arange(10.0)
    assert_complete(make_folds(3, y, stratify=False, random_state=0), 10)


@pytest.mark.parametrize("cv", [1, 0, 2.5, True])
def test_bad_numbers_of_folds_get_a_sentence(cv):
    with pytest.raises(ValueError, match=r"cv=.* must be a whole number at least 2|Expected `cv`"):
        make_folds(cv, table()[1])


def test_a_splitter_or_an_iterable_is_taken_as_it_is():
    X, codes = table()
    for cv in (KFold(3), list(KFold(3).split(X)), KFold(3).split(X)):
        assert [test[0] for _, test in make_folds(cv, codes)] == [0, 10, 20]


def test_a_splitter_gets_the_groups():
    codes, groups = table()[1], np.repeat(np.arange(10), 3)
    folds = make_folds(GroupKFold(5), codes, groups=groups)
    assert all(not set(groups[train]) & set(groups[test]) for train, test in folds)
    with pytest.raises(ValueError, match="groups"):
        make_folds(GroupKFold(3), codes)


def test_a_splitter_that_forgets_rows_gets_a_sentence():
    with pytest.raises(ValueError, match="cv must test each row once, but tests row"):
        make_folds(ShuffleSplit(3, random_state=0), table()[1])


@given(st.lists(st.integers(0, 9), min_size=12, max_size=60), st.integers(2, 6), seeds)
def test_groups_stay_together(groups, n_folds, seed):
    groups = np.array(groups)
    codes = np.arange(len(groups)) % 2
    if len(np.unique(groups)) < 2:
        return
    folds = make_folds(n_folds, codes, groups=groups, random_state=seed)
    assert_complete(folds, len(groups))
    assert len(folds) == min(n_folds, len(np.unique(groups)))
    assert all(not set(groups[train]) & set(groups[test]) for train, test in folds)


def test_groups_of_one_size_are_dealt_out_evenly_by_label():
    groups, codes = np.repeat(np.arange(20), 3), np.repeat([0, 1], 30)
    folds = make_folds(5, codes, groups=groups, random_state=0)
    assert [np.bincount(codes[test]).tolist() for _, test in folds] == [[6, 6]] * 5


def test_folds_of_groups_are_alike_in_size_and_labels():
    groups, codes = np.repeat(np.arange(200), 2), np.repeat(np.arange(200) % 4 == 0, 2).astype(int)
    for _, test in make_folds(5, codes, groups=groups, random_state=0):
        assert len(test) == 80
        assert codes[test].sum() == 20


def test_a_single_group_gets_a_sentence():
    with pytest.raises(ValueError, match="all rows belong to one group"):
        make_folds(5, np.arange(10) % 2, groups=np.zeros(10))


def test_groups_may_have_names():
    groups = np.repeat(["x", "y", "z", "w"], 5)
    named = make_folds(2, np.zeros(20, dtype=int), groups=groups, random_state=0)
    numbers = np.unique(groups, return_inverse=True)[1]
    numbered = make_folds(2, np.zeros(20, dtype=int), groups=numbers, random_state=0)
    assert [t.tolist() for _, t in named] == [t.tolist() for _, t in numbered]


def test_training_rows_can_be_fewer_and_test_rows_stay():
    folds = make_folds(3, table(60)[1], random_state=0)
    fewer = draw_training_rows(folds, 25, seed=0)
    for (train, test), (some, same) in zip(folds, fewer, strict=True):
        assert len(some) == 25
        assert set(some) <= set(train)
        assert test is same
    assert draw_training_rows(folds, 40, seed=0)[0][0] is folds[0][0]


def test_a_label_that_the_training_rows_lack_is_noted():
    codes = np.array([0, 0, 0, 1])
    folds = [(np.array([0, 1]), np.array([2, 3])), (np.array([2, 3]), np.array([0, 1]))]
    lacking = find_not_learnable(codes, folds)
    assert lacking.tolist() == [False, False, False, True]
    with pytest.warns(SuspicionWarning, match="1 rows have a label too rare"):
        warn_of_not_learnable(lacking)
    warn_of_not_learnable(np.zeros(4, dtype=bool))


def test_probabilities_are_those_of_the_training_rows():
    # A classifier that only counts: by hand, the class shares of the other two thirds.
    codes = np.array([0, 0, 1, 0, 1, 1])
    folds = make_folds(KFold(3), codes)
    X = np.arange(6.0)[:, None]
    proba = predict_out_of_fold([DummyClassifier(strategy="prior")], X, codes, folds)
    assert proba.shape == (1, 6, 2)
    expected = [1 / 4, 1 / 4, 1 / 2, 1 / 2, 3 / 4, 3 / 4]
    np.testing.assert_allclose(proba[0, :, 0], expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("kind", ["array", "sparse", "list", "frame"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_probabilities_are_those_of_scikit_learn(kind, n_jobs):
    X, codes = table(60)
    if kind == "frame":
        X = pytest.importorskip("pandas", reason="the dataframe under test").DataFrame(X)
    X = {"sparse": csr_matrix, "list": np.ndarray.tolist}.get(kind, lambda X: X)(X)
    model, folds = LogisticRegression(), make_folds(4, codes, random_state=0)
    expected = cross_val_predict(model, X, codes, cv=folds, method="predict_proba")
    two = predict_out_of_fold([model, DummyClassifier()], X, codes, folds, n_jobs=n_jobs)
    np.testing.assert_array_equal(two[0], expected)
    assert not np.array_equal(two[1], expected)


def test_estimators_know_the_codes_by_their_names():
    X, codes = table(60)
    names = np.array(["bee", "cat", "dog"])
    folds = make_folds(4, codes, random_state=0)
    plain = predict_out_of_fold([LogisticRegression()], X, codes, folds)
    named = predict_out_of_fold([LogisticRegression()], X, codes, folds, classes=names)
    np.testing.assert_array_equal(named, plain)
    certain = predict_out_of_fold([Perceptron()], X, codes, folds, classes=names)
    np.testing.assert_array_equal(certain.sum(axis=2), 1)


def test_columns_are_there_for_classes_without_rows():
    X, codes = table(20, 2)
    folds = make_folds(4, codes, random_state=0)
    proba = predict_out_of_fold([LogisticRegression()], X, codes, folds, n_classes=4)[0]
    assert proba.shape == (20, 4)
    np.testing.assert_array_equal(proba[:, 2:], 0)


def test_a_learner_without_probabilities_is_certain():
    X, codes = table()
    folds = make_folds(3, codes, random_state=0)
    proba = predict_out_of_fold([Perceptron(random_state=0)], X, codes, folds)[0]
    assert set(np.unique(proba)) == {0, 1}
    np.testing.assert_array_equal(proba.sum(axis=1), 1)


def test_classes_missing_from_a_fold_have_no_probability_there():
    X, codes = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
    folds = make_folds(KFold(3), codes)
    proba = predict_out_of_fold([KNeighborsClassifier(1)], X, codes, folds)[0]
    np.testing.assert_array_equal(proba[np.arange(6), codes], 0)
    np.testing.assert_array_equal(proba.sum(axis=1), 1)


def test_one_class_or_no_information_in_a_fold_is_answered_without_a_fit():
    codes = np.array([0, 0, 1, 1])
    folds = make_folds(KFold(2), codes)
    proba = predict_out_of_fold([Perceptron()], np.arange(4.0)[:, None], codes, folds)[0]
    np.testing.assert_array_equal(proba, [[0, 1], [0, 1], [1, 0], [1, 0]])
    codes, folds = np.array([0, 1, 0, 0]), [(np.arange(4), np.arange(4))]
    proba = predict_out_of_fold([Perceptron()], np.ones((4, 2)), codes, folds)[0]
    np.testing.assert_array_equal(proba, np.tile([3 / 4, 1 / 4], (4, 1)))


@given(seeds)
def test_the_order_by_content_follows_the_rows_dense_or_sparse(seed):
    random = np.random.RandomState(seed)
    X = np.where(random.uniform(size=(15, 6)) < 0.6, 0, random.normal(size=(15, 6)))
    X[:, 0] += np.arange(15)  # no two rows alike
    order = random.permutation(15)
    for rows in (X, csr_matrix(X)):
        np.testing.assert_array_equal(order[sort_by_content(rows[order])], sort_by_content(rows))


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_the_order_by_content_does_not_hang_on_the_last_bits(kind):
    random = np.random.default_rng(0)
    X = np.round(random.normal(size=(200, 3)), 1)  # many rows share the cells they are sorted by
    shifted = X * (1 + 1e-13 * random.uniform(-1, 1, size=X.shape))
    np.testing.assert_array_equal(X[sort_by_content(kind(shifted))], X[sort_by_content(kind(X))])


def test_the_order_of_stored_cells_does_not_matter():
    X = csr_matrix(np.arange(1.0, 13).reshape(4, 3))
    other = X.copy()
    other.indices, other.data = other.indices[::-1].copy(), other.data.copy()
    for row in range(4):
        cells = slice(3 * row, 3 * row + 3)
        other.indices[cells], other.data[cells] = [2, 1, 0], X.data[cells][::-1]
    other.has_sorted_indices = False
    np.testing.assert_array_equal(sort_by_content(other), sort_by_content(X))


def test_groups_are_numbered():
    codes = np.zeros(4, dtype=int)
    np.testing.assert_array_equal(encode_groups(["b", "a", "b", "c"], codes), [1, 0, 1, 2])
    assert encode_groups(None, codes) is None
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        encode_groups([1, 2], codes)


def test_models_may_be_asked_for_classes_alone():
    X, codes = table()
    folds = make_folds(3, codes, random_state=0)
    models = [LogisticRegression(), Perceptron()]
    proba = predict_out_of_fold(models, X, codes, folds, certain=True)
    for certain, model in zip(proba, models, strict=True):
        np.testing.assert_array_equal(np.sort(certain, axis=1), np.tile([0.0, 0.0, 1.0], (30, 1)))
        said = cross_val_predict(model, X, codes, cv=folds)
        np.testing.assert_array_equal(certain.argmax(axis=1), said)


def test_a_fit_can_be_asked_about_other_rows():
    X, codes = table()
    names = np.array(["ant", "bee", "cat"])
    fitted = FittedToCodes(LogisticRegression(), X, codes, classes=names)
    np.testing.assert_array_equal(fitted.labels, names)
    by_hand = LogisticRegression().fit(X, names[codes])
    np.testing.assert_allclose(
        fitted.predict_proba(X + 1), by_hand.predict_proba(X + 1), rtol=0, atol=1e-12
    )
    certain = fitted.predict_proba(X + 1, certain=True)
    np.testing.assert_array_equal(names[certain.argmax(axis=1)], by_hand.predict(X + 1))
