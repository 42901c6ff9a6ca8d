"""Keys and labels as they are shown: which key does what, and names that nobody could see."""

from collections.abc import Mapping
from typing import Any

from ..._format import join_names
from ...audit_folder.decisions import from_text

# As browsers name them; what a person sees of them is in `format_key`.
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
_SIGNS = {"ArrowLeft": "←", "ArrowRight": "→", "Space": "space"}


def read_keys(text: str | None) -> dict[str, tuple[str, ...]]:
    """The keys with changes such as ``accept=Enter,keep=x``.

    >>> read_keys("keep=j")["keep"]
    ('j',)
    >>> read_keys("keep=a")
    Traceback (most recent call last):
    ValueError: the key a would do two things, accept and keep; give each a key of its own.
    """
    changes = dict(_read_change(part) for part in (text or "").split(",") if part)
    return check_keys({**KEYS, **{action: (key,) for action, key in changes.items()}})


def _read_change(part: str) -> tuple[str, str]:
    action, _, key = part.partition("=")
    if action not in KEYS:
        raise ValueError(f"there is no action {action!r} to give a key to; {join_names(KEYS)}.")
    if not key or key in DIGITS:
        raise ValueError(f"{part!r} names no key for {action}; write it as in accept=Enter.")
    return action, key.lower() if len(key) == 1 else key


def check_keys(keys: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The keys, each of which does one thing."""
    owner: dict[str, str] = {}
    for action, names in keys.items():
        for name in names:
            if owner.setdefault(name, action) != action:
                raise ValueError(
                    f"the key {name} would do two things, {owner[name]} and {action}; "
                    "give each a key of its own."
                )
    return dict(keys)


def format_key(name: str) -> str:
    """A key as it is written on a button.

    >>> format_key("ArrowLeft"), format_key("Shift+u"), format_key("a")
    ('←', 'Shift+U', 'A')
    """
    head, plus, last = name.rpartition("+")
    last = _SIGNS.get(last, last.upper() if len(last) == 1 else last)
    return f"{head}{plus}{last}"


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
