import json

import numpy as np
import pytest

import errata
from auditing.multilabel_cases import flipped, given_probabilities
from errata.review import read_audited

pytest.importorskip("pyarrow", reason="pyarrow is not installed")
NAMES = ["cat", "dog", "owl"]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("pets") / "pets.audit"
    proba, Y = given_probabilities(100)
    noisy = flipped(Y, 0.05, 0.1)[0]
    sets = [[name for name, one in zip(NAMES, row, strict=True) if one] for row in noisy]
    audit = errata.audit_multilabel(None, sets, pred_proba=proba, self_check=False, random_state=0)
    audit.save(path)
    return audit, path


def cards(path):
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path / "cards.parquet")
    return {row: json.loads(card) for row, card in zip(*table.to_pydict().values(), strict=True)}


def test_cards_list_the_labels_with_the_doubted_first(saved):
    audit, path = saved
    row = int(np.argmax(audit.suspicion))
    card = cards(path)[row]
    assert card["label"] == [n for n, one in zip(NAMES, audit.labels[row], strict=True) if one]
    assert card["suggested"] == [
        n for n, one in zip(NAMES, audit.suggested[row], strict=True) if one
    ]
    assert sorted(name for name, *_ in card["cells"]) == NAMES
    doubted = [bool(cell[3]) for cell in card["cells"]]
    assert doubted == sorted(doubted, reverse=True)
    p = {name: p for name, _, p, _ in card["cells"]}
    np.testing.assert_allclose([p[n] for n in NAMES], audit.p_wrong_cells[row], rtol=0, atol=1e-4)
    assert card["similar"] is None  # there is no table to compare rows by


def test_a_row_that_is_not_flagged_doubts_its_worst_label(saved):
    audit, path = saved
    row = next(row for row in cards(path) if not audit.flagged[row])
    changed = set(cards(path)[row]["label"]) ^ set(cards(path)[row]["suggested"])
    assert changed == {NAMES[audit.p_wrong_cells[row].argmax()]}


def test_a_row_is_wrong_when_any_label_is(saved):
    audit, path = saved
    judged = audit.p_wrong_cells[:, audit.can_be_judged]
    np.testing.assert_allclose(audit._p_row, 1 - np.prod(1 - judged, axis=1), rtol=1e-12)
    assert (audit._p_row >= audit.p_wrong - 1e-12).all()
    read = read_audited(path)
    np.testing.assert_allclose(read.p_wrong, audit._p_row, rtol=1e-12)
    assert read.labels[0] == [n for n, one in zip(NAMES, audit.labels[0], strict=True) if one]
    assert read.suggested == [
        [n for n, one in zip(NAMES, row, strict=True) if one] for row in audit.suggested
    ]
