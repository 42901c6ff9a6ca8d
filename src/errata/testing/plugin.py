"""The plug-in of pytest, which it loads by itself: a fixture for the labels of a table."""

import pytest


@pytest.fixture(name="assert_labels", scope="session")
def _assert_labels():
    """:func:`errata.testing.assert_labels`, with nothing to import."""
    from . import assert_labels

    return assert_labels
