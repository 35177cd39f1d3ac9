"""Kill importers at random, or let writers and readers crowd one store, and look for what was lost.

    python evaluate/bench/crash.py talk.json --store work --kills 50 --processes 4
    python evaluate/bench/crash.py --store work --writers 4 --readers 2 --seconds 60

The first imports the file undisturbed, then with several processes at once of which a random one is
killed (SIGKILL) at a random moment and started again. When the kills are spent it imports once more and
compares: doctor, the export's bytes, the graph, the vectors, the archive, and what a few dozen queries
bring back. Of several files each process begins with another, so that they come in several orders. When
an import ends before the kills are spent, the next store begins: every kill meets an import under way.

The second has writers note every turn once it was stored and readers ask for noted turns; at the end
every noted turn must be there exactly once. With --kills, writers are killed meanwhile.

Progress goes to stderr, one JSON object with the result to stdout. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from crash_crowd import ROLES, crowd
from crash_kills import crash


def main() -> int:
    arguments = parser().parse_args()
    if arguments.role:
        return ROLES[arguments.role](arguments)
    arguments.store.mkdir(parents=True, exist_ok=True)
    if any(arguments.store.iterdir()):
        sys.exit(f"{arguments.store} is not empty: name a new directory")
    if arguments.writers:
        result = crowd(arguments)
    elif arguments.sources:
        result = crash(arguments)
    else:
        sys.exit("name a file to import, or --writers")
    print(json.dumps(result, indent=2))
    return 0 if result["ok"] else 1


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    found.add_argument("sources", nargs="*", type=Path, help="files to import")
    found.add_argument("--store", type=Path, required=True, help="a new directory to work in")
    found.add_argument("--kills", type=int, default=None, help="50 while importing, none in a crowd")
    found.add_argument("--processes", type=int, default=4)
    found.add_argument(
        "--wait", type=float, nargs=2, default=(0.3, 3.0), metavar=("LEAST", "MOST"), help="s between kills"
    )
    found.add_argument("--queries", type=int, default=40)
    found.add_argument("--seed", type=int, default=None)
    found.add_argument("--writers", type=int, default=0)
    found.add_argument("--readers", type=int, default=2)
    found.add_argument("--seconds", type=float, default=60.0)
    found.add_argument("--role", choices=sorted(ROLES), help=argparse.SUPPRESS)
    found.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    found.add_argument("--until", type=float, default=0.0, help=argparse.SUPPRESS)
    return found


if __name__ == "__main__":
    sys.exit(main())
