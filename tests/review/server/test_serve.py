"""Starting and stopping: bad input is one sentence, and what was decided stays."""

import json
import signal
import socket
from dataclasses import replace

import pytest

from auditing.stored_cases import stored_audit
from cli.command_line import invoke
from errata.review import Decisions, decisions_path, read_audited, serve
from review.review_cases import write_audit
from review.reviewing import Page, serving


def refused(*options):
    """What the command says when it cannot start."""
    result = invoke("review", *options, "--no-browser")
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


@pytest.mark.parametrize("host", ["", " "])
def test_an_empty_host_is_refused_instead_of_listening_everywhere(audit, host):
    assert "host is empty" in refused(audit, "--host", host)


def test_what_is_no_audit_is_told(tmp_path, audit):
    assert "does not exist" in refused(tmp_path / "nothing.audit")
    (tmp_path / "file.audit").write_text("x")
    assert "is a file" in refused(tmp_path / "file.audit")
    (tmp_path / "empty.audit").mkdir()
    assert "is not an audit that errata has written" in refused(tmp_path / "empty.audit")
    numbers = audit / "audit.json"
    numbers.write_text(json.dumps(json.loads(numbers.read_text()) | {"version": 99}))
    assert "was written by a newer errata" in refused(audit)


def test_an_audit_without_cards_says_why_and_what_to_do(tmp_path):
    audit = stored_audit(tmp_path)
    audit.save(tmp_path / "large.audit")
    sentence = refused(tmp_path / "large.audit")
    assert "large.audit has no cards to review, as it is of more rows than cards" in sentence
    assert "copy the rows you want to review to a table of their own" in sentence
    replace(audit).save(tmp_path / "small.audit")
    assert "as it was saved without its table; audit the table again" in refused(
        tmp_path / "small.audit"
    )
    assert not decisions_path(tmp_path / "large.audit").exists()


def test_nobody_has_decided_on_an_audit_without_cards(tmp_path):
    stored_audit(tmp_path).save(tmp_path / "large.audit")
    with pytest.raises(ValueError, match="of more rows than can be reviewed"):
        read_audited(tmp_path / "large.audit")


def test_options_that_cannot_be_are_told(audit, tmp_path):
    assert "there is no action 'jump'" in refused(audit, "--keys", "jump=j")
    assert "the name of the reviewer is empty" in refused(audit, "--reviewer", "  ")
    sentence = "does not exist; say where the pictures are."
    assert sentence in refused(audit, "--images", tmp_path / "no")
    assert not decisions_path(audit).exists()


@pytest.mark.parametrize(
    "origin",
    [
        *("javascript:alert(1)", "review.example.org", "ftp://example.org", "https://", ""),
        *("https://a.example/path", "https://me@a.example", "https://a.example?x", "//a.example"),
        *("https://a.example:port", "https://a.example:70000", "https://a b.example"),
        *("https://a.example\r\nX: y", "https://a.example/#x", "https://a.example:0"),
    ],
)
def test_an_origin_that_no_browser_sees_is_told(audit, origin):
    said = refused(audit, "--origin", origin)
    assert "is no origin that a browser could see; write http or https, a host" in said
    assert not decisions_path(audit).exists()


class Enough(Exception):
    pass


def enough(address):
    """End a server that would tell its address."""
    raise Enough(address)


@pytest.mark.parametrize(
    ("origin", "seen"),
    [
        ("https://review.example.org/", "https://review.example.org/"),
        ("HTTPS://Review.example.org:443", "https://review.example.org/"),
        ("http://review_1:8080", "http://review_1:8080/"),
        ("http://[::1]:80", r"http://\[::1\]/"),
    ],
)
def test_an_origin_is_told_as_browsers_write_it(audit, origin, seen):
    with pytest.raises(Enough, match=rf"^{seen}\?token="):
        serve(audit, origin=origin, browser=False, ready=enough)


def test_a_file_that_holds_no_decisions_is_left_alone(audit):
    decisions_path(audit).write_text("my notes, which are long enough to look like something")
    assert "is not a file of decisions" in refused(audit)
    assert decisions_path(audit).read_text().startswith("my notes")


def test_a_port_that_is_taken_is_told(audit):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1, port {port}" in refused(audit, "--port", port)


def test_two_servers_of_one_file_are_one_too_many(audit):
    with serving(audit) as server:
        said = refused(audit)
        assert f"process {server.process.pid} at {server.origin}" in said


def test_decisions_of_another_table_are_refused(tmp_path):
    first = write_audit(tmp_path / "pets.audit", table="/data/pets.csv")
    with Page(first) as page:
        page.decide(0)
    (tmp_path / "other").mkdir()
    second = write_audit(tmp_path / "other" / "pets.audit", table="/data/birds.csv")
    decisions_path(first).rename(decisions_path(second))
    assert "holds decisions about the table 'pets.csv', not about 'birds.csv'" in refused(second)


def test_decisions_stay_when_the_audit_is_replaced(tmp_path, audit):
    with Page(audit) as page:
        page.decide(3)
        page.decide(100, "label")  # a row that the next audit does not have
    for file in audit.iterdir():
        file.unlink()
    audit.rmdir()
    write_audit(audit, rows=60)
    with Page(audit) as page:
        assert page.review.state(page.review.folder.place(3)) == "decided"
        assert "1 more row decided in another audit" in page.get("/agreement").text


def test_ctrl_c_ends_after_the_last_commit(audit):
    with serving(audit) as server, server.client() as client:
        row = {"row": 3, "kind": "label", "key": "k"}
        assert client.post("/decide", data=row).status_code == 200
        server.stop(signal.SIGINT)
    with Decisions(decisions_path(audit)) as decisions:
        assert [event.row for event in decisions.events()] == [3]


def test_the_command_tells_what_is_kept(audit, monkeypatch):
    def stopped(folder, *, ready, **_):
        ready("http://127.0.0.1:1/?token=t")
        with Page(folder) as page:
            page.decide(3)
        raise KeyboardInterrupt

    monkeypatch.setattr("errata.review.serve", stopped)
    result = invoke("review", audit)
    assert result.exit_code == 130
    assert "Review at http://127.0.0.1:1/?token=t" in result.output
    assert f"1 row decided, in {decisions_path(audit)}." in " ".join(result.output.split())


def test_an_address_that_others_can_reach_is_warned_of(audit):
    with (
        pytest.warns(UserWarning, match="can be reached from other machines, and is not encrypted"),
        pytest.raises(Enough, match=r"http://0\.0\.0\.0:"),
    ):
        serve(audit, host="0.0.0.0", browser=False, ready=enough)


def test_no_suspects_is_no_dead_end(tmp_path):
    with Page(write_audit(tmp_path / "clean.audit", flagged=0)) as page:
        text = page.get("/?queue=disputed").text
        assert "Reviewers agree" in text
        for row in page.review.folder.rows[page.review.standing.suspects].tolist():
            page.decide(row, "label")
        assert "Spot-check more rows drawn by lot" in page.get("/").text
