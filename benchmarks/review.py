"""What do decisions of a reviewer bring, does the certificate hold, and how fast is the page?

    python benchmarks/review.py decisions choose                synthetic tables
    python benchmarks/review.py decisions report --data FOLDER  stored sets; both chose constants
    python benchmarks/review.py real --data FOLDER              errors that people and rules made
    python benchmarks/review.py certificate                     200 random tables
    python benchmarks/review.py anytime                         reviews that stop when it suits
    python benchmarks/review.py slips                           and whose reviewers err
    python benchmarks/review.py interval                        the time of one interval
    python benchmarks/review.py page [--rows 1000000] [--decisions 200]

``decisions``: each table is audited as it is, with 10 % of the labels flipped at random, with 20 %
near borders between classes, and with the labels of a tree that was learnt from 60 rows and three
columns: the columns tell them to perfection, and no audit foresees that many are wrong. Rows are
taken from piles of five designs; 20 and 40 decisions of a reviewer who knows the truth are used in
four ways: not at all; as one shift of all log-odds; as weights of the noise hypotheses; as both.
Measured on the rows without a decision: error of the noise rate, calibration error, F1 of the
flags, right labels flagged; and whether the interval of the noise rate holds it.

``real``: of errors that people and rules made also what rows that were not flagged add to the
calibration error (ece_others), and what it would be (ece_known) if nothing but the fractions of
wrong labels among suspects and among others were learnt, and these exactly.

``certificate``: the probability that a label is wrong is drawn for every row, and labels by it. A
fifth of the audits know these probabilities; the others are wrong: far too sure of noise or far too
unsure, with the probabilities of other rows, or with the rows in reverse order. Beside it: Clopper
and Pearson's interval from as many decisions on rows of the whole table. The last review is looked
at after every tenth decision: an interval holds if it never excludes the truth. ``anytime``:
reviews that are looked at after every verdict, and stop when the truth is first excluded; by the
package's own bounds, along the package's own piles. ``slips``: the same with reviewers who err,
tested by gold rows. ``interval``: processor time at a million rows.

``page``: the first card of a million rows, a decision, odd cards, beside what is asked for. Seconds
depend on the machine and on what else it does; the memory and the ratio of late to early decisions
do not.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
import pyarrow as arrow
from detection import read
from pyarrow import parquet
from runs import REAL, asked, inject, load, main, options, random_table, run, show
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import binomtest
from sklearn.tree import DecisionTreeClassifier

import errata
from errata.audit_folder._files import VERSION
from errata.auditing.classes import group_hypotheses, posterior_of, weigh_groups
from errata.auditing.inputs._inputs import inputs_of, read_labels
from errata.auditing.models._base import TrainingData
from errata.auditing.models._default import default_models
from errata.auditing.models._pooling import pool_models
from errata.auditing.results._flags import (
    draw_flags,
    flag_after_verdicts,
    keep_better_than_rate,
)
from errata.metrics import expected_calibration_error
from errata.review import Decisions, Event, decisions_path
from errata.review.inference import (
    GoldAnswers,
    certify,
    draw_piles,
    evidence_of,
    gather_components,
    progress,
    update,
)
from errata.review.inference._anytime import ALPHA, Draws
from errata.review.inference._certificate import SLIPS, allow_for_slips

# Decisions.

KINDS = ("clean", "ncar10", "nnar20", "rule")
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
        inputs = inputs_of(read_labels(X, noisy), seed=0, n_jobs=1)
        codes, n_classes = inputs.audited_codes, len(inputs.present)
        data = TrainingData(inputs.X, codes, n_classes, None, 0, 1)
        logs = pool_models(data, default_models(len(codes), n_classes)).logs
        self.posterior = posterior_of(logs, codes, np.random.default_rng(0))
        self.p = group_hypotheses(self.posterior, logs, codes)
        self.p_wrong, self.wrong = self.posterior.p_wrong, wrong[inputs.audited]
        self.flagged = self.flags(np.ones(len(codes), dtype=bool), self.p_wrong)

    def flags(self, rows, p_wrong, spread=None):
        if not self.posterior.skill.enough:
            return np.zeros(int(rows.sum()), dtype=bool)
        suspicion = self.posterior.suspicion[rows]
        if spread is None:
            return draw_flags(p_wrong[rows], suspicion)[0]
        return flag_again(p_wrong[rows], spread[rows], suspicion, self.flagged[rows])

    def components(self, reading):
        """Components, and the probabilities of rows under each of them."""
        kinds, weights = weigh_groups(self.posterior.noise)
        p = self.p.astype(float)
        if reading == "shift":
            kinds, weights, p = ("audit",), np.ones(1), self.p_wrong[:, None]
        found = gather_components(kinds, weights, p, self.flagged, self.p_wrong.sum())
        return (without_shifts(found) if reading == "hypotheses" else found), p


def flag_again(p_wrong, spread, suspicion, flagged):
    """Flags as a second audit draws them."""
    drawn = flag_after_verdicts(p_wrong, spread, suspicion, flagged)
    return keep_better_than_rate(drawn, p_wrong)


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
        rates = audited.p.var(axis=1) + 1e-6
    return np.argsort(random.exponential(size=len(p)) / rates)[:40]


def work(data, part, name, seed, kind):
    X, y = table(name, seed, data)
    if kind == "rule":
        X, noisy, wrong = label_by_rule(X, y, seed)
    else:
        noisy, wrong = inject(X, y, kind, name, seed)
    audited = Audited(X, noisy, wrong)
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


def label_by_rule(X, y, seed):
    """Labels that a small tree gives; of labels with six rows or more."""
    random, X = np.random.RandomState(seed), np.nan_to_num(np.asarray(X, dtype=float))
    columns, rows = random.permutation(X.shape[1])[:3], random.permutation(len(y))[:60]
    rule = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[rows][:, columns], y[rows])
    labels = rule.predict(X[:, columns])
    kept = np.bincount(labels)[labels] >= 6
    return X[kept], labels[kept], labels[kept] != y[kept]


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
    found = after.p_wrong(p, audited.flagged), rate, low, high
    return measure(audited, rest, *found, after.spread(p, audited.flagged))


def measure(audited, rest, p_wrong, rate, low, high, spread=None):
    wrong, truth = audited.wrong[rest], audited.wrong.mean()
    flags, half = audited.flags(rest, p_wrong, spread), 0.5 / len(audited.wrong)
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


def run_decisions():
    parser = options(__doc__, "review_decisions.csv")
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
    before, p = found._for_review.components(found)
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
            p_wrong = after.p_wrong(p, found.flagged)
            spread = after.spread(p, found.flagged)
            now |= measure_real(found, wrong, rows, p_wrong, spread)
            told.append(
                now
                | real_interval(
                    wrong, *(left[name] / len(wrong) for name in ("expected", "low", "high"))
                )
            )
    return told


def measure_real(found, wrong, rows, p_wrong, spread=None):
    """Of the rows without a verdict; and what flags before would be worth there."""
    rest = np.ones(len(wrong), dtype=bool)
    rest[rows] = False
    before = found.flagged[rest]
    flags = before
    if spread is not None:
        flags = flag_again(p_wrong[rest], spread[rest], found.suspicion[rest], before)
    hits = np.sum(flags & wrong[rest])
    return {
        "ece": expected_calibration_error(wrong[rest], p_wrong[rest]),
        "ece_others": part_of_error(wrong[rest], p_wrong[rest], ~before),
        "ece_known": expected_calibration_error(
            wrong[rest], with_known_rates(found.p_wrong[rest], before, wrong[rest])
        ),
        "f1_before": 2 * np.sum(before & wrong[rest]) / (before.sum() + wrong[rest].sum()),
        "f1": 2 * hits / (flags.sum() + wrong[rest].sum()),
        "flagged": flags.mean(),
        "precision": hits / max(flags.sum(), 1),
    }


def part_of_error(wrong, p_wrong, chosen):
    """What some rows add to the calibration error of all."""
    return chosen.mean() * expected_calibration_error(wrong[chosen], p_wrong[chosen])


def with_known_rates(p_wrong, flagged, wrong):
    """The audit's log-odds moved until they expect what is wrong, among suspects and others."""
    moved = logit(p_wrong.clip(1e-9, 1 - 1e-9))
    for rows in (flagged, ~flagged):
        moved[rows] += brentq(expected_too_many, -30, 30, args=(moved[rows], wrong[rows].sum()))
    return expit(moved)


