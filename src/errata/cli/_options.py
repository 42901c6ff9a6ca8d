"""What a command was asked for, in the terms of the library, and where it does its work."""

import inspect
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pkgutil import resolve_name
from typing import Any

import click

MODELS = ("logistic", "forest", "boosting")


class TitledOption(click.Option):
    """An option that the help shows under a title; unless ``common``, only ``--help-all`` does."""

    def __init__(self, *names: Any, title: str, common: bool = False, **how: Any) -> None:
        super().__init__(*names, **how)
        self.title = title
        self.common = common


class TitledCommand(click.Command):
    """A command whose help fits a screen, with options under titles; ``--help-all`` shows the rest.

    The help proper is what stands before a form feed, with the first sentence on each common
    option.
    """

    def __init__(self, *names: Any, **how: Any) -> None:
        super().__init__(*names, **how)
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all_help,
                help="Show every option, what each is for, and what is written.",
            )
        )

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does."""
        parts = inspect.cleandoc(self.help or "").split("\f")
        for part in parts if _shows_all(ctx) else parts[:1]:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(part.strip("\n"))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options; those without a title, as --help, come last."""
        titles: dict[str, list[tuple[str, str]]] = {}
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for option in sorted(options, key=lambda each: not isinstance(each, TitledOption)):
            record = option.get_help_record(ctx)
            if record is None or not (_shows_all(ctx) or getattr(option, "common", True)):
                continue
            if not _shows_all(ctx):
                record = record[0], re.sub(r"(?<=\.) [A-Z].*", "", record[1])
            titles.setdefault(getattr(option, "title", "Help"), []).append(record)
        for title, records in titles.items():
            with formatter.section(title):
                formatter.write_dl(records)


def _shows_all(ctx: click.Context) -> bool:
    return bool(ctx.meta.get("errata.help_all"))


def _show_all_help(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta["errata.help_all"] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


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


# What the library calls an option, where that is not its own name.
ARGUMENTS = {
    "group": "groups",
    "name": "ids",
    "pixels": "image_shape",
    "model": "estimator",
    "seed": "random_state",
    "jobs": "n_jobs",
    "pair": "pairs",
    "per_row": "exact",
}


def read_arguments(options: dict[str, Any]) -> dict[str, Any]:
    """Options of ``errata audit`` as arguments of the library."""
    renamed = {ARGUMENTS.get(name, name): value for name, value in options.items()}
    del renamed["model_args"]
    return renamed | {
        "self_check": not renamed.pop("no_self_check"),
        "image_shape": _read_size(options["pixels"]),
        "estimator": _make_estimator(
            options["model"], options["model_args"], options["seed"], options["jobs"]
        ),
    }


def name_options(sentence: str) -> str:
    """A sentence of the library in terms of the command line.

    >>> name_options("`ids` and `pred_proba` cannot both be given.")
    '--id and --pred-proba cannot both be given.'
    """
    options = {argument: option for option, argument in ARGUMENTS.items()} | {"ids": "id"}

    def spell(argument: re.Match[str]) -> str:
        name = options.get(argument[1], argument[1])
        return f"--{name.replace('_', '-')}"

    return re.sub("`([a-z_]+)`", spell, sentence)


def _read_size(pixels: str | None) -> tuple[int, ...] | None:
    """Height, width and perhaps colours of rows that are pictures."""
    if pixels is None:
        return None
    if not re.fullmatch(r"[1-9]\d*(x[1-9]\d*){1,2}", pixels.lower()):
        raise ValueError(f"--pixels {pixels} is not a size; write height and width as in 28x28.")
    return tuple(map(int, pixels.lower().split("x")))


def _make_estimator(model: str | None, arguments: str | None, seed: int, jobs: int) -> Any:
    """A classifier: one of scikit-learn's with settings that suit most tables, or any class."""
    if model is None:
        if arguments is not None:
            raise ValueError("--model-args are those of --model; name one, as module:Class.")
        return None
    if ":" in model:
        return _make_named(model, arguments)
    if model not in MODELS:
        raise ValueError(
            f"--model {model} is none of {', '.join(MODELS)}; write another as module:Class."
        )
    if arguments is not None:
        raise ValueError(
            f"--model-args are for a class of yours, and --model {model} has its settings."
        )
    # Here, as importing scikit-learn takes longer than showing the help should.
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if model == "logistic":
        # Unscaled, a feature in large units would stop the solver before it converges.
        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    if model == "forest":
        return RandomForestClassifier(200, min_samples_leaf=2, random_state=seed, n_jobs=jobs)
    return HistGradientBoostingClassifier(random_state=seed)


def _make_named(model: str, arguments: str | None) -> Any:
    """An instance of an installed class, as in lightgbm:LGBMClassifier."""
    try:
        settings = json.loads(arguments or "{}")
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"--model-args {arguments} is not JSON: {error}.") from error
    if not isinstance(settings, dict):
        raise ValueError(f'--model-args {arguments} must be as in {{"n_estimators": 200}}.')
    try:
        named = resolve_name(model)
    except ImportError as error:
        raise ValueError(
            f"--model {model} cannot be imported: {error}; it must be installed beside errata."
        ) from error
    except (AttributeError, ValueError) as error:
        raise ValueError(f"--model {model} names no class of an installed module.") from error
    # Looked at before it is called: anything else that a module holds might do anything.
    if not (isinstance(named, type) and hasattr(named, "fit") and hasattr(named, "predict_proba")):
        raise ValueError(f"--model {model} is no classifier with fit and predict_proba.")
    try:
        return named(**settings)
    except (TypeError, ValueError) as error:
        raise ValueError(f"--model {model} does not take --model-args: {error}.") from error


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
    """The ``engine`` of the library: None, or the client of a cluster, which has answered."""
    if engine is None:
        if scheduler is not None:
            raise ValueError("--scheduler names a Dask cluster, so it needs --engine dask.")
        yield None
        return
    # Here, as importing the library takes longer than showing the help should.
    from .._engine import connect, start_local_client

    with start_local_client() if scheduler is None else connect(scheduler) as client:
        yield client
