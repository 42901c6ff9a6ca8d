import ast

import pytest

import mutants

SOURCE = '''"""Text with 1 + 1."""


def price(count: int = 2, *, of: "list[1]" = ()) -> int:
    if count < 3 and not of:
        raise ValueError(f"ö {1 + 1}")
    count += max(4, 5)
    return pow(count, "ö", mod=of) * of.any()
'''
EXPECTED = [
    "count: int = 3,",
    "if count < 3:",
    "if not of:",
    "if count >= 3 and",
    "if count < 4 and",
    "< 3 and of:",
    "    pass\n",
    "max(5, 5)",
    "max(4, 6)",
    "return pow(count, 'ö', mod=of) / of.any()",
    "return pow('ö', count, mod=of) * of.any()",
    "of.all()",
]


@pytest.fixture
def breaks(tmp_path, monkeypatch):
    """Files as they are after each break of ``SOURCE``."""
    (tmp_path / "price.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(mutants, "REPOSITORY", tmp_path)
    encoded = SOURCE.encode()
    return [
        (encoded[: found.start] + found.instead.encode() + encoded[found.end :]).decode()
        for found in mutants.breaks_in(tmp_path / "price.py")
    ]


def test_every_break_is_a_program_and_another_one(breaks):
    assert len({ast.dump(ast.parse(broken)) for broken in [SOURCE, *breaks]}) == len(breaks) + 1


def test_all_that_is_run_is_broken_once_a_time_and_nothing_else(breaks):
    assert len(breaks) == len(EXPECTED)
    for piece in EXPECTED:
        assert sum(piece in broken for broken in breaks) == 1, piece


def test_the_nearest_tests_come_first():
    path = mutants.SOURCES / "hardness" / "_measure.py"
    nearest, others, elsewhere = mutants.nearest_tests(path)
    assert nearest == [
        "tests/hardness/test_measure.py",
        "src/errata/hardness/_measure.py",
    ]
    assert "tests/hardness/test_local_sets.py" in others
    assert "tests/test_docs.py" in elsewhere


def test_files_of_other_folders_that_name_the_most_are_tried():
    elsewhere = mutants.nearest_tests(mutants.SOURCES / "audit_folder" / "_components.py")[-1]
    assert elsewhere[0] == "tests/review/inference/test_progress.py"
    assert len(elsewhere) == mutants.ELSEWHERE + 1
