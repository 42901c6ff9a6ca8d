"""Electrocardiograms with marked waves, from a data folder or over the network."""

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from .._optional import require
from .._validation import check_count
from ..exceptions import DatasetNotFoundError
from ..tables import read_table
from ._load import find_file, find_folder

QTDB_FS = 250.0
_LUDB_FS = 500.0

_DATABASE = "qtdb"  # its name at PhysioNet

_WAVES = {"p": "P", "t": "T", "u": "U"}  # any other symbol between brackets is that of a beat
_LONGEST_PAUSE = 2.0  # seconds from one QRS complex to the next of the same sequence
_SKIPPED_BEAT = 1.7  # an interval of so many usual ones holds a beat that was not annotated

# A wave and its first and last sample, None where the annotator did not mark it
Wave = tuple[str, int | None, int | None]
# The samples at which P, the QRS complex, its end and the end of T are marked; a missing P begins
# with the QRS complex
Beat = tuple[int, int, int, int]


def load_qtdb(
    record: str,
    *,
    lead: int = 0,
    annotator: str = "q1c",
    folder: str | os.PathLike | None = None,
) -> Bunch:
    """The annotated part of a record of the QT database, from a data folder.

    Fifteen-minute recordings of two leads, in which cardiologists marked the waves of thirty beats
    or more [1]_. Eleven records were annotated by a second one, who marked no P waves: where the
    two differ, somebody is wrong. For records as PhysioNet has them, see :func:`fetch_qtdb`.

    Parameters
    ----------
    record : str
        Its name, ``sel100`` for instance.
    lead : {0, 1}, default=0
        Which of the two leads.
    annotator : str, default="q1c"
        ``q1c`` the first cardiologist, ``q2c`` the second, ``pu0`` and ``pu1`` a program that
        looked at lead 0 or 1.
    folder : path, optional
        Folder with ``ecg_qtdb.csv`` (record, sample, ch0, ch1),
        ``ecg_qtdb_annotations.csv`` (record, annotator, sample, symbol) and
        ``ecg_qtdb_records.csv`` (record, group, gain0, gain1), each of them also gzip; the
        environment variable ERRATA_DATA when not given.

    Returns
    -------
    Bunch
        ``signal`` (n,) in mV, from an arbitrary zero; ``labels`` (n,), of B3, P, QRS and T as in
        :func:`make_ecg`;
        ``samples`` (n,), where they stand in the record; ``lengths`` of the sequences of samples
        without a gap; ``fs``; ``record``, ``group`` (sinus, arrhythmia, ...) and ``annotator``.

    Raises
    ------
    DatasetNotFoundError
        When the files or the record are not there.

    References
    ----------
    .. [1] Laguna, Mark, Goldberg and Moody (1997). A database for evaluation of algorithms for
       measurement of QT and other waveform intervals in the ECG. Computers in Cardiology 24.

    Examples
    --------
    >>> from errata.datasets import load_qtdb
    >>> load_qtdb("sel103", folder="/data")                                    # doctest: +SKIP
    """
    check_count("lead", lead, low=0, high=1)
    records = read_qtdb_records(folder)
    if record not in records:
        raise DatasetNotFoundError(
            f"there is no record {record!r} of the QT database; there are {', '.join(records)}."
        )
    rows = _read_columns("ecg_qtdb", ["sample", f"ch{lead}"], folder, record=record)
    samples, levels = (column.astype(float) for column in rows)
    marks = _read_columns(
        "ecg_qtdb_annotations", ["sample", "symbol"], folder, record=record, annotator=annotator
    )
    labelled, labels, _ = label_samples(marks[0].astype(int), marks[1].astype(str), QTDB_FS)
    # Beats that the first cardiologist skipped are not in the file.
    samples, here, there = np.intersect1d(samples, labelled, return_indices=True)
    if not len(samples):
        raise DatasetNotFoundError(
            f"annotator {annotator!r} marked no beat of {record} with both ends of its QRS complex "
            "and the end of its T wave."
        )
    return Bunch(
        signal=levels[here] / float(records[record][f"gain{lead}"]),
        labels=labels[there],
        samples=samples.astype(int),
        lengths=_measure_runs(samples),
        fs=QTDB_FS,
        record=record,
        group=records[record]["group"],
        annotator=annotator,
    )


def read_qtdb_records(folder: str | os.PathLike | None = None) -> dict[str, dict[str, str]]:
    """The facts that the folder holds about each record of the QT database."""
    rows = read_table(_find_path("ecg_qtdb_records", folder)).to_pylist()
    return {row["record"]: row for row in rows}


