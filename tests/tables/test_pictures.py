import io

import numpy as np
import pytest

from errata.tables._columns import Column
from errata.tables._pictures import (
    get_picture_content,
    get_picture_name,
    has_pictures,
    read_small_picture,
)

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


def saved(picture, path, **options):
    picture.save(path, **options)
    return str(path)


def png(picture):
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def half(mode="RGB", left="white", right="black", side=8):
    """A picture whose left half differs from its right one."""
    picture = image.new(mode, (side, side), right)
    picture.paste(left, (0, 0, side // 2, side))
    return picture


def column(cells):
    values = np.empty(len(cells), dtype=object)
    values[:] = cells
    return Column("x", "x", values)


def is_left_white(found):
    return found[:, 0].mean() > 250 and found[:, -1].mean() < 5


def test_a_picture_in_any_cell_is_the_same(tmp_path):
    picture = half()
    path, raw = saved(picture, tmp_path / "a.png"), png(picture)
    for cell in (path, raw, {"bytes": raw, "path": None}, {"bytes": None, "path": path}, picture):
        found = read_small_picture(cell)
        assert found.shape == (32, 32, 3)
        assert is_left_white(found)
    assert picture.getpixel((0, 0)) == (255, 255, 255)  # the user's own picture is open still


def test_a_picture_is_turned_as_the_camera_was_held(tmp_path):
    exif = image.Exif()
    exif[0x0112] = 3  # half a turn
    path = saved(half(left="black", right="white", side=32), tmp_path / "a.jpg", exif=exif)
    assert is_left_white(read_small_picture(path))


@pytest.mark.parametrize("mode", ["1", "L", "P", "CMYK", "YCbCr", "I;16", "I", "F", "LA"])
def test_pictures_of_every_mode(tmp_path, mode):
    if mode in ("I;16", "I", "F"):
        grey = np.zeros((8, 8), dtype={"I;16": np.uint16, "I": np.int32, "F": np.float32}[mode])
        grey[:, :4] = 4_000  # of twelve bits, which eight would show as black
        path = saved(image.fromarray(grey), tmp_path / "a.tif")
    else:
        ending = "tif" if mode in ("CMYK", "YCbCr") else "png"
        path = saved(half().convert(mode), tmp_path / f"a.{ending}")
    assert is_left_white(read_small_picture(path))


def test_what_is_transparent_is_white(tmp_path):
    picture = half("RGBA", left=(0, 0, 0, 0), right=(0, 0, 0, 255))
    assert is_left_white(read_small_picture(saved(picture, tmp_path / "a.png")))


def test_of_a_moving_picture_the_first_is_seen(tmp_path):
    first, second = half("L", 255, 0), half("L", 0, 255)
    path = saved(first, tmp_path / "a.gif", save_all=True, append_images=[second])
    assert is_left_white(read_small_picture(path))


def test_what_is_no_picture_is_none(tmp_path, monkeypatch):
    (tmp_path / "a.png").write_bytes(b"no picture")
    whole = png(image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64), np.uint8)))
    for cell in (str(tmp_path / "a.png"), str(tmp_path / "b.png"), whole[:900], None, "", np.nan):
        assert read_small_picture(cell) is None
    monkeypatch.setattr(image, "MAX_IMAGE_PIXELS", 8)
    assert read_small_picture(png(half())) is None


def test_which_columns_hold_pictures():
    assert has_pictures(column(["a.png", None, "b/c.JPEG"]))
    assert has_pictures(column([png(half())]))
    assert has_pictures(column([{"bytes": b"\xff\xd8\xff..", "path": "x"}]))
    assert has_pictures(column([half()]))
    assert not has_pictures(column(["a.png", "see b"]))
    assert not has_pictures(column([None, ""]))
    assert not has_pictures(column([b"text"]))
    assert not has_pictures(column([{"bytes": b"text", "path": None, "more": 1}]))
    assert not has_pictures(Column("x", "x", np.arange(3.0)))


def test_names_and_contents():
    assert get_picture_name({"path": "a.png", "bytes": b""}) == "a.png"
    assert get_picture_name({"path": None, "bytes": b""}) == get_picture_name(half()) == ""
    assert get_picture_content({"path": "a.png", "bytes": b"raw"}) == b"raw"
    assert get_picture_content(half()).startswith(b"\x89PNG")
