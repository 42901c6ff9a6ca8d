"""Pictures as data URIs, so that a page carries them itself."""

import base64
import io
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np


def pixels_uri(pixels: Any) -> str:
    """Turn an array into a PNG picture, as a data URI.

    Bytes (``uint8``) are kept as they are; other numbers are stretched so that the smallest becomes
    black and the largest white, and what is not finite becomes black.

    Parameters
    ----------
    pixels : array-like of shape (height, width) or (height, width, 3)
        Gray values, or red, green and blue ones.

    Returns
    -------
    str
        ``data:image/png;base64,...``, for the ``image`` of an example.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> pixels_uri(load_digits().images[0])[:33]
    'data:image/png;base64,iVBORw0KGgo'
    """
    pixels = np.asarray(pixels)
    if pixels.ndim not in (2, 3) or 0 in pixels.shape or pixels.shape[2:] not in ((), (3,)):
        raise ValueError(
            f"pixels of shape {pixels.shape} are not a picture; "
            "pass (height, width) for gray or (height, width, 3) for colours."
        )
    return _make_uri("image/png", _encode_png(_to_bytes(pixels)))


def thumbnail_uri(path: str | os.PathLike | bytes, size: int = 64) -> str | None:
    """Turn a picture file into a small picture, as a data URI.

    No side of it exceeds ``size``. It is a JPEG, or a PNG where JPEG would spoil it.

    Parameters
    ----------
    path : path-like or bytes
        The file, or what is in it. None is returned where it is missing, or not a picture.
    size : int, default=64
        The longest side, in pixels; 64 is sharp at the size of the report's list.

    Returns
    -------
    str or None
        ``data:image/...;base64,...``, or None where there is nothing small to show.

    Examples
    --------
    >>> thumbnail_uri("no-such-file.png") is None
    True
    """
    try:
        content = path if isinstance(path, bytes) else Path(path).read_bytes()
    except OSError:
        return None
    from PIL import Image

    out = io.BytesIO()
    try:
        with Image.open(io.BytesIO(content)) as picture:
            # Palettes and masks are drawings; transparency has no place in JPEG.
            exact = picture.mode in ("1", "P", "LA", "PA", "RGBA") or max(picture.size) <= size
            picture = upright(picture).convert("RGBA" if exact else "RGB")
            picture.thumbnail((size, size))
            picture.save(out, "PNG" if exact else "JPEG", optimize=True)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None  # all that Pillow raises for files that are broken, not pictures, or huge
    return _make_uri("image/png" if exact else "image/jpeg", out.getvalue())


def upright(picture: Any) -> Any:
    """A picture as the camera was held, which its file may say beside the pixels."""
    from PIL import ImageOps

    return ImageOps.exif_transpose(picture)


def _to_bytes(pixels: np.ndarray) -> np.ndarray:
    """Stretch numbers over 0 to 255; bytes stay."""
    if pixels.dtype == np.uint8:
        return pixels
    pixels = pixels.astype(np.float64)
    finite = np.isfinite(pixels)
    low = pixels[finite].min(initial=np.inf)
    high = pixels[finite].max(initial=-np.inf)
    if not low < high:  # one gray all over, or nothing finite
        return np.zeros(pixels.shape, dtype=np.uint8)
    stretched = np.zeros(pixels.shape)
    stretched[finite] = (pixels[finite] - low) / (high - low)
    return np.rint(255 * stretched).astype(np.uint8)


def _encode_png(pixels: np.ndarray) -> bytes:
    """PNG (ISO/IEC 15948), 8 bits a sample, no filter."""
    height, width = pixels.shape[:2]
    colour_type = 0 if pixels.ndim == 2 else 2
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    lines = np.zeros((height, 1 + pixels[0].size), dtype=np.uint8)  # filter type 0, then samples
    lines[:, 1:] = pixels.reshape(height, -1)
    body = zlib.compress(lines.tobytes(), 9)
    chunks = ((b"IHDR", header), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_make_chunk(name, data) for name, data in chunks)


def _make_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _make_uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"
