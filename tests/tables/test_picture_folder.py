import os

import pytest

from errata.tables import copy_with_column, copy_with_rows, read_pictures, read_table
from errata.tables._pictures import find_other_files, is_picture_folder, join_picture_paths
from errata.tables.stored._files import find_files
from tables.picture_cases import image, picture_folder

arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


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
    assert find_other_files(photos) == ["disc/notes.md"]


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
