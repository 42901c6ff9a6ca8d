from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import errata
from auditing.explaining_cases import HOW, WRONG, pets
from auditing_cases import CODES, GROUPS, QUICK, X
from errata.auditing import default_models, load_audit
from errata.auditing.examples import _explanations
from errata.auditing.examples._explanations import (
    ModelsByFold,
    RowExplanation,
    feature_places,
    leave_columns_out,
)
from errata.auditing.examples._review import chosen_row
from errata.auditing.models._base import NewRows, TrainingData
from errata.auditing.models._default import NearestRows
from errata.tables import features_of


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


def write_pets(file, weight=0.0):
    columns = {f"x{j}": column + weight for j, column in enumerate(X.T)}
    errata.tables.write_table(file, columns | {"pet": CODES, "noise": CODES})


def test_an_audit_that_was_loaded_finds_its_file_again(tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    write_pets(old / "pets.csv")
    how = {"drop": ["noise"], "self_check": False, "random_state": 0}
    audit = errata.audit_file(old / "pets.csv", "pet", **how)
    audit.save(old / "pets.audit")
    expected = audit.explain(3)
    old.rename(tmp_path / "new")  # both have moved
    loaded = errata.Audit.load(tmp_path / "new" / "pets.audit")
    why = loaded.explain(3)
    assert str(why) == str(expected)
    assert {column["column"] for column in why.columns} == {f"x{j}" for j in range(X.shape[1])}
    write_pets(tmp_path / "new" / "pets.csv", weight=1.0)
    assert str(loaded.explain(3)) == str(expected)  # it was read once
    with pytest.raises(ValueError, match="not as it was audited"):
        loaded.explain(3, tmp_path / "new" / "pets.csv")
    (tmp_path / "new" / "pets.csv").unlink()
    with pytest.raises(FileNotFoundError, match="pass where it is as `table`"):
        errata.Audit.load(tmp_path / "new" / "pets.audit").explain(3)


def test_an_audit_that_was_loaded_takes_its_table(audit, tmp_path):
    audit.save(tmp_path / "pets.audit")
    loaded = load_audit(tmp_path / "pets.audit")
    table, _ = pets()
    why = loaded.explain(WRONG, table)
    assert (why.label, why.suggested) == ("cat", "dog")
    assert why.columns[0]["column"] == "height"


def test_an_audit_of_a_file_takes_it_as_a_dataframe(tmp_path):
    write_pets(tmp_path / "pets.csv")
    frame = pd.read_csv(tmp_path / "pets.csv").assign(owner=np.arange(len(CODES)) // 2)
    frame.to_csv(tmp_path / "pets.csv", index=False)
    how = {"drop": ["noise"], "groups": "owner", "self_check": False, "random_state": 0}
    audit = errata.audit_file(tmp_path / "pets.csv", "pet", **how)
    audit.save(tmp_path / "pets.audit")
    (tmp_path / "pets.csv").unlink()
    loaded = errata.Audit.load(tmp_path / "pets.audit")
    why, expected = loaded.explain(3, frame), audit.explain(3)
    assert (why.models, why.neighbors) == (expected.models, expected.neighbors)
    assert [c["column"] for c in why.columns] == [c["column"] for c in expected.columns]
    with pytest.raises(ValueError, match="not as it was audited"):
        loaded.explain(3, frame[::-1])


def test_a_dataframe_without_the_file_of_embeddings(tmp_path):
    write_pets(tmp_path / "pets.csv")
    np.save(tmp_path / "x.npy", X)
    how = {"embeddings": tmp_path / "x.npy", "self_check": False, "random_state": 0}
    errata.audit_file(tmp_path / "pets.csv", "pet", **how).save(tmp_path / "pets.audit")
    loaded = errata.Audit.load(tmp_path / "pets.audit")
    with pytest.raises(ValueError, match="took embeddings from a file; pass its table as a path"):
        loaded.explain(3, pd.read_csv(tmp_path / "pets.csv"))


def test_a_model_of_ones_own_is_not_made_again(tmp_path):
    write_pets(tmp_path / "pets.csv")
    audit = errata.audit_file(
        tmp_path / "pets.csv", "pet", drop=["noise"], estimator=GaussianNB(), self_check=False
    )
    audit.save(tmp_path / "pets.audit")
    with pytest.raises(ValueError, match="does not say how its table was audited"):
        errata.Audit.load(tmp_path / "pets.audit").explain(3)


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
    explainer = found._for_review.explainer
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


def learnt(**how):
    how = {"estimators": QUICK, "self_check": False, "random_state": 0} | how
    return errata.audit(X, CODES, **how)._for_review.explainer.learnt


def test_groups_stay_together():
    found = learnt(groups=GROUPS)
    folds, groups = ModelsByFold(found).folds, GROUPS[found.inputs.audited]
    assert all(len(set(folds[group == groups])) == 1 for group in np.unique(GROUPS))
    assert len(set(folds)) > 5


def test_neighbours_of_a_row_are_outside_its_fold():
    folds = np.arange(60) % 10
    data = TrainingData(X, CODES, n_classes=3, folds=folds, more_rows=True)
    rows = NewRows(X[[3, 13]], folds=np.array([3, 3]))
    model = NearestRows("near", 5, data)
    told = model.predict_proba(rows)
    changed = np.where(folds == 3, 0, CODES)
    again = replace(model, data=replace(data, codes=changed)).predict_proba(rows)
    assert_allclose(again, told, rtol=0, atol=0)
    assert_allclose(told.sum(axis=1), 1, rtol=1e-12)


def test_every_default_model_can_be_asked(few_trees):
    found = learnt(estimators=None)
    asked = ModelsByFold(found)
    assert asked.names == [model.name for model in default_models(60, n_classes=3)]
    assert asked.unasked == []
    row = found.data.X[5]
    assert_allclose(asked.by_model(row, 5).sum(axis=1), 1, rtol=1e-5)
    assert asked.proba(row[None], 5)[0].argmax() == found.data.codes[5]


def test_a_model_of_the_users_own_table_is_named_but_not_asked():
    proba = np.eye(3)[CODES]
    found = ModelsByFold(learnt(estimator=GaussianNB(), pred_proba=proba))
    assert found.names == ["neighbours"]
    assert found.unasked == ["your model", "your probabilities"]


def test_no_model_has_learnt_from_the_row_it_is_asked_about():
    labels = np.random.default_rng(0).integers(2, size=60)  # which only memory can tell
    memory = [DecisionTreeClassifier(), NearestRows("nearest", 1)]
    found = errata.audit(X, labels, estimators=memory, self_check=False, random_state=0)
    explainer = found._for_review.explainer
    asked, rows = explainer.models, explainer.learnt.data.X
    told = [asked.by_model(rows[at], at)[:, labels[at]] for at in range(60)]
    assert np.max(np.mean(told, axis=0)) < 0.7


def logistic(weights):
    def proba(X):
        p = 1 / (1 + np.exp(-(X @ weights)))
        return np.column_stack([1 - p, p])

    return proba


ROW, OTHERS = np.array([1.0, 2.0, -1.0]), np.array([[0.0, 0.5, 3.0], [-1.0, -2.0, 1.0]])
SINGLE = [np.array([j]) for j in range(3)]


def test_the_equation_by_hand():
    proba = logistic(np.array([1.0, 1.0, 0.0]))
    against, p_label = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=0, other=1)
    p = np.mean(1 / (1 + np.exp([1 + 0.5, 1 - 2.0])))  # the second column left out
    assert_allclose(p_label[1], p, rtol=1e-12)
    assert_allclose(against[1], np.log(p / (1 - p)) + 3, rtol=1e-12)


def test_a_column_that_models_do_not_look_at_says_nothing():
    proba = logistic(np.array([1.0, -2.0, 0.0]))
    against, _ = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=1, other=0)
    assert against[2] == 0


