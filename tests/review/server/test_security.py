"""Each rule of who may use the page."""

import asyncio
import re
import socket
import threading
import time
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import pytest

import errata
from errata.review.server._guard import HEADERS, LARGEST_BODY, Session
from errata.review.server._serve import make_server
from review.reviewing import LONG, OURS, PART, SESSION, Page, row_of, serving

WRITES = ("/decide", "/undo", "/redo", "/note", "/bulk", "/reaudit")
READS = (
    *("/", "/card/0", "/next", "/similar/0", "/progress", "/rows", "/history", "/agreement"),
    *("/more", "/export", "/reaudit", "/image/0", "/nowhere"),
)


def events(page):
    return list(page.decisions.events())


@pytest.mark.parametrize("path", [*READS, "/?token=wrong"])
def test_without_the_cookie_nothing_is_shown(page, path):
    assert page.get(path, headers={"cookie": None}).status_code == 403
    assert (
        page.get(path.replace("?", "?x=1&"), headers={"cookie": "errata_8000=x"}).status_code == 403
    )


@pytest.mark.parametrize("path", WRITES)
def test_without_the_cookie_nothing_is_done(page, path):
    answer = page.post(path, {"row": 0, "kind": "label", "key": "k"}, headers={"cookie": None})
    assert answer.status_code == 403
    assert events(page) == []


def test_the_token_is_in_the_address_once(page):
    answer = page.get("/?token=secret", headers={"cookie": None})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("errata_8000=secret;")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert answer.headers["refresh"] == "0; url=/"


def test_a_token_has_256_bits():
    first, second = Session("127.0.0.1", 1).token, Session("127.0.0.1", 1).token
    assert first != second
    assert len(first) * 6 >= 256
    assert first not in repr(Session("127.0.0.1", 1, token=first))


THEIRS = ['aaa={"a":1}', 'x="', "a=b=c", "é", ";;", "errata_8000=theirs", "errata_80=secret"]


@pytest.mark.parametrize("theirs", THEIRS)
def test_cookies_of_other_programs_on_this_machine_do_not_matter(page, theirs):
    for cookies in (f"{theirs}; errata_8000=secret", f"errata_8000=secret;{theirs}"):
        answer = page.get("/", headers={"cookie": cookies.encode()})
        assert answer.status_code == 200, cookies
    assert page.get("/", headers={"cookie": theirs.encode()}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "localhost:8000", "127.0.0.1"]
)
def test_another_name_for_this_machine_is_refused(page, host):
    assert page.get("/", headers={"host": host}).status_code == 421


