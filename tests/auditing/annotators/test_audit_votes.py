import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import errata
from vote_cases import NAMES, PETS, crowd, measured


@pytest.fixture(scope="module")
def votes():
    return crowd()[0]


@pytest.fixture(scope="module")
def truth():
    return crowd()[1]


@pytest.fixture(scope="module")
def audit(votes):
    return errata.audit_votes(votes, random_state=0, title="pets")


def test_it_is_an_audit_of_the_majority_labels(audit, votes, truth):
    assert isinstance(audit, errata.Audit)
    assert len(audit) == 120
    assert audit.classes.tolist() == PETS.tolist()
    wrong = audit.labels != truth
    assert wrong.sum() > np.sum(audit.consensus != truth)
    assert audit.p_wrong[wrong].mean() > 3 * audit.p_wrong[~wrong].mean()
    assert not audit.flagged[audit.p_wrong < 0.2].any()


def test_noise_is_what_the_probabilities_say(audit):
    codes = np.searchsorted(audit.classes, audit.labels)
    own = audit.proba[np.arange(len(audit)), codes]
    np.testing.assert_allclose(audit.p_wrong, 1 - own, rtol=0, atol=1e-12)
    rate = float((audit.prior * (1 - np.diag(audit.transition))).sum())
    np.testing.assert_allclose([rate, audit.noise_rate.estimate], audit.p_wrong.mean(), atol=1e-9)
    assert audit.hypotheses[0]["kind"] == "votes as weighed"


def test_suggestions_of_flagged_items_are_other_classes(audit):
    assert audit.flagged.any()
    assert np.all(audit.suggested[audit.flagged] != audit.labels[audit.flagged])
    assert np.all(audit.suggested[~audit.flagged] == audit.labels[~audit.flagged])
    assert all(example["suggested"] != example["label"] for example in audit.examples)


def test_examples_tell_who_voted_what(audit, votes):
    example = audit.examples[0]
    assert sum(side["count"] for side in example["votes"]) == 5
    voters = {name for side in example["votes"] for name, _ in side["by"]}
    assert voters == set(votes["worker"][votes["item"] == example["row"]])
    assert example["id"] == str(example["row"])
    assert example["label"] in example["reasons"][0]


def test_annotators_who_guess_are_found(audit):
    guessing = {worker["worker"] for worker in audit.workers if worker["guessing"]}
    assert set(NAMES[-2:]) <= guessing
    assert not guessing & set(NAMES[:3])


@pytest.mark.parametrize("form", ["tuple", "pandas", "polars", "pyarrow", "names"])
def test_votes_of_any_form_are_the_same(form, votes, audit):
    names = {}
    if form == "tuple":
        given = tuple(votes.values())
    elif form == "names":
        names = {"item": "task", "worker": "who", "label": "answer"}
        given = dict(zip(names.values(), votes.values(), strict=True))
    else:
        library = pytest.importorskip(form, reason=f"{form} is not installed")
        given = library.table(votes) if form == "pyarrow" else library.DataFrame(votes)
    again = errata.audit_votes(given, random_state=0, **names)
    np.testing.assert_array_equal(again.p_wrong, audit.p_wrong)
    assert type(again.table()).__module__.startswith("polars" if form == "polars" else "pandas")


def test_votes_may_be_an_array_of_items_times_workers(votes, audit):
    wide = np.full((120, len(NAMES)), np.nan)
    workers = np.searchsorted(NAMES, votes["worker"])
    wide[votes["item"], workers] = np.searchsorted(PETS, votes["label"])
    again = errata.audit_votes(wide, random_state=0)
    np.testing.assert_allclose(again.p_wrong, audit.p_wrong, rtol=0, atol=1e-9)
    assert [worker["worker"] for worker in again.workers] == list(range(len(NAMES)))


def test_a_table_makes_the_labels_better(votes, audit, truth):
    with_table = errata.audit_votes(votes, X=measured(truth), random_state=0)
    assert np.mean(with_table.consensus == truth) >= np.mean(audit.consensus == truth)
    assert with_table.evidence["feature_weight"] > 0
    assert audit.evidence["feature_weight"] is None
    assert with_table.models
    assert with_table.about["features"] == 2
    example = with_table.examples[0]
    assert len(example["values"]) == 2
    assert "nearest items" in example["reasons"][1]