def expected_too_many(shift, log_odds, wrong):
    return expit(log_odds + shift).sum() - wrong


def real_interval(wrong, rate, low, high):
    half = 0.5 / len(wrong)
    holds = int(low - half <= wrong.mean() <= high + half)
    return {"error": abs(rate - wrong.mean()), "holds": holds, "width": high - low}


def run_real():
    args = options(__doc__, "review_real.csv").parse_args()
    columns = (
        "error", "ece", "ece_others", "ece_known", "f1_before", "f1", "flagged", "precision",
        "holds", "width",
    )  # fmt: skip

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
    args = options(__doc__, "review_certificate.csv").parse_args()
    run(
        certificate_work,
        [(audit, seed) for audit in AUDITS for seed in range(40)],
        CERTIFICATE_KEYS,
        CERTIFICATE_COLUMNS,
        args,
    )
    certificate_tell(pd.read_csv(args.out))


# Certificates that hold whenever one stops.

SETTINGS = [  # rows, fraction of wrong labels, what the audit is worth
    (5_000, 0.0, "good"),
    (5_000, 0.05, "good"),
    (5_000, 0.05, "unrelated"),
    (5_000, 0.05, "reversed"),
    (5_000, 0.2, "good"),
    (5_000, 0.2, "unrelated"),
    (5_000, 0.4, "unrelated"),
    (500, 0.1, "good"),
    (500, 0.1, "unrelated"),
    (100_000, 0.4, "unrelated"),
]
SLIPPING = [  # of right labels called wrong, of wrong ones kept
    (0.0, 0.0), (0.05, 0.0), (0.0, 0.2), (0.05, 0.2), (0.2, 0.4),
]  # fmt: skip
ANYTIME_KEYS = ("rows", "rate", "audit", "reviews", "seed")
ANYTIME_COLUMNS = ("verdicts", "wrong", "flagged", "excluded", "width_40", "width_100", "width_340")


