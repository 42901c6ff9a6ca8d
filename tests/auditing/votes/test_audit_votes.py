import numpy as np
import pytest
from scipy.stats import beta
from sklearn.naive_bayes import GaussianNB

import errata
from auditing.vote_cases import NAMES, PETS, crowd, measured

pytestmark = pytest.mark.usefixtures("few_trees")


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
    assert with_table._about["features"] == 2
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


def test_probabilities_and_models_of_the_user_join(votes, truth):
    proba = np.full((120, 3), 0.1)
    proba[np.arange(120), np.searchsorted(PETS, truth)] = 0.8
    given = errata.audit_votes(votes, pred_proba=proba, random_state=0)
    assert [model["name"] for model in given.models] == ["your probabilities"]
    assert np.mean(given.consensus == truth) > 0.97
    own = errata.audit_votes(votes, X=measured(truth), estimator=GaussianNB(), random_state=0)
    assert "your model" in [model["name"] for model in own.models]


@pytest.mark.parametrize("power", [0.3, 2.0])
def test_probabilities_that_are_too_unsure_or_too_sure_tell_the_same(power):
    votes, truth = crowd(200, votes_each=2, seed=4)
    model = GaussianNB().fit(measured(truth, seed=1), truth)
    proba = 0.9 * model.predict_proba(measured(truth, seed=2)) + 0.1 / 3
    powered = proba**power / np.sum(proba**power, axis=1, keepdims=True)
    plain, other = (
        errata.audit_votes(votes, pred_proba=given, random_state=0) for given in (proba, powered)
    )
    np.testing.assert_allclose(other.proba, plain.proba, atol=1e-3)


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
    assert "votes" in found._rule
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


EMPTY = [None, float("nan"), "", " \t", "\u200b"]


def left_empty(votes, answer, items):
    """The votes with this answer to all that was asked of these items, and to one more."""
    label = votes["label"].astype(object)
    label[np.isin(votes["item"], items)] = answer
    label[-1] = answer
    return votes | {"label": label}


def whole(votes, items):
    """The votes that are left."""
    kept = ~np.isin(votes["item"], items)
    kept[-1] = False
    return {name: column[kept] for name, column in votes.items()}


@pytest.mark.parametrize("answer", EMPTY, ids=repr)
@pytest.mark.parametrize("form", ["mapping", "tuple", "lists", "pandas", "wide"])
def test_an_answer_left_empty_is_no_vote(votes, answer, form):
    given = left_empty(votes, answer, [3, 7])
    wanted = errata.audit_votes(whole(votes, [3, 7]), random_state=0)
    gaps = 11
    if form == "wide":
        cells = np.full((120, len(NAMES)), answer, dtype=object)
        cells[given["item"], np.searchsorted(NAMES, given["worker"])] = given["label"]
        given, gaps = cells.tolist(), 120 * len(NAMES) - 589
    elif form in ("tuple", "lists"):
        given = tuple(given.values())
        given = tuple(map(list, given)) if form == "lists" else given
    elif form != "mapping":
        given = pytest.importorskip(form, reason=f"{form} is not installed").DataFrame(given)
    found = errata.audit_votes(given, random_state=0)
    assert found.classes.tolist() == PETS.tolist()
    assert found.items.tolist() == wanted.items.tolist()
    np.testing.assert_array_equal(found.p_wrong, wanted.p_wrong)
    assert found.notes[0] == f"{gaps} votes have no label and were left out."
    assert found.notes[-1] == "2 items have no vote (3, 7) and were left out."


def test_a_missing_value_of_pandas_is_no_vote(votes):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    given = pandas.DataFrame(left_empty(votes, pandas.NA, [3])).astype({"label": "string"})
    found = errata.audit_votes(given, random_state=0)
    assert found.classes.tolist() == PETS.tolist()
    assert found.notes[0] == "6 votes have no label and were left out."


def test_items_whose_answers_are_empty_stay_where_a_table_tells_of_them(votes, truth):
    given = left_empty(votes, "", [3, 7])
    table = {"item": np.delete(np.arange(120), 7), "a": np.delete(measured(truth)[:, 0], 7)}
    found = errata.audit_votes(given, X=table, random_state=0)
    assert len(found) == 119
    assert found.n_votes[3] == 0
    assert any(note.startswith("1 item has no vote: it gets a label") for note in found.notes)
    assert "1 item has no vote (7) and was left out." in found.notes


def test_votes_by_nobody_or_on_nothing_are_left_out(votes):
    worker = votes["worker"].astype(object)
    worker[:2] = "  "
    found = errata.audit_votes(votes | {"worker": worker}, random_state=0)
    assert len(found.workers) == len(NAMES)
    assert "2 votes have no item or no worker and were left out." in found.notes


@pytest.mark.parametrize("answer", EMPTY, ids=repr)
def test_answers_that_are_all_empty_are_refused(votes, answer):
    given = votes | {"label": np.full(600, answer, dtype=object)}
    with pytest.raises(ValueError, match=r"there are no votes; .* 600 votes have no label"):
        errata.audit_votes(given)


