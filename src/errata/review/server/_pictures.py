"""Pictures named in the table, decoded and encoded anew: nothing but pixels reaches the page."""

import io
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...audit_folder import upright

MOST_PIXELS = 50_000_000
LONGEST_SIDE = 2048  # of what is sent; more does not fit a screen
RASTER = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")


class NoPicture(LookupError):
    """The picture of a row cannot be shown; the message says why, ``status`` how it is answered."""

    def __init__(self, sentence: str, status: int = 404) -> None:
        super().__init__(sentence)
        self.status = status


def explain_picture(card: dict[str, Any], root: Path | None) -> str:
    """Why the picture of a row cannot be shown; empty where it can, or there is none."""
    if card["image"] or not card["picture"]:
        return ""
    try:
        find_picture(card["picture"], root)
    except NoPicture as problem:
        return str(problem)
    return ""


def find_picture(name: str, root: Path | None) -> Path:
    """The file of a picture, which lies under ``root`` whatever the table says."""
    if root is None:
        raise NoPicture(f"The table names a picture, {name}; say where it is with --images.")
    try:
        path = (root / name).resolve()
        is_there = path.is_file()
    except (OSError, ValueError):  # a name no file can have
        is_there = False
    if not is_there:
        raise NoPicture(f"There is no file {name} in {root}.")
    if not path.is_relative_to(root.resolve()):
        raise NoPicture(f"{name} is not in {root}, so it is not shown.")
    return path


@lru_cache(maxsize=8)
def read_picture(path: Path) -> tuple[bytes, str]:
    """The picture that browsers get, and its kind."""
    from PIL import Image as image

    try:
        with image.open(path, formats=RASTER) as opened:
            _check_size(path, opened)
            return _encode(opened)
    except (OSError, ValueError, SyntaxError, image.DecompressionBombError) as error:
        raise NoPicture(f"{path.name} is not a picture that can be shown.", 415) from error


def _check_size(path: Path, opened: Any) -> None:
    width, height = opened.size
    if width * height > MOST_PIXELS:
        size = f"{width:,} times {height:,} pixels"
        raise NoPicture(f"{path.name} has {size}, more than {MOST_PIXELS:,}.", 415)


def _encode(opened: Any) -> tuple[bytes, str]:
    """JPEG for photographs; PNG for drawings, what is transparent, and what is small."""
    exact = opened.mode in ("1", "P", "LA", "PA", "RGBA") or max(opened.size) <= 512
    opened.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))  # a JPEG is decoded no larger than needed
    opened = upright(opened).convert("RGBA" if exact else "RGB")
    # Whole factors first: much faster, and no eye sees it at this size.
    opened.thumbnail((LONGEST_SIDE, LONGEST_SIDE), reducing_gap=2.0)
    out = io.BytesIO()
    opened.save(out, "PNG" if exact else "JPEG", **({} if exact else {"quality": 88}))
    return out.getvalue(), "image/png" if exact else "image/jpeg"