def test_swapping_the_classes_turns_the_sign():
    proba = logistic(np.array([1.0, -2.0, 0.5]))
    one = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=1, other=0)[0]
    two = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=0, other=1)[0]
    assert_allclose(one, -two, rtol=1e-12)


def test_features_of_one_column_are_replaced_together():
    proba = logistic(np.array([1.0, -1.0, 0.0]))
    others = np.array([[5.0, 6.0, 0.0]])
    together, _ = leave_columns_out(proba, ROW, others, [np.array([0, 1])], label=1, other=0)
    assert_allclose(together, 0, rtol=0, atol=1e-12)  # 5 - 6 is what 1 - 2 is


@pytest.mark.parametrize("at_once", [1, 6, 12])
def test_columns_may_be_left_out_in_any_number_at_a_time(at_once, monkeypatch):
    proba = logistic(np.array([1.0, -2.0, 0.5]))
    whole = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=1, other=0)
    monkeypatch.setattr(_explanations, "EXPLAINED_NUMBERS", at_once)
    cut = leave_columns_out(proba, ROW, OTHERS, SINGLE, label=1, other=0)
    assert_allclose(cut[0], whole[0], rtol=1e-12)


def test_places_of_features_of_a_table_and_of_an_array():
    table = {"weight": ["4", "31", "", "5"], "fur": ["grey", "brown", "brown", "white"]}
    features = features_of(table)
    assert [places.tolist() for places in feature_places(features.plan)] == [[0, 1], [2, 3, 4]]
    features = features_of(np.random.default_rng(0).normal(size=(9, 3)))
    assert [places.tolist() for places in feature_places(features.plan)] == [[0], [1], [2]]


