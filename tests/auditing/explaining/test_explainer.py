import numpy as np
import pytest
from numpy.testing import assert_allclose

import errata
from auditing.explaining_cases import HOW, WRONG, pets
from auditing_cases import CODES, QUICK, X
from errata.auditing import load_audit
from errata.auditing.examples._explanations import chosen_row


def weights(explanation):
    return {column["column"]: column["against"] for column in explanation.columns}


def test_the_column_that_decides_comes_first_and_others_say_little(audit):
    found = audit.explain(WRONG)
    assert (found.label, found.suggested) == ("cat", "dog")
    assert found.columns[0]["column"] == "height"
    against = weights(found)
    assert against.pop("height") > 3
    assert max(map(abs, against.values())) < 0.7


def test_what_speaks_for_a_right_label_is_below_zero(audit):
    found = audit.explain(WRONG + 2)
    assert found.columns[-1]["column"] == "height"
    assert found.columns[-1]["against"] < -1.5


def test_without_the_column_nothing_is_known(audit):
    height = audit.explain(WRONG).columns[0]
    assert_allclose(height["p_label"], 0.5, rtol=0, atol=0.15)


def test_the_order_of_columns_does_not_matter(audit):
    table, labels = pets()
    turned = errata.audit(dict(reversed(table.items())), labels, **HOW).explain(WRONG)
    one, other = weights(audit.explain(WRONG)), weights(turned)
    assert [*one] == [*other]
    assert_allclose([*one.values()], [*other.values()], rtol=0, atol=2e-4)


def test_a_column_of_words_is_left_out_as_a_whole():
    table, labels = pets()
    table["voice"] = np.where(np.arange(len(labels)) % 2, "barks", "purrs")
    found = errata.audit(table, labels, drop=["height"], trust=["voice"], **HOW)
    first = found.explain(WRONG).columns[0]
    assert (first["column"], first["value"]) == ("voice", "barks")


def test_what_each_model_says_and_the_rows_around(audit):
    found = audit.explain(WRONG)
    assert {model["model"] for model in found.models} == {"GaussianNB", "neighbours"}
    assert all(model["p_suggested"] > model["p_label"] for model in found.models)
    assert_allclose(sum(model["weight"] for model in found.models), 1, rtol=0, atol=1e-3)
    assert found.p_label < 0.2 < 0.8 < found.p_suggested
    assert [near["label"] for near in found.neighbors] == ["dog"] * 5
    assert WRONG not in [near["row"] for near in found.neighbors]
    assert all(near["id"] == f"pet {near['row']}" for near in found.neighbors)


def test_a_row_is_known_by_its_place_or_its_name(audit):
    by_name = audit.explain(f"pet {WRONG}")
    assert by_name == audit.explain(np.int64(WRONG))
    assert (by_name.row, by_name.id) == (WRONG, f"pet {WRONG}")


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (120, "there is no row 120; the rows are 0 to 119"),
        (-1, "there is no row -1"),
        ("pet 999", "no row is called 'pet 999'; did you mean"),
        (True, "no row is called 'True'"),
    ],
)
def test_a_row_that_is_not_there(audit, row, sentence):
    with pytest.raises(ValueError, match=sentence):
        audit.explain(row)


def test_names_that_do_not_tell_rows_apart():
    with pytest.raises(ValueError, match="2 rows are called 'a'; pass its place instead"):
        chosen_row("a", 3, np.array(["a", "b", "a"]))
    with pytest.raises(ValueError, match="row='a' must be the place of a row"):
        chosen_row("a", 3, None)


@pytest.mark.parametrize("lonely", [9, -1])  # the last of the classes, the first
def test_a_row_that_was_not_audited(lonely):
    labels = CODES.astype(object)
    labels[4] = None
    labels[5] = lonely
    found = errata.audit(X, labels, estimators=QUICK, self_check=False, random_state=0)
    with pytest.raises(ValueError, match="row 4 was not audited, as it has no label"):
        found.explain(4)
    with pytest.raises(ValueError, match="row 5 was not audited, as its label is the only one"):
        found.explain(5)
    assert found.explain(6).row == 6


def test_an_audit_without_its_table_says_so(audit, tmp_path):
    audit.save(tmp_path / "pets.audit")
    with pytest.raises(ValueError, match="does not hold its table any more"):
        load_audit(tmp_path / "pets.audit").explain(WRONG)


def test_recordings_and_other_kinds_say_so(walks):
    with pytest.raises(ValueError, match="not in recordings"):
        walks[0].explain(0)
    votes = errata.audit_votes(np.c_[CODES, CODES, CODES], random_state=0)
    with pytest.raises(ValueError, match=r"not in .* votes"):
        votes.explain(0)
    numbers = errata.audit_targets(X, X[:, 0], self_check=False, random_state=0)
    with pytest.raises(ValueError, match=r"in an audit of classes .* but this is a TargetAudit"):
        numbers.explain(0)


def test_embeddings_have_no_columns():
    found = errata.audit({"name": list("ab" * 30)}, CODES, embeddings=X, **HOW).explain(3)
    assert found.columns == []
    assert "models looked at embeddings instead" in str(found)


def test_rows_of_a_group_do_not_stand_in_for_each_other():
    groups = np.arange(60) // 30
    found = errata.audit(X, CODES, groups=groups, **HOW)
    explainer = found.for_review.explainer
    stand_in = explainer._others(40)
    seen = groups[explainer.learnt.inputs.audited]
    own = explainer.learnt.data.X[seen == seen[40]]
    assert len(stand_in) == 30
    assert not (stand_in[:, None] == own[None]).all(axis=2).any()


def test_probabilities_alone_cannot_be_asked():
    proba = np.full((60, 3), 0.1) + 0.7 * np.eye(3)[CODES]
    found = errata.audit(None, CODES, pred_proba=proba, self_check=False, random_state=0)
    with pytest.raises(ValueError, match="looked at no columns"):
        found.explain(0)
