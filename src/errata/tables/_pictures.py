"""Pictures in the cells of a table, each reduced to a few pixels as soon as it is decoded.

A cell is the name of a file, the bytes of one, a picture of Pillow, or what Hugging Face's datasets
store: a mapping with ``bytes`` or ``path``.
"""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._optional import require
from .._validation import is_missing
from ._cells import is_arrow
from ._columns import Column, is_pillow_picture

ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
SIDE = 32  # pixels that a picture is reduced to
_SIGNATURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM", b"II*\0", b"MM\0*")
_LOOKED_AT = 20  # cells that tell whether a column holds pictures


def is_picture_name(name: str) -> bool:
    """Whether a name is that of a picture file.

    >>> [is_picture_name(name) for name in ("cat.JPG", "cat.txt")]
    [True, False]
    """
    return name.lower().endswith(ENDINGS)


def holds_pictures(column: Column) -> bool:
    """Whether the first cells that are not missing are pictures, or names of picture files."""
    first = column.array(np.arange(min(_LOOKED_AT, len(column.values)))).tolist()
    present = [cell for cell in first if not is_missing(cell, text=True)]
    return bool(present) and all(map(_is_picture, present))


def _is_picture(cell: Any) -> bool:
    if isinstance(cell, str):
        return is_picture_name(cell)
    if isinstance(cell, bytes):
        return cell.startswith(_SIGNATURES)
    if isinstance(cell, Mapping):
        return {"bytes", "path"} >= set(cell) and any(map(_is_picture, filter(None, cell.values())))
    return is_pillow_picture(cell)


def name_of(cell: Any) -> str:
    """The file of a picture; empty for one that has none."""
    named = cell.get("path") if isinstance(cell, Mapping) else cell
    return named if isinstance(named, str) else getattr(cell, "filename", "") or ""


def named_pictures(column: Column) -> Column:
    """A column of pictures with their names for cells."""
    if is_arrow(column.values):
        return column
    names = np.empty(len(column.values), dtype=object)
    names[:] = [name_of(cell) for cell in column.values.tolist()]
    return column._replace(values=names)


def content_of(cell: Any) -> Any:
    """What Pillow opens: the bytes of a picture, or its path."""
    if isinstance(cell, Mapping):
        cell = cell.get("bytes") or cell.get("path")
    if isinstance(cell, str | bytes):
        return cell
    out = io.BytesIO()
    cell.save(out, "PNG")
    return out.getvalue()


def small_picture(cell: Any) -> np.ndarray | None:
    """Red, green and blue of 32 times 32 pixels, as bytes; None where there is no such picture."""
    if is_missing(cell, text=True):
        return None
    pil = require("PIL.Image", extra="pictures")
    try:
        if not isinstance(cell, str | bytes | Mapping):
            return np.asarray(_reduced(cell.copy()))  # a copy, as the user's own stays open
        content = content_of(cell)
        with pil.open(io.BytesIO(content) if isinstance(content, bytes) else content) as picture:
            return np.asarray(_reduced(picture))
    # All that Pillow raises for files that are missing, broken, not pictures, or huge.
    except (OSError, ValueError, SyntaxError, pil.DecompressionBombError):
        return None


def _reduced(picture: Any) -> Any:
    """The picture upright, in colours on white, of the size that is looked at."""
    pil, ops = require("PIL.Image", extra="pictures"), require("PIL.ImageOps", extra="pictures")
    picture.draft("RGB", (2 * SIDE, 2 * SIDE))  # a JPEG is decoded no larger than needed
    picture = _coloured(ops.exif_transpose(picture))
    return picture.resize((SIDE, SIDE), pil.Resampling.BILINEAR, reducing_gap=2.0)


def _coloured(picture: Any) -> Any:
    """Colours of one byte each: deep grey values are stretched, what is transparent is white."""
    pil = require("PIL.Image", extra="pictures")
    if picture.mode.startswith(("I", "F")):
        grey = np.asarray(picture, dtype=float)
        low, high = grey.min(), max(grey.max(), grey.min() + 1e-12)
        return pil.fromarray(np.uint8(255 * (grey - low) / (high - low))).convert("RGB")
    if "transparency" in picture.info or picture.mode in ("LA", "La", "PA", "RGBA", "RGBa"):
        over = picture.convert("RGBA")
        return pil.alpha_composite(pil.new("RGBA", over.size, "white"), over).convert("RGB")
    return picture.convert("RGB")
