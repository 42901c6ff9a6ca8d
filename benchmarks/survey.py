"""Methods that the survey and the other works name and errata leaves out, tried: are they of use?

    python benchmarks/survey.py filters --out survey_filters.csv       small sets, see below
    python benchmarks/survey.py filters --data FOLDER --rows 300 --only ours T-23 F-11
    python benchmarks/survey.py learners --out survey_learners.csv
    python benchmarks/survey.py filters --summary          of what was measured so far
    python benchmarks/survey.py consequences               what the survey says noise does
    python benchmarks/survey.py check                      steps of the trials against plain twins
    python benchmarks/survey.py units --data FOLDER        extreme learning with fewer units
    python benchmarks/survey.py perceptrons                parallel perceptrons, online
    python benchmarks/survey.py boundaries                 hidden Markov models, boundaries ignored
    python benchmarks/survey.py thresholds                 peeling, thresholds by cross-validation

``filters`` and ``learners`` have each method in its plainest form: quadratic or cubic, for some
hundred standardised rows, beside those that errata has. F-12, R-07 and the like are rows of
docs/evidence/catalogue.md. A fifth of the labels is wrong at random, by class, and near borders, in
the ten bundled and drawn sets. ``filters`` measures F1 of what a method removes or flags and, where
it ranks, average precision, on 150 rows; methods for two classes are left out on sets with more.
``learners`` measures accuracy on 150 clean test rows after training on 150, two classes at a time
(one against the rest); a method that needs the rates of noise is told 0.2. T-52 is given as many
rows without labels; T-54 half of the labels, and so are the learners beside it. Cells that are in
the file are kept.

``units``: squared error over the variance, five folds twice, 200 units, ``weight_scale="auto"``;
features are standardised. I-ELM adds units one by one and never moves a weight again (Huang, Chen
and Siew, 2006), EI-ELM takes the best of ten drawn units each time (Huang and Chen, 2008).
``perceptrons``: accuracy on 2,000 clean rows after training on 300, five seeds. ``boundaries``:
recall and precision in percent of three artificial electrocardiograms of 100 beats, one start, two
repetitions, at levels of noise as in ``errata reproduce ecg``. ``thresholds``: accuracy of AdaBoost
(30 stumps) on 2,000 clean rows after peeling 300, five seeds; the threshold of the peeler is the
published one, or that with which five folds of the noisy labels are predicted best.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import itertools
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from detection import measure
from runs import inject, load, main, names, options, run, seconds, show
from scipy.optimize import check_grad, linprog, minimize, root
from scipy.spatial.distance import pdist, squareform
from scipy.special import erf, ndtr, ndtri, softmax
from scipy.stats import norm, spearmanr
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier, LocalOutlierFactor, NearestNeighbors
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from errata import elm, ensemble, filters, hardness, tolerant
from errata.bench import Bench, Cell, get_experiment
from errata.bench.experiments._ecg import measure_segmentation
from errata.datasets import make_ringnorm, make_threenorm, make_twonorm
from errata.elm import ELMRegressor
from errata.ensemble import DiscreteAdaBoostClassifier, ParallelPerceptronClassifier
from errata.filters import FilteredClassifier, MarginPeeler, MisclassificationPeeler
from errata.noise import boundary_flip_proba, flip_labels, gaussian_flip_proba, reference_proba

# Filters.

KEYS = ("dataset", "kind", "seed")
FILTER_COLUMNS = ("method", "ap", "f1", "precision", "recall", "flagged", "seconds")
KINDS = ("ncar20", "nar20", "nnar20")
OUR_FILTERS = {
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
    """F-35: remove a row if rows that have it as neighbour are classified no worse without it.

    ``edit``: rows that their neighbours outvote go first (DROP3), or those of them without which
    the rows that have them as neighbours are classified no worse ("softly", DROP4).
    """
    D, n, classes = distances(X), len(y), y.max() + 1
    enemy = np.where(y[:, None] != y, D, np.inf).min(axis=1)
    left = np.ones(n, dtype=bool)
    if edit:
        near = np.argsort(D, axis=1)[:, :k]
        left = np.array([vote(y[row], classes) for row in near]) == y
    if edit == "softly":
        near = np.argsort(D, axis=1)[:, : k + 1]
        for p in np.flatnonzero(~left):
            those = np.flatnonzero((near[:, :k] == p).any(axis=1))
            with_it = sum(vote(y[near[i, :k]], classes) == y[i] for i in those)
            without = sum(vote(y[near[i][near[i] != p][:k]], classes) == y[i] for i in those)
            left[p] = without < with_it
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


def repair_in_rounds(X, y):
    """F-06: rows that four learners call wrong are repaired or go, while the four improve.

    All four against a label, with one answer: repaired. Three: as the neighbours say, and gone
    where these do not call it wrong.
    """
    learners = [SVC(), MLPClassifier((20,), max_iter=100, random_state=0), BASE, THREE[1]]
    labels, left, best = y.copy(), np.ones(len(y), dtype=bool), 0.0
    while True:
        rows = np.flatnonzero(left)
        sizes = np.unique(labels[rows], return_counts=True)[1]
        if len(sizes) < 2 or sizes.min() < 5:  # too few of a class for five folds
            return {"flagged": ~left | (labels != y)}
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        said = np.array(
            [cross_val_predict(clone(m), X[rows], labels[rows], cv=folds) for m in learners]
        )
        against = (said != labels[rows]).sum(axis=0)
        accuracy = 1 - against.mean() / 4
        if accuracy <= best:
            return {"flagged": ~left | (labels != y)}
        best = accuracy
        together = (against == 4) & (said == said[0]).all(axis=0)
        neighbors = (against >= 3) & ~together & (said[3] != labels[rows])
        gone = (against >= 3) & ~together & ~neighbors
        labels[rows[together | neighbors]] = said[3][together | neighbors]
        left[rows[gone]] = False


def mix_categories(X, y, levels=4, iterations=100):
    """T-22: a mixture of categories (features cut at quantiles) whose components have classes."""
    cuts = np.quantile(X, np.arange(1, levels) / levels, axis=0)
    cells = np.eye(levels)[(X[:, :, None] > cuts.T).sum(axis=2)].reshape(len(y), -1)
    components = 3 * (y.max() + 1)
    inside = np.eye(components)[KMeans(components, n_init=1, random_state=0).fit_predict(X)]
    for _ in range(iterations):
        counts = inside.T @ cells + 0.5
        shares = counts / counts.reshape(components, -1, levels).sum(axis=2).repeat(levels, axis=1)
        inside = softmax(cells @ np.log(shares).T + np.log(inside.mean(axis=0) + 1e-12), axis=1)
    own = np.eye(y.max() + 1)[y]
    of_class = np.full((components, y.max() + 1), 1 / (y.max() + 1))
    for _ in range(iterations):
        joint = inside[:, :, None] * of_class * own[:, None, :]
        of_class = (joint / joint.sum(axis=(1, 2), keepdims=True)).sum(axis=0) + 1e-9
        of_class /= of_class.sum(axis=1, keepdims=True)
    return by_memberships(inside @ of_class, y)


def by_memberships(proba, y):
    own = proba[np.arange(len(y)), y]
    return {"suspicion": 1 - own, "flagged": proba.argmax(axis=1) != y}


def soften_by_fuzzy_clusters(X, y, k=7):
    """T-24: classes of fuzzy clusters, mixed for each row; then its fuzzy neighbours."""
    clusters = 3 * (y.max() + 1)
    centres = KMeans(clusters, n_init=1, random_state=0).fit(X).cluster_centers_
    for _ in range(50):
        inverse = 1 / np.maximum(((X[:, None] - centres) ** 2).sum(axis=2), 1e-12)  # fuzzifier 2
        inside = inverse / inverse.sum(axis=1, keepdims=True)
        centres = (inside**2).T @ X / (inside**2).sum(axis=0)[:, None]
    of_class = inside.T @ np.eye(y.max() + 1)[y]
    soft = inside @ (of_class / of_class.sum(axis=1, keepdims=True))
    D = distances(X)
    near = np.argsort(D, axis=1)[:, :k]
    weights = 1 / np.maximum(np.take_along_axis(D, near, 1), 1e-9) ** 2
    votes = np.einsum("nk,nkc->nc", weights, soft[near])
    return by_memberships(votes / votes.sum(axis=1, keepdims=True), y)


def sample_switches(X, y, by_class=False, sweeps=400, burn=100):
    """T-06, by class T-02 and T-03: Gibbs sampling of a probit model whose labels are switched.

    A switch has a rate with a Beta prior (mean 0.1, as sure as ten rows), one for both classes or
    one for each.
    """
    random = np.random.RandomState(0)
    Z = np.column_stack([np.ones(len(y)), X])
    spread = np.linalg.inv(Z.T @ Z + np.eye(Z.shape[1]))
    root_of_spread = np.linalg.cholesky(spread)
    truth, weights, total = y.copy(), np.zeros(Z.shape[1]), np.zeros(len(y))
    for sweep in range(sweeps):
        utility = draw_beyond_zero(Z @ weights, truth, random)
        weights = spread @ Z.T @ utility + root_of_spread @ random.normal(size=Z.shape[1])
        switched = truth != y
        groups = truth if by_class else np.zeros(len(y), dtype=int)
        counts = np.bincount(groups, minlength=2)
        errors = np.bincount(groups, weights=switched, minlength=2)
        rates = random.beta(1 + errors, 9 + counts - errors)
        if not by_class:
            rates[1] = rates[0]
        p = ndtr(Z @ weights)
        one = p * np.where(y == 1, 1 - rates[1], rates[1])
        none = (1 - p) * np.where(y == 0, 1 - rates[0], rates[0])
        truth = (random.uniform(size=len(y)) < one / (one + none)).astype(int)
        total += (truth != y) * (sweep >= burn)
    share = total / (sweeps - burn)
    return {"suspicion": share, "flagged": share > 0.5}


def draw_beyond_zero(mean, positive, random):
    """Normal variables of deviation 1, positive or negative as told."""
    below = ndtr(-mean)
    u = random.uniform(size=len(mean))
    u = np.where(positive, below + u * (1 - below), u * below)
    return mean + ndtri(np.clip(u, 1e-12, 1 - 1e-12))


def filter_with_pool(X, y, pool):
    """T-52: rows without labels are given some by their graph, then all of them vote."""
    known = np.r_[y, np.full(len(pool), -1)]
    both = np.vstack([X, pool])
    imputed = LabelSpreading(kernel="knn", alpha=0.5).fit(both, known).transduction_
    model = filters.VotingFilter(random_state=0).fit(both, np.r_[y, imputed[len(y) :]])
    return {"suspicion": model.suspicion_[: len(y)], "flagged": model.flagged_[: len(y)]}


THEIR_FILTERS = {
    "F-12 centroid neighbours": edit_by_centroid_neighbors,
    "F-39 Tomek links": link_tomek,
    "F-28 CNN": condense,
    "F-29 RNN": reduce,
    "F-30 BBNR": blame,
    "F-31 reward and punishment": reward_and_punish,
    "F-35 DROP1": partial(drop, associates="left"),
    "F-35 DROP2": partial(drop, order="far"),
    "F-35 DROP3": partial(drop, order="far", edit=True),
    "F-35 DROP4": partial(drop, order="far", edit="softly"),
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
    "F-06 hybrid repair": repair_in_rounds,
    "T-22 mixtures of categories": mix_categories,
    "T-24 fuzzy clusters": soften_by_fuzzy_clusters,
}
TWO_CLASSES = {
    "T-19 Valizadegan and Tan": smooth_flips,
    "F-24 perturbed labels": perturb_labels,
    "F-25 flips that lower errors": flip_for_fewer_errors,
    "F-49 filtering while boosting": filter_while_boosting,
    "T-06 switch indicators": sample_switches,
    "T-03 switches by class": partial(sample_switches, by_class=True),
}


def fitted(detector, X, y):
    seeds = [name for name in detector.get_params() if name.endswith("random_state")]
    model = clone(detector).set_params(**dict.fromkeys(seeds, 0)).fit(X, y)
    return {"suspicion": model.suspicion_, "flagged": model.flagged_}


def filter_cell(name, kind, seed, rows, data, only):
    X, y = load(name, rows, seed, data)
    noisy, wrong = inject(X, y, kind, name, seed)
    scaler, codes = StandardScaler().fit(X), np.unique(noisy, return_inverse=True)[1]
    others = load(name, 2 * rows, seed + 1, data)[0]
    pool = others[~(others[:, None] == X).all(axis=2).any(axis=1)][:rows]
    methods = {
        name: partial(fitted, detector) for name, detector in OUR_FILTERS.items()
    } | THEIR_FILTERS
    if len(pool) >= 10:
        methods["T-52 unlabelled rows"] = partial(filter_with_pool, pool=scaler.transform(pool))
    X = scaler.transform(X)
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
        found.append({c: row.get(c) for c in FILTER_COLUMNS} | {"method": method, "seconds": took})
    return found


def try_filters():
    parser = options(__doc__, "survey_filters.csv")
    parser.add_argument("--summary", action="store_true", help="of what was measured so far")
    parser.add_argument("--rows", type=int, default=150)
    parser.add_argument("--sets", choices=["chosen", "held", "unseen", "all"], default="chosen")
    parser.add_argument("--only", nargs="*", help="methods whose name begins so")
    args = parser.parse_args()
    cells = [(n, k, 0) for n, k in itertools.product(names(args.data, args.sets), KINDS)]
    work = partial(filter_cell, rows=args.rows, data=args.data, only=args.only)
    if not args.summary:
        run(work, cells, KEYS, FILTER_COLUMNS, args)
    summarise_filters(args.out)


def summarise_filters(path):
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


# Learners.

LEARNER_COLUMNS = ("method", "accuracy", "seconds")
RATE = 0.2


class Binary(ClassifierMixin, BaseEstimator):
    """Two classes, coded -1 and 1 for ``learn``; ``decide`` is positive for the second."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.learn(X, np.where(y == self.classes_[-1], 1.0, -1.0))
        return self

    def decision_function(self, X):
        return self.decide(X)

    def predict(self, X):
        return self.classes_[(self.decide(X) > 0).astype(int)]


