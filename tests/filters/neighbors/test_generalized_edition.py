import numpy as np
import pytest
from sklearn.datasets import make_blobs

from errata.exceptions import ClassRetentionWarning
from errata.filters import Cleaner, GeneralizedEditionFilter
from errata.noise import flip_labels
from filters.neighbor_cases import PLANTED, TINY_X, TINY_Y

# The neighbours of the row at 0 carry three labels; those of all others are clear.
DISPUTED_X = np.array([0, 1, -1.1, 1.2, 9, 9.1, 9.2, 9.3, -9, -9.1, -9.2, -9.3, 99, 99.1, 99.2])
DISPUTED_Y = np.array([0, 0, 1, 2, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2])


def noisy_blobs():
    X, y = make_blobs(60, centers=3, n_features=3, random_state=0)
    return X, flip_labels(y, n_flips=6, random_state=0)[0]


def test_planted_errors_on_a_line_are_relabelled_and_nothing_is_removed():
    editor = GeneralizedEditionFilter(n_neighbors=3, min_support=2)
    X_left, y_left = editor.fit_resample(TINY_X, TINY_Y)
    np.testing.assert_array_equal(X_left, TINY_X)
    np.testing.assert_array_equal(y_left, [0] * 5 + [1] * 5)
    assert np.flatnonzero(editor.relabelled_).tolist() == PLANTED
    assert np.flatnonzero(editor.flagged_).tolist() == PLANTED


def test_a_row_in_dispute_is_flagged_without_a_suggestion_and_left_out():
    editor = GeneralizedEditionFilter()
    editor.fit_resample(DISPUTED_X[:, None], DISPUTED_Y)
    assert editor.suspicion_[0] == 0.5
    assert editor.flagged_[0]
    assert editor.suggested_[0] == 0
    assert not editor.relabelled_[0]
    assert 0 not in editor.sample_indices_


@pytest.mark.parametrize(("k", "majority"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_support_is_a_majority_at_least_and_all_neighbours_at_most(k, majority):
    X, y = noisy_blobs()
    least = GeneralizedEditionFilter(n_neighbors=k, min_support=majority).fit(X, y)
    default = GeneralizedEditionFilter(n_neighbors=k).fit(X, y)
    np.testing.assert_array_equal(default.flagged_, least.flagged_)
    for wrong in (majority - 1, k + 1):
        sentence = f"min_support={wrong} must be a whole number between {majority} and {k}"
        with pytest.raises(ValueError, match=sentence):
            GeneralizedEditionFilter(n_neighbors=k, min_support=wrong).fit(X, y)


@pytest.mark.filterwarnings("ignore::errata.exceptions.ClassRetentionWarning")
def test_more_support_flags_more_and_relabels_less():
    X, y = make_blobs(150, centers=3, cluster_std=3, random_state=0)
    editors = [GeneralizedEditionFilter(n_neighbors=5, min_support=s).fit(X, y) for s in (3, 4, 5)]
    flagged, relabelled = (
        [getattr(e, a).sum() for e in editors] for a in ("flagged_", "relabelled_")
    )
    assert flagged == sorted(flagged)
    assert relabelled == sorted(relabelled, reverse=True)
    assert flagged[0] < flagged[-1]
    assert relabelled[0] > relabelled[-1]


@pytest.mark.parametrize("parameters", [{}, {"threshold": 0.6}, {"contamination": 0.25}])
def test_it_does_what_a_relabelling_cleaner_does(parameters):
    X, y = make_blobs(150, centers=4, cluster_std=3, random_state=0)
    editor = GeneralizedEditionFilter(**parameters)
    cleaner = Cleaner(GeneralizedEditionFilter(**parameters), action="relabel")
    for ours, theirs in zip(editor.fit_resample(X, y), cleaner.fit_resample(X, y), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(editor.relabelled_, cleaner.relabelled_)


def test_every_class_keeps_some_of_its_rows():
    X, y = noisy_blobs()
    editor = GeneralizedEditionFilter(threshold=-np.inf)
    with pytest.warns(ClassRetentionWarning, match="fewer than 2 rows"):
        _, y_left = editor.fit_resample(X, y)
    assert editor.flagged_.all()
    kept = editor.sample_indices_
    np.testing.assert_array_equal(np.bincount(y[kept][~editor.relabelled_[kept]]), [2, 2, 2])
    assert (np.diff(kept) > 0).all()
    np.testing.assert_array_equal(y_left, np.where(editor.relabelled_, editor.suggested_, y)[kept])


def test_no_more_rows_are_touched_than_allowed():
    X, y = noisy_blobs()
    editor = GeneralizedEditionFilter(max_fraction=0.05).fit(X, y)
    assert editor.flagged_.sum() >= 6
    assert editor.relabelled_.sum() + len(y) - len(editor.sample_indices_) == 3


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_containers_are_kept(library):
    frames = pytest.importorskip(library, reason=f"{library} is not installed")
    names = np.array(["ant", "bee", "cat"])[DISPUTED_Y]
    frame, labels = frames.DataFrame({"x": DISPUTED_X}), frames.Series(names)
    editor = GeneralizedEditionFilter()
    X_left, y_left = editor.fit_resample(frame, labels)
    assert (type(X_left), type(y_left)) == (type(frame), type(labels))
    expected = np.where(editor.relabelled_, editor.suggested_, names)[editor.sample_indices_]
    np.testing.assert_array_equal(y_left.to_numpy(), expected)
    assert editor.relabelled_.any()
    assert len(X_left) == len(editor.sample_indices_) < len(names)
    assert editor.fit_resample(DISPUTED_X[:, None].tolist(), names.tolist())[1] == expected.tolist()
