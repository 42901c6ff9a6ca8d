"""How well wrong numeric targets are found: errata against cleanlab and plain residuals.

    python benchmarks/targets.py detect --data FOLDER --sets all       the table
    python benchmarks/targets.py detect --data FOLDER --peers          with cleanlab, and residuals
    python benchmarks/targets.py summary                               of what was measured so far
    python benchmarks/targets.py boston --data FOLDER                  prices that were corrected
    python benchmarks/targets.py speed                                 10,000 rows, 20 columns
    python benchmarks/targets.py fuzz --tables 500                     strange targets, drawn anew

Errors of seven kinds are planted in at most 350 rows of each table. Peers get the same targets in
the same run: cleanlab's CleanLearning with LightGBM (install cleanlab and lightgbm), its OUTRE
score on the mean of three models out of fold, and the plain residual of that mean. Results go to a
CSV file that a later run continues.

``fuzz``: tables of 50 to 2,000 rows whose targets are rounded, share values, are skewed, counted or
doubled, with even, uneven or heavy-tailed noise. Every second one holds 5 % wrong targets of one
kind. On a clean table at most a tenth may be flagged; on a noisy one the promised precision must be
within a quarter of the real one. A list of few rows is right or wrong by chance: those below ten
rows are judged by their sum.
"""

import itertools
import zlib
from functools import lru_cache, partial

import numpy as np
import pandas as pd
from runs import asked, main, options, run, seconds, show
from scipy.stats import rankdata
from sklearn.datasets import make_friedman1, make_friedman2
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import average_precision_score, brier_score_loss, r2_score
from sklearn.model_selection import KFold, cross_val_predict

import errata
from errata.auditing.inputs._features import FeatureScaler
from errata.auditing.numbers import TargetRows, find_wrong_targets
from errata.datasets import load_dataset
from errata.metrics import expected_calibration_error
from errata.tables import features_of

# Constants of the audit were chosen on the first list, in a prototype; the second chose none. Three
# of the second are other columns of the same simulations as one of the first.
CHOSEN_ON = (
    "concrete", "cpu_small", "california", "kin8nm", "house8l", "boston", "stock", "diabetes",
    "airfoil", "bank8fm", "yacht", "abalone", "puma8nh", "autompg", "bodyfat",
)  # fmt: skip
OTHERS = (
    "2dplanes", "ailerons", "autoprice", "bank32nh", "cancer_wpbc", "cpu_act", "delta_ailerons",
    "delta_elevators", "elevators", "fried", "machine_cpu", "pol", "puma32h", "pyrim", "quake",
    "servo", "triazines",
)  # fmt: skip
KINDS = (
    "swap5", "swap20", "gross10", "shift10", "unit10", "uneven+swap10", "uneven+shift10", "none",
)  # fmt: skip
LEAST_MOVED = 0.1  # standard deviations: a target that moved less is not wrong
TEST_ROWS = 1_000
KEYS = ("dataset", "kind", "seed")
MEASURED = (
    "method", "n", "wrong", "ap", "seconds", "rate", "low", "high", "brier", "ece", "precision",
    "recall", "skill", "logs", "r2", "r2_drop", "r2_weight", "reached",
)  # fmt: skip
LISTS = {"chosen": CHOSEN_ON, "others": OTHERS, "all": (*CHOSEN_ON, *OTHERS)}
# Rows and prices in thousands as corrected by Gilley and Pace, "On the Harrison and Rubinfeld
# data", J. Environmental Economics and Management 31, 1996: those that are off by 3.6 or more.
BOSTON = {7: 22.1, 505: 19.0, 190: 33.0, 240: 27.0, 442: 14.8}


@lru_cache(maxsize=2)  # the kinds of errors of one table follow each other
def load(name, rows, seed, data):
    """Scaled features and targets of rows to audit, and of other rows to test on."""
    bunch = load_dataset(f"reg_{name}", folder=data)
    drawn = np.random.RandomState(seed).permutation(len(bunch.target))
    n = min(rows, round(0.7 * len(drawn)))
    drawn = drawn[: n + TEST_ROWS]
    X = features_of(bunch.data[drawn], random_state=seed).X
    X = FeatureScaler(seed).fit_transform(X)
    y = np.asarray(bunch.target, dtype=float)[drawn]
    return X[:n], y[:n], X[n:], y[n:]


