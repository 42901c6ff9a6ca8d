import numpy as np
import pandas as pd
import pytest

import errata
from auditing_cases import QUICK, blobs
from errata.audit_folder import CARDS, GOLD_CARDS, CardFile, Components, read_numbers
from errata.noise import flip_labels

X, CODES = blobs(300)
KNOWN = np.arange(len(CODES)) % 3 == 0
NOISY = np.where(KNOWN, CODES, flip_labels(CODES, n_flips=40, random_state=0)[0])
NAMES = np.array(["cat", "dog", "owl", "fox"])


def read(folder, name=GOLD_CARDS):
    file = CardFile(folder / name)
    cards = [file.card(place) for place in range(len(file))]
    file.close()
    return cards


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gold")
    table = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    table["pet"] = NAMES[NOISY]
    table["sure"] = np.where(KNOWN, "yes", "no")
    table.to_csv(folder / "pets.csv", index=False)
    audit = errata.audit_file(
        folder / "pets.csv", label="pet", known="sure", self_check=False, random_state=0
    )
    audit.save(folder / "pets.audit")
    return folder / "pets.audit"


def test_half_of_the_rows_that_are_certain_are_shown_with_another_label(folder):
    cards = read(folder)
    certain = NAMES[CODES]
    assert {card["row"] for card in cards} == set(np.flatnonzero(KNOWN).tolist())
    planted = [card["label"] != certain[card["row"]] for card in cards]
    assert sum(planted) == len(cards) // 2
    by_label = {True: [], False: []}
    for card, is_planted in zip(cards, planted, strict=True):
        by_label[is_planted].append(card["p_wrong"])
    assert np.mean(by_label[True]) > 0.5 > 0.2 > np.mean(by_label[False]) > 0
    for card in cards:
        assert card["suggested"] != card["label"]
        chances = dict(card["classes"])
        assert 1 - chances[card["label"]] == pytest.approx(card["p_wrong"], abs=2e-4)


def test_a_gold_card_looks_like_any_other(folder):
    gold = read(folder)[0]
    other = read(folder, CARDS)[0]
    assert gold.keys() - other.keys() == {"flagged", "components"}
    assert gold["values"].keys() == other["values"].keys() == {f"x{j}" for j in range(X.shape[1])}


def test_the_hypotheses_of_a_gold_row_are_those_of_the_audit(folder):
    components = Components.from_dict(read_numbers(folder)["components"])
    cards = read(folder)
    p = np.array([card["components"] for card in cards])
    told = np.array([card["p_wrong"] for card in cards])
    weights = components.of_others.sum(axis=1)
    assert p.shape == (int(KNOWN.sum()), len(weights))
    assert np.corrcoef(p @ weights, told)[0, 1] > 0.9


def test_gold_rows_are_kept_when_an_audit_is_saved_again(folder, tmp_path):
    errata.Audit.load(folder).save(tmp_path / "again.audit")
    assert read(tmp_path / "again.audit") == read(folder)


def test_without_a_label_that_is_certain_there_are_none(tmp_path):
    audit = errata.audit(X, NOISY, estimators=QUICK, self_check=False, random_state=0)
    audit.save(tmp_path / "plain.audit")
    assert not (tmp_path / "plain.audit" / GOLD_CARDS).exists()
    errata.Audit.load(tmp_path / "plain.audit").save(tmp_path / "again.audit")
    assert not (tmp_path / "again.audit" / GOLD_CARDS).exists()
