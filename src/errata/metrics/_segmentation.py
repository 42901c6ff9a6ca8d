"""Metrics for labels of sequences: sample by sample, and by where segments begin and end."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import precision_recall_fscore_support

from .._validation import check_labels, check_lengths, check_positive

_EDGES = ("onset", "end")


def segmentation_report(
    y_true: Any,
    y_pred: Any,
    *,
    fs: float,
    lengths: Any = None,
    tolerance: float | Mapping[Any, float] = 150.0,
    background: Any = (),
) -> dict[str, Any]:
    """How well a sequence was cut into its waves: by samples, and by onsets and ends.

    Shares of samples hide what a physician looks at: the QT interval is wrong by as much as the
    onset of QRS and the end of T are, whatever the many samples between say.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The class of every sample.
    y_pred : array-like of shape (n,)
        What was found instead.
    fs : float
        Samples per second.
    lengths : sequence of int, optional
        Lengths of the sequences that both hold one after the other; one by default.
    tolerance : float or mapping of label to float, default=150
        How far, in milliseconds, a found onset or end may be from the true one and still be it.
        150 ms says whether a wave was found at all; the deviations say how well.
    background : label or sequence of labels, optional
        Labels that are no wave, the baseline for instance: their onsets and ends are not looked at.

    Returns
    -------
    dict
        ``recall`` and ``precision``: means over the labels of ``y_true``. ``per_label``: for each
        of them ``recall`` (fraction of its samples that were found), ``precision`` (fraction of
        the samples given this label that are right; 0 where there are none) and ``samples``.
        ``boundaries``: for each label that is no background, for its ``onset`` and its ``end``:
        ``sensitivity`` (fraction of the true ones that were found), ``predictivity`` (fraction of
        the found ones that are true), ``mean`` and ``sd`` of the deviations in milliseconds,
        positive where it was found too late, and ``n_true``, ``n_found``, ``n_matched``. nan where
        there is nothing to divide by.

    Notes
    -----
    An onset is the first sample of a segment, an end the last. A true and a found one match when
    each is the nearest to the other, in the same sequence, and they are within the tolerance: so
    nothing is counted twice. Where a sequence begins or ends within a wave, its onset or end is not
    seen and does not count. Deviations are those of the matches; they look better the smaller the
    tolerance is, and so do not compare them without sensitivity and predictivity.

    Examples
    --------
    >>> from errata.metrics import segmentation_report
    >>> y_true = list("BBBBBPPPPPBBBBBBTTTTTTTBBB")
    >>> y_pred = list("BBBBBBPPPPBBBBTTTTTTTTTTBB")
    >>> report = segmentation_report(y_true, y_pred, fs=100, background="B")
    >>> round(report["recall"], 3), round(report["precision"], 3)
    (0.862, 0.872)
    >>> report["boundaries"]["P"]["onset"]["mean"], report["boundaries"]["T"]["onset"]["mean"]
    (10.0, -20.0)
    """
    labels, codes, found = _encode_alike(y_true, y_pred)
    fs = check_positive("fs", fs)
    ends = np.cumsum(check_lengths(lengths, len(codes)))
    waves = [label for label in labels if label not in _make_list(background)]
    _check_known("background", _make_list(background), labels)
    reach = _check_tolerances(tolerance, waves)
    per_label = _score_by_sample(labels, codes, found)
    return {
        "recall": float(np.mean([row["recall"] for row in per_label.values()])),
        "precision": float(np.mean([row["precision"] for row in per_label.values()])),
        "per_label": per_label,
        "boundaries": {
            label: {
                edge: _score_by_edge(
                    codes, found, ends, labels.index(label), edge, reach[label], fs
                )
                for edge in _EDGES
            }
            for label in waves
        },
    }


def _encode_alike(y_true: Any, y_pred: Any) -> tuple[list, np.ndarray, np.ndarray]:
    """The labels of ``y_true``, and codes of both; -1 for a label that is in ``y_pred`` alone."""
    labels, codes = check_labels(y_true, name="y_true")
    found_labels, found = check_labels(y_pred, name="y_pred")
    if len(codes) != len(found):
        raise ValueError(f"y_true has {len(codes)} samples, y_pred {len(found)}; they must agree.")
    place = {label: i for i, label in enumerate(labels.tolist())}
    return list(place), codes, np.array([place.get(x, -1) for x in found_labels.tolist()])[found]


def _score_by_sample(
    labels: list, codes: np.ndarray, found: np.ndarray
) -> dict[Any, dict[str, float]]:
    numbers = precision_recall_fscore_support(
        codes, found, labels=range(len(labels)), zero_division=0.0
    )
    return {
        label: {"recall": float(recall), "precision": float(precision), "samples": int(samples)}
        for label, precision, recall, _, samples in zip(labels, *numbers, strict=True)
    }


def _score_by_edge(
    codes: np.ndarray,
    found: np.ndarray,
    ends: np.ndarray,
    code: int,
    edge: str,
    tolerance: float,
    fs: float,
) -> dict[str, float]:
    true_edges, found_edges = (_find_edges(c == code, ends, edge) for c in (codes, found))
    deviations = _measure_deviations(true_edges, found_edges, ends) * 1000 / fs
    deviations = deviations[np.abs(deviations) <= tolerance]
    n_true = len(true_edges)
    n_found = len(found_edges)
    n = len(deviations)
    nan = float("nan")
    return {
        "sensitivity": n / n_true if n_true else nan,
        "predictivity": n / n_found if n_found else nan,
        "mean": float(deviations.mean()) if n else nan,
        "sd": float(deviations.std(ddof=1)) if n > 1 else nan,
        "n_true": n_true,
        "n_found": n_found,
        "n_matched": n,
    }


def _find_edges(inside: np.ndarray, ends: np.ndarray, edge: str) -> np.ndarray:
    """The first, or the last, samples of segments, but for those at the ends of a sequence."""
    begins = inside[1:] & ~inside[:-1] if edge == "onset" else inside[:-1] & ~inside[1:]
    begins[ends[:-1] - 1] = False  # from the last sample of a sequence to the first of the next
    return np.flatnonzero(begins) + (edge == "onset")


def _measure_deviations(true: np.ndarray, found: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Found minus true, of those that are each other's nearest within one sequence."""
    sequence_true, sequence_found = (np.searchsorted(ends, x, side="right") for x in (true, found))
    shared = np.intersect1d(sequence_true, sequence_found)
    parts = [
        _match_mutual(true[sequence_true == s], found[sequence_found == s]) for s in shared.tolist()
    ]
    return np.concatenate([np.zeros(0), *parts])


