"""A site that loads quickly: pictures of 256 colours, and nothing that helps only to debug."""

from pathlib import Path

from PIL import Image


def shrink(site: Path) -> None:
    """Drop maps of the theme's scripts (3 MB); keep pictures of fewer colours where smaller."""
    for file in (site / "_static").rglob("*.map"):
        file.unlink()
    for file in (site / "_images").glob("*.png"):
        with Image.open(file) as picture:
            fewer = picture.convert("RGBA").quantize(256, method=Image.Quantize.FASTOCTREE)
        smaller = file.with_suffix(".small")
        fewer.save(smaller, format="png", optimize=True)
        if smaller.stat().st_size < file.stat().st_size:
            smaller.replace(file)
        else:
            smaller.unlink()
