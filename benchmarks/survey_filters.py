"""Filters that the survey describes and errata leaves out, beside those that it has.

    python benchmarks/survey_filters.py try --out survey_filters.csv     small sets, see below
    python benchmarks/survey_filters.py try --data FOLDER --rows 300 --only ours T-23 F-11
    python benchmarks/survey_filters.py summary --out survey_filters.csv

Every function below is the method in its plainest form: quadratic or cubic, for some hundred
standardised rows. ``try`` measures F1 of what a method removes or flags and, where it ranks,
average precision, on 150 rows of the ten bundled and drawn sets, with a fifth of the labels wrong
at random, by class, and near borders. F-12 and the like are rows of docs/evidence/catalogue.md.
Methods for two classes are left out on sets with more. Cells that are in the file are kept.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import itertools
import warnings
from functools import partial

import numpy as np
import pandas as pd
from detection import measure
from noisy_sets import inject, load, names
from runs import main, options, run, seconds, show
from scipy.optimize import minimize
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from errata import elm, filters, hardness

KEYS = ("dataset", "kind", "seed")
COLUMNS = ("method", "ap", "f1", "precision", "recall", "flagged", "seconds")
KINDS = ("ncar20", "nar20", "nnar20")
OURS = {
    "ours: ModeFilter": filters.ModeFilter(),
    "ours: CutEdgeFilter": filters.CutEdgeFilter(),
    "ours: CrossValFilter": filters.CrossValFilter(),
    "ours: EditedNeighborsFilter": filters.EditedNeighborsFilter(),
    "ours: VotingFilter": filters.VotingFilter(),
    "ours: VotingFilter, SVC alone": filters.VotingFilter([SVC()]),
    "ours: BoostEdgeFilter": filters.BoostEdgeFilter(),
    "ours: ELMClassifier": elm.ELMClassifier(n_hidden=200),
    "ours: NeighborDisagreement(10)": hardness.NeighborDisagreement(n_neighbors=10),
}


# Neighbours.


def distances(X):
    D = squareform(pdist(X))
    np.fill_diagonal(D, np.inf)
    return D


def vote(labels, k):
    return np.bincount(labels, minlength=k).argmax()


def edit_by_centroid_neighbors(X, y, k=3):
    """F-12: neighbours whose centroid stays nearest to the row, one after the other."""
    D = distances(X)
    flagged = np.zeros(len(y), dtype=bool)
    for i in range(len(y)):
        chosen = [int(D[i].argmin())]
        while len(chosen) < k:
            centroids = (X[chosen].sum(axis=0) + X) / (len(chosen) + 1)
            gap = np.linalg.norm(centroids - X[i], axis=1)
            gap[[i, *chosen]] = np.inf
            chosen.append(int(gap.argmin()))
        flagged[i] = vote(y[chosen], y.max() + 1) != y[i]
    return {"flagged": flagged}


def link_tomek(X, y):
    """F-39: both of two rows that are each other's nearest and have different labels."""
    nearest = distances(X).argmin(axis=1)
    mutual = nearest[nearest] == np.arange(len(y))
    return {"flagged": mutual & (y[nearest] != y)}


def condense(X, y):
    """F-28: what a growing subset classifies rightly without it is removed."""
    D = squareform(pdist(X))
    kept, grown = [0], True
    while grown:
        grown = False
        for i in range(len(y)):
            if i not in kept and y[kept[int(D[i, kept].argmin())]] != y[i]:
                kept.append(i)
                grown = True
    return {"flagged": ~np.isin(np.arange(len(y)), kept)}


def reduce(X, y):
    """F-29: from the condensed subset, members go that nobody needs."""
    D = squareform(pdist(X))
    kept = list(np.flatnonzero(~condense(X, y)["flagged"]))
    for i in list(kept):
        rest = [j for j in kept if j != i]
        if rest and (y[np.array(rest)[D[:, rest].argmin(axis=1)]] == y).all():
            kept = rest
    return {"flagged": ~np.isin(np.arange(len(y)), kept)}


