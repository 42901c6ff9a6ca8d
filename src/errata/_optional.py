"""Import an optional dependency, or say how to install it."""

import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.metadata import requires
from importlib.util import find_spec
from types import ModuleType

from .exceptions import MissingExtraError


def require(module: str, *, extra: str) -> ModuleType:
    """Return ``module``, imported now; the error says how to install the extra that brings it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = _get_package(module)
        if error.name is None or _get_package(error.name) != package:
            raise  # the package is there, but something it needs is not: a different problem
        raise MissingExtraError(_describe_missing([package], [extra])) from error


def require_all(extras: Mapping[str, str]) -> None:
    """Raise one error for all modules that are not there; ``extras`` says what brings each.

    Nothing is imported, so that it costs nothing to ask before the work begins.
    """
    missing = {module: extra for module, extra in extras.items() if find_spec(module) is None}
    if missing:
        raise MissingExtraError(
            _describe_missing(list(missing), list(dict.fromkeys(missing.values())))
        )


def _get_package(module: str) -> str:
    return module.partition(".")[0]


def _describe_missing(packages: list[str], extras: list[str]) -> str:
    """What is missing, and a command that is right wherever errata itself was installed from.

    An extra is known to pip only by an index or a checkout, so its packages are named.
    """
    are, them = ("is", "it") if len(packages) == 1 else ("are", "them")
    extra = "extra" if len(extras) == 1 else "extras"
    command = " ".join(f'"{requirement}"' for requirement in list_requirements(extras))
    return (
        f"this needs {_join_words(packages)}, which {are} not installed; install {them} with: "
        f"pip install {command} (errata's {extra} {_join_words(extras)})"
    )


def list_requirements(extras: Iterable[str]) -> list[str]:
    """What the extras of errata bring, sorted, as it is written in its metadata.

    >>> requirements(["fast"])
    ['numba>=0.60']
    """
    lines = [line.partition(";") for line in requires("errata") or ()]
    wanted = [re.compile(rf"extra == ['\"]{re.escape(extra)}['\"]") for extra in extras]
    return sorted(
        need.strip() for need, _, when in lines if any(extra.search(when) for extra in wanted)
    )


def _join_words(words: list[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if words[1:] else "") + words[-1]
