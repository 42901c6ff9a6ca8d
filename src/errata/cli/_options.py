"""What a command was asked for, in the terms of the library, and where it does its work."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import errata

MODELS = ("logistic", "forest", "boosting")


class TitledOption(click.Option):
    """An option that the help shows under a title."""

    def __init__(self, *names: Any, title: str, **how: Any) -> None:
        super().__init__(*names, **how)
        self.title = title


class TitledCommand(click.Command):
    """A command whose help shows its options under titles, in the order in which they come."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options; those without a title, as --help, come last."""
        titles: dict[str, list[tuple[str, str]]] = {}
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for option in sorted(options, key=lambda each: not isinstance(each, TitledOption)):
            record = option.get_help_record(ctx)
            if record is not None:
                title = getattr(option, "title", "Help")
                titles.setdefault(title, []).append(record)
        for title, records in titles.items():
            with formatter.section(title):
                formatter.write_dl(records)


class _Number(click.FloatRange):
    """A number from 0 on, which "nan" is not, whatever it is compared with."""

    def __init__(self, words: str, high: float, *, min_open: bool = False) -> None:
        super().__init__(0, high, min_open=min_open)
        self.words = words

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is not in the range {self.words}.", param, ctx)
        return number


class _Jobs(click.ParamType):
    """How many things to do at the same time; more than there are cores would only cost memory."""

    name = "integer"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        number = click.INT.convert(value, param, ctx)
        if number == 0:
            self.fail("0 would do nothing; give 1 or more, or -1 for all cores.", param, ctx)
        return min(number, os.cpu_count() or 1)


FRACTION = _Number("0<=x<=1", 1)
FREQUENCY = _Number("0<x<=1000000000", 10**9, min_open=True)
JOBS = _Jobs()
SEED = click.IntRange(0, 2**32 - 1)  # as NumPy's and scikit-learn's are


@dataclass(frozen=True)
class Options:
    """The options of ``errata audit`` that say how the table is audited."""

    label: str  # empty where there is none
    target: str | None
    labels: tuple[str, ...]
    item: str | None
    worker: str | None
    features: Path | None
    drop: tuple[str, ...]
    trust: tuple[str, ...]
    group: str | None
    sequence: str | None
    wavelets: tuple[str, ...]
    fs: float | None
    band: tuple[float, float] | None
    known: str | None
    decisions: Path | None
    name: str | None
    by: str | None
    precision: float | None
    no_self_check: bool
    pixels: str | None
    embeddings: Path | None
    pred_proba: Path | None
    model: str | None
    seed: int
    jobs: int

    @property
    def left_out(self) -> dict[str, str]:
        """The columns that models do not see, with the option that says so."""
        named = {
            "--drop": self.drop,
            "--group": (self.group,),
            "--sequence": (self.sequence,),
            "--known": (self.known,),
            "--id": (self.name,),
            "--by": (self.by,),
        }
        return {key: option for option, keys in named.items() for key in keys if key is not None}

    @property
    def image_shape(self) -> tuple[int, ...] | None:
        """Height, width and perhaps colours of rows that are pictures."""
        if self.pixels is None:
            return None
        if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", self.pixels.lower()):
            raise ValueError(
                f"--pixels {self.pixels} is not a size; write height and width as in 28x28."
            )
        return tuple(map(int, self.pixels.lower().split("x")))

    def check_sequence(self) -> None:
        """Raise when options do not go together: an option without effect would mislead."""
        if self.sequence is None:
            alone = {"--wavelets": self.wavelets, "--fs": self.fs, "--band": self.band}
            for option, value in alone.items():
                if value:
                    raise ValueError(f"{option} is for recordings; name them with --sequence.")
            return
        if self.group is not None:
            raise ValueError(
                "--sequence and --group cannot both be given; recordings are left out together "
                "already."
            )
        if self.pixels is not None:
            raise ValueError(
                "--sequence and --pixels cannot both be given; a recording is drawn over time."
            )
        if (self.fs or self.band) and not self.wavelets:
            raise ValueError("--fs and --band belong to --wavelets; name the signal there.")
        if bool(self.fs) != bool(self.band):
            raise ValueError("--band takes frequencies in Hz, so it needs --fs, and --fs needs it.")

    def again(self) -> list[str]:
        """What to type for the same audit again, besides the label and decisions."""
        several = {"--drop": self.drop, "--trust": self.trust, "--wavelets": self.wavelets}
        single = {
            "--item": self.item,
            "--worker": self.worker,
            "--features": self.features,
            "--group": self.group,
            "--sequence": self.sequence,
            "--fs": self.fs,
            "--known": self.known,
            "--id": self.name,
            "--by": self.by,
            "--precision": self.precision,
            "--pixels": self.pixels,
            "--embeddings": self.embeddings and self.embeddings.resolve(),
            "--pred-proba": self.pred_proba and self.pred_proba.resolve(),
            "--model": self.model,
            "--seed": self.seed,
            "--jobs": self.jobs,
        }
        return [
            *(f"{option}={value}" for option, values in several.items() for value in values),
            *(f"{option}={value}" for option, value in single.items() if value is not None),
            *([] if self.band is None else ["--band", *map(str, self.band)]),
            *(["--no-self-check"] if self.no_self_check else []),
        ]

    def wavelet_features(self) -> Any:
        """What models look at instead of the signals; None for the signals themselves."""
        if not self.wavelets:
            return None
        features = errata.sequence.WaveletFeatures
        return features(fs=self.fs, band=self.band) if self.fs else features(band=None)

    def estimator(self) -> Any:
        """One of scikit-learn's classifiers, with settings that suit most tables."""
        if self.model is None:
            return None
        # Here, as importing scikit-learn takes longer than showing the help should.
        from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        if self.model == "logistic":
            # Unscaled, a feature in large units would stop the solver before it converges.
            return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
        if self.model == "forest":
            return RandomForestClassifier(
                200, min_samples_leaf=2, random_state=self.seed, n_jobs=self.jobs
            )
        return HistGradientBoostingClassifier(random_state=self.seed)


def add_cluster_options(option: Callable[..., Any] = click.option) -> Callable[..., Any]:
    """Add ``--engine`` and ``--scheduler`` to a command."""
    engine = option(
        "--engine",
        type=click.Choice(["dask"]),
        help="Work on a Dask cluster, of this machine's cores unless --scheduler names another.",
    )
    scheduler = option(
        "--scheduler", metavar="ADDRESS", help="Of a Dask cluster, as in tcp://10.0.0.1:8786."
    )
    return lambda command: engine(scheduler(command))


@contextmanager
def open_engine(engine: str | None, scheduler: str | None) -> Iterator[Any]:
    """What the library calls ``engine``: None, or the client of a cluster, which has answered."""
    if engine is None:
        if scheduler is not None:
            raise ValueError("--scheduler names a Dask cluster, so it needs --engine dask.")
        yield None
        return
    # Here, as importing the library takes longer than showing the help should.
    from .._engine import connect, start_local_client

    with start_local_client() if scheduler is None else connect(scheduler) as client:
        yield client
