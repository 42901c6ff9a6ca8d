"""Summaries of audits that look real, for tests of what shows them."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from errata.audit_folder import pixels_uri
from errata.hardness import NeighborDisagreement
from errata.noise import flip_labels

KINDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def digits_summary(rows=1797, n_examples=200, *, pictures=True, random_state=0):
    """Digits with a tenth of the labels flipped, judged by their neighbours."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:rows], y[:rows]
    labels, flipped = flip_labels(y, 0.1, random_state=random_state)
    detector = NeighborDisagreement(n_neighbors=10).fit(X, labels)
    jitter = np.random.default_rng(random_state).uniform(0, 0.08, len(X))
    p_wrong = np.clip(0.95 * detector.suspicion_**3 + jitter * detector.suspicion_, 0, 0.99)
    names = np.array(KINDS)
    summary = fake_summary(p_wrong, labels, detector.suggested_, names, flipped, n_examples)
    summary["map"] |= dict(zip("xy", PCA(2).fit_transform(X).T.tolist(), strict=True))
    for example in summary["examples"]:
        example |= _digit(X[example["row"]], pictures) | {"speaking": 2}
        nearest = (int(np.flatnonzero(y == code)[0]) for code in (0, 1))
        held = ((row, names[labels[row]], _digit(X[row], pictures)) for row in nearest)
        example["compared"] = [_beside(example, *near) for near in held]
    return summary


def _digit(pixels, pictured):
    values = {f"pixel {j // 8}, {j % 8}": f"{pixels[j]:g}" for j in range(20, 44)}
    return {
        "values": values,
        "image": pixels_uri(16 - pixels.reshape(8, 8)) if pictured else None,
    }


def random_summary(rows, n_classes, n_examples, n_points=None, random_state=0):
    """Any size at will, without pictures."""
    rng = np.random.default_rng(random_state)
    labels = rng.integers(n_classes, size=rows)
    flipped = rng.random(rows) < 0.08
    suggested = np.where(flipped, (labels + 1 + rng.integers(3, size=rows)) % n_classes, labels)
    p_wrong = np.where(flipped, rng.beta(5, 2, rows), rng.beta(1, 12, rows))
    names = np.array([f"diagnosis {code}" for code in range(n_classes)])
    summary = fake_summary(p_wrong, labels, suggested, names, flipped, n_examples)
    for example in summary["examples"]:
        example["id"] = f"P-{example['row']:04d}"
        example["values"] = {f"measure {j}": f"{rng.normal():.4f}" for j in range(12)}
    n_points = n_points or rows
    summary["map"] = {key: values[:n_points] for key, values in summary["map"].items()}
    summary["map"] |= {
        "x": rng.normal(size=n_points).tolist(),
        "y": rng.normal(size=n_points).tolist(),
    }
    return summary


def no_skill(summary):
    """The same table, if its columns told nothing about the labels."""
    largest = max(line["rows"] for line in summary["per_class"]) / summary["rows"]
    rate = {"estimate": 0.05, "low": 0.0, "high": 1 - largest}
    rate |= {"count": round(0.05 * summary["rows"]), "count_low": 0}
    rate["count_high"] = round(rate["high"] * summary["rows"])
    sentence = (
        "These columns do not tell the labels apart (no better than knowing how frequent each "
        "label is). Whether labels are wrong cannot be judged from them: anything from none to "
        f"{rate['high']:.0%} is possible. Nothing is flagged."
    )
    rule = "Nothing is flagged, as the columns do not tell the labels apart."
    return no_lift(summary) | {
        **{"has_skill": False, "noise_rate": rate, "alternatives": None, "confusion": []},
        "flagged": {
            **{"count": 0, "expected_precision": None, "expected_recall": None, "rule": rule},
            "cleaned": {"threshold": 0.5, "rows": 0, "above": 0, "command": None},
        },
        "notes": [sentence, *summary["notes"]],
        "examples": [example | {"flagged": False} for example in summary["examples"]],
        "map": summary["map"] | {"flagged": [0] * len(summary["map"]["row"])},
    }


def no_lift(summary):
    """The same with a self-check in which the columns add nothing to the labels."""
    check = summary["self_check"] | {"found": 31, "by_label": 32, "lift": False}
    check |= {name: [] for name in check if isinstance(check[name], list)}
    check["sentence"] = (
        f"Of {check['injected']} errors we planted, 31 are among the {check['top']} most "
        "suspicious rows, but a list by label alone holds 32: the columns add nothing."
    )
    return summary | {"self_check": check}


def perhaps_overlap(summary):
    """The same with a noise rate that may be nothing."""
    rate = {"low": 0.0, "count_low": 0}
    return summary | {
        "noise_rate": summary["noise_rate"] | rate,
        "flagged": summary["flagged"] | {"expected_precision": 0.34, "expected_recall": 0.3},
        "alternatives": "The data leave open how many labels are wrong: none if the classes "
        "merely overlap, 12% if they are wrong where classes meet.",
        "hypotheses": [
            {"kind": "none", "weight": 0.62, "rate": 0.0},
            {"kind": "boundary", "weight": 0.31, "rate": 0.12},
            {"kind": "uniform", "weight": 0.07, "rate": 0.04},
        ],
    }