def load_ludb(record: int, *, folder: str | os.PathLike | None = None) -> Bunch:
    """A record of LUDB, lead II, from a data folder.

    Ten seconds of 200 people, the onset and end of every wave marked by cardiologists [1]_. Other
    than in the QT database T waves have onsets, so the segments PQ and ST are baseline too.

    Parameters
    ----------
    record : int
        Its number, from 1 to 200.
    folder : path, optional
        Folder with ``ecg_ludb.csv`` (record, sample, ii, label), also gzip; the environment
        variable ERRATA_DATA when not given.

    Returns
    -------
    Bunch
        ``signal`` (n,) in mV; ``labels`` (n,), of B, P, QRS and T; ``samples``, ``lengths`` and
        ``fs`` as for :func:`load_qtdb`; ``record``.

    References
    ----------
    .. [1] Kalyakulina and others (2020). LUDB: a new open-access validation tool for
       electrocardiogram delineation algorithms. IEEE Access 8.

    Examples
    --------
    >>> from errata.datasets import load_ludb
    >>> load_ludb(1, folder="/data")                                           # doctest: +SKIP
    """
    rows = _read_columns("ecg_ludb", ["sample", "ii", "label"], folder, record=str(record))
    if not len(rows[0]):
        raise DatasetNotFoundError(f"there is no record {record!r} of LUDB; they go from 1 to 200.")
    samples = rows[0].astype(int)
    return Bunch(
        signal=rows[1].astype(float),
        labels=rows[2].astype(str),
        samples=samples,
        lengths=_measure_runs(samples),
        fs=_LUDB_FS,
        record=record,
    )


def _measure_runs(samples: np.ndarray) -> list[int]:
    """Lengths of the runs of consecutive samples."""
    breaks = np.flatnonzero(np.diff(samples) != 1) + 1
    return np.diff(np.r_[0, breaks, len(samples)]).tolist()


def _read_columns(
    name: str, columns: list[str], folder: str | os.PathLike | None, **values: str
) -> list[np.ndarray]:
    """Columns of text, of the rows in which other columns have these values."""
    table = read_table(_find_path(name, folder), [*values, *columns])
    from pyarrow import compute

    for column, value in values.items():
        table = table.filter(compute.equal(table[column], value))
    return [table[column].to_numpy() for column in columns]


def _find_path(name: str, folder: Any) -> Path:
    place = find_folder(folder)
    path = find_file(place, name)
    if path is None:
        where = f"not in {place}" if place else "not here, and no data folder is set"
        raise DatasetNotFoundError(
            f"{name}.csv is {where}: pass the folder that holds it as folder=... or in "
            "ERRATA_DATA; make_ecg makes electrocardiograms without any file."
        )
    return path


def fetch_qtdb(
    record: str,
    *,
    lead: int = 0,
    annotator: str = "q1c",
    data_home: str | os.PathLike | None = None,
) -> Bunch:
    """The annotated part of a record of the QT database, as PhysioNet has it.

    Needs the ``ecg`` extra, and the network unless ``data_home`` holds the record. The only
    function of errata that reaches PhysioNet, and only when it is called.

    Parameters
    ----------
    record : str
        Its name, ``sel100`` for instance.
    lead : {0, 1}, default=0
        Which of the two leads.
    annotator : str, default="q1c"
        As for :func:`load_qtdb`.
    data_home : path, optional
        Folder with the files ``RECORD.hea``, ``RECORD.dat`` and ``RECORD.q1c``. Nothing is
        downloaded when it is given.

    Returns
    -------
    Bunch
        ``signal``, ``labels``, ``samples``, ``lengths``, ``fs``, ``record`` and ``annotator`` as
        for :func:`load_qtdb`. Which beats a cardiologist skipped is guessed from the intervals.

    Raises
    ------
    DatasetNotFoundError
        When the record cannot be had; the message says what else would do.

    Examples
    --------
    >>> from errata.datasets import fetch_qtdb
    >>> fetch_qtdb("sel103")                                                   # doctest: +SKIP
    """
    check_count("lead", lead, low=0, high=1)
    wfdb = require("wfdb", extra="ecg")
    where = {"pn_dir": _DATABASE} if data_home is None else {}
    name = record if data_home is None else str(Path(data_home) / record)
    try:
        marks = wfdb.rdann(name, annotator, **where)
        signal = wfdb.rdrecord(name, channels=[lead], **where)
    # Which errors of the network there are is the business of wfdb, and changes with its version.
    except Exception as error:
        raise DatasetNotFoundError(_explain_how_to_get(record, annotator, data_home)) from error
    samples, labels, lengths = label_samples(marks.sample, np.asarray(marks.symbol), signal.fs)
    return Bunch(
        signal=signal.p_signal[samples, 0],
        labels=labels,
        samples=samples,
        lengths=lengths,
        fs=float(signal.fs),
        record=record,
        annotator=annotator,
    )


