"""The audit of votes, one stage after the other, and its items as a person sees them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..._format import four_digits, join_names, percent, plural
from ..._progress import Progress, open_progress
from ...tables._columns import column_array, column_names, count_rows, without_columns
from .._audit import Options, Problem, run_audit
from ..classes import Groups
from ..examples._cards import plain
from ..examples._views import RowsView, inputs_to_show, labels_nearby
from ..inputs._features import FeatureScaler
from ..inputs._groups import group_numbers
from ..inputs._inputs import arrange, check_pred_proba, features_without_leaks, row_index
from ..inputs._labels import labels_from, one_per_row
from ..models._default import check_classifier, estimator_table
from ._finding import REVIEWED_VOTE_WEIGHTS, JudgedVotes
from ._inputs import Votes, read_votes
from ._models import ItemModels, UserProbabilities
from ._result import VoteAudit

SHOWN_BALLOTS = 40  # votes of an item that are shown
TOLD_CLASSES = 3  # in a sentence

NOBODY_VOTED = (
    "{} no vote: {} a label from the table alone, {} never flagged, and {} first among those to "
    "ask about."
)


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
    item : str, default="item"
        The column of ``votes`` that names the item.
    worker : str, default="worker"
        The column that names who voted.
    label : str, default="label"
        The column that holds the vote.
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
        have the largest expected F1 score.
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
    has_map = True
    votes: Votes  # items without a vote included, in the order of the table where there is one
    findings: JudgedVotes
    notes: list[str]
    table: Any = None  # a row for each item, without the column of their names
    model_table: Any = None  # the same without columns that look made from the label
    X: np.ndarray | None = None  # its scaled features
    order: np.ndarray | None = None  # items as models see them
    used: list[Any] | None = None  # columns that these come from; None beside embeddings
    pred_proba: np.ndarray | None = None
    groups: np.ndarray | None = None  # the number of the group of each item

    def __init__(
        self, source: Any, item: Any, worker: Any, label: Any, table: Any, classes: Any
    ) -> None:
        self.source = source
        self.columns = {"item": item, "worker": worker, "label": label}
        self.table = table
        self.classes = classes

    def read(self) -> None:
        """Read the votes, and the table of the items where there is one."""
        options = self.options
        self.votes = read_votes(self.source, **self.columns, classes=self.classes)
        passed = (self.table, options.embeddings, options.pred_proba)
        rows = next((each for each in passed if each is not None), None)
        if rows is None:
            for name, value in (("groups", options.groups), ("drop", options.drop or None)):
                if value is not None:
                    raise ValueError(f"{name} is for a table of the items, but no X was passed.")
            self.notes = _note_left_out(self.votes.unvoted)
        else:
            item = self.columns["item"]
            self.votes = self.votes.for_items(_names_of_rows(rows, item, self.votes.items))
            self._read_table()
        names = [str(name) for name in self.votes.items.tolist()]
        self.ids = np.array(names, dtype=object)
        self.index = row_index(self.table)

    def _read_table(self) -> None:
        """Turn the rows of the items into features."""
        options = self.options
        votes = self.votes
        n = len(votes.items)
        if self.columns["item"] in column_names(self.table):
            self.table = without_columns(self.table, [self.columns["item"]])
        self.table = without_columns(self.table, options.drop)
        self.model_table = self.table
        self.notes = []
        source = self.table if options.embeddings is None else options.embeddings
        features, leaks = features_without_leaks(
            source, votes.majority, seed=options.seed, n_jobs=options.n_jobs
        )
        if features is not None:
            # Items without a vote are a class of their own here.
            self.order, _, columns = arrange(
                features.X, np.arange(n), votes.majority + 1, votes.signatures[0]
            )
            scaler = FeatureScaler(options.seed, columns)
            scaled = scaler.fit_transform(features.X, self.order)
            self.X = scaled[np.argsort(self.order)]
            self.notes += features.notes
        if features is not None and options.embeddings is None:
            self.used = features.columns
            self.model_table = without_columns(self.table, leaks)
        if options.pred_proba is not None:
            self.pred_proba = check_pred_proba(options.pred_proba, votes.classes, n, self.notes)
        if options.groups is not None:
            groups = one_per_row("groups", options.groups, n)
            self.groups = group_numbers(groups, np.arange(n))
        self.notes += _note_unvoted(votes)
        self.notes += _note_left_out(votes.unvoted[~np.isin(votes.unvoted, votes.items)])

    def _choose_models(self, progress: Progress) -> ItemModels | UserProbabilities | None:
        """The models of items; None where there are votes alone."""
        options = self.options
        estimator = options.estimator
        if self.pred_proba is not None:
            if estimator is not None:
                raise ValueError(
                    "pred_proba stands for all models, so estimator has no effect; pass one of "
                    "them."
                )
            return UserProbabilities(self.pred_proba)
        if self.X is None:
            if estimator is not None:
                raise ValueError("estimator needs a table of the items to learn from; pass X.")
            return None
        if estimator is not None:
            check_classifier("estimator", estimator)
        return ItemModels(
            self.X,
            len(self.votes.classes),
            estimator=estimator,
            table=estimator_table(self.model_table, self.X),
            classes=self.votes.classes,
            groups=self.groups,
            order=self.order,
            seed=options.seed,
            n_jobs=options.n_jobs,
            progress=progress,
        )

    def find(self, progress: Progress) -> None:
        """Weigh the votes by how often each annotator is right."""
        findings = JudgedVotes(self.votes, self._choose_models(progress))
        self.findings = findings
        self.has_skill = bool(findings.has_skill)
        self.p_wrong = findings.p_wrong
        self.suspicion = findings.suspicion
        self.doubtful = self.votes.majority >= 0  # an item without votes has no label

    def result(self, check: None) -> VoteAudit:
        """The audit, but for what is told of single items."""
        findings = self.findings
        votes = self.votes
        codes = votes.majority
        labels = labels_of(votes)
        other = other_classes(findings.proba, codes)
        p_other = findings.proba[np.arange(len(codes)), other]
        is_other = self.flagged | (codes < 0)
        p_suggested = np.where(is_other, p_other, 1 - findings.p_wrong)
        suggested = labels.copy()
        suggested[is_other] = votes.classes[other[is_other]]
        prior, transition = noise_of_majority(findings.proba, codes)
        table = self.source if self.table is None else self.table
        return VoteAudit(
            labels=labels,
            suspicion=findings.suspicion,
            p_wrong=findings.p_wrong,
            suggested=suggested,
            p_suggested=p_suggested,
            flagged=self.flagged,
            noise_rate=findings.noise_rate,
            hypotheses=_hypotheses(findings, codes >= 0),
            has_skill=self.has_skill,
            transition=transition,
            prior=prior,
            classes=votes.classes,
            models=findings.models,
            self_check=None,
            expected_precision=self.expected_precision,
            expected_recall=self.expected_recall,
            _rule=self.rule,
            notes=[*findings.notes, *_note_reversed(findings.workers), *self.notes],
            _about=self.about(table, 0 if self.used is None else len(self.used)) | self.columns,
            _index=self.index,
            _keys=np.array([f"item.{name}" for name in votes.items.tolist()], dtype=object),
            items=votes.items,
            proba=findings.proba,
            expected_wrong=findings.expected_wrong,
            n_votes=votes.n_votes,
            agreement=votes.agreement,
            ask=findings.ask,
            workers=[_plain_names(worker) for worker in findings.workers],
            evidence={
                "vote_weight": findings.vote_weight,
                "kappa_coin": findings.kappa_coin,
                "kappa_matrix": findings.kappa_matrix,
                "feature_weight": findings.feature_weight,
                "shared": findings.shared.tolist(),
            },
        )

    def keep_view(self, result: VoteAudit) -> None:
        """Of all items; neighbours are looked for among those with votes."""
        votes = self.votes
        voted = np.flatnonzero(votes.n_votes)
        shown = inputs_to_show(
            self.table,
            result.labels,
            None if self.X is None else self.X[voted],
            voted,
            used=self.used,
            classes=votes.classes,
            codes=votes.majority,
        )
        self.shown = ItemView(inputs=shown, audit=self.findings)

    def group_hypotheses(self, result: VoteAudit) -> Groups:
        """By how much votes count."""
        return self.findings.group_hypotheses()


def _names_of_rows(table: Any, item: Any, items: np.ndarray) -> np.ndarray:
    """The names of items in the rows of a table, in the type that votes have."""
    if item in column_names(table):
        names = column_array(table, item)
    elif hasattr(table, "iloc") and hasattr(table, "index"):
        names = np.asarray(table.index)
    else:
        names = np.arange(count_rows(table))
    if _is_text(names) != _is_text(items):
        are = ["text" if _is_text(each) else "numbers" for each in (items, names)]
        raise ValueError(
            f"items are {are[0]} in the votes ({join_names(items, most=3)}) and {are[1]} in the "
            f"table ({join_names(names, most=3)}); give the table a column {item!r} with the same "
            "names."
        )
    return names


def _is_text(names: np.ndarray) -> bool:
    return names.dtype.kind in "OU"


def _note_reversed(workers: list[dict[str, Any]]) -> list[str]:
    """A sentence about annotators whose votes speak for another class than they name."""
    wrong_way = [worker for worker in workers if worker["reversed"]]
    if not wrong_way:
        return []
    rates = [f"{worker['worker']} ({worker['accuracy']:.0%})" for worker in wrong_way]
    are, votes = ("is", "its votes speak") if len(rates) == 1 else ("are", "their votes speak")
    return [
        f"{join_names(rates, most=5)} {are} right less often than chance, so {votes} against what "
        "they name; look whether classes were swapped there."
    ]


def _note_unvoted(votes: Votes) -> list[str]:
    blank = int(np.sum(votes.n_votes == 0))
    if not blank:
        return []
    if blank == 1:
        return [NOBODY_VOTED.format("1 item has", "it gets", "is", "comes")]
    return [NOBODY_VOTED.format(f"{blank:,} items have", "they get", "are", "come")]


def _note_left_out(items: np.ndarray) -> list[str]:
    """A sentence about items whose votes are all empty, and that no table tells anything of."""
    if not len(items):
        return []
    have, were = ("has", "was") if len(items) == 1 else ("have", "were")
    names = join_names(items, most=5)
    return [f"{plural(len(items), 'item')} {have} no vote ({names}) and {were} left out."]


class ItemView(RowsView):
    """All items."""

    audit: JudgedVotes

    @property
    def others(self) -> np.ndarray:
        """The most probable class of each item besides the majority."""
        return self.inputs.classes[self.other_codes]

    @cached_property
    def other_codes(self) -> np.ndarray:
        """The same as codes."""
        return other_classes(self.audit.proba, self.audit.votes.majority)

    @property
    def p_wrong(self) -> np.ndarray:
        """The probability that the majority of each item is wrong."""
        return self.audit.p_wrong

    def reasons(self, rows: np.ndarray, near: Sequence[np.ndarray]) -> list[list[str]]:
        """How many votes there are for what, and the labels of items around it."""
        codes = self.inputs.codes
        names = self.inputs.classes
        other = self.other_codes
        return [
            [
                self.describe_votes(row),
                *labels_nearby(around, codes[row], other[row], codes, names, rows="items"),
            ]
            for row, around in zip(rows.tolist(), near, strict=True)
        ]

    def likely(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Probabilities of the classes."""
        return self.inputs.classes, self.audit.proba[rows], np.ones(len(rows), dtype=bool)

    def label(self, row: int) -> dict[str, Any]:
        """An item, its majority label, and what it is called."""
        return super().label(row) | {"name": str(self.audit.votes.items[row])}

    def judged(self, row: int) -> dict[str, Any]:
        """The same, what the audit says about it, and who voted what."""
        return super().judged(row) | {"votes": self.list_votes(row)}

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """Who voted what."""
        return [{"votes": self.list_votes(row)} for row in rows.tolist()]

    @cached_property
    def _accuracy(self) -> np.ndarray:
        return np.array([worker["accuracy"] for worker in self.audit.workers])

    def _votes_by_class(self, item: int) -> list[tuple[int, np.ndarray]]:
        """Each class that has votes and who voted so, that with most votes first.

        Of classes with as many, the majority is first; of annotators, the best.
        """
        votes = self.audit.votes
        start, stop = np.searchsorted(votes.item, [item, item + 1])
        labels = votes.label[start:stop]
        workers = votes.worker[start:stop]
        workers = workers[order := np.argsort(-self._accuracy[workers], kind="stable")]
        ballots = [(int(code), workers[labels[order] == code]) for code in np.unique(labels)]
        own = votes.majority[item]
        return sorted(ballots, key=lambda ballot: (-len(ballot[1]), ballot[0] != own))

    def list_votes(self, item: int) -> list[dict[str, Any]]:
        """Plain dicts, ready for JSON: of each class how many votes, and the first of them."""
        names = self.audit.votes.workers
        listed = []
        left = SHOWN_BALLOTS
        for code, workers in self._votes_by_class(item):
            some = workers[:left]
            left = max(left - len(workers), 0)
            by = [[str(names[worker]), four_digits(self._accuracy[worker])] for worker in some]
            label = str(self.audit.votes.classes[code])
            listed.append({"label": label, "count": len(workers), "by": by})
        return listed

    def describe_votes(self, item: int) -> str:
        """How many votes there are for what, and by how good annotators, in a sentence."""
        classes = self.audit.votes.classes
        counts = [
            (len(workers), classes[code], percent(float(self._accuracy[workers].mean())))
            for code, workers in self._votes_by_class(item)
        ]
        n, name, right = counts[0]
        who = "an annotator" if n == 1 else "annotators"
        mean = " on average" if n > 1 else ""
        parts = [f"{plural(n, 'vote')} for {name}, by {who} right {right} of the time{mean}"]
        parts += [
            f"{n} for {name}, right {right}" for n, name, right in counts[1 : 1 + TOLD_CLASSES]
        ]
        more = sum(n for n, _, _ in counts[1 + TOLD_CLASSES :])
        parts += [f"{more} for others"] if more else []
        return "; ".join(parts) + "."


def labels_of(votes: Votes) -> np.ndarray:
    """The label that most votes of each item give; None, or NaN among numbers, without votes."""
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


def _hypotheses(findings: JudgedVotes, voted: np.ndarray) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "weight": round(weight, 4), "rate": float(p_wrong[voted].mean())}
        for kind, (weight, p_wrong) in zip(REVIEWED_VOTE_WEIGHTS, findings.hypotheses, strict=False)
    ]


def _plain_names(worker: dict[str, Any]) -> dict[str, Any]:
    """Describe an annotator, names as Python's own values."""
    worst = worker["worst"]
    return worker | {
        "worker": plain(worker["worker"]),
        "worst": worst and tuple(map(plain, worst)),
    }


def tally(ballots: Sequence[dict[str, Any]]) -> str:
    """How many votes each class has, in a line.

    Examples
    --------
    >>> tally([{"label": "cat", "count": 3}, {"label": "dog", "count": 1}])
    'cat 3, dog 1'
    """
    return ", ".join(f"{side['label']} {side['count']}" for side in ballots)
