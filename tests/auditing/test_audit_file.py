import numpy as np
import pytest

import errata
from errata.tables import read_table, write_table

N = 60


@pytest.fixture(scope="module")
def pets(tmp_path_factory, few_trees):
    random = np.random.default_rng(0)
    is_dog = np.arange(N) % 2 == 1
    table = {
        "tag": [f"t{row}" for row in range(N)],
        "weight": np.where(is_dog, 30.0, 4.0) + random.normal(size=N),
        "legs": random.normal(size=N),
        "source": np.where(np.arange(N) < 20, "north", "south"),
        "pet": np.where(is_dog, "dog", "cat").tolist(),
        "price": np.where(is_dog, 300.0, 40.0) + random.normal(size=N),
    }
    table["pet"][7] = "cat"
    path = tmp_path_factory.mktemp("pets") / "pets.csv"
    write_table(path, table)
    return path


def audited(path, label="pet", **how):
    how = {"drop": ["tag", "price"], "self_check": False, "random_state": 0} | how
    return errata.audit_file(path, label, **how)


def test_what_it_finds_is_cleaned_in_a_file_that_was_sorted_since(pets, tmp_path):
    audit = audited(pets)
    assert audit._about["label"] == "pet"
    assert audit._about["table"] == str(pets)
    rows = read_table(pets).to_pylist()
    write_table(tmp_path / "sorted.csv", {k: [r[k] for r in rows[::-1]] for k in rows[0]})
    audit.clean_file(tmp_path / "sorted.csv", tmp_path / "clean.csv")
    left = read_table(tmp_path / "clean.csv")["tag"].to_pylist()
    assert "t7" not in left
    assert len(left) > N / 2


def test_it_finds_what_an_audit_of_the_same_table_finds(pets):
    table = read_table(pets).select(["weight", "legs", "source", "pet"])
    beside = errata.audit(table, "pet", self_check=False, random_state=0)
    np.testing.assert_allclose(audited(pets).p_wrong, beside.p_wrong, rtol=0, atol=1e-12)


def test_columns_are_named(pets):
    audit = audited(pets, ids="tag", by="source", drop=["price"])
    assert audit._ids[7] == "t7"
    assert audit.summary()["by"]["column"] == "source"
    assert "`by` source" in " ".join(audited(pets).notes)


def test_numbers_are_another_kind(pets):
    audit = errata.audit_file(
        pets, target="price", drop=["tag", "pet"], self_check=False, random_state=0
    )
    assert isinstance(audit, errata.TargetAudit)
    assert len(audit) == N


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"label": None}, r"say which column holds the labels, with `label`, or numbers"),
        ({"label": "pte"}, r"has no column 'pte'; did you mean 'pet'"),
        ({"drop": ["pet"]}, r"column 'pet' holds the labels; leave it out of `drop`\."),
        ({"trust": ["tag"]}, r"'tag' is in `trust` and in `drop`; only a feature can be trusted"),
        ({"target": "price"}, r"`label` does not go with `target`; leave one of them out\."),
        ({"item": "tag"}, r"`item` needs `worker` beside it: an audit of votes"),
        ({"image_shape": (2, 2)}, r"`image_shape` 2x2 takes 4 columns, but 3 are left"),
        ({"fs": 250.0}, r"`fs` is for recordings; name them with `sequence`"),
        ({"label": "weight"}, r"column 'weight' .*measure"),
    ],
)
def test_what_does_not_go_together_gets_a_sentence(pets, how, sentence):
    with pytest.raises(ValueError, match=sentence):
        audited(pets, **how)


def split(pets, folder):
    """The table in two files."""
    rows = read_table(pets)
    for part in range(2):
        half = rows.slice(30 * part, 30)
        write_table(
            folder / f"pets-{part}.csv", {k: half[k].to_pylist() for k in half.schema.names}
        )


def test_a_pattern_is_read_in_parts_and_known_from_anywhere(pets, tmp_path, monkeypatch):
    split(pets, tmp_path)
    monkeypatch.chdir(tmp_path)
    audit = audited("pets-*.csv", ids="tag", by="source", drop=["price"], out="pets.audit")
    assert audit._about["table"] == str(tmp_path / "pets-*.csv")
    assert audit._about["id"] == "tag"
    loaded = errata.Audit.load("pets.audit")
    assert loaded._about == audit._about
    assert loaded.summary()["by"]["column"] == "source"
    at_once = audited(pets, ids="tag", by="source", drop=["price"])
    np.testing.assert_allclose(loaded.p_wrong, at_once.p_wrong, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({}, "which needs a folder for the audit: pass out"),
        ({"out": "x.audit", "image_shape": (1, 2)}, "`image_shape` needs the table in memory"),
        ({"out": "x.audit", "label": None, "target": "price"}, "an audit of numeric targets needs"),
    ],
)
def test_what_takes_a_table_in_memory_says_so(pets, tmp_path, how, sentence):
    split(pets, tmp_path)
    how = {"drop": ["tag"]} | how | ({"out": tmp_path / how["out"]} if "out" in how else {})
    with pytest.raises(ValueError, match=sentence):
        audited(tmp_path, **how)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_table_in_memory_takes_no_folder(pets, tmp_path):
    with pytest.raises(ValueError, match="`out` is for tables that are read in parts"):
        audited(pets, out=tmp_path / "x.audit")