def _explain_how_to_get(record: str, annotator: str, data_home: Any) -> str:
    place = "from physionet.org" if data_home is None else f"in {data_home}"
    return (
        f"record {record!r} of the QT database could not be read {place}: put {record}.hea, "
        f"{record}.dat and {record}.{annotator} into a folder and pass it as data_home=...; "
        "make_ecg makes electrocardiograms without any file."
    )


def label_samples(
    samples: np.ndarray, symbols: np.ndarray, fs: float
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Label every sample that an annotator's marks cover, sequence after sequence.

    P lasts from its onset to the QRS complex, T from there to its end, B3 is the rest: the four
    labels follow each other in a circle. (Most T waves have no marked onset, so no other rule would
    do for all.) A U wave is B3. A beat counts when the onset and end of its QRS complex and the end
    of its T wave are marked. Beats that follow each other make one sequence, from the first P onset
    to the last T end; it is cut where an interval is so long that a beat between was not annotated.
    All other samples are left out. Returns where the samples stand in the record, their labels, and
    the lengths of the sequences.

    Examples
    --------
    >>> marks = [(2, "("), (4, "p"), (5, ")"), (8, "("), (9, "N"), (10, ")"), (13, "t"), (15, ")")]
    >>> samples, labels, lengths = label_samples(*map(np.array, zip(*marks)), fs=250.0)
    >>> samples[0].item(), " ".join(labels), lengths
    (2, 'P P P P P P QRS QRS QRS T T T T T', [14])
    """
    beats = list(_group_beats(_parse_waves(samples, symbols)))
    sequences = [_label(part) for part in _split_sequences(beats, fs)]
    if not sequences:
        return np.zeros(0, dtype=int), np.zeros(0, dtype="<U3"), []
    positions, labels = zip(*sequences, strict=True)
    return np.concatenate(positions), np.concatenate(labels), list(map(len, labels))


def _parse_waves(samples: np.ndarray, symbols: np.ndarray) -> Iterator[Wave]:
    """Read marks in order: a bracket opens, a symbol names the wave, a bracket closes."""
    onset = None
    name = None
    for sample, symbol in zip(samples.tolist(), symbols.tolist(), strict=True):
        if symbol == "(":
            if name is not None:  # of a wave that was named and never closed
                yield name, onset, None
            onset = sample
            name = None
        elif symbol == ")":
            if name is not None:
                yield name, onset, sample
            onset = None
            name = None
        else:
            if name is not None:
                yield name, onset, None
                onset = None
            name = _WAVES.get(symbol, "QRS")
    if name is not None:
        yield name, onset, None


def _group_beats(waves: Iterator[Wave]) -> Iterator[Beat]:
    p_onset: int | None = None
    qrs: tuple[int | None, int | None] | None = None
    for name, onset, end in waves:
        if name == "P":
            p_onset = onset
            qrs = None
        elif name == "QRS":
            # Of two complexes in a row the first had no T wave, and P belonged to it.
            p_onset = p_onset if qrs is None else None
            qrs = (onset, end)
        elif name == "T" and qrs is not None:
            qrs_onset, qrs_end = qrs
            if qrs_onset is not None and qrs_end is not None and end is not None:
                yield qrs_onset if p_onset is None else p_onset, qrs_onset, qrs_end, end
                p_onset = None
                qrs = None


def _split_sequences(beats: list[Beat], fs: float) -> list[list[Beat]]:
    intervals = np.diff([qrs for _, qrs, _, _ in beats])
    if not len(intervals):
        return [beats] if beats else []
    longest = min(_LONGEST_PAUSE * fs, _SKIPPED_BEAT * np.median(intervals))
    cuts = [0, *(np.flatnonzero(intervals > longest) + 1).tolist(), len(beats)]
    return [beats[begin:stop] for begin, stop in pairwise(cuts)]


def _label(beats: list[Beat]) -> tuple[np.ndarray, np.ndarray]:
    first = beats[0][0]
    last = beats[-1][3]
    labels = np.full(last - first + 1, "B3", dtype="<U3")
    # T first: where the next P begins before a T ends, it is P.
    for wave, begin, stop in (
        [("T", qrs_end + 1, t_end + 1) for _, _, qrs_end, t_end in beats]
        + [("P", p, qrs) for p, qrs, _, _ in beats]
        + [("QRS", qrs, qrs_end + 1) for _, qrs, qrs_end, _ in beats]
    ):
        labels[begin - first : stop - first] = wave
    return np.arange(first, last + 1), labels