def blame(X, y, k=3):
    """F-30: culprits of wrong votes go, most blamed first, unless rows they helped turn wrong."""
    D, classes = distances(X), y.max() + 1
    near = np.argsort(D, axis=1)[:, :k]
    wrong = np.array([vote(y[row], classes) for row in near]) != y
    agree = y[near] == y[:, None]
    liable = np.bincount(near[wrong][~agree[wrong]], minlength=len(y))
    left = np.ones(len(y), dtype=bool)
    for i in np.argsort(-liable, kind="stable")[: np.count_nonzero(liable)]:
        left[i] = False
        helped = np.flatnonzero(~wrong & ((near == i) & agree).any(axis=1))
        kept = np.where(left, D[helped], np.inf)
        votes = [vote(y[row], classes) for row in np.argsort(kept, axis=1)[:, :k]]
        left[i] = bool(np.any(votes != y[helped]))
    return {"flagged": ~left}


def reward_and_punish(X, y, k=5):
    """F-31: one point for each right vote a row takes part in, minus one for each wrong one."""
    near = np.argsort(distances(X), axis=1)[:, :k]
    votes = np.array([vote(y[row], y.max() + 1) for row in near])
    score = np.where(votes == y, 1.0, -1.0)
    agree = y[near] == votes[:, None]
    np.add.at(score, near[agree], np.repeat(np.where(votes == y, 1.0, -1.0), agree.sum(axis=1)))
    return {"suspicion": -score, "flagged": score < 0}


def drop(X, y, order="given", associates="all", edit=False, k=3):
    """F-35: remove a row if rows that have it as neighbour are classified no worse without it."""
    D, n, classes = distances(X), len(y), y.max() + 1
    enemy = np.where(y[:, None] != y, D, np.inf).min(axis=1)
    left = np.ones(n, dtype=bool)
    if edit:
        near = np.argsort(D, axis=1)[:, :k]
        left = np.array([vote(y[row], classes) for row in near]) == y
    places = {"given": np.arange(n), "far": np.argsort(-enemy), "near": np.argsort(enemy)}[order]
    lists = [list(np.argsort(np.where(left, D[i], np.inf))[: k + 1]) for i in range(n)]
    for p in places[left[places]]:
        if left.sum() <= k + 2:
            break
        those = [i for i in range(n) if p in lists[i] and (associates == "all" or left[i])]
        with_it = sum(vote(y[lists[i][:k]], classes) == y[i] for i in those)
        without = sum(vote(y[[j for j in lists[i] if j != p][:k]], classes) == y[i] for i in those)
        if without >= with_it:
            left[p] = False
            for i in [i for i in range(n) if p in lists[i]]:
                lists[i] = list(np.argsort(np.where(left, D[i], np.inf))[: k + 1])
    return {"flagged": ~left}


def learn_by_instances(X, y):
    """F-38: IB3 drops instances whose record is significantly below their class frequency."""
    D, n = squareform(pdist(X)), len(y)
    hits, uses = np.zeros(n), np.zeros(n)
    kept, dropped = [0], np.zeros(n, dtype=bool)
    for t, i in enumerate(np.random.RandomState(0).permutation(n)[1:], start=2):
        share = np.bincount(y[:t], minlength=y.max() + 1) / t
        good = [
            j
            for j in kept
            if bound(hits[j], uses[j], 1.645)[0] > bound(share[y[j]] * t, t, 1.645)[1]
        ]
        trusted = min(good or kept, key=lambda j: D[i, j])
        judged = [j for j in kept if D[i, j] <= D[i, trusted]]
        if y[trusted] != y[i]:
            kept.append(i)
        for j in judged:
            uses[j] += 1
            hits[j] += y[j] == y[i]
            if bound(hits[j], uses[j], 1.15)[1] < bound(share[y[j]] * t, t, 1.15)[0]:
                kept.remove(j)
                dropped[j] = True
        kept = kept or [i]
    return {"flagged": dropped}


def bound(hits, n, z):
    """Interval of a proportion, as Aha and others print it."""
    if n == 0:
        return 0.0, 1.0
    p = hits / n
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    return (p + z**2 / (2 * n) - half) / (1 + z**2 / n), (p + z**2 / (2 * n) + half) / (
        1 + z**2 / n
    )


def combine_hardness(X, y):
    """F-41: PRISM, a fixed rule of three measures of hardness."""
    apart = hardness.ClassLikelihoodDifference().fit(X, y).suspicion_ > 0.5
    near = hardness.NeighborDisagreement().fit(X, y).suspicion_
    leaf = hardness.DisjunctClassPercentage(random_state=0).fit(X, y).suspicion_ > 0.5
    return {"flagged": apart & ((near > 0.8) | ((near > 0.5) & leaf))}