def stump(X, signs, weights):
    return DecisionTreeClassifier(max_depth=1).fit(X, signs, weights)


class BrownBoost(Binary):
    """R-07: samples that stay wrong are given up as the time runs out."""

    def __init__(self, c=2.0, rounds=50):
        self.c = c
        self.rounds = rounds

    def learn(self, X, signs):
        self.terms_ = []
        margins, left = np.zeros(len(signs)), self.c
        for _ in range(self.rounds):
            weights = np.exp(-((margins + left) ** 2) / self.c)
            model = stump(X, signs, weights / weights.sum())
            steps = model.predict(X) * signs
            potential = erf((margins + left) / np.sqrt(self.c)).sum()

            def equations(values, steps=steps, margins=margins, left=left, potential=potential):
                moved = margins + values[0] * steps + left - values[1]
                correlation = (np.exp(-(moved**2) / self.c) * steps).sum()
                return correlation, erf(moved / np.sqrt(self.c)).sum() - potential

            found = root(equations, (0.1, 0.1))
            alpha, spent = found.x
            if not found.success or spent <= 0 or spent > left:
                break
            margins, left = margins + alpha * steps, left - spent
            self.terms_.append((alpha, model))

    def decide(self, X):
        return sum((a * m.predict(X) for a, m in self.terms_), np.zeros(len(X)))


