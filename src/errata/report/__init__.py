"""Look at what was found: HTML pages that work offline, each from a dict that is valid JSON."""

from ._render import (
    ReportFrame,
    render,
    render_first_screen,
    write_comparison_page,
    write_report,
)
from ._words import summary_in_markdown

__all__ = [
    "render",
    "render_first_screen",
    "write_report",
    "write_comparison_page",
    "summary_in_markdown",
    "ReportFrame",
]