def make_table(rows, rate, audit):
    """Which labels are wrong, and what the audit says; the same for all reviews of a setting."""
    random = np.random.default_rng([rows, round(1000 * rate), 4])
    true = random.beta(0.3 * rate, 0.3 * (1 - rate), rows) if rate else np.zeros(rows)
    wrong = random.random(rows) < true
    said = true
    if audit == "unrelated":
        said = random.permutation(true)
    elif audit == "reversed":
        said = np.sort(true)[np.argsort(np.argsort(-true, kind="stable"), kind="stable")]
    flagged = said > 0.5
    if not flagged.any():
        flagged = np.arange(rows) < rows // 20
    return wrong, said, flagged


def strata_of(flagged):
    """The stratum of each draw along both piles: 0 for suspects, 1 for others."""
    piles = draw_piles(flagged, np.random.default_rng(0))
    order = [row for row, *_ in piles["calibration"]] + piles["spot"]
    return (~flagged[order]).astype(int).tolist()


def draw_wrong(order, sizes, wrong, reviews, random):
    """How many wrong labels each review has met after each draw, shape (draws, reviews, 2)."""
    found = np.zeros((reviews, 2), dtype=int)
    drawn = [0, 0]
    for stratum in order:
        left = wrong[stratum] - found[:, stratum]
        found[:, stratum] += random.random(reviews) * (sizes[stratum] - drawn[stratum]) < left
        drawn[stratum] += 1
        yield tuple(drawn), found


def anytime_work(rows, rate, audit, reviews, seed):
    wrong, said, flagged = make_table(int(rows), float(rate), audit)
    sizes = (int(flagged.sum()), int((~flagged).sum()))
    truth = np.array([int(wrong[flagged].sum()), int(wrong[~flagged].sum())])
    expected = (float(said[flagged].mean()), float(said[~flagged].mean()))
    order = strata_of(flagged)
    open_ones = np.ones(int(reviews), dtype=bool)
    random = np.random.default_rng([int(seed), int(rows), 7])
    widths = {}

    for n, (drawn, found) in enumerate(draw_wrong(order, sizes, truth, int(reviews), random), 1):
        pairs, which = np.unique(found, axis=0, return_inverse=True)
        excluded = [
            is_excluded(Draws(sizes, drawn, tuple(pair), expected), truth)
            for pair in pairs.tolist()
        ]
        open_ones &= ~np.array(excluded)[which.ravel()]
        if n in (40, 100, 340):
            some = [Draws(sizes, drawn, tuple(pair), expected) for pair in found[:50].tolist()]
            bounds = [draws.bounds() for draws in some]
            widths[n] = float(np.median([high - low for low, high in bounds])) / int(rows)
    return [
        {
            "verdicts": n,
            "wrong": int(truth.sum()),
            "flagged": sizes[0],
            "excluded": int((~open_ones).sum()),
            **{f"width_{n}": widths.get(n, "") for n in (40, 100, 340)},
        }
    ]


