"""Sizes of memory as people write them."""

import re
from math import isfinite

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]i?)?b?", re.IGNORECASE)


def memory_bytes(size: int | float | str) -> int:
    """How many bytes a size is.

    >>> memory_bytes("2GB"), memory_bytes("1.5 GiB"), memory_bytes(1000)
    (2000000000, 1610612736, 1000)
    """
    found = _SIZE.fullmatch(size.strip()) if isinstance(size, str) else None
    if found is not None:
        unit = (found[2] or "").lower()
        n_bytes = float(found[1]) * (_UNITS | _BINARY)[unit]
    elif isinstance(size, int | float) and not isinstance(size, bool) and isfinite(size):
        n_bytes = float(size)
    else:
        raise ValueError(f'memory={size!r} is not a size; write it as in "2GB" or in bytes.')
    if n_bytes < 1:
        raise ValueError(f'memory={size!r} is no memory at all; give some, as in "2GB".')
    return int(n_bytes)