class SoftMarginProgram(Binary):
    """R-08: stumps of AdaBoost, weighted so that all but a fraction nu keep a wide margin."""

    def __init__(self, nu=0.3, rounds=50):
        self.nu = nu
        self.rounds = rounds

    def learn(self, X, signs):
        booster = AdaBoostClassifier(n_estimators=self.rounds).fit(X, signs)
        self.models_ = booster.estimators_
        lines = np.array([m.predict(X) * signs for m in self.models_]).T
        n, t = lines.shape
        # Variables: weights, the margin, slacks.
        found = linprog(
            np.r_[np.zeros(t), -1.0, np.full(n, 1 / (self.nu * n))],
            A_ub=np.hstack([-lines, np.ones((n, 1)), -np.eye(n)]),
            b_ub=np.zeros(n),
            A_eq=np.r_[np.ones(t), np.zeros(n + 1)][None],
            b_eq=[1.0],
            bounds=[(0, None)] * t + [(None, None)] + [(0, None)] * n,
        )
        self.weights_ = found.x[:t]

    def decide(self, X):
        return self.weights_ @ [m.predict(X) for m in self.models_]


class SwitchedForest(ClassifierMixin, BaseEstimator):
    """R-19: each tree learns labels of which a part is switched, class proportions kept."""

    def __init__(self, rate=0.4, trees=100):
        self.rate = rate
        self.trees = trees

    def fit(self, X, y):
        random = np.random.RandomState(0)
        self.classes_ = np.unique(y)
        self.models_ = []
        for _ in range(self.trees):
            switched = np.where(random.uniform(size=len(y)) < self.rate, random.permutation(y), y)
            self.models_.append(DecisionTreeClassifier(random_state=0).fit(X, switched))
        return self

    def predict(self, X):
        votes = np.array([m.predict(X) for m in self.models_])
        counts = (votes[:, :, None] == self.classes_).sum(axis=0)
        return self.classes_[counts.argmax(axis=1)]


class FuzzyNeighbors(ClassifierMixin, BaseEstimator):
    """T-25: labels become memberships by their neighbours, then a vote weighted by distance."""

    def __init__(self, k=7):
        self.k = k

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.search_ = NearestNeighbors(n_neighbors=self.k + 1).fit(X)
        near = self.search_.kneighbors(X, return_distance=False)[:, 1:]
        own = np.eye(len(self.classes_))[codes]
        self.memberships_ = 0.49 * own[near].mean(axis=1) + 0.51 * own
        return self

    def predict(self, X):
        distance, near = self.search_.kneighbors(X, self.k)
        weights = 1 / np.maximum(distance, 1e-9) ** 2  # fuzzifier 2
        return self.classes_[np.einsum("nk,nkc->nc", weights, self.memberships_[near]).argmax(1)]


class FuzzySVM(ClassifierMixin, BaseEstimator):
    """T-33: rows far from the mean of their label count less."""

    def fit(self, X, y):
        weights = np.empty(len(y))
        for c in np.unique(y):
            gap = np.linalg.norm(X[y == c] - X[y == c].mean(axis=0), axis=1)
            weights[y == c] = 1 - gap / (gap.max() + 1e-3)
        self.model_ = SVC().fit(X, y, np.maximum(weights, 1e-3))
        return self

    def predict(self, X):
        return self.model_.predict(X)


class RobustHinge(Binary):
    """T-36, (14) and (15): rows with a hinge loss of one or more are left out in turns."""

    def __init__(self, kernel="rbf", share=None):
        self.kernel = kernel
        self.share = share  # T-31: ignore this share, the worst rows

    def learn(self, X, signs):
        kept = np.ones(len(signs), dtype=bool)
        for _ in range(20):
            self.model_ = SVC(kernel=self.kernel).fit(X[kept], signs[kept])
            hinge = np.maximum(0, 1 - signs * self.model_.decision_function(X))
            limit = 1.0 if self.share is None else np.quantile(hinge, 1 - self.share)
            now = hinge <= limit
            if (now == kept).all() or len(np.unique(signs[now])) < 2:
                break
            kept = now

    def decide(self, X):
        return self.model_.decision_function(X)


