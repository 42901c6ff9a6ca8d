"""Which key does what; a key presses the button that carries its name."""

from collections.abc import Mapping

from ..._format import listed

# As browsers name them; what a person sees of them is in `shown_key`.
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
    changes = dict(_change(part) for part in (text or "").split(",") if part)
    return checked_keys({**KEYS, **{action: (key,) for action, key in changes.items()}})


def _change(part: str) -> tuple[str, str]:
    action, _, key = part.partition("=")
    if action not in KEYS:
        raise ValueError(f"there is no action {action!r} to give a key to; {listed(KEYS)}.")
    if not key or key in DIGITS:
        raise ValueError(f"{part!r} names no key for {action}; write it as in accept=Enter.")
    return action, key.lower() if len(key) == 1 else key


def checked_keys(keys: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
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


def shown_key(name: str) -> str:
    """A key as it is written on a button.

    >>> shown_key("ArrowLeft"), shown_key("Shift+u"), shown_key("a")
    ('←', 'Shift+U', 'A')
    """
    head, plus, last = name.rpartition("+")
    last = _SIGNS.get(last, last.upper() if len(last) == 1 else last)
    return f"{head}{plus}{last}"
