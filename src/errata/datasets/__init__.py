"""Data sets: the papers' synthetic ones, made here, and their real ones, from wherever they are."""

from ._catalogue import list_datasets
from ._load import load_dataset
from ._synthetic import make_ringnorm, make_squares, make_threenorm, make_twonorm, make_xor

__all__ = [
    "load_dataset",
    "list_datasets",
    "make_twonorm",
    "make_threenorm",
    "make_ringnorm",
    "make_xor",
    "make_squares",
]