class UnbiasedHinge(Binary):
    """T-38, (16): hinge loss corrected for known rates of noise, linear, with ridge."""

    def __init__(self, alpha=0.01):
        self.alpha = alpha

    def learn(self, X, signs):
        X = np.column_stack([X, np.ones(len(X))])

        def loss(w):
            margin = signs * (X @ w)
            value, slope = np.maximum(0, 1 - margin), -1.0 * (margin < 1)
            other, other_slope = np.maximum(0, 1 + margin), 1.0 * (margin > -1)
            total = ((1 - RATE) * value - RATE * other).mean() / (1 - 2 * RATE)
            pull = ((1 - RATE) * slope - RATE * other_slope) * signs / (1 - 2 * RATE)
            return total + self.alpha * w @ w, X.T @ pull / len(signs) + 2 * self.alpha * w

        self.coef_ = minimize(loss, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B").x

    def decide(self, X):
        return np.column_stack([X, np.ones(len(X))]) @ self.coef_


class HeldPerceptron(Binary):
    """T-39 to T-41: a perceptron, averaged, with the lambda trick, the alpha bound or a margin."""

    def __init__(self, trick=0.0, bound=np.inf, margin=0.0, epochs=30):
        self.trick = trick
        self.bound = bound
        self.margin = margin
        self.epochs = epochs

    def learn(self, X, signs):
        X = np.column_stack([X, np.ones(len(X))])
        random, w, total = np.random.RandomState(0), np.zeros(X.shape[1]), 0.0
        mistakes = np.zeros(len(signs))
        lengths = (X**2).sum(axis=1)
        for _ in range(self.epochs):
            for i in random.permutation(len(signs)):
                helped = self.trick * lengths[i] * (mistakes[i] > 0)
                if signs[i] * (X[i] @ w) + helped <= self.margin and mistakes[i] < self.bound:
                    w = w + signs[i] * X[i]
                    mistakes[i] += 1
                total = total + w
        self.coef_ = total

    def decide(self, X):
        return np.column_stack([X, np.ones(len(X))]) @ self.coef_


class MultiBoost(ClassifierMixin, BaseEstimator):
    """T-49: small committees of AdaBoost, each from weights drawn anew (wagging), vote."""

    def __init__(self, committees=7, rounds=7):
        self.committees = committees
        self.rounds = rounds

    def fit(self, X, y):
        random = np.random.RandomState(0)
        self.classes_ = np.unique(y)
        self.models_ = [
            AdaBoostClassifier(n_estimators=self.rounds, random_state=0).fit(
                X, y, random.exponential(size=len(y))
            )
            for _ in range(self.committees)
        ]
        return self

    def predict(self, X):
        votes = np.mean([m.predict_proba(X) for m in self.models_], axis=0)
        return self.classes_[votes.argmax(axis=1)]


class AveragedBoost(Binary):
    """T-45: AdaBoost whose members count by their error on all rows alike."""

    def __init__(self, plain=False, rounds=50):
        self.plain = plain  # AdaBoost itself
        self.rounds = rounds

    def learn(self, X, signs):
        weights = np.full(len(signs), 1 / len(signs))
        self.terms_ = []
        for _ in range(self.rounds):
            model = stump(X, signs, weights)
            right = model.predict(X) * signs
            error = np.clip(weights[right < 0].sum(), 1e-6, 0.5)
            step = 0.5 * np.log((1 - error) / error)
            of_all = np.clip(np.mean(right < 0), 1e-6, 0.5)
            counts = step if self.plain else 0.5 * np.log((1 - of_all) / of_all)
            self.terms_.append((counts, model))
            weights = weights * np.exp(-step * right)
            weights /= weights.sum()

    def decide(self, X):
        return sum((a * m.predict(X) for a, m in self.terms_), np.zeros(len(X)))


def widest_entropy(counts, s=1.0):
    """R-09: the largest entropy if ``s`` rows may have any label: they go to the rarest ones."""
    counts = np.array(counts, dtype=float)
    while s > 1e-12:
        rarest = counts <= counts.min() + 1e-12
        above = counts[~rarest].min() - counts.min() if not rarest.all() else np.inf
        each_gets = min(s / rarest.sum(), above)
        counts[rarest] += each_gets
        s -= each_gets * rarest.sum()
    p = counts / counts.sum()
    return -np.sum(p * np.log2(np.maximum(p, 1e-12)))


class CredalForest(ClassifierMixin, BaseEstimator):
    """R-09: bagged trees that split while the imprecise information gain is positive.

    Thresholds are the deciles of the rows of a node, of as many columns as a forest draws.
    """

    def __init__(self, s=1.0, trees=20):
        self.s = s
        self.trees = trees

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.random_ = np.random.RandomState(0)
        bags = [self.random_.randint(len(y), size=len(y)) for _ in range(self.trees)]
        self.trees_ = [self.grow(X[bag], np.eye(len(self.classes_))[codes[bag]]) for bag in bags]
        return self

    def grow(self, X, own):
        counts = own.sum(axis=0)
        entropy, best = widest_entropy(counts, self.s), (0.0, None, None)
        columns = self.random_.permutation(X.shape[1])[: max(1, round(np.sqrt(X.shape[1])))]
        for j in columns if np.count_nonzero(counts) > 1 else ():
            for cut in np.unique(np.quantile(X[:, j], np.arange(1, 10) / 10, method="lower")):
                inside = X[:, j] <= cut
                if inside.all():
                    continue
                parts = [(inside.mean(), own[inside]), (1 - inside.mean(), own[~inside])]
                gain = entropy - sum(f * widest_entropy(o.sum(axis=0), self.s) for f, o in parts)
                best = max(best, (gain, j, cut), key=lambda split: split[0])
        gain, j, cut = best
        if gain <= 0:
            return counts / counts.sum()
        inside = X[:, j] <= cut
        return j, cut, self.grow(X[inside], own[inside]), self.grow(X[~inside], own[~inside])

    def predict(self, X):
        votes = [[self.follow(tree, row) for row in X] for tree in self.trees_]
        return self.classes_[np.mean(votes, axis=0).argmax(axis=1)]

    def follow(self, tree, row):
        while isinstance(tree, tuple):
            j, cut, low, high = tree
            tree = low if row[j] <= cut else high
        return tree


class FlipNetwork(ClassifierMixin, BaseEstimator):
    """T-17: a network whose labels are wrong with one probability, chosen on a quarter of them."""

    def __init__(self, rates=(0.0, 0.05, 0.1, 0.2, 0.3), units=20, alpha=1e-3):
        self.rates = rates
        self.units = units
        self.alpha = alpha

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.rate_ = self.rates[0]
        if len(self.rates) > 1:
            inside = np.random.RandomState(0).permutation(len(y)) >= len(y) // 4
            losses = [
                self.loss(
                    self.learn(X[inside], codes[inside], rate), X[~inside], codes[~inside], rate
                )[0]
                for rate in self.rates
            ]
            self.rate_ = self.rates[int(np.argmin(losses))]
        self.weights_ = self.learn(X, codes, self.rate_)
        return self

    def learn(self, X, codes, rate):
        size = (X.shape[1] + 1) * self.units + (self.units + 1) * len(self.classes_)
        start = np.random.RandomState(0).normal(size=size) / np.sqrt(X.shape[1] + 1)

        def penalised(w):
            value, slope = self.loss(w, X, codes, rate)
            return value + self.alpha * w @ w, slope + 2 * self.alpha * w

        return minimize(penalised, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x

    def outputs(self, w, X):
        parts = np.split(w, [(X.shape[1] + 1) * self.units])
        first, second = parts[0].reshape(-1, self.units), parts[1].reshape(self.units + 1, -1)
        hidden = np.tanh(X @ first[1:] + first[0])
        return first, second, hidden, softmax(hidden @ second[1:] + second[0], axis=1)

    def loss(self, w, X, codes, rate):
        """Mean negative log likelihood of the labels, and its slope."""
        _, second, hidden, proba = self.outputs(w, X)
        rows, other = np.arange(len(codes)), rate / max(len(self.classes_) - 1, 1)
        own = proba[rows, codes]
        mixed = np.maximum((1 - rate) * own + other * (1 - own), 1e-12)
        pull = -(1 - rate - other) / mixed * own / len(codes)
        slope = -pull[:, None] * proba
        slope[rows, codes] += pull
        back = (slope @ second[1:].T) * (1 - hidden**2)
        parts = [back.sum(axis=0), X.T @ back, slope.sum(axis=0), hidden.T @ slope]
        return -np.log(mixed).mean(), np.concatenate([part.ravel() for part in parts])

    def predict(self, X):
        return self.classes_[self.outputs(self.weights_, X)[3].argmax(axis=1)]


class FlipProcess(Binary):
    """T-18, T-07: a Gaussian process whose labels are flipped, by expectation propagation.

    The rate is that with which rows are best predicted without their own label.
    """

    def __init__(self, rates=(0.0, 0.05, 0.1, 0.2), scale=3.0, sweeps=8):
        self.rates = rates
        self.scale = scale
        self.sweeps = sweeps

    def learn(self, X, signs):
        self.X_ = X
        K = self.kernel(X, X)
        found = [(*self.propagate(K, signs, rate), rate) for rate in self.rates]
        _, self.pull_, self.rate_ = max(found, key=lambda one: one[0])

    def kernel(self, A, B):
        square = ((A[:, None] - B) ** 2).sum(axis=2)
        return self.scale**2 * np.exp(-square / A.shape[1])

    def propagate(self, K, signs, rate):
        """How well rows are predicted without their label, and the weights of the mean."""
        n = len(signs)
        precision, shift = np.zeros(n), np.zeros(n)
        S, mean, fit = K.copy(), np.zeros(n), 0.0
        for _ in range(self.sweeps):
            fit = 0.0
            for i in range(n):
                left = 1 / S[i, i] - precision[i]
                cavity, variance = (mean[i] / S[i, i] - shift[i]) / left, 1 / left
                Z, new_mean, new_variance = match_moments(signs[i], cavity, variance, rate)
                fit += np.log(Z)
                tau = max(1 / new_variance - left, 1e-10)
                change = tau - precision[i]
                precision[i] = tau
                shift[i] = new_mean / new_variance - cavity * left
                S = S - np.outer(S[i], S[i]) * change / (1 + change * S[i, i])
                mean = S @ shift
        return fit, np.linalg.solve(np.eye(n) + precision[:, None] * K, shift)

    def decide(self, X):
        return self.kernel(X, self.X_) @ self.pull_


def match_moments(sign, mean, variance, rate):
    """Of a normal variable f times rate + (1 - 2 rate) Phi(sign f): mass, mean, variance."""
    width = np.sqrt(1 + variance)
    z = sign * mean / width
    Z = rate + (1 - 2 * rate) * ndtr(z)
    hazard = (1 - 2 * rate) * norm.pdf(z) / Z
    new_mean = mean + sign * variance * hazard / width
    return Z, new_mean, variance - variance**2 * hazard * (z + hazard) / (1 + variance)


class SelfTrained(ClassifierMixin, BaseEstimator):
    """T-54: half of the labels are hidden, guessed by a first model, and taken as noisy."""

    def __init__(self, model=None, guess=True):
        self.model = model
        self.guess = guess

    def fit(self, X, y):
        known, rest = train_test_split(np.arange(len(y)), test_size=0.5, random_state=0, stratify=y)
        first = SVC().fit(X[known], y[known])
        if self.guess:
            X = np.vstack([X[known], X[rest]])
            y = np.r_[y[known], first.predict(X[len(known) :])]
        else:
            X, y = X[known], y[known]
        self.model_ = clone(self.model).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


class CutEdgePolicy(ClassifierMixin, BaseEstimator):
    """F-46: relabel the doubtful and drop the bad (1), or relabel both (2); then an SVC."""

    def __init__(self, policy=1):
        self.policy = policy

    def fit(self, X, y):
        cut = filters.CutEdgeFilter(flag="doubtful", min_per_class=1).fit(X, y)
        labels = cut.suggested_
        kept = cut.category_ != "bad" if self.policy == 1 else (labels != y) | ~cut.flagged_
        if len(np.unique(labels[kept])) < 2:
            labels, kept = y, np.ones(len(y), dtype=bool)
        self.model_ = SVC().fit(X[kept], labels[kept])
        return self

    def predict(self, X):
        return self.model_.predict(X)


def each(binary):
    return OneVsRestClassifier(binary)


OUR_LEARNERS = {
    "ours: SVC (scikit-learn)": SVC(),
    "ours: NoiseModelClassifier": tolerant.NoiseModelClassifier(),
    "ours: KernelRobustLossClassifier": tolerant.KernelRobustLossClassifier(),
    "ours: RobustLossClassifier": tolerant.RobustLossClassifier(),
    "ours: RobustLogisticRegression": tolerant.RobustLogisticRegression(),
    "ours: UnbiasedLogisticRegression": tolerant.UnbiasedLogisticRegression(RATE),
    "ours: EvidentialKNNClassifier": tolerant.EvidentialKNNClassifier(n_neighbors=15),
    "ours: RobustBoostClassifier": ensemble.RobustBoostClassifier(n_estimators=50),
    "ours: MadaBoostClassifier": ensemble.MadaBoostClassifier(),
    "ours: LogitBoostClassifier": ensemble.LogitBoostClassifier(n_estimators=50),
    "ours: HardnessBaggingClassifier": ensemble.HardnessBaggingClassifier(),
}
THEIR_LEARNERS = {
    "R-05 random forest": RandomForestClassifier(100),
    "R-07 BrownBoost": each(BrownBoost()),
    "R-08 soft margins, nu 0.3": each(SoftMarginProgram()),
    "R-08 soft margins, nu 0.6": each(SoftMarginProgram(nu=0.6)),
    "R-12 neighbours, k by folds": GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 3, 7, 15, 25]}, cv=5
    ),
    "R-19 switched labels": SwitchedForest(),
    "T-25 fuzzy neighbours": FuzzyNeighbors(),
    "T-33 fuzzy SVM": FuzzySVM(),
    "T-36 robust hinge": each(RobustHinge()),
    "T-36 robust hinge, linear": each(RobustHinge("linear")),
    "T-31 SVM that ignores a fifth": each(RobustHinge(share=0.2)),
    "T-38 unbiased hinge": each(UnbiasedHinge()),
    "T-39 lambda trick": each(HeldPerceptron(trick=1.0)),
    "T-40 alpha bound": each(HeldPerceptron(bound=2)),
    "T-41 margin": each(HeldPerceptron(margin=5.0)),
    "perceptron, averaged": each(HeldPerceptron()),
    "T-47 AdaBoost, rounds by folds": GridSearchCV(
        AdaBoostClassifier(), {"n_estimators": [5, 15, 50]}, cv=5
    ),
    "T-48 bagged boosting": BaggingClassifier(
        AdaBoostClassifier(n_estimators=15), 15, max_samples=0.5
    ),
    "T-49 MultiBoost, 7 of 7": MultiBoost(),
    "T-49 MultiBoost, 15 of 7": MultiBoost(committees=15),
    "T-51 label spreading": LabelSpreading(kernel="knn", alpha=0.5),
    "R-11 logistic regression, C by folds": GridSearchCV(
        LogisticRegression(max_iter=300), {"C": [0.01, 0.1, 1, 10]}, cv=5
    ),
    "R-09 credal trees, 20 bags": CredalForest(),
    "R-09 the same with plain entropy": CredalForest(s=0.0),
    "T-17 network with flips": FlipNetwork(),
    "T-17 the same without": FlipNetwork(rates=(0.0,)),
    "T-18 Gaussian process with flips": each(FlipProcess()),
    "T-18 the same without": each(FlipProcess(rates=(0.0,))),
    "T-45 averaged boosting": each(AveragedBoost()),
    "T-45 AdaBoost, the same stumps": each(AveragedBoost(plain=True)),
    "T-54 half the labels, others guessed and noisy": SelfTrained(tolerant.NoiseModelClassifier()),
    "T-54 half the labels, NoiseModelClassifier": SelfTrained(
        tolerant.NoiseModelClassifier(), guess=False
    ),
    "T-54 half the labels, SVC": SelfTrained(SVC(), guess=False),
    "F-46 cut edges, policy 1, then SVC": CutEdgePolicy(),
    "F-46 cut edges, policy 2, then SVC": CutEdgePolicy(policy=2),
}