def plant(X, y, kind, name, seed):
    """Targets with errors, and which of them are wrong."""
    random = np.random.default_rng(zlib.crc32(f"{name} {kind} {seed}".encode()))
    if kind.startswith("uneven"):
        y = y + uneven_noise(X, y.std(), random)
    form, percent = kind.rstrip("0123456789"), kind.lstrip("abcdefghijklmnopqrstuvwxyz+")
    noisy = y.copy()
    if form != "none":
        rows = rows_of(form, X, float(percent) / 100, random)
        noisy[rows] = ERRORS[form.removeprefix("uneven+")](y, rows, random)
    return noisy, np.abs(noisy - y) > LEAST_MOVED * y.std()


def uneven_noise(X, sd, random):
    """Legitimate: up to 0.8 standard deviations, growing with a feature."""
    feature = X[:, random.integers(X.shape[1])]
    rank = np.argsort(np.argsort(feature, kind="stable")) / len(feature)
    return 0.8 * sd * rank**2 * random.normal(size=len(X))


def rows_of(form, X, rate, random):
    """At random, but for units: within a third of the table."""
    n = len(X)
    if form != "unit":
        return random.choice(n, round(rate * n), replace=False)
    third = np.argsort(X[:, random.integers(X.shape[1])], kind="stable")[: n // 3]
    return random.choice(third, round(rate * n), replace=False)


def swaps(y, rows, random):
    return y[random.integers(len(y), size=len(rows))]


def gross(y, rows, random):
    """Far off, ten times too large or too small, or of the other sign."""
    far = y[rows] + y.std() * random.uniform(3, 10, len(rows)) * random.choice([-1, 1], len(rows))
    forms = np.stack([far, 10 * y[rows], y[rows] / 10, -y[rows]])
    return forms[random.integers(4, size=len(rows)), np.arange(len(rows))]


def shifts(y, rows, random):
    return y[rows] + 1.5 * y.std() * random.choice([-1, 1], len(rows))


def units(y, rows, random):
    return 2.54 * y[rows]


ERRORS = {"swap": swaps, "gross": gross, "shift": shifts, "unit": units}


def cell(name, kind, seed, rows, data, peers):
    X, y, X_test, y_test = load(name, rows, seed, data)
    noisy, wrong = plant(X, y, kind, name, seed)
    time, found = seconds(lambda: find_wrong_targets(TargetRows(X, noisy, seed=0)))
    cleaned = after_cleaning(X, noisy, found.p_wrong, X_test, y_test)
    answers = [{"method": "errata", "seconds": time, **judged(found, wrong), **cleaned}]
    if peers:
        answers += [{"method": m, **told} for m, told in peers_on(X, noisy).items()]
    for answer in answers:
        answer |= {"n": len(y), "wrong": wrong.mean()}
        suspicion = answer.pop("suspicion")
        answer["ap"] = average_precision_score(wrong, suspicion) if wrong.any() else np.nan
    return answers


def judged(found, wrong):
    sure = found.p_wrong > 0.5
    return {
        "suspicion": found.suspicion,
        "rate": found.noise_rate.estimate,
        "low": found.noise_rate.low,
        "high": found.noise_rate.high,
        "brier": brier_score_loss(wrong, found.p_wrong),
        "ece": expected_calibration_error(wrong, found.p_wrong),
        "precision": wrong[sure].mean() if sure.any() else np.nan,
        "recall": sure[wrong].mean() if wrong.any() else np.nan,
        "skill": found.has_skill,
        "logs": found.on_log_scale,
        "reached": max(model["r2"] for model in found.models),
    }


def after_cleaning(X, y, p_wrong, X_test, y_test):
    """R² of a forest on other rows: fitted as is, to rows that are probably right, by weights."""
    weights = {"r2": np.ones(len(y)), "r2_drop": p_wrong <= 0.5, "r2_weight": 1 - p_wrong}
    scores = {}
    for name, weight in weights.items():
        forest = ExtraTreesRegressor(30, min_samples_leaf=2, random_state=0)
        kept = weight > 0
        forest.fit(X[kept], y[kept], weight[kept].astype(float))
        scores[name] = r2_score(y_test, forest.predict(X_test))
    return scores


def peers_on(X, y):
    from cleanlab.regression.rank import get_label_quality_scores  # pip install cleanlab

    mean = np.mean([out_of_fold(model, X, y) for model in plain_models(X)], axis=0)
    outre = get_label_quality_scores(y, mean, method="outre")
    time, issues = seconds(lambda: by_clean_learning(X, y))
    return {
        "residual": {"suspicion": np.abs(y - mean)},
        "OUTRE": {"suspicion": -outre},
        "CleanLearning": {
            "suspicion": -issues["label_quality"].to_numpy(),
            "rate": issues["is_label_issue"].mean(),
            "seconds": time,
        },
    }


def plain_models(X):
    from lightgbm import LGBMRegressor  # pip install lightgbm

    yield ExtraTreesRegressor(60, min_samples_leaf=2, random_state=0)
    yield LGBMRegressor(verbose=-1, random_state=0, n_jobs=1)
    yield KernelRidge(alpha=0.3, kernel="rbf", gamma=0.5 / X.shape[1])


def out_of_fold(model, X, y):
    """Centered, as kernel ridge has no intercept."""
    center, sd = np.median(y), y.std()
    folds = KFold(5, shuffle=True, random_state=0)
    return center + sd * cross_val_predict(model, X, (y - center) / sd, cv=folds)


def by_clean_learning(X, y):
    from cleanlab.regression.learn import CleanLearning  # pip install cleanlab
    from lightgbm import LGBMRegressor  # pip install lightgbm

    model = LGBMRegressor(verbose=-1, random_state=0, n_jobs=1)
    return CleanLearning(model, seed=0).find_label_issues(X, y)


def summarise(path):
    table = pd.read_csv(path)
    for title, names in (("chosen on", CHOSEN_ON), ("others", OTHERS)):
        some = table[table.dataset.isin(names)]
        if len(some):
            summarise_list(f"{title}, {some.dataset.nunique()} tables", some)


def summarise_list(title, table):
    kinds = [kind for kind in KINDS if (table.kind == kind).any()]
    planted = [kind for kind in kinds if kind != "none"]
    ap = table[table.kind != "none"].pivot_table("ap", "method", "kind")[planted]
    ap["mean"] = ap.mean(axis=1)
    show(f"average precision, {title}, {table.seed.nunique()} seeds", ap)
    compare(table[table.kind != "none"])
    ours = table[table.method == "errata"].copy()
    ours["rate_error"] = (ours.rate - ours.wrong).abs()
    ours["held"] = (ours.low <= ours.wrong) & (ours.wrong <= ours.high)
    columns = [
        "wrong", "rate", "rate_error", "held", "brier", "ece", "precision", "recall", "r2",
        "r2_drop", "r2_weight", "skill", "logs", "seconds",
    ]  # fmt: skip
    ours[["held", "skill", "logs"]] = ours[["held", "skill", "logs"]].astype(float)
    means = ours.groupby("kind")[columns].mean().T[kinds]
    means["mean"] = means.mean(axis=1)
    show(f"errata, {title}", means)
    if title.startswith("chosen"):
        asked(title, limits(ap, means))


def compare(table):
    """On the cells that have both: mean average precision, and how often ours is better."""
    wide = table.pivot_table("ap", list(KEYS), "method")
    for peer in wide.columns.drop("errata"):
        both = wide[["errata", peer]].dropna()
        ours, theirs = both.errata, both[peer]
        won = (ours > theirs).mean()
        means = f"{ours.mean():.3f} against {theirs.mean():.3f} of {peer}"
        print(f"  {len(both)} cells: {means}, larger in {won:.0%}")


def limits(ap, means):
    yield "average precision", ap["mean"]["errata"], ">=", 0.707
    yield "error of the rate", means["mean"]["rate_error"], "<=", 0.049
    yield "Brier score", means["mean"]["brier"], "<=", 0.049
    yield "calibration error", means["mean"]["ece"], "<=", 0.057
    yield "intervals that hold the rate", means["mean"]["held"], ">=", 0.93


def boston(data):
    """Ranks of prices that were corrected, by errata and by the residual of a forest."""
    bunch = load_dataset("reg_boston", folder=data)
    X = FeatureScaler(0).fit_transform(features_of(bunch.data).X)
    y, rows = np.asarray(bunch.target, dtype=float), list(BOSTON)
    for seed in range(3):
        found = find_wrong_targets(TargetRows(X, y, seed=seed))
        forest = RandomForestRegressor(200, random_state=seed)
        plain = np.abs(y - out_of_fold(forest, X, y))
        ranks = [rankdata(-told)[rows].astype(int).tolist() for told in (found.suspicion, plain)]
        print(f"errata {ranks[0]}, forest {ranks[1]}; about {found.noise_rate} wrong")
        print("  predicted", found.predicted[rows].round(1), "corrected", list(BOSTON.values()))


def speed():
    """Processor time of an audit beside that of cleanlab, on the same table."""
    from cleanlab.regression.learn import CleanLearning  # pip install cleanlab

    X, y = make_friedman1(10_000, 20, noise=1.0, random_state=0)
    rows = np.random.default_rng(0).choice(10_000, 1_000, replace=False)
    y[rows] = y[::-1][rows]
    model = HistGradientBoostingRegressor(random_state=0)
    theirs, _ = seconds(lambda: CleanLearning(model, seed=0).find_label_issues(X, y))
    ours, _ = seconds(lambda: find_wrong_targets(TargetRows((X - X.mean(0)) / X.std(0), y)))
    print(f"CleanLearning takes {theirs / ours:.2f} times as long as errata ({ours:.1f} s)")


# Strange targets, clean and with errors.

FUZZ_KEYS = ("table",)
FUZZ_MEASURED = (
    "rows", "columns", "form", "noise", "errors", "step", "wrong", "flagged", "promised", "real",
    "caught", "rate", "low", "high", "skill", "levels", "seconds",
)  # fmt: skip
FORMS = ("plain", "rounded", "few levels", "clipped", "zeros", "skewed", "counts", "doubled")
NOISES = ("even", "uneven", "heavy tails")
FUZZ_ERRORS = ("swap", "shift", "gross", "x10")
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
    errors = random.choice(FUZZ_ERRORS) if table % 2 else "none"
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


def fuzz_cell(table):
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


def summarise_fuzz(path):
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


def run_fuzz():
    parser = options(__doc__, "targets_fuzz.csv")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    cells = list(itertools.product(range(args.first, args.first + args.tables)))
    run(fuzz_cell, sorted(cells, key=lambda c: len(drawn(*c)[1])), FUZZ_KEYS, FUZZ_MEASURED, args)
    summarise_fuzz(args.out)


def run_detect():
    parser = options(__doc__, "targets.csv")
    parser.add_argument("--rows", type=int, default=350)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", choices=LISTS, default="chosen")
    parser.add_argument("--datasets", nargs="*")
    parser.add_argument("--kinds", nargs="*", default=KINDS)
    parser.add_argument("--peers", action="store_true")
    args = parser.parse_args()
    names = args.datasets or LISTS[args.sets]
    cells = [(n, k, s) for s, n, k in itertools.product(range(args.seeds), names, args.kinds)]
    work = partial(cell, rows=args.rows, data=args.data, peers=args.peers)
    run(work, cells, KEYS, MEASURED, args)
    summarise(args.out)


if __name__ == "__main__":
    main(
        __doc__,
        detect=run_detect,
        summary=lambda: summarise(options(__doc__, "targets.csv").parse_args().out),
        boston=lambda: boston(options(__doc__, "targets.csv").parse_args().data),
        speed=speed,
        fuzz=run_fuzz,
    )