def is_excluded(draws, truth):
    """Whether the number of wrong labels is excluded; the true split decides nearly always."""
    if min(draws.rows) > 0:
        split = np.array([truth])
        if draws.log_martingale(split, draws.log_foretold())[0] < -np.log(ALPHA):
            return False
    low, high = draws.bounds()
    return not low <= truth.sum() <= high


def run_anytime():
    parser = options(__doc__, "review_anytime.csv")
    parser.add_argument("--reviews", type=int, default=10_000)
    args = parser.parse_args()
    cells = [(*setting, args.reviews, 0) for setting in SETTINGS]
    run(anytime_work, cells, ANYTIME_KEYS, ANYTIME_COLUMNS, args)
    found = pd.read_csv(args.out)
    found["excluded"] = found.excluded / found.reviews
    show(
        "truth excluded at some time, widths in the median", found.set_index(list(ANYTIME_KEYS[:4]))
    )


def slip_work(alarm, miss, reviews, seed):
    """Reviews of 1,500 rows of which a fifth is wrong, one verdict in ten on a gold row."""
    random = np.random.default_rng([int(seed), int(1000 * alarm), int(1000 * miss)])
    excluded = np.zeros(2, dtype=int)
    widths = []
    for _ in range(int(reviews)):
        p = np.where(np.arange(1500) < 300, 0.8, 0.03)
        wrong = random.random(1500) < p
        called = np.where(wrong, random.random(1500) >= miss, random.random(1500) < alarm)
        order = strata_of(p > 0.5)
        shuffled = [random.permutation(np.flatnonzero(p > 0.5)), random.permutation(1200) + 300]
        drawn = [0, 0]
        met = [0, 0]
        slips = (random.random((2, 20)) < [[alarm], [miss]]).cumsum(axis=1)
        ever = np.zeros(2, dtype=bool)
        for n, stratum in enumerate(order, start=1):
            met[stratum] += bool(called[shuffled[stratum][drawn[stratum]]])
            drawn[stratum] += 1
            if n % 40:
                continue
            each = n // 20
            alarms = int(slips[0, each - 1])
            misses = int(slips[1, each - 1])
            answers = GoldAnswers("", 2 * each - alarms - misses, each, each, alarms, misses)
            draws = Draws((300, 1200), tuple(drawn), tuple(met), (0.8, 0.03))
            low, high = np.array(draws.bounds()) / 1500
            ever[0] |= not low <= wrong.mean() <= high
            called_low, called_high = np.array(draws.bounds((1 - 2 * SLIPS) * ALPHA)) / 1500
            low, high = allow_for_slips(called_low, called_high, [answers])
            ever[1] |= not low <= wrong.mean() <= high
        excluded += ever
        widths.append(high - low)
    return [
        {"plain": excluded[0], "with_slips": excluded[1], "last_width": float(np.median(widths))}
    ]


def run_slips():
    parser = options(__doc__, "review_slips.csv")
    parser.add_argument("--reviews", type=int, default=300)
    args = parser.parse_args()
    cells = [(*slipping, args.reviews, 0) for slipping in SLIPPING]
    keys = ("alarm", "miss", "reviews", "seed")
    run(slip_work, cells, keys, ("plain", "with_slips", "last_width"), args)
    show("reviews that exclude the truth at some look", pd.read_csv(args.out).set_index(list(keys)))


def run_interval():
    draws = Draws((50_000, 950_000), (40, 160), (34, 3), (0.85, 0.01))
    draws.bounds()  # SciPy is imported
    times = []
    for _ in range(50):
        start = time.process_time()
        Draws(draws.rows, draws.drawn, draws.wrong, draws.expected).bounds()
        times.append(time.process_time() - start)
    low, middle, high = 1000 * np.quantile(times, [0.05, 0.5, 0.95])
    print(f"an interval, 1,000,000 rows, 200 verdicts: {middle:.1f} ms ({low:.1f} to {high:.1f})")


# The page.