def learner_cell(name, kind, seed, rows, data, only):
    X, y = load(name, rows, seed, data)
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed, stratify=y)
    noisy, _ = inject(X[train], y[train], kind, name, seed)
    scaler = StandardScaler().fit(X[train])
    found = []
    for method, learner in (OUR_LEARNERS | THEIR_LEARNERS).items():
        if only and not method.startswith(tuple(only)):
            continue
        model = clone(learner)
        if "random_state" in model.get_params():
            model.set_params(random_state=seed)
        took, predicted = seconds(
            lambda m=model: m.fit(scaler.transform(X[train]), noisy).predict(
                scaler.transform(X[test])
            )
        )
        accuracy = 100 * float(np.mean(predicted == y[test]))
        found.append({"method": method, "accuracy": accuracy, "seconds": took})
    return found


def try_learners():
    parser = options(__doc__, "survey_learners.csv")
    parser.add_argument("--summary", action="store_true", help="of what was measured so far")
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--only", nargs="*", help="methods whose name begins so")
    args = parser.parse_args()
    cells = [(n, k, 0) for n, k in itertools.product(names(None), KINDS)]
    work = partial(learner_cell, rows=args.rows, data=None, only=args.only)
    if not args.summary:
        run(work, cells, KEYS, LEARNER_COLUMNS, args)
    summarise_learners(args.out)


