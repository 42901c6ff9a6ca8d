"""Look at an audit: one HTML page that works offline, from a plain dict that is valid JSON."""

from ._render import render, write_report

__all__ = ["render", "write_report"]
