import io
import os
from pathlib import Path

import numpy as np
import pyarrow as arrow
import pytest
from numpy.testing import assert_allclose

from errata.tables import copy_with_column, copy_with_rows, features_of, read_pictures, read_table
from errata.tables._columns import Column
from errata.tables._pictures import (
    get_picture_content,
    get_picture_name,
    has_pictures,
    is_picture_folder,
    is_picture_name,
    iterate_files,
    join_picture_paths,
)
from errata.tables.features._pictures import (
    CELLS,
    N_NUMBERS,
    ORIENTATIONS,
    SHADES,
    describe_pictures,
    read_small_picture,
)
from errata.tables.stored._files import find_files
from tables.picture_cases import image, picture_folder


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


@pytest.fixture
def photos(tmp_path):
    return picture_folder(tmp_path / "photos", n=3)


def names_in(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_folders_are_labels_and_names_are_within_the_folder(photos):
    assert read_table(photos).to_pydict() == {
        "picture": [f"disc/d{i}.png" for i in range(3)] + [f"stripes/s{i}.png" for i in range(3)],
        "label": ["disc"] * 3 + ["stripes"] * 3,
    }
    assert read_table(photos, ["label"]).column_names == ["label"]
    assert read_pictures(photos)["picture"][0].as_py() == str(photos / "disc" / "d0.png")


def test_what_is_not_a_picture_or_hidden_is_passed_over(photos):
    for name in ("disc/notes.md", ".DS_Store", "disc/.d9.png", "odd ö 'name'.png"):
        (photos / name).write_bytes(b"")
    (photos / ".thumbs").mkdir()
    image.new("L", (8, 8)).save(photos / ".thumbs" / "d0.png")
    table = read_table(photos)
    assert table.num_rows == 7
    assert table.to_pylist()[-1] == {"picture": "stripes/s2.png", "label": "stripes"}
    assert {"picture": "odd ö 'name'.png", "label": None} in table.to_pylist()
    assert list(iterate_files(photos, lambda name: not is_picture_name(name))) == ["disc/notes.md"]


def test_folders_below_a_class_belong_to_it_and_links_are_followed(photos, tmp_path):
    (photos / "disc" / "more").mkdir()
    (photos / "disc" / "d2.png").rename(photos / "disc" / "more" / "d10.png")
    picture_folder(tmp_path / "others", n=1)
    os.symlink(tmp_path / "others" / "disc", photos / "round")
    os.symlink(photos, photos / "disc" / "again")  # which would never end
    os.symlink("nowhere.png", photos / "disc" / "gone.png")
    table = read_table(photos)
    assert [r["label"] for r in table.to_pylist() if "more" in r["picture"]] == ["disc"]
    assert table["label"].to_pylist().count("round") == 1
    assert table.num_rows == 7


def test_a_folder_of_tables_is_none_of_pictures(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    assert not is_picture_folder(tmp_path)
    assert not is_picture_folder(tmp_path / "a.csv")


def test_pictures_and_tables_get_a_sentence(photos):
    (photos / "labels.csv").write_text("x\n1\n")
    with pytest.raises(ValueError, match=r"folders of pictures and tables \(labels.csv\)"):
        read_table(photos)


def test_splits_are_no_classes(tmp_path, photos):
    (tmp_path / "all").mkdir()
    for split in ("train", "Test"):
        picture_folder(tmp_path / "all" / split, n=1)
    with pytest.raises(ValueError, match="holds Test, train, which are no classes; pass one"):
        read_table(tmp_path / "all")


def test_pictures_without_folders_get_a_sentence(tmp_path):
    image.new("L", (8, 8)).save(tmp_path / "a.png")
    with pytest.raises(ValueError, match="holds no folder with pictures; put those of each class"):
        read_pictures(tmp_path)


def test_pictures_are_not_read_in_parts(photos):
    with pytest.raises(ValueError, match=r"pass errata.tables.read_pictures"):
        find_files(photos)


def test_pictures_are_copied_into_the_folder_of_their_label(photos, tmp_path):
    out = tmp_path / "out"
    (photos / "stripes" / "d1.png").write_bytes((photos / "stripes" / "s0.png").read_bytes())
    labels = ["disc", "stripes", None, "stripes", "new", "stripes", "stripes"]
    copy_with_rows(photos, out, [True] * 6 + [False], name="label", values=labels)
    assert names_in(out) == [
        *("d2.png", "disc/d0.png", "new/s0.png"),
        *("stripes/d1-2.png", "stripes/d1.png", "stripes/s1.png"),
    ]
    assert (out / "stripes/d1-2.png").read_bytes() == (photos / "disc/d1.png").read_bytes()
    assert (out / "new/s0.png").read_bytes() == (photos / "stripes/s0.png").read_bytes()


def test_a_picture_that_stays_keeps_its_name(photos, tmp_path):
    (photos / "stripes" / "d0.png").write_bytes((photos / "stripes" / "s0.png").read_bytes())
    labels = ["stripes", "disc", "disc", "stripes", "stripes", "stripes", "stripes"]
    copy_with_column(photos, tmp_path / "out", "label", labels)
    kept = (tmp_path / "out" / "stripes" / "d0.png").read_bytes()
    assert kept == (photos / "stripes" / "d0.png").read_bytes()


def test_a_copy_is_whole_or_not_there(photos, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ValueError, match=r"a folder cannot be called '../x'"):
        copy_with_column(photos, out, "label", ["disc"] * 5 + ["../x"])
    assert not out.exists()
    with pytest.raises(ValueError, match="only the labels can"):
        copy_with_column(photos, out, "picture", ["a"] * 6)
    with pytest.raises(ValueError, match="is where the pictures are"):
        copy_with_rows(photos, photos / "out", [True] * 6)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        copy_with_rows(photos, tmp_path / "no" / "out", [True] * 6)
    out.mkdir()
    with pytest.raises(ValueError, match="exists already, and a folder is not replaced"):
        copy_with_rows(photos, out, [True] * 6)


def test_a_table_names_pictures_from_where_it_is():
    table = arrow.table({"x": [1, 2], "photo": ["a.png", None], "other": ["b", "c"]})
    found = join_picture_paths(table, "data").to_pydict()
    assert found == {"x": [1, 2], "photo": ["data/a.png", None], "other": ["b", "c"]}


EDGES = CELLS**2 * ORIENTATIONS


def some_pictures(n=3, seed=0):
    return np.random.default_rng(seed).integers(0, 255, (n, 32, 32, 3), dtype=np.uint8)


def described_slowly(picture):
    """The same, pixel by pixel."""
    grey = picture.astype(float) / 255 @ [0.299, 0.587, 0.114]
    edges, size = np.zeros((CELLS, CELLS, ORIENTATIONS)), 32 // CELLS
    for i in range(32):
        for j in range(32):
            across = grey[i, j + 1] - grey[i, j - 1] if 0 < j < 31 else 0.0
            down = grey[i + 1, j] - grey[i - 1, j] if 0 < i < 31 else 0.0
            turn = np.arctan2(down, across) % np.pi / np.pi * ORIENTATIONS
            low, strength = int(turn), np.hypot(across, down) / size**2
            cell = edges[i // size, j // size]
            cell[low % ORIENTATIONS] += strength * (1 - (turn - low))
            cell[(low + 1) % ORIENTATIONS] += strength * (turn - low)
    edges = np.sqrt(edges / (np.sqrt((edges**2).sum()) + 1e-3))
    shades = np.zeros((3, SHADES))
    for red, green, blue in picture.astype(float).reshape(-1, 3) / 255:
        bright = 0.299 * red + 0.587 * green + 0.114 * blue
        for axis, value in enumerate(
            (bright, (red - green + 1) / 2, (red + green - 2 * blue + 2) / 4)
        ):
            shades[axis, min(int(value * SHADES), SHADES - 1)] += 1 / 32**2
    return np.concatenate([edges.ravel(), np.sqrt(shades).ravel()])


def test_numbers_are_those_of_a_plain_loop():
    pictures = some_pictures()
    found = describe_pictures(pictures)
    assert found.shape == (3, N_NUMBERS)
    slow = np.array([described_slowly(picture) for picture in pictures])
    assert_allclose(found, slow, rtol=0, atol=2e-3)  # the square root of a rounded zero


def test_edges_do_not_depend_on_light_nor_on_which_side_is_dark():
    pictures = some_pictures() // 2
    plain, brighter, inverse = (
        describe_pictures(p)[:, :EDGES] for p in (pictures, pictures + 60, 255 - pictures)
    )
    assert_allclose(brighter, plain, rtol=0, atol=2e-3)
    assert_allclose(inverse, plain, rtol=0, atol=2e-3)


def test_a_picture_of_one_colour_has_no_edges_and_its_colour():
    red = np.zeros((1, 32, 32, 3), dtype=np.uint8)
    red[..., 0] = 255
    found = describe_pictures(red)[0]
    assert_allclose(found[:EDGES], 0, rtol=0, atol=0)
    bright, red_green, yellow_blue = found[EDGES:].reshape(3, SHADES)
    assert bright.tolist() == [0, 0, 1, 0, 0, 0, 0, 0]  # 0.299 of white
    assert red_green.tolist() == [0] * 7 + [1]
    assert yellow_blue.tolist() == [0] * 6 + [1, 0]


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
    monkeypatch.setattr(image, "MAX_IMAGE_PIXELS", 400)  # of 576: it warns below twice as many
    assert features_of(pictures, drop=["label"]).notes == []
