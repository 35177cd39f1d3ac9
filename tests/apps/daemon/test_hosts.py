"""Which Host and Origin headers are taken for our own: a table of both."""

from __future__ import annotations

import pytest

from engramma.apps.daemon.hosts import is_loopback, parse_host_header
from tests.apps.daemon.test_guard import AUTH, HOST, answer

NAMES = ["Memory.lan", "[fd00::7]", "0.0.0.0", "::"]

OUR_HOSTS = [
    "127.0.0.1",
    "127.0.0.1:7733",
    "127.0.0.1:80",
    "localhost",
    "LocalHost:7733",
    "[::1]",
    "[::1]:7733",
    "[0:0:0:0:0:0:0:1]:7733",
    "memory.lan",
    "MEMORY.LAN:443",
    "[fd00::7]:7733",
    "[FD00:0:0::7]",
]

FOREIGN_HOSTS = [
    "",
    ":7733",
    "evil.com",
    "127.0.0.1:17733.evil.com",
    "127.0.0.1.evil.com",
    "127.0.0.1:7733:7733",
    "127.0.0.1:",
    "127.0.0.1:70000",
    "127.0.0.1:+80",
    "127.0.0.1:8 0",
    "127.0.0.1 ",
    " 127.0.0.1",
    "127.0.0.1.",
    "localhost.",
    "localhost.:7733",
    "localhost.evil.com",
    "evil.com#localhost",
    "localhost@evil.com",
    "evil.com@localhost",
    "user:pass@127.0.0.1:7733",
    "127.0.0.1,evil.com",
    "127.0.0.1/evil",
    "http://127.0.0.1",
    "127.1",
    "0177.0.0.1",
    "2130706433",
    "127.0.0.2",
    "0.0.0.0:7733",
    "::1",
    "[::1",
    "::1]",
    "[::1]evil.com",
    "[::1]:7733.evil.com",
    "[::1]7733",
    "[::1%lo]",
    "[::ffff:127.0.0.1]",
    "[::]",
    "[localhost]",
    "[127.0.0.1]",
    "[]",
    "memory.lan.evil.com",
    "loc\u00e4lhost",
    "127.0.0.\u00b9",
]

OUR_ORIGINS = [
    "http://127.0.0.1:7733",
    "http://localhost",
    "https://localhost:7733",
    "HTTP://LOCALHOST:7733",
    "http://[::1]:7733",
    "https://memory.lan",
]

FOREIGN_ORIGINS = [
    "",
    "null",
    "127.0.0.1:7733",
    "http://",
    "http:127.0.0.1",
    "http://evil.com",
    "http://[localhost]evil.com",
    "http://[::1]evil.com",
    "http://127.0.0.1:7733.evil.com",
    "http://localhost.evil.com",
    "http://localhost@evil.com",
    "http://evil.com@localhost",
    "http://localhost/",
    "http://localhost/evil.com",
    "http://localhost?x",
    "http://localhost.",
    "http://evil.com://localhost",
    "ftp://localhost",
    "file://localhost",
    "chrome-extension://localhost",
    "http://localhost http://evil.com",
]


@pytest.mark.parametrize("host", OUR_HOSTS)
def test_our_hosts_are_answered(host: str) -> None:
    assert answer("/health", [(b"host", host.encode("latin-1"))], hosts=NAMES) == 200


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_foreign_hosts_are_refused(host: str) -> None:
    headers = [(b"host", host.encode("latin-1")), AUTH]
    for path in ("/health", "/api/stats", "/mcp", "/p/key/openai/v1/models"):
        assert answer(path, headers, hosts=NAMES) == 421


def test_none_or_several_hosts_are_refused() -> None:
    assert answer("/health", []) == 421
    assert answer("/health", [HOST, HOST]) == 421
    assert answer("/health", [HOST, (b"host", b"evil.com")]) == 421


@pytest.mark.parametrize("target", ["http://evil.com/health", "http://127.0.0.1:7733/health", "evil.com:443", "*", ""])
def test_only_a_path_is_a_target(target: str) -> None:
    assert answer(target, [HOST, AUTH]) == 421


@pytest.mark.parametrize("origin", OUR_ORIGINS)
def test_our_origins_are_answered(origin: str) -> None:
    assert answer("/api/stats", [HOST, AUTH, (b"origin", origin.encode())], hosts=NAMES) == 200


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_foreign_origins_are_refused(origin: str) -> None:
    assert answer("/api/stats", [HOST, AUTH, (b"origin", origin.encode())], hosts=NAMES) == 403
    both = [(b"origin", b"http://localhost"), (b"origin", origin.encode())]
    assert answer("/health", [HOST, *both], hosts=NAMES) == 403


@pytest.mark.parametrize(
    ("host", "name"),
    [("127.0.0.1:80", "127.0.0.1"), ("[::1]:80", "::1"), ("LocalHost", "localhost"), ("::1", None), ("", None)],
)
def test_names_of_hosts(host: str, name: str | None) -> None:
    assert parse_host_header(host) == name


@pytest.mark.parametrize(
    ("host", "is_so"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("LOCALHOST", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.7", False),
        ("memory.lan", False),
        ("localhost.evil.com", False),
    ],
)
def test_which_addresses_only_this_machine_can_reach(host: str, is_so: bool) -> None:
    assert is_loopback(host) is is_so
