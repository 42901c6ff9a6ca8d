"""A column of pictures as features: where edges run, and which colours there are.

Edges tell shapes and textures apart whatever their colours and the light; colours tell sky from
grass. Together they were as good as pixels or better on the sets tried, see docs/guide/media.md.
"""

import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._blocks import blocks, map_blocks
from ..._format import plural
from ..._validation import is_missing
from .._columns import is_arrow, is_missing_cell
from .._pictures import get_picture_content, get_picture_name
from ._encoders import Block, Encoder, compute_median

SIDE = 32  # pixels that a picture is reduced to
_AT_ONCE = 512  # pictures whose pixels are in memory

CELLS = 4  # in each direction, in which edges are counted
ORIENTATIONS = 8  # of edges, over half a turn: dark on light is as light on dark
SHADES = 8  # of brightness, from red to green, and from yellow to blue
N_NUMBERS = CELLS**2 * ORIENTATIONS + 3 * SHADES  # of each picture
_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)  # ITU-R BT.601
_FAINT = 1e-3  # a picture without edges has none, whatever the noise in it


@dataclass(frozen=True)
class Pictures(Encoder):
    """Edges and colours of each picture; the medians where one is missing or cannot be read."""

    medians: tuple[float, ...] = ()

    @classmethod
    def learn(cls, name: str, described: np.ndarray) -> tuple["Pictures", Block]:
        """From what :func:`describe_cells` gives."""
        encoder = cls(name, medians=tuple(map(compute_median, described.T)))
        return encoder.keeping(encoder.parts(described))

    def read(self, values: Any) -> tuple[np.ndarray, int]:
        described = describe_cells(values)
        return described, int(_find_unread(values, described).sum())

    def parts(self, cells: np.ndarray) -> Block:
        missing = np.isnan(cells[:, 0])
        parts = {
            f"{self.name} {place}": np.where(missing, middle, column)
            for place, (column, middle) in enumerate(zip(cells.T, self.medians, strict=True))
        }
        return parts | {f"{self.name} missing": missing}

    def describe_unread(self, values: Any, described: np.ndarray) -> str:
        """A sentence about pictures that cannot be read; empty if there are none."""
        unread = np.flatnonzero(_find_unread(values, described))
        if not len(unread):
            return ""
        cell = values[int(unread[0])]
        first = get_picture_name(cell.as_py() if is_arrow(values) else cell)
        which = f" (the first is {first})" if first else ""
        are, they = ("is", "it counts") if len(unread) == 1 else ("are", "they count")
        return (
            f"{plural(len(unread), 'picture')} of {self.name!r} {are} not there, or cannot be read"
            f"{which}; {they} as missing."
        )


def describe_cells(values: Any) -> np.ndarray:
    """The numbers of the picture in each cell, NaN where there is none."""
    cells = values.to_pylist() if is_arrow(values) else values.tolist()
    return map_blocks(_describe, blocks(len(cells), _AT_ONCE), cells)


def _describe(rows: slice, cells: Sequence[Any]) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is odd in a file is no news to who has many
        pictures = [read_small_picture(cell) for cell in cells[rows]]
    found = [picture for picture in pictures if picture is not None]
    numbers = np.full((len(pictures), N_NUMBERS), np.nan)
    if found:
        there = [picture is not None for picture in pictures]
        numbers[there] = describe_pictures(np.stack(found))
    return numbers


def read_small_picture(cell: Any) -> np.ndarray | None:
    """Red, green and blue of 32 times 32 pixels, as bytes; None where there is no such picture."""
    if is_missing(cell, text=True):
        return None
    from PIL import Image as pil

    try:
        if not isinstance(cell, str | bytes | Mapping):
            return np.asarray(_reduce(cell.copy()))  # a copy, as the user's own stays open
        content = get_picture_content(cell)
        with pil.open(io.BytesIO(content) if isinstance(content, bytes) else content) as picture:
            return np.asarray(_reduce(picture))
    # All that Pillow raises for files that are missing, broken, not pictures, or huge.
    except (OSError, ValueError, SyntaxError, pil.DecompressionBombError):
        return None


def _reduce(picture: Any) -> Any:
    """The picture upright, in colours on white, of the size that is looked at."""
    from PIL import Image as pil
    from PIL import ImageOps as ops

    picture.draft("RGB", (2 * SIDE, 2 * SIDE))  # a JPEG is decoded no larger than needed
    picture = _convert_to_colours(ops.exif_transpose(picture))
    return picture.resize((SIDE, SIDE), pil.Resampling.BILINEAR, reducing_gap=2.0)


