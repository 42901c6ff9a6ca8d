"""Keys and labels as they are shown: which key does what, and names that nobody could see."""

from typing import Any

from ...audit_folder.decisions import from_text

# As browsers name them.
KEYS: dict[str, tuple[str, ...]] = {
    "accept": ("a", "Enter"),
    "keep": ("k", "x"),
    "ambiguous": ("m",),
    "unusable": ("d",),
    "skip": ("s", "Space"),
    "undo": ("u", "Backspace", "Ctrl+z"),
    "redo": ("Shift+u", "Ctrl+Shift+z"),
    "type": ("c",),
    "save": ("w",),
    "note": ("n",),
    "previous": ("ArrowLeft",),
    "next": ("ArrowRight",),
    "evidence": ("e",),
    "zoom": ("z",),
    "filter": ("f",),
    "list": ("l",),
    "history": ("h",),
    "bulk": ("b",),
    "help": ("?",),
}
DIGITS = "1234567890"


def format_name(value: Any) -> str:
    """A label or class in words.

    >>> format_name("cat"), format_name(3), format_name(""), format_name("  "), format_name(None)
    ('cat', '3', '(empty text)', '(2 spaces)', '(no label)')
    >>> format_name(420.0), format_name(["cat", "dog"]), format_name([])
    ('420', 'cat; dog', '(none)')
    """
    if value is None:
        return "(no label)"
    if isinstance(value, list):
        return "; ".join(map(format_name, value)) or "(none)"
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    if text.strip():
        return text
    blanks = f"({len(text)} space{'s' if len(text) > 1 else ''})"
    return blanks if text else "(empty text)"


def format_class(text: str | None) -> str:
    """A class as decisions keep it, in words; empty where there is none.

    >>> format_class('"cat"'), format_class("true"), format_class(None)
    ('cat', 'True', '')
    """
    return "" if text is None else format_name(from_text(text))


def format_field(text: str) -> str:
    r"""A class as a form holds it: JSON without characters that a page would write out.

    >>> print(format_field('"a\x7f"'))
    "a\u007f"
    """
    return text.replace("\x7f", "\\u007f")
