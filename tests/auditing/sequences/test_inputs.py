import numpy as np
import pytest
from scipy.sparse import csr_array

from auditing.recordings_cases import steady
from errata.auditing.sequences import check_sequence, read_recordings
from errata.sequence import WaveletFeatures

X, LABELS, NAMES = steady()
TABLE = {"a": X[:, 0], "b": X[:, 1], "record": NAMES, "what": LABELS}


def test_columns_may_be_named_or_given():
    named = read_recordings(TABLE, "what", "record")
    given = read_recordings(X, LABELS, NAMES)
    np.testing.assert_array_equal(named.inputs.X, given.inputs.X)
    np.testing.assert_array_equal(named.inputs.groups, given.inputs.groups)
    assert named.timeline.recording.tolist() == NAMES.tolist()
    assert list(named.signals) == ["a", "b"]
    np.testing.assert_allclose(named.inputs.X.std(axis=0), 1, rtol=1e-12)


def test_an_unknown_column_is_named_with_those_there_are():
    with pytest.raises(ValueError, match=r"no column .recod. to take recordings from; .*record"):
        read_recordings(TABLE, "what", "recod")


def test_a_table_is_needed():
    with pytest.raises(ValueError, match="X is None"):
        read_recordings(None, LABELS, NAMES)


def test_a_sparse_matrix_is_no_signal():
    with pytest.raises(ValueError, match=r"pass X\.toarray"):
        read_recordings(csr_array(X), LABELS, NAMES)


def test_one_name_for_each_row_is_needed():
    with pytest.raises(ValueError, match="sequence has 3 rows, but there are 720 labels"):
        read_recordings(X, LABELS, ["a", "a", "b"])


def test_a_label_in_one_recording_only_is_kept_as_it_is():
    labels = np.where(NAMES == "r2", "sleep", LABELS)
    found = read_recordings(X, labels, NAMES).inputs
    assert "sleep occurs in one recording only" in found.notes[-1]
    assert not np.isin(found.audited, np.flatnonzero(labels == "sleep")).any()
    assert sorted(found.classes[found.present]) == ["rest", "trot", "walk"]


def test_labels_that_none_can_learn_are_refused():
    labels = np.where(NAMES == "r2", "sleep", "wake")
    with pytest.raises(ValueError, match="fewer than two classes occur in several recordings"):
        read_recordings(X, labels, NAMES)


def test_a_column_made_from_the_label_is_left_out():
    noisy = X + np.random.default_rng(0).normal(scale=2, size=X.shape)
    code = np.searchsorted(np.unique(LABELS), LABELS)
    table = {"a": noisy[:, 0], "b": noisy[:, 1], "code": code}
    found = read_recordings(table, LABELS, NAMES)
    assert found.inputs.used == ["a", "b"]
    assert "'code' alone gives the label" in found.inputs.notes[0]
    trusted = read_recordings(table, LABELS, NAMES, trust=["code"])
    assert trusted.inputs.used == ["a", "b", "code"]


def test_wavelets_see_each_recording_by_itself():
    wavelets = WaveletFeatures(band=None, scales=(2, 4))
    found = read_recordings(X[:, :1], LABELS, NAMES, wavelets=wavelets)
    assert found.inputs.features.names == ["x0_scale2", "x0_scale4"]
    assert not hasattr(wavelets, "mean_")  # the user's own stays as it was
    alone = NAMES == "r3"
    other = read_recordings(
        np.where(alone, X[:, 0], 7 * X[:, 0])[:, None], LABELS, NAMES, wavelets=wavelets
    )
    both = (each.inputs.features.X[alone] for each in (found, other))
    correlations = [np.corrcoef(a, b)[0, 1] for a, b in zip(*(f.T for f in both), strict=True)]
    np.testing.assert_allclose(correlations, 1, rtol=1e-9)
    assert list(found.signals) == ["x0"]  # the signal is drawn


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"groups": [1]}, "sequence and groups cannot both be given; recordings are left out"),
        ({"embeddings": [[1]]}, "sequence and embeddings cannot both be given; pass"),
        ({"image_shape": (2, 2)}, "sequence and image_shape cannot both be given"),
    ],
)
def test_what_does_not_go_together_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        check_sequence("record", None, **given)
    check_sequence(None, None, **given)


def test_wavelets_are_features_of_recordings():
    with pytest.raises(ValueError, match="say with sequence which"):
        check_sequence(None, WaveletFeatures())
    with pytest.raises(ValueError, match=r"wavelets=250 must be an errata\.sequence"):
        check_sequence("record", 250)


def test_a_clock_tells_the_time_unless_it_is_a_date():
    seconds = np.tile(np.arange(120) / 10, 6)
    assert read_recordings(TABLE | {"t": seconds}, "what", "record").timeline.clock_name == "t"
    dates = (1e9 * np.tile(np.arange(120), 6)).astype("M8[ns]")
    dated = read_recordings(TABLE | {"t": dates}, "what", "record")
    assert dated.timeline.clock is None
    assert list(dated.signals) == ["a", "b"]
