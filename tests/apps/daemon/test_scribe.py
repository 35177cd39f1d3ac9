"""Frames reach the worker, and those that a dying worker had not spooled reach the next one."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from engramma.apps.daemon.scribe import LENGTH, WorkerScribe

# A worker that writes each frame as a file, answers, and dies before the frame b"die" is answered, but once only.
WORKER = """
import os, struct, sys
from pathlib import Path
folder = Path(sys.argv[1])
while header := sys.stdin.buffer.read(8):
    frame = sys.stdin.buffer.read(struct.unpack(">Q", header)[0])
    if frame == b"die" and not (folder / "died").exists():
        (folder / "died").touch()
        os.kill(os.getpid(), 9)
    (folder / f"frame-{len(list(folder.iterdir())):04d}").write_bytes(frame)
    sys.stdout.buffer.write(b".")
    sys.stdout.buffer.flush()
"""


def scribe_in(folder: Path, **options: int) -> WorkerScribe:
    return WorkerScribe([sys.executable, "-c", WORKER, str(folder)], **options)


def frames_in(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob("frame-*"))]


def test_every_frame_arrives_in_order(tmp_path: Path) -> None:
    scribe = scribe_in(tmp_path)
    scribe.start()
    frames = [str(number).encode() * 1000 for number in range(100)]
    assert all(scribe.offer(frame) for frame in frames)
    scribe.close()
    assert frames_in(tmp_path) == frames
    assert scribe.counts()["not_spooled"] == 0 and scribe.counts()["taken"] == 100
    assert not scribe.offer(b"late") and scribe.counts()["dropped"] == 1


def test_a_worker_that_dies_is_followed_by_another_that_gets_the_same_frames(tmp_path: Path) -> None:
    scribe = scribe_in(tmp_path)
    scribe.start()
    for frame in (b"one", b"die", b"two"):
        scribe.offer(frame)
    deadline = time.monotonic() + 30
    while len(frames_in(tmp_path)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    scribe.close()
    assert frames_in(tmp_path) == [b"one", b"die", b"two"]
    assert scribe.counts()["restarts"] == 1


def test_a_worker_killed_between_two_frames_is_replaced(tmp_path: Path) -> None:
    scribe = scribe_in(tmp_path)
    scribe.start()
    scribe.offer(b"one")
    while not frames_in(tmp_path) or scribe.counts()["not_spooled"]:  # answered, so that it is not handed over again
        time.sleep(0.02)
    first = scribe.counts()["worker"]
    os.kill(first, signal.SIGKILL)
    scribe.offer(b"two")
    deadline = time.monotonic() + 30
    while len(frames_in(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert scribe.counts()["worker"] != first
    scribe.close()
    assert frames_in(tmp_path) == [b"one", b"two"]


def test_what_comes_while_it_rests_waits_for_the_next_worker(tmp_path: Path) -> None:
    scribe = scribe_in(tmp_path)
    scribe.start()
    scribe.offer(b"one")
    while not frames_in(tmp_path):
        time.sleep(0.02)
    with scribe.resting():
        assert scribe.counts()["worker"] is None
        scribe.offer(b"two")
        time.sleep(0.1)
        assert frames_in(tmp_path) == [b"one"] and scribe.counts()["worker"] is None
    deadline = time.monotonic() + 30
    while len(frames_in(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    scribe.close()
    assert frames_in(tmp_path) == [b"one", b"two"]


def test_what_does_not_fit_is_dropped_and_counted(tmp_path: Path) -> None:
    scribe = scribe_in(tmp_path, most_waiting=10)
    assert scribe.offer(b"12345678")
    assert not scribe.offer(b"123")
    assert scribe.counts()["dropped"] == 1
    scribe.start()
    scribe.close()
    assert frames_in(tmp_path) == [b"12345678"]


def test_the_frame_header_is_what_the_worker_reads() -> None:
    assert LENGTH.pack(3) == b"\0\0\0\0\0\0\0\3"
