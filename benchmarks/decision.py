"""How good is the decision, with the models as they are? Flags, rates and intervals beside rules.

    python benchmarks/decision.py networks --data FOLDER    probabilities of networks, human errors
    python benchmarks/decision.py pairs --data FOLDER       every class flows into one other
    python benchmarks/decision.py tables --data FOLDER      five kinds of noise, 600 rows, and none
    python benchmarks/decision.py single --data FOLDER      probabilities of one plain model
    python benchmarks/decision.py made                      rare classes, many classes, no signal

Rules see the same pooled probabilities as the audit: the most probable class (argmax) and confident
learning's counts (Northcutt et al., 2021; by noise rate, and of both ways). ``label`` is the F1
score of the best list that knows the labels only. All of ``networks``, ``pairs``, ``single`` and
the tables of ``CHOSEN_ON`` in noisy_sets.py were in view while the rule of the noise model was
chosen: their figures flatter it. Those of FOLDER/more chose no constant (``tables --sets more``),
but decided that ambiguous classes widen the interval and leave the probabilities alone.
"""

import itertools
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from detection import f1_by_label, read
from noisy_sets import KINDS, NO_SIGNAL, REAL, inject, load, names, no_signal
from runs import main, options, run, show
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import errata
from errata.auditing import _learning
from errata.metrics import expected_calibration_error
from errata.noise import flip_labels

PAIRS = ("satimage", "pendigits", "segment", "optdigits", "letter", "vehicle")
SINGLE = {
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(10)),
    "forest": RandomForestClassifier(50, random_state=0),
}
SINGLE_SETS = (
    "digits", "breast_cancer", "wine", "satimage", "vehicle", "segment", "pima", "yeast", "ecoli",
)  # fmt: skip
KEYS = ("dataset", "kind")
MEASURED = (
    "n", "true", "rate", "low", "high", "covered", "f1", "flagged", "precision", "expected", "ap",
    "ece", "skill", "argmax", "by_noise_rate", "both", "label", "rare_flagged",
)  # fmt: skip


def decide(X, labels, wrong, proba=None):
    """What the audit decides, and what rules make of the same probabilities."""
    seen = {}

    def remember_rows(inputs, *args):
        seen["rows"] = inputs.audited  # in the order in which models see them
        return training_data(inputs, *args)

    def remember_pool(logs, codes, *args, **kwargs):
        seen["rules"] = apply_rules(np.exp(logs.astype(float)), codes)
        return posterior_of(logs, codes, *args, **kwargs)

    posterior_of = _learning.posterior_of
    training_data = _learning._training_data
    with (
        mock.patch.object(_learning, "posterior_of", remember_pool),
        mock.patch.object(_learning, "_training_data", remember_rows),
    ):
        audit = errata.audit(X, labels, pred_proba=proba, self_check=False, random_state=0)
    rate = audit.noise_rate
    flagged = np.asarray(audit.flagged)
    rare = labels == np.bincount(labels).argmin()
    found = {name: f1(flags, wrong[seen["rows"]]) for name, flags in seen["rules"].items()}
    found |= {"f1": f1(flagged, wrong), "label": f1_by_label(labels, wrong)}
    return found | {
        "n": len(labels),
        "true": wrong.mean(),
        "rate": rate.estimate,
        "low": rate.low,
        "high": rate.high,
        "covered": rate.low <= wrong.mean() <= rate.high,
        "flagged": flagged.mean(),
        "precision": wrong[flagged].mean() if flagged.any() else np.nan,
        "expected": audit.expected_precision,
        "ap": average_precision_score(wrong, audit.suspicion) if wrong.any() else np.nan,
        "ece": expected_calibration_error(wrong, audit.p_wrong),
        "skill": audit.has_skill,
        "rare_flagged": flagged[rare].mean(),
    }


def apply_rules(q, codes):
    """Flags by the most probable class, and by confident learning's counts."""
    n_classes, n = q.shape
    sizes = np.bincount(codes, minlength=n_classes)
    own = q[codes, np.arange(n)]
    thresholds = np.bincount(codes, weights=own, minlength=n_classes) / np.maximum(sizes, 1)
    likely = np.where(q >= thresholds[:, None], q, -1.0)
    counted = likely.max(axis=0) >= 0
    joint = np.zeros((n_classes, n_classes))
    np.add.at(joint, (codes[counted], likely.argmax(axis=0)[counted]), 1)
    joint[joint.sum(axis=1) == 0, 0] = 1e-9
    joint *= (sizes / joint.sum(axis=1))[:, None]
    differs = q.argmax(axis=0) != codes
    by_class = np.zeros(n, dtype=bool)
    by_noise_rate = np.zeros(n, dtype=bool)
    for label in range(n_classes):
        rows = np.flatnonzero(codes == label)
        least = round(joint[label].sum() - joint[label, label])
        by_class[rows[np.argsort(own[rows], kind="stable")[:least]]] = True
        for other in range(n_classes):
            count = round(joint[label, other])
            if other != label and count > 0:
                margin = own[rows] - q[other, rows]
                by_noise_rate[rows[np.argsort(margin, kind="stable")[:count]]] = True
    return {
        "argmax": differs,
        "by_noise_rate": by_noise_rate & differs,
        "both": by_class & by_noise_rate & differs,
    }


