"""The audit of votes, one stage after the other."""

import time
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from numbers import Integral
from typing import Any

import numpy as np

from ..._progress import Progress, hearing_stages
from ..._random import draw_seed
from ..._validation import check_fraction
from .._assembly import shown_rows
from .._examples import describe_examples
from .._for_review import ForReview
from .._inputs import Display
from .._map import draw_map
from .._nearby import Neighborhood
from ._assembly import assemble_votes, other_classes
from ._ballots import Ballots, accuracies_told
from ._finding import judge_votes
from ._findings import VoteFindings
from ._for_review import grouped_weights
from ._hearing import hearing
from ._items import Items, read_items
from ._result import VoteAudit
from ._view import ItemView, inputs_for_people
from ._votes import read_votes


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
        One row a vote: which item, who, which label; a vote without a label is left out. A tuple
        holds (items, workers, labels). In an array of items times workers, what is missing is no
        vote, and items and workers are called by their places.
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
    started = time.perf_counter()
    if precision is not None:
        check_fraction("precision", precision)
    seed = draw_seed(random_state)
    with hearing_stages(progress) as tell:
        tell("reading the votes")
        read = read_votes(votes, item, worker, label, classes)
        items = read_items(
            *(read, X, item),
            embeddings=embeddings,
            pred_proba=pred_proba,
            groups=groups,
            drop=drop,
            seed=seed,
            n_jobs=n_jobs,
        )
        tell("weighing the votes")
        hear = hearing(items, estimator, seed=seed, n_jobs=n_jobs, progress=tell)
        found = judge_votes(items.votes, hear)
        tell("summing up")
        about = _about(votes, items, title, random_state) | {
            "item": item,
            "worker": worker,
            "label": label,
        }
        result = assemble_votes(items, found, precision=precision, about=about)
        _show_items(result, items, found, started=started, seed=seed, n_jobs=n_jobs)
        return result


def _about(votes: Any, items: Items, title: str | None, seed: Any) -> dict[str, Any]:
    """What a report says about the data."""
    frame = type(votes if items.table is None else items.table).__module__.partition(".")[0]
    return {
        "errata": version("errata"),
        "title": title or "audit",
        "seed": int(seed) if isinstance(seed, Integral) else None,
        "features": items.n_features,
        "dataframe": "polars" if frame == "polars" else "pandas",
    }


def _show_items(
    audit: VoteAudit,
    items: Items,
    found: VoteFindings,
    *,
    started: float,
    seed: int,
    n_jobs: int | None,
) -> None:
    """Add what a person wants to see of single items, and what a review needs."""
    view = ItemView(
        inputs=inputs_for_people(items, audit.labels),
        proba=found.proba,
        other=other_classes(found.proba, items.votes.majority),
        ballots=Ballots(items.votes, accuracies_told(found.workers)),
    )
    names = np.array([str(name) for name in audit.items.tolist()], dtype=object)
    rows = shown_rows(audit)
    audit.examples = _examples(audit, view, rows, names, seed, n_jobs)
    audit.points = _points(audit, view, rows, seed)
    audit.for_review = ForReview(
        look=lambda rows: view,
        grouped=partial(grouped_weights, found),
        doubtful=audit.labelled,
        display=Display(ids=names),
        seconds=time.perf_counter() - started,
        seed=seed,
        n_jobs=n_jobs,
    )


def _points(audit: VoteAudit, view: ItemView, rows: np.ndarray, seed: int) -> dict[str, Any] | None:
    """A map of the items, where there is a table of them and all have a label."""
    inputs = view.inputs
    if inputs.X is None or len(inputs.audited) < len(audit):
        return None
    drawn = {
        "label": inputs.codes,
        "suggested": np.where(audit.flagged, view.other, inputs.codes),
        "p_wrong": audit.p_wrong,
        "flagged": audit.flagged,
    }
    return draw_map(inputs.X, rows, drawn, seed)


def _examples(
    audit: VoteAudit,
    view: ItemView,
    rows: np.ndarray,
    names: np.ndarray,
    seed: int,
    n_jobs: int | None,
) -> list[dict[str, Any]]:
    """The most suspicious items, each with its votes."""
    near = Neighborhood(view.inputs, n_jobs=n_jobs).around(rows)
    columns = {
        "label": audit.labels,
        "suggested": view.others,
        "p_wrong": audit.p_wrong,
        "flagged": audit.flagged,
    }
    told = describe_examples(
        *(rows, view.reasons(rows, near), near, columns, view.inputs, None),
        ids=names,
        seed=seed,
        n_jobs=n_jobs,
    )
    for example in told:
        for mentioned in (example, *example["similar"], *example["compared"]):
            mentioned["name"] = names[mentioned["row"]]
    return [example | more for example, more in zip(told, view.more(rows), strict=True)]
