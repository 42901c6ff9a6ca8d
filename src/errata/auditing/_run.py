"""The audit itself: models, posterior, self-check."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._validation import check_fraction
from ._audit import Audit
from ._copies import are_copies, copies_note, copy_groups
from ._evidence import hear
from ._given import given_witnesses, part_of
from ._groups import joined, renumbered
from ._posterior import Posterior, posterior_of
from ._prepare import Prepared, group_numbers, prepare
from ._self_check import SelfCheck
from ._self_check import self_check as plant_and_look
from ._settings import CHECK_SAMPLE, CHECKED_ROWS, MOST_COPIES
from ._tell import Shown, tell_all
from ._witnesses import Bumps, Case, Given, Witness, default_witnesses

PROBABILITIES_ARE_OLDER = (
    "The self-check plants errors that your probabilities have never seen. It cannot show whether "
    "the model behind them had learnt the labels it judges."
)


def audit(
    X: Any,
    y: Any,
    *,
    estimator: Any = None,
    pred_proba: Any = None,
    embeddings: Any = None,
    witnesses: Sequence[Witness] | None = None,
    groups: Any = None,
    trust: Sequence[Any] = (),
    ids: Any = None,
    precision: float | None = None,
    self_check: bool = True,
    image_shape: tuple[int, ...] | None = None,
    title: str | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Callable[[str], None] | None = None,
) -> Audit:
    """Find out which labels are wrong, how many, which way, and how sure that is.

    Several quick models of different kinds give each row's label a probability without having
    learnt from that row. A posterior over noise hypotheses turns these into the probability that
    the label is wrong. Where the columns do not tell the labels apart, it says so and flags
    nothing. Then errors are planted on purpose in a copy of the labels and looked for in the same
    way, which shows how far the answer can be trusted on this very table.

    Parameters
    ----------
    X : table of shape (n, d)
        A pandas or polars dataframe, a mapping of names to columns, an array, a sparse matrix.
        Numbers, categories, text, dates and missing cells are welcome. None when ``pred_proba`` is
        all there is.
    y : array-like of shape (n,) or str
        The labels, or the name of their column in ``X``.
    estimator : classifier with ``predict_proba``, optional
        A model of yours, cross-validated on ``X`` and heard with the others.
    pred_proba : array-like or dataframe of shape (n, K), optional
        Out-of-sample probabilities of the labels by a model of yours; heard with the others. The
        columns of an array are in the order of the sorted labels, those of a dataframe are matched
        to the labels by name.
    embeddings : array-like of shape (n, d), optional
        What models should look at instead of ``X``.
    witnesses : sequence of witnesses, optional
        Whom to hear instead of errata's own; empty for none but what you bring.
    groups : array-like of shape (n,), optional
        Rows of one group (a patient, a document) are never judged by each other. Copies of a row
        are found and treated so without being named.
    trust : sequence of column names or positions, optional
        Columns that were measured independently of the label. A column that alone gives nearly
        every label, when the others cannot, looks made from the label and is left out unless it is
        named here.
    ids : array-like of shape (n,), optional
        What to call the rows in reports.
    precision : float, optional
        Flag as many rows as keep this share of them expected to be wrong. By default as many as
        promise the largest F1 score.
    self_check : bool, default=True
        Whether to plant errors and look for them. It about doubles the time; above 10,000 rows it
        is done on 5,000 of them.
    image_shape : tuple of int, optional
        For rows that are pixels: height and width, to show them.
    title : str, optional
        How reports call the data.
    random_state : int, RandomState or None
        Fix it to get the same audit again.
    n_jobs : int, optional
        Threads for forests and neighbours, -1 for all.
    progress : callable, optional
        Called with a few words at every stage.

    Returns
    -------
    Audit
        ``p_wrong``, ``suggested``, ``flagged``, ``noise_rate`` and more, with ``clean``, ``report``
        and ``save``.

    Notes
    -----
    Time grows about linearly with the rows, memory stays within a few times the table plus
    O(n K) for K classes. Wrong labels near the border between classes look like classes that
    overlap: no method can tell them apart from labels alone, and the interval of the noise rate is
    the wider for it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import errata
    >>> X, y = load_iris(return_X_y=True)
    >>> y[[3, 100]] = 2, 0                      # a setosa and a virginica change places
    >>> result = errata.audit(X, y, self_check=False, random_state=0)
    >>> sorted(int(row) for row in result.suspicion.argsort()[::-1][:2])
    [3, 100]
    >>> result.suggested[[3, 100]].tolist()
    [0, 2]
    """
    tell = progress or (lambda _: None)
    tell("reading the table")
    if precision is not None:
        check_fraction("precision", precision)
    seed = int(check_random_state(random_state).randint(2**31 - 1))
    given = prepare(X, y, embeddings, trust=trust, seed=seed, n_jobs=n_jobs)
    shown = Shown(ids=ids, image_shape=image_shape, title=title, label=y, seed=random_state)
    shown.check(given)
    heard = _witnesses(given, estimator, pred_proba, witnesses)
    if groups is not None:
        groups = group_numbers(groups, len(given.codes), given.judged)
    case = _case(given, groups, seed, n_jobs)
    equal = None if given.X is None else copy_groups(given.X)
    copies = _copies(case, equal)
    if copies is not None:
        given.notes.append(copies_note(copies))
        case = replace(case, groups=_together(copies, case.groups))
    evidence = hear(case, heard, progress=tell)
    tell("judging the labels")
    posterior = posterior_of(evidence.logs, case.codes, np.random.default_rng(seed), equal)
    tell("planting errors and looking for them" if self_check else "summing up")
    if self_check and all(isinstance(witness, Given) for witness in heard):
        given.notes.append(PROBABILITIES_ARE_OLDER)
    check = _self_check(case, heard, posterior, equal, copies) if self_check else None
    return tell_all(given, case, evidence, posterior, check, precision=precision, shown=shown)


def _witnesses(
    given: Prepared, estimator: Any, pred_proba: Any, witnesses: Sequence[Witness] | None
) -> list[Witness]:
    if witnesses is None:
        sizes = len(given.judged), len(given.present)
        witnesses = [] if given.X is None else default_witnesses(*sizes)
    theirs = given_witnesses(given, estimator, pred_proba)
    if not witnesses and not theirs:
        raise ValueError("nobody is left to judge the labels: pass a table, or pred_proba.")
    return [*witnesses, *theirs]


def _case(given: Prepared, groups: np.ndarray | None, seed: int, n_jobs: int | None) -> Case:
    present = given.present
    place = np.zeros(len(given.classes), dtype=np.intp)
    place[present] = np.arange(len(present))
    codes = place[given.codes[given.judged]]
    X = np.empty((len(codes), 0)) if given.X is None else given.X
    return Case(X, codes, len(present), groups, seed, n_jobs)


def _copies(case: Case, equal: np.ndarray | None) -> np.ndarray | None:
    """The groups of equal rows if they are copies of each other, and None otherwise.

    Equal rows may also be different rows that coarse columns cannot tell apart, and then each of
    them tells about the others. There are few distinct rows then, or labels of equal rows differ as
    often as a quick model expects that has seen none of them, or all others.
    """
    if equal is None or not len(equal) / MOST_COPIES <= equal.max() + 1 < len(equal):
        return None
    model = Bumps("RBF features", 1.0)
    both = (model.testify(replace(case, groups=groups)) for groups in (equal, None))
    return equal if all(are_copies(equal, case.codes, q.T) for q in both) else None


def _together(copies: np.ndarray, groups: np.ndarray | None) -> np.ndarray:
    """Groups that keep copies together, unless copies link all of the user's groups to one."""
    if groups is None:
        return copies
    all_groups = joined(copies, groups)
    return all_groups if all_groups.max() > 0 else groups


def _self_check(
    case: Case,
    heard: Sequence[Witness],
    first: Posterior,
    equal: np.ndarray | None,
    copies: np.ndarray | None,
) -> SelfCheck | None:
    random = np.random.default_rng(case.seed + 1)
    if len(case.codes) > CHECKED_ROWS:
        rows = np.sort(random.choice(len(case.codes), CHECK_SAMPLE, replace=False))
        case, heard = part_of(case, heard, rows)
        first = first._replace(p_wrong=first.p_wrong[rows])
        equal, copies = renumbered(equal, rows), renumbered(copies, rows)

    def audit_again(codes: np.ndarray, seed: int) -> Posterior:
        again = replace(case, codes=codes, seed=seed)
        random = np.random.default_rng(seed)
        return posterior_of(hear(again, heard).logs, codes, random, equal)

    return plant_and_look(case.codes, first, audit_again, random, copies)
