"""Strange numeric targets, clean and with errors: how many are flagged, and what is promised.

    python benchmarks/target_fuzz.py --tables 500        drawn anew, the same for the same seed
    python benchmarks/target_fuzz.py --tables 500 --jobs 1 --out target_fuzz.csv

Tables of 50 to 2,000 rows whose targets are rounded, share values, are skewed, counted or doubled,
with even, uneven or heavy-tailed noise. Every second one holds 5 % wrong targets of one kind. On a
clean table at most a tenth may be flagged; on a noisy one the promised precision must be within a
quarter of the real one. A list of few rows is right or wrong by chance: those below ten rows are
judged by their sum.
"""

import itertools

import numpy as np
import pandas as pd
from runs import asked, options, run, seconds, show
from sklearn.datasets import make_friedman1, make_friedman2

import errata

KEYS = ("table",)
MEASURED = (
    "rows", "columns", "form", "noise", "errors", "step", "wrong", "flagged", "promised", "real",
    "caught", "rate", "low", "high", "skill", "levels", "seconds",
)  # fmt: skip
FORMS = ("plain", "rounded", "few levels", "clipped", "zeros", "skewed", "counts", "doubled")
NOISES = ("even", "uneven", "heavy tails")
ERRORS = ("swap", "shift", "gross", "x10")
STEPS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.1, 1.5)  # standard deviations of the targets
MOST_FLAGGED, MOST_OFF, FEWEST_FLAGGED = 0.1, 0.25, 10


