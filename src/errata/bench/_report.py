"""Write what a run found: the comparison as Markdown and as a picture, and the experiment's own."""

from pathlib import Path
from typing import Any, NamedTuple

from ..tables import atomic_path
from ._compare import compare
from ._experiment import Experiment
from ._present import detail_table, plot_comparison, summary_table, to_markdown, to_rich, verdict


class Report(NamedTuple):
    """A table for the terminal (None without published numbers), a sentence, the files written."""

    summary: Any
    verdict: str
    files: list[Path]


def write_report(experiment: Experiment, results: list[dict], out: str | Path) -> Report:
    """Compare results with the published numbers; write comparison.md and pictures.

    There is one picture per metric, and whatever the experiment illustrates itself. Pictures need
    the ``report`` extra.
    """
    out = Path(out)
    files = [out / "results.csv", out / "manifest.json"]
    comparisons = compare(results, experiment.published) if experiment.published else []
    if experiment.illustrate is not None:
        files += experiment.illustrate(results, out)
    if not comparisons:
        return Report(None, f"{len(results)} measurements; none was published.", files)
    summary, sentence = summary_table(comparisons), verdict(comparisons)
    files.append(out / "comparison.md")
    with atomic_path(files[-1]) as temporary:
        parts = [f"# {experiment.title}", sentence]
        for table in (summary, detail_table(comparisons)):
            parts += [f"## {table.title}", to_markdown(table)]
        temporary.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    for metric in dict.fromkeys(c.metric for c in comparisons):
        files.append(out / f"{metric}.png")
        with atomic_path(files[-1]) as temporary:
            of_metric = [c for c in comparisons if c.metric == metric]
            plot_comparison(of_metric, temporary, title=experiment.title)
    return Report(to_rich(summary), sentence, files)
