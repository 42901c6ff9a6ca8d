"""What do decisions of a reviewer bring, and does the certificate hold?

    python benchmarks/verdicts.py decisions choose               synthetic tables, chose constants
    python benchmarks/verdicts.py decisions report --data FOLDER  stored sets, which chose none
    python benchmarks/verdicts.py real --data FOLDER              errors that people and rules made
    python benchmarks/verdicts.py certificate                    200 random tables

``decisions``: each table is audited as it is, with 10 % of the labels flipped at random, and with
20 % near borders between classes. Rows are taken from piles of five designs; 20 and 40 decisions of
a reviewer who knows the truth are used in four ways: not at all; as one shift of all log-odds; as
weights of the noise hypotheses; as both. Measured on the rows without a decision: error of the
noise rate, calibration error, F1 of the flags, right labels flagged; and whether the interval of
the noise rate holds it.

``certificate``: the probability that a label is wrong is drawn for every row, and labels by it. A
fifth of the audits know these probabilities; the others are wrong: far too sure of noise or far too
unsure, with the probabilities of other rows, or with the rows in reverse order. Beside it: Clopper
and Pearson's interval from as many decisions on rows of the whole table. The last review is looked
at after every tenth decision: an interval holds if it never excludes the truth.
"""

from itertools import product

import numpy as np
import pandas as pd
from detection import read
from noisy_sets import REAL, inject, load, random_table
from runs import asked, main, options, run, show
from scipy.stats import binomtest

import errata
from errata.auditing.classes import group_hypotheses, posterior_of
from errata.auditing.inputs._inputs import read_inputs
from errata.auditing.models._base import TrainingData
from errata.auditing.models._default import default_models
from errata.auditing.models._pooling import pool_models
from errata.auditing.results._flags import draw_flags
from errata.metrics import expected_calibration_error
from errata.review.inference import (
    certify,
    draw_piles,
    evidence_of,
    gather_components,
    progress,
    update,
)

# Decisions.

KINDS = ("clean", "ncar10", "nnar20")
SETS = {
    "choose": [
        *product(("moons", "twonorm", "overlap", "imbalanced", "ringnorm", "threenorm"), (0, 1)),
        *product(("random",), range(12)),
    ],
    "report": [
        *product(("cmc", "liver_bupa", "yeast", "winequality_red", "winequality_white"), (0,)),
        *product(
            ("haberman", "mammographic", "ilpd", "transfusion", "heart_statlog", "pima"), (0,)
        ),
        *product(("vehicle", "segment", "breast_cancer", "satimage", "led7"), (0,)),
    ],
}
DESIGNS = ("piles", "uniform", "worst", "strata", "telling")
SEEDS = 3  # of each pile
KEYS = ("part", "dataset", "seed", "kind")
COLUMNS = (
    "design", "verdicts", "reading", "error", "bias", "ece", "f1", "false", "holds", "width",
)  # fmt: skip


def table(name, seed, data):
    """At most 500 rows, of random tables 600, of classes with six or more."""
    if name != "random":
        return load(name, 500, seed, data)
    X, y = random_table(seed)
    drawn = np.random.RandomState(seed).permutation(len(y))[:600]
    kept = drawn[np.bincount(y[drawn])[y[drawn]] >= 6]
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


class Audited:
    """One audit, and the truth."""

    def __init__(self, X, noisy, wrong):
        inputs = read_inputs(X, noisy, embeddings=None, groups=None, trust=(), seed=0, n_jobs=1)
        codes, n_classes = inputs.audited_codes, len(inputs.present)
        data = TrainingData(inputs.X, codes, n_classes, None, 0, 1)
        logs = pool_models(data, default_models(len(codes), n_classes)).logs
        self.posterior = posterior_of(logs, codes, np.random.default_rng(0))
        self.grouped = group_hypotheses(self.posterior, logs, codes)
        self.p_wrong, self.wrong = self.posterior.p_wrong, wrong[inputs.audited]
        self.flagged = self.flags(np.ones(len(codes), dtype=bool), self.p_wrong)

    def flags(self, rows, p_wrong):
        if not self.posterior.skill.enough:
            return np.zeros(int(rows.sum()), dtype=bool)
        return draw_flags(p_wrong[rows], self.posterior.suspicion[rows])[0]

    def components(self, reading):
        """Components, and the probabilities of rows under each of them."""
        kinds, weights, p = self.grouped
        p = p.astype(float)
        if reading == "shift":
            kinds, weights, p = ("audit",), np.ones(1), self.p_wrong[:, None]
        found = gather_components(kinds, weights, p, self.flagged, self.p_wrong.sum())
        return (without_shifts(found) if reading == "hypotheses" else found), p


