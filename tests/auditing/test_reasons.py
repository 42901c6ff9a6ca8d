import numpy as np

from auditing_cases import blobs
from errata.auditing.examples._views import Neighborhood, most_probable_others, reasons_for
from errata.auditing.inputs._inputs import Inputs
from errata.auditing.models._pooling import PooledModel

X, CODES = blobs(60)
NAMES = ["ant", "bee", "cat"]
ROWS = np.arange(60)


def inputs(X=X):
    """What little of them reasons need."""
    return Inputs(None, None, CODES, np.array(NAMES), CODES, None, None, X, ROWS, None, [])


def reasons(prefers, *, X=X):
    said = [PooledModel(f"m{k}", 1.0, 1.0, np.full(60, code)) for k, code in enumerate(prefers)]
    near = Neighborhood(inputs(X)).around(ROWS[:1])
    return reasons_for(ROWS[:1], near, inputs(X), (CODES + 1) % 3, said)[0]


OWN, NEW, OTHER = CODES[0], (CODES[0] + 1) % 3, (CODES[0] + 2) % 3


def test_models_against_the_label_are_counted_and_named():
    new = NAMES[NEW]
    assert reasons([NEW, NEW])[0] == f"Both models predict {new}."
    assert reasons([NEW] * 7)[0] == f"All 7 models predict {new}."
    assert reasons([NEW])[0] == f"The only model, m0, predicts {new}."
    said = reasons([NEW, OWN, NEW, OTHER, OWN])[0]
    assert said == (
        f"2 of 5 models predict {new} (m0, m2); 2 predict the label and 1 predicts another class."
    )


def test_rows_that_all_models_agree_with_are_not_said_to_be_doubted():
    said = reasons([OWN, OWN])[0]
    assert said == f"No model predicts {NAMES[NEW]}; 2 predict the label."
    assert reasons([OWN])[0] == "The only model, m0, predicts the label."


def test_models_that_predict_a_third_class_are_not_passed_over():
    assert reasons([OTHER] * 3)[0] == (f"No model predicts {NAMES[NEW]}; 3 predict another class.")
    assert reasons([OTHER])[0] == f"The only model, m0, predicts {NAMES[OTHER]}."


def test_labels_of_the_nearest_rows_are_counted():
    around = np.argsort(((X - X[0]) ** 2).sum(axis=1))[1:21]
    own, new = (int(np.sum(CODES[around] == code)) or "none" for code in (OWN, NEW))
    are = "are" if new not in (1, "none") else "is"
    assert reasons([NEW])[1] == (
        f"Of its 20 nearest rows {new} {are} labelled {NAMES[NEW]}, {own} like this one."
    )


def test_without_features_models_are_all_there_is():
    assert len(reasons([NEW], X=None)) == 1


def test_a_row_of_a_class_of_its_own_is_said_to_be_alone():
    some = inputs()._replace(audited=ROWS[1:], X=X[1:])
    near = Neighborhood(some).around(ROWS[:2])
    other = (CODES[1:] + 1) % 3
    said = reasons_for(ROWS[:2], near, some, other, [PooledModel("m", 1.0, 1.0, other)])
    assert said[0] == ["It is the only row of its class."]
    assert said[1][0] == f"The only model, m, predicts {NAMES[other[0]]}."
    named = some._replace(labels=np.array(NAMES)[CODES])
    assert most_probable_others(named, other).tolist() == [
        NAMES[CODES[0]],
        *np.array(NAMES)[other],
    ]
