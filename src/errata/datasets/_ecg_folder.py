"""Electrocardiograms with marked waves from a data folder: extracts of the QT database and LUDB."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from .._optional import require
from .._validation import check_count
from ..exceptions import DatasetNotFoundError
from ..tables import read_table
from ._catalogue import file_in
from ._sources import folder_of
from ._wave_marks import annotate

QTDB_FS = 250.0
_LUDB_FS = 500.0


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
        environment variable ERRATA_DATA when not given. Needs the ``tables`` extra.

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
    records = qtdb_records(folder)
    if record not in records:
        raise DatasetNotFoundError(
            f"there is no record {record!r} of the QT database; there are {', '.join(records)}."
        )
    rows = _columns("ecg_qtdb", ["sample", f"ch{lead}"], folder, record=record)
    samples, levels = (column.astype(float) for column in rows)
    marks = _columns(
        "ecg_qtdb_annotations", ["sample", "symbol"], folder, record=record, annotator=annotator
    )
    found = annotate(marks[0].astype(int), marks[1].astype(str), QTDB_FS)
    # Beats that the first cardiologist skipped are not in the file.
    samples, here, there = np.intersect1d(samples, found.samples, return_indices=True)
    if not len(samples):
        raise DatasetNotFoundError(
            f"annotator {annotator!r} marked no beat of {record} with both ends of its QRS complex "
            "and the end of its T wave."
        )
    return Bunch(
        signal=levels[here] / float(records[record][f"gain{lead}"]),
        labels=found.labels[there],
        samples=samples.astype(int),
        lengths=_lengths(samples),
        fs=QTDB_FS,
        record=record,
        group=records[record]["group"],
        annotator=annotator,
    )


def qtdb_records(folder: str | os.PathLike | None = None) -> dict[str, dict[str, str]]:
    """What the folder says about each record of the QT database."""
    rows = read_table(_path("ecg_qtdb_records", folder)).to_pylist()
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
        variable ERRATA_DATA when not given. Needs the ``tables`` extra.

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
    rows = _columns("ecg_ludb", ["sample", "ii", "label"], folder, record=str(record))
    if not len(rows[0]):
        raise DatasetNotFoundError(f"there is no record {record!r} of LUDB; they go from 1 to 200.")
    samples = rows[0].astype(int)
    return Bunch(
        signal=rows[1].astype(float),
        labels=rows[2].astype(str),
        samples=samples,
        lengths=_lengths(samples),
        fs=_LUDB_FS,
        record=record,
    )


def _lengths(samples: np.ndarray) -> list[int]:
    """Lengths of the runs of consecutive samples."""
    breaks = np.flatnonzero(np.diff(samples) != 1) + 1
    return np.diff(np.r_[0, breaks, len(samples)]).tolist()


def _columns(
    name: str, columns: list[str], folder: str | os.PathLike | None, **values: str
) -> list[np.ndarray]:
    """Columns of text, of the rows in which other columns have these values."""
    table = read_table(_path(name, folder), [*values, *columns])
    compute = require("pyarrow.compute", extra="tables")
    for column, value in values.items():
        table = table.filter(compute.equal(table[column], value))
    return [table[column].to_numpy() for column in columns]


def _path(name: str, folder: Any) -> Path:
    place = folder_of(folder)
    path = file_in(place, name)
    if path is None:
        where = f"not in {place}" if place else "not here, and no data folder is set"
        raise DatasetNotFoundError(
            f"{name}.csv is {where}: pass the folder that holds it as folder=... or in "
            "ERRATA_DATA; make_ecg makes electrocardiograms without any file."
        )
    return path
