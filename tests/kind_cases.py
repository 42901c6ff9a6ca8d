"""A small table for each kind of audit, and the options by which ``errata audit`` knows it."""

import numpy as np

from auditing.multilabel_cases import flipped, pets
from auditing.vote_cases import crowd
from cli.command_line import invoke
from errata.tables import write_table

KINDS = ("classes", "numbers", "votes", "multilabel")
OPTIONS = {
    "classes": ("--label", "pet", "--id", "tag"),
    "numbers": ("--target", "price", "--id", "home"),
    "votes": ("--item", "item", "--worker", "worker", "--label", "label"),
    "multilabel": ("--labels", "is_*", "--id", "tag"),
}
WRONG = (3, 40)  # labels of classes
WRONG_PRICES = [5, 40, 77]


def classes(n=60):
    """Cats are light and dogs are heavy, but for two labels that are wrong."""
    random, dog = np.random.default_rng(0), np.arange(n) % 2
    pet, wrong = np.where(dog, "dog", "cat"), list(WRONG)
    pet[wrong] = np.where(dog[wrong], "cat", "dog")
    size = {name: (4 + 9 * dog + random.normal(size=n)).round(2) for name in ("weight", "ears")}
    return {**size, "tag": np.array([f"t{row}" for row in range(n)]), "pet": pet}


def homes(n=120):
    """Homes whose price depends on size and age; three prices are ten times too large."""
    random = np.random.default_rng(0)
    size, age = random.uniform(50, 200, n), random.uniform(0, 80, n)
    price = (100 + 2 * size - age + random.normal(0, 5, n)).round(1)
    price[WRONG_PRICES] = (10 * price[WRONG_PRICES]).round(1)
    return {
        "size": size.round(1),
        "age": age.round(1),
        "street": np.array([f"s{i // 4}" for i in range(n)]),
        "home": np.array([f"h{i}" for i in range(n)]),
        "price": price,
    }


def numbers():
    """Homes with two columns of numbers to learn from."""
    return {name: column for name, column in homes().items() if name != "street"}


def votes():
    """Of eight annotators, two of whom guess."""
    return crowd(60)[0]


def multilabel():
    """Three labels a row, some of them missing or wrongly set."""
    X, Y = pets(80)
    noisy, _ = flipped(Y, 0.05, 0.1)
    ones = {f"is_{name}": noisy[:, place] for place, name in enumerate(("ant", "bee", "cow"))}
    columns = {f"x{place}": column for place, column in enumerate(X.T)}
    return {**columns, "tag": np.array([f"t{row}" for row in range(len(X))]), **ones}


TABLES = {"classes": classes, "numbers": numbers, "votes": votes, "multilabel": multilabel}


def written_kind(kind, folder, name=None, **changes):
    """The table of a kind, with some columns changed, as a file."""
    path = folder / f"{name or kind}.csv"
    write_table(path, TABLES[kind]() | changes)
    return path


def audited_kind(kind, table, *more):
    """Audit a table by the command line; the folder, and what the command said."""
    result = invoke("audit", table, *OPTIONS[kind], *more)
    assert result.exit_code == 0, result.output
    return table.with_suffix(".audit"), result
