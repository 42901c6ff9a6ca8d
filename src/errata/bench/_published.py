"""The published numbers, carried along as data."""

import csv
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Published:
    """Which published table an experiment is compared with, and how often its authors repeated it.

    ``file`` is a name of :func:`list_published`; ``tables`` restricts it to some tables of the
    paper.
    """

    file: str
    repetitions: int
    tables: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """The published numbers as records, those without a number left out."""
        rows = [row for row in load_published(self.file) if row.get("mean") is not None]
        return [row for row in rows if not self.tables or row["table"] in self.tables]


def list_published() -> list[str]:
    """Names of the tables of published numbers.

    Examples
    --------
    >>> "walmsley_2017_accuracy" in list_published()
    True
    """
    entries = (files("errata.bench") / "published").iterdir()
    return sorted(e.name.removesuffix(".csv") for e in entries if e.name.endswith(".csv"))


def load_published(name: str) -> list[dict[str, Any]]:
    """Read one table of published numbers: a list of records, None where nothing was printed.

    Noise levels are fractions; metrics say whether they are percentages.

    Examples
    --------
    >>> first = load_published("walmsley_2017_accuracy")[0]
    >>> first["dataset"], first["method"], first["noise_level"], first["mean"], first["std"]
    ('pima', 'Perceptron', 0.0, 68.6, 2.49)
    """
    if name not in list_published():
        raise ValueError(
            f"no published table is called {name!r}; there are {', '.join(list_published())}."
        )
    with (files("errata.bench") / "published" / f"{name}.csv").open(encoding="utf-8") as stream:
        return [{k: _value(k, v) for k, v in row.items()} for row in csv.DictReader(stream)]


def _value(column: str, text: str) -> Any:
    """Numbers as floats; names stay text even where they look like numbers (table 4.10)."""
    if text == "":
        return None
    if column in ("paper", "table", "section", "location", "dataset", "method"):
        return text
    try:
        return float(text)
    except ValueError:
        return text