def edit_on_graph(X, y, graph, order=1):
    """F-44: the majority of the neighbours in a proximity graph has another label."""
    square = squareform(pdist(X)) ** 2
    n = len(y)
    edges = np.empty((n, n), dtype=bool)
    for i in range(n):
        # For each j: is there a row k between them?
        between = square[i] + square if graph == "gabriel" else np.maximum(square[i], square)
        edges[i] = (between >= square[i][:, None] - 1e-12).all(axis=1)
    np.fill_diagonal(edges, False)
    polled = edges.astype(float)
    if order == 2:
        same = edges & (y[:, None] == y)
        polled = ((edges + same @ edges.astype(float)) > 0) & ~np.eye(n, dtype=bool)
    counts = polled @ np.eye(y.max() + 1)[y]
    share = counts[np.arange(n), y] / np.maximum(counts.sum(axis=1), 1)
    return {"suspicion": 1 - share, "flagged": counts.argmax(axis=1) != y}


def smooth_flips(X, y, k=10, penalty=0.2):
    """T-19: probabilities of flips that make labels agree with their weighted neighbours (9)."""
    D = distances(X)
    near = np.argsort(D, axis=1)[:, :k]
    weights = np.exp(-(np.take_along_axis(D, near, 1) ** 2) / np.median(D[np.inf > D]) ** 2)
    W = np.zeros_like(D)
    np.put_along_axis(W, near, weights / weights.sum(axis=1, keepdims=True), 1)
    signs = np.where(y == 1, 1.0, -1.0)

    def loss(p):
        z = (1 - 2 * p) * signs
        return -z @ W @ z + penalty * p.sum(), 2 * signs * (W @ z + W.T @ z) + penalty

    p = minimize(loss, np.full(len(y), 0.1), jac=True, bounds=[(0, 1)] * len(y)).x
    return {"suspicion": p, "flagged": p > 0.5}


# Committees and models.

BASE = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
THREE = [BASE, KNeighborsClassifier(5), LogisticRegression(max_iter=300)]


def vote_by_folds(X, y, folds=10):
    """F-19: in-sample votes of one learner, fitted without each fold in turn."""
    wrong = np.zeros(len(y))
    for train, _ in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
        model = clone(BASE).fit(X[train], y[train])
        wrong[train] += model.predict(X[train]) != y[train]
    share = wrong / (folds - 1)
    return {"suspicion": share, "flagged": share > 0.5}


def vote_by_grid(X, y, parts=5):
    """F-14: three learners on each of five parts judge all rows."""
    wrong = np.zeros(len(y))
    splits = list(StratifiedKFold(parts, shuffle=True, random_state=0).split(X, y))
    for _, part in splits:
        for learner in THREE:
            wrong += clone(learner).fit(X[part], y[part]).predict(X) != y
    share = wrong / (len(THREE) * parts)
    return {"suspicion": share, "flagged": share > 0.5}


def prune_by_subsets(X, y, subsets=30):
    """F-10: learners on halves, those that did not see a row combined as if independent."""
    random = np.random.RandomState(0)
    log_odds = np.zeros(len(y))
    for _ in range(subsets):
        inside = random.permutation(len(y)) < len(y) // 2
        if len(np.unique(y[inside])) < 2:
            continue
        right = clone(BASE).fit(X[inside], y[inside]).predict(X[~inside]) == y[~inside]
        rate = np.clip(right.mean(), 0.05, 0.95)
        log_odds[~inside] += np.where(right, -1, 1) * np.log(rate / (1 - rate))
    return {"suspicion": log_odds, "flagged": log_odds > 0}


def reduce_by_local_svms(X, y, k=20):
    """F-11: a support vector machine on the neighbours of each row judges it."""
    near = np.argsort(distances(X), axis=1)[:, :k]
    flagged = np.zeros(len(y), dtype=bool)
    for i, row in enumerate(near):
        labels = np.unique(y[row])
        said = labels[0] if len(labels) == 1 else SVC().fit(X[row], y[row]).predict(X[[i]])[0]
        flagged[i] = said != y[i]
    return {"flagged": flagged}


def leave_out_with_flips(X, y, alpha=1.0):
    """Signs, leave-one-out outputs of kernel ridge, and (i, j): that of j, label i flipped."""
    signs = np.where(y == 1, 1.0, -1.0)
    square = squareform(pdist(X)) ** 2
    K = np.exp(-square / np.median(square[square > 0]))
    H = K @ np.linalg.inv(K + alpha * np.eye(len(y)))
    h = np.diag(H)
    outside = (H @ signs - h * signs) / (1 - h)
    flipped = outside - 2 * (H * signs).T / (1 - h)
    np.fill_diagonal(flipped, outside)
    return signs, outside, flipped


