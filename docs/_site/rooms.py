"""The reference: a page for each room, which lists its `__all__`, so that no name is forgotten."""

from importlib import import_module
from inspect import getdoc
from pathlib import Path

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
    listed = {f"errata.{room}": getattr(errata, room).__all__ for room in rooms}
    return {"errata": own} | {
        module: [name for name in names if name not in own] for module, names in listed.items()
    }


def write(folder: Path) -> None:
    """Write a page for each module into ``folder``."""
    for module, names in public().items():
        listed = "\n".join(f"   {name}" for name in names)
        about = getdoc(import_module(module)).partition("\n\n")[0]  # the rest is for maintainers
        page = PAGE.format(module=module, line="=" * len(module), about=about, names=listed)
        write_if_new(folder / f"{module}.rst", page)
