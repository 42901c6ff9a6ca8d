"""Pictures: only those that the table names, under the folder, decoded and encoded anew."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as image

from review.review_cases import write_audit
from review.reviewing import Page

NAMES = {
    0: "good.png",
    1: "../outside.png",
    2: "link.png",
    3: "drawing.svg",
    4: "broken.png",
    5: "missing.png",
    6: "huge.png",
    7: "photo.jpg",
    8: "a\x00b.png",
    9: ".",
}


@pytest.fixture
def page(tmp_path):
    root = tmp_path / "pictures"
    root.mkdir()
    dots = image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3))
    dots.save(root / "good.png", pnginfo=None)
    dots.save(tmp_path / "outside.png")
    (root / "link.png").symlink_to(tmp_path / "outside.png")
    (root / "drawing.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'
    )
    (root / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    image.new("1", (10_001, 5_000)).save(root / "huge.png")
    image.new("RGB", (3000, 2000), (200, 30, 30)).save(root / "photo.jpg")
    names = NAMES | {10: str(tmp_path / "outside.png")}
    audit = write_audit(tmp_path / "pets.audit", picture=lambda row: names.get(row, "good.png"))
    with Page(audit, images=root) as opened:
        yield opened


def test_a_picture_is_encoded_anew(page):
    answer = page.get("/image/0")
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    with image.open(io.BytesIO(answer.content)) as shown:
        assert (np.asarray(shown.convert("RGB")).ravel() == np.arange(48)).all()


def test_a_photograph_is_sent_no_larger_than_a_screen(page):
    answer = page.get("/image/7")
    assert answer.headers["content-type"] == "image/jpeg"
    with image.open(io.BytesIO(answer.content)) as shown:
        assert max(shown.size) <= 2048


def test_rows_most_like_it_are_shown_as_pictures(page):
    assert '<img src="/image/5/1" alt="">' in page.get("/card/5").text
    answer = page.get("/image/5/1")  # photo.jpg of row 7
    assert answer.headers["content-type"] == "image/jpeg"
    assert page.get("/image/0/0").status_code == 404  # outside of the folder
    assert page.get("/image/5/5").status_code == 404  # there are five of them
    assert page.get("/image/5/x").status_code == 404


@pytest.mark.parametrize(
    ("row", "status", "sentence"),
    [
        (1, 404, "is not in"),
        (2, 404, "is not in"),
        (10, 404, "is not in"),
        (3, 415, "not a picture"),
        (4, 415, "not a picture"),
        (5, 404, "There is no file missing.png"),
        (6, 415, "10,001 times 5,000 pixels, more than 50,000,000"),
        (8, 404, "There is no file"),
        (9, 404, "There is no file"),
    ],
)
def test_what_is_no_picture_of_the_table_is_not_sent(page, row, status, sentence):
    answer = page.get(f"/image/{row}")
    assert answer.status_code == status
    assert sentence in answer.text


@pytest.mark.parametrize(
    "path", ["/image/../../etc/passwd", "/image/%2e%2e%2fx", "/image/good.png"]
)
def test_an_address_names_no_file(page, path):
    assert page.get(path).status_code == 404


def test_the_card_says_which_picture_is_missing(page):
    assert "There is no file missing.png in" in page.get("/card/5").text


def test_without_a_folder_the_card_says_how_to_name_it(tmp_path):
    audit = write_audit(tmp_path / "pets.audit", picture=lambda row: "cat.png")
    with Page(audit) as page:
        assert "say where it is with --images" in page.get("/card/0").text


@pytest.mark.parametrize("name", ["linked", "linked/../linked", "./pictures"])
def test_the_folder_of_pictures_may_be_a_link_or_relative(tmp_path, monkeypatch, name):
    (tmp_path / "pictures").mkdir()
    image.new("RGB", (4, 4)).save(tmp_path / "pictures" / "cat.png")
    image.new("RGB", (4, 4)).save(tmp_path / "outside.png")
    (tmp_path / "linked").symlink_to("pictures")
    monkeypatch.chdir(tmp_path)
    named = {0: "cat.png", 1: "../outside.png"}
    audit = write_audit(tmp_path / "pets.audit", picture=lambda row: named.get(row, ""))
    with Page(audit, images=Path(name)) as page:
        assert page.get("/image/0").headers["content-type"] == "image/png"
        assert page.get("/image/1").status_code == 404
