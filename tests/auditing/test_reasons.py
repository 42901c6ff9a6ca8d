import numpy as np

from auditing_cases import blobs
from errata.auditing._pooling import PooledModel
from errata.auditing._reasons import give_reasons

X, CODES = blobs(60)
NAMES = ["ant", "bee", "cat"]


def reasons(prefers, *, X=X):
    row, new = 0, (CODES[0] + 1) % 3
    said = [PooledModel(f"m{k}", 1.0, 1.0, np.full(60, code)) for k, code in enumerate(prefers)]
    rows, suggested = np.array([row]), np.array([new])
    return give_reasons(rows, suggested, X=X, codes=CODES, classes=NAMES, models=said)[0]


OWN, NEW, OTHER = CODES[0], (CODES[0] + 1) % 3, (CODES[0] + 2) % 3


def test_models_against_the_label_are_counted_and_named():
    new = NAMES[NEW]
    assert reasons([NEW, NEW]).sentences[0] == f"Both models predict {new}."
    assert reasons([NEW] * 7).sentences[0] == f"All 7 models predict {new}."
    assert reasons([NEW]).sentences[0] == f"The only model, m0, predicts {new}."
    said = reasons([NEW, OWN, NEW, OTHER, OWN]).sentences[0]
    assert said == (
        f"2 of 5 models predict {new} (m0, m2); 2 predict the label and 1 predicts another class."
    )


def test_rows_that_all_models_agree_with_are_not_said_to_be_doubted():
    said = reasons([OWN, OWN]).sentences[0]
    assert said == f"No model predicts {NAMES[NEW]}; 2 predict the label."
    assert reasons([OWN]).sentences[0] == "The only model, m0, predicts the label."


def test_models_that_predict_a_third_class_are_not_passed_over():
    assert reasons([OTHER] * 3).sentences[0] == (
        f"No model predicts {NAMES[NEW]}; 3 predict another class."
    )
    assert reasons([OTHER]).sentences[0] == f"The only model, m0, predicts {NAMES[OTHER]}."


def test_similar_rows_are_near_and_not_the_row_itself():
    reason = reasons([NEW])
    assert 0 not in reason.similar
    assert set(CODES[reason.similar]) <= {OWN, NEW}
    around = np.argsort(((X - X[0]) ** 2).sum(axis=1))[1:21]
    own, new = (int(np.sum(CODES[around] == code)) or "none" for code in (OWN, NEW))
    are = "are" if new not in (1, "none") else "is"
    assert reason.sentences[1] == (
        f"Of its 20 nearest rows {new} {are} labelled {NAMES[NEW]}, {own} like this one."
    )
    nearest = np.argsort(((X - X[0]) ** 2).sum(axis=1))[1:]
    assert [row for row in reason.similar if CODES[row] == OWN] == [
        row for row in nearest if CODES[row] == OWN
    ][:3]


def test_without_features_models_are_all_there_is():
    reason = reasons([NEW], X=None)
    assert len(reason.sentences) == 1
    assert reason.similar == []