def test_labels_of_several_kinds_are_refused_in_whatever_order(votes):
    for first in (0, -1):
        label = votes["label"].astype(object)
        label[first] = 1
        with pytest.raises(ValueError, match="mixes labels of several kinds"):
            errata.audit_votes(votes | {"label": label})


def by_lot(seed, n_items=100, n_workers=100, votes_each=5):
    """Coins tossed by many workers who see few items each."""
    random = np.random.default_rng(seed)
    worker = random.random((n_items, n_workers)).argsort(axis=1)[:, :votes_each]
    label = random.integers(2, size=worker.size)
    return np.repeat(np.arange(n_items), votes_each), worker.ravel(), label


def test_coins_show_no_skill_however_many_toss_them():
    audits = [errata.audit_votes(by_lot(seed), random_state=0) for seed in range(12)]
    assert sum(audit.has_skill for audit in audits) <= 1
    assert sum(audit.flagged.any() for audit in audits) <= 1


def misled(seed, hard, alike, n_items=200, n_workers=12, votes_each=8):
    """Votes on items of which some mislead everybody the same way, and how often each is right."""
    random = np.random.default_rng(seed)
    truth = random.integers(3, size=n_items)
    worker = random.random((n_items, n_workers)).argsort(axis=1)[:, :votes_each]
    right = random.beta(3 * alike, alike, n_workers)[worker]
    is_hard = random.random((n_items, 1)) < hard
    is_right = random.random(worker.shape) < np.where(is_hard, 0.5 * right, right)
    other = np.where(is_hard, 1, random.integers(1, 3, size=worker.shape))
    label = np.where(is_right, truth[:, None], (truth[:, None] + other) % 3)
    votes = np.repeat(np.arange(n_items), votes_each), worker.ravel(), label.ravel()
    share = np.bincount(worker.ravel(), weights=is_right.ravel()) / np.bincount(worker.ravel())
    return votes, share


@pytest.mark.parametrize(("hard", "alike"), [(0.0, 1.0), (0.0, 20.0), (0.5, 20.0)])
def test_bounds_of_annotators_count_votes_as_far_as_these_err_on_their_own(hard, alike):
    votes, _ = misled(0, hard, alike)
    found = errata.audit_votes(votes, random_state=0)
    t, kappa = found.evidence["vote_weight"], found.evidence["kappa_coin"]
    assert (t < 0.9) == (hard > 0)
    assert (kappa > 8) == (alike > 1)
    told = found.workers
    n, a, low, high = (
        np.array([each[name] for each in told]) for name in ("n_votes", "accuracy", "low", "high")
    )
    worth = t * n / 3 + min(8.0, kappa)  # votes that err on their own, and what others say
    below, above = beta(a * worth, (1 - a) * worth).cdf([low, high])
    assert below.max() < 0.05  # wider, as it is not clear which votes are right
    assert above.min() > 0.95
    width = np.median(high - low)
    plain = np.ptp(beta(a * worth, (1 - a) * worth).ppf([[0.05], [0.95]]), axis=0)
    assert width < 2 * np.median(plain)


def test_interval_holds_the_rate_where_a_fifth_of_the_items_mislead_everybody():
    held = []
    for seed in range(8):
        votes, _ = misled(seed, hard=0.2, alike=8.0, votes_each=5)
        truth = np.random.default_rng(seed).integers(3, size=200)  # as misled draws it first
        found = errata.audit_votes(votes, random_state=0)
        wrong = np.mean(found.labels != truth)
        held.append(found.noise_rate.low <= wrong <= found.noise_rate.high)
    assert np.mean(held) >= 0.85


def test_bounds_hold_how_often_annotators_are_right():
    held = []
    for seed in range(5):
        votes, share = misled(seed, hard=0.0, alike=20.0)
        told = errata.audit_votes(votes, random_state=0).workers
        held += [w["low"] <= right <= w["high"] for w, right in zip(told, share, strict=True)]
    assert np.mean(held) >= 0.85


SHAPES = [  # items, workers, votes on each item, classes
    (60, 5, 5, 2),
    (100, 8, 3, 2),
    (120, 20, 4, 3),
    (80, 10, 3, 5),
    (200, 12, 2, 3),
    (150, 7, 7, 3),
    (90, 30, 5, 4),
]


def balanced(seed, n_items, n_workers, votes_each, n_classes):
    """Votes in which many classes have as many votes, by workers some of whom guess."""
    random = np.random.default_rng(seed)
    truth = np.arange(n_items) % n_classes
    worker = random.random((n_items, n_workers)).argsort(axis=1)[:, :votes_each]
    is_right = random.random(worker.shape) < random.beta(4, 2, n_workers)[worker]
    other = (truth[:, None] + random.integers(1, n_classes, size=worker.shape)) % n_classes
    label = np.where(is_right, truth[:, None], other)
    return np.repeat(np.arange(n_items), votes_each), worker.ravel(), label.ravel()


