"""A folder of pictures, and a table that names pictures, on the command line."""

import io
import os

import numpy as np
import pytest
from PIL import Image

import errata
from cli.command_line import invoke
from errata.tables import read_table, write_table
from review.reviewing import serving
from tables.picture_cases import picture_folder

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("jinja2", reason="jinja2 is not installed")

WRONG = ("stripes/d3.png", "disc/s7.png")


def run(*arguments):
    return invoke(*arguments)


def refused(result, sentence):
    assert result.exit_code == 2, result.output
    assert sentence in " ".join(result.stderr.split())


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Forty pictures, two of them in the wrong folder, beside their audit."""
    folder = picture_folder(tmp_path_factory.mktemp("case") / "photos")
    for name in WRONG:
        right = {"d": "disc", "s": "stripes"}[name.split("/")[1][0]]
        (folder / right / name.split("/")[1]).rename(folder / name)
    (folder / "disc" / "readme.md").write_text("discs")
    result = run("audit", folder, "--no-self-check")
    assert result.exit_code == 0, result.output
    assert "Passed over 1 file not named as pictures: disc/readme.md." in " ".join(
        result.stdout.split()
    )
    return folder


def test_pictures_in_the_wrong_folder_are_found_and_named(photos):
    ranked = read_table(photos.with_name("photos.audit") / "ranked.csv").to_pydict()
    assert set(ranked["id"][:2]) == set(WRONG)
    assert ranked["flagged"] == ["1"] * 2 + ["0"] * 38


def test_the_report_shows_pictures(photos):
    audit = errata.Audit.load(photos.with_name("photos.audit"))
    assert all(e["image"].startswith("data:image/") for e in audit.examples)


def test_the_review_looks_for_pictures_in_the_folder(photos):
    first = read_table(photos)["picture"][0].as_py()
    with serving(photos.with_name("photos.audit")) as server, server.client() as client:
        shown = client.get("/image/0").content
    with Image.open(io.BytesIO(shown)) as seen, Image.open(photos / first) as kept:
        assert np.array_equal(seen.convert("RGB"), kept.convert("RGB"))


def test_clean_copies_the_others(photos, tmp_path):
    audit = photos.with_name("photos.audit")
    assert run("clean", audit, "-o", tmp_path / "a").exit_code == 0
    assert set(read_table(photos)["picture"].to_pylist()) == {
        *read_table(tmp_path / "a")["picture"].to_pylist(),
        *WRONG,
    }
    assert run("clean", audit, "-o", tmp_path / "b", "-a", "relabel", "--sure", 0).exit_code == 0
    assert os.path.exists(tmp_path / "b" / "disc" / "d3.png")
    refused(run("clean", audit, "-o", tmp_path / "b", "--force"), "a folder is not replaced")
    refused(run("clean", audit, "-o", photos / "out"), "is where the pictures are")


def test_noise_puts_pictures_into_the_wrong_folders(photos, tmp_path):
    result = run("noise", photos, "--rate", "0.1", "-o", tmp_path / "noisy")
    assert result.exit_code == 0, result.output
    truth = read_table(tmp_path / "noisy.truth.csv").to_pydict()
    assert truth["flipped"].count("1") == 4
    labels = read_table(tmp_path / "noisy")["label"].to_pylist()
    assert sorted(labels) == sorted(truth["label"])


def test_a_table_names_pictures_from_where_it_is(photos, monkeypatch):
    """Names give the label by their order, which no model must see."""
    names, labels = read_table(photos).to_pydict().values()
    number = np.random.default_rng(0).normal(size=len(names)).round(3)
    columns = {"photo": [f"photos/{name}" for name in names], "number": number, "class": labels}
    write_table(photos.with_name("table.csv"), columns)
    (photos.with_name("elsewhere")).mkdir()
    monkeypatch.chdir(photos.with_name("elsewhere"))
    result = run("audit", "../table.csv", "-l", "class", "-o", "a", "--no-self-check")
    assert result.exit_code == 0, result.output
    audit = errata.Audit.load("a")
    assert {names[row] for row in np.argsort(-audit.suspicion)[:2]} == set(WRONG)
    assert not [note for note in audit.notes if "looks made from the label" in note]
    assert audit.examples[0]["image"].startswith("data:image/")


def test_pictures_that_cannot_be_read_are_not_each_others_copies(tmp_path):
    folder = picture_folder(tmp_path / "photos", n=8)
    for name in ("disc/broken.png", "stripes/torn.png"):
        (folder / name).write_bytes(b"no picture")
    result = run("audit", folder, "--no-self-check")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "2 pictures of 'picture' are not there, or cannot be read" in said
    assert "equal to each other" not in said


def test_pictures_of_one_class_get_a_sentence(tmp_path):
    folder = picture_folder(tmp_path / "photos", n=2)
    for path in (folder / "stripes").iterdir():
        path.unlink()
    refused(run("audit", folder), "holds one class only (disc)")
    refused(run("audit", folder, "-l", "class"), "has no column 'class'")
    refused(run("audit", folder, "--memory", "1GB"), "which are not read in parts")


def test_numbers_are_audited_by_pictures_and_by_embeddings(photos, monkeypatch):
    monkeypatch.chdir(photos.parent)
    names = read_table("photos")["picture"].to_pylist()
    random = np.random.default_rng(0)
    width = np.array([10.0 * ("/d" in name) for name in names]) + random.normal(size=len(names))
    width[5] = 400.0
    columns = {"photo": [f"photos/{name}" for name in names], "width": width.round(3)}
    write_table("widths.csv", columns)
    np.save("e.npy", np.column_stack([width > 5, random.normal(size=len(names))]))
    for number, options in enumerate(([], ["--embeddings", "e.npy"])):
        out = f"{number}.audit"
        result = run(
            "audit", "widths.csv", "--target", "width", "-o", out, "--no-self-check", *options
        )
        assert result.exit_code == 0, result.output
        assert errata.TargetAudit.load(out).suspicion.argmax() == 5
