"""The time of an event, as text that sorts."""

from datetime import UTC, datetime, timedelta

_TICK = timedelta(microseconds=1)


def time_after(last: str) -> str:
    """Now; or a tick after ``last`` where the clock stands still, or is behind that of another.

    Two machines may disagree about the time, but what a person says later must count as later.

    Examples
    --------
    >>> time_after("2999-01-01T00:00:00.000000Z")
    '2999-01-01T00:00:00.000001Z'
    """
    now = _text(datetime.now(UTC))
    return now if now > last else _text(datetime.fromisoformat(last) + _TICK)


def sortable_time(text: str) -> str:
    """A time in ISO 8601 as it is kept: in UTC, to the microsecond; without a zone, UTC is meant.

    Examples
    --------
    >>> sortable_time("2026-03-01T12:30:00+02:00"), sortable_time("2026-03-01 12:30")
    ('2026-03-01T10:30:00.000000Z', '2026-03-01T12:30:00.000000Z')
    """
    time = datetime.fromisoformat(text)
    return _text(time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC))


def _text(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S.%f}Z".rjust(27, "0")  # %Y pads not everywhere
