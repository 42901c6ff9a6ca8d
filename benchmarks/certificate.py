"""How often a certificate that holds whenever one stops excludes the truth, and what it costs.

``reviews``: simulated reviews that are looked at after every verdict, and stop when the truth is
first excluded; by the package's own bounds, along the package's own piles. ``slips``: the same with
reviewers who err, tested by gold rows. ``time``: of one interval, at a million rows.
"""

import time

import numpy as np
import pandas as pd
from runs import main, options, run, show

from errata.review.inference import GoldAnswers, draw_piles
from errata.review.inference._anytime import ALPHA, Draws
from errata.review.inference._certificate import SLIPS, allow_for_slips

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
KEYS = ("rows", "rate", "audit", "reviews", "seed")
COLUMNS = ("verdicts", "wrong", "flagged", "excluded", "width_40", "width_100", "width_340")


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
    return [0 if name == "flagged" else 1 for *_, name in piles["calibration"]] + [1] * len(
        piles["spot"]
    )


def draw_wrong(order, sizes, wrong, reviews, random):
    """How many wrong labels each review has met after each draw, shape (draws, reviews, 2)."""
    found = np.zeros((reviews, 2), dtype=int)
    drawn = [0, 0]
    for stratum in order:
        left = wrong[stratum] - found[:, stratum]
        found[:, stratum] += random.random(reviews) * (sizes[stratum] - drawn[stratum]) < left
        drawn[stratum] += 1
        yield tuple(drawn), found


def work(rows, rate, audit, reviews, seed):
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


def run_reviews():
    parser = options(__doc__, "certificate_reviews.csv")
    parser.add_argument("--reviews", type=int, default=10_000)
    args = parser.parse_args()
    cells = [(*setting, args.reviews, 0) for setting in SETTINGS]
    run(work, cells, KEYS, COLUMNS, args)
    found = pd.read_csv(args.out)
    found["excluded"] = found.excluded / found.reviews
    show("truth excluded at some time, widths in the median", found.set_index(list(KEYS[:4])))


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
    parser = options(__doc__, "certificate_slips.csv")
    parser.add_argument("--reviews", type=int, default=300)
    args = parser.parse_args()
    cells = [(*slipping, args.reviews, 0) for slipping in SLIPPING]
    keys = ("alarm", "miss", "reviews", "seed")
    run(slip_work, cells, keys, ("plain", "with_slips", "last_width"), args)
    show("reviews that exclude the truth at some look", pd.read_csv(args.out).set_index(list(keys)))


def run_time():
    draws = Draws((50_000, 950_000), (40, 160), (34, 3), (0.85, 0.01))
    draws.bounds()  # SciPy is imported
    times = []
    for _ in range(50):
        start = time.process_time()
        Draws(draws.rows, draws.drawn, draws.wrong, draws.expected).bounds()
        times.append(time.process_time() - start)
    low, middle, high = 1000 * np.quantile(times, [0.05, 0.5, 0.95])
    print(f"an interval, 1,000,000 rows, 200 verdicts: {middle:.1f} ms ({low:.1f} to {high:.1f})")


if __name__ == "__main__":
    main(__doc__, reviews=run_reviews, slips=run_slips, time=run_time)