def perturb_labels(X, y):
    """F-24 and F-26: most of the others' flips leave a row predicted against its label."""
    signs, outside, flipped = leave_out_with_flips(X, y)
    share = (np.sign(flipped) != signs).mean(axis=0)
    return {"suspicion": share - 1e-3 * outside * signs, "flagged": share > 0.5}


def flip_for_fewer_errors(X, y):
    """F-25: rows whose flip lowers the leave-one-out error of the whole set."""
    signs, outside, flipped = leave_out_with_flips(X, y)
    wrong = np.sign(flipped) != signs
    np.fill_diagonal(wrong, np.sign(outside) == signs)  # its own label is flipped as well
    gain = (np.sign(outside) != signs).sum() - wrong.sum(axis=1)
    return {"suspicion": gain, "flagged": gain > 0}


def detect_by_class(X, y, detector):
    """F-04: rows that are outliers of their own class."""
    score = np.zeros(len(y))
    for c in np.unique(y):
        own = y == c
        rows = X[own]
        if detector == "lof":
            model = LocalOutlierFactor(min(10, own.sum() - 1)).fit(rows)
            score[own] = -model.negative_outlier_factor_
        elif detector == "gauss":  # T-09: what the likelihood gains without the row
            mean = rows.mean(axis=0)
            cov = np.cov(rows.T) + 0.1 * np.eye(X.shape[1])
            score[own] = np.einsum("ij,jk,ik->i", rows - mean, np.linalg.inv(cov), rows - mean)
        elif detector == "svm":
            score[own] = -OneClassSVM(nu=0.2).fit(rows).score_samples(rows)
        else:
            model = IsolationForest(random_state=0).fit(rows)
            score[own] = -model.score_samples(rows)
    return {"suspicion": score, "flagged": score > np.quantile(score, 0.8)}


