"""What a person wants to see of single rows: a map, examples with reasons, stretches of time."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._examples import describe_examples, example_rows
from ._inputs import Display
from ._map import draw_map
from ._nearby import Neighborhood
from ._notes import notes_about_duplicates
from ._reasons import most_probable_others, reasons_for
from ._result import Audit
from ._views import View
from .sequences import SequenceInputs, draw_traces


class Showing(NamedTuple):
    """How rows of a table are shown."""

    look: Callable[[np.ndarray], View]  # at some rows
    display: Display
    seed: int
    n_jobs: int | None


def shown_rows(audit: Audit) -> np.ndarray:
    """The rows that are worth showing."""
    doubtful = audit.labelled if audit.known is None else audit.labelled & ~audit.known
    return example_rows(audit.suspicion, audit.flagged, doubtful)


def show(
    audit: Audit, rows: np.ndarray, showing: Showing, course: SequenceInputs | None = None
) -> None:
    """Add the map of the data, and the rows that are worth it or, in recordings, stretches."""
    view = showing.look(rows)
    places = view.places(rows)
    audit.points = view.in_table(_points(audit, view, places, showing.seed))
    if course is None:
        _show_rows(audit, view, places, showing)
    else:
        _show_stretches(audit, course)


def _points(audit: Audit, view: View, shown: np.ndarray, seed: int) -> dict[str, Any] | None:
    inputs = view.inputs
    if inputs.X is None or len(inputs.audited) < len(inputs.codes):
        return None
    flagged = view.of_all(vars(audit)["flagged"])
    drawn = {
        "label": inputs.codes,
        "suggested": np.where(flagged, inputs.present[view.posterior.other], inputs.codes),
        "p_wrong": view.p_wrong,
        "flagged": flagged,
    }
    return draw_map(inputs.X, shown, drawn, seed)


def _show_rows(audit: Audit, view: View, shown: np.ndarray, showing: Showing) -> None:
    """Add examples, and copies that disagree."""
    inputs, display, n_jobs = view.inputs, showing.display, showing.n_jobs
    near = Neighborhood(inputs, n_jobs=n_jobs).around(shown)
    reasons = reasons_for(shown, near, inputs, view.posterior.other, view.models)
    columns = {
        "label": inputs.labels,
        "suggested": most_probable_others(inputs, view.posterior.other),
        "p_wrong": view.p_wrong,
        "flagged": view.of_all(vars(audit)["flagged"]),
    }
    ids = display.row_names(len(audit))
    audit.examples = view.in_table(
        describe_examples(
            *(shown, reasons, near, columns, inputs, display.image_shape),
            ids=None if ids is None else view.of_all(ids),
            seed=showing.seed,
            n_jobs=n_jobs,
        )
    )
    audit.notes += notes_about_duplicates(audit.duplicates)


def _show_stretches(audit: Audit, course: SequenceInputs) -> None:
    """Add from where to where labels are wrong, and the signal there.

    A row by itself says little in recordings, and that others look like it is nothing unusual.
    """
    audit.timeline = course.timeline
    audit.traces = draw_traces(
        audit.stretch_columns(),
        course.signals,
        course.inputs.codes,
        course.timeline,
        labels=audit.labels,
        suggested=audit.suggested,
    )
