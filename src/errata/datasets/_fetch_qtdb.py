"""Records of the QT database as PhysioNet has them: from a folder, or over the network."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from .._optional import require
from .._validation import check_count
from ..exceptions import DatasetNotFoundError
from ._wave_marks import annotate

_DATABASE = "qtdb"  # its name at PhysioNet


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
        raise DatasetNotFoundError(_how_to_get(record, annotator, data_home)) from error
    found = annotate(marks.sample, np.asarray(marks.symbol), signal.fs)
    return Bunch(
        signal=signal.p_signal[found.samples, 0],
        labels=found.labels,
        samples=found.samples,
        lengths=found.lengths,
        fs=float(signal.fs),
        record=record,
        annotator=annotator,
    )


def _how_to_get(record: str, annotator: str, data_home: Any) -> str:
    place = "from physionet.org" if data_home is None else f"in {data_home}"
    return (
        f"record {record!r} of the QT database could not be read {place}: put {record}.hea, "
        f"{record}.dat and {record}.{annotator} into a folder and pass it as data_home=...; "
        "make_ecg makes electrocardiograms without any file."
    )
