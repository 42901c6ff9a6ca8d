import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.ensemble import AdaBoostClassifier
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from errata.datasets import make_twonorm
from errata.ensemble import SupervisedProjectionEnsembleClassifier
from errata.ensemble._projection_ensemble import borrow, synthesise
from errata.noise import flip_labels
from errata.projections import LinearDiscriminantProjection
from strategies import seeds

FIXED_TREE = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)


def noisy_twonorm(n=120, level=0.15, seed=0):
    X, y = make_twonorm(n, random_state=seed)
    return X[:, :6], *flip_labels(y, level, random_state=seed)


def ensemble(n_estimators=5, **options):
    return SupervisedProjectionEnsembleClassifier(
        n_estimators=n_estimators, **{"random_state": 0} | options
    )


class Recorder(TransformerMixin, BaseEstimator):
    """Remembers what it was fitted on, and shifts the rows so that no two are the same."""

    def fit(self, X, y):
        self.X_, self.y_ = X, y
        return self

    def transform(self, X):
        return X + len(self.y_) * 1e-3


def test_each_projection_sees_what_the_member_before_got_wrong_in_its_own_view():
    X, labels, _ = noisy_twonorm()
    model = ensemble(projection=Recorder(), n_synthetic=0).fit(X, labels)
    Z = model.scaler_.transform(X)
    codes = np.argsort(model.class_order_)[labels]  # labels are 0 and 1
    for before, after in zip(model._projected, model._projected[1:], strict=False):
        wrong = before.predict(Z) != codes
        seen, expected = after.projection.X_, Z[wrong]
        np.testing.assert_array_equal(np.sort(seen, axis=0), np.sort(expected, axis=0))
        assert before.estimator.tree_.n_node_samples[0] == len(X)  # all rows, once each
    assert model.projections_[0] is None


def test_it_is_populated_with_rows_that_carry_the_label_of_their_parents():
    X, labels, _ = noisy_twonorm()
    bare = ensemble(2, projection=Recorder(), n_synthetic=0).fit(X, labels).projections_[1]
    for pool in ("misclassified", "all"):
        full = ensemble(2, projection=Recorder(), neighbor_pool=pool).fit(X, labels)
        n = len(bare.X_)
        seen = full.projections_[1]
        np.testing.assert_array_equal(seen.X_[:n], bare.X_)
        assert n < len(seen.X_) <= 2 * n


def test_rows_are_standardised_with_the_statistics_of_all_of_them():
    X, labels, _ = noisy_twonorm()
    model = ensemble().fit(X * 100 + 7, labels)
    np.testing.assert_allclose(model.scaler_.mean_, (X * 100 + 7).mean(axis=0))
    np.testing.assert_array_equal(model.predict(X * 100 + 7), ensemble().fit(X, labels).predict(X))


@pytest.mark.parametrize("learner", [FIXED_TREE, KNeighborsClassifier(5)])
def test_with_an_identity_projection_all_members_are_the_first(learner):
    X, labels, _ = noisy_twonorm()
    model = ensemble(4, projection=FunctionTransformer(), random_state=0)
    model.set_params(estimator=learner).fit(X, labels)
    alone = ensemble(1).set_params(estimator=learner).fit(X, labels)
    assert model.n_misclassified_[0] > 0
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    np.testing.assert_array_equal(model.suspicion_, alone.suspicion_)
    assert set(np.unique(model.predict_proba(X))) <= {0.0, 1.0}


def test_a_first_member_that_makes_no_mistake_is_the_last():
    X, y = make_blobs(60, centers=2, cluster_std=0.1, random_state=0)
    model = ensemble(50).fit(X, y)
    assert model.n_estimators_ == 1
    assert model.n_misclassified_.tolist() == [0]
    assert model.score(X, y) == 1
    assert not model.flagged_.any()


def test_a_fully_grown_tree_ends_the_ensemble():
    X, labels, _ = noisy_twonorm()
    assert ensemble(20, estimator=DecisionTreeClassifier()).fit(X, labels).n_estimators_ == 1


def test_mistakes_of_one_class_only_are_no_trouble():
    X, y = make_blobs([30, 3], centers=[[0, 0], [0.5, 0.5]], random_state=0)
    model = ensemble(6, estimator=DecisionTreeClassifier(min_samples_leaf=10)).fit(X, y)
    assert model.n_misclassified_[0] == 3
    assert model.n_borrowed_[1] == 3  # nobody of the small class was right
    assert np.all(np.isfinite(model.suspicion_))


