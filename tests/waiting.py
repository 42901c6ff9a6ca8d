"""Waiting for things that happen elsewhere: as long as a busy machine needs, and no longer."""

import time

LONG = 600.0  # seconds; many times what a quiet machine needs for anything that tests wait for


def wait_until(happened, why, *, seconds=LONG, alive=None):
    """Return once ``happened()``; fail where it never does or where the process ``alive`` ends."""
    give_up = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < give_up, f"{why}: not in {seconds:g} seconds"
        assert alive is None or alive.poll() is None, f"{why}: the process ended before"
        time.sleep(0.02)
