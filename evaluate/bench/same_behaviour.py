"""Records what Engramma does, seen from outside, and compares two recordings: a change of code must show nowhere.

    python evaluate/bench/same_behaviour.py record --engramma PATH --locomo FILE --longmemeval FILE --out FOLDER
    python evaluate/bench/same_behaviour.py compare BEFORE AFTER

It knows the program only by its command, its HTTP API, its MCP server and the tables of memory.db; it imports
nothing of it, so one script records the old code and the new. A recording leaves its stores, as they were before
anything was written into them, in FOLDER/stores; `--store-from FOLDER` lets other code open those
instead of importing again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import same_behaviour_cli as cli
import same_behaviour_http as http
import same_behaviour_mcp as mcp
import same_behaviour_stores as stores
import same_behaviour_writes as series
from same_behaviour_compare import compare
from same_behaviour_daemon import daemon, sweep
from same_behaviour_parts import Parts, Program
from same_behaviour_plain import Plain
from same_behaviour_stores import Question

PEOPLE = "people"  # the store of small talks
STEPS = ("help", "bad", "stores", "recall", "http", "cli", "mcp")


@dataclass(frozen=True)
class Recorder:
    """A recording under way."""

    program: Program
    parts: Parts
    scratch: Path
    kept: Path
    asked: dict[str, list[Question]]
    steps: tuple[str, ...]

    def copy(self, name: str, purpose: str) -> Path:
        """A copy of a store, in a folder of its own: what is written into it is not seen elsewhere."""
        return stores.copied(self.kept / name, self.scratch / purpose / name)

    def recipes(self) -> list[str]:
        """The names of the recipes."""
        listed = self.program.needed("recipes", "--json", "--store", str(self.scratch / "none"))
        return [one["name"] for one in listed]

    def record(self) -> None:
        """Every step that was asked for, with its time on standard error."""
        for step in self.steps:
            began = time.perf_counter()
            getattr(self, f"step_{step}")()
            print(f"{step}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)

    def step_help(self) -> None:
        cli.helps(self.program, self.parts)

    def step_bad(self) -> None:
        cli.bad_lines(self.program, self.parts, self.copy(PEOPLE, "bad"))

    def step_stores(self) -> None:
        """What each store holds, by its tables and by the commands that read."""
        for name, questions in self.asked.items():
            store = self.copy(name, "read")
            stores.dump(self.parts, f"{name}_tables", store)
            cli.reads(self.program, self.parts, store, questions)

    def step_recall(self) -> None:
        """Every question to every recipe: all over HTTP, the first by the command, too."""
        recipes = self.recipes()
        for name, questions in self.asked.items():
            store = self.copy(name, "recall")
            cli.asked(self.program, self.parts, store, recipes, questions)
            with daemon(self.program, self.parts, store, "http") as api:
                sweep(api, name, recipes, questions)

    def step_http(self) -> None:
        """The API of the first store and of the people's, read and written; then what that left."""
        recipes = self.recipes()
        for name in dict.fromkeys((next(iter(self.asked)), PEOPLE)):
            questions = [one.text for one in self.asked[name]]
            store, part = self.copy(name, "http"), f"{name}_http"
            with daemon(self.program, self.parts, store, part) as api:
                http.walk(api, http.real_values(api, recipes, questions))
                if name == PEOPLE:
                    series.entities(api)
                    series.corrected(api)
                else:
                    series.writes(api, self.program, str(store), questions[0])
                    http.refused(api)
            stores.dump(self.parts, f"{part}_after", store)
            cli.reads(self.program, self.parts, moved(store, f"{name}_http_after"), self.asked[name], short=True)

    def step_cli(self) -> None:
        store, home = self.copy(PEOPLE, "cli"), self.scratch / "home"
        cli.writes(self.program, self.parts, store, home)
        stores.dump(self.parts, "cli_writes_after", store)

    def step_mcp(self) -> None:
        """Read from the first store and write into the small one: ids from the clock sway the samples of a big one."""
        name = next(iter(self.asked))
        store, small = self.copy(name, "mcp"), self.copy(PEOPLE, "mcp_writes")
        sessions = self.program.needed("sessions", "--json", "--store", str(store))
        people = self.program.needed("people", "--json", "--store", str(store))
        session = f"{sessions[0]['conversation']}%2F{sessions[0]['session']}"
        questions = [one.text for one in self.asked[name][:12]]
        person = people[0]["name"] if people else "user"
        mcp.record_reads(self.program, self.parts, store, questions, session, person)
        mcp.record_writes(self.program, self.parts, small, [one.text for one in self.asked[PEOPLE]])
        stores.dump(self.parts, "mcp_after", small)


def moved(store: Path, name: str) -> Path:
    """A store under another name, by which its parts are called."""
    return store.rename(store.with_name(name))


def fill(given: argparse.Namespace, program: Program, parts: Parts, scratch: Path) -> dict[str, list[Question]]:
    """Make the stores, or take those of an earlier recording; gives back the questions to each."""
    wanted = None if given.questions == "all" else int(given.questions)
    asked: dict[str, list[Question]] = {}
    sources: dict[str, list[Path]] = {}
    for name, path, read in (
        ("locomo", given.locomo, stores.locomo),
        ("longmemeval", given.longmemeval, stores.longmemeval),
    ):
        if path is not None:
            records, asked[name] = read(path, wanted)
            sources[name] = [scratch / f"{name}.json"]
            sources[name][0].write_text(json.dumps(records), encoding="utf-8")
    asked[PEOPLE] = [Question(text) for text in stores.SEED_QUESTIONS]
    sources[PEOPLE] = stores.seeds(scratch / "seeds")
    for name in asked:
        if given.store_from:
            stores.copied(given.store_from / "stores" / name, given.out / "stores" / name)
        else:
            stores.make(program, parts, given.out / "stores" / name, sources[name])
    return asked


def record(given: argparse.Namespace) -> None:
    """Write a recording into an empty folder."""
    given.out.mkdir(parents=True, exist_ok=True)
    if any(given.out.iterdir()):
        raise SystemExit(f"{given.out} is not empty")
    scratch = Path(tempfile.mkdtemp(prefix="same-behaviour-"))
    try:
        executable = given.engramma.absolute()
        paths = {str(scratch): "SCRATCH", str(given.out.absolute()): "OUT", str(executable): "engramma"}
        parts = Parts(given.out, Plain(paths))
        (scratch / "home").mkdir()
        program = Program(executable, scratch / "home")
        asked = fill(given, program, parts, scratch)
        recorder = Recorder(program, parts, scratch, given.out / "stores", asked, tuple(given.only))
        recorder.record()
        about = {
            "asked": {"questions": given.questions, "stores": sorted(asked)},
            "steps": sorted(given.only),
            "stores_taken": bool(given.store_from),
            "items": dict(sorted(parts.counts.items())),
        }
        (given.out / "about.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(json.dumps(about["items"], indent=2))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="what")
    recording = commands.add_parser("record")
    recording.add_argument("--engramma", type=Path, required=True, help="the command under test")
    recording.add_argument("--locomo", type=Path)
    recording.add_argument("--longmemeval", type=Path)
    recording.add_argument("--out", type=Path, required=True, help="an empty folder, or one to be made")
    recording.add_argument(
        "--questions", default=str(stores.QUESTIONS), help="so many a recipe, or all (of all the data)"
    )
    recording.add_argument("--store-from", type=Path, help="a recording whose stores are taken")
    recording.add_argument("--only", nargs="+", choices=STEPS, default=STEPS, help="only these steps")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.what == "compare":
        return 0 if compare(given.before, given.after) else 1
    record(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
