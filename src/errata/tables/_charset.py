"""The encoding of a text file, or an error when the file does not hold text."""

from pathlib import Path

from .._files import open_bytes, open_text

_SAMPLE = 1 << 16  # bytes looked at to tell text from other things
_CHUNK = 1 << 20

_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}

# How files begin that end up under the wrong name.
_OTHER_KINDS = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\x1f\x8b": "compressed with gzip (add .gz to its name)",
    b"PAR1": "a Parquet file",
    b"ARROW1": "a Feather file",
    b"<!doctype html": "a web page",
    b"<html": "a web page",
}


def text_encoding(path: Path) -> str:
    """The encoding of a text file; raise when it is empty or something else.

    UTF-16 is told by its byte order mark, UTF-8 by being UTF-8 throughout. Anything else is taken
    for Windows-1252, or for Latin-1 where that has no such character: both give back every byte as
    it was. A byte order mark is left to the caller, who sees it as the first character.
    """
    with open_bytes(path) as stream:
        sample = stream.read(_SAMPLE)
    if not sample.strip():
        raise ValueError(f"{path} is empty.")
    if sample[:2] in _MARKS:
        _decode(path, _MARKS[sample[:2]])
        return _MARKS[sample[:2]]
    _refuse_other_kinds(path, sample)
    return next(name for name in ("utf-8", "cp1252", "latin-1") if _decodes(path, name))


def _refuse_other_kinds(path: Path, sample: bytes) -> None:
    start = sample.lstrip()[:20]
    for beginning, kind in _OTHER_KINDS.items():
        if start.startswith(beginning) or start.lower().startswith(beginning):
            raise ValueError(f"{path} is {kind}, whatever its name says.")
    if b"\0" in sample:
        raise ValueError(f"{path} is not a text table: it holds binary data.")


def _decodes(path: Path, encoding: str) -> bool:
    try:
        _decode(path, encoding)
    except UnicodeDecodeError:
        return False
    return True


def _decode(path: Path, encoding: str) -> None:
    """Go through the whole file, so that whoever reads it after that meets no surprise."""
    with open_text(path, "r", encoding) as stream:
        while stream.read(_CHUNK):
            pass
