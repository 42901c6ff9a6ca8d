"""Of this folder the pages are tests: not what builds the site, nor what a build makes."""

collect_ignore_glob = ["*.py", "_*", "examples", "reference/generated", "reference/rooms"]
