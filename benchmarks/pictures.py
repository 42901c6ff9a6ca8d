"""What edges and colours find over pixels, and how long reading takes beside Pillow alone.

    python benchmarks/pictures.py                 about ten minutes on one core
    python benchmarks/pictures.py --seeds 1 --rows 200
    python benchmarks/pictures.py --speed         20,000 tiny pictures, read and described

Claims: on each of five sets of pictures with a tenth of the labels made wrong, the audit ranks
these about as well by errata's features as by 16 x 16 pixels in colour, or better (average
precision); and features of 20,000 files of 32 x 32 pixels take at most 5 x the time of opening
them.

The five sets: handwritten digits (scikit-learn), pieces of two photographs by which band of which
they are from (scikit-learn's sample images), and letters, shapes and textures drawn here. The
features were chosen among a dozen on these sets, so other pictures may like them less.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits, load_sample_images
from sklearn.metrics import average_precision_score

import errata
from errata._optional import require
from errata.tables._pictures import SIDE, small_picture
from errata.tables.features._pictures import edges_and_colours

names = ("Image", "ImageDraw", "ImageFilter", "ImageFont")
Image, ImageDraw, ImageFilter, ImageFont = (require(f"PIL.{n}", extra="pictures") for n in names)
FONTS = Path(require("matplotlib", extra="report").get_data_path(), "fonts", "ttf")
FACES = sorted(FONTS.glob("DejaVu*.ttf")) + sorted(FONTS.glob("STIXGeneral*.ttf"))


def digits(n, random):
    found = load_digits()
    rows = random.permutation(len(found.target))[:n]
    grey = np.uint8(found.images[rows] * 255 / 16)
    return [Image.fromarray(g) for g in grey], found.target[rows].astype(str)


def photographs(n, random):
    pictures, labels, photos = [], [], load_sample_images().images
    for i in range(n):
        photo, band = i % 2, i // 2 % 3
        whole = photos[photo]
        height = whole.shape[0] // 3
        side = random.integers(40, 90)
        top = random.integers(band * height, (band + 1) * height - side + 1)
        left = random.integers(0, whole.shape[1] - side)
        piece = whole[top : top + side, left : left + side] * random.uniform(0.6, 1.2)
        pictures.append(Image.fromarray(np.uint8(piece.clip(0, 255))))
        labels.append(f"photo {photo}, band {band}")
    return pictures, np.array(labels)


def letters(n, random):
    pictures, labels = [], np.resize(list("ABCDEFGHKR"), n)
    faces = [face for face in FACES if "Display" not in face.name and "NonUni" not in face.name]
    for letter in labels:
        back, ink = (tuple(map(int, random.integers(0, 255, 3))) for _ in range(2))
        picture = Image.new("RGB", (64, 64), back)
        font = ImageFont.truetype(faces[random.integers(len(faces))], int(random.integers(30, 52)))
        place = tuple(map(int, (random.integers(6, 22), random.integers(-2, 14))))
        ImageDraw.Draw(picture).text(place, str(letter), fill=ink, font=font)
        pictures.append(grainy(picture.rotate(12 * random.normal(), fillcolor=back), random))
    return pictures, labels


def shapes(n, random):
    pictures, labels = [], np.resize(["circle", "ring", "square", "triangle", "star"], n)
    for shape in labels:
        patches = np.kron(random.integers(0, 255, (4, 4, 3)), np.ones((16, 16, 1)))
        picture = Image.fromarray(np.uint8(patches)).filter(ImageFilter.GaussianBlur(8))
        draw_shape(ImageDraw.Draw(picture), shape, random)
        pictures.append(picture)
    return pictures, labels


def draw_shape(draw, shape, random):
    size, turn = random.integers(16, 28), random.uniform(0, 6.3)
    x, y = random.integers(size // 2 + 2, 62 - size // 2, 2)
    ink = tuple(map(int, random.integers(0, 255, 3)))
    box = [x - size / 2, y - size / 2, x + size / 2, y + size / 2]
    if shape in ("circle", "ring"):
        draw.ellipse(box, **({"fill": ink} if shape == "circle" else {"outline": ink, "width": 4}))
        return
    corners = {"square": 4, "triangle": 3, "star": 10}[shape]
    angles = turn + 2 * np.pi * np.arange(corners) / corners
    radii = 0.63 * size * np.where((shape == "star") & (np.arange(corners) % 2 == 1), 0.4, 1)
    points = zip(x + radii * np.cos(angles), y + radii * np.sin(angles), strict=True)
    draw.polygon([tuple(map(float, point)) for point in points], fill=ink)


def textures(n, random):
    kinds = {"upright": 0.0, "slanting": np.pi / 4, "level": np.pi / 2, "checks": 0, "dots": 0}
    pictures, labels = [], np.resize([*kinds, "noise"], n)
    down, across = np.mgrid[:32, :32]
    for kind in labels:
        turn, pitch = kinds.get(kind, 0) + 0.12 * random.normal(), random.uniform(0.5, 1.4)
        one, other = np.sin(turn) * down, np.cos(turn) * across
        wave = np.sin(pitch * (one + other) + random.uniform(0, 6))
        crossing = np.sin(pitch * (np.cos(turn) * down - np.sin(turn) * across))
        pattern = {"checks": np.sign(wave * crossing), "dots": np.sign(wave * crossing - 0.5)}
        shown = random.normal(size=(32, 32)) if kind == "noise" else pattern.get(kind, wave)
        inks = random.integers(0, 255, (2, 3))
        mixed = inks[0] * (shown[..., None] + 1) / 2 + inks[1] * (1 - shown[..., None]) / 2
        pictures.append(grainy(Image.fromarray(np.uint8(mixed.clip(0, 255))), random))
    return pictures, labels


def grainy(picture, random):
    pixels = np.asarray(picture) + 20 * random.normal(size=(*picture.size[::-1], 3))
    return Image.fromarray(np.uint8(pixels.clip(0, 255)))


def pixels(small):
    """16 x 16 pixels in colour."""
    half = small.reshape(len(small), SIDE // 2, 2, SIDE // 2, 2, 3).mean(axis=(2, 4))
    return half.reshape(len(small), -1)


def precision(X, labels, seed):
    noisy, flipped = errata.noise.flip_labels(labels, 0.1, random_state=seed)
    found = errata.audit(X, noisy, self_check=False, random_state=seed)
    return average_precision_score(flipped, found.suspicion)


def compare(rows, seeds):
    print(f"{'set':12} {'edges, colours':>15} {'pixels':>8}")
    for make in (digits, photographs, letters, shapes, textures):
        found = []
        for seed in range(seeds):
            pictures, labels = make(rows, np.random.default_rng(seed))
            small = np.stack([small_picture(picture) for picture in pictures])
            described = edges_and_colours(small).astype(float)
            found.append([precision(X, labels, seed) for X in (described, pixels(small))])
        ours, theirs = np.mean(found, axis=0)
        print(f"{make.__name__:12} {ours:15.3f} {theirs:8.3f}", flush=True)


def speed(n):
    """Features of files beside opening them and converting them to colours."""
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as place:
        for row in range(n):
            folder = Path(place, f"class {row % 10}")
            folder.mkdir(exist_ok=True)
            noise = random.integers(0, 255, (32, 32, 3), dtype=np.uint8)
            Image.fromarray(noise).save(folder / f"{row}.png")
        times = []
        for _ in range(2):  # the second time no disk is waited for
            start = time.process_time()
            table = errata.tables.read_pictures(place)
            named = time.process_time()
            for name in table["picture"].to_pylist():
                with Image.open(name) as picture:
                    picture.convert("RGB").load()
            opened = time.process_time()
            errata.tables.features_of(table, drop=["label"])
            times.append((named - start, opened - named, time.process_time() - opened))
    names, opening, features = times[-1]
    print(f"{n:,} pictures: names {names / opening:.2f} x, features {features / opening:.2f} x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--speed", action="store_true")
    asked = parser.parse_args()
    if asked.speed:
        speed(20_000)
    else:
        compare(asked.rows, asked.seeds)