COLUMNS = [
    {"column": f"c{place}", "value": str(place), "against": weight, "p_label": 0.5}
    for place, weight in enumerate([3.0, 2.0, 1.0, 0.8, 0.1, 0.0, -0.1, -0.2, -0.3, -0.4, -2.0])
]
WHY = RowExplanation(
    row=3,
    id="<b>",
    label="cat",
    suggested="dog",
    p_wrong=0.9,
    p_label=0.05,
    p_suggested=0.9,
    models=[{"model": "trees", "weight": 1.0, "p_label": 0.05, "p_suggested": 0.9}],
    neighbors=[],
    columns=COLUMNS,
)


def test_a_paragraph_says_it_all():
    text = str(WHY)
    assert text.startswith(
        "Row 3 (<b>) is labelled cat, which is wrong with probability 0.90; dog speaks most "
        "against it. Models that have not learnt from the row give the label 0.05 and dog 0.90; "
        "1 of 1 find dog more probable than the label. Against the label speaks c0 = 0 (left out, "
        "the odds of the label are 20 times what they are), then c1 = 1"
    )
    assert "then c2 = 2" in text
    assert "c3" not in text  # three are enough
    assert "For it speaks c10 = 10 (left out, the odds of the label are 0.14 times" in text


def test_where_no_column_speaks_it_says_so():
    assert "No column by itself speaks" in str(replace(WHY, columns=COLUMNS[4:6]))
    assert "speaks against the label" not in str(replace(WHY, columns=[]))


def test_a_prompt_shows_one_sentence():
    assert repr(WHY).startswith("<RowExplanation: Row 3 (<b>) is labelled cat")
    assert "\n" not in repr(WHY)


def test_html_is_escaped_and_shows_the_weightiest():
    page = WHY._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert page.count("<tr>") == 11
    assert "<td>c5</td>" not in page  # which says nothing at all
    assert "<table>" not in replace(WHY, columns=[])._repr_html_()


def test_what_a_screen_would_obey_is_written_out():
    assert r"\u202e" in str(replace(WHY, label="\u202etxt"))


def test_bars_are_in_the_order_of_the_columns():
    pytest.importorskip("matplotlib")
    ax = WHY.plot()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names[::-1][:2] == ["c0 = 0", "c1 = 1"]
    assert [bar.get_width() for bar in ax.patches] == sorted(bar.get_width() for bar in ax.patches)
    assert len({bar.get_facecolor() for bar in ax.patches}) == 2
    assert WHY.plot(ax) is ax


def test_a_real_one_can_be_drawn(audit):
    pytest.importorskip("matplotlib")
    ax = audit.explain(WRONG).plot()
    assert len(ax.patches) == 4
    ax.figure.canvas.draw()
