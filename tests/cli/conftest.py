import pytest


@pytest.fixture(scope="module", autouse=True)
def quick_audits(few_trees):
    """What a command says and writes is the same with small forests."""
