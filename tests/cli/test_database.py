import sys

import numpy as np
import pytest

from cli.command_line import invoke
from decision_cases import said
from errata.review import Decisions, as_text, read_audited
from errata.tables import read_table

ALL = "select * from pets"


@pytest.fixture
def database(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="the sql extra is not installed")
    random = np.random.default_rng(0)
    dog = np.arange(60) % 2
    wrong = np.isin(np.arange(60), [3, 40])
    pets = {
        "name": [f"pet {place}" for place in range(60)],
        "weight": 4 + 20 * dog + random.normal(size=60),
        "ears": 5 + 5 * dog + random.normal(size=60),
        "kind": np.where((dog == 1) != wrong, "dog", "cat"),
    }
    path = tmp_path / "shop.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table pets (name text, weight double, ears double, kind text)")
        rows = [list(row) for row in zip(*(list(column) for column in pets.values()), strict=True)]
        connection.executemany("insert into pets values (?, ?, ?, ?)", rows)
    return path


def audit(path, *more, query=ALL):
    asked = ["-l", "kind", "--id", "name", "--no-self-check", *more]
    return invoke("audit", f"duckdb:{path}", "--query", query, *asked)


def select(path, query):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.sql(query).fetchall()


def list_names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_query_is_audited_and_the_database_stays_as_it_is(database):
    before = database.read_bytes()
    done = audit(database)
    assert done.exit_code == 0, done.output
    assert database.read_bytes() == before
    assert list_names(database.parent) == ["shop.audit", "shop.db", "shop.query.parquet"]
    ranked = read_table(database.parent / "shop.audit" / "ranked.csv")
    assert set(ranked["id"].to_pylist()[:2]) == {"pet 3", "pet 40"}
    clean = database.parent / "clean.parquet"
    assert invoke("clean", database.parent / "shop.audit", "-o", clean).exit_code == 0
    assert read_table(clean).num_rows == 58


def test_ranked_rows_go_back_as_a_table(database):
    done = audit(database, "--out-table", "audited")
    assert done.exit_code == 0, done.output
    assert "Wrote the table audited" in done.output
    worst = select(database, "select id, flagged from audited order by p_wrong desc limit 2")
    assert sorted(worst) == [("pet 3", 1), ("pet 40", 1)]
    assert select(database, "select count(*) from audited") == [(60,)]


def test_only_our_own_tables_are_replaced_and_only_by_force(database):
    assert audit(database, "--out-table", "audited").exit_code == 0
    again = audit(database, "--out-table", "audited", "--out", database.parent / "other.audit")
    assert again.exit_code == 2
    assert "has a table 'audited' already" in again.output
    assert not (database.parent / "other.audit").exists()
    half = audit(
        database, "--out-table", "audited", "--force", query="select * from pets where ears > 4.5"
    )
    assert half.exit_code == 0, half.output
    assert select(database, "select count(*) < 60 from audited") == [(True,)]
    theirs = audit(database, "--out-table", "PETS", "--force")
    assert theirs.exit_code == 2
    assert "that errata did not write" in theirs.output
    assert select(database, "select count(*) from pets") == [(60,)]


def test_verdicts_go_back_as_a_table(database):
    assert audit(database).exit_code == 0
    folder = database.parent / "shop.audit"
    rows = read_audited(folder)
    seen = {"row_key": rows.keys[3], "label": as_text(rows.labels[3])}
    seen |= {"suggested": as_text(rows.suggested[3]), "class_text": as_text(rows.suggested[3])}
    with Decisions(database.parent / "shop.decisions") as decisions:
        decisions.record(said("suggestion", 3, "ann", **seen))
    to = ("--export", f"duckdb:{database}")
    alone = invoke("decisions", folder, *to)
    assert alone.exit_code == 2
    assert "give both" in alone.output
    done = invoke("decisions", folder, *to, "--out-table", "decided")
    assert done.exit_code == 0, done.output
    decided = "select name, kind, errata_class from decided where errata_class is not null"
    assert select(database, decided) == [("pet 3", "cat", "dog")]
    again = invoke("decisions", folder, *to, "--out-table", "decided")
    assert again.exit_code == 2
    assert "already" in again.output


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("select * from nowhere", "nowhere does not exist"),
        ("selec", "syntax error"),
        ("drop table pets", "the query must be one select"),
        ("select 1; drop table pets", "the query must be one select"),
        ("select * from pets where false", "the result of --query has a header but no rows"),
        ("select weight from pets", "the result of --query has no column"),
    ],
)
def test_bad_queries_get_a_sentence_and_leave_nothing(database, query, told):
    done = audit(database, query=query)
    assert done.exit_code == 2
    assert told in done.output
    assert done.output.count("\n") == 1
    assert list_names(database.parent) == ["shop.db"]
    assert select(database, "select count(*) from pets") == [(60,)]


def test_what_is_missing_is_named(database, tmp_path):
    assert "there is no database" in audit(tmp_path / "other.db").output
    done = invoke("audit", f"duckdb:{database}", "-l", "kind")
    assert (done.exit_code, "with --query" in done.output) == (2, True)
    (tmp_path / "text.db").write_text("no database")
    done = audit(tmp_path / "text.db")
    assert done.exit_code == 2
    assert done.output.count("\n") == 1
    file = invoke("audit", tmp_path / "pets.csv", "-l", "kind", "--query", ALL)
    assert (file.exit_code, "name it as in duckdb:shop.db" in file.output) == (2, True)


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "shop.db").write_text("")
    done = audit(tmp_path / "shop.db")
    assert done.exit_code == 2
    assert "errata's extra sql" in done.output