SERVE = """
import json, sys
from errata.review import serve
try:
    serve(sys.argv[1], reviewer="bench", browser=False, images=sys.argv[2],
          ready=lambda at: print(at, flush=True))
except KeyboardInterrupt:
    print(json.dumps(sorted({"sklearn", "pandas", "scipy.stats"} & set(sys.modules))))
"""


def write_audit(folder, rows, flagged, classes, value, picture=None):
    """The folder of an audit that never was: random labels, the first rows flagged."""
    folder.mkdir()
    random = np.random.default_rng(0)
    codes = random.integers(0, len(classes), rows)
    p_wrong = np.full(rows, 0.01)
    p_wrong[:flagged] = np.linspace(0.99, 0.3, flagged)
    is_flagged = np.arange(rows) < flagged
    p = np.stack([0 * p_wrong, p_wrong, 0.9 * p_wrong, p_wrong**2], axis=1).astype(np.float32)
    kinds = ["none", "uniform", "pattern", "boundary"]
    components = gather_components(kinds, np.full(4, 0.25), p, is_flagged, p_wrong.sum())
    piles = draw_piles(is_flagged, random)
    numbers = {
        "version": VERSION,
        "about": {"title": "million.csv", "label": "label", "features": 8},
        "fingerprint": "bench",
        "components": components.as_dict(),
        "piles": piles,
        "examples": [],
    }
    (folder / "audit.json").write_text(json.dumps(numbers))
    names = np.array(classes)
    table = {
        "labels": names[codes],
        "suggested": names[(codes + is_flagged) % len(names)],
        "p_wrong": p_wrong,
        "suspicion": p_wrong,
        "flagged": is_flagged,
        "key": [f"{row:016x}.0" for row in range(rows)],
    }
    parquet.write_table(arrow.table(table), folder / "rows.parquet")
    parts = {f"component_{h}": p[:, h] for h in range(4)}
    parquet.write_table(arrow.table(parts), folder / "components.parquet")
    shown = [*range(flagged)]
    drawn = dict.fromkeys([*(row for row, *_ in piles["calibration"]), *piles["spot"]])
    shown += [row for row in drawn if row >= flagged]
    cards = [json.dumps(make_card(row, codes, classes, p_wrong, value, picture)) for row in shown]
    parquet.write_table(
        arrow.table({"row": shown, "card": cards}),
        folder / "cards.parquet",
        row_group_size=200,
        compression="zstd",
    )
    return folder


def make_card(row, codes, classes, p_wrong, value, picture):
    label, other = classes[codes[row]], classes[(codes[row] + 1) % len(classes)]
    values = {f"column {j}": f"{row * 7 + j}" for j in range(8)} | {"remark": value(row)}
    near = [
        {"row": j, "label": other, "distance": 0.1 * j, "image": None}
        | {"values": {f"column {i}": f"{j + i}" for i in range(8)}}
        for j in range(1, 6)
    ]
    return {
        **{"row": row, "id": None, "key": f"{row:016x}.0", "label": label, "suggested": other},
        **{"p_wrong": p_wrong[row], "classes": [[c, 0.1] for c in classes[:10]]},
        **{"reasons": [f"All 7 models predict {other}."], "values": values},
        **{"speaking": ["column 1"], "similar": near, "image": None, "picture": picture},
    }


