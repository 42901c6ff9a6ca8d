"""The audit of votes, one stage after the other, and its items as a person sees them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from ..._format import four_digits, percent, plural
from ..._progress import Progress, open_progress
from .._audit import Options, Problem, run_audit
from ..classes import Grouped
from ..examples._cards import plain
from ..examples._examples import choose_examples, show
from ..examples._views import Near, RowsView, inputs_to_show, labels_nearby
from ..inputs._inputs import Display
from ..inputs._labels import labels_from
from ..results._flags import Flags
from ._finding import REVIEWED_VOTE_WEIGHTS, VoteFindings, grouped_weights, judge_votes
from ._inputs import Items, Votes, read_items, read_votes
from ._models import hearing
from ._result import VoteAudit

SHOWN_BALLOTS = 40  # votes of an item that are shown
TOLD_CLASSES = 3  # in a sentence


def audit_votes(
    votes: Any,
    *,
    item: Any = "item",
    worker: Any = "worker",
    label: Any = "label",
    X: Any = None,
    classes: Any = None,
    estimator: Any = None,
    pred_proba: Any = None,
    embeddings: Any = None,
    groups: Any = None,
    precision: float | None = None,
    title: str | None = None,
    drop: Sequence[Any] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
) -> VoteAudit:
    r"""Find the wrong labels among those that several annotators voted on.

    Who is right how often is learnt from the votes themselves, without any true label: whoever
    agrees with those who agree with others is believed more. Votes of people who err on the same
    items count for less. With a table of features, items also speak for each other.

    Do not use it where every item has one label: :func:`errata.audit` is for these.

    Parameters
    ----------
    votes : dataframe, mapping, tuple of three arrays, or array of shape (items, workers)
        One row a vote: which item, who, which label. A tuple holds (items, workers, labels). In an
        array of items times workers, these are called by their places. A label that is missing or
        blank is no vote; a note says how many there are, and which items have no vote at all.
    item, worker, label : column names, default="item", "worker", "label"
        Where ``votes`` has them.
    X : table of shape (N, d), optional
        One row for each item, of numbers, categories, text or dates. Rows are matched by the column
        named as ``item``; without one, by the index of a pandas dataframe, or by their place. An
        item without votes is kept: it gets a label from the table alone, and is first among those
        to ask about.
    classes : sequence, optional
        All classes, where there are some that no vote names.
    estimator : classifier, optional
        Joins errata's own models on ``X``.
    pred_proba : array of shape (N, K), optional
        Out-of-sample probabilities of the classes for each item, instead of models on ``X``.
    embeddings : array of shape (N, d), optional
        What models look at instead of ``X``.
    groups : array-like of shape (N,), optional
        Items of one group (a patient, a document) are never predicted from each other.
    precision : float, optional
        Flag as many items as keep this fraction of them expected to be wrong. By default as many as
        promise the largest F1 score.
    title : str, optional
        How reports call the data.
    drop : sequence, default=()
        Columns of ``X`` that are no features.
    random_state : int, RandomState or None
        Fix it to get the same audit again.
    n_jobs : int, optional
        Threads for forests and neighbours, -1 for all.
    progress : bool or callable, optional
        True shows on a terminal or in a notebook what is being done; a function is called with a
        few words at every stage.

    Returns
    -------
    VoteAudit
        An :class:`errata.Audit` of the items, whose labels are the majority's, with ``consensus``,
        ``workers``, ``ask``, ``next_items`` and more.

    Notes
    -----
    The class of an item has the posterior

    .. math:: q_{ic} \propto \pi_i(c) \prod_v p_v(c)^t,

    over its votes v, where :math:`p_v(c)` is the probability that the annotator gives this label to
    an item of class c, learnt from all other votes of the same annotator and drawn to what is
    common to all; :math:`\pi_i` is the share of the class, or what models say of the item where
    there is a table; and t is how much a vote counts, chosen so that the votes of an item are
    predicted best from its other votes. It costs O(V K) for each of up to 50 passes over V votes.

    Examples
    --------
    Two annotators look closely, one hardly, and two toss a coin.

    >>> import numpy as np, errata
    >>> random = np.random.default_rng(0)
    >>> truth = random.integers(2, size=300)
    >>> right = random.random((300, 5)) < [0.95, 0.92, 0.6, 0.5, 0.5]
    >>> votes = np.where(right, truth[:, None], 1 - truth[:, None])
    >>> result = errata.audit_votes(votes, random_state=0)
    >>> [worker["worker"] for worker in result.workers if worker["guessing"]]
    [3, 4]
    >>> bool(np.sum(result.consensus != truth) < 0.5 * np.sum(result.labels != truth))
    True
    """
    options = Options.of(locals() | {"self_check": False})
    problem = VoteProblem(votes, item, worker, label, X, classes)
    with open_progress(progress) as tell:
        return run_audit(problem, options, tell)


class VoteProblem(Problem):
    """Items with the votes of several annotators each; what is judged is their majority."""

    reading = "reading the votes"
    finding = "weighing the votes"
    no_flags = "the votes do not tell which labels are wrong"
    items: Items
    found: VoteFindings

    def __init__(
        self, votes: Any, item: Any, worker: Any, label: Any, X: Any, classes: Any
    ) -> None:
        self.votes = votes
        self.columns = {"item": item, "worker": worker, "label": label}
        self.X = X
        self.classes = classes

    def read(self) -> None:
        """Read the votes, and the table of the items where there is one."""
        options = self.options
        columns = self.columns
        votes = read_votes(
            self.votes, columns["item"], columns["worker"], columns["label"], self.classes
        )
        self.items = read_items(
            votes,
            self.X,
            columns["item"],
            embeddings=options.embeddings,
            pred_proba=options.pred_proba,
            groups=options.groups,
            drop=options.drop,
            seed=options.seed,
            n_jobs=options.n_jobs,
        )
        names = [str(name) for name in self.items.votes.items.tolist()]
        self.display = Display(ids=np.array(names, dtype=object))

    def find(self, progress: Progress) -> None:
        """Weigh the votes by how often each annotator is right."""
        options = self.options
        hear = hearing(
            self.items,
            options.estimator,
            seed=options.seed,
            n_jobs=options.n_jobs,
            progress=progress,
        )
        found = judge_votes(self.items.votes, hear)
        self.found = found
        self.has_skill = bool(found.has_skill)
        self.p_wrong = found.p_wrong
        self.suspicion = found.suspicion
        self.doubtful = self.items.votes.majority >= 0  # an item without votes has no label

    def result(self, flags: Flags, check: None) -> VoteAudit:
        """The audit, but for what is told of single items."""
        found = self.found
        votes = self.items.votes
        codes = votes.majority
        labels = labels_of(votes)
        other = other_classes(found.proba, codes)
        p_other = found.proba[np.arange(len(codes)), other]
        is_other = flags.flagged | (codes < 0)
        p_suggested = np.where(is_other, p_other, 1 - found.p_wrong)
        suggested = labels.copy()
        suggested[is_other] = votes.classes[other[is_other]]
        prior, transition = noise_of_majority(found.proba, codes)
        return VoteAudit(
            labels=labels,
            suspicion=found.suspicion,
            p_wrong=found.p_wrong,
            suggested=suggested,
            p_suggested=p_suggested,
            flagged=flags.flagged,
            noise_rate=found.noise_rate,
            hypotheses=_hypotheses(found, codes >= 0),
            has_skill=self.has_skill,
            transition=transition,
            prior=prior,
            classes=votes.classes,
            models=found.models,
            self_check=None,
            expected_precision=flags.expected_precision,
            expected_recall=flags.expected_recall,
            rule=flags.rule,
            notes=[*found.notes, *self.items.notes],
            about=self._about() | self.columns,
            index=self.items.index,
            keys=np.array([f"item.{name}" for name in votes.items.tolist()], dtype=object),
            items=votes.items,
            proba=found.proba,
            expected_wrong=found.expected_wrong,
            n_votes=votes.n_votes,
            agreement=votes.agreement,
            ask=found.ask,
            workers=[_plain_names(worker) for worker in found.workers],
            evidence={
                "vote_weight": found.vote_weight,
                "kappa_coin": found.kappa_coin,
                "kappa_matrix": found.kappa_matrix,
                "feature_weight": found.feature_weight,
                "shared": found.shared.tolist(),
            },
        )

    def _about(self) -> dict[str, Any]:
        """What a report says about the data."""
        table = self.votes if self.items.table is None else self.items.table
        frame = type(table).__module__.partition(".")[0]
        seed = self.options.random_state
        return {
            "errata": version("errata"),
            "title": self.options.title or "audit",
            "seed": int(seed) if isinstance(seed, Integral) else None,
            "features": self.items.n_features,
            "dataframe": "polars" if frame == "polars" else "pandas",
        }

    def view(self, result: VoteAudit) -> "ItemView":
        """All items; neighbours are looked for among those with votes."""
        items = self.items
        votes = items.votes
        voted = np.flatnonzero(votes.n_votes)
        shown = inputs_to_show(
            items.table,
            result.labels,
            None if items.X is None else items.X[voted],
            voted,
            used=items.used,
            classes=votes.classes,
            codes=votes.majority,
        )
        return ItemView(
            inputs=shown,
            proba=self.found.proba,
            other=other_classes(self.found.proba, votes.majority),
            p_majority_wrong=self.found.p_wrong,
            ballots=Ballots(votes, accuracies_told(self.found.workers)),
        )

    def show(self, result: VoteAudit) -> Callable[[np.ndarray], "ItemView"]:
        """Add the most suspicious items, each with its votes, and a map."""
        view = self.view(result)
        names: Any = self.display.given_ids(len(result))
        show(result, choose_examples(result), lambda rows: view, self.display, self.options)
        describe: Any = result._describe

        def describe_items() -> list[dict[str, Any]]:
            examples = describe()
            for example in examples:
                for mentioned in (example, *example["similar"], *example["compared"]):
                    mentioned["name"] = names[mentioned["row"]]
            return examples

        result._describe = describe_items
        return lambda rows: view

    def group_hypotheses(self, result: VoteAudit) -> Callable[[], Grouped]:
        """By how much votes count."""
        return partial(grouped_weights, self.found)

    def reviewed(self, result: VoteAudit) -> np.ndarray:
        """The items with a label."""
        return result.labelled


class Ballot(NamedTuple):
    """The votes for one class of an item, those of the best annotators first."""

    code: int
    workers: np.ndarray  # codes


class Ballots:
    """The votes of any item; ``accuracy`` is that of each worker."""

    def __init__(self, votes: Votes, accuracy: np.ndarray) -> None:
        self.votes = votes
        self.accuracy = accuracy

    def of(self, item: int) -> list[Ballot]:
        """The votes of an item by class, that with most votes first; of equals, the majority."""
        start, stop = np.searchsorted(self.votes.item, [item, item + 1])
        labels = self.votes.label[start:stop]
        workers = self.votes.worker[start:stop]
        workers = workers[order := np.argsort(-self.accuracy[workers], kind="stable")]
        found = [Ballot(int(code), workers[labels[order] == code]) for code in np.unique(labels)]
        own = self.votes.majority[item]
        return sorted(found, key=lambda ballot: (-len(ballot.workers), ballot.code != own))

    def shown(self, item: int) -> list[dict[str, Any]]:
        """Plain dicts, ready for JSON: of each class how many votes, and the first of them."""
        found = []
        left = SHOWN_BALLOTS
        for ballot in self.of(item):
            some = ballot.workers[:left]
            left = max(left - len(ballot.workers), 0)
            found.append(
                {
                    "label": str(self.votes.classes[ballot.code]),
                    "count": len(ballot.workers),
                    "by": [
                        [str(self.votes.workers[w]), four_digits(self.accuracy[w])] for w in some
                    ],
                }
            )
        return found

    def told(self, item: int) -> str:
        """How many votes there are for what, and by how good annotators, in a sentence."""
        first, *others = self.of(item)
        n = len(first.workers)
        who = "an annotator" if n == 1 else "annotators"
        mean = " on average" if n > 1 else ""
        start = f"{plural(n, 'vote')} for {self._name(first)}, by {who} right {self._right(first)}"
        rest = [
            f"{len(other.workers)} for {self._name(other)}, right {self._right(other)}"
            for other in others[:TOLD_CLASSES]
        ]
        more = sum(len(other.workers) for other in others[TOLD_CLASSES:])
        rest += [f"{more} for others"] if more else []
        return "; ".join([f"{start} of the time{mean}", *rest]) + "."

    def _name(self, ballot: Ballot) -> str:
        return str(self.votes.classes[ballot.code])

    def _right(self, ballot: Ballot) -> str:
        return percent(float(self.accuracy[ballot.workers].mean()))


@dataclass(frozen=True, kw_only=True)
class ItemView(RowsView):
    """All items."""

    proba: np.ndarray  # (N, K)
    other: np.ndarray  # (N,), code of the most probable class besides the majority
    p_majority_wrong: np.ndarray  # (N,)
    ballots: Ballots

    @property
    def others(self) -> np.ndarray:
        """The most probable class of each item besides the majority."""
        return self.inputs.classes[self.other]

    @property
    def other_codes(self) -> np.ndarray:
        """The same as codes."""
        return self.other

    @property
    def p_wrong(self) -> np.ndarray:
        """That the majority of each item is wrong."""
        return self.p_majority_wrong

    def reasons(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[str]]:
        """How many votes there are for what, and the labels of items around it."""
        codes = self.inputs.codes
        names = self.inputs.classes
        return [
            [
                self.ballots.told(row),
                *labels_nearby(
                    around.rows, codes[row], self.other[row], codes, names, rows="items"
                ),
            ]
            for row, around in zip(rows.tolist(), near, strict=True)
        ]

    def likely(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probabilities of the classes."""
        return self.inputs.classes, self.proba[rows], np.ones(len(rows), dtype=bool)

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """Who voted what."""
        return [{"votes": self.ballots.shown(row)} for row in rows.tolist()]


