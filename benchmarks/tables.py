"""How fast are tables, pictures and texts read, and what do their features find?

    python benchmarks/tables.py read                about two minutes on one core
    python benchmarks/tables.py pictures            about ten minutes
    python benchmarks/tables.py pictures --speed    20,000 tiny pictures, read and described
    python benchmarks/tables.py texts               about five minutes
    python benchmarks/tables.py texts comments.csv --text text --label kind

``read``: reading takes at most 2 x the processor time of `pyarrow.csv.read_csv`; encoding, and
making the same features of the same rows again, at most 1.5 x that of skrub's `TableVectorizer`;
and a table holds at most 3 x the bytes of the Arrow table with numbers as numbers, though every
cell is kept as the text it is. On one thread, times are the best of several, the candidates taking
turns. The vectorizer gets the table as pyarrow has parsed it; errata as it has read it, as text.

``pictures``: with a tenth of the labels made wrong, average precision of the audit by errata's
features and by 16 x 16 pixels in colour, on handwritten digits, pieces of two photographs
(scikit-learn's sample images), and letters, shapes and textures drawn here. The features were
chosen among a dozen on these sets, so other pictures may like them less.

``texts``: the same by 30 axes of pieces of words, by these and 30 of whole words, and by 60 of
pieces; on what functions of libraries say about themselves, and complaints put together of words at
random. A file may be given instead.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import importlib
import inspect
import multiprocessing
import pkgutil
import tempfile
import time
import tracemalloc
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pandas
import pyarrow
import skrub
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from pyarrow import csv
from runs import main, take_turns
from sklearn.datasets import load_digits, load_sample_images
from sklearn.metrics import average_precision_score

import errata
from errata.tables import features_of, read_table
from errata.tables._columns import column_array
from errata.tables.features import _encoders
from errata.tables.features._pictures import SIDE, describe_pictures, read_small_picture

# Reading and encoding.


pyarrow.set_cpu_count(1)
pyarrow.set_io_thread_count(1)

READING, ENCODING, APPLYING, MEMORY = 2.0, 1.5, 1.5, 3.0


def numeric(n, random):
    """Twenty measurements to six digits, and a label."""
    columns = {f"x{j}": random.normal(size=n).round(6) for j in range(20)}
    return columns | {"label": random.choice(["cat", "dog"], n)}


def precise(n, random):
    """The same as Python writes floats, seventeen digits: the worst case for text in memory."""
    return {f"x{j}": random.normal(size=n) for j in range(21)}


def mixed(n, random):
    """Numbers, categories, dates, free text, empty cells."""
    words = ["the", "a", "small", "large", "grey", "old", "young", "cat", "dog", "sat", "ran", "on"]
    columns = {f"x{j}": random.normal(size=n).round(4) for j in range(8)}
    columns |= {f"n{j}": random.integers(0, 50, n).astype(object) for j in range(4)}
    columns |= {f"c{j}": random.choice([f"kind {i}" for i in range(12)], n) for j in range(6)}
    day = np.datetime64("2020-01-01") + random.integers(0, 2000, n)
    columns["day"] = day.astype(str)
    columns["comment"] = [" ".join(random.choice(words, 8)) for _ in range(n)]
    for name in ("x0", "n0", "c0"):
        columns[name] = np.where(random.random(n) < 0.1, "", columns[name].astype(str))
    return columns


def long_cells(n, random):
    """A thousandth of the cells of one column holds 5,000 characters."""
    columns = numeric(n, random)
    columns["note"] = np.where(random.random(n) < 0.001, "x" * 5_000, "short").astype(object)
    return columns


TABLES = (numeric, precise, mixed, long_cells)


def arrow_read(path):
    return csv.read_csv(path, csv.ReadOptions(use_threads=False))


def vectorized(frame):
    return skrub.TableVectorizer().fit_transform(frame)


def compare_times(path, repeats):
    read, _ = take_turns({"ours": lambda: read_table(path), "arrow": lambda: arrow_read(path)}, 7)
    table, frame = read_table(path), arrow_read(path).to_pandas()
    encode, _ = take_turns(
        {"ours": lambda: features_of(table, random_state=0), "skrub": lambda: vectorized(frame)},
        repeats,
    )
    plan, fitted = features_of(table, random_state=0).plan, skrub.TableVectorizer().fit(frame)
    apply, _ = take_turns(
        {"ours": lambda: plan.apply(table), "skrub": lambda: fitted.transform(frame)}, repeats
    )
    return read, encode, apply


def watched(run, path, queue):
    """Put the most bytes that Arrow and Python hold at a time while ``run(path)`` goes on."""
    run(path.with_name("tiny.csv"))  # imports, which no table is to blame for
    tracemalloc.start()
    kept = run(path)
    queue.put(pyarrow.default_memory_pool().max_memory() + tracemalloc.get_traced_memory()[1])
    del kept


def memory(run, path):
    """The same in a process of its own, as Arrow remembers its highest."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=watched, args=(run, path, queue))
    process.start()
    highest = queue.get()
    process.join()
    return highest