def summarise_learners(path):
    table = pd.read_csv(path)
    means = table.pivot_table("accuracy", "method", "kind")
    means["mean"] = means.mean(axis=1)
    wide = table.pivot_table("accuracy", ["dataset", "kind"], "method")
    means["rank"] = wide.rank(axis=1, ascending=False).mean()
    means["seconds"] = table.groupby("method").seconds.mean()
    show(
        f"accuracy by noise, {table.dataset.nunique()} sets",
        means.sort_values("mean", ascending=False),
    )


# What noise does.

RATES = (0.0, 0.1, 0.2, 0.3, 0.4)


def consequences():
    """Q-03, Q-05, Q-06, Q-11, and noise of G-06 and G-07 beside what errata has."""
    options(__doc__, "").parse_args()
    found = [
        {
            "set": make.__name__.removeprefix("make_"),
            "noise": rate,
            **measure_models(make, rate, seed),
        }
        for make in DRAWN
        for rate in RATES
        for seed in range(10)
    ]
    table = pd.DataFrame(found)
    show("Q-03, Q-06: means over ten seeds", table.groupby(["set", "noise"]).mean())
    show("Q-05: rows that linear discriminant analysis needs", count_rows_needed())
    show("Q-11: apparent minus true error in percent", measure_overconfidence())
    show("G-07: perturbed memberships beside boundary_flip_proba", compare_boundary_noise())


