"""What an audit found, as one JSON object on standard output."""

import json
from pathlib import Path
from typing import Any

from .._sentences import answer, notes
from ._console import say

FOR_THE_PAGE = ("map", "points", "band")  # thousands of points to draw
OF_A_ROW = ("row", "id", "label", "suggested", "p_wrong", "flagged", "reasons")  # without pictures


def print_as_json(found: Any, since: Any, folder: Path) -> None:
    """Print the summary, but for what is drawn; notes go to standard error, too."""
    summary = found.summary()
    for note in notes(summary):
        say(f"Note: {note}", err=True)
    told = {name: value for name, value in summary.items() if name not in FOR_THE_PAGE} | {
        "answer": answer(summary),
        "examples": [{name: row[name] for name in OF_A_ROW} for row in summary["examples"]],
        "metrics": found.metrics(),
        "diff": None if since is None else since.to_dict(),
        "folder": str(folder),
    }
    say(json.dumps(told, indent=2, allow_nan=False))
