"""Look at what was found: HTML pages that work offline, each from a dict that is valid JSON."""

from ._comparison import write_comparison_page
from ._frame import ReportFrame
from ._markdown_summary import summary_in_markdown
from ._render import render, write_report

__all__ = [
    "render",
    "write_report",
    "write_comparison_page",
    "summary_in_markdown",
    "ReportFrame",
]