def without_shifts(components):
    middle = [len(components.shifts) // 2]
    cut = [
        sums._replace(wrong=sums.wrong[:, middle], variance=sums.variance[:, middle])
        for sums in (components.flagged, components.others)
    ]
    weights = components.weights.sum(axis=(1, 2), keepdims=True)
    return components._replace(
        shifts=components.shifts[middle], weights=weights, flagged=cut[0], others=cut[1]
    )


def pile(audited, design, seed):
    """Forty rows, in order."""
    random, p = np.random.default_rng(seed), audited.p_wrong
    if design == "piles":
        return np.array([row for row, _, _ in draw_piles(audited.flagged, random)["calibration"]])
    if design == "worst":
        return np.argsort(-audited.posterior.suspicion, kind="stable")[:40]
    if design == "strata":  # one of each stratum of p_wrong in turn
        strata = np.digitize(p, [0.02, 0.1, 0.3, 0.6])
        order = random.permutation(len(p))
        turn = np.empty(len(p))
        for stratum in range(5):
            turn[order[strata[order] == stratum]] = np.arange(np.sum(strata == stratum))
        return np.argsort(turn, kind="stable")[:40]
    rates = np.ones(len(p))
    if design == "telling":  # by what a verdict tells of the hypotheses
        rates = audited.grouped.p.var(axis=1) + 1e-6
    return np.argsort(random.exponential(size=len(p)) / rates)[:40]


def work(data, part, name, seed, kind):
    X, y = table(name, seed, data)
    audited = Audited(X, *inject(X, y, kind, name, seed))
    low, high = audited.posterior.low, audited.posterior.high
    every = np.ones(len(audited.wrong), dtype=bool)
    rate = audited.posterior.rate
    rows = [
        {"design": "none", "verdicts": 0, "reading": "nothing"}
        | measure(audited, every, audited.p_wrong, rate, low, high)
    ]
    for design in DESIGNS:
        for draw in range(1 if design == "worst" else SEEDS):
            drawn = pile(audited, design, draw)
            for m in (20, 40):
                rows += [
                    {"design": design, "verdicts": m, "reading": reading}
                    | learnt(audited, drawn[:m], reading)
                    for reading in ("nothing", "shift", "hypotheses", "both")
                ]
    return rows


def learnt(audited, drawn, reading):
    n, rest = len(audited.wrong), np.ones(len(audited.wrong), dtype=bool)
    rest[drawn] = False
    if reading == "nothing":
        rate = (audited.p_wrong[rest].sum() + audited.wrong[drawn].sum()) / n
        low, high = audited.posterior.low, audited.posterior.high
        return measure(audited, rest, audited.p_wrong, rate, low, high)
    before, p = audited.components(reading)
    seen = audited.wrong[drawn], audited.flagged[drawn], audited.p_wrong[drawn]
    evidence = evidence_of(before, p[drawn], *seen)
    after = update(before, evidence)
    told = progress(after, evidence, np.zeros(0))["rate"]
    rate, low, high = (told[name] / n for name in ("expected", "low", "high"))
    return measure(audited, rest, after.p_wrong(p, audited.flagged), rate, low, high)


def measure(audited, rest, p_wrong, rate, low, high):
    wrong, truth = audited.wrong[rest], audited.wrong.mean()
    flags, half = audited.flags(rest, p_wrong), 0.5 / len(audited.wrong)
    hits = np.sum(flags & wrong)
    return {
        "error": abs(rate - truth),
        "bias": rate - truth,
        "ece": expected_calibration_error(wrong, p_wrong[rest]),
        "f1": 2 * hits / (flags.sum() + wrong.sum()) if wrong.any() else np.nan,
        "false": np.mean(flags & ~wrong),
        "holds": int(low - half <= truth <= high + half),
        "width": high - low,
    }


def tell(results):
    columns = ["error", "bias", "ece", "f1", "false", "holds", "width"]
    means = results.groupby(["part", "kind", "verdicts", "design", "reading"])[columns].mean()
    for part, some in means.groupby("part"):
        show(part, some.droplevel("part"))


def run_verdicts():
    parser = options(__doc__, "verdicts.csv")
    parser.add_argument("part", choices=SETS)
    args = parser.parse_args()
    cells = [(args.part, *cell, kind) for cell in SETS[args.part] for kind in KINDS]

    def cell_work(*cell):
        return work(args.data, *cell)

    run(cell_work, cells, KEYS, COLUMNS, args)
    tell(pd.read_csv(args.out))


# Real errors.


def real_work(data, name):
    X, proba, codes, wrong = read(name, data, 3_000)
    found = errata.audit(X, codes, pred_proba=proba, self_check=False, random_state=0)
    before, p = found.for_review.components(found)
    p = p.astype(float)
    told = [{"verdicts": 0, "seed": 0} | measure_real(found, wrong, slice(0), found.p_wrong)]
    told[0] |= real_interval(wrong, *found.noise_rate)
    for seed in range(20):
        piles = draw_piles(found.flagged, np.random.default_rng(seed))
        drawn = np.array([row for row, *_ in piles["calibration"]])
        for m in (20, 40):
            rows = drawn[:m]
            seen = (wrong[rows], found.flagged[rows], found.p_wrong[rows])
            evidence = evidence_of(before, p[rows], *seen)
            after = update(before, evidence)
            left = progress(after, evidence, np.zeros(0))["rate"]
            now = {"verdicts": m, "seed": seed}
            now |= measure_real(found, wrong, rows, after.p_wrong(p, found.flagged))
            told.append(
                now
                | real_interval(
                    wrong, *(left[name] / len(wrong) for name in ("expected", "low", "high"))
                )
            )
    return told


def measure_real(found, wrong, rows, p_wrong):
    """Of the rows without a verdict."""
    rest = np.ones(len(wrong), dtype=bool)
    rest[rows] = False
    flags, _, _ = draw_flags(p_wrong[rest], found.suspicion[rest])
    hits = np.sum(flags & wrong[rest])
    return {
        "ece": expected_calibration_error(wrong[rest], p_wrong[rest]),
        "f1": 2 * hits / (flags.sum() + wrong[rest].sum()),
        "flagged": flags.mean(),
        "precision": hits / max(flags.sum(), 1),
    }


def real_interval(wrong, rate, low, high):
    half = 0.5 / len(wrong)
    holds = int(low - half <= wrong.mean() <= high + half)
    return {"error": abs(rate - wrong.mean()), "holds": holds, "width": high - low}


def run_real():
    args = options(__doc__, "verdicts_real.csv").parse_args()
    columns = ("error", "ece", "f1", "flagged", "precision", "holds", "width")

    def cell_work(name):
        return real_work(args.data, name)

    cells = [(name,) for name in REAL]
    run(cell_work, cells, ("dataset",), ("verdicts", "seed", *columns), args)
    found = pd.read_csv(args.out)
    by_set = found.groupby(["dataset", "verdicts"])[list(columns)].mean()
    show("by set", by_set)
    show("mean over sets", by_set.groupby("verdicts").mean())


# The certificate.

AUDITS = ("right", "too much", "too little", "of other rows", "reversed")
REVIEWS = {  # rows of the calibration pile, of the spot pile, and whether all suspects are decided
    "20": (20, 0, False),
    "40": (40, 0, False),
    "40 + 60": (40, 60, False),
    "40 + 160": (40, 160, False),
    "all suspects + 60": (40, 60, True),
}
CERTIFICATE_KEYS = ("audit", "seed")
CERTIFICATE_COLUMNS = (
    "review", "verdicts", "rate", "low", "high", "holds", "width", "counted", "counted_holds",
    "listed", "list_holds",
)  # fmt: skip
STOPPED = "whenever it suits"  # looked at after every tenth row of both piles


def certificate_table(audit, seed):
    """What the audit says of each row, and which labels are wrong."""
    random = np.random.default_rng([seed, 5])
    n, rate = round(np.exp(random.uniform(np.log(400), np.log(5000)))), random.uniform(0.01, 0.3)
    sharp = random.uniform(0.05, 0.5)  # the smaller, the nearer to none or certainty
    true = random.beta(rate * sharp, (1 - rate) * sharp, n).clip(1e-6, 1 - 1e-6)
    wrong, log_odds = random.random(n) < true, np.log(true / (1 - true))
    said = {
        "right": true,
        "too much": 1 / (1 + np.exp(-log_odds - 2)),
        "too little": 1 / (1 + np.exp(-log_odds + 2)),
        "of other rows": random.permutation(true),
        "reversed": np.sort(true)[np.argsort(np.argsort(-true))],
    }
    return said[audit], wrong, random


def certificate_work(audit, seed):
    p, wrong, random = certificate_table(audit, int(seed))
    flagged = p >= min(0.5, np.sort(p)[-5])
    piles = draw_piles(flagged, random)
    return [
        {"review": name, **review(piles, p, wrong, flagged, random, *taken)}
        for name, taken in REVIEWS.items()
    ] + [{"review": STOPPED, **stopped_review(piles, p, wrong, flagged, random)}]


def stopped_review(piles, p, wrong, flagged, random):
    """Whether the truth is never excluded while somebody looks again and again."""
    order = [row for row, _, _ in piles["calibration"]] + piles["spot"]
    counted = wrong[random.permutation(len(wrong))]
    truth = wrong.mean()
    holds = counted_holds = True
    for n in range(10, len(order) + 1, 10):
        found = certify(piles, p, flagged, {int(row): bool(wrong[row]) for row in order[:n]})
        low, high = binomtest(int(counted[:n].sum()), n).proportion_ci()
        holds &= found.low <= truth <= found.high
        counted_holds &= low <= truth <= high
    return {
        "verdicts": len(order),
        "rate": truth,
        "low": found.low,
        "high": found.high,
        "holds": int(holds),
        "width": found.high - found.low,
        "counted": high - low,
        "counted_holds": int(counted_holds),
        "listed": found.listed,
        "list_holds": 1,
    }


def review(piles, p, wrong, flagged, random, calibration, spot, every):
    rows = {row for row, _, _ in piles["calibration"][:calibration]} | set(piles["spot"][:spot])
    rows |= set(np.flatnonzero(flagged)) if every else set()
    found = certify(piles, p, flagged, {int(row): bool(wrong[row]) for row in rows})
    counted = wrong[random.permutation(len(wrong))[: len(rows)]]
    low, high = binomtest(int(counted.sum()), len(counted)).proportion_ci()
    top = wrong[np.argsort(-p, kind="stable")[: found.listed]]
    truth = wrong.mean()
    return {
        "verdicts": len(rows),
        "rate": truth,
        "low": found.low,
        "high": found.high,
        "holds": int(found.low <= truth <= found.high),
        "width": found.high - found.low,
        "counted": high - low,
        "counted_holds": int(low <= truth <= high),
        "listed": found.listed,
        "list_holds": int(not found.listed or top.mean() >= found.precision),
    }


def certificate_tell(results):
    columns = ["verdicts", "holds", "width", "counted", "counted_holds", "listed", "list_holds"]
    show("by audit", results.groupby(["review", "audit"])[columns].mean())
    means = results.groupby("review")[columns].mean()
    show("all", means)
    for name in (*REVIEWS, STOPPED):
        part = means.loc[name]
        asked(
            name,
            [
                ("intervals that hold the truth", part.holds, ">=", 0.95),
                ("lists as precise as certified", part.list_holds, ">=", 0.95),
                ("width, over that of counting", part.width / part.counted, "<=", 1.0),
            ],
        )


def run_certificate():
    args = options(__doc__, "certificate.csv").parse_args()
    run(
        certificate_work,
        [(audit, seed) for audit in AUDITS for seed in range(40)],
        CERTIFICATE_KEYS,
        CERTIFICATE_COLUMNS,
        args,
    )
    certificate_tell(pd.read_csv(args.out))


if __name__ == "__main__":
    main(__doc__, decisions=run_verdicts, real=run_real, certificate=run_certificate)
