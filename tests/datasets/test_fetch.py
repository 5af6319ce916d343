"""Fetching from a local server that answers correctly, wrongly or not at all."""

import hashlib
import io
import logging
import lzma
import re
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from ggexp.datasets import fetch as module
from ggexp.datasets.fetch import fetch

GOOD = b"39, State-gov, 77516, <=50K\n" * 60_000  # more than one MiB
SHA256 = hashlib.sha256(GOOD).hexdigest()
HTML = b"<!DOCTYPE html><title>Log in to this network</title>"


def zipped(members):
    """Return the bytes of a zip with these members, given as a mapping of names to contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bodies: ClassVar = {
        "/right/adult.data": GOOD,
        "/short": GOOD[:-1],
        "/wrong": GOOD[:-1] + b"x",
        "/html": HTML,
        "/good.zip": zipped({"Index": b"", "adult.data": GOOD}),
        "/climbing-too.zip": zipped({"../../evil": b"evil", "adult.data": GOOD}),
        "/bomb.zip": zipped({"adult.data": bytes(3 * len(GOOD))}),
    }

    def do_GET(self):
        self.server.requested.append(self.path)
        if self.path in self.bodies:
            self.answer(200, self.bodies[self.path])
        elif self.path == "/flaky":
            down = self.server.requested.count("/flaky") <= 2
            self.answer(*((500, b"not yet") if down else (200, GOOD)))
        elif self.path == "/moved":
            self.answer(302, b"", Location="/right/adult.data")
        elif self.path == "/cut":  # promises more than it sends
            self.answer(200, GOOD[:1000], length=len(GOOD))
            self.close_connection = True
        elif self.path == "/stall":
            self.answer(200, GOOD[:1000], length=len(GOOD))
            self.server.over.wait()
        elif self.path == "/drip":
            self.answer(200, b"", length=len(GOOD))
            while not self.server.over.wait(0.02):
                self.wfile.write(b"x")
        else:
            self.answer(404, b"no such file")

    def answer(self, status, body, length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.requested, server.over = [], threading.Event()
        server.handle_error = lambda *_: None  # a client that disconnects is not an error here
        server.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.over.set()
        server.shutdown()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("pooch.core.time.sleep", lambda _: None)
    monkeypatch.setattr(module, "TIMEOUT", 0.3)
    monkeypatch.setattr(module, "DEADLINE", 0.5)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "downloads" / "adult.data"


def get(destination, *sources):
    file = {"bytes": len(GOOD), "sha256": SHA256, "sources": sources}
    return fetch(destination, file, destination.parents[1])


def test_right_file(server, destination, caplog):
    caplog.set_level(logging.INFO)
    for path in ("/moved", "/good.zip#adult.data", "/climbing-too.zip#adult.data"):
        assert get(destination, server.url + path) == destination
        assert destination.read_bytes() == GOOD
        assert [*destination.parent.parent.rglob("*")] == [destination.parent, destination]
        destination.unlink()
    assert "1 MiB so far" in caplog.text


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/short", "1,679,999 bytes .* 1,680,000; .* b'39, State-gov"),
        ("/wrong", "hash of downloaded file .* does not match"),
        ("/missing", "404 Client Error"),
        ("/cut", "IncompleteRead"),
        ("/stall", "Read timed out"),
        ("/drip", "TimeoutError: only .* bytes in"),
        ("/bomb.zip#adult.data", "more than the 1,680,000 bytes expected"),
    ],
)
def test_bad_answer_leaves_nothing_behind(server, destination, path, message):
    with pytest.raises(OSError, match=message):
        get(destination, server.url + path)
    assert list(destination.parent.iterdir()) == []


def test_a_wrong_file_is_replaced_and_the_next_address_tried(server, destination):
    destination.parent.mkdir()
    destination.write_bytes(HTML)
    with pytest.raises(OSError, match=r"downloads/adult\.data: .*sha256"):
        get(destination, f"{server.url}/wrong")
    assert destination.read_bytes() == HTML, "not before a right one is fetched"
    for _ in range(2):
        get(destination, f"{server.url}/right/adult.data")
        assert destination.read_bytes() == GOOD
    assert server.requested.count("/right/adult.data") == 1
    destination.unlink()
    get(destination, f"{server.url}/html", f"{server.url}/flaky")
    assert destination.read_bytes() == GOOD
    assert server.requested.count("/flaky") == 3


@pytest.mark.parametrize("size", [0, 100, None])
def test_a_copy_in_the_project_comes_first_if_it_is_right(server, destination, size):
    if size != 0:
        (destination.parents[1] / "a.data.xz").write_bytes(lzma.compress(GOOD)[:size])
    get(destination, "a.data.xz", f"{server.url}/right/adult.data")
    assert destination.read_bytes() == GOOD
    assert server.requested == ([] if size is None else ["/right/adult.data"])


def test_message_if_no_source_has_the_file(server, destination):
    server.shutdown()
    server.server_close()
    addresses = [f"{server.url}/adult.data", f"{server.url}/adult.zip#adult.data"]
    with pytest.raises(OSError, match=r"adult\.data was not found") as caught:
        get(destination, "a.data.xz", *addresses)
    message = str(caught.value)
    assert re.search(f"1,680,000 bytes .*{SHA256}", message)
    assert "  a.data.xz: FileNotFoundError" in message
    for address in addresses:
        assert f"  {address}: ConnectionError" in message
    assert str(destination) in message.splitlines()[-1]