def _match_mutual(true: np.ndarray, found: np.ndarray) -> np.ndarray:
    nearest_found = _find_nearest(true, found)
    nearest_true = _find_nearest(found, true)
    mutual = nearest_true[nearest_found] == np.arange(len(true))
    return found[nearest_found[mutual]] - true[mutual]


def _find_nearest(points: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Index of the place nearest to each point, both sorted; the earlier of two."""
    after = np.searchsorted(places, points).clip(max=len(places) - 1)
    before = (after - 1).clip(min=0)
    closer = np.abs(points - places[before]) <= np.abs(places[after] - points)
    return np.where(closer, before, after)


def _check_tolerances(tolerance: Any, waves: list) -> dict[Any, float]:
    if not isinstance(tolerance, Mapping):
        return dict.fromkeys(waves, check_positive("tolerance", tolerance))
    _check_known("tolerance", list(tolerance), waves)
    missing = [label for label in waves if label not in tolerance]
    if missing:
        raise ValueError(
            f"tolerance says nothing of {missing[0]!r}; name every label or put it into background."
        )
    return {label: check_positive(f"tolerance[{label!r}]", tolerance[label]) for label in waves}


def _check_known(name: str, given: list, labels: list) -> None:
    for label in given:
        if label not in labels:
            raise ValueError(
                f"{name} names {label!r}, which is not among the labels "
                f"{', '.join(map(repr, labels))}."
            )


def _make_list(background: Any) -> list:
    return np.atleast_1d(np.asarray(background)).tolist() if np.size(background) else []
