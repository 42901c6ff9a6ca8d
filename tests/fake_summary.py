"""Summaries of audits that look real, for tests of what shows them."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from errata.hardness import NeighborDisagreement
from errata.noise import flip_labels
from errata.report import pixels_uri

KINDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def digits_summary(rows=1797, n_suspects=200, *, pictures=True, random_state=0):
    """Digits with a tenth of the labels flipped, judged by their neighbours."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:rows], y[:rows]
    labels, flipped = flip_labels(y, 0.1, random_state=random_state)
    detector = NeighborDisagreement(n_neighbors=10).fit(X, labels)
    jitter = np.random.default_rng(random_state).uniform(0, 0.08, len(X))
    p_wrong = np.clip(0.95 * detector.suspicion_**3 + jitter * detector.suspicion_, 0, 0.99)
    names = np.array(KINDS)
    summary = fake_summary(p_wrong, labels, detector.suggested_, names, flipped, n_suspects)
    summary["map"] |= dict(zip("xy", PCA(2).fit_transform(X).T.tolist(), strict=True))
    for suspect in summary["suspects"]:
        row = suspect["row"]
        suspect["values"] = {f"pixel {j // 8}, {j % 8}": f"{X[row, j]:g}" for j in range(20, 44)}
        suspect["image"] = pixels_uri(16 - X[row].reshape(8, 8)) if pictures else None
    return summary


def random_summary(rows, n_classes, n_suspects, n_points=None, random_state=0):
    """Any size at will, without pictures."""
    rng = np.random.default_rng(random_state)
    labels = rng.integers(n_classes, size=rows)
    flipped = rng.random(rows) < 0.08
    suggested = np.where(flipped, (labels + 1 + rng.integers(3, size=rows)) % n_classes, labels)
    p_wrong = np.where(flipped, rng.beta(5, 2, rows), rng.beta(1, 12, rows))
    names = np.array([f"diagnosis {code}" for code in range(n_classes)])
    summary = fake_summary(p_wrong, labels, suggested, names, flipped, n_suspects)
    for suspect in summary["suspects"]:
        suspect["id"] = f"P-{suspect['row']:04d}"
        suspect["values"] = {f"measure {j}": f"{rng.normal():.4f}" for j in range(12)}
    n_points = n_points or rows
    summary["map"] = {key: values[:n_points] for key, values in summary["map"].items()}
    summary["map"] |= {
        "x": rng.normal(size=n_points).tolist(),
        "y": rng.normal(size=n_points).tolist(),
    }
    return summary


def fake_summary(p_wrong, labels, suggested, names, flipped, n_suspects):
    """All that follows from a probability, a label and a suggestion for each row."""
    flagged = p_wrong > 0.5
    told = flagged & (suggested != labels)
    order = np.argsort(-p_wrong, kind="stable")
    n, n_classes = len(labels), len(names)
    rate = float(p_wrong.mean())
    edges = np.linspace(0, 1, 21)
    return {
        "errata": "0.1.0",
        "title": "train.csv",
        "seed": 0,
        "rows": n,
        "features": 64,
        "label": "species",
        "classes": names.tolist(),
        "noise_rate": {
            **{"estimate": rate, "low": 0.8 * rate, "high": 1.3 * rate},
            **{"count": round(n * rate), "count_low": round(0.8 * n * rate)},
            "count_high": round(1.3 * n * rate),
        },
        "flagged": {
            "count": int(flagged.sum()),
            "expected_precision": float(p_wrong[flagged].mean()),
            "expected_recall": float(p_wrong[flagged].sum() / p_wrong.sum()),
            "rule": "Rows that are more likely wrong than right are flagged.",
        },
        "notes": [
            "3 rows without a label were left out.",
            "2 pairs of equal rows have different labels.",
        ],
        "per_class": _per_class(p_wrong, labels, names, flagged),
        "confusion": _confusion(labels[told], suggested[told], names),
        "transition": _transition(labels, suggested, n_classes) if n_classes <= 50 else None,
        "witnesses": [
            {"name": "forest", "weight": 0.8, "agreement": 0.91},
            {"name": "neighbours", "weight": 0.55, "agreement": 0.88},
            {"name": "logistic", "weight": 0.31, "agreement": 0.84},
        ],
        "self_check": _self_check(order, flipped),
        "histogram": {
            "edges": edges.tolist(),
            "counts": np.histogram(p_wrong, edges)[0].tolist(),
            "flagged": np.histogram(p_wrong[flagged], edges)[0].tolist(),
        },
        "map": {
            **{"x": [0.0] * n, "y": [0.0] * n, "row": list(range(n))},
            **{"label": labels.tolist(), "suggested": suggested.tolist()},
            **{"p_wrong": p_wrong.tolist(), "flagged": flagged.astype(int).tolist()},
        },
        "duplicates": [{"rows": [3, 17], "labels": names[:2].tolist()}],
        "duplicates_total": 2,
        "suspects": [
            _suspect(int(row), p_wrong, labels, suggested, names, flagged)
            for row in order[:n_suspects]
        ],
        "suspects_total": int((p_wrong > 0.2).sum()),
    }


def _suspect(row, p_wrong, labels, suggested, names, flagged):
    label, suggestion = str(names[labels[row]]), str(names[suggested[row]])
    return {
        "row": row,
        "id": None,
        "label": label,
        "suggested": suggestion,
        "p_wrong": float(p_wrong[row]),
        "flagged": bool(flagged[row]),
        "reasons": [
            f"9 of its 10 nearest rows are labelled {suggestion}, none {label}.",
            f"The forest gives {suggestion} a probability of 84 %.",
        ],
        "similar": [{"row": row + step, "label": suggestion} for step in (1, 2, 5)],
        "values": {},
        "image": None,
    }


def _per_class(p_wrong, labels, names, flagged):
    return [
        {
            "class": str(name),
            "rows": int((labels == code).sum()),
            "expected_wrong": float(p_wrong[labels == code].sum()),
            "rate": float(p_wrong[labels == code].sum() / max((labels == code).sum(), 1)),
            "flagged": int(flagged[labels == code].sum()),
        }
        for code, name in enumerate(names)
    ]


def _confusion(labels, suggested, names):
    pairs, counts = np.unique(np.stack([labels, suggested]), axis=1, return_counts=True)
    return [
        {
            "label": str(names[pairs[0, i]]),
            "suggested": str(names[pairs[1, i]]),
            "count": int(counts[i]),
        }
        for i in np.argsort(-counts, kind="stable")
    ]


def _transition(labels, suggested, n_classes):
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (suggested, labels), 1)
    return (counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)).tolist()


def _self_check(order, flipped):
    hits = np.cumsum(flipped[order])
    rank = np.arange(1, 1 + min(len(order), 600))
    top = min(200, len(order))
    planted, found = int(flipped.sum()), int(hits[top - 1])
    return {
        **{"planted": planted, "top": top, "found": found},
        "average_precision": float((hits / np.arange(1, 1 + len(hits)))[flipped[order]].mean()),
        **{"suggested_right": 0.9, "repeats": 1},
        "rank": rank.tolist(),
        "precision": (hits[: len(rank)] / rank).tolist(),
        "recall": (hits[: len(rank)] / planted).tolist(),
        "sentence": f"Of {planted} errors we planted, "
        f"{found} are among the {top} most suspicious rows.",
    }
