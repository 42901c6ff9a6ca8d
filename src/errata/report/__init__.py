"""Look at what was found: HTML pages that work offline, each from a dict that is valid JSON."""

from ._folder import write_audit
from ._render import (
    ReportFrame,
    render,
    render_first_screen,
    summary_in_markdown,
    write_comparison_page,
    write_report,
)

__all__ = [
    "render",
    "render_first_screen",
    "write_report",
    "write_audit",
    "write_comparison_page",
    "summary_in_markdown",
    "ReportFrame",
]