def encode_file(path):
    table = read_table(path)
    return table, features_of(table, random_state=0)


def verdict(ratio, limit):
    return f"{ratio:5.2f} x {'' if ratio <= limit else f'(above {limit:g})'}"


def report(make, rows, folder, repeats):
    path = folder / f"{make.__name__}.csv"
    pandas.DataFrame(make(rows, np.random.default_rng(0))).to_csv(path, index=False)
    pandas.DataFrame(make(50, np.random.default_rng(1))).to_csv(folder / "tiny.csv", index=False)
    read, encode, apply = compare_times(path, repeats)
    typed, table = arrow_read(path).nbytes, read_table(path)
    features = features_of(table, random_state=0).X.nbytes
    print(f"{make.__name__}: {rows} rows, file {path.stat().st_size / 1e6:.1f} MB, "
          f"Arrow table {typed / 1e6:.1f} MB, features {features / 1e6:.1f} MB")  # fmt: skip
    print(f"  reading   {verdict(read['ours'] / read['arrow'], READING)} pyarrow.csv.read_csv")
    print(f"  encoding  {verdict(encode['ours'] / encode['skrub'], ENCODING)} TableVectorizer")
    print(f"  applying  {verdict(apply['ours'] / apply['skrub'], APPLYING)} its transform, "
          f"{rows / apply['ours']:.2g} rows a second")  # fmt: skip
    print(f"  held      {verdict(table.nbytes / typed, MEMORY)} Arrow table")
    ours, theirs = memory(read_table, path), memory(arrow_read, path)
    print(f"  peak      {verdict(ours / theirs, MEMORY)} pyarrow.csv.read_csv, when reading")
    peak = memory(encode_file, path)
    print(f"  peak      {verdict(peak / (typed + features), MEMORY)} Arrow table and features, "
          "when reading and encoding", flush=True)  # fmt: skip


def run_read():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--table", choices=[make.__name__ for make in TABLES])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for make in TABLES:
            if chosen.table in (None, make.__name__):
                report(make, chosen.rows, Path(folder), chosen.repeats)


# Pictures.


FONTS = Path(matplotlib.get_data_path(), "fonts", "ttf")
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
            small = np.stack([read_small_picture(picture) for picture in pictures])
            described = describe_pictures(small).astype(float)
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


def run_pictures():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--speed", action="store_true")
    asked = parser.parse_args()
    if asked.speed:
        speed(20_000)
    else:
        compare(asked.rows, asked.seeds)


# Texts.


LIBRARIES = ("sklearn", "scipy.stats", "pandas", "pyarrow", "matplotlib", "dask")
PARTS = ("scipy.signal", "scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.special", "numpy")
WORDS = {
    "billing": "invoice charge refund payment card price receipt bank fee paid",
    "login": "password account login reset email locked code sign user access",
    "shipping": "parcel delivery late courier address package arrived tracking box shipped",
    "bug": "crash error screen freeze button app update loading fails broken",
    "praise": "thanks great love nice helpful team happy best wonderful fast",
}
COMMON = "the a my i was is to on in it and when with please can you your this that for not have"


