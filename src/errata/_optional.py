"""Import an optional dependency, or say which extra brings it."""

from importlib import import_module
from types import ModuleType

from .exceptions import MissingExtraError


def require(module: str, *, extra: str) -> ModuleType:
    """Return ``module``, imported now; the error names the extra of errata that installs it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise  # the package is there, but something it needs is not: a different problem
        raise MissingExtraError(
            f"this needs {package}, which is not installed; "
            f"install it with: pip install 'errata[{extra}]'"
        ) from error
