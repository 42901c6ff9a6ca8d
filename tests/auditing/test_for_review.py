import json

import numpy as np
import pytest

import errata
from auditing_cases import QUICK, blobs
from errata.noise import flip_labels
from errata.review.inference import Components

parquet = pytest.importorskip("pyarrow.parquet", reason="the tables extra is not installed")
X, CODES = blobs(150)
LABELS, FLIPPED = flip_labels(np.array(["ant", "bee", "cat"])[CODES], n_flips=12, random_state=0)
FIELDS = "classes id image key label p_wrong picture reasons row similar speaking suggested values"


def audited(X=X, labels=LABELS, **options):
    options = {"estimators": QUICK, "self_check": False, "random_state": 0} | options
    return errata.audit(X, labels, **options)


def cards_of(audit, folder):
    audit.save(folder / "pets.audit")
    table = parquet.read_table(folder / "pets.audit" / "cards.parquet")
    cards = [json.loads(text) for text in table["card"].to_pylist()]
    assert [card["row"] for card in cards] == table["row"].to_pylist()
    return cards


@pytest.fixture(scope="module")
def audit():
    return audited({f"x{j}": X[:, j] for j in range(4)})


def test_a_card_tells_all_there_is_to_tell_of_a_flagged_row(audit, tmp_path):
    cards = cards_of(audit, tmp_path)
    assert len(cards) >= audit.flagged.sum() >= 10
    first = cards[0]
    assert " ".join(sorted(first)) == FIELDS
    row = first["row"]
    assert row == audit.suspicion.argmax()
    assert (first["label"], first["suggested"]) == (audit.labels[row], audit.suggested[row])
    assert first["p_wrong"] == pytest.approx(audit.p_wrong[row], abs=1e-4)
    assert first["key"] == f"row.{row}"
    assert first["values"] == {f"x{j}": str(X[row, j]) for j in range(4)}
    assert first["reasons"] == audit.examples[0]["reasons"]


def test_classes_come_by_their_probability_given_everything(audit, tmp_path):
    for card in cards_of(audit, tmp_path):
        names, chances = zip(*card["classes"], strict=True)
        assert sorted(chances, reverse=True) == list(chances)
        assert sum(chances) == pytest.approx(1, abs=1e-3)
        assert dict(card["classes"])[card["label"]] == pytest.approx(1 - card["p_wrong"], abs=2e-4)
        assert next(name for name in names if name != card["label"]) == card["suggested"]
        if audit.flagged[card["row"]]:
            p_suggested = audit.p_suggested[card["row"]]
            assert dict(card["classes"])[card["suggested"]] == pytest.approx(p_suggested, abs=2e-4)


def test_similar_rows_are_the_nearest_whatever_their_label(audit, tmp_path):
    card = cards_of(audit, tmp_path)[0]
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    away = np.sqrt(((scaled - scaled[card["row"]]) ** 2).sum(axis=1))
    rows = [near["row"] for near in card["similar"]]
    assert rows == np.argsort(away)[1:6].tolist()
    for near in card["similar"]:
        assert near["distance"] == pytest.approx(away[near["row"]], abs=1e-4)
        assert near["label"] == audit.labels[near["row"]]
        assert near["values"] == {n: str(X[near["row"], int(n[1])]) for n in card["speaking"]}


def test_rows_drawn_for_a_review_have_cards_after_the_flagged_ones(audit, tmp_path):
    cards = cards_of(audit, tmp_path)
    piles = json.loads((tmp_path / "pets.audit" / "audit.json").read_text())["piles"]
    drawn = {*(row for row, *_ in piles["calibration"]), *piles["spot"]}
    rows = [card["row"] for card in cards]
    assert len(set(rows)) == len(rows)
    assert set(rows[audit.flagged.sum() :]) == drawn - set(np.flatnonzero(audit.flagged).tolist())
    assert all(card["suggested"] != card["label"] for card in cards)