def said_by(names, random, most=120):
    texts, labels = [], []
    for name in names:
        found = sorted(said_within(name))
        picked = random.permutation(found)[:most].tolist()
        texts += picked
        labels += [name] * len(picked)
    return texts, np.array(labels)


def said_within(name):
    """First paragraphs of the docstrings of a package and of its modules."""
    package = importlib.import_module(name)
    modules = [package]
    for part in pkgutil.iter_modules(package.__path__):
        if not part.name.startswith(("_", "test", "conftest")):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    modules.append(importlib.import_module(f"{name}.{part.name}"))
                except Exception:  # what a library cannot import here is no matter
                    continue
    things = (thing for module in modules for thing in vars(module).values() if callable(thing))
    own = (t for t in things if str(getattr(t, "__module__", "")).startswith(name.split(".")[0]))
    said = {" ".join((inspect.getdoc(t) or "").split("\n\n")[0].split())[:200] for t in own}
    return {text for text in said if len(text) > 40}


def complaints(random, n=700):
    kinds, common = list(WORDS), COMMON.split()
    texts, labels = [], np.resize(kinds, n)
    for kind in labels:
        words = []
        for chance in random.random(random.integers(8, 22)):
            of = kind if chance < 0.13 else kinds[random.integers(5)]
            words.append(str(random.choice(WORDS[of].split() if chance < 0.23 else common)))
        texts.append(" ".join(misspelt(words, random)))
    return texts, labels


def misspelt(words, random):
    """In every other text, two letters of a word change places."""
    place = random.integers(len(words))
    word = words[place]
    if random.random() < 0.5 and len(word) > 3:
        at = random.integers(len(word) - 1)
        words[place] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return words


def features(texts, axes, with_words):
    kept = _encoders._DIMENSIONS, _encoders.are_sentences
    _encoders._DIMENSIONS = axes
    _encoders.are_sentences = lambda texts: with_words
    try:
        return errata.tables.features_of({"text": texts}, random_state=0).X
    finally:
        _encoders._DIMENSIONS, _encoders.are_sentences = kept


def texts_compare(name, texts, labels, seeds):
    ways = ((30, False), (30, True), (60, False))
    tables = [features(texts, *way) for way in ways]
    found = []
    for seed in range(seeds):
        noisy, flipped = errata.noise.flip_labels(labels, 0.1, random_state=seed)
        audits = [errata.audit(X, noisy, self_check=False, random_state=seed) for X in tables]
        found.append([average_precision_score(flipped, audit.suspicion) for audit in audits])
    print(f"{name:12} {len(texts):5}", *(f"{p:12.3f}" for p in np.mean(found, axis=0)), flush=True)


def run_texts():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--text", default="text")
    parser.add_argument("--label", default="label")
    parser.add_argument("--rows", type=int, default=700)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    random = np.random.default_rng(0)
    print(f"{'set':12} {'texts':>5} {'30 pieces':>12} {'and words':>12} {'60 pieces':>12}")
    if asked.file:
        table = errata.tables.read_table(asked.file)
        rows = random.permutation(table.num_rows)[: asked.rows]
        labels = column_array(table, asked.label)[rows]
        names, counts = np.unique(labels, return_counts=True)
        often = np.isin(labels, names[counts >= 10])
        texts = column_array(table, asked.text)[rows[often]].tolist()
        texts_compare("file", texts, labels[often], asked.seeds)
    else:
        for name, parts in (("libraries", LIBRARIES), ("parts", PARTS)):
            texts_compare(name, *said_by(parts, random), asked.seeds)
        texts_compare("complaints", *complaints(random), asked.seeds)


if __name__ == "__main__":
    main(__doc__, read=run_read, pictures=run_pictures, texts=run_texts)