def weigh_by_clusters(X, y, clusterings=10):
    """T-23: the share of a row's label in its clusters, averaged."""
    share = np.zeros(len(y))
    k = y.max() + 1
    for seed in range(clusterings):
        n_clusters = min(len(y) // 5, (2 + seed) * k)
        found = KMeans(n_clusters, n_init=1, random_state=seed).fit_predict(X)
        counts = np.zeros((n_clusters, k))
        np.add.at(counts, (found, y), 1)
        share += counts[found, y] / counts[found].sum(axis=1)
    return {"suspicion": 1 - share / clusterings, "flagged": share / clusterings < 0.5}


def screen_duals(X, y):
    """T-30: rows whose dual weight is at its bound."""
    model = SVC(C=1.0).fit(X, y)
    weight = np.zeros(len(y))
    weight[model.support_] = np.abs(model.dual_coef_).sum(axis=0) / (y.max())
    return {"suspicion": weight, "flagged": weight >= 1 - 1e-6}


def filter_while_boosting(X, y, rounds=30, confidence=0.5):
    """F-49: rows that the ensemble rejects with confidence leave AdaBoost while it runs."""
    signs = np.where(y == 1, 1.0, -1.0)
    weight, margin, total = np.full(len(y), 1 / len(y)), np.zeros(len(y)), 0.0
    gone = np.zeros(len(y), dtype=bool)
    for t in range(rounds):
        said = DecisionTreeClassifier(max_depth=1).fit(X, signs, weight).predict(X)
        error = np.clip(weight[said != signs].sum(), 1e-6, 0.5)
        alpha = 0.5 * np.log((1 - error) / error)
        margin, total = margin + alpha * said * signs, total + alpha
        if t >= 4 and total > 0:
            gone |= margin / total < -confidence
        weight = np.where(gone, 0.0, weight * np.exp(-alpha * said * signs))
        if weight.sum() <= 0:
            break
        weight = weight / weight.sum()
    return {"suspicion": -margin, "flagged": gone}


THEIRS = {
    "F-12 centroid neighbours": edit_by_centroid_neighbors,
    "F-39 Tomek links": link_tomek,
    "F-28 CNN": condense,
    "F-29 RNN": reduce,
    "F-30 BBNR": blame,
    "F-31 reward and punishment": reward_and_punish,
    "F-35 DROP1": partial(drop, associates="left"),
    "F-35 DROP2": partial(drop, order="far"),
    "F-35 DROP3": partial(drop, order="far", edit=True),
    "F-35 DROP5": partial(drop, order="near"),
    "F-38 IB3": learn_by_instances,
    "F-41 PRISM": combine_hardness,
    "F-44 Gabriel graph": partial(edit_on_graph, graph="gabriel"),
    "F-44 Gabriel graph, order 2": partial(edit_on_graph, graph="gabriel", order=2),
    "F-44 relative neighbours": partial(edit_on_graph, graph="relative"),
    "F-44 relative neighbours, order 2": partial(edit_on_graph, graph="relative", order=2),
    "F-19 fold combinations": vote_by_folds,
    "F-14 learners by parts": vote_by_grid,
    "F-10 subsets": prune_by_subsets,
    "F-11 local SVM": reduce_by_local_svms,
    "F-11 local SVM, 50 neighbours": partial(reduce_by_local_svms, k=50),
    "F-04 local outlier factor": partial(detect_by_class, detector="lof"),
    "F-04 isolation forest": partial(detect_by_class, detector="forest"),
    "F-04 one-class SVM": partial(detect_by_class, detector="svm"),
    "T-09 Gaussian and anomalies": partial(detect_by_class, detector="gauss"),
    "T-23 clusters": weigh_by_clusters,
    "T-30 dual weights": screen_duals,
}
TWO_CLASSES = {
    "T-19 Valizadegan and Tan": smooth_flips,
    "F-24 perturbed labels": perturb_labels,
    "F-25 flips that lower errors": flip_for_fewer_errors,
    "F-49 filtering while boosting": filter_while_boosting,
}


def fitted(detector, X, y):
    seeds = [name for name in detector.get_params() if name.endswith("random_state")]
    model = clone(detector).set_params(**dict.fromkeys(seeds, 0)).fit(X, y)
    return {"suspicion": model.suspicion_, "flagged": model.flagged_}


def cell(name, kind, seed, rows, data, only):
    X, y = load(name, rows, seed, data)
    noisy, wrong = inject(X, y, kind, name, seed)
    X, codes = StandardScaler().fit_transform(X), np.unique(noisy, return_inverse=True)[1]
    methods = {name: partial(fitted, detector) for name, detector in OURS.items()} | THEIRS
    if codes.max() == 1:
        methods |= TWO_CLASSES
    found = []
    for method, detect in methods.items():
        if only and not method.startswith(tuple(only)):
            continue
        took, answer = seconds(partial(detect, X, codes))
        ranks = "suspicion" in answer
        row = measure({"suspicion": answer["flagged"].astype(float), **answer}, wrong)
        row["ap"] = row["ap"] if ranks else np.nan
        found.append({c: row.get(c) for c in COLUMNS} | {"method": method, "seconds": took})
    return found


def try_all():
    parser = options(__doc__, "survey_filters.csv")
    parser.add_argument("--rows", type=int, default=150)
    parser.add_argument("--sets", choices=["chosen", "held", "unseen", "all"], default="chosen")
    parser.add_argument("--only", nargs="*", help="methods whose name begins so")
    args = parser.parse_args()
    cells = [(n, k, 0) for n, k in itertools.product(names(args.data, args.sets), KINDS)]
    work = partial(cell, rows=args.rows, data=args.data, only=args.only)
    run(work, cells, KEYS, COLUMNS, args)
    summarise(args.out)


def summarise(path):
    table = pd.read_csv(path)
    table["f1"] = table.f1.fillna(0)
    two = table[table.method.isin(TWO_CLASSES)][["dataset", "kind"]].drop_duplicates()
    for title, part in (("all sets", table), ("sets of two classes", table.merge(two))):
        means = part.pivot_table("f1", "method", "kind")
        means["f1"] = means.mean(axis=1)
        means["ap"] = part.groupby("method").ap.mean()
        means["removed"] = part.groupby("method").flagged.mean()
        means["seconds"] = part.groupby("method").seconds.mean()
        if title == "all sets":
            means = means.drop(index=list(TWO_CLASSES), errors="ignore")
        show(
            f"F1 by noise, {title}: {part.dataset.nunique()}",
            means.sort_values("f1", ascending=False),
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(
        __doc__,
        **{
            "try": try_all,
            "summary": lambda: summarise(options(__doc__, "survey_filters.csv").parse_args().out),
        },
    )
