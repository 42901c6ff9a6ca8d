import numpy as np
from numpy.testing import assert_allclose

from errata.tables.features._pictures import (
    CELLS,
    N_NUMBERS,
    ORIENTATIONS,
    SHADES,
    describe_pictures,
)

EDGES = CELLS**2 * ORIENTATIONS


def some_pictures(n=3, seed=0):
    return np.random.default_rng(seed).integers(0, 255, (n, 32, 32, 3), dtype=np.uint8)


def described_slowly(picture):
    """The same, pixel by pixel."""
    grey = picture.astype(float) / 255 @ [0.299, 0.587, 0.114]
    edges, size = np.zeros((CELLS, CELLS, ORIENTATIONS)), 32 // CELLS
    for i in range(32):
        for j in range(32):
            across = grey[i, j + 1] - grey[i, j - 1] if 0 < j < 31 else 0.0
            down = grey[i + 1, j] - grey[i - 1, j] if 0 < i < 31 else 0.0
            turn = np.arctan2(down, across) % np.pi / np.pi * ORIENTATIONS
            low, strength = int(turn), np.hypot(across, down) / size**2
            cell = edges[i // size, j // size]
            cell[low % ORIENTATIONS] += strength * (1 - (turn - low))
            cell[(low + 1) % ORIENTATIONS] += strength * (turn - low)
    edges = np.sqrt(edges / (np.sqrt((edges**2).sum()) + 1e-3))
    shades = np.zeros((3, SHADES))
    for red, green, blue in picture.astype(float).reshape(-1, 3) / 255:
        bright = 0.299 * red + 0.587 * green + 0.114 * blue
        for axis, value in enumerate(
            (bright, (red - green + 1) / 2, (red + green - 2 * blue + 2) / 4)
        ):
            shades[axis, min(int(value * SHADES), SHADES - 1)] += 1 / 32**2
    return np.concatenate([edges.ravel(), np.sqrt(shades).ravel()])


def test_numbers_are_those_of_a_plain_loop():
    pictures = some_pictures()
    found = describe_pictures(pictures)
    assert found.shape == (3, N_NUMBERS)
    slow = np.array([described_slowly(picture) for picture in pictures])
    assert_allclose(found, slow, rtol=0, atol=2e-3)  # the square root of a rounded zero


def test_edges_do_not_depend_on_light_nor_on_which_side_is_dark():
    pictures = some_pictures() // 2
    plain, brighter, inverse = (
        describe_pictures(p)[:, :EDGES] for p in (pictures, pictures + 60, 255 - pictures)
    )
    assert_allclose(brighter, plain, rtol=0, atol=2e-3)
    assert_allclose(inverse, plain, rtol=0, atol=2e-3)


def test_a_picture_of_one_colour_has_no_edges_and_its_colour():
    red = np.zeros((1, 32, 32, 3), dtype=np.uint8)
    red[..., 0] = 255
    found = describe_pictures(red)[0]
    assert_allclose(found[:EDGES], 0, rtol=0, atol=0)
    bright, red_green, yellow_blue = found[EDGES:].reshape(3, SHADES)
    assert bright.tolist() == [0, 0, 1, 0, 0, 0, 0, 0]  # 0.299 of white
    assert red_green.tolist() == [0] * 7 + [1]
    assert yellow_blue.tolist() == [0] * 6 + [1, 0]