@pytest.mark.parametrize(
    "projection",
    ["lda", "nda", "nwfe", "hda", "sir", "save", "phd", "nca", "pls", "kda", "mlp"],
)
def test_every_projection_finds_planted_errors(projection):
    X, y = make_blobs(150, centers=3, n_features=3, cluster_std=2, random_state=0)
    labels, flipped = flip_labels(y, 0.15, random_state=0)
    model = ensemble(8, projection=projection).fit(X, labels)
    assert roc_auc_score(flipped, model.suspicion_) > 0.8
    assert model.n_estimators_ == 8


@settings(max_examples=8)
@given(seeds)
def test_suspicion_is_the_share_of_members_that_are_wrong(seed):
    X, labels, _ = noisy_twonorm(60, seed=seed % 1000)
    model = ensemble(4).fit(X, labels)
    own = model.predict_proba(X)[np.arange(len(X)), np.searchsorted(model.classes_, labels)]
    np.testing.assert_allclose(model.suspicion_, 1 - own, atol=1e-12)
    assert model.n_misclassified_.sum() == round(model.suspicion_.sum() * model.n_estimators_)


def test_the_suggestion_is_another_class_wherever_some_member_votes_for_one():
    X, labels, _ = noisy_twonorm()
    model = ensemble(10, contamination=0.15).fit(X, labels)
    doubted = model.flagged_ & (model.suspicion_ > 0)
    np.testing.assert_array_equal(model.suggested_[doubted], 1 - labels[doubted])


def test_threads_and_appended_features_and_sizes():
    X, labels, _ = noisy_twonorm()
    alone, together = (ensemble(n_jobs=n).fit(X, labels) for n in (1, 2))
    np.testing.assert_array_equal(alone.predict_proba(X), together.predict_proba(X))
    both = ensemble(3, append=True, n_components=2).fit(X, labels)
    assert [e.n_features_in_ for e in both.estimators_] == [6, 8, 8]
    assert ensemble(3, n_components=2).fit(X, labels).estimators_[1].n_features_in_ == 2


def test_nca_learns_from_a_sample_when_mistakes_are_many(monkeypatch):
    monkeypatch.setattr("errata.ensemble._projection_ensemble.MOST_ROWS", {"nca": 20})
    X, labels, _ = noisy_twonorm(200, level=0.3)
    model = ensemble(2, projection="nca", n_synthetic=0).fit(X, labels)
    assert model.n_misclassified_[0] > 20
    assert model.n_estimators_ == 2


def test_a_transformer_is_cloned_and_given_size_and_seed():
    X, labels, _ = noisy_twonorm()
    pca = PCA()
    made = ensemble(2, projection=pca, n_components=2).fit(X, labels).projections_[1]
    assert made is not pca
    assert made.n_components == 2
    assert isinstance(made.random_state, int)
    assert pca.n_components is None
    scaler = ensemble(2, projection=StandardScaler(), n_components=2)  # knows neither
    assert isinstance(scaler.fit(X, labels).projections_[1], StandardScaler)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("tsne", "projection='tsne' is not known; choose from lda, nda"),
        (3, "projection=3 is not a projection"),
    ],
)
def test_what_is_not_a_projection_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        ensemble(projection=wrong).fit(*make_twonorm(20, random_state=0))


def test_names_of_classes_of_any_kind():
    X, labels, _ = noisy_twonorm()
    names = np.array(["z", "a"])[labels]
    model = ensemble().fit(X, names)
    plain = ensemble().fit(X, labels)
    np.testing.assert_array_equal(model.predict_proba(X)[:, ::-1], plain.predict_proba(X))
    assert model.classes_.tolist() == ["a", "z"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0 must be a whole number at least 1"),
        ({"n_synthetic": -1}, "n_synthetic=-1 must be a whole number at least 0"),
        ({"neighbor_pool": "some"}, "neighbor_pool='some' is not known"),
        ({"projection": "pca"}, "projection='pca' is not known; choose from lda"),
        ({"n_components": 0}, "n_components=0 must be a whole number"),
    ],
)
def test_parameters_that_make_no_sense_are_named(parameters, message):
    X, labels, _ = noisy_twonorm()
    with pytest.raises(ValueError, match=message):
        ensemble(**{"n_estimators": 3} | parameters).fit(X, labels)


