"""The audit of several labels per row, from the table to what is told."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

import errata
from auditing.multilabel_cases import flipped, given_probabilities, noisy_probabilities, pets

pytestmark = pytest.mark.usefixtures("few_trees")


def of_probabilities(added, removed, precision=None, **how):
    """An audit of labels whose noisy probabilities are known, and which cells are wrong."""
    proba, Y = given_probabilities(**how)
    noisy, wrong = flipped(Y, added, removed)
    told = noisy_probabilities(proba, added, removed)
    options = {"self_check": False, "random_state": 0, "precision": precision}
    return errata.audit_multilabel(None, noisy, pred_proba=told, **options), wrong


def quick(X, Y, **options):
    return errata.audit_multilabel(X, Y, **{"self_check": False, "random_state": 0} | options)


@pytest.fixture(scope="module")
def pet_audit():
    X, Y = pets(150)
    noisy, wrong = flipped(Y, 0.05, 0.1)
    names = ["<b>bird</b>", "cat", "dog"]
    sets = [[name for name, one in zip(names, row, strict=True) if one] for row in noisy]
    return errata.audit_multilabel(X, sets, random_state=0, title="pets"), wrong


@pytest.mark.parametrize(
    ("added", "removed"),
    [
        (0.02, 0.15),
        pytest.param(0.05, 0.05, marks=pytest.mark.slow),
        pytest.param(0.0, 0.25, marks=pytest.mark.slow),
    ],
)
def test_rates_are_told_in_both_directions(added, removed):
    result, wrong = of_probabilities(added, removed)
    rate, missing = result.noise_rate, result.missing_rate
    assert rate.low <= wrong.mean() <= rate.high
    removed_cells = wrong & (result.labels == 0)
    true = (result.labels == 1) & ~wrong | removed_cells
    assert missing.low <= removed_cells.sum() / true.sum() <= missing.high + 0.06
    if added == 0:
        assert missing.estimate > 5 * result.wrongly_set_rate.estimate


def test_hardly_anything_is_flagged_where_nothing_is_wrong():
    result, _ = of_probabilities(0.0, 0.0)
    assert result.flagged_cells.mean() < 0.005
    assert "among labels of rows that are wrong with a probability" in result._rule
    assert result.noise_rate.low == 0


@pytest.mark.parametrize("precision", [0.5, 0.6])
def test_the_longest_list_of_cells_of_which_so_many_are_wrong(precision):
    result, _ = of_probabilities(0.05, 0.1, precision)
    listed = result.p_wrong_cells[result.flagged_cells]
    assert len(listed) > 20
    assert precision <= listed.mean() < precision + 0.01


def test_rare_labels_are_not_taken_for_errors():
    result, _ = of_probabilities(0.0, 0.0, ones=0.03, n=600)
    assert result.labels.mean() < 0.08
    assert result.flagged_cells.sum() <= 4


@pytest.mark.slow
def test_p_wrong_is_as_large_as_the_fraction_of_wrong_cells():
    result, wrong = of_probabilities(0.05, 0.1, n=600)
    likely = result.p_wrong_cells > 0.2
    assert wrong[likely].mean() > result.p_wrong_cells[likely].mean() - 0.1
    assert average_precision_score(wrong.ravel(), result.p_wrong_cells.ravel()) > 0.55


def test_a_label_that_columns_do_not_tell_is_named_and_left_alone():
    X, Y = pets(200)
    Y[:, 1] = np.random.default_rng(0).permutation(Y[:, 1])
    result = quick(X, Y)
    assert result.can_be_judged.tolist() == [True, False, True]
    assert not result.flagged_cells[:, 1].any()
    assert result.p_wrong_cells[:, 1].max() <= 0.05
    assert any("do not tell the label label 1: nothing is flagged there" in n for n in result.notes)
    assert result.noise_rate.high < 0.3


def test_without_any_skill_nothing_is_flagged():
    random = np.random.default_rng(0)
    result = errata.audit_multilabel(
        random.normal(size=(200, 3)), random.random((200, 2)) < 0.3, random_state=0
    )
    assert not result.has_skill
    assert not result.flagged.any()
    assert result.self_check is None
    assert result.notes[0].startswith("These columns tell none of the labels")
    assert result.noise_rate.high == pytest.approx(0.3, abs=0.06)
    assert_array_equal(result.clean("relabel").labels, result.labels)


def test_other_labels_give_away_what_columns_do_not():
    """The third label is the first one or the second; columns tell of it little."""
    random = np.random.default_rng(0)
    Z = random.normal(size=(400, 2))
    Y = np.column_stack([Z > 0, (Z > 0).any(axis=1)]).astype(int)
    X = Z + 0.4 * random.normal(size=Z.shape)
    noisy, wrong = Y.copy(), np.zeros(Y.shape, dtype=bool)
    rows = random.choice(400, 30, replace=False)
    noisy[rows, 2], wrong[rows, 2] = 1 - Y[rows, 2], True
    result = quick(X, noisy)
    found = average_precision_score(wrong[:, 2], result.p_wrong_cells[:, 2])
    alone = quick(X, noisy[:, [2]])
    assert found > average_precision_score(wrong[:, 2], alone.p_wrong) + 0.1


def test_rows_follow_their_worst_cell(pet_audit):
    result, _ = pet_audit
    assert_array_equal(result.p_wrong, result.p_wrong_cells.max(axis=1))
    assert_array_equal(result.flagged, result.flagged_cells.any(axis=1))
    assert_array_equal(result.suggested != result.labels, result.flagged_cells)
    assert result.expected_precision == pytest.approx(result.p_wrong[result.flagged].mean())


def test_errors_are_found_and_the_self_check_says_so(pet_audit):
    result, wrong = pet_audit
    hits = result.flagged_cells & wrong
    assert hits.sum() > 0.6 * wrong.sum()
    assert hits.sum() > 0.6 * result.flagged_cells.sum()
    check = result.self_check
    assert check.lift
    assert check.found > 2 * check.by_label
    assert "most suspicious cells" in repr(check)


def test_what_is_missing_is_told_of_what_should_be_set(pet_audit):
    result, _ = pet_audit
    is_set, p_wrong = result.labels == 1, result.p_wrong_cells
    missing, wrongly_set = p_wrong[~is_set].sum(), p_wrong[is_set].sum()
    assert missing > 5
    should_be_set = (1 - p_wrong)[is_set].sum() + missing
    assert result.missing_rate.estimate == pytest.approx(missing / should_be_set, rel=1e-9)
    assert result.wrongly_set_rate.estimate == pytest.approx(wrongly_set / is_set.sum(), rel=1e-9)


def test_the_self_check_takes_a_rare_label_from_half_of_its_rows_at_most():
    # Ten cells are to be set and ten taken away, but both labels have only nine rows, half is four.
    Y = np.zeros((200, 2), dtype=int)
    Y[:9, 0] = Y[5:14, 1] = 1
    X = np.random.default_rng(0).normal(size=(200, 3))
    X[:, :2] += 4 * Y
    result = errata.audit_multilabel(X, Y, random_state=0)
    assert result.can_be_judged.all()
    assert result.self_check.injected == 10 + 4 + 4


def test_the_same_seed_gives_the_same_audit():
    X, Y = pets(80)
    one, other = quick(X, Y), quick(X, Y)
    assert_array_equal(one.p_wrong_cells, other.p_wrong_cells)


def test_labels_in_another_order_are_judged_alike():
    _, Y = pets(150)
    noisy, _ = flipped(Y, 0.05, 0.1)
    proba = np.clip(Y * 0.8 + 0.1, 0, 1)
    one = quick(None, noisy, pred_proba=proba)
    other = quick(None, noisy[:, ::-1], pred_proba=proba[:, ::-1])
    assert_allclose(one.p_wrong_cells, other.p_wrong_cells[:, ::-1], rtol=0, atol=1e-6)


def test_a_label_that_one_row_has_is_kept_and_told():
    X, Y = pets(60)
    Y = np.column_stack([Y, np.arange(60) == 3])
    result = quick(X, Y)
    assert not result.p_wrong_cells[:, 3].any()
    assert not result.per_label[3]["has_skill"]
    assert any("(label 3) is set, or not set, in fewer than two rows" in n for n in result.notes)


def test_one_label_in_every_row_is_better_audited_as_classes():
    X, _ = pets(60)
    sets = [["left"] if x < 0 else ["right"] for x in X[:, 0]]
    assert any("errata.audit judges such labels as classes" in n for n in quick(X, sets).notes)


def test_a_column_that_holds_a_label_is_left_out_unless_it_is_trusted():
    X, Y = pets(150)
    noisy, wrong = flipped(Y, 0.1, 0.1)
    X = np.column_stack([X, noisy[:, 0]])  # the fourth
    result = quick(X, noisy)
    assert any(n.startswith("Label 'label 0': Column 'x3' alone gives") for n in result.notes)
    assert result.p_wrong_cells[wrong[:, 0], 0].mean() > 0.5
    trusting = quick(X, noisy, trust=[3])
    assert not any("alone gives" in note for note in trusting.notes)


def test_copies_cannot_confirm_each_other():
    X, Y = pets(100)
    X, Y = np.vstack([X, np.full((3, 3), 1.5)]), np.vstack([Y, np.zeros((3, 3), dtype=int)])
    result = quick(X, Y)
    assert any("equal, or nearly" in note for note in result.notes)
    assert {100, 101, 102} <= set(result.suspicion.argsort()[-5:].tolist())


def test_groups_are_left_out_together():
    X, Y = pets(60)
    result = quick(X, Y, groups=np.arange(60) // 3)
    assert result.has_skill


def test_a_model_of_the_user_joins():
    X, Y = pets(60)
    result = quick(X, Y, estimator=LogisticRegression())
    assert "your model" in [model["name"] for model in result.models]


def test_precision_draws_a_longer_or_shorter_list():
    _, Y = pets(150)
    noisy, _ = flipped(Y, 0.05, 0.1)
    proba = np.clip(Y * 0.8 + 0.1, 0, 1)
    sure = quick(None, noisy, pred_proba=proba, precision=0.95)
    loose = quick(None, noisy, pred_proba=proba, precision=0.3)
    assert sure.flagged_cells.sum() < loose.flagged_cells.sum()
    assert "30%" in loose._rule


def test_probabilities_may_exceed_one_by_rounding():
    proba, Y = given_probabilities(100)
    exact = np.where(proba > 0.9, 1.0, np.where(proba < 0.1, 0.0, proba))
    rounded = np.where(exact == 1, 1 + 2e-16, np.where(exact == 0, -1e-17, exact))
    audits = [
        errata.audit_multilabel(None, Y, pred_proba=given, self_check=False, random_state=0)
        for given in (exact, rounded)
    ]
    assert_array_equal(audits[0].p_wrong, audits[1].p_wrong)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"pred_proba": np.zeros((60, 2))}, r"pred_proba must have the shape \(60, 3\)"),
        ({"pred_proba": np.full((60, 3), 1.5)}, "not probabilities"),
        ({"pred_proba": np.full((60, 3), np.nan)}, "not probabilities"),
        ({"precision": 2}, "precision"),
        ({"groups": np.zeros(60)}, "one group only"),
        ({"ids": [1, 2]}, "ids has 2 rows"),
        ({"trust": ["nothing"]}, "no column 'nothing' to trust"),
        ({"estimator": "forest"}, "holds the text 'forest'"),
        ({"embeddings": np.zeros((5, 2))}, "has 5 rows"),
    ],
)
def test_bad_input_gets_a_sentence(how, says):
    X, Y = pets(60)
    with pytest.raises(ValueError, match=says):
        quick(X, Y, **how)


def test_something_must_be_there_to_learn_from():
    _, Y = pets(60)
    with pytest.raises(ValueError, match="pass a table, or pred_proba"):
        quick(None, Y)
    with pytest.raises(ValueError, match="an estimator needs a table"):
        quick(None, Y, pred_proba=np.full(Y.shape, 0.5), estimator=LogisticRegression())
    with pytest.raises(ValueError, match="needs its table in memory"):
        quick("table.csv", Y)
    with pytest.raises(ValueError, match="there is nothing to compare"):
        quick(pets(60)[0], np.ones((60, 2), dtype=int))


def linear_labels(n=90, seed=0):
    """Four columns, and three labels that follow from them with some noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    scores = X @ random.normal(size=(4, 3)) + 0.5 * random.normal(size=(n, 3))
    return X, flipped((scores > [0.0, 0.5, -0.5]).astype(int), 0.05, 0.08, seed)[0]