def measure_models(make, rate, seed):
    """Best k of neighbours on clean rows; sizes of three models."""
    X, y = make(500, random_state=seed)
    X_test, y_test = make(2000, random_state=seed + 1000)
    noisy = flip_labels(y, rate, random_state=seed)[0]
    ks = (1, 3, 5, 9, 15, 25, 45, 75)
    scores = [KNeighborsClassifier(k).fit(X, noisy).score(X_test, y_test) for k in ks]
    sparse = LogisticRegression(l1_ratio=1.0, C=0.1, solver="liblinear").fit(X, noisy)
    return {
        "best k": ks[int(np.argmax(scores))],
        "leaves of a tree": DecisionTreeClassifier(random_state=0).fit(X, noisy).get_n_leaves(),
        "support vectors": len(SVC().fit(X, noisy).support_),
        "weights that are not zero": np.count_nonzero(sparse.coef_),
    }


def count_rows_needed(wanted=0.97, seeds=20):
    """The fewest rows with which the mean accuracy on clean rows of twonorm is as wanted."""
    rows = {}
    X_test, y_test = make_twonorm(4000, random_state=999)
    for rate in RATES:
        for n in (40, 60, 90, 130, 200, 300, 450, 650, 1000, 1500, 2200, 3300, 5000, 7500):
            scores = []
            for seed in range(seeds):
                X, y = make_twonorm(n, random_state=seed)
                noisy = flip_labels(y, rate, random_state=seed)[0]
                scores.append(LinearDiscriminantAnalysis().fit(X, noisy).score(X_test, y_test))
            if np.mean(scores) >= wanted:
                rows[rate] = n
                break
    needed = pd.Series(rows, name="rows").to_frame()
    needed["times"] = needed.rows / needed.rows[0.0]
    needed["1 / (1 - 2 rate)^2"] = [1 / (1 - 2 * rate) ** 2 for rate in needed.index]
    return needed


def measure_overconfidence(seeds=20):
    """Discriminant analysis: its error on its own labels, less that on clean rows."""
    found = []
    for seed in range(seeds):
        X, y = make_blobs(400, 2, centers=[[-1, 0], [1, 0]], random_state=seed)
        X_test, y_test = make_blobs(4000, 2, centers=[[-1, 0], [1, 0]], random_state=seed + 1000)
        for rate in RATES[1:]:
            tails = gaussian_flip_proba(X, y, rate, kind="truncated", cutoff=0.0)
            labels = {
                "uniform": flip_labels(y, rate, random_state=seed)[0],
                "truncated": flip_labels(y, flip_proba=tails, random_state=seed)[0],
            }
            for kind, noisy in labels.items():
                model = LinearDiscriminantAnalysis().fit(X, noisy)
                gap = model.score(X_test, y_test) - model.score(X, noisy)
                found.append((rate, kind, 100 * gap))
    table = pd.DataFrame(found, columns=["noise", "kind", "gap"])
    return table.pivot_table("gap", "noise", "kind")


def compare_boundary_noise(width=0.5, draws=2000):
    """Rank correlation of the rows' flip probabilities, and their rate."""
    random, rows = np.random.RandomState(0), {}
    for name in names(None):
        X, y = load(name, 300, 0, None)
        proba = reference_proba(X, y, random_state=0)
        most = proba.argmax(axis=1)
        flips = np.zeros(len(y))
        for _ in range(draws):
            flips += (proba + random.uniform(0, width, proba.shape)).argmax(axis=1) != most
        near = boundary_flip_proba(proba, max(flips.mean() / draws, 0.01))
        rows[name] = (flips.mean() / draws, spearmanr(flips, near).statistic)
    return pd.DataFrame(rows, index=["rate", "rank correlation"]).T


# Steps of the trials against plain twins.


def check():
    """Raise where a step is not what its formula says."""
    options(__doc__, "").parse_args()
    random = np.random.RandomState(0)
    counts = np.array([6.0, 1.0, 0.0])
    entropy = lambda p: -np.sum(p * np.log2(np.maximum(p, 1e-12)))  # noqa: E731
    grid = [(a, b, 1 - a - b) for a in np.linspace(0, 1, 101) for b in np.linspace(0, 1 - a, 101)]
    widest = max(entropy((counts + extra) / 8) for extra in np.array(grid))
    np.testing.assert_allclose(widest_entropy(counts, 1.0), widest, atol=1e-3)
    np.testing.assert_allclose(widest_entropy(counts, 0.0), entropy(counts / 7))
    for rate in (0.0, 0.1, 0.3):  # moments by summation
        f = np.linspace(-12, 12, 200_001)
        mass = (rate + (1 - 2 * rate) * ndtr(-f)) * norm.pdf(f, 0.7, 1.3)
        mass *= f[1] - f[0]
        mean = np.sum(mass * f) / mass.sum()
        plain = (mass.sum(), mean, np.sum(mass * (f - mean) ** 2) / mass.sum())
        np.testing.assert_allclose(match_moments(-1, 0.7, 1.3**2, rate), plain, rtol=1e-5)
    network = FlipNetwork(units=3)
    network.classes_ = np.arange(3)
    X, codes = random.normal(size=(12, 2)), random.randint(3, size=12)
    w = random.normal(size=3 * 3 + 4 * 3)
    assert (
        check_grad(
            lambda v: network.loss(v, X, codes, 0.1)[0],
            lambda v: network.loss(v, X, codes, 0.1)[1],
            w,
        )
        < 1e-5
    )
    drawn = draw_beyond_zero(np.full(200_000, -1.0), np.ones(200_000, dtype=bool), random)
    assert drawn.min() >= 0
    np.testing.assert_allclose(drawn.mean(), -1 + norm.pdf(1) / ndtr(-1), atol=0.01)
    X, y = make_blobs(300, 2, centers=[[-2, -2], [2, 2]], random_state=0)
    noisy, wrong = flip_labels(y, 0.2, random_state=0)
    for method in (sample_switches, soften_by_fuzzy_clusters, mix_categories, repair_in_rounds):
        flagged = method(X, noisy)["flagged"]
        assert np.mean(flagged == wrong) > 0.95, method.__name__
    for learner in (CredalForest(), FlipNetwork(), FlipProcess(), AveragedBoost()):
        assert learner.fit(X, noisy).score(X, y) > 0.9, type(learner).__name__
    print("all steps are what their formulas say")


# What the other works name.

REGRESSION_TABLES = ("reg_boston", "reg_concrete", "reg_bodyfat", "reg_yacht", "reg_airfoil")
DRAWN = (make_twonorm, make_threenorm, make_ringnorm)


