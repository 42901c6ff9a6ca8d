from errata.review.server._folder import AuditFolder, find_table
from review.review_cases import write_audit


def test_a_table_that_moved_along_with_its_audit_is_found(tmp_path):
    folder = AuditFolder(write_audit(tmp_path / "pets.audit", table="/nowhere/pets.csv"))
    assert find_table(folder) is None
    beside, given = tmp_path / "pets.csv", tmp_path / "given.csv"
    for path in (beside, given):
        path.touch()
    assert find_table(folder) == beside
    assert find_table(folder, given) == given
    folder.cards.close()
