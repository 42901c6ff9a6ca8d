"""Does the certificate hold whatever the audit is worth, and is it narrower than counting?

    python benchmarks/certificate.py                 200 random tables

The probability that a label is wrong is drawn for every row, and labels by it. A fifth of the
audits know these probabilities; the others are wrong: far too sure of noise or far too unsure, with
the probabilities of other rows, or with the rows in reverse order. Verdicts are those of the truth.
Beside it: Clopper and Pearson's interval from as many verdicts on rows of the whole table.
"""

import numpy as np
import pandas as pd  # noqa: TID251
from runs import asked, options, run, show

from errata.review.inference import certify, draw_piles
from errata.review.inference._intervals import clopper_pearson

AUDITS = ("right", "too much", "too little", "of other rows", "reversed")
REVIEWS = {  # rows of the calibration pile, of the spot pile, and whether all suspects are decided
    "20": (20, 0, False),
    "40": (40, 0, False),
    "40 + 60": (40, 60, False),
    "40 + 160": (40, 160, False),
    "all suspects + 60": (40, 60, True),
}
KEYS = ("audit", "seed")
COLUMNS = (
    "review", "verdicts", "rate", "low", "high", "holds", "width", "counted", "counted_holds",
    "listed", "list_holds",
)  # fmt: skip


def table(audit, seed):
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


def work(audit, seed):
    p, wrong, random = table(audit, int(seed))
    flagged = p >= min(0.5, np.sort(p)[-5])
    piles = draw_piles(flagged, random)
    return [
        {"review": name, **review(piles, p, wrong, flagged, random, *taken)}
        for name, taken in REVIEWS.items()
    ]


def review(piles, p, wrong, flagged, random, calibration, spot, every):
    rows = {row for row, _, _ in piles["calibration"][:calibration]} | set(piles["spot"][:spot])
    rows |= set(np.flatnonzero(flagged)) if every else set()
    found = certify(piles, p, flagged, {int(row): bool(wrong[row]) for row in rows})
    counted = wrong[random.permutation(len(wrong))[: len(rows)]]
    low, high = clopper_pearson(int(counted.sum()), len(counted))
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


def tell(results):
    columns = ["verdicts", "holds", "width", "counted", "counted_holds", "listed", "list_holds"]
    show("by audit", results.groupby(["review", "audit"])[columns].mean())
    means = results.groupby("review")[columns].mean()
    show("all", means)
    for name in REVIEWS:
        part = means.loc[name]
        asked(
            name,
            [
                ("intervals that hold the truth", part.holds, ">=", 0.95),
                ("lists as precise as certified", part.list_holds, ">=", 0.95),
                ("width, over that of counting", part.width / part.counted, "<=", 1.0),
            ],
        )


if __name__ == "__main__":
    args = options(__doc__, "certificate.csv").parse_args()
    run(work, [(audit, seed) for audit in AUDITS for seed in range(40)], KEYS, COLUMNS, args)
    tell(pd.read_csv(args.out))
