"""Floods of half-sent requests against a real daemon: does /health answer, and do memory, log and descriptors stay?

    python evaluate/bench/floods.py [--seconds 25] [--nofile 1024] [--scale 1] [--only FLOOD …] [--json OUT]

Every flood comes from this machine and without a token. While its connections stay open, /health is asked anew, each
time over a new connection.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from engramma.apps.daemon.folder import place_in, read_json, token_of
from engramma.evaluate.report import recorded

COMMAND = [sys.executable, "-c", "from engramma.apps.cli.main import run; run()"]
START_SECONDS = 120.0
STOP_SECONDS = 60.0
HEALTH_SECONDS = 10.0  # after which an answer counts as none
PAUSE_SECONDS = 0.1  # between two questions
MIB = 1024 * 1024
BODY = b"x" * (16 * MIB - 1)


@dataclass(frozen=True, slots=True)
class Daemon:
    """A daemon under attack."""

    pid: int
    port: int
    log: Path

    def memory(self) -> int:
        """Its resident memory in bytes."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def descriptors(self) -> int:
        return sum(1 for _ in Path(f"/proc/{self.pid}/fd").iterdir())

    def log_bytes(self) -> int:
        """Of the log and what was set aside of it."""
        return sum(path.stat().st_size for path in self.log.parent.glob(f"{self.log.name}*"))


@dataclass(frozen=True, slots=True)
class Result:
    """What a flood did."""

    flood: str
    connections: int
    seconds: float
    asked: int
    unanswered: int
    health_p50_ms: float
    health_max_ms: float
    memory_growth_mib: float
    log_growth_kib: float
    most_descriptors: int
    still_open: int  # connections of the flood that the daemon had not closed in the end


@contextmanager
def daemon_under(store: Path, nofile: int) -> Iterator[Daemon]:
    """A daemon with so many descriptors, whose log is where `engramma start` puts it."""
    place = place_in(store)
    place.make()

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (nofile, nofile))

    log = os.open(place.log, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    process = subprocess.Popen(
        [*COMMAND, "--store", str(store), "serve", "--port", "0"], stdout=log, stderr=log, preexec_fn=limit
    )
    os.close(log)
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            port = read_json(place.state).get("port")
            if isinstance(port, int) and asked_health(port) is not None:
                break
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"The daemon did not start:\n{place.log.read_text()[-3000:]}")
            time.sleep(0.1)
        warm_up(port, token_of(place))
        yield Daemon(process.pid, port, place.log)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_SECONDS)


def warm_up(port: int, token: str) -> None:
    """Let it load its model before its memory is looked at."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
    for path in ("/api/recall?q=warm+up", "/api/status"):
        line.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        line.getresponse().read()
    line.close()


def asked_health(port: int) -> float | None:
    """Seconds until /health answered over a new connection; None if it did not."""
    begun = time.perf_counter()
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=HEALTH_SECONDS)
    try:
        line.request("GET", "/health")
        if line.getresponse().status != 200:
            return None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        line.close()
    return time.perf_counter() - begun


def opened(port: int, data: bytes) -> socket.socket | None:
    """A connection over which something was sent, without waiting for what the daemon does with it."""
    try:
        line = socket.create_connection(("127.0.0.1", port), timeout=HEALTH_SECONDS)
    except OSError:
        return None
    line.setblocking(False)
    with suppress(OSError):
        line.send(data)
    return line


def head(path: str, length: int, method: str = "POST") -> bytes:
    return (
        f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


HALF_HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
WHOLE = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

# name: how many, what is sent first, and what is sent again and again
FLOODS: dict[str, tuple[int, bytes, bytes]] = {
    "half-sent headers": (1_100, HALF_HEAD, b"x"),
    "half-sent /login, 16 MiB announced": (60, head("/login", len(BODY) + 1), BODY),
    "half-sent /login, chunked": (
        60,
        b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"10000\r\n" + b"x" * 0x10000 + b"\r\n",
    ),
    "half-sent /login, 4 KiB announced": (500, head("/login", 4096), b"x"),
    "half-sent /api bodies, no token": (500, head("/api/turns", len(BODY) + 1), BODY[:MIB]),
    "idle keep-alive": (500, WHOLE, b""),
    "connections that say nothing": (1_100, b"", b""),
    "pipelined, nothing read": (100, WHOLE * 100, WHOLE * 100),
}


def flooded(daemon: Daemon, name: str, seconds: float, scale: float, tell: Callable[[str], None]) -> Result:
    """Run one flood, asking /health throughout."""
    count, first, again = FLOODS[name]
    count = max(1, int(count * scale))
    memory, log = daemon.memory(), daemon.log_bytes()
    most_memory, most_descriptors = memory, 0
    took: list[float] = []
    unanswered = 0
    lines: list[socket.socket] = []
    begun = time.monotonic()
    try:
        while (now := time.monotonic()) < begun + seconds:
            while len(lines) < count and time.monotonic() < now + PAUSE_SECONDS:
                if (line := opened(daemon.port, first)) is not None:
                    lines.append(line)
            if again:
                for line in lines:
                    with suppress(OSError):
                        line.send(again)
            answered = asked_health(daemon.port)
            if answered is None:
                unanswered += 1
            else:
                took.append(answered)
            most_memory, most_descriptors = (
                max(most_memory, daemon.memory()),
                max(most_descriptors, daemon.descriptors()),
            )
            time.sleep(PAUSE_SECONDS)
        still_open = sum(not is_closed(line) for line in lines)
    finally:
        for line in lines:
            line.close()
    result = Result(
        name,
        count,
        round(time.monotonic() - begun, 1),
        len(took) + unanswered,
        unanswered,
        round(statistics.median(took) * 1000, 1) if took else float("inf"),
        round(max(took) * 1000, 1) if took else float("inf"),
        round((most_memory - memory) / MIB, 1),
        round((daemon.log_bytes() - log) / 1024, 1),
        most_descriptors,
        still_open,
    )
    tell(row(result))
    return result


def is_closed(line: socket.socket) -> bool:
    """Whether the other side has closed; what it said before is read away."""
    try:
        while line.recv(1 << 16):
            pass
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


COLUMNS = (
    "| flood | connections | /health asked | unanswered | p50 ms | max ms | memory + MiB | "
    "log + KiB | most fds | open at the end |"
)


def row(one: Result) -> str:
    return (
        f"| {one.flood} | {one.connections} | {one.asked} | {one.unanswered} | {one.health_p50_ms} | "
        f"{one.health_max_ms} | {one.memory_growth_mib} | {one.log_growth_kib} | {one.most_descriptors} | "
        f"{one.still_open} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=25.0, help="of each flood")
    parser.add_argument("--nofile", type=int, default=1024, help="descriptors that the daemon may have")
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of connections")
    parser.add_argument("--only", nargs="+", default=list(FLOODS), choices=list(FLOODS), metavar="FLOOD")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as folder, daemon_under(Path(folder) / "store", options.nofile) as daemon:
        print(COLUMNS)
        print("|" + "---|" * COLUMNS.count(" |"))
        results = [flooded(daemon, name, options.seconds, options.scale, print) for name in options.only]
        after = asked_health(daemon.port)
    print(f"afterwards /health answers in {after * 1000:.1f} ms" if after is not None else "afterwards it is dead")
    if options.json:
        record = recorded({"floods": [asdict(one) for one in results]}, sys.argv[1:], "python evaluate/bench/floods.py")
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if after is None or any(one.unanswered for one in results):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