@pytest.fixture(scope="module")
def in_order():
    return quick(*linear_labels())


def assert_same_cells(again, found, rows=slice(None), labels=slice(None)):
    same = {"rtol": 0, "atol": 1e-6}
    assert_allclose(again.p_wrong_cells, found.p_wrong_cells[rows][:, labels], **same)
    assert_allclose(again.suspicion, found.suspicion[rows], **same)
    assert_allclose(again.noise_rate, found.noise_rate, **same)
    assert_allclose(again.transition, found.transition[labels], **same)
    assert_array_equal(again.flagged_cells, found.flagged_cells[rows][:, labels])
    told = np.arange(len(found.names))[labels]
    assert [each["rate"] for each in again.per_label] == [
        found.per_label[place]["rate"] for place in told
    ]


def test_the_order_of_labels_changes_nothing(in_order):
    X, Y = linear_labels()
    assert_same_cells(quick(X, Y[:, [2, 0, 1]]), in_order, labels=[2, 0, 1])


def test_the_order_of_columns_changes_nothing(in_order):
    X, Y = linear_labels()
    assert_same_cells(quick(X[:, [3, 1, 0, 2]], Y), in_order)


def test_the_order_of_rows_changes_nothing(in_order):
    X, Y = linear_labels()
    rows = np.random.default_rng(0).permutation(len(X))
    again = quick(X[rows], Y[rows])
    assert_same_cells(again, in_order, rows=rows)
    assert again.examples[0]["row"] == np.argsort(rows)[in_order.examples[0]["row"]]
    near = [each["row"] for each in in_order.examples[0]["similar"]]
    assert [rows[each["row"]] for each in again.examples[0]["similar"]] == near


@pytest.mark.parametrize("with_columns", [False, True])
def test_the_order_changes_nothing_beside_models_of_the_user(with_columns):
    proba, Y = given_probabilities(n=90, sharpness=3.0)
    Y, _ = flipped(Y, 0.05, 0.1)
    proba[:30], Y[:30] = proba[30:60], Y[30:60]  # rows that nothing but the group tells apart
    X = np.round(proba @ np.array([[1.0, 0.5], [0.2, 1.0], [0.3, 0.3]]), 1)
    groups = np.arange(90) % 30
    rows, labels = np.random.default_rng(1).permutation(90), [1, 2, 0]
    how = {"estimator": LogisticRegression()} if with_columns else {}
    found, again = (
        quick(
            X[chosen] if with_columns else None,
            Y[chosen][:, order],
            pred_proba=proba[chosen][:, order],
            groups=groups[chosen],
            **how,
        )
        for chosen, order in ((np.arange(90), [0, 1, 2]), (rows, labels))
    )
    assert_same_cells(again, found, rows=rows, labels=labels)