def labels_of(votes: Votes) -> np.ndarray:
    """What most votes of each item say; None, or NaN among numbers, where it has none."""
    blank = bool((votes.n_votes == 0).any())
    return labels_from(votes.majority, votes.classes, with_blanks=blank)


def other_classes(proba: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The most probable class besides the label; of an item without one, of all classes.

    Examples
    --------
    >>> other_classes(np.array([[0.6, 0.3, 0.1], [0.6, 0.3, 0.1]]), np.array([0, -1])).tolist()
    [1, 0]
    """
    others = proba.copy()
    voted = np.flatnonzero(codes >= 0)
    others[voted, codes[voted]] = -1.0
    return others.argmax(axis=1)


def noise_of_majority(proba: np.ndarray, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Expected fractions of the classes, and ``T[c, l] = P(majority = l | class = c)``.

    A class that no item is expected to have keeps its label.

    Examples
    --------
    >>> prior, T = noise_of_majority(np.array([[1, 0], [0.5, 0.5]]), np.array([0, 1]))
    >>> prior.tolist(), T.round(2).tolist()
    ([0.75, 0.25], [[0.67, 0.33], [0.0, 1.0]])
    """
    k = proba.shape[1]
    joint = np.stack([proba[codes == code].sum(axis=0) for code in range(k)], axis=1)
    mass = joint.sum(axis=1, keepdims=True)
    transition = np.divide(joint, mass, out=np.eye(k), where=mass > 0)
    return mass[:, 0] / max(mass.sum(), 1e-300), transition


def _hypotheses(found: VoteFindings, voted: np.ndarray) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "weight": round(weight, 4), "rate": float(p_wrong[voted].mean())}
        for kind, (weight, p_wrong) in zip(REVIEWED_VOTE_WEIGHTS, found.hypotheses, strict=False)
    ]


def _plain_names(worker: dict[str, Any]) -> dict[str, Any]:
    """What is told of an annotator, names as Python's own values."""
    worst = worker["worst"]
    return worker | {
        "worker": plain(worker["worker"]),
        "worst": worst and tuple(map(plain, worst)),
    }


def accuracies_told(workers: Sequence[dict[str, Any]]) -> np.ndarray:
    """How often each annotator is right, of what is told of them."""
    return np.array([worker["accuracy"] for worker in workers])


def tally(ballots: Sequence[dict[str, Any]]) -> str:
    """How many votes each class has, in a line.

    Examples
    --------
    >>> tally([{"label": "cat", "count": 3}, {"label": "dog", "count": 1}])
    'cat 3, dog 1'
    """
    return ", ".join(f"{side['label']} {side['count']}" for side in ballots)
