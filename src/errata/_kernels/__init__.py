"""Hot loops, each twice: plain NumPy, always there, and compiled by Numba when it is installed.

A subject is a pair of modules with the same functions: ``_NAME`` holds the plain twin, written to
be obviously right, ``_NAME_numba`` the fast one. Both take arrays and numbers and hold no policy.
Fast ones copy element by element: Numba compiles one array put into another, and ``np.where``,
for seconds, nearly all of them for the sentence that shapes do not fit.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def kernels(subject: str, *, compiled: bool = True) -> ModuleType:
    """The fastest twin there is: the one place that chooses. Numba is imported here, if at all.

    Without ``compiled`` it is the plain one, for work that is done before the other is loaded.
    """
    twin = f"_{subject}_numba" if compiled and find_spec("numba") else f"_{subject}"
    return import_module(f".{twin}", __name__)