def f1(flagged, wrong):
    return 2 * (flagged & wrong).sum() / (flagged.sum() + wrong.sum()) if wrong.any() else np.nan


def network_cell(name, kind, data):
    if kind == "given":
        table = np.load(Path(data) / "networks" / f"{name}.npz")
        proba = table["pred_proba"].astype(float)
        proba /= proba.sum(axis=1, keepdims=True)
        labels = table["label"]
        return [decide(None, labels, labels != table["true_label"], proba)]
    X, proba, codes, wrong = read(name, data, None)
    return [decide(X, codes, wrong, proba)]


def pair_cell(name, kind, data):
    X, y = load(name, 3000, 0, data)
    rate = int(kind[4:]) / 100
    n_classes = int(y.max()) + 1
    cycle = np.random.RandomState(0).permutation(n_classes)
    transition = np.eye(n_classes) * (1 - rate)
    transition[cycle, np.roll(cycle, -1)] = rate
    labels, wrong = flip_labels(y, transition=transition, random_state=0)
    return [decide(X, labels, wrong)]


def table_cell(name, kind, data):
    X, y = load(name, 600, 0, data)
    labels, wrong = inject(X, y, kind, name, 0)
    return [decide(X, labels, wrong)]


def single_cell(name, kind, data):
    model, rate = kind.split()
    X, y = load(name, 1500, 0, data)
    labels, wrong = (y, y < 0) if rate == "0" else flip_labels(y, float(rate), random_state=0)
    proba = cross_val_predict(SINGLE[model], X, labels, method="predict_proba")
    return [decide(None, labels, wrong, proba)]


def made_cell(name, kind):
    seed = int(kind)
    clean = np.zeros
    if name == "rare class":  # of 4 %, all of it genuine
        separation = (0.6, 1.0, 1.4)[seed % 3]
        X, y = make_classification(
            2000, 10, n_informative=5, weights=[0.96], class_sep=separation, flip_y=0,
            n_clusters_per_class=1, random_state=seed,
        )  # fmt: skip
        return [decide(X, y, clean(len(y), dtype=bool))]
    if name in NO_SIGNAL:
        X, y = no_signal(name, seed)
        return [decide(X, y, clean(len(y), dtype=bool))]
    n_classes = int(name.split()[0])
    random = np.random.default_rng([n_classes, seed])
    y = np.arange(max(1800, 30 * n_classes)) % n_classes
    X = 1.3 * random.normal(size=(n_classes, 8))[y] + random.normal(size=(len(y), 8))
    labels, wrong = flip_labels(y, 0.1, random_state=seed)
    return [decide(X, labels, wrong)]


def tell(path):
    table = pd.read_csv(path)
    table["off"] = (table.rate - table.true).abs()
    table["width"] = table.high - table.low
    columns = [*MEASURED, "off", "width"]
    show("every cell", table.set_index(list(KEYS))[columns].round(3))
    show("means by kind", table.groupby("kind")[columns].mean(numeric_only=True).round(3))


def parse(out):
    parser = options(__doc__, out)
    parser.add_argument("--sets", default="chosen", help="chosen, held, unseen, all or more")
    return parser.parse_args()


def run_networks():
    args = parse("decision_networks.csv")
    given = [(path.stem, "given") for path in sorted((args.data / "networks").glob("*.npz"))]
    cells = [*given, *((name, "people or rules") for name in REAL)]
    run(partial(network_cell, data=args.data), cells, KEYS, MEASURED, args)
    tell(args.out)


def run_pairs():
    args = parse("decision_pairs.csv")
    cells = itertools.product(PAIRS, ("pair20", "pair40"))
    run(partial(pair_cell, data=args.data), list(cells), KEYS, MEASURED, args)
    tell(args.out)


def run_single():
    args = parse("decision_single.csv")
    kinds = [f"{model} {rate}" for rate in ("0", "0.1", "0.3") for model in SINGLE]
    cells = itertools.product(SINGLE_SETS, kinds)
    run(partial(single_cell, data=args.data), list(cells), KEYS, MEASURED, args)
    tell(args.out)


def run_tables():
    args = parse("decision_tables.csv")
    data = args.data
    sets = names(data, args.sets) if args.sets != "more" else []
    if args.sets == "more":
        data = Path(data) / "more"
        sets = [path.name.split(".")[0] for path in sorted(data.glob("*.csv*"))]
    cells = list(itertools.product(sets, (*KINDS, "clean")))
    run(partial(table_cell, data=data), cells, KEYS, MEASURED, args)
    tell(args.out)


def run_made():
    args = parse("decision_made.csv")
    made = ("rare class", "30 classes", "100 classes", *NO_SIGNAL)
    run(made_cell, list(itertools.product(made, "012")), KEYS, MEASURED, args)
    tell(args.out)


if __name__ == "__main__":
    main(
        __doc__,
        networks=run_networks,
        pairs=run_pairs,
        single=run_single,
        tables=run_tables,
        made=run_made,
    )
