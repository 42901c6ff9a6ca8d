"""Reviews to test: an audit folder, the application without a network, and a server to kill."""

import pytest

from review.review_cases import write_audit
from review.reviewing import Page


@pytest.fixture
def audit(tmp_path):
    return write_audit(tmp_path / "pets.audit")


@pytest.fixture
def page(audit):
    with Page(audit) as page:
        yield page
