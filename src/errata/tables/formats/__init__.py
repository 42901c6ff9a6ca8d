"""Formats of files: delimited text, JSON lines, Excel, Parquet and Feather."""