class GrownELM(RegressorMixin, BaseEstimator):
    """Units added one by one, the best of some drawn; weights of those before stay."""

    def __init__(self, n_hidden=200, n_candidates=1, random_state=None):
        self.n_hidden = n_hidden
        self.n_candidates = n_candidates
        self.random_state = random_state

    def fit(self, X, y):
        random = np.random.default_rng(self.random_state)
        self.mean_, residual = y.mean(), y - y.mean()
        self.units_, self.coef_ = [], []
        for _ in range(self.n_hidden):
            scale = 1 / np.sqrt(1 + X.shape[1])
            V = scale * random.normal(size=(X.shape[1] + 1, self.n_candidates))
            H = erf(X @ V[:-1] + V[-1])
            coef = H.T @ residual / (H**2).sum(axis=0)
            best = ((residual[:, None] - coef * H) ** 2).sum(axis=0).argmin()
            residual = residual - coef[best] * H[:, best]
            self.units_.append(V[:, best])
            self.coef_.append(coef[best])
        return self

    def predict(self, X):
        V = np.array(self.units_).T
        return self.mean_ + erf(X @ V[:-1] + V[-1]) @ np.array(self.coef_)


def units():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=os.environ.get("ERRATA_DATA"))
    folder = Path(parser.parse_args().data)
    auto = {"n_hidden": 200, "weight_scale": "auto", "cv": False}
    models = {
        "all, alpha by PRESS": ELMRegressor(**auto),
        "grown in order, PRESS": ELMRegressor(**auto, unit_selection="first", alpha=0),
        "OP-ELM": ELMRegressor(**auto, unit_selection="lars", alpha=0),
        "TROP-ELM": ELMRegressor(**auto, unit_selection="lars"),
        "I-ELM": GrownELM(),
        "EI-ELM, 10": GrownELM(n_candidates=10),
    }
    found = []
    for name in REGRESSION_TABLES:
        table = pd.read_csv(folder / f"{name}.csv").dropna()
        X, y = table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy(float)
        for method, model in models.items():
            for seed in range(2):
                for train, test in KFold(5, shuffle=True, random_state=seed).split(X):
                    scaler = StandardScaler().fit(X[train])
                    fitted = clone(model).set_params(random_state=seed)
                    took, fitted = seconds(
                        lambda f=fitted, s=scaler, t=train, X=X, y=y: f.fit(s.transform(X[t]), y[t])
                    )
                    error = np.mean((fitted.predict(scaler.transform(X[test])) - y[test]) ** 2)
                    kept = len(getattr(fitted, "hidden_bias_", fitted.coef_))
                    found.append((name, method, error / y.var(), kept, took))
    table = pd.DataFrame(found, columns=["table", "method", "error", "units", "seconds"])
    means = table.pivot_table("error", "method", "table")
    means["mean"] = means.mean(axis=1)
    means["units"] = table.groupby("method").units.mean().round()
    means["seconds"] = table.groupby("method").seconds.mean()
    print(means.sort_values("mean").round(3).to_string())


def perceptrons():
    found = []
    for make in DRAWN:
        for rate in (0.0, 0.1, 0.3):
            for update in ("batch", "online"):
                for length in (0.001, 0.01):
                    scores = []
                    for seed in range(5):
                        X, noisy, X_test, y_test = draw(make, rate, seed)
                        model = ParallelPerceptronClassifier(
                            update=update, learning_rate=length, random_state=seed
                        )
                        scores.append(model.fit(X, noisy).score(X_test, y_test))
                    where = make.__name__.removeprefix("make_")
                    found.append((where, rate, f"{update}, {length:g}", 100 * np.mean(scores)))
    table = pd.DataFrame(found, columns=["set", "noise", "training", "accuracy"])
    print(table.pivot_table("accuracy", ["set", "noise"], "training").round(1).to_string())


def draw(make, rate, seed):
    X, y = make(300, random_state=seed)
    return X, flip_labels(y, rate, random_state=seed)[0], *make(2000, random_state=seed + 100)


def boundaries():
    quick = get_experiment("ecg").quickly()
    tolerant = quick.methods["HMM label noise-tolerant EM"]
    models = {
        "supervised": quick.methods["HMM supervised learning"],
        "Baum-Welch": quick.methods["HMM Baum-Welch"],
        "tolerant": tolerant,
    }
    for width in (2, 5):
        models[f"boundaries ignored, {width} samples"] = clone(tolerant).set_params(
            p_e=0.0, noise="fixed", ignore_boundaries=width
        )
    names = ("recall", "precision", "uniform_recall", "uniform_precision")
    print(f"{'level':6}{'model':36}" + "".join(f"{name:>19}" for name in names))
    for level in (0.0, 0.25, 0.5):
        for name, model in models.items():
            rows = [
                measure_segmentation(
                    Cell("ECG artificial (average)", level, name, repetition),
                    model,
                    None,
                    Bench(None, 0),
                    n_recordings=3,
                    n_beats=100,
                )
                for repetition in range(2)
            ]
            means = [np.mean([row[f"{score}_percent"] for row in rows]) for score in names]
            print(f"{level:<6}{name:36}" + "".join(f"{m:19.1f}" for m in means), flush=True)


def thresholds():
    grids = {
        "margin": (MarginPeeler(), np.array([-0.4, -0.2, -0.1, 0.0, 0.1, 0.2, 0.4, 1.0])),
        "misclassification": (
            MisclassificationPeeler(),
            np.array([0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 1.0]),
        ),
    }
    found = []
    for make in DRAWN:
        for rate in (0.0, 0.1, 0.3):
            for seed in range(5):
                X, noisy, X_test, y_test = draw(make, rate, seed)
                booster = DiscreteAdaBoostClassifier(n_estimators=30)
                models = {"no peeling": booster}
                for name, (peeler, grid) in grids.items():
                    peeled = FilteredClassifier(peeler, booster)
                    models[f"{name}, published"] = peeled
                    models[f"{name}, by folds"] = GridSearchCV(
                        peeled, {"filter__threshold": grid}, cv=5
                    )
                for name, model in models.items():
                    score = 100 * clone(model).fit(X, noisy).score(X_test, y_test)
                    found.append((make.__name__.removeprefix("make_"), rate, name, score))
    table = pd.DataFrame(found, columns=["set", "noise", "threshold", "accuracy"])
    print(table.pivot_table("accuracy", ["set", "noise"], "threshold").round(1).to_string())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(
        __doc__,
        filters=try_filters,
        learners=try_learners,
        consequences=consequences,
        check=check,
        units=units,
        perceptrons=perceptrons,
        boundaries=boundaries,
        thresholds=thresholds,
    )
