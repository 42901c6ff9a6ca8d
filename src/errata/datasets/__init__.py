"""Data sets: the papers' synthetic ones, made here, and their real ones, from wherever they are."""

from ._activity import make_activity
from ._catalogue import list_datasets
from ._ecg import make_ecg
from ._ecg_folder import load_ludb, load_qtdb
from ._fetch_qtdb import fetch_qtdb
from ._load import load_dataset
from ._synthetic import make_ringnorm, make_squares, make_threenorm, make_twonorm, make_xor

__all__ = [
    "load_dataset",
    "list_datasets",
    "load_qtdb",
    "load_ludb",
    "fetch_qtdb",
    "make_twonorm",
    "make_threenorm",
    "make_ringnorm",
    "make_xor",
    "make_squares",
    "make_ecg",
    "make_activity",
]