def test_components_say_what_p_wrong_does_on_the_mean(audit, tmp_path):
    audit.save(tmp_path / "pets.audit")
    found = json.loads((tmp_path / "pets.audit" / "audit.json").read_text())
    table = parquet.read_table(tmp_path / "pets.audit" / "components.parquet")
    components = Components.from_dict(found["components"])
    p = np.column_stack([table[name] for name in table.column_names])
    assert p.dtype == np.float32
    assert p.shape == (150, len(components.kinds) - 1)  # what was missed is told by two others
    expected = components.p_wrong(p, audit.flagged).sum()
    assert expected == pytest.approx(audit.p_wrong.sum(), rel=1e-3)
    assert isinstance(found["piles"]["seed"], int)


def test_row_groups_are_small_and_neighbours_end_with_the_time(audit, tmp_path, monkeypatch):
    for place, number in (
        ("audit_folder._files.CARD_GROUP", 4),
        ("auditing.examples._review.CARDS_AT_ONCE", 5),
        ("auditing.examples._review.CARD_TIME", 0.0),
    ):
        monkeypatch.setattr(f"errata.{place}", number)
    cards = cards_of(audit, tmp_path)
    assert all(card["similar"] for card in cards[:5])
    for card in cards[5:]:
        assert card["similar"] is None
        assert len(card["reasons"]) == 1
        assert card["speaking"] == ["x0", "x1", "x2", "x3"]
    file = parquet.ParquetFile(tmp_path / "pets.audit" / "cards.parquet")
    assert max(file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)) == 4


def test_numbers_are_labels_of_their_own_kind(tmp_path):
    labels, _ = flip_labels(CODES, n_flips=12, random_state=0)
    card = cards_of(audited(labels=labels), tmp_path)[0]
    assert type(card["label"]) is type(card["suggested"]) is int
    assert {type(name) for name, _ in card["classes"]} == {int}


def test_pixels_are_drawn_and_pictures_in_files_are_named(tmp_path):
    card = cards_of(audited(image_shape=(2, 2)), tmp_path)[0]
    assert card["values"] == {}
    assert all(c["image"].startswith("data:image/png") for c in (card, *card["similar"]))
    named = {"x": X[:, 0], "y": X[:, 1], "scan": [f"scans/{i}.png" for i in range(150)]}
    card = cards_of(audited(named), tmp_path)[0]
    assert card["picture"] == f"scans/{card['row']}.png"
    assert card["image"] is None


def test_a_row_of_a_class_of_its_own_has_a_card_without_classes(tmp_path):
    labels = LABELS.astype(object)
    labels[4] = "yak"
    card = next(c for c in cards_of(audited(labels=labels), tmp_path) if c["row"] == 4)
    assert card["classes"] == []
    assert card["similar"] is None
    assert card["suggested"] == card["label"] == "yak"


def test_without_a_table_there_are_reasons_only(tmp_path):
    random = np.random.default_rng(0)
    proba = 0.7 * np.eye(3)[CODES] + 0.3 * random.dirichlet(np.ones(3), len(CODES))
    card = cards_of(audited(None, pred_proba=proba, estimators=[]), tmp_path)[0]
    assert (card["values"], card["speaking"], card["similar"]) == ({}, [], None)


def test_cards_of_an_audit_that_was_loaded_are_saved_with_it(audit, tmp_path):
    audit.save(tmp_path / "first.audit")
    errata.Audit.load(tmp_path / "first.audit").save(tmp_path / "second.audit")
    for name in ("audit.json", "cards.parquet", "components.parquet"):
        first, second = ((tmp_path / f"{n}.audit" / name) for n in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()


def test_recordings_have_cards_without_neighbours(walks, tmp_path):
    audit, _ = walks
    cards = cards_of(audit, tmp_path)
    assert len(cards) >= audit.flagged.sum() > 0
    assert cards[0]["similar"] is None
    assert set(cards[0]["values"]) == {"t", "up", "side"}
