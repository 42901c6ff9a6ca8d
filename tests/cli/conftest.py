import pytest

from errata.auditing._settings import TREES


@pytest.fixture(scope="module", autouse=True)
def few_trees():
    """Small forests: what a command says and writes does not hang on the last percent."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TREES, 1_000, 20)
        yield