def _convert_to_colours(picture: Any) -> Any:
    """Colours of one byte each: deep grey values are stretched, what is transparent is white."""
    from PIL import Image as pil

    if picture.mode.startswith(("I", "F")):
        grey = np.asarray(picture, dtype=float)
        low = grey.min()
        high = max(grey.max(), grey.min() + 1e-12)
        return pil.fromarray(np.uint8(255 * (grey - low) / (high - low))).convert("RGB")
    if "transparency" in picture.info or picture.mode in ("LA", "La", "PA", "RGBA", "RGBa"):
        over = picture.convert("RGBA")
        return pil.alpha_composite(pil.new("RGBA", over.size, "white"), over).convert("RGB")
    return picture.convert("RGB")


def _find_unread(values: Any, described: np.ndarray) -> np.ndarray:
    """Cells that are not missing, but give no picture."""
    nothing = np.isnan(described[:, 0])
    return nothing & ~is_missing_cell(values) if nothing.any() else nothing


def describe_pictures(pictures: np.ndarray) -> np.ndarray:
    """Numbers of pictures of shape (n, side, side, 3), bytes, in one array of shape (n, d).

    First the histograms of oriented gradients of each cell [1]_, of length one together and under
    the square root; then histograms of brightness and of two opponent colours, under it as well.

    References
    ----------
    .. [1] N. Dalal, B. Triggs, "Histograms of oriented gradients for human detection", CVPR 2005.

    Examples
    --------
    >>> stripes = np.zeros((1, 32, 32, 3), dtype=np.uint8)
    >>> stripes[:, :, ::4] = 255
    >>> edges = describe_pictures(stripes)[0, :128].reshape(16, 8)
    >>> int(edges.sum(axis=0).argmax())        # they run up and down: brightness changes sideways
    0
    """
    pixels = pictures.astype(np.float32) / 255
    edges = _measure_edges(pixels @ _LUMA)
    length = np.sqrt((edges**2).sum(axis=(1, 2, 3), keepdims=True))
    shapes = np.sqrt(edges / (length + _FAINT))
    return np.hstack([shapes.reshape(len(pixels), -1), np.sqrt(_count_shades(pixels))])


def _measure_edges(grey: np.ndarray) -> np.ndarray:
    """How strong the edges of each orientation are in each cell.

    An orientation between two that are counted goes to both, more to the nearer one.
    """
    across = np.zeros_like(grey)
    down = np.zeros_like(grey)
    across[:, :, 1:-1] = grey[:, :, 2:] - grey[:, :, :-2]
    down[:, 1:-1] = grey[:, 2:] - grey[:, :-2]
    strength = np.hypot(across, down)
    turn = (np.arctan2(down, across) / np.pi % 1) * ORIENTATIONS
    lower = np.floor(turn)
    upper_share = turn - lower
    edges = np.zeros((*grey.shape, ORIENTATIONS), dtype=np.float32)
    for step, share in ((0, 1 - upper_share), (1, upper_share)):
        bins = (lower.astype(np.intp) + step) % ORIENTATIONS
        np.put_along_axis(edges, bins[..., None], (strength * share)[..., None], axis=-1)
    # Means over the cells of each picture.
    n, side, _, depth = edges.shape
    cells = edges.reshape(n, CELLS, side // CELLS, CELLS, side // CELLS, depth)
    return cells.mean(axis=(2, 4))


def _count_shades(pixels: np.ndarray) -> np.ndarray:
    """Which fraction of each picture has which brightness, and which opponent colours."""
    red, green, blue = np.moveaxis(pixels, -1, 0)
    opponents = ((red - green + 1) / 2, (red + green - 2 * blue + 2) / 4)
    axes = np.stack([pixels @ _LUMA, *opponents], axis=1).reshape(len(pixels), 3, -1)
    shades = np.clip((axes * SHADES).astype(np.intp), 0, SHADES - 1)
    # Each axis of each picture counts in a place of its own.
    places = np.arange(3 * len(pixels)).reshape(-1, 3, 1) * SHADES + shades
    counts = np.bincount(places.ravel(), minlength=3 * SHADES * len(pixels))
    return counts.reshape(len(pixels), -1) / axes.shape[2]