class Served:
    """A server, and a client that has been let in."""

    def __init__(self, folder):
        self.started = time.perf_counter()
        command = [sys.executable, "-c", SERVE, str(folder), str(folder.parent)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        origin, _, token = self.process.stdout.readline().strip().partition("/?token=")
        self.client = httpx.Client(
            base_url=origin,
            headers={"origin": origin, "sec-fetch-site": "same-origin", "errata-part": "stage"},
            cookies={f"errata_{origin.rpartition(':')[2]}": token},
            verify=False,
            timeout=60,
        )

    def get(self, path):
        begun = time.perf_counter()
        answer = self.client.get(path)
        answer.raise_for_status()
        return time.perf_counter() - begun, answer

    def used(self):
        """Processor seconds and largest memory in MB, as Linux tells."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return (int(fields[11]) + int(fields[12])) / 100, int(peak.split()[1]) / 1024

    def decide(self, rows, mark):
        """Seconds of each decision."""
        times = []
        for row in rows:
            given = {
                "row": row,
                "kind": "label",
                "key": f"{mark} {row}",
                "filter": "queue=suspects",
            }
            begun = time.perf_counter()
            self.client.post("/decide", data=given).raise_for_status()
            times.append(time.perf_counter() - begun)
        return times

    def stop(self):
        """End it as Ctrl-C does; the heavy modules that it had imported."""
        self.client.close()
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=30)
        return json.loads(out.splitlines()[-1])


@contextmanager
def served(folder):
    server = Served(folder)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def tell_line(what, measured, asked):
    print(f"{what:46}  {measured:>28}  {asked}")


def measure_million(folder, rows, decisions):
    audit = write_audit(
        folder / "million.audit", rows, min(rows // 20, 50_000), list("abcdef"), str
    )
    with served(audit) as server:
        server.get("/")
        seconds = time.perf_counter() - server.started
        cpu, memory = server.used()
        tell_line(
            f"first card of {rows:,} rows",
            f"{seconds:.2f} s, {cpu:.2f} cpu s",
            "< 1 s, <= 0.8 cpu s",
        )
        tell_line("memory then", f"{memory:.0f} MB", "< 250 MB")
        early = tell_decisions(server, range(decisions), "a decision, with its next card")
        heavy = server.stop()
        tell_line("of sklearn, pandas, scipy.stats imported", ", ".join(heavy) or "none", "none")
    fill_log(decisions_path(audit))
    with served(audit) as server:
        server.get("/")
        seconds = time.perf_counter() - server.started
        tell_line("first card with 50,000 events", f"{seconds:.2f} s", "< 1 s")
        late = tell_decisions(
            server, range(1000, 1000 + decisions), "a decision after 50,000 events"
        )
        tell_line("late to early, processor time", f"{late / early:.2f}", "<= 1.2")


def tell_decisions(server, rows, what):
    """Tell how long decisions take; processor seconds of one, as the machine may be busy."""
    before = server.used()[0]
    median, p95 = np.quantile(server.decide(rows, what), [0.5, 0.95]) * 1000
    cpu = (server.used()[0] - before) / len(rows)
    tell_line(what, f"{median:.0f} ms, {p95:.0f} p95, {1000 * cpu:.0f} cpu", "p95 < 50 ms")
    return cpu


def fill_log(path):
    """Fifty thousand events of another reviewer, on rows further down."""
    seen = {"label": '"a"', "suggested": '"b"', "p_wrong": 0.5, "audit": "bench"}
    with Decisions(path) as decisions:
        decisions.record_all(
            Event(
                reviewer="filler",
                row=row % 10_000 + 2_000,
                row_key=f"{row % 10_000 + 2_000:016x}.0",
                kind="skip",
                **seen,
            )
            for row in range(50_000)
        )


def odd_cards(folder):
    classes = [f"class {code}" for code in range(1000)]
    long = {0: "word " * 200_000}
    from PIL import Image as image

    pixels = np.random.default_rng(0).integers(0, 255, (4000, 6000, 3), dtype=np.uint8)
    image.fromarray(pixels).resize((6000, 4000)).save(folder / "large.jpg", quality=80)
    cases = {
        "1,000 classes": ("many.audit", classes, str, None),
        "1 MB of text": ("text.audit", ["a", "b"], lambda row: long.get(row, "short"), None),
        "24 megapixels": ("picture.audit", ["a", "b"], str, "large.jpg"),
    }
    for what, (name, names, value, picture) in cases.items():
        audit = write_audit(folder / name, 3000, 400, names, value, picture)
        with served(audit) as server:
            server.get("/card/1")  # templates are compiled, as for any second card
            seconds, answer = server.get("/card/0")
            tell_line(
                f"card of {what}", f"{1000 * seconds:.0f} ms, {len(answer.content):,} B", "< 300 ms"
            )
            if picture:
                seconds, answer = server.get("/image/0")
                tell_line("its picture", f"{1000 * seconds:.0f} ms, {len(answer.content):,} B", "")


def run_page():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--decisions", type=int, default=200)
    asked = parser.parse_args()
    tell_line("what", "measured", "asked for")
    with tempfile.TemporaryDirectory() as folder:
        measure_million(Path(folder), asked.rows, asked.decisions)
        odd_cards(Path(folder))


if __name__ == "__main__":
    main(
        __doc__,
        decisions=run_decisions,
        real=run_real,
        certificate=run_certificate,
        anytime=run_anytime,
        slips=run_slips,
        interval=run_interval,
        page=run_page,
    )
