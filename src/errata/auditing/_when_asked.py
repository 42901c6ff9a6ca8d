"""Attributes that may be on disk: whoever asks for one gets an array, read at that moment."""

from collections.abc import Callable
from typing import Any, TypeVar

from ._stored_rows import StoredColumn

Class = TypeVar("Class", bound=type)


class _WhenAsked:
    """An attribute that holds an array, or a column on disk that is read whenever it is asked for.

    It is not kept: an array of all rows may be larger than the rest of the audit together.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        held = vars(instance)[self.name]
        return held[:] if isinstance(held, StoredColumn) else held

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value


def read_when_asked(*names: str) -> Callable[[Class], Class]:
    """Let attributes of a class be columns on disk."""

    def with_columns(cls: Class) -> Class:
        for name in names:
            setattr(cls, name, _WhenAsked(name))
        return cls

    return with_columns
