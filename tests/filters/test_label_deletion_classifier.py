import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import LinearSVC

from errata.filters import Cleaner, CrossValFilter, FilteredClassifier, LabelDeletionClassifier
from errata.hardness import NeighborDisagreement
from errata.noise import flip_labels

X, Y = make_blobs(120, centers=3, cluster_std=2.0, random_state=1)
LABELS, FLIPPED = flip_labels(Y, 0.2, random_state=0)
NAMES = np.array(["cat", "ant", "bee"])
KDN = NeighborDisagreement(n_neighbors=10)


class Accuser(BaseEstimator):
    """Flags the rows it is told, and is more suspicious the later they come."""

    def __init__(self, rows):
        self.rows = rows

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.suspicion_ = np.linspace(0, 1, len(y))
        self.flagged_ = np.isin(np.arange(len(y)), self.rows)
        self.suggested_ = np.asarray(y)
        return self


def test_flagged_labels_are_deleted_and_their_rows_stay():
    model = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS)
    flagged = KDN.fit(X, LABELS).flagged_
    np.testing.assert_array_equal(model.deleted_, flagged)
    expected = SelfTrainingClassifier(GaussianNB(), threshold=0.75)
    expected.fit(X, np.where(flagged, -1, LABELS))
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    assert model.score(X, Y) > GaussianNB().fit(X, LABELS).score(X, Y) - 0.01


def test_it_is_unlabelling_and_learning_from_both_kinds():
    half = SelfTrainingClassifier(GaussianNB(), threshold=0.75)
    recipe = FilteredClassifier(Cleaner(KDN, "unlabel"), half).fit(X, LABELS)
    model = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS)
    np.testing.assert_array_equal(model.predict_proba(X), recipe.predict_proba(X))


def test_any_semi_supervised_classifier_will_do():
    spreading = LabelSpreading(kernel="knn", n_neighbors=7)
    model = LabelDeletionClassifier(LinearSVC(), KDN, semi_supervised=spreading).fit(X, LABELS)
    assert isinstance(model.estimator_, LabelSpreading)
    expected = LabelSpreading(kernel="knn", n_neighbors=7)
    expected.fit(X, np.where(model.deleted_, -1, LABELS))
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def test_without_flags_it_is_the_classifier():
    model = LabelDeletionClassifier(GaussianNB(), Accuser([])).fit(X, LABELS)
    assert isinstance(model.estimator_, GaussianNB)
    np.testing.assert_array_equal(model.predict(X), GaussianNB().fit(X, LABELS).predict(X))


def test_some_labels_of_every_class_stay():
    model = LabelDeletionClassifier(GaussianNB(), Accuser(range(120)), min_per_class=3)
    model.fit(X, LABELS)
    kept = np.flatnonzero(~model.deleted_)
    np.testing.assert_array_equal(np.bincount(LABELS[kept]), [3, 3, 3])
    assert kept.max() < 60  # the least suspicious ones
    assert model.flagged_.all()


def test_words_are_as_good_as_numbers():
    numbers = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS)
    words = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, NAMES[LABELS])
    np.testing.assert_array_equal(words.classes_, np.sort(NAMES))
    np.testing.assert_array_equal(words.predict(X), NAMES[numbers.predict(X)])
    np.testing.assert_array_equal(words.suggested_, NAMES[numbers.suggested_])
    assert words.score(X, NAMES[Y]) == numbers.score(X, Y)


def test_a_label_of_minus_one_is_a_label():
    shifted = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS - 1)
    plain = LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS)
    np.testing.assert_array_equal(shifted.predict(X), plain.predict(X) - 1)


def test_cross_validation_is_the_default_detector():
    model = LabelDeletionClassifier(GaussianNB()).fit(X, LABELS)
    assert isinstance(model.detector_, CrossValFilter)
    assert model.flagged_[FLIPPED].mean() > 0.7


def test_metadata_goes_to_the_detector():
    groups = np.repeat(np.arange(12), 10)
    detector = CrossValFilter(GaussianNB(), random_state=0)
    model = LabelDeletionClassifier(GaussianNB(), detector).fit(X, LABELS, groups=groups)
    np.testing.assert_array_equal(
        model.suspicion_, detector.fit(X, LABELS, groups=groups).suspicion_
    )
    with pytest.raises(TypeError, match="got sample_weight, which its parts do not take"):
        LabelDeletionClassifier(GaussianNB(), KDN).fit(X, LABELS, sample_weight=np.ones(120))


def test_the_detector_is_tuned_by_a_grid_search():
    model = LabelDeletionClassifier(LogisticRegression(), KDN)
    search = GridSearchCV(model, {"detector__contamination": [0.0, 0.3]}, cv=3).fit(X, LABELS)
    assert len(set(search.cv_results_["mean_test_score"])) > 1


def test_wrong_parameters_are_named():
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba; pass CalibratedClassifie"):
        LabelDeletionClassifier(LinearSVC(), KDN).fit(X, LABELS)
    with pytest.raises(ValueError, match="min_per_class=0 must be a whole number at least 1"):
        LabelDeletionClassifier(GaussianNB(), KDN, min_per_class=0).fit(X, LABELS)