def assert_same_by_any_name(votes, seed):
    random = np.random.default_rng(seed)
    n_items, n_workers, n_classes = (int(column.max()) + 1 for column in votes)
    classes = np.arange(n_classes)
    found = errata.audit_votes(votes, classes=classes, random_state=0)
    for moved in ("rows", "items", "workers", "classes", "all"):
        item, worker, label = (
            random.permutation(size) if moved in (name, "all") else np.arange(size)
            for name, size in (("items", n_items), ("workers", n_workers), ("classes", n_classes))
        )
        rows = np.arange(len(votes[0]))
        rows = random.permutation(rows) if moved in ("rows", "all") else rows
        renamed = item[votes[0]][rows], worker[votes[1]][rows], label[votes[2]][rows]
        again = errata.audit_votes(renamed, classes=classes, random_state=0)
        assert again.has_skill == found.has_skill
        np.testing.assert_array_equal(label[found.labels], again.labels[item])
        np.testing.assert_allclose(again.p_wrong[item], found.p_wrong, rtol=0, atol=1e-6)
        np.testing.assert_allclose(again.proba[item][:, label], found.proba, rtol=0, atol=1e-6)
        accuracy = [np.array([w["accuracy"] for w in audit.workers]) for audit in (found, again)]
        np.testing.assert_allclose(accuracy[1][worker], accuracy[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
def test_names_and_order_change_nothing(shape):
    assert_same_by_any_name(balanced(0, *shape), seed=1)


def test_classes_with_as_many_votes_are_told_apart_by_their_votes():
    ties = 0
    for seed in range(40):
        votes = balanced(seed, 12, 4, 4, 2)
        if np.bincount(votes[2]).tolist() == [24, 24]:
            ties += 1
            assert_same_by_any_name(votes, seed)
    assert ties >= 3


def test_whether_votes_show_skill_does_not_hang_on_names():
    """Half of the workers turn everything around, and it is decided by little."""
    for seed in range(8):
        random = np.random.default_rng(seed)
        item, worker, label = by_lot(seed, n_items=40, n_workers=6, votes_each=4)
        label = np.where(random.random(160) < 0.6, item % 2, label)
        label = np.where(worker % 2 == 0, 1 - label, label)
        names = [random.permutation(40) for _ in range(5)]
        votes = [(name[item], worker, label) for name in names]
        assert len({errata.audit_votes(each, random_state=0).has_skill for each in votes}) == 1


def test_a_rule_that_is_upside_down_is_named_and_another_that_abstains_is_covered():
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 400)
    rules = [(0.9, 0.9), (0.6, 0.85), (0.5, 0.8), (0.5, 0.8), (0.4, 0.1)]  # coverage, accuracy
    answers = np.full((400, len(rules)), -1)
    for place, (coverage, accuracy) in enumerate(rules):
        right = np.where(random.random(400) < accuracy, truth, 1 - truth)
        answers[:, place] = np.where(random.random(400) < coverage, right, -1)
    found = errata.audit_votes(answers, random_state=0)
    (note,) = [note for note in found.notes if "less often than chance" in note]
    assert note.startswith("4 (")
    assert [worker["worker"] for worker in found.workers if worker["reversed"]] == [4]
    assert not found.workers[4]["guessing"]
    coverage = np.mean(answers[(answers >= 0).any(axis=1)] >= 0, axis=0)
    np.testing.assert_allclose([worker["coverage"] for worker in found.workers], coverage)


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize("seed", range(10))
def test_names_order_and_last_bits_change_nothing_beside_a_table(seed):
    random = np.random.default_rng(seed)
    n_classes = 2 + seed % 3
    votes = balanced(seed, 60, 6, 3, n_classes)
    truth = np.arange(60) % n_classes
    X = np.column_stack([truth, truth % 2, np.zeros((60, 2))]) + random.normal(size=(60, 4))
    X[:10] = X[50:]  # which nothing but votes tells apart
    found = errata.audit_votes(votes, X=X, random_state=0)
    shifted = X * (1 + 1e-13 * random.uniform(-1, 1, size=X.shape))
    again = errata.audit_votes(votes, X=shifted, random_state=0)
    np.testing.assert_allclose(again.p_wrong, found.p_wrong, rtol=0, atol=1e-3)
    np.testing.assert_array_equal(again.flagged, found.flagged)
    item, worker, label, column = (random.permutation(size) for size in (60, 6, n_classes, 4))
    renamed = item[votes[0]], worker[votes[1]], label[votes[2]]
    moved = X[np.argsort(item)][:, column]
    again = errata.audit_votes(renamed, X=moved, random_state=0)
    np.testing.assert_array_equal(again.labels[item], label[found.labels])
    np.testing.assert_allclose(again.proba[item][:, label], found.proba, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(again.flagged[item], found.flagged)
