from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from errata.tables import features_of, read_pictures
from tables.picture_cases import picture_folder

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


@pytest.fixture
def pictures(tmp_path):
    return read_pictures(picture_folder(tmp_path / "photos", n=5))


def test_names_of_pictures_are_learnt_from_as_pictures(pictures):
    features = features_of(pictures, drop=["label"])
    assert features.X.shape[0] == 10
    assert features.columns == ["picture"]
    assert all(name.startswith("picture ") for name in features.names)
    assert features.notes == []


def test_a_plan_sees_the_same_in_the_same_pictures(pictures):
    features = features_of(pictures, drop=["label"])
    X, unread = features.plan.apply(pictures.slice(3, 4))
    assert_allclose(X, features.X[3:7], rtol=0, atol=0)
    assert not unread


def test_pictures_that_cannot_be_read_are_named_and_count_as_missing(pictures, tmp_path):
    (tmp_path / "broken.png").write_bytes(b"no picture")
    names = [*pictures["picture"].to_pylist(), str(tmp_path / "broken.png"), None]
    features = features_of({"photo": names})
    assert features.notes == [
        "1 picture of 'photo' is not there, or cannot be read (the first is "
        f"{tmp_path / 'broken.png'}); it counts as missing."
    ]
    missing = features.X[:, features.names.index("photo missing")]
    assert missing.tolist() == [0] * 10 + [1, 1]
    first = features.X[:, 0]
    assert_allclose(first[10:], np.median(first[:10]), rtol=1e-12, atol=0)
    X, unread = features.plan.apply({"photo": names[8:]})
    assert_allclose(X, features.X[8:], rtol=0, atol=0)
    assert unread == {"photo": 1}


def test_names_of_pictures_that_are_not_there_are_no_words(pictures):
    features = features_of({"photo": [f"{i}.png" for i in range(4)], "x": [1.0, 2.0, 3.5, 1.5]})
    assert features.names == ["x"]
    assert features.notes == [
        "Left out 'photo': names of pictures that are not there, or cannot be read."
    ]


def test_pictures_within_a_table_are_learnt_from(pictures):
    raw = [Path(name).read_bytes() for name in pictures["picture"].to_pylist()]
    stored = arrow.table({"image": [{"bytes": cell, "path": None} for cell in raw]})
    of_files = features_of(pictures, drop=["label"])
    assert_allclose(features_of(stored).X, of_files.X, rtol=0, atol=0)
    assert_allclose(features_of({"image": raw}).X, of_files.X, rtol=0, atol=0)


def test_what_is_odd_in_a_file_is_not_warned_of(pictures, monkeypatch):
    image = pytest.importorskip("PIL.Image")
    monkeypatch.setattr(image, "MAX_IMAGE_PIXELS", 400)  # of 576: it warns below twice as many
    assert features_of(pictures, drop=["label"]).notes == []
