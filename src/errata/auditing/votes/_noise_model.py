"""The noise model of annotators: how each of them votes, given the class of an item.

Every worker has a matrix P(vote | class). Its prior is what workers have in common, bent to how
often this one is right; how far workers keep to it is learnt, too:

- ``kappa_coin`` says how alike workers are in how often they are right,
- ``kappa_matrix`` how alike they are in which classes they take for which. Where it is infinite,
  a worker is one number; where it is 0, nothing but his own votes tell his matrix (Dawid and
  Skene, 1979).

A few copies of a bad worker agree with each other in all they say, and would be taken for the only
ones who know.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit, gammaln, logit
from scipy.stats import beta

from .._settings import CACHED, COVERAGE, LEAST_SKILL
from ._inputs import Votes

# Several annotators. `python benchmarks/votes.py`
MATRIX_NUMBERS = 100_000_000  # of the matrices of workers, that are told at most
SHARED_SHAPE = 0.75  # of the way from one coin to what was counted
SHARED_DIAGONAL = 0.8  # votes that speak for being right
SHARED_OFF = 0.2  # and for anything
SHARED_FLOOR = 0.02  # of the votes of an ordinary worker that may be anything
KAPPAS = 2.0 ** np.arange(11)  # votes that what workers have in common may be worth
WORKER_PRIOR_VOTES = 8.0  # that the accuracy of others counts at most in the bounds of a worker's
HABIT_VOTES = 5.0  # of all workers that speak for the habits of one

LEAST_ACCURACY = 1e-3  # nobody is always right or always wrong
VOTES_FOR_ONE = 3.0  # that err alike count as one that errs by itself, in the bounds of a worker
LEAST_WORTH = 1.0  # votes, in the bounds of a worker's accuracy


class Incidence:
    """Votes, in the order of their items, by item and by pair of worker and label.

    A worker gives few of many labels, so what is counted is kept for the pairs that occur, P of
    them: never more than there are votes, however many classes.
    """

    def __init__(self, votes: Votes) -> None:
        n = len(votes.items)
        self.n_workers = len(votes.workers)
        self.n_classes = len(votes.classes)
        self.item = votes.item
        # The pair of each vote, then worker and label of each pair, in their order.
        keys, self.pair = np.unique(
            votes.worker * self.n_classes + votes.label, return_inverse=True
        )
        self.worker, self.label = np.divmod(keys, self.n_classes)
        # Where the votes of each item begin, and the pairs of each worker.
        self.starts = np.searchsorted(votes.item, np.arange(n + 1))
        self.first_pair = np.searchsorted(self.worker, np.arange(self.n_workers + 1))
        # 1 where a pair has a vote on an item, (P, N), and where it is of a worker, (W, P).
        ones = np.ones(len(votes))
        self.of_pairs = sparse.csr_array((ones, (self.pair, votes.item)), (len(keys), n))
        places = np.arange(len(keys))
        self.of_workers = sparse.csr_array(
            (np.ones(len(keys)), (self.worker, places)), (self.n_workers, len(keys))
        )

    @property
    def n_votes(self) -> np.ndarray:
        """Votes of each item, (N,)."""
        return np.diff(self.starts)

    def blocks(self) -> Iterator[tuple[slice, slice]]:
        """Ranges of items and of their votes, as many as stay in the cache."""
        n = len(self.starts) - 1
        most = max(1, CACHED // self.n_classes)
        first = 0
        while first < n:
            last = int(np.searchsorted(self.starts, self.starts[first] + most, side="right")) - 1
            last = min(max(last, first + 1), n)
            yield slice(first, last), slice(self.starts[first], self.starts[last])
            first = last

    def pairs_of(self, worker: int) -> slice:
        """The pairs of a worker."""
        return slice(self.first_pair[worker], self.first_pair[worker + 1])

    def by_item(self, of_votes: np.ndarray, items: slice) -> np.ndarray:
        """Sums over the votes of each of some items, of what each vote has; (n, K)."""
        starts = self.starts[items.start : items.stop + 1] - self.starts[items.start]
        shape = len(starts) - 1, len(of_votes)
        members = sparse.csr_array((np.ones(shape[1]), np.arange(shape[1]), starts), shape=shape)
        return members @ of_votes


class Annotators:
    """W workers and what they have in common, fitted to the classes that items probably have.

    The kappas are searched for, near ``coin`` and ``matrix`` if there are such, or ``fixed``.

    Attributes
    ----------
    counts, totals : arrays of shape (P, K) and (W, K)
        Votes of each pair of worker and label, and of each worker, on items of each class, in
        expectation.
    theta : array of shape (W, K)
        P(vote = class | class) before the worker's own votes.
    prior : array of shape (P, K)
        P(label of the pair | class) before them.
    kappa_coin, kappa_matrix, mean_accuracy : float
        The last is that of workers.
    shared : array of shape (K, K)
        P(vote | class) of an ordinary worker.
    """

    def __init__(
        self,
        incidence: Incidence,
        q: np.ndarray,
        coin: float | None = None,
        matrix: float | None = None,
        *,
        fixed: bool = False,
        shape: float = SHARED_SHAPE,
    ) -> None:
        self.incidence = incidence
        counts = incidence.of_pairs @ q
        totals = incidence.of_workers @ counts
        right = incidence.of_workers @ counts[np.arange(len(counts)), incidence.label]
        votes = totals.sum(axis=1)
        overall = float(_inside(right.sum() / votes.sum()))
        shared = shared_matrix(_summed(incidence, counts), overall, shape)
        mean = float(_inside(np.mean((right + 2 * overall) / (votes + 2))))
        coin = _largest(lambda kappa: beta_binomial(right, votes, mean, kappa), coin, fixed)
        accuracy = _inside((right + coin * mean) / (votes + coin))
        theta = bent(shared, accuracy, overall)
        prior = prior_of_pairs(incidence, theta, shared)
        self.kappa_matrix = _largest(
            lambda kappa: dirichlet_multinomial(counts, totals, prior, kappa), matrix, fixed
        )
        self.kappa_coin = coin
        self.mean_accuracy = mean
        self.counts = counts
        self.totals = totals
        self.theta = theta
        self.prior = prior
        self.shared = shared
        self._mistakes = mistakes_of(shared)

    def vote_logs(
        self, q: np.ndarray, *, leaves_out: bool = True
    ) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Items, their votes, and log P(vote | class) of these votes, block by block.

        p_v(c) = (C[w, c, l] - q[i, c] + kappa M_w[c, l]) / (C[w, c, .] - q[i, c] + kappa), where C
        counts the votes of a worker and q[i, c] is what this vote adds to them.
        """
        incidence = self.incidence
        of_pairs = self.counts + self.kappa_matrix * self.prior
        of_rows = self.totals + self.kappa_matrix
        for items, votes in incidence.blocks():
            pair = incidence.pair[votes]
            said = of_pairs.take(pair, axis=0)
            all_said = of_rows.take(incidence.worker[pair], axis=0)
            if leaves_out:
                own = q.take(incidence.item[votes], axis=0)
                said -= own
                all_said -= own
            said /= all_said
            yield items, votes, np.log(np.maximum(said, np.finfo(float).tiny, out=said), out=said)

    def measure_accuracies(
        self, votes: Votes, proba: np.ndarray, n_votes: np.ndarray, t: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How often each worker is right, and bounds that hold nine tenths of what may be.

        Voters err on the same items, so n votes are worth t n / 3 of independent ones; fewer still
        where it is not clear which of them are right.
        """
        kappa = self.kappa_coin
        p = proba[votes.item, votes.label]
        right = np.bincount(votes.worker, weights=p)
        accuracy = (right + kappa * self.mean_accuracy) / (n_votes + kappa)
        worth = t * n_votes / VOTES_FOR_ONE + min(kappa, WORKER_PRIOR_VOTES)
        unclear = np.bincount(votes.worker, weights=p * (1 - p)) / (n_votes + kappa) ** 2
        variance = accuracy * (1 - accuracy) / (worth + 1) + unclear
        worth = np.maximum(accuracy * (1 - accuracy) / variance - 1, LEAST_WORTH)
        tails = np.array([(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])[:, None]
        low, high = beta.ppf(tails, accuracy * worth, (1 - accuracy) * worth)
        return accuracy, low, high

    def find_worst(self, worker: int, classes: np.ndarray) -> tuple[Any, Any] | None:
        """The class that a worker takes for another most often, and that other."""
        pairs = self.incidence.pairs_of(worker)
        label = self.incidence.label[pairs]
        wrong = self.counts[pairs].copy()
        wrong[np.arange(len(label)), label] = 0
        pair, taken = np.unravel_index(wrong.argmax(), wrong.shape)
        if wrong[pair, taken] < 0.5:  # not once, as far as we know
            return None
        return classes[taken], classes[label[pair]]

    def confusion(self, worker: int) -> np.ndarray | None:
        """P(vote | class) of a worker, (K, K), who errs as others where little is known of him.

        None where that were too many numbers.
        """
        if self.incidence.n_workers * self.incidence.n_classes**2 > MATRIX_NUMBERS:
            return None
        theta = self.theta[worker]
        pairs = self.incidence.pairs_of(worker)
        matrix = self.kappa_matrix * ((1 - theta)[:, None] * self._mistakes + np.diag(theta))
        matrix[:, self.incidence.label[pairs]] += self.counts[pairs].T
        return matrix / (self.totals[worker] + self.kappa_matrix)[:, None]


def _inside(p: np.ndarray) -> np.ndarray:
    return np.clip(p, LEAST_ACCURACY, 1 - LEAST_ACCURACY)


def _summed(incidence: Incidence, counts: np.ndarray) -> np.ndarray:
    """Votes of all workers by class and label, (K, K)."""
    k = incidence.n_classes
    return np.stack(
        [np.bincount(incidence.label, weights=column, minlength=k) for column in counts.T]
    )


def shared_matrix(summed: np.ndarray, accuracy: float, shape: float = SHARED_SHAPE) -> np.ndarray:
    """P(vote | class) of an ordinary worker, (K, K).

    Part of the way, as a geometric mean, from one coin, by which all mistakes are alike, to the
    rows of what was counted.
    """
    k = len(summed)
    rows = summed + SHARED_DIAGONAL * np.eye(k) + SHARED_OFF / k
    rows = (1 - SHARED_FLOOR) * rows / rows.sum(axis=1, keepdims=True) + SHARED_FLOOR / k
    coin = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(coin, accuracy)
    mixed = rows**shape * coin ** (1 - shape)
    return mixed / mixed.sum(axis=1, keepdims=True)


def bent(shared: np.ndarray, accuracy: np.ndarray, overall: float) -> np.ndarray:
    """How often each worker is right about each class, before his own votes on it; (W, K).

    theta_wc = expit(logit M_cc + logit a_w - logit A).
    """
    return expit(logit(np.diag(shared)) + (logit(accuracy) - logit(overall))[:, None])


def mistakes_of(shared: np.ndarray) -> np.ndarray:
    """P(vote | class, the vote is wrong) of an ordinary worker, (K, K); the diagonal is 0."""
    wrong = shared - np.diag(np.diag(shared))
    return wrong / wrong.sum(axis=1, keepdims=True)


def prior_of_pairs(incidence: Incidence, theta: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """The matrix of each worker before his own votes, at the pairs of worker and label; (P, K)."""
    theta = theta[incidence.worker]
    prior = (1 - theta) * mistakes_of(shared).T[incidence.label]
    own = np.arange(len(theta)), incidence.label
    prior[own] = theta[own]
    return prior


def beta_binomial(right: np.ndarray, votes: np.ndarray, mean: float, kappa: float) -> float:
    """Log-likelihood of how often workers are right, but for what kappa does not change."""
    a = kappa * mean
    b = kappa * (1 - mean)
    of_each = gammaln(right + a) + gammaln(votes - right + b) - gammaln(votes + kappa)
    return float(of_each.sum() + len(votes) * (gammaln(kappa) - gammaln(a) - gammaln(b)))


def dirichlet_multinomial(
    counts: np.ndarray, totals: np.ndarray, prior: np.ndarray, kappa: float
) -> float:
    """Log-likelihood of what workers vote, given the class, but for what kappa does not change."""
    a = kappa * prior
    of_pairs = gammaln(counts + a) - gammaln(a)
    of_rows = gammaln(totals + kappa) - gammaln(kappa)
    return float(of_pairs.sum() - of_rows.sum())


def _largest(likelihood: Callable[[float], float], last: float | None, fixed: bool) -> float:
    """The kappa of largest likelihood; beside the last one, once there is one."""
    if fixed and last is not None:
        return last
    tried = KAPPAS
    if last is not None:
        at = int(np.searchsorted(KAPPAS, last))
        tried = KAPPAS[max(at - 1, 0) : at + 2]
    return float(tried[int(np.argmax([likelihood(kappa) for kappa in tried]))])


def describe_workers(
    votes: Votes,
    first: np.ndarray,
    annotators: Annotators,
    probas: Sequence[np.ndarray],
    t: float,
) -> list[dict[str, Any]]:
    """One dict for each worker, in the order of ``votes.workers``.

    ``probas`` are the posterior, and what it were if votes counted less or more than ``t``: bounds
    hold all of them.

    ``worker``, ``n_votes``, their ``coverage`` of the items, ``accuracy`` with the bounds ``low``
    and ``high``, ``agreement`` with the majority, ``worst``: the class taken most often for
    another, and that other; ``confusion``, P(vote | class) of shape (K, K), or None where that were
    too many numbers; ``guessing``: whether the votes may as well be drawn by lot; ``reversed``:
    whether they are right less often than that, as those of a rule that was written the wrong way
    round. Of workers who copy, the ``first`` speaks for all.
    """
    n_votes = np.bincount(votes.worker, minlength=len(votes.workers))
    bounds = [annotators.measure_accuracies(votes, proba, n_votes, t) for proba in probas]
    accuracy, surely, _ = bounds[0]
    low = np.min([each[1] for each in bounds], axis=0)
    high = np.max([each[2] for each in bounds], axis=0)
    agrees = votes.label == votes.majority[votes.item]
    agreement = np.bincount(votes.worker, weights=agrees, minlength=len(n_votes)) / n_votes
    by_chance = _by_guessing(votes, n_votes)
    n_items = np.count_nonzero(votes.n_votes)
    is_reversed = high < by_chance
    guessing = (surely <= by_chance) & ~is_reversed
    return [
        {
            "worker": votes.workers[w],
            "n_votes": int(n_votes[w]),
            "coverage": float(n_votes[w] / n_items),
            "accuracy": float(accuracy[w]),
            "low": float(low[w]),
            "high": float(high[w]),
            "agreement": float(agreement[w]),
            "worst": annotators.find_worst(first[w], votes.classes),
            "confusion": annotators.confusion(first[w]),
            "guessing": bool(guessing[w]),
            "reversed": bool(is_reversed[w]),
        }
        for w in range(len(n_votes))
    ]


def _by_guessing(votes: Votes, n_votes: np.ndarray) -> np.ndarray:
    """How often each worker were right who drew the same votes by lot."""
    return np.bincount(votes.worker, weights=votes.shares[votes.label]) / n_votes


def agree_beyond_chance(votes: Votes, incidence: Incidence) -> bool:
    """Whether votes on one item agree more often than workers make them who vote by lot.

    A worker who turns everything around agrees less often, and hides that the others agree. So it
    is looked at in two ways: plainly, and with such workers turned back, which of them these are
    being learnt from other items.
    """
    everybody = np.ones(len(votes))
    excess = _excess(votes, incidence, everybody)
    if _z(votes, excess) >= LEAST_SKILL:
        return True
    turned_back = _excess(votes, incidence, _signs(votes, excess))
    return _z(votes, turned_back) >= LEAST_SKILL


def _excess(votes: Votes, incidence: Incidence, signs: np.ndarray) -> np.ndarray:
    """How much more each vote agrees with the others of its item than by chance, (V,).

    Two workers who vote by lot agree in h_w . h_u of the cases, where h are the shares of labels
    among the other votes of a worker. Where signs of two votes differ, agreement counts against.
    """
    excess = np.empty(len(votes))
    for items, part in incidence.blocks():
        label = votes.label[part]
        sign = signs[part, None]
        habits = _habits(votes, part)
        given = np.zeros_like(habits)
        given[np.arange(len(label)), label] = 1
        at = votes.item[part] - items.start
        others = incidence.by_item(sign * given, items)[at] - sign * given
        by_chance = incidence.by_item(sign * habits, items)[at] - sign * habits
        excess[part] = (sign * (given * others - habits * by_chance)).sum(axis=1)
    return excess


def _habits(votes: Votes, part: slice) -> np.ndarray:
    """Shares of labels among the other votes of the worker of each vote, (V, K)."""
    n_workers = len(votes.workers)
    k = len(votes.classes)
    given = np.bincount(votes.worker * k + votes.label, minlength=n_workers * k)
    worker = votes.worker[part]
    label = votes.label[part]
    others = given.reshape(n_workers, k)[worker].astype(float)
    others[np.arange(len(label)), label] -= 1
    others += HABIT_VOTES * np.bincount(votes.label, minlength=k) / len(votes)
    return others / others.sum(axis=1, keepdims=True)


def _signs(votes: Votes, excess: np.ndarray) -> np.ndarray:
    """1 for votes of workers who agree with others, -1 of those who do not, by other items; (V,).

    Items are dealt out by turns, the even ones judged by the odd ones and the other way round: in
    an order that follows from their votes, so that nothing hangs on what they are called.
    """
    signs = np.empty(len(votes))
    turn = np.empty(len(votes.items), dtype=np.intp)
    turn[np.argsort(votes.signatures[0], kind="stable")] = np.arange(len(turn))
    odd = turn[votes.item] % 2 == 1
    for half in (odd, ~odd):
        sums = np.bincount(votes.worker, weights=excess * ~half, minlength=len(votes.workers))
        signs[half] = np.where(sums[votes.worker[half]] < 0, -1, 1)
    return signs


def _z(votes: Votes, excess: np.ndarray) -> float:
    """The mean excess of items with several votes, in standard errors; 0 without two of them."""
    n = votes.n_votes
    several = n > 1
    if several.sum() < 2:
        return 0.0
    sums = np.bincount(votes.item, weights=excess, minlength=len(n))[several]
    gain = sums / (n * (n - 1))[several]
    error = gain.std() / np.sqrt(len(gain))
    if error > 1e-12:
        return float(gain.mean() / error)
    return np.inf if gain.mean() > 1e-12 else 0.0
