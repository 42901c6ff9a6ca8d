"""Parts that not every machine has: optional dependencies, and functions of the C library."""

import ctypes
import re
from functools import cache
from importlib import import_module
from importlib.metadata import requires
from types import ModuleType
from typing import Any

from .exceptions import MissingExtraError


def require(module: str, *, extra: str) -> ModuleType:
    """Return ``module``, imported now; the error says how to install the extra that brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = _get_package(module)
        if error.name is None or _get_package(error.name) != package:
            raise  # the package is there, but something it needs is not: a different problem
        raise MissingExtraError(_describe_missing(package, extra)) from error


def _get_package(module: str) -> str:
    return module.partition(".")[0]


def _describe_missing(package: str, extra: str) -> str:
    """A missing extra, and a command that installs it from wherever errata itself came.

    An extra is known to pip only by an index or a checkout, so its packages are named.
    """
    command = " ".join(f'"{requirement}"' for requirement in list_requirements(extra))
    return (
        f"this needs {package}, which is not installed; install it with: "
        f"pip install {command} (errata's extra {extra})"
    )


def list_requirements(extra: str) -> list[str]:
    """The packages of an extra of errata, sorted, as its metadata names them.

    >>> list_requirements("ecg")
    ['wfdb>=4.1']
    """
    lines = [line.partition(";") for line in requires("errata") or ()]
    wanted = re.compile(rf"extra == ['\"]{re.escape(extra)}['\"]")
    return sorted(need.strip() for need, _, when in lines if wanted.search(when))


@cache
def find_c_function(name: str) -> Any:
    """A function of the C library; None where the system has no such thing.

    >>> find_c_function("no_such_function") is None
    True
    """
    try:
        return getattr(ctypes.CDLL(None), name)
    except (AttributeError, TypeError, OSError):
        return None
