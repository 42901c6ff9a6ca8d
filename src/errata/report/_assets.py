"""The style and the script that a page carries, put together from their parts."""

import base64
import hashlib
from importlib.resources import files

STYLES = [
    *("tokens", "base", "charts", "classes", "examples", "small", "print"),
    *("stretches", "targets", "votes", "multilabel"),
]
COMPARISON_STYLES = ["tokens", "base", "compare", "small", "print"]

# Helpers first, `main` last; they share one scope, so what a part uses stands before it.
SCRIPTS = [
    *("dom", "theme", "tooltip", "cuts", "curve", "map", "legend"),
    *("select", "detail", "rows", "export", "examples", "classes", "stretches", "main"),
]


def page_style() -> str:
    """The sheets of a report."""
    return themed_style(STYLES)


def comparison_style() -> str:
    """The sheets of a comparison."""
    return themed_style(COMPARISON_STYLES)


def themed_style(names: list[str], more: str = "") -> str:
    """Sheets, and the dark colours twice: where the system asks for them, or the reader."""
    sheets = [*(_source("style", f"{name}.css") for name in names), more]
    # A media query and a selector cannot share one rule in CSS.
    dark = _source("style", "dark.css")
    system = f':root:not([data-theme="light"]) {{\n{dark}}}'
    reader = f':root[data-theme="dark"] {{\n{dark}}}'
    sheets.append(f"@media screen and (prefers-color-scheme: dark) {{\n{system}\n}}")
    sheets.append(f"@media screen {{\n{reader}\n}}")
    return "\n".join(sheets)


def page_script() -> str:
    """The parts of the script in one scope of their own."""
    parts = "\n".join(_source("script", f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


def script_hash(script: str) -> str:
    """The name by which the page's policy knows its one script."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def _source(folder: str, name: str) -> str:
    return files(__package__).joinpath("templates", folder, name).read_text(encoding="utf-8")