FOREIGN = [
    {"origin": "http://127.0.0.1:9000"},
    {"origin": "null"},
    {"origin": None},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": None},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_other_sites_cannot_decide(page, headers):
    given = {"row": 0, "kind": "label", "key": "k"}
    assert page.post("/decide", given, headers=headers).status_code == 403
    assert events(page) == []


def test_a_proxy_is_named_by_its_origin(audit):
    session = Session("127.0.0.1", 8000, "https://review.example.org", token="secret")
    with Page(audit, session=session) as page:
        seen = {"host": "review.example.org"}
        assert page.get("/", headers=seen).status_code == 200
        theirs = seen | {"origin": "https://review.example.org"}
        given = {"row": 0, "kind": "label", "key": "k"}
        assert page.post("/decide", given, headers=seen).status_code == 403
        assert page.post("/decide", given, headers=theirs).status_code == 303


@pytest.mark.parametrize("path", ["/decide", "/undo", "/redo", "/note", "/bulk"])
def test_reading_never_changes_anything(page, path):
    assert page.get(f"{path}?row=0&kind=label&key=k").status_code == 405
    assert events(page) == []


@pytest.mark.parametrize("path", [*READS, "/?token=secret"])
def test_every_answer_carries_the_headers(page, path):
    for cookie in (page.headers["cookie"], None):
        headers = page.get(path, headers={"cookie": cookie}).headers
        for name, value in HEADERS.items():
            if name == "Cache-Control" and path.startswith("/static"):
                continue
            assert headers[name] == value
        assert "server" not in headers


def test_the_policy_is_that_of_the_specification():
    assert HEADERS["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert HEADERS["Referrer-Policy"] == "same-origin"


def test_templates_hold_no_script_no_style_and_nothing_unescaped():
    folder = files("errata.review.server").joinpath("templates")
    for template in folder.iterdir():
        text = template.read_text(encoding="utf-8")
        code = re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL)
        assert not re.search(r"\|\s*safe|autoescape|Markup", code), template.name
        assert not re.search(r"\son\w+\s*=|\sstyle\s*=|<style|javascript:", code), template.name
        assert re.findall(r"<script(?![^>]*\ssrc=)", code) == [], template.name


def test_the_one_script_is_short_and_ours():
    script = Path(errata.__file__).parent / "review" / "server" / "static" / "review.js"
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 200
    assert not re.search(r"innerHTML|eval\(|https?://|document\.write", text)


def test_a_body_may_hold_64_kb(page):
    note = {"row": 0, "kind": "label", "key": "k", "note": "x" * LARGEST_BODY}
    assert page.post("/decide", note).status_code == 413
    assert page.ask("POST", "/decide", content=of_unknown_length()).status_code == 411
    assert events(page) == []


FIELDS = {
    "/decide": ("row", "kind", "key", "filter", "class", "note", "shown"),
    "/note": ("row", "key", "filter", "note"),
    "/undo": ("key", "filter", "of"),
    "/redo": ("key", "filter", "of"),
    "/bulk": ("kind", "key", "filter", "count"),
}


@pytest.mark.parametrize(
    ("path", "field"), [(path, field) for path, fields in FIELDS.items() for field in fields]
)
def test_a_file_where_text_belongs_is_refused(page, path, field):
    given = {"row": "0", "kind": "label", "key": "k", "note": "n", "count": "0", "filter": ""}
    given.pop(field, None)
    answer = page.post(path, given, files={field: ("x.txt", b"text")}, headers=PART)
    assert answer.status_code == 400
    assert answer.text == f"the field '{field}' holds a file; send text instead."
    assert events(page) == []


@pytest.mark.parametrize("kind", ["multipart/form-data", "multipart/form-data; boundary=x"])
def test_a_form_that_cannot_be_read_is_refused(page, kind):
    answer = page.ask("POST", "/decide", content=b"row=0", headers=PART | {"content-type": kind})
    assert answer.status_code == 400
    assert events(page) == []


async def of_unknown_length():
    yield b"row=0&kind=label"


@contextmanager
def connected(app, sent, timeout):
    """A client of a server that gives a request little time to arrive; it has sent something.

    The server starts after that, so that however slow the client is, it is in time.
    """
    server = make_server(app, read_within=0.5)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname(), timeout=timeout) as client,
    ):
        client.sendall(sent)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield client
        finally:
            server.should_exit = True
            thread.join()


POST = (
    b"POST /decide HTTP/1.1\r\nhost: 127.0.0.1:8000\r\ncookie: errata_8000=secret\r\n"
    b"origin: http://127.0.0.1:8000\r\nsec-fetch-site: same-origin\r\n"
    b"content-type: application/x-www-form-urlencoded\r\ncontent-length: 1000\r\n\r\n"
)
GET = b"GET /progress HTTP/1.1\r\nhost: 127.0.0.1:8000\r\ncookie: errata_8000=secret\r\n\r\n"

FOREIGN_POST = POST.replace(b"same-origin", b"cross-site")


@pytest.mark.parametrize(
    "begun",
    [b"", b"GET / HT", GET[:-2], POST, POST + b"row=0&kind=la", GET + POST, FOREIGN_POST],
    ids=["nothing", "line", "head", "no body", "body", "second", "refused"],
)
@pytest.mark.parametrize("drip", [b"", b"x"], ids=["silent", "drip"])
def test_a_request_that_does_not_end_is_cut_off(page, begun, drip):
    with connected(page.app, begun, timeout=0.05) as client:
        deadline = time.monotonic() + LONG
        while not is_cut_off(client, drip):
            assert time.monotonic() < deadline, "the connection is still open"
    assert events(page) == []


def is_cut_off(client, drip):
    """Whether the other side has closed, looked at for the timeout of the socket."""
    try:
        client.sendall(drip)
        while client.recv(65536):
            pass  # an answer
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return True


def test_an_answer_may_take_longer_than_the_request():
    async def answer_late(scope, receive, send):
        await asyncio.sleep(1.0)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"late"})

    with connected(answer_late, GET, timeout=LONG) as client:
        assert client.recv(12) == b"HTTP/1.1 200"


def other_address():
    """An address of this machine that others could reach."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            return None
        return probe.getsockname()[0]


def test_the_server_listens_to_this_machine_alone(audit):
    address = other_address()
    if address is None or address.startswith("127."):
        pytest.skip("this machine has no other address")
    with serving(audit) as server, server.client() as client:
        assert client.get("/progress").status_code == 200
        assert "server" not in client.get("/").headers
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, server.port), timeout=LONG)


def test_a_plain_form_is_sent_on(page):
    answer = page.post("/decide", {"row": 0, "kind": "label", "key": "k"})
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/card/")
    assert len(events(page)) == 1
    assert row_of(page.post("/undo", {"key": "u"}, headers=PART)) == 0
    assert SESSION.origin == OURS["origin"]