def test_any_transformer_serves():
    X, labels, _ = noisy_twonorm()
    model = ensemble(3, projection=LinearDiscriminantProjection(shrinkage=0.5)).fit(X, labels)
    assert model.projections_[1].shrinkage == 0.5
    assert ensemble(3, projection=StandardScaler()).fit(X, labels).n_estimators_ == 3


@pytest.mark.slow
def test_it_withstands_noise_better_than_adaboost():
    gains = []
    for seed in range(5):
        X, y = make_twonorm(1300, random_state=seed)
        labels, _ = flip_labels(y[:300], 0.2, random_state=seed)
        ada = AdaBoostClassifier(FIXED_TREE, n_estimators=50, random_state=0)
        ours = SupervisedProjectionEnsembleClassifier(FIXED_TREE, random_state=0)
        gains.append(
            ours.fit(X[:300], labels).score(X[300:], y[300:])
            - ada.fit(X[:300], labels).score(X[300:], y[300:])
        )
    assert np.mean(gains) > 0.02


def table(seed, n=12, d=3):
    """Rows, their codes, some of them as seeds, and any partners."""
    random = np.random.RandomState(seed)
    rows = random.permutation(n)[: n // 2]
    partners = random.randint(n, size=len(rows))
    return random.normal(size=(n, d)), random.randint(3, size=n), rows, partners


def made(seed, n_synthetic, per_feature):
    X, codes, rows, partners = table(seed)
    random = np.random.RandomState(seed)
    new, labels = synthesise(
        X, codes, rows, partners, n_synthetic=n_synthetic, random=random, per_feature=per_feature
    )
    alike = codes[rows] == codes[partners]
    parents = (np.repeat(which[alike], n_synthetic) for which in (rows, partners))
    return X, codes, *parents, new, labels


@given(seeds, st.integers(0, 3), st.booleans())
def test_new_rows_lie_in_the_box_of_their_parents_and_carry_their_label(seed, n, per_feature):
    X, codes, rows, partners, new, labels = made(seed, n, per_feature)
    assert len(new) == len(labels) == len(rows)  # none where labels differ
    np.testing.assert_array_equal(labels, codes[rows])
    np.testing.assert_array_equal(labels, codes[partners])
    assert np.all(new >= np.minimum(X[rows], X[partners]) - 1e-12)
    assert np.all(new <= np.maximum(X[rows], X[partners]) + 1e-12)


@given(seeds)
def test_one_gap_puts_them_on_the_segment(seed):
    X, _, rows, partners, new, _ = made(seed, 2, False)
    to_row = np.linalg.norm(new - X[rows], axis=1)
    to_partner = np.linalg.norm(new - X[partners], axis=1)
    assert_allclose(to_row + to_partner, np.linalg.norm(X[rows] - X[partners], axis=1), atol=1e-9)


def test_a_gap_per_feature_leaves_the_segment():
    X, codes = np.array([[0.0, 0.0], [1.0, 1.0]]), np.zeros(2, dtype=int)
    new, _ = synthesise(
        X, codes, np.array([0]), np.array([1]), n_synthetic=50,
        random=np.random.RandomState(0), per_feature=True,
    )  # fmt: skip
    assert np.std(new[:, 0] - new[:, 1]) > 0.1


@pytest.mark.parametrize("per_feature", [False, True])
def test_none_when_labels_differ(per_feature):
    X, codes = np.eye(2), np.array([0, 1])
    new, labels = synthesise(
        X, codes, np.array([0, 1]), np.array([1, 0]), n_synthetic=3,
        random=np.random.RandomState(0), per_feature=per_feature,
    )  # fmt: skip
    assert new.shape == (0, 2)
    assert labels.shape == (0,)


@given(seeds, st.integers(2, 4))
def test_too_few_mistakes_borrow_as_many_right_rows_of_each_class(seed, n_classes):
    random = np.random.RandomState(seed)
    codes = np.arange(20 * n_classes) % n_classes
    wrong = random.choice(len(codes), random.randint(1, 12), replace=False)
    lent = borrow(codes, wrong, random)
    found = len(np.unique(codes[wrong]))
    if found > 1 and len(wrong) >= max(5, 2 * found):
        assert len(lent) == 0
    else:
        assert not set(lent) & set(wrong)
        assert np.bincount(codes[lent]).tolist() == [len(wrong)] * n_classes
