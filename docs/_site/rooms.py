"""The reference: a page for each room, which lists its `__all__`, so that no name is forgotten."""

from importlib import import_module
from inspect import getdoc, ismodule
from pathlib import Path
from types import ModuleType

from written import write_if_new

import errata

PAGE = """{module}
{line}

.. module:: {module}

{about}

.. autosummary::
   :toctree: ../generated
   :nosignatures:

{names}
"""


def public() -> dict[str, list[str]]:
    """What each module offers, once: what errata has itself is not told again in its room."""
    rooms = [name for name in errata.__all__ if hasattr(getattr(errata, name), "__all__")]
    own = [name for name in errata.__all__ if name not in rooms]
    listed = {"errata": own}
    for room in rooms:
        listed |= offered(getattr(errata, room), own)
    return listed


def offered(module: ModuleType, elsewhere: list[str]) -> dict[str, list[str]]:
    """The names of a module, then those of the modules that it offers."""
    names = [name for name in module.__all__ if name not in elsewhere]
    inner = [name for name in names if ismodule(getattr(module, name))]
    listed = {module.__name__: [name for name in names if name not in inner]}
    for name in inner:
        listed |= offered(getattr(module, name), elsewhere)
    return {page: names for page, names in listed.items() if names}


def write(folder: Path) -> None:
    """Write a page for each module into ``folder``."""
    for module, names in public().items():
        listed = "\n".join(f"   {name}" for name in names)
        about = getdoc(import_module(module)).partition("\n\n")[0]  # the rest is for maintainers
        page = PAGE.format(module=module, line="=" * len(module), about=about, names=listed)
        write_if_new(folder / f"{module}.rst", page)
