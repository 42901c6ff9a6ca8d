"""``errata reproduce``: run a published experiment and put our numbers beside the published."""

from pathlib import Path

import click
from rich.table import Table

import errata

from .._format import count
from ._common import clean_up, explain_resuming, make_console, show_bar
from ._options import CLUSTER_OPTIONS, JOBS, PATH, SEED, add_options, open_engine


@click.command()
@click.argument("name", required=False)
@click.option("--status", is_flag=True, help="List how far each experiment is in this folder.")
@click.option("--quick", is_flag=True, help="A part of the grid, in about a minute.")
@click.option("--dataset", multiple=True, help="Only this data set; may be given again.")
@click.option("--repetitions", type=int, help="Instead of the experiment's own number.")
@click.option(
    "--data",
    type=PATH,
    help="Folder of CSV data sets. [default: $ERRATA_DATA]",
)
@click.option(
    "--out",
    type=PATH,
    help="Folder for results. [default: reproductions/NAME]",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of every draw.")
@click.option(
    "--jobs",
    type=JOBS,
    default=-1,
    show_default=True,
    help="Cells measured at the same time; -1 for one per core.",
)
@add_options(CLUSTER_OPTIONS)
def reproduce(
    name: str | None,
    status: bool,
    quick: bool,
    dataset: tuple[str, ...],
    repetitions: int | None,
    data: Path | None,
    out: Path | None,
    seed: int,
    jobs: int,
    engine: str | None,
    scheduler: str | None,
) -> None:
    """Run the published experiment NAME, or list them.

    Results are written as they come: a run that was stopped goes on where it was when the same
    command is given again. The folder holds results.csv, manifest.json (versions, seed,
    parameters), and our numbers beside the published ones in comparison.md and in pictures. Where
    data are their authors' own, the data sets that --data lacks are named and left out.
    """
    if status:
        _print_status(name, out)
        return
    if name is None:
        _print_list()
        return
    experiment = errata.bench.get_experiment(name)
    experiment = experiment.quickly() if quick else experiment
    experiment = experiment.part(datasets=dataset or None, repetitions=repetitions)
    left_out: list[str] = []
    if not dataset:
        experiment, left_out = experiment.part_in(data)
    out = out or Path("reproductions") / experiment.name
    clean_up(out)
    terminal = make_console()
    with (
        explain_resuming(),
        open_engine(engine, scheduler) as cluster,
        show_bar(terminal, experiment.title) as progress,
    ):
        results = errata.bench.run_experiment(
            experiment,
            out,
            folder=data,
            seed=seed,
            n_jobs=jobs,
            progress=progress,
            engine=cluster,
        )
    report = errata.bench.write_comparison(experiment, results, out)
    if report.summary is not None:
        terminal.print(report.summary)
    terminal.print(*report.sentences, sep="\n")
    if left_out:
        terminal.print(f"Not in the data folder, and left out: {', '.join(left_out)}.")
    terminal.print(f"Written: {', '.join(map(str, report.files))}", soft_wrap=True)


def _print_list() -> None:
    table = Table("name", "experiment", "data sets", "methods", "measurements")
    for experiment in errata.bench.list_experiments():
        cells = sum(1 for _ in experiment.cells())
        sizes = map(str, (len(experiment.datasets), len(experiment.methods), cells))
        table.add_row(experiment.name, experiment.title, *sizes)
    make_console().print(table)


def _print_status(name: str | None, out: Path | None) -> None:
    table = Table("name", "experiment", "measured", "of", "runs of a cell")
    experiments = errata.bench.list_experiments()
    for experiment in experiments if name is None else [errata.bench.get_experiment(name)]:
        folder = (out or Path("reproductions")) / experiment.name
        if name is not None and out is not None:
            folder = out
        status = errata.bench.read_status(experiment, folder)
        runs = f"{status['fewest']} to {status['most']} of {experiment.repetitions}"
        table.add_row(
            experiment.name,
            experiment.title,
            count(status["measured"]),
            count(status["cells"]),
            runs if status["measured"] else "-",
        )
    make_console().print(table)
