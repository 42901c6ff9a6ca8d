import base64
import io

import numpy as np
import pytest

from errata.audit_folder import pixels_uri, thumbnail_uri

Image = pytest.importorskip("PIL.Image", reason="Pillow reads back what errata writes")


def opened(uri):
    head, _, body = uri.partition(",")
    picture = Image.open(io.BytesIO(base64.b64decode(body, validate=True)))
    assert head == f"data:image/{picture.format.lower()};base64"
    return picture


@pytest.mark.parametrize("shape", [(1, 1), (8, 5), (8, 5, 3), (64, 64, 3)])
def test_bytes_come_back_as_they_were(shape):
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    assert np.array_equal(np.asarray(opened(pixels_uri(pixels))), pixels)


def test_numbers_are_stretched_from_black_to_white():
    picture = np.asarray(opened(pixels_uri([[-1.0, 0.0], [1.0, np.nan]])))
    assert picture.tolist() == [[0, 128], [255, 0]]


@pytest.mark.parametrize("pixels", [np.full((2, 2), 7.0), np.full((2, 2), np.nan)])
def test_one_gray_all_over_is_black(pixels):
    assert not np.asarray(opened(pixels_uri(pixels))).any()


@pytest.mark.parametrize("shape", [(4,), (0, 4), (4, 4, 2), (1, 4, 4, 3)])
def test_what_is_not_a_picture_is_refused(shape):
    with pytest.raises(ValueError, match=r"are not a picture; pass \(height, width\)"):
        pixels_uri(np.zeros(shape))


@pytest.mark.parametrize(
    ("mode", "kind"), [("RGB", "JPEG"), ("L", "JPEG"), ("RGBA", "PNG"), ("P", "PNG")]
)
def test_files_become_small_pictures(tmp_path, mode, kind):
    Image.new(mode, (400, 200)).save(tmp_path / "scan.png")
    picture = opened(thumbnail_uri(tmp_path / "scan.png"))
    assert (picture.size, picture.format) == ((64, 32), kind)


def test_small_pictures_are_not_enlarged(tmp_path):
    Image.new("L", (8, 8), 200).save(tmp_path / "digit.png")
    picture = opened(thumbnail_uri(tmp_path / "digit.png"))
    assert (picture.size, picture.getpixel((0, 0))[:3]) == ((8, 8), (200, 200, 200))


def test_what_cannot_be_shown_is_none(tmp_path):
    (tmp_path / "notes.png").write_text("not a picture")
    (tmp_path / "cut.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert thumbnail_uri(tmp_path / "missing.png") is None
    assert thumbnail_uri(tmp_path / "notes.png") is None
    assert thumbnail_uri(tmp_path / "cut.png") is None
    assert thumbnail_uri(tmp_path) is None
