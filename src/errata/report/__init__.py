"""Look at what was found: HTML pages that work offline, each from a dict that is valid JSON."""

from ._render import ReportFrame, render, write_comparison_page, write_report
from ._words import summary_in_markdown

__all__ = [
    "render",
    "write_report",
    "write_comparison_page",
    "summary_in_markdown",
    "ReportFrame",
]
