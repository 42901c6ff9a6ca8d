"""Write what a run found: the comparison as Markdown and as pictures, and the experiment's own."""

from pathlib import Path
from typing import Any, NamedTuple

from .._files import atomic_path
from ..exceptions import MissingExtraError
from ._beside_published import BesidePublished, beside_published
from ._experiment import Experiment
from ._present import detail_table, plot_comparison, sentence, summary_table, to_markdown, to_rich


class Report(NamedTuple):
    """A table for the terminal (None without published numbers), sentences, the files written."""

    summary: Any
    sentences: list[str]
    files: list[Path]


def write_comparison(experiment: Experiment, results: list[dict], out: str | Path) -> Report:
    """Compare results with the published numbers; write comparison.md and pictures.

    There is one picture per metric, and whatever the experiment illustrates itself. Pictures need
    the ``report`` extra; without it they are left out, and a sentence says so.
    """
    out = Path(out)
    files = [out / "results.csv", out / "manifest.json"]
    comparisons = beside_published(results, experiment.published) if experiment.published else []
    summary, sentences = None, [f"{len(results)} measurements; none of them was published."]
    if comparisons:
        summary, sentences = to_rich(summary_table(comparisons)), [sentence(comparisons)]
        files.append(out / "comparison.md")
        _write_markdown(experiment.title, comparisons, files[-1])
    # Numbers first: a missing extra must not cost a run its tables.
    try:
        files += _draw(experiment, results, comparisons, out)
    except MissingExtraError as error:
        sentences.append(f"No pictures: {error}.")
    return Report(summary, sentences, files)


def _write_markdown(title: str, comparisons: list[BesidePublished], path: Path) -> None:
    parts = [f"# {title}", sentence(comparisons)]
    for table in (summary_table(comparisons), detail_table(comparisons)):
        parts += [f"## {table.title}", to_markdown(table)]
    with atomic_path(path) as temporary:
        temporary.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _draw(
    experiment: Experiment, results: list[dict], comparisons: list[BesidePublished], out: Path
) -> list[Path]:
    files = []
    for metric in dict.fromkeys(c.metric for c in comparisons):
        files.append(out / f"{metric}.png")
        with atomic_path(files[-1]) as temporary:
            of_metric = [c for c in comparisons if c.metric == metric]
            plot_comparison(of_metric, temporary, title=experiment.title)
    return files + (experiment.illustrate(results, out) if experiment.illustrate else [])
