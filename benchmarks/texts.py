"""What axes of whole words find beside axes of their pieces.

    python benchmarks/texts.py                                    about five minutes on one core
    python benchmarks/texts.py comments.csv --text text --label kind

Claim: with a tenth of the labels made wrong, the audit ranks these better (average precision) by
30 axes of pieces of words and 30 of whole words than by 30 of pieces, on the mean over the sets; 60
axes of pieces do so on some, and harm on others.

Sets that every installation has: what functions of six libraries, and of six parts of SciPy and
NumPy, say about themselves, and complaints put together of words at random. A file may be given
instead.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import importlib
import inspect
import pkgutil
import warnings

import numpy as np
from sklearn.metrics import average_precision_score

import errata
from errata.tables._columns import column_array
from errata.tables.features import _encoders

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


def compare(name, texts, labels, seeds):
    ways = ((30, False), (30, True), (60, False))
    tables = [features(texts, *way) for way in ways]
    found = []
    for seed in range(seeds):
        noisy, flipped = errata.noise.flip_labels(labels, 0.1, random_state=seed)
        audits = [errata.audit(X, noisy, self_check=False, random_state=seed) for X in tables]
        found.append([average_precision_score(flipped, audit.suspicion) for audit in audits])
    print(f"{name:12} {len(texts):5}", *(f"{p:12.3f}" for p in np.mean(found, axis=0)), flush=True)


if __name__ == "__main__":
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
        compare("file", texts, labels[often], asked.seeds)
    else:
        for name, parts in (("libraries", LIBRARIES), ("parts", PARTS)):
            compare(name, *said_by(parts, random), asked.seeds)
        compare("complaints", *complaints(random), asked.seeds)
