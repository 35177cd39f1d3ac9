"""What `engramma status` prints for people."""

from __future__ import annotations

from engramma.apps.cli.daemon import status_text

TOLD = {
    "running": True,
    "url": "http://127.0.0.1:7733",
    "pid": 1,
    "version": "0",
    "up_seconds": 5.0,
    "store": "/m",
    "namespace": "default",
    "capture": {"state": "paused", "until": "2026-03-02T10:05:05.123456Z"},
    "relayed": {},
    "scribe": {"dropped": 0},
    "spool": {"items": 0, "bytes": 0, "failed": 0},
    "worker": {"last_error": "disk full", "last_error_at": "2026-03-02T10:00:05.123456+00:00"},
    "proxy": {},
}


def test_times_are_told_to_the_minute():
    text = status_text(TOLD)
    assert "paused until 2026-03-02 10:05 UTC" in text and "disk full (2026-03-02 10:00 UTC)" in text
    assert ".123456" not in text
