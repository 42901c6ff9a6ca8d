"""Labels as they are shown: also those that nobody could see."""

from typing import Any

from ..decisions import from_text


def shown_name(value: Any) -> str:
    """A label or class in words.

    >>> shown_name("cat"), shown_name(3), shown_name(""), shown_name("  "), shown_name(None)
    ('cat', '3', '(empty text)', '(2 spaces)', '(no label)')
    >>> shown_name(420.0), shown_name(["cat", "dog"]), shown_name([])
    ('420', 'cat; dog', '(none)')
    """
    if value is None:
        return "(no label)"
    if isinstance(value, list):
        return "; ".join(map(shown_name, value)) or "(none)"
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    if text.strip():
        return text
    blanks = f"({len(text)} space{'s' if len(text) > 1 else ''})"
    return blanks if text else "(empty text)"


def name_of_text(text: str | None) -> str:
    """The same of a class as decisions keep it; empty where there is none.

    >>> name_of_text('"cat"'), name_of_text("true"), name_of_text(None)
    ('cat', 'True', '')
    """
    return "" if text is None else shown_name(from_text(text))


def field_text(text: str) -> str:
    r"""A class as a form holds it: JSON without characters that a page would write out.

    >>> print(field_text('"a\x7f"'))
    "a\u007f"
    """
    return text.replace("\x7f", "\\u007f")
