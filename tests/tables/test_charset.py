import gzip

import pytest

from errata.tables.formats._records import detect_encoding


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"plain", "utf-8"),
        ("naïve".encode(), "utf-8"),
        ("naïve €".encode("cp1252"), "cp1252"),
        (b"\x81 \xe9", "latin-1"),  # Windows-1252 has no 0x81
        ("é".encode("utf-16"), "utf-16-le"),
        ("\ufeffé".encode("utf-16-be"), "utf-16-be"),
        (b"a" * (1 << 17) + b"\xe9", "cp1252"),  # the odd byte comes late
    ],
)
def test_encodings_are_told_apart(tmp_path, content, encoding):
    (tmp_path / "t.txt").write_bytes(content)
    (tmp_path / "t.txt.gz").write_bytes(gzip.compress(content))
    assert detect_encoding(tmp_path / "t.txt") == encoding
    assert detect_encoding(tmp_path / "t.txt.gz") == encoding


def test_a_packed_file_without_the_name_of_one_gets_a_sentence(tmp_path):
    (tmp_path / "t.csv").write_bytes(gzip.compress(b"x,y\n1,2\n"))
    with pytest.raises(ValueError, match=r"is compressed with gzip \(add \.gz to its name\)"):
        detect_encoding(tmp_path / "t.csv")


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-be"])
def test_utf_32_is_named(tmp_path, encoding):
    mark = "" if encoding == "utf-32" else "\ufeff"
    (tmp_path / "t.csv").write_bytes(f"{mark}x,y\n1,2\n".encode(encoding))
    with pytest.raises(ValueError, match=r"t.csv is UTF-32 text, .* save it as UTF-8"):
        detect_encoding(tmp_path / "t.csv")
