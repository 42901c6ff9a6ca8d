"""Tables of a DuckDB database: the result of a query to a file, and a file to a new table."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..._files import atomic_path
from ..._optional import require

MARK = "written by errata"  # the comment on our tables, which alone may be replaced


def write_query(database: Path, query: str, path: Path) -> None:
    """Write the result of a ``select`` to a Parquet file; the database is opened for reading."""
    with _connect(database, read_only=True) as connection:
        duckdb = require("duckdb", extra="sql")
        found = connection.extract_statements(query)
        if len(found) != 1 or found[0].type != duckdb.StatementType.SELECT:
            raise ValueError("the query must be one select, which changes nothing.")
        with atomic_path(path) as temporary:
            connection.sql(query).write_parquet(str(temporary))


def check_new_table(database: Path, name: str, *, force: bool) -> None:
    """Raise where a table cannot be written: one of the user's is never replaced."""
    with _connect(database, read_only=True) as connection:
        _check_new(connection, database, name, force=force)


def write_database_table(database: Path, name: str, path: Path, *, force: bool) -> None:
    """Write a Parquet file to a new table of the database, all or nothing."""
    with _connect(database, read_only=False) as connection:
        _check_new(connection, database, name, force=force)
        quoted = '"' + name.replace('"', '""') + '"'
        connection.begin()
        connection.execute(f"drop table if exists {quoted}")
        connection.execute(f"create table {quoted} as from read_parquet($1)", [str(path)])
        connection.execute(f"comment on table {quoted} is '{MARK}'")
        connection.commit()


def _check_new(connection: Any, database: Path, name: str, *, force: bool) -> None:
    there = connection.execute(
        "select table_name, comment from duckdb_tables() where lower(table_name) = lower($1) "
        "union all select view_name, null from duckdb_views() where lower(view_name) = lower($1)",
        [name],
    ).fetchall()
    if any(comment != MARK for _, comment in there):
        raise FileExistsError(
            f"{database} has a table {name!r} that errata did not write; choose another name."
        )
    if there and not force:
        raise FileExistsError(
            f"{database} has a table {name!r} already; choose another name, or replace it with "
            "--force."
        )


@contextmanager
def _connect(database: Path, *, read_only: bool) -> Iterator[Any]:
    """A connection; what the database says against it is one sentence."""
    duckdb = require("duckdb", extra="sql")
    if not database.is_file():
        raise FileNotFoundError(f"there is no database {database}.")
    try:
        with duckdb.connect(str(database), read_only=read_only) as connection:
            yield connection
    except duckdb.Error as error:
        said = str(error).strip().splitlines()[0].rstrip(".!")
        raise ValueError(f"{database}: {said}.") from error
