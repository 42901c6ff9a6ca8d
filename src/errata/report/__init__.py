"""Look at an audit: one HTML page that works offline, from a plain dict that is valid JSON."""

from ._images import pixels_uri, thumbnail_uri
from ._render import render, write_report
from ._words import answer

__all__ = ["render", "write_report", "answer", "pixels_uri", "thumbnail_uri"]
