import pytest

import errata
from auditing.explaining_cases import HOW, pets


@pytest.fixture(scope="package")
def audit():
    table, labels = pets()
    return errata.audit(table, labels, ids=[f"pet {i}" for i in range(len(labels))], **HOW)