def fake_summary(p_wrong, labels, suggested, names, flipped, n_examples):
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
        "has_skill": True,
        "noise_rate": {
            **{"estimate": rate, "low": 0.8 * rate, "high": 1.3 * rate},
            **{"count": round(n * rate), "count_low": round(0.8 * n * rate)},
            "count_high": round(1.3 * n * rate),
        },
        "hypotheses": [
            {"kind": "uniform", "weight": 0.71, "rate": 1.1 * rate},
            {"kind": "pattern", "weight": 0.2, "rate": rate},
            {"kind": "class to class", "weight": 0.06, "rate": 1.3 * rate},
            {"kind": "boundary", "weight": 0.02, "rate": 0.7 * rate},
            {"kind": "none", "weight": 0.01, "rate": 0.0},
        ],
        "alternatives": None,
        "flagged": {
            "count": int(flagged.sum()),
            "expected_precision": float(p_wrong[flagged].mean()),
            "expected_recall": float(p_wrong[flagged].sum() / p_wrong.sum()),
            "rule": "Rows that are more likely wrong than right are flagged.",
            "cleaned": {
                **{"threshold": 0.5, "rows": int(flagged.sum()), "above": int(flagged.sum())},
                "command": "errata clean train.audit -o train.clean.csv",
            },
        },
        "by": None,
        "review": {"command": "errata review train.audit", "so_far": None},
        "notes": [
            "3 rows without a label were left out.",
            "2 pairs of equal rows have different labels.",
        ],
        "per_class": _per_class(p_wrong, labels, names, flagged),
        "confusion": _confusion(labels[told], suggested[told], names),
        "transition": _transition(labels, suggested, n_classes) if n_classes <= 50 else None,
        "models": [
            {"name": "forest", "weight": 0.8, "agreement": 0.91},
            {"name": "neighbors", "weight": 0.55, "agreement": 0.88},
            {"name": "logistic", "weight": 0.31, "agreement": 0.84},
        ],
        "self_check": _self_check(order, labels, flipped),
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
        "examples": [
            _example(int(row), p_wrong, labels, suggested, names, flagged)
            for row in order[:n_examples]
        ],
        "stretches": None,
    }


def _example(row, p_wrong, labels, suggested, names, flagged):
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
            f"The forest gives {suggestion} a probability of 84%.",
        ],
        "similar": [
            {"row": row + step, "label": suggestion, "distance": step / 4} for step in (1, 2, 5)
        ],
        "values": {},
        "speaking": 0,
        "image": None,
        "compared": [],
    }


def _beside(example, row, label, held):
    """A near row as an example is shown beside it."""
    differs = [name for name, value in example["values"].items() if held["values"][name] != value]
    return {"row": int(row), "label": str(label), "differs": differs, **held}


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


def _self_check(order, labels, flipped):
    n, injected = len(order), int(flipped.sum())
    hits, label_hits = np.cumsum(flipped[order]), _hits_by_labels(labels, flipped)
    top = min(round(1.1 * injected), n)
    rank = np.unique(np.r_[np.geomspace(1, n, 200).round().astype(int), top])
    found, by_label = int(hits[top - 1]), round(label_hits[top - 1])
    return {
        **{"injected": injected, "top": top, "found": found, "by_label": by_label, "lift": True},
        "average_precision": float((hits / np.arange(1, 1 + n))[flipped[order]].mean()),
        **{"suggested_right": 0.9, "repeats": 1},
        "rank": rank.tolist(),
        "precision": (hits[rank - 1] / rank).tolist(),
        "recall": (hits[rank - 1] / injected).tolist(),
        "label_precision": (label_hits[rank - 1] / rank).tolist(),
        "label_recall": (label_hits[rank - 1] / injected).tolist(),
        "sentence": f"Of {injected} errors we planted, {found} are among the {top} most "
        f"suspicious rows; knowing the labels alone, {by_label} would be.",
    }


def _hits_by_labels(labels, flipped):
    """How many errors the first rows hold, in the mean, if labels with most errors come first."""
    fraction = np.bincount(labels, weights=flipped) / np.maximum(np.bincount(labels), 1)
    return np.cumsum(np.sort(fraction[labels])[::-1])


def with_stretches(summary, n=3, *, rows=900, random_state=0):
    """The same as of recordings, with so many stretches drawn."""
    random = np.random.default_rng(random_state)
    names = summary["classes"]
    axis = {"name": "t", "first": 3.0, "last": 21.5}
    line = {"low": -1.0, "high": 1.0, "x": np.linspace(0, 1, rows).tolist()}
    trace = {
        **{"recording": "dog <1>", "start": 100, "end": 139, "rows": 40, "p_wrong": 0.93},
        **{"label": names[0], "suggested": names[1], "axis": axis, "from": 0.4, "to": 0.6},
        "labels": [{"name": names[0], "at": 0.0, "width": 1.0}],
        "suggestions": [
            {"name": name, "at": at, "width": width}
            for name, at, width in (
                (names[0], 0.0, 0.4),
                (names[1], 0.4, 0.2),
                (names[0], 0.6, 0.4),
            )
        ],
        "signals": [
            {"name": name, **line, "y": random.random(rows).tolist()} for name in ("up", "<side>")
        ],
    }
    stretches = {"count": n + 4, "recordings": 5, "worst": [trace] * n}
    return summary | {"examples": [], "stretches": stretches}
