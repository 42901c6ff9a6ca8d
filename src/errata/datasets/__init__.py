"""Data sets: the papers' synthetic ones, made here, and their real ones, from wherever they are."""

from ._ecg_folder import fetch_qtdb, load_ludb, load_qtdb
from ._load import list_datasets, load_dataset
from ._synthetic import (
    make_activity,
    make_ecg,
    make_ringnorm,
    make_squares,
    make_threenorm,
    make_twonorm,
    make_xor,
)

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
