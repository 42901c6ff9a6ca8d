"""The audit and its peers, asked alike and measured alike.

Peers: cleanlab (when installed) on out-of-fold probabilities, by self-confidence, normalised
margin and adjusted self-confidence, with its default flags; the loss of a kernel logistic model on
each row; the margin of an RBF-SVM in five folds. One setting for all data sets.
"""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, brier_score_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from errata.metrics import expected_calibration_error

try:
    from cleanlab import filter as cleanlab_filter
    from cleanlab import rank as cleanlab_rank
    from cleanlab.count import estimate_joint
except ImportError:
    cleanlab_filter = None

MODELS = {
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "forest": lambda: RandomForestClassifier(100, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
}
SCORES = {
    "self-confidence": {"method": "self_confidence"},
    "margin": {"method": "normalized_margin"},
    "adjusted": {"method": "self_confidence", "adjust_pred_probs": True},
}
TOLD = (
    "promised", "rate", "low", "high", "self_ap", "injected", "found", "by_label", "lift", "note",
)  # fmt: skip
MEASURED = (
    "n", "true_rate", "ap", "flagged", "recall", "precision", "f1", "covered", "brier", "ece",
    *TOLD,
)  # fmt: skip


def out_of_fold(model, X, y, method="predict_proba"):
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_predict(model, X, y, cv=folds, method=method)


def model_proba(X, y):
    """Out-of-fold probabilities of the three models, and their mean."""
    proba = {name: out_of_fold(make(), X, y) for name, make in MODELS.items()}
    return {**proba, "ensemble": np.mean(list(proba.values()), axis=0)}


def told(audit):
    """What an audit says."""
    answer = {
        "suspicion": audit.suspicion,
        "p_wrong": audit.p_wrong,
        "flagged": audit.flagged,
        "promised": audit.expected_precision,
        "rate": audit.noise_rate.estimate,
        "low": audit.noise_rate.low,
        "high": audit.noise_rate.high,
        "note": audit.notes[0] if audit.notes else "",
    }
    check = audit.self_check
    if check is not None:
        answer |= {"injected": check.injected, "found": check.found, "by_label": check.by_label}
        answer |= {"lift": int(check.lift), "self_ap": check.average_precision}
    return answer


def by_cleanlab(proba, y):
    """Its answers for each of the probabilities and each of its scores, by name."""
    if cleanlab_filter is None:
        return {}
    return {
        f"cleanlab {model} {score}": {**flags, "suspicion": quality, "p_wrong": quality}
        for model, p in proba.items()
        for flags in [cleanlab_flags(p, y)]
        for score, quality in cleanlab_scores(p, y).items()
    }


def cleanlab_flags(p, y):
    joint = estimate_joint(y, p)
    flagged = cleanlab_filter.find_label_issues(y, p, n_jobs=1)
    return {"flagged": flagged, "rate": 1 - np.trace(joint) / joint.sum()}


def cleanlab_scores(p, y):
    scores = {}
    for score, how in SCORES.items():
        try:
            scores[score] = 1 - cleanlab_rank.get_label_quality_scores(y, p, **how)
        except ValueError:  # adjusting may leave the range it allows: then as they are
            scores[score] = scores["self-confidence"]
    return scores


def by_plain_models(X, y):
    Z, own = StandardScaler().fit_transform(X), (np.arange(len(y)), y)
    features = Nystroem(gamma=1 / Z.shape[1], n_components=min(100, len(y)), random_state=0)
    kernel = make_pipeline(features, LogisticRegression(max_iter=1000)).fit(Z, y)
    loss = 1 - kernel.predict_proba(Z)[own]
    scores = out_of_fold(SVC(), Z, y, "decision_function")
    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    of_label = scores[own]
    scores[own] = -np.inf
    margin = scores.max(axis=1) - of_label
    return {
        "kernel logistic loss": {"suspicion": loss, "p_wrong": loss},
        "SVM margin": {"suspicion": margin},
    }


def measure(answer, wrong):
    """All there is to say about one answer; what it does not give stays empty."""
    row = {"n": len(wrong), "true_rate": wrong.mean()}
    row |= {name: answer[name] for name in TOLD if name in answer}
    if wrong.any():
        row["ap"] = average_precision_score(wrong, answer["suspicion"])
    if "flagged" in answer:
        row |= of_flags(answer["flagged"], wrong)
    if "low" in answer:
        row["covered"] = int(answer["low"] <= wrong.mean() <= answer["high"])
    if "p_wrong" in answer:
        p = np.clip(answer["p_wrong"], 0, 1)
        row |= {"brier": brier_score_loss(wrong, p), "ece": expected_calibration_error(wrong, p)}
    return row


def of_flags(flagged, wrong):
    row = {"flagged": flagged.mean()}
    if flagged.any():
        row["precision"] = wrong[flagged].mean()
    if wrong.any():
        row["recall"] = flagged[wrong].mean()
        row["f1"] = 2 * np.sum(flagged & wrong) / (flagged.sum() + wrong.sum())
    return row