def drawn(table):
    """Features, targets, which are wrong, and how they were made."""
    random = np.random.default_rng([7, table])
    n = round(np.exp(random.uniform(np.log(50), np.log(2_000))))
    form = FORMS[table // 2 % len(FORMS)]
    noise = random.choice(NOISES)
    X, signal = drawn_signal(n, random)
    y = signal + random.choice([0.05, 0.2, 0.5, 1.0]) * signal.std() * drawn_noise(X, noise, random)
    X, y, step = FORM[form](X, y, random)
    errors = random.choice(ERRORS) if table % 2 else "none"
    noisy = planted(y, errors, step, random) if table % 2 else y
    wrong = np.abs(noisy - y) > 0.1 * y.std()
    how = {"rows": len(y), "columns": X.shape[1], "form": form, "noise": noise, "errors": errors}
    return X, noisy, wrong, how | {"step": step}


def drawn_signal(n, random):
    """What the features tell of the targets: curved, by ratios, straight, or by steps."""
    seed = int(random.integers(2**31))
    kind = random.choice(["friedman1", "friedman2", "straight", "steps"])
    if kind == "friedman1":
        return make_friedman1(n, n_features=int(random.integers(5, 12)), random_state=seed)
    if kind == "friedman2":
        return make_friedman2(n, random_state=seed)
    X = random.normal(size=(n, int(random.integers(2, 10))))
    if kind == "straight":
        return X, X @ random.normal(size=X.shape[1])
    return X, 2.0 * (X[:, 0] > 0) + (X[:, 1] > 0.5) + (X[:, 0] * X[:, 1] > 0)


def drawn_noise(X, kind, random):
    if kind == "heavy tails":
        return random.standard_t(3, size=len(X)) / np.sqrt(3)
    noise = random.normal(size=len(X))
    if kind == "uneven":
        rank = np.argsort(np.argsort(X[:, random.integers(X.shape[1])], kind="stable")) / len(X)
        noise *= 0.2 + 2 * rank**2
    return noise


def plain(X, y, random):
    return X, y, 0.0


def rounded(X, y, random):
    step = random.choice(STEPS[:4]) * y.std()
    return X, np.round(y / step) * step, step


def few_levels(X, y, random):
    step = random.choice(STEPS[4:]) * y.std()
    return X, np.round(y / step), 1.0


def clipped(X, y, random):
    """A meter that ends: up to half of the targets are the largest or the smallest."""
    share = random.uniform(0.05, 0.5)
    if random.random() < 0.5:
        return X, np.minimum(y, np.quantile(y, 1 - share)), 0.0
    return X, np.maximum(y, np.quantile(y, share)), 0.0


def zeros(X, y, random):
    """Nothing was there to measure, by chance or in some region."""
    share = random.uniform(0.05, 0.6)
    told = random.random(len(y)) if random.random() < 0.5 else X[:, 0]
    return X, np.where(told <= np.quantile(told, share), 0.0, y - y.min() + y.std()), 0.0


def skewed(X, y, random):
    return X, np.exp(random.uniform(0.5, 1.5) * (y - y.mean()) / y.std()), 0.0


def counts(X, y, random):
    mean = random.choice([0.5, 1.0, 3.0, 10.0, 50.0])
    return X, random.poisson(mean * np.exp(0.7 * (y - y.mean()) / y.std())).astype(float), 1.0


def doubled(X, y, random):
    """Values that two rows or more share: rows twice, or prices out of a catalogue."""
    if random.random() < 0.5:
        again = random.choice(len(y), len(y) // 2, replace=False)
        return np.r_[X, X[again]], np.r_[y, y[again]], 0.0
    catalogue = np.sort(random.choice(y, max(5, len(y) // int(random.integers(2, 12)))))
    nearest = np.abs(y[:, None] - catalogue).argmin(axis=1)
    return X, catalogue[nearest], 0.0


FORM = dict(
    zip(FORMS, (plain, rounded, few_levels, clipped, zeros, skewed, counts, doubled), strict=True)
)


def planted(y, kind, step, random):
    """Five in a hundred targets of the kind; where these are rounded, errors are too."""
    noisy = y.copy()
    rows = random.choice(len(y), max(3, round(0.05 * len(y))), replace=False)
    sides = random.choice([-1, 1], size=len(rows))
    if kind == "swap":
        noisy[rows] = random.choice(y, len(rows))
    elif kind == "x10":
        noisy[rows] *= 10
    else:
        size = 3.0 if kind == "shift" else random.uniform(3, 10, size=len(rows))
        noisy[rows] += sides * size * y.std()
        if step:
            noisy[rows] = np.round(noisy[rows] / step) * step
    return noisy


def cell(table):
    X, y, wrong, how = drawn(table)
    time, audit = seconds(lambda: errata.audit_targets(X, y, self_check=False, random_state=0))
    flagged = audit.flagged
    return [
        how
        | {
            "wrong": wrong.mean(),
            "flagged": flagged.sum(),
            "promised": audit.expected_precision,
            "real": wrong[flagged].mean() if flagged.any() else np.nan,
            "caught": flagged[wrong].mean() if wrong.any() else np.nan,
            "rate": audit.noise_rate.estimate,
            "low": audit.noise_rate.low,
            "high": audit.noise_rate.high,
            "skill": audit.has_skill,
            "levels": len(np.unique(y)),
            "seconds": time,
        }
    ]


def summarise(path):
    table = pd.read_csv(path)
    table["share"] = table.flagged / table.rows
    table["off"] = (table.promised - table.real).abs()
    clean = table[table.errors == "none"]
    noisy = table[table.errors != "none"]
    long = noisy[noisy.flagged >= FEWEST_FLAGGED]
    short = noisy[(noisy.flagged > 0) & (noisy.flagged < FEWEST_FLAGGED)]
    held = (noisy.low <= noisy.wrong) & (noisy.wrong <= noisy.high)
    show("clean: share flagged", clean.groupby("form").share.agg(["count", "mean", "max"]))
    by_form = long.groupby("form")[["promised", "real", "off", "caught"]].mean()
    show("with errors, lists of ten rows or more", by_form)
    for title, some in (
        ("clean, more than a tenth flagged", clean[clean.share > MOST_FLAGGED]),
        ("promise off by more than a quarter", long[long.off > MOST_OFF]),
    ):
        if len(some):
            show(title, some.set_index("table").drop(columns=["low", "high", "seconds"]))
    promised, right = (short.flagged * short[name] for name in ("promised", "real"))
    asked(
        f"{len(table)} tables, {table.seconds.sum():.0f} s",
        [
            ("clean tables with more than a tenth flagged", len(clean[clean.share > 0.1]), "<=", 0),
            ("most flagged on a clean table", clean.share.max(), "<=", MOST_FLAGGED),
            (f"promises off by more than .25, of {len(long)}", sum(long.off > MOST_OFF), "<=", 0),
            (f"promise of {len(short)} short lists", promised.sum() / short.flagged.sum(), ">=", 0),
            ("of them right", right.sum() / short.flagged.sum(), ">=", 0),
            ("errors that are flagged, mean of tables", noisy.caught.mean(), ">=", 0),
            ("intervals that hold the rate", held.mean(), ">=", 0.9),
        ],
    )


if __name__ == "__main__":
    parser = options(__doc__, "target_fuzz.csv")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    cells = list(itertools.product(range(args.first, args.first + args.tables)))
    run(cell, sorted(cells, key=lambda c: len(drawn(*c)[1])), KEYS, MEASURED, args)
    summarise(args.out)