def test_items_without_votes_get_a_label_and_are_asked_about_first(votes, truth):
    X = measured(truth)
    extra = np.vstack([X, [[0.0, 0.0], [6.0, 0.0]]])  # a bird and a dog, as it seems
    found = errata.audit_votes(votes, X=extra, random_state=0)
    assert found.labels[120:].tolist() == [None, None]
    assert found.consensus[120:].tolist() == ["bird", "dog"]
    assert found.suggested[120:].tolist() == ["bird", "dog"]
    assert not found.flagged[120:].any()
    assert set(found.next_items(2)) == {120, 121}
    assert np.isnan(found.agreement[120:]).all()
    assert found.clean().labels[120:].tolist() == ["bird", "dog"]
    found.summary()  # valid although some agreement is not a number


def test_probabilities_and_models_of_the_user_are_heard(votes, truth):
    proba = np.full((120, 3), 0.1)
    proba[np.arange(120), np.searchsorted(PETS, truth)] = 0.8
    given = errata.audit_votes(votes, pred_proba=proba, random_state=0)
    assert [model["name"] for model in given.models] == ["your probabilities"]
    assert np.mean(given.consensus == truth) > 0.97
    own = errata.audit_votes(votes, X=measured(truth), estimator=GaussianNB(), random_state=0)
    assert "your model" in [model["name"] for model in own.models]


def test_classes_that_no_vote_names_may_be_given(votes):
    found = errata.audit_votes(votes, classes=[*PETS, "fish"], random_state=0)
    assert found.classes.tolist() == ["bird", "cat", "dog", "fish"]
    assert found.proba.shape == (120, 4)
    assert [line["rows"] for line in found.summary()["per_class"]][3] == 0


def test_votes_that_say_nothing_flag_nothing():
    random = np.random.default_rng(3)
    votes = random.integers(3, size=(150, 4))
    found = errata.audit_votes(votes, random_state=0)
    assert not found.has_skill
    assert not found.flagged.any()
    assert "votes" in found.rule
    assert repr(found).startswith("<VoteAudit: these votes do not tell who is right")
    assert found.clean().labels.tolist() == found.labels.tolist()


def test_precision_is_kept(votes):
    found = errata.audit_votes(votes, precision=0.9, random_state=0)
    assert found.expected_precision >= 0.9
    with pytest.raises(ValueError, match="precision"):
        errata.audit_votes(votes, precision=2)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"item": None}, "there is no column 'item' among the votes"),
        ({"worker": ["ann"] * 600}, "all votes are by one worker .* use errata.audit"),
        ({"label": ["cat"] * 600}, "all votes name one class"),
        ({"label": [f"a remark {i}" for i in range(600)]}, "look like text that people wrote"),
    ],
)
def test_votes_that_cannot_be_audited_are_refused(votes, change, sentence):
    given = {name: cells for name, cells in (votes | change).items() if cells is not None}
    with pytest.raises(ValueError, match=sentence):
        errata.audit_votes(given)


def test_a_model_needs_a_table_and_makes_no_sense_beside_probabilities(votes):
    with pytest.raises(ValueError, match="estimator needs a table of the items"):
        errata.audit_votes(votes, estimator=GaussianNB())
    proba = np.full((120, 3), 1 / 3)
    with pytest.raises(ValueError, match="pred_proba stands for all models"):
        errata.audit_votes(votes, estimator=GaussianNB(), pred_proba=proba)


def test_progress_is_told(votes):
    said = []
    errata.audit_votes(votes, random_state=0, progress=said.append)
    assert said == ["reading the votes", "weighing the votes", "summing up"]


def test_a_model_learns_from_features_where_columns_are_no_numbers(votes, truth):
    a, b = measured(truth).T
    table = {"item": np.arange(120), "a": a, "b": np.where(b < -1, "low", "high")}
    found = errata.audit_votes(votes, X=table, estimator=GaussianNB(), random_state=0)
    assert "your model" in [model["name"] for model in found.models]
    with pytest.raises(ValueError, match="estimator"):
        errata.audit_votes(votes, X=table, estimator="a model")


def test_annotators_who_always_agree_leave_nothing_to_flag():
    items, workers = np.repeat(np.arange(20), 3), np.tile(list("abc"), 20)
    found = errata.audit_votes((items, workers, np.repeat(["x", "y"], 30)), random_state=0)
    assert not found.flagged.any()
    found.to_html()
