"""Schemathesis against the API: calls made from its OpenAPI, as they should be and as they should not; none may fail.

    python evaluate/bench/api_fuzz.py [--calls 5000] [--seed 1] [--json OUT]

Beside what Schemathesis makes up, some values are real ones (ids, conversations, acts), so that calls get further than
a 404, and every path is sent hostile bodies. A call fails if it is answered with 5xx or not at all, if its answer is
not what the OpenAPI says, or if an error is not problem+json.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok

sys.path.insert(0, str(Path(__file__).parent))

from api_load import seed as fill
from api_serving import Served, served

STREAM = "/api/events"  # never ends by itself
TIMEOUT_SECONDS = 60.0
NO_HTTP = b"Invalid HTTP request received."
REAL = 0.5  # how often a value is replaced by a real one

HOSTILE: tuple[tuple[str, bytes], ...] = (
    (
        "application/json",
        b'{"query": "\\ud800", "conversation": "\\udfff", "turns": [{"speaker": "a", "text": "\\ud800"}]}',
    ),
    ("application/json", b'{"query": "a\\u0000b", "text": "\\u0000", "conversation": "\\u0000", "name": "\\u0000"}'),
    ("application/json", b'{"query": "x", "k": NaN, "weight": Infinity, "strength": -Infinity, "text": "x"}'),
    ("application/json", b'{"query": "x", "k": 1' + b"0" * 400 + b', "act": 1e400, "text": "x"}'),
    ("application/json", b'{"query": "x", "k": ' + b"9" * 10_000 + b"}"),
    ("application/json", b"[" * 100_000),
    ("application/json", b'{"a":' * 50_000 + b"1" + b"}" * 50_000),
    (
        "application/json",
        b'{"query": "x", "asked_at": "9999-12-31T23:59:59-12:00", "as_of": "0001-01-01T00:00:00+14:00"}',
    ),
    ("application/json", b'{"query": "the day before next year", "asked_at": "9999-12-31", "as_of": "9999-12-31"}'),
    ("application/json", b'{"query": "last century", "asked_at": "0001-01-01T00:00:00Z"}'),
    ("application/json", b'{"text": "x", "said_at": "9999-12-31T23:59:59Z", "ttl_days": 36600}'),
    ("application/json", b'{"since": "0001-01-01", "until": "9999-12-31", "speaker": "nobody", "preview": true}'),
    ("application/json", b"\xff\xfe\x00"),
    ("application/json", b""),
    ("application/json", b"null"),
    ("application/json", b'"text"'),
    ("text/plain", b'{"query": "x"}'),
    ("application/xml", b"<x/>"),
    ("multipart/form-data", b"--x"),
    ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'),
    ("application/x-www-form-urlencoded", b"query=x&k=%ff"),
    ("\xff/\xfe", b"x"),
)


class Fuzz:
    """Sends calls and keeps what went wrong."""

    def __init__(self, at: Served, seed: int) -> None:
        self.at = at
        self.pick = random.Random(seed)
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers.update(at.headers)
        self.statuses: Counter[int] = Counter()
        self.failures: list[str] = []
        self.calls = 0
        self.real = self._real_values()

    def _real_values(self) -> dict[str, list[Any]]:
        """What is in the store, by the names under which calls ask for it."""
        note = self.session.post(f"{self.at.url}/api/notes", json={"text": "The key lies under the mat."}).json()
        found = self.session.get(f"{self.at.url}/api/recall", params={"q": "garden and train"}).json()
        ids = [one["segment_id"] for one in found["candidates"]] + [note["note"]["id"]]
        sessions = self.session.get(f"{self.at.url}/api/sessions").json()["items"]
        return {
            **dict.fromkeys(("id", "source", "target"), ids),
            "ids": [[one] for one in ids],
            "used": [[one] for one in ids],
            "conversation": [one["conversation"] for one in sessions],
            "session": [one["session"] for one in sessions],
            "exclude_session": [one["session"] for one in sessions],
            "act": [1, 2, 3, 4, 5],
            "namespace": ["default", None],
            "recipe": ["default", "pmg", "bm25", "vector", "takizen", "pgmemory", "pocketpaw"],
            "format": ["engramma", "transcript", "whatsapp", "facts"],
            "wait": [0, 1],
            "timezone": ["UTC", "Europe/Berlin", "Europe", "../x"],
        }

    def send(self, case: Case[Any]) -> None:
        """One generated call and a look at its answer."""
        if self.pick.random() < REAL:
            for part in (case.query, case.body, case.path_parameters):
                if isinstance(part, dict):
                    for name in part.keys() & self.real.keys():
                        part[name] = self.pick.choice(self.real[name])
        self.calls += 1
        label = f"{case.method} {case.path}"
        try:
            if case.path == STREAM:
                kwargs = case.as_transport_kwargs(base_url=self.at.url)
                with self.session.request(**kwargs, stream=True, timeout=TIMEOUT_SECONDS) as answer:
                    next(answer.iter_lines(), None)
                    self._note(label, answer.status_code, answer.headers.get("content-type", ""), b"")
                return
            found = case.call(base_url=self.at.url, session=self.session, timeout=TIMEOUT_SECONDS)
        except (requests.exceptions.InvalidHeader, UnicodeError, requests.exceptions.InvalidURL):
            self.statuses[0] += 1  # no client can send this
            return
        except requests.RequestException as error:
            self.failures.append(f"{label}: {type(error).__name__}")
            return
        if found.status_code == 400 and found.content == NO_HTTP:
            self.statuses[400] += 1  # refused by the server itself, such as a URL of 100 kB
            return
        self._note(label, found.status_code, found.headers.get("content-type", [""])[0], found.content)
        if found.status_code < 500:
            try:
                case.validate_response(found, checks=CHECKS)
            except BaseExceptionGroup as error:
                self.failures.append(f"{label}: {found.status_code} {str(error.exceptions[0])[:600]}")

    def send_hostile(self, method: str, path: str) -> None:
        """Bodies that no schema has."""
        for kind, body in HOSTILE:
            self.calls += 1
            url = self.at.url + path.replace("{id}", "1")
            headers = {"Content-Type": kind.encode("latin-1").decode("latin-1")}
            try:
                answer = self.session.request(method, url, data=body, headers=headers, timeout=TIMEOUT_SECONDS)
            except requests.RequestException as error:
                self.failures.append(f"{method} {path} {body[:40]!r}: {type(error).__name__}")
                continue
            self._note(
                f"{method} {path} {body[:40]!r}", answer.status_code, answer.headers["content-type"], answer.content
            )

    def _note(self, label: str, status: int, kind: str, body: bytes) -> None:
        self.statuses[status] += 1
        if status >= 500:
            self.failures.append(f"{label}: {status} {body[:300]!r}")
        elif status >= 400 and not kind.startswith("application/problem+json"):
            self.failures.append(f"{label}: {status} is {kind}, not problem+json")


def checks() -> list[Any]:
    from schemathesis.specs.openapi import checks as found

    return [found.content_type_conformance, found.response_schema_conformance, found.status_code_conformance]


CHECKS = checks()


def fuzz(at: Served, calls: int, seed: int, only: str = "") -> Fuzz:
    """So many calls, the same number of each operation, half of them wrong on purpose."""
    found = Fuzz(at, seed)
    document = found.session.get(f"{at.url}/api/openapi.json").json()
    schema = schemathesis.openapi.from_dict(document)
    every = [one.ok() for one in schema.get_all_operations() if isinstance(one, Ok)]
    operations = [one for one in every if one.path.startswith(f"/api/{only}")]
    for operation in operations:
        if operation.method.upper() in ("POST", "PATCH"):
            found.send_hostile(operation.method.upper(), operation.path)
    enough = max(calls, found.calls + 1)
    while found.calls < enough:  # some have few values to vary and end early
        each = -(-(enough - found.calls) // (2 * len(operations)))
        for operation in operations:
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                run_some(found, operation, mode, each, seed)
        seed += 1
    return found


def run_some(found: Fuzz, operation: Any, mode: GenerationMode, count: int, seed: int) -> None:
    @seeded(seed)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(mode))
    def call(case: Case[Any]) -> None:
        found.send(case)

    with warnings.catch_warnings(), suppress(Unsatisfiable):  # a call without values cannot be made wrong
        warnings.simplefilter("ignore")  # Schemathesis tells of values that it cannot make up
        call()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only paths that begin so, such as recall")
    parser.add_argument("--json", type=Path)
    given_ = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        fill(store)
        with served(store, Path(folder) / "log") as at:
            found = fuzz(at, given_.calls, given_.seed, given_.only)
        errors = [line for line in (Path(folder) / "log").read_text(encoding="utf-8").splitlines() if " ERROR " in line]
    told = {
        "calls": found.calls,
        "statuses": dict(sorted(found.statuses.items())),
        "failures": sorted(set(found.failures)),
        "errors_in_log": errors[:20],
    }
    text = json.dumps(told, indent=2)
    print(text)
    if given_.json:
        given_.json.write_text(text + "\n", encoding="utf-8")
    if found.failures:
        raise SystemExit("FAILED")


if __name__ == "__main__":
    main()
